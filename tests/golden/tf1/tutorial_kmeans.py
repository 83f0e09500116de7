# K-means, with a loop in Python around one step.
import numpy as np
import tensorflow as tf

def kmeans(points, k, steps):
    graph = tf.Graph()
    with graph.as_default():
        data = tf.constant(points)
        centroids = tf.Variable(points[:k])
        n = points.shape[0]
        expanded = tf.expand_dims(data, 0)
        differences = tf.subtract(expanded, tf.expand_dims(centroids, 1))
        distances = tf.reduce_sum(tf.square(differences), 2)
        assignments = tf.argmin(distances, 0)
        means = []
        for c in range(k):
            members = tf.reshape(tf.where(tf.equal(assignments, c)), [1, -1])
            means.append(tf.reduce_mean(tf.gather(data, members), axis=[1]))
        new_centroids = tf.concat(means, 0)
        update = tf.assign(centroids, new_centroids)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(steps):
                sess.run(update)
            return sess.run([centroids, assignments])

rng = np.random.RandomState(3)
points = np.concatenate([rng.normal(loc, 0.3, size=(20, 2)) for loc in (0.0, 3.0, -4.0)])
points = points[rng.permutation(60)]
centers, kinds = kmeans(points, 3, 10)
order = np.argsort(centers[:, 0])
print(np.round(centers[order], 3))
print(np.bincount(kinds)[order])
