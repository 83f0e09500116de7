"""A TensorFlow client with control flow v2, tf.function and tf.data. Its output must not depend on the target.

    functions.py TARGET
"""
import sys

import tensorflow as tf2

tf = tf2.compat.v1
tf.disable_eager_execution()
tf.enable_control_flow_v2()
tf.enable_resource_variables()

x = tf.placeholder(tf.float32, [])
w = tf.Variable(2.)
_, y = tf.while_loop(lambda i, y: i < 5,
                     lambda i, y: (i + 1, tf.cond(y > 10., lambda: y + x, lambda: y * x * w)), [0, 1.])
gradients = tf.gradients(y, [x, w])
mapped = tf.map_fn(lambda e: e * x, tf.constant([1., 2., 3.]))


@tf2.function
def f(a):
    return a * a + w


z = f(x)
dataset = tf.data.Dataset.range(6).map(lambda v: v * 2).batch(2)
element = tf.data.make_one_shot_iterator(dataset).get_next()
with tf.Session(sys.argv[1]) as sess:
    sess.run(w.initializer)
    print(sess.run([y, mapped, z] + gradients, {x: 1.5}))
    for _ in range(4):
        try:
            print(sess.run(element))
        except tf.errors.OutOfRangeError:
            print('end')
    # an Extend also sends the functions of its nodes
    later = tf.cond(x > 0., lambda: x * 10., lambda: x)
    print(sess.run(later, {x: 2.}))
