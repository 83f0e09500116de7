# needs pandas
# Tables of pandas inside of py_func, and gradients by hand.
import functools

import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def group_means(keys, values):
    s = pd.Series(values).groupby(pd.Series(keys)).mean()
    return s.index.values.astype(np.int32), s.values.astype(np.float32)


def rolling(values, window):
    return pd.Series(values).rolling(int(window), min_periods=1).mean().to_numpy().astype(values.dtype)


calls = []


class Counter(object):
    def __init__(self):
        self.n = 0

    def __call__(self, x):
        self.n += 1
        calls.append(type(x).__name__)
        return x * self.n

    def method(self, x, scale):
        return (x * scale).astype(np.float32)


keys, values = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
k, means = tf.py_func(group_means, [keys, values], [tf.int32, tf.float32], name='means')
counter = Counter()
counted = tf.py_func(counter, [values], tf.float32)
scaled = tf.py_func(functools.partial(counter.method, scale=np.float32(3)), [values], tf.float32, stateful=False)


def clip(x, low, name=None):
    """Clips below in numpy, with a gradient in the graph."""
    with tf.name_scope(name, 'Clip', [x]):
        name = 'PyFuncGrad%d' % len(tf.get_default_graph().get_operations())

        @tf.RegisterGradient(name)
        def gradient(op, dy):
            return dy * tf.cast(op.inputs[0] > op.inputs[1], tf.float32), None

        with tf.get_default_graph().gradient_override_map({'PyFunc': name, 'PyFuncStateless': name}):
            y = tf.py_func(lambda a, b: np.maximum(a, b), [x, tf.constant(low)], tf.float32)
            y.set_shape(x.get_shape())
            return y


x = tf.constant([-1., 2., 3.])
y = clip(x, 0.)
dx = tf.gradients(tf.reduce_sum(y * y), x)[0]
frame = pd.DataFrame({'k': [3, 1, 3, 1, 2], 'v': np.array([1., 2., 3., 4., 5.], np.float32)})
with tf.Session() as sess:
    feed = {keys: frame['k'], values: frame.v}
    print(*sess.run([k, means], feed))
    print(sess.run(counted, feed), sess.run(counted, feed), counter.n, calls)
    print(sess.run(scaled, feed), sess.run(tf.py_func(rolling, [values, 2], tf.float32), feed))
    print(sess.run([y, dx]), y.shape, dx.shape)
    text = tf.py_func(lambda a: pd.Series(a).map(lambda b: b.decode().upper().encode()).values, [tf.constant(['ab', 'c'])], tf.string)
    print(sess.run(text), sess.run(tf.strings.length(text)))
    for wrong in (lambda v: v.astype(np.float64), lambda v: pd.DataFrame()['absent'], lambda v: 1 / 0):
        try:
            sess.run(tf.py_func(wrong, [values], tf.float32), feed)
        except tf.errors.OpError as e:
            print(type(e).__name__)
        except Exception as e:
            print('other', type(e).__name__)
    frame['root'] = sess.run(tf.sqrt(tf.constant(frame.v.values)))
    print(frame.query('v > 2').sort_values('k', kind='stable').round(3).values.tolist())
    print(pd.DataFrame(sess.run(tf.ones([2, 3]) * 2), columns=list('abc')).sum().to_dict())
