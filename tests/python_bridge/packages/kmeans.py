# needs sklearn
# Clusters by tensors and by scikit-learn.
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.metrics import adjusted_rand_score

tf.disable_v2_behavior()

points, truth = make_blobs(n_samples=60, centers=3, n_features=3, random_state=1, cluster_std=0.6)
points = make_pipeline(FunctionTransformer(lambda p: p - p.mean(axis=0)), PCA(2, random_state=0)).fit_transform(points)
print(points.shape, np.abs(points).mean().round(3))
centers = tf.Variable(points[:3], dtype=tf.float32)
x = tf.constant(points, tf.float32)
distances = tf.reduce_sum(tf.square(x[:, None, :] - centers[None, :, :]), 2)
nearest = tf.argmin(distances, 1)
means = tf.stack([tf.reduce_mean(tf.boolean_mask(x, tf.equal(nearest, k)), 0) for k in range(3)])
update = tf.assign(centers, tf.where(tf.is_nan(means), centers, means))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(20):
        sess.run(update)
    found = sess.run(nearest)
    other = KMeans(3, n_init=5, random_state=0).fit(points)
    print('%.3f %.3f' % (adjusted_rand_score(truth, found), adjusted_rand_score(truth, other.labels_)))
    print(sorted(np.bincount(other.labels_).tolist()), type(other.cluster_centers_) is np.ndarray)
    try:
        KMeans(3).predict(points)
    except Exception as error:
        print(type(error).__name__)
