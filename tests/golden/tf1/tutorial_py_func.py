# Python functions as operations.
import numpy as np
import tensorflow as tf

def my_func(x):
    print('called with', x.tolist())
    return np.sinh(x).astype(np.float32)

inp = tf.placeholder(tf.float32, [2])
y = tf.py_func(my_func, [inp], tf.float32)
total = tf.reduce_sum(y) * 2.0
pair = tf.py_func(lambda a, b: (a + b, a * b), [inp * 2.0, tf.constant([1.0, 2.0])], [tf.float32, tf.float32])
nested = tf.py_func(lambda v: np.float64(v.sum()), [pair[1]], tf.float64)
def bad(x):
    raise ValueError('no good')
broken = tf.py_func(bad, [inp], tf.float32)
print(len(pair), pair[0].dtype, y.shape)
with tf.Session() as sess:
    print(np.round(sess.run(y, {inp: [0.0, 1.0]}), 5))
    print('%.4f' % sess.run(total, {inp: [0.0, 1.0]}))
    print(sess.run(pair, {inp: [1.0, 3.0]}), sess.run(nested, {inp: [1.0, 3.0]}))
    print(sess.run(inp * 1.0, {inp: [5.0, 6.0]}))
    try:
        sess.run(broken, {inp: [0.0, 0.0]})
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__, 'no good' in e.message)
