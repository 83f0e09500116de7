# Inverses, decompositions, diagonals, batches of them, and their gradients.
import numpy as np
import tensorflow as tf

a = tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
b = tf.constant([[1.0], [2.0], [3.0]])
batch = tf.constant(np.array([[[2.0, 0.0], [1.0, 3.0]], [[1.0, 1.0], [0.0, 2.0]]], dtype=np.float64))
with tf.Session() as sess:
    def show(label, *tensors):
        for t in tensors:
            print(label, t.shape, ['%.3f' % (v + 0.0) for v in np.round(sess.run(t), 4).ravel()])
    show('inverse', tf.matrix_inverse(a), tf.matrix_inverse(batch))
    show('determinant', tf.matrix_determinant(a), tf.matrix_determinant(batch))
    show('slogdet', *tf.linalg.slogdet(batch))
    show('logdet', tf.linalg.logdet(a))
    show('solve', tf.matrix_solve(a, b), tf.matrix_triangular_solve(a, b), tf.matrix_triangular_solve(a, b, lower=False))
    show('least squares', tf.matrix_solve_ls(tf.constant([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), b))
    show('cholesky', tf.cholesky(a), tf.cholesky_solve(tf.cholesky(a), b))
    q, r = tf.qr(a)
    show('qr', tf.matmul(q, r), tf.abs(r))
    s, u, v = tf.svd(a)
    show('svd', s, tf.matmul(u, tf.matmul(tf.matrix_diag(s), v, transpose_b=True)), tf.svd(a, compute_uv=False))
    e, w = tf.self_adjoint_eig(a)
    show('eig', e, tf.self_adjoint_eigvals(a), tf.matmul(w, tf.matmul(tf.matrix_diag(e), w, transpose_b=True)))
    show('diag', tf.matrix_diag([1.0, 2.0]), tf.matrix_diag_part(a), tf.matrix_set_diag(a, [7.0, 8.0, 9.0]))
    show('band', tf.matrix_band_part(a, 0, -1), tf.trace(a), tf.trace(batch))
    show('cross', tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    show('short', tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.diag_part(a))
    for f in [tf.matrix_inverse, tf.matrix_determinant, tf.cholesky, tf.self_adjoint_eigvals, tf.trace,
              lambda x: tf.svd(x, compute_uv=False), lambda x: tf.matrix_solve(x, b), lambda x: tf.linalg.logdet(x)]:
        show('gradient', tf.gradients(tf.reduce_sum(tf.square(f(a))), a)[0])
    for bad in [lambda: tf.matrix_inverse([[1.0, 2.0]]), lambda: tf.matrix_inverse([[1.0, 1.0], [1.0, 1.0]]),
                lambda: tf.matrix_solve(a, [[1.0]])]:
        try:
            sess.run(bad())
            print('accepted')
        except (ValueError, tf.errors.InvalidArgumentError) as error:
            print(type(error).__name__)
