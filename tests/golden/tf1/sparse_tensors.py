# Sparse tensors: sums, products, reductions, order, shape, parts, feeds.
import numpy as np
import tensorflow as tf

a = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1., 2., 3.], [2, 3])
b = tf.SparseTensor([[0, 2], [1, 0]], [10., 20.], [2, 3])
with tf.Session() as sess:
    def show(name, *values):
        print(name, *[np.asarray(v).tolist() for value in sess.run(values) for v in
                      (value if isinstance(value, tuple) else (value,))])

    show('add', tf.sparse_add(a, b), tf.sparse_add(a, tf.ones([2, 3])))
    show('thresh', tf.sparse_add(a, b, 2.5))
    show('concat', tf.sparse_concat(0, [a, b]), tf.sparse_concat(1, [a, b]))
    show('slice', tf.sparse_slice(a, [0, 1], [2, 2]))
    show('split', *tf.sparse_split(sp_input=a, num_split=2, axis=1))
    show('mul', a * tf.constant([1., 2., 3.]), a / tf.constant([[2.], [4.]]))
    show('sum', tf.sparse_reduce_sum(a), tf.sparse_reduce_sum(a, 1), tf.sparse_reduce_sum(a, 0, keepdims=True))
    show('max', tf.sparse_reduce_max(a, 1), tf.sparse_reduce_sum_sparse(a, 1))
    show('reorder', tf.sparse_reorder(tf.SparseTensor([[1, 0], [0, 1]], ['x', 'y'], [2, 2])))
    show('reshape', tf.sparse_reshape(a, [3, -1]))
    show('softmax', tf.SparseTensor(a.indices, tf.round(tf.sparse_softmax(a).values * 1000.), a.dense_shape))
    show('fill', *tf.sparse_fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [4, 2]), -1))
    show('max2', tf.sparse_maximum(a, b), tf.sparse_minimum(a, b))
    show('retain', tf.sparse_retain(a, [True, False, True]))
    show('transpose', tf.sparse_transpose(a), tf.sparse_tensor_to_dense(tf.sparse_transpose(a)))
    show('dense', tf.sparse_tensor_to_dense(a), tf.sparse_tensor_dense_matmul(a, tf.ones([3, 2])))
    show('eye', tf.sparse.eye(2, 3), tf.sparse.from_dense([[0, 7], [8, 0]]))
    hypothesis = tf.SparseTensor([[0, 0], [1, 0]], ['a', 'b'], [2, 1])
    truth = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'a', 'c'], [2, 2])
    show('distance', tf.edit_distance(hypothesis, truth), tf.edit_distance(hypothesis, truth, normalize=False))
    d = tf.constant([[1., 2., 3.], [4., 5., 6.]])
    for y in (tf.sparse_reduce_sum(a * d), tf.reduce_sum(tf.sparse_add(a, d) * d), tf.reduce_sum(tf.sparse_softmax(a).values * [1., 2., 3.]),
              tf.reduce_sum(tf.sparse_add(a, b).values * [1., 2., 3., 4.]), tf.reduce_sum(tf.sparse_slice(a, [0, 1], [2, 2]).values),
              tf.sparse_reduce_sum(a / d), tf.reduce_sum(tf.sparse_reorder(a).values * [3., 2., 1.]),
              tf.reduce_sum(tf.sparse_reduce_sum(a, 1) * [5., 7.])):
        found = tf.gradients(y, [a.values, d])
        print([None if g is None else sess.run(g).round(4).tolist() for g in found])
    p = tf.sparse_placeholder(tf.float32, [2, 3])
    print(sess.run(tf.sparse_reduce_sum(p), {p: tf.SparseTensorValue([[0, 1]], [4.], [2, 3])}), p.get_shape())
    for bad in (lambda: tf.sparse_add(tf.ones([2]), tf.ones([2])), lambda: tf.edit_distance(1, 2)):
        try:
            bad()
        except TypeError as e:
            print('TypeError', e)
    for bad in (tf.sparse_reshape(a, tf.constant([4, 4], tf.int64) + tf.to_int64(tf.placeholder_with_default(0, []))), tf.sparse_reduce_sum(a, 5)):
        try:
            sess.run(bad)
        except (tf.errors.InvalidArgumentError, ValueError):
            print('InvalidArgument')
