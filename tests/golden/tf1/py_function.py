# tf.py_function: functions of tensors with values, in the middle of a graph and in a dataset.
import numpy as np
import tensorflow as tf


def clipped_log(x, low):
    print(x.shape, x.dtype, x.numpy().tolist(), type(low.numpy()).__name__)
    return tf.math.log(tf.maximum(x, low)) * 2 + (x - low)


x = tf.placeholder(tf.float32, [None])
y = tf.py_function(clipped_log, [x, 0.5], tf.float32)
pair = tf.py_function(lambda a: (a.numpy().sum(), [str(n) for n in a.numpy().tolist()]), [x], [tf.float32, tf.string])
looped = tf.map_fn(lambda v: tf.py_function(lambda a: -a ** 2 if a > 1. and 5 >= a else abs(a) * int(a), [v], tf.float32), x)
data = tf.data.Dataset.from_tensor_slices([[3, 1, 2], [6, 5, 4]])
data = data.map(lambda row: tf.py_function(lambda r: np.sort(r.numpy()), [row], tf.int32))
element = data.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(np.round(sess.run(y, {x: [0.1, 1., 2.]}), 4))
    print(sess.run(pair, {x: [1., 2.5]}))
    print(sess.run(looped, {x: [1., 1.5, 2., -3.]}))
    print(sess.run([element, element.op.outputs[0]])[0], sess.run(element))
