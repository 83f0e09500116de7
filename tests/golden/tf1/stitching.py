# dynamic_stitch, where_v2 and other less common array functions.
import tensorflow as tf

with tf.Session() as sess:
    print(sess.run(tf.dynamic_stitch([[0, 2], [1, 3]], [[10, 30], [20, 40]])))
    print(sess.run(tf.dynamic_stitch([[1], [0, 1]], [[[1.0, 1.0]], [[2.0, 2.0], [3.0, 3.0]]])).tolist())
    print(sess.run(tf.where_v2([True, False], 1.0, [5.0, 6.0])), sess.run(tf.where_v2([[True], [False]], [1, 2], 0)).tolist())
    print(sess.run(tf.broadcast_to([[1], [2]], [2, 3])).tolist(), sess.run(tf.invert_permutation([1, 2, 0])))
    print(sess.run(tf.strided_slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 3], [1, 1])).tolist())
    print(sess.run(tf.pad([[1, 2], [3, 4]], [[1, 1], [2, 0]])).tolist(), sess.run(tf.tile([['a', 'b']], [2, 1])).tolist())
    print(sess.run(tf.size([[1, 2], [3, 4]])), sess.run(tf.rank(5)), sess.run(tf.rank([[1]])))
    print(tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])))
    print(sess.run(tf.clip_by_value([-2.0, 0.5, 9.0], -1.0, 1.0)), sess.run(tf.reduce_sum(tf.one_hot([[0, 1], [1, 1]], 2), [0, 1])))
    print(sess.run(tf.squeeze([[1.5]])))
