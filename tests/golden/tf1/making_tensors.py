# zeros, ones, fill, range, linspace, one_hot, pad, constants with a shape.
import numpy as np
import tensorflow as tf

with tf.Session() as sess:
    for t in [tf.zeros([2, 3]), tf.zeros([2], tf.int32), tf.ones([3]), tf.ones([1, 2], dtype=tf.int64), tf.fill([2, 2], 7),
              tf.fill([3], 'x'), tf.range(5), tf.range(2, 10, 3), tf.range(3.0), tf.range(5, 0, -2),
              tf.zeros_like([[1, 2], [3, 4]]), tf.ones_like([1.5, 2.5]), tf.one_hot([0, 2, 1], 3), tf.one_hot(1, 4),
              tf.one_hot([1, 0], 2, on_value=5, off_value=-1), tf.one_hot([2, -1], 3), tf.constant([[1, 0]]),
              tf.pad([[1, 2]], [[1, 0], [0, 1]]), tf.pad([1.5], [[1, 2]], constant_values=9.0), tf.constant(5, shape=[2, 2]),
              tf.constant([1, 2, 3, 4], shape=[2, 2]), tf.constant(-1.0, shape=[3]), tf.constant(np.arange(3)),
              tf.constant(np.array([0.5, 1.5])), tf.constant(True), tf.constant([True, False]), tf.constant([[]]),
              tf.convert_to_tensor([1, 2]), tf.identity([3.0]), tf.broadcast_to([1, 2], [2, 2]),
              tf.zeros([], tf.bool), tf.zeros([1], tf.string), tf.constant(3, tf.float64), tf.invert_permutation([2, 0, 1])]:
        value = sess.run(t)
        print(t.op.type, t.dtype.name, t.shape, str(value).replace('\n', ''))
    print(sess.run(tf.linspace(0.0, 1.0, 5)), tf.lin_space(1.0, 3.0, 3).shape)
    print(tf.constant(1.0).dtype, tf.constant(1).dtype, tf.constant(np.float64(1)).dtype, tf.constant(2 ** 33).dtype)
    print(tf.constant([1, 2.5]).dtype, tf.constant([[1], [2]]).shape, tf.constant('s').dtype, tf.range(3).dtype, tf.range(3.0).dtype)
for bad in [lambda: tf.constant([[1, 2], [3]]), lambda: tf.constant(1.5, tf.int32), lambda: tf.constant('a', tf.float32),
            lambda: tf.constant([1, 'a'])]:
    try:
        bad()
        print('accepted?')
    except (TypeError, ValueError) as e:
        print('TypeError or ValueError')
