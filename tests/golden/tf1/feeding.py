# Feeds: numpy arrays, lists, scalars, dtypes converted, intermediate tensors, defaults, empty batches.
import numpy as np
import tensorflow as tf

f = tf.placeholder(tf.float32, [None])
i = tf.placeholder(tf.int64, [None])
s = tf.placeholder(tf.string)
flag = tf.placeholder(tf.bool, [])
any_shape = tf.placeholder(tf.float64)
dflt = tf.placeholder_with_default([1.0, 2.0], [None], name='dflt')
twice = f * 2
with tf.Session() as sess:
    print(sess.run(twice, {f: [1, 2]}), sess.run(twice, {f: np.array([1.5, 2.5])}), sess.run(twice, {f: (3,)}))
    print(sess.run(twice, {f: np.zeros([0])}), sess.run(twice, {f: range(3)}), sess.run(twice, {f: np.arange(3)}))
    print(sess.run(i, {i: [1, 2]}).dtype, sess.run(i + 1, {i: np.array([5], np.int32)}))
    same = tf.identity(s)
    print(sess.run(same, {s: 'text'}), sess.run(same, {s: ['a', b'b']}), sess.run(same, {s: np.array(['x', 'yy'])}))
    print(sess.run(flag, {flag: True}), sess.run(tf.logical_not(flag), {flag: True}))
    print(sess.run(any_shape, {any_shape: 3}), sess.run(any_shape, {any_shape: [[1], [2]]}).shape)
    print(sess.run(dflt), sess.run(dflt, {dflt: [9]}), sess.run(dflt * 2), sess.run('dflt:0', {'dflt:0': [4, 4]}))
    print(sess.run(twice, {twice: [100]}), sess.run(twice + 1, {twice: [100]}))
    out = sess.run([f, twice], feed_dict={f: [1], })
    print(out, type(out).__name__, type(out[0]).__name__)
    c = tf.constant(5.0)
    print(sess.run(c + 1, {c: 10.0}), sess.run(c))
    v = tf.Variable(1.0)
    print(sess.run(v * 3, {v: 7.0}))
    for bad in [{f: 'word'}, {f: [[1]]}, {f: None}, {i: [2 ** 70]}, {flag: [True]}, {3: 1}, {'zz:0': 1}, [1]]:
        try:
            sess.run(twice, bad)
            print('accepted?')
        except Exception as e:
            print(type(e).__name__ in ('ValueError', 'TypeError', 'OverflowError', 'InvalidArgumentError', 'AttributeError'))
