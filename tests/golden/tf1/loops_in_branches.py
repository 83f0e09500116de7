# Gradients of loops in loops on a branch that is taken, or not.
import tensorflow as tf

taken = tf.placeholder(tf.bool, [])
x = tf.constant([1., 2.])
b = tf.Variable([2., 3.])


def once():
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * b), [0, x])[1]


def twice():
    def body(i, y):
        return i + 1, tf.while_loop(lambda j, w: j < 3, lambda j, w: (j + 1, w * b), [0, y])[1]
    return tf.while_loop(lambda i, y: i < 2, body, [0, x])[1]


with tf.Session() as sess:
    for branch in (once, twice):
        y = tf.cond(taken, branch, lambda: x * b)
        gradients = tf.gradients(y, [x, b])
        sess.run(b.initializer)
        for value in (True, False, True):
            print(sess.run(y, {taken: value}), sess.run(gradients, {taken: value}))
