# How integer, bool, string, empty, deep and long arrays come out.
import numpy as np
import tensorflow as tf

with tf.Session() as sess:
    for t in [tf.constant([1, -20, 300]), tf.constant([[1, 2], [30, 4]]), tf.constant([True, False]), tf.constant([[True], [False]]),
              tf.constant(['a', 'bc', '']), tf.constant([['x', "it's"], ['"q"', 'é']]), tf.constant([b'\x00\xff\n']),
              tf.zeros([0]), tf.zeros([0, 3]), tf.zeros([2, 0]), tf.zeros([1, 1, 1]), tf.constant(2 ** 40, tf.int64), tf.constant(-5),
              tf.constant(True), tf.constant('s'), tf.range(30), tf.range(100) * 1000, tf.cast(tf.range(20), tf.float32) / 4,
              tf.reshape(tf.range(8), [2, 2, 2]), tf.reshape(tf.range(16), [2, 2, 2, 2])]:
        value = sess.run(t)
        print(value)
        print(repr(value))
    print(sess.run(tf.range(1001)))
    print(sess.run(tf.reshape(tf.range(2000), [40, 50])))
    print(repr(sess.run(tf.range(1001))))
    print(sess.run([tf.constant(1), tf.constant(2.5), tf.constant([1, 2]), tf.constant(b'x'), tf.constant(True)]))
    print(sess.run({'a': tf.constant(1.5), 'b': [tf.constant([0.5])]}), sess.run((tf.constant(1), tf.constant(2))))
    print(str(sess.run(tf.constant(0.1))), repr(sess.run(tf.constant(0.1))), repr(sess.run(tf.constant(7))), repr(sess.run(tf.constant(True))))
    print(sess.run(tf.ones([3, 30])))
    print(sess.run(tf.constant([1e10, 1.0])), sess.run(tf.constant([0.00001, 0.00002])), sess.run(tf.constant([123456.789])))
    print('%s|%r|%d|%.2f|{}|{:.3f}|{:>8}'.format(sess.run(tf.constant(3)), sess.run(tf.constant(2.0)), 'x') % (
        sess.run(tf.constant([1, 2])), sess.run(tf.constant([1.5])), sess.run(tf.constant(3.99)), sess.run(tf.constant(2.0 / 3))))
    print(sess.run(tf.constant([1.0, 2.0])).tolist(), sess.run(tf.constant(0.1)).item(), sess.run(tf.constant([1, 2])).sum())
