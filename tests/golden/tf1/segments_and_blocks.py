# Segments, unique elements, partitions, blocks of space, scattering, bits, special functions.
import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])


with tf.Session() as sess:
    def show(t):
        print(t.op.type, t.shape, np.round(sess.run(t), 4).tolist())
    for f in [tf.segment_sum, tf.segment_mean, tf.segment_prod, tf.segment_max, tf.segment_min]:
        show(f(x, [0, 0, 1, 3]))
    for f in [tf.unsorted_segment_sum, tf.unsorted_segment_max, tf.unsorted_segment_mean, tf.unsorted_segment_sqrt_n]:
        show(f(x, [1, 0, 1, -1], 3))
    show(tf.sparse_segment_mean(x, [0, 3, 1], [0, 0, 2]))
    show(tf.sparse_segment_sum(x, [0, 3, 1], [0, 0, 2], num_segments=4))
    y, idx = tf.unique([3, 1, 3, 2, 1])
    y2, idx2, n2 = tf.unique_with_counts([3, 1, 3, 2, 1])
    print(sess.run([y, idx, y2, idx2, n2]))
    print(sess.run(tf.dynamic_partition(x, [0, 1, 0, 2], 3)))
    print(sess.run(tf.bincount([1, 1, 2, 5])).tolist(), sess.run(tf.bincount([1, 1, 2, 5], weights=[1.0, 2.0, 3.0, 4.0], maxlength=8)).tolist())
    print(sess.run(tf.histogram_fixed_width([0.0, 1.5, 9.0, 20.0], [0.0, 10.0], nbins=5)).tolist())
    print(sess.run(tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1, batch_axis=0)).tolist())
    print(sess.run(tf.roll([[1, 2, 3], [4, 5, 6]], shift=[1, -1], axis=[0, 1])).tolist())
    print(sess.run(tf.pad([[1, 2, 3]], [[0, 0], [2, 1]], 'REFLECT')).tolist(), sess.run(tf.pad([1, 2], [[1, 2]], 'SYMMETRIC')).tolist())
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    blocks = tf.space_to_batch_nd(image, [2, 2], [[0, 0], [0, 0]])
    print(blocks.shape, sess.run(blocks)[:, 0, 0, 0].tolist(), sess.run(tf.reduce_all(tf.equal(tf.batch_to_space_nd(blocks, [2, 2], [[0, 0], [0, 0]]), image))))
    deep = tf.space_to_depth(image, 2)
    print(deep.shape, sess.run(deep)[0, 0, 0].tolist(), sess.run(tf.reduce_all(tf.equal(tf.depth_to_space(deep, 2), image))))
    print(sess.run(tf.tensor_scatter_update([1, 2, 3], [[1]], [9])).tolist(), sess.run(tf.scatter_nd([[0], [2]], [5, 6], [4])).tolist())
    print(sess.run([tf.bitwise.bitwise_and([5, 6], 3), tf.bitwise.bitwise_xor([5, 6], 3), tf.bitwise.invert([5]), tf.bitwise.left_shift([1, 2], [3, 1])]))
    print(sess.run(tf.bitcast(tf.constant([1.0, -2.0]), tf.int32)).tolist(), sess.run(tf.unravel_index([2, 5], [3, 3])).tolist())
    z = tf.constant([0.5, 1.5, 2.5])
    for f in [tf.erfc, tf.lgamma, tf.digamma, tf.asinh, tf.acosh, tf.atanh]:
        t = f(z) if f not in (tf.acosh, tf.atanh) else f(z + 1.0) if f is tf.acosh else f(z / 3.0)
        print(t.op.type, ['%.4f' % v for v in sess.run(t)])
    for f in [tf.igamma, tf.igammac, tf.zeta, tf.atan2, tf.div_no_nan]:
        t = f(z + 1.0, z)
        print(t.op.type, ['%.4f' % v for v in sess.run(t)])
    print(sess.run(tf.div_no_nan([1.0, 2.0], [0.0, 4.0])).tolist(), ['%.4f' % v for v in sess.run(tf.betainc(z, z, [0.1, 0.5, 0.9]))])
    print(sess.run(tf.identity_n([1, 2.5])), sess.run(tf.check_numerics([1.0], 'fine')), sess.run(tf.ensure_shape([1, 2], [2])))
    for f in [lambda t: tf.segment_mean(t, [0, 0, 1, 1]), lambda t: tf.unsorted_segment_max(t, [1, 0, 1, -1], 2), lambda t: tf.pad(t, [[1, 1], [0, 1]], 'REFLECT'),
              lambda t: tf.dynamic_partition(t, [1, 0, 1, 0], 2)[1], lambda t: tf.sparse_segment_mean(t, [0, 3, 1], [0, 0, 1]), tf.lgamma, tf.erfc]:
        print([['%.3f' % v for v in row] for row in sess.run(tf.gradients(tf.reduce_sum(tf.square(f(x))), x)[0])])
    for bad in [lambda: tf.segment_sum(x, [0, 2, 1, 3]), lambda: tf.check_numerics([float('nan')], 'bad'), lambda: tf.dynamic_partition(x, [0, 1, 2, 9], 3)]:
        try:
            sess.run(bad())
            print('accepted')
        except (ValueError, tf.errors.InvalidArgumentError) as error:
            print(type(error).__name__)
