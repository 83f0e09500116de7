import numpy as np
import tensorflow as tf

np.set_printoptions(precision=5, suppress=True)
x = tf.constant([[0.1, -0.5, 0.9], [0.3, 0.7, -0.2]])
y = tf.constant([[1., 2., 3.], [-1., 0.5, 4.]])
i = tf.constant([7, -7, 9])
j = tf.constant([2, 2, -4])
results = [
    tf.acos(x), tf.asin(x), tf.atan(x), tf.cosh(x), tf.tan(x), tf.erf(x), tf.is_finite(x / 0.), tf.math.bessel_i0e(x), tf.math.bessel_i1e(x),
    tf.floor_div(i, j), tf.truncatediv(i, j), tf.realdiv(x, y), tf.greater(x, y), tf.less_equal(x, y),
    tf.logical_xor([True, False], [True, True]), tf.scalar_mul(2., x), tf.accumulate_n([x, y]), tf.global_norm([x, y]),
    tf.math.reduce_logsumexp(x), tf.math.reduce_std(x), tf.math.reduce_variance(x, axis=0), tf.math.reduce_euclidean_norm(x, 1),
    tf.math.xlogy(x * x, y * y), tf.math.xdivy(x, y), tf.math.multiply_no_nan(x, y), tf.math.erfinv(x), tf.math.ndtri(x * x), tf.math.polygamma([1.], [2.5]),
    tf.rint([0.5, 1.5, -2.5]), tf.unsorted_segment_min([3, 1, 2], [0, 0, 1], 2), tf.unsorted_segment_prod([3, 1, 2], [0, 0, 1], 2),
    tf.log_sigmoid(x), tf.nn.relu_layer(x, tf.transpose(y), [0.5, 0.5]), tf.nn.xw_plus_b(x, tf.transpose(y), [0.5, 0.5]),
    tf.nn.weighted_cross_entropy_with_logits(targets=x, logits=y, pos_weight=2.), tf.matrix_transpose(x), tf.linalg.matvec(x, [1., 2., 3.]),
    tf.gather_nd(x, [[0, 1], [1, 2]]), tf.reverse_v2(x, [1]), tf.tensor_scatter_add([1, 2, 3], [[1]], [10]), tf.tensor_scatter_sub([1, 2, 3], [[1]], [10]),
]
with tf.Session() as sess:
    print(sess.run(tf.truncatemod(i, j)))
    for t in results:
        print(t.op.type, t.shape, sess.run(t))
print(tf.is_tensor(x), tf.is_tensor(3), tf.executing_eagerly(), tf.DType.__name__, tf.Dimension(3) + 2, isinstance(x.op, tf.Operation))
print([t.name for t in (tf.float16, tf.bfloat16, tf.uint16, tf.uint32, tf.complex128, tf.variant, tf.resource)])
