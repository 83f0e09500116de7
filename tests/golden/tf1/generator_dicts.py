# Generators of dicts, and types of the results of tf.py_func.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def rows():
    for i in range(3):
        yield {'b': [i, i], 'a': i}, float(i), ('x%d' % i, {'z': i > 0})


types = ({'a': tf.int32, 'b': tf.float32}, tf.float32, (tf.string, {'z': tf.bool}))
data = tf.data.Dataset.from_generator(rows, types).filter(lambda f, y, s: f['a'] != 1).map(lambda f, y, s: (f['b'] * y, s[0], s[1]['z']))
value = tf.data.make_one_shot_iterator(data).get_next()
with tf.Session() as sess:
    for _ in range(2):
        print(*sess.run(value))
    x = tf.constant(['ab', 'c'])
    print(sess.run(tf.py_func(lambda v: np.array([s.upper() for s in v], dtype=object), [x], tf.string)))
    for made, dtype in ((lambda v: len(v), tf.int64), (lambda v: 1.5, tf.float64), (lambda v: 1.5, tf.float32), (lambda v: [1, 2], tf.int32)):
        try:
            print(sess.run(tf.py_func(made, [x], dtype)))
        except tf.errors.InvalidArgumentError:
            print('InvalidArgumentError')
