# Accumulators of gradients: dense, sparse; stale gradients; means and sums.
import numpy as np
import tensorflow as tf

dense = tf.ConditionalAccumulator(tf.float32, shape=[2], name='acc')
grad = tf.placeholder(tf.float32, [2])
step = tf.placeholder(tf.int64, [])
apply = dense.apply_grad(grad, step)
count = dense.num_accumulated()
take = dense.take_grad(2)
set_step = dense.set_global_step(3)
total = tf.ConditionalAccumulator(tf.float64, shape=[], reduction_type='SUM')
add, whole = total.apply_grad(1.5), total.take_grad(1)
rows = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
put = rows.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2])))
more = rows.apply_grad([2], [[5.0, 6.0]])
taken = rows.take_indexed_slices_grad(2)
print(dense.name, count.name, take.shape, take.name, set_step.type, dense.dtype)
with tf.Session() as sess:
    sess.run(apply, {grad: [1, 2], step: 0})
    sess.run(apply, {grad: [3, 5], step: 0})
    print(sess.run(count))
    print(sess.run(take))
    print(sess.run(count))
    sess.run(apply, {grad: [9, 9], step: 0})  # stale: the step is 1 now
    print(sess.run(count))
    sess.run(set_step)
    sess.run(apply, {grad: [9, 9], step: 2})
    sess.run(apply, {grad: [1, 1], step: 3})
    sess.run(apply, {grad: [2, 4], step: 7})
    print(sess.run(take))
    sess.run(add)
    sess.run(add)
    print(sess.run(whole))
    sess.run(put)
    sess.run(more)
    got = sess.run(taken)
    print(got.indices.tolist(), got.values.tolist(), got.dense_shape.tolist())
    try:
        sess.run(dense.take_grad(0))
    except tf.errors.InvalidArgumentError:
        print('refused')
    print(sess.run(tf.parallel_stack([[1, 2], [3, 4], [5, 6]])).tolist())
