# needs sklearn scipy
# Expectation maximisation in a graph beside scikit-learn's.
import warnings
import numpy as np
import tensorflow.compat.v1 as tf
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.linalg import block_diag, cholesky
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.datasets import make_moons
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.svm import SVC

tf.disable_v2_behavior()
warnings.filterwarnings('ignore')

rng = np.random.RandomState(0)
data = np.concatenate([rng.randn(40, 2) * 0.5 - 2, rng.randn(60, 2) + [2, 0]]).astype(np.float64)
K = 2


def log_normal(x, mean, variance):
    return -0.5 * tf.reduce_sum(tf.log(2 * np.pi * variance) + tf.square(x - mean) / variance, axis=-1)


x = tf.constant(data)
mean = tf.Variable(data[[0, -1]], dtype=tf.float64)
var = tf.Variable(np.ones((K, 2)))
mix = tf.Variable(np.full(K, 1. / K))
log_p = log_normal(x[:, None, :], mean[None], var[None]) + tf.log(mix)
log_z = tf.reduce_logsumexp(log_p, axis=1, keepdims=True)
gamma = tf.exp(log_p - log_z)
n = tf.reduce_sum(gamma, 0)
new_mean = tf.einsum('nk,nd->kd', gamma, x) / n[:, None]
new_var = tf.reduce_sum(gamma[:, :, None] * tf.square(x[:, None] - new_mean), 0) / n[:, None]
with tf.control_dependencies([new_mean, new_var]):
    step = tf.group(mean.assign(new_mean), var.assign(new_var), mix.assign(n / len(data)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    bound = []
    for _ in range(30):
        bound.append(sess.run(tf.reduce_mean(log_z)) if not bound else bound[-1])
        sess.run(step)
    m, weights, like = sess.run([mean, mix, tf.reduce_mean(log_z)])
    sk = GaussianMixture(2, covariance_type='diag', random_state=0, tol=1e-8, max_iter=500).fit(data)
    order = np.argsort(sk.means_[:, 0])
    print(np.allclose(m, sk.means_[order], atol=1e-2), weights.round(2), '%.3f %.3f' % (like, sk.score(data)))
    print(np.allclose(sess.run(log_p)[0, 0] - np.log(weights[0]), multivariate_normal(m[0], np.diag(sess.run(var)[0])).logpdf(data[0])))
    a = np.array([[1., 2.], [3., 1.]])
    print(np.allclose(sess.run(tf.reduce_logsumexp(a, 1)), logsumexp(a, axis=1)), np.allclose(sess.run(tf.nn.softmax(a)), softmax(a, axis=1)))
    spd = a @ a.T + np.eye(2)
    print(np.allclose(sess.run(tf.cholesky(spd)), cholesky(spd, lower=True)), block_diag([1], [[2, 3]]).tolist())
    gram = sess.run(tf.exp(-0.5 * tf.reduce_sum(tf.square(a[:, None] - a[None]), 2)))
    print(np.allclose(gram, rbf_kernel(a, gamma=0.5)), np.allclose(gram, RBF(1.)(a)), cosine_similarity(a).round(3).tolist())
    moons, side = make_moons(60, noise=0.05, random_state=1)
    distance = tf.norm(tf.constant(moons)[:, None] - tf.constant(moons)[None], axis=2)
    _, nearest = tf.nn.top_k(-distance, 3)
    indices = NearestNeighbors(n_neighbors=3).fit(moons).kneighbors(moons, return_distance=False)
    print(np.array_equal(np.sort(sess.run(nearest), 1), np.sort(indices, 1)), KNeighborsClassifier(3).fit(moons, side).score(moons, side))
    svm = SVC(kernel=lambda u, v: rbf_kernel(u, v, gamma=2.), C=10.).fit(moons, side)
    print(svm.score(moons, side), svm.classes_, fcluster(linkage(moons[:6], 'average'), 2, 'maxclust').max())
