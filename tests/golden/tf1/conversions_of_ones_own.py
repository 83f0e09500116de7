# User-defined objects in place of tensors; integers that a type cannot hold wrap around; averages from zero.
import numpy as np
import tensorflow as tf


class Measured(object):
    def __init__(self, value):
        self.value = value


class Special(Measured):
    pass


print(tf.register_tensor_conversion_function(
    Measured, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.value, dtype=dtype, name=name)))
tf.register_tensor_conversion_function(
    Special, lambda value, dtype=None, name=None, as_ref=False: NotImplemented if value.value < 0 else tf.constant(100.), 0)
made = [tf.add(Measured(2.), tf.constant(1.)), tf.convert_to_tensor(Measured([1, 2]), name='two'), tf.multiply(Measured(2.), 3.),
        tf.constant(1.) + Special(3.), tf.negative(Special(-3.)), tf.cast(Measured(2), tf.float64)]
print([t.name for t in made])
with tf.Session() as sess:
    print(sess.run(made))
for value, dtype in [(300, tf.uint8), (-1, tf.uint8), ([1, 200, 300], tf.int8), (2 ** 40 + 5, tf.int32), (-1, tf.uint32), (70000, tf.int16)]:
    t = tf.constant(value, dtype)
    with tf.Session() as sess:
        print(t.dtype, sess.run(t))
x = tf.Variable(0.)
ema = tf.train.ExponentialMovingAverage(0.9, zero_debias=True)
op = ema.apply([x, x * 2.])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(x.assign(i + 1.))
        sess.run(op)
        print([sess.run(v) for v in tf.global_variables()])
print([v.name for v in tf.global_variables()])
