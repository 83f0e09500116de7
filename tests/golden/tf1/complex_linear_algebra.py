# Decompositions and equations of complex matrices: factors multiplied give the matrix again.
import numpy as np
import tensorflow as tf

r = np.random.RandomState(3)


def matrix(*shape):
    return r.uniform(-1, 1, shape) + 1j * r.uniform(-1, 1, shape)


sess = tf.Session()


def show(name, t):
    print(name, np.round(np.abs(sess.run(t)), 6).tolist())


def gap(name, a, b):
    print(name, bool(np.max(np.abs(sess.run(a - b))) < 1e-10))


a, b = tf.constant(matrix(3, 3)), tf.constant(matrix(3, 2))
h = tf.constant((lambda m: m.dot(m.conj().T) + np.eye(3))(matrix(3, 3)))
gap('inverse', tf.matmul(tf.matrix_inverse(a), a), tf.eye(3, dtype=tf.complex128))
gap('adjoint', tf.matrix_inverse(a, adjoint=True), tf.conj(tf.transpose(tf.matrix_inverse(a))))
show('determinant', tf.matrix_determinant(a))
gap('solve', tf.matmul(a, tf.matrix_solve(a, b)), b)
gap('solve adjoint', tf.matmul(a, tf.matrix_solve(a, b, adjoint=True), adjoint_a=True), b)
low = tf.cholesky(h)
gap('cholesky', tf.matmul(low, low, adjoint_b=True), h)
gap('triangular', tf.matmul(low, tf.matrix_triangular_solve(low, b, adjoint=True), adjoint_a=True), b)
for full in (False, True):
    for shape in ((3, 3), (4, 2), (2, 4)):
        m = tf.constant(matrix(*shape))
        q, t = tf.qr(m, full_matrices=full)
        gap('qr', tf.matmul(q, t), m)
        s, u, v = tf.svd(m, full_matrices=full)
        n = min(shape)
        s = tf.cast(s, tf.complex128)
        gap('svd', tf.matmul(u[:, :n] * s, v[:, :n], adjoint_b=True), m)
        gap('unitary', tf.matmul(u, u, adjoint_a=True), tf.eye(shape[0] if full else n, dtype=tf.complex128))
        show('singular values', s)
e, v = tf.self_adjoint_eig(h)
gap('eigen', tf.matmul(h, v), v * tf.cast(e, tf.complex128))
show('eigenvalues', e)
tall = tf.constant(matrix(5, 2))
for fast in (True, False):
    x = tf.matrix_solve_ls(tall, tf.constant(np.ones((5, 1)) + 0j), fast=fast)
    show('least squares', x)
loss = tf.reduce_sum(tf.square(tf.abs(low)))
show('gradient', tf.gradients(loss, h)[0])
loss = tf.reduce_sum(tf.square(tf.abs(tf.matrix_solve(a, b))))
show('gradient', tf.gradients(loss, a)[0])
x = tf.constant([[4.0, 1.0], [1.0, 3.0]])
first = tf.gradients(tf.reduce_sum(tf.cholesky(x) ** 3), x)[0]
show('second', tf.gradients(first * first, x)[0])
