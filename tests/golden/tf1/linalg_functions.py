"""Triangular factors, square roots, logarithms and exponentials of matrices, and matrices of three diagonals."""
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
np.set_printoptions(precision=2, suppress=True)

a = tf.constant([[4., 1., 0.], [1., 5., 2.], [0.5, 1., 6.]])
batch = tf.stack([a, tf.linalg.transpose(a) + 1.])
lu, p = tf.linalg.lu(batch)
wide = tf.linalg.lu(a, output_idx_type=tf.int64)
x = tf.constant([[1.], [2.], [3.]])
values = {
    'lu': [lu, p], 'p64': [wide.p],
    'again': [tf.linalg.lu_reconstruct(lu, p) - batch, tf.linalg.lu_reconstruct(wide.lu, wide.p)],
    'solved': [tf.linalg.lu_solve(wide.lu, wide.p, x), tf.linalg.lu_matrix_inverse(wide.lu, wide.p)],
    'sqrtm': [tf.linalg.sqrtm(a), tf.linalg.sqrtm(batch)],
    'logm': [tf.linalg.logm(tf.cast(a, tf.complex64))],
    'expm': [tf.linalg.expm(a / 2), tf.linalg.expm(batch * 3 / 10), tf.linalg.expm(tf.zeros([2, 2]))],
}
three = tf.constant([[1., 2., 0.], [4., 5., 6.], [0., 1., 2.]])
rows = [tf.constant([1., 2.]), tf.constant([4., 5., 6.]), tf.constant([1., 2.])]
whole = tf.constant([[4., 1., 0.], [1., 5., 2.], [0., 2., 6.]])
values['tridiagonal'] = [tf.linalg.tridiagonal_solve(three, x), tf.linalg.tridiagonal_solve(three, x[:, 0]),
                         tf.linalg.tridiagonal_solve(rows, x, diagonals_format='sequence'),
                         tf.linalg.tridiagonal_solve(whole, tf.transpose(x), diagonals_format='matrix', transpose_rhs=True),
                         tf.linalg.tridiagonal_solve(three, x, partial_pivoting=False)]
values['product'] = [tf.linalg.tridiagonal_matmul(three, x), tf.linalg.tridiagonal_matmul([three[0], three[1], three[2]], x, diagonals_format='sequence'),
                     tf.linalg.tridiagonal_matmul(whole, x, diagonals_format='matrix')]
values['gradients'] = [tf.gradients(tf.linalg.sqrtm(a), a)[0]] + tf.gradients(
    tf.linalg.tridiagonal_solve(three, x) ** 2, [three, x]) + tf.gradients(tf.linalg.tridiagonal_matmul(three, x) ** 2, [three, x])
with tf.Session() as sess:
    for name in values:
        for value in sess.run(values[name]):
            print(name, value + 0)
