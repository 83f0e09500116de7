# Nearest neighbour and one step of k-means with argmin, gather and broadcasting.
import numpy as np
import tensorflow as tf

train = np.array([[0, 0], [0, 1], [5, 5], [6, 5], [-4, 3]], dtype=np.float32)
names = ['origin', 'up', 'far', 'farther', 'left']
known = tf.placeholder(tf.float32, [None, 2])
query = tf.placeholder(tf.float32, [2])
distance = tf.reduce_sum(tf.abs(known - query), axis=1)
pred = tf.argmin(distance, 0)
with tf.Session() as sess:
    for q in [[0.2, 0.1], [5.6, 5.1], [-3, 3], [0, 0.6]]:
        index = sess.run(pred, {known: train, query: q})
        print(q, '->', index, names[index], sess.run(distance, {known: train, query: q})[index] < 1.2)
    centres = tf.Variable([[0.0, 0.0], [5.0, 4.0]])
    points = tf.constant(train)
    d = tf.reduce_sum(tf.square(tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)), 2)
    nearest = tf.argmin(d, 1)
    print(d.shape, nearest)
    mask = tf.one_hot(nearest, 2)
    means = tf.matmul(mask, points, transpose_a=True) / tf.expand_dims(tf.reduce_sum(mask, 0), 1)
    update = tf.assign(centres, means)
    sess.run(centres.initializer)
    for _ in range(3):
        sess.run(update)
    print(np.round(sess.run(centres), 3).tolist(), sess.run(nearest))
    print(sess.run(tf.gather(points, tf.where(tf.equal(nearest, 1))[:, 0])))
