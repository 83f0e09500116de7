# Gradients of branches within branches of a loop: an inner predicate exists only if the outer branch is taken.
import tensorflow as tf

p = tf.placeholder(tf.float32, [], name='p')


def body(i, t):
    d = tf.floormod(p, 4.)
    first, second = tf.equal(d, 0.), tf.equal(d, 1.)

    def inner():
        return tf.cond(t > 30., lambda: t * 2. + 1., lambda: t * 3. + i)

    def middle():
        return tf.cond(second, lambda: p * 2. + t, inner)
    return i + 1., tf.cond(first, lambda: p * t, middle)


y = tf.while_loop(lambda i, t: i < 3., body, [tf.constant(0.), p])[1]


def cases(i, t):
    which = tf.floormod(t, 3.)
    def zero(): return t + 2. * p
    def one(): return tf.while_loop(lambda j, u: j < 2., lambda j, u: (j + 1., u * p), [0., t])[1]
    def other(): return tf.cond(p > 4., lambda: t * t, lambda: t + i)
    return i + 1., tf.case([(tf.equal(which, 0.), zero), (tf.equal(which, 1.), one)], default=other)


z = tf.while_loop(lambda i, t: i < 3., cases, [tf.constant(0.), p])[1]
gradients = tf.gradients(y, p) + tf.gradients(z, p)
with tf.Session() as sess:
    for value in (1., 2., 3., 4., 5., 6., 7., 8.):
        print(value, *sess.run([y, z] + gradients, {p: value}))
