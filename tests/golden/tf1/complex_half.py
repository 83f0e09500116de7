import numpy as np
import tensorflow as tf

with tf.Session() as sess:
    def show(x):
        print(repr(sess.run(x)))

    a = tf.constant([1., 2.5, -3.], tf.float16)
    show(a + a)
    show(a / 3)
    show(tf.reduce_sum(a))
    show(tf.cast(a, tf.int32))
    show(tf.where(a > 0, a, -a))
    show(tf.concat([a, [0.5]], 0))
    z = tf.complex([1., 2.], [3., 4.])
    print(z)
    for f in (tf.real, tf.imag, tf.conj, tf.angle, tf.abs, tf.square, tf.negative, tf.zeros_like):
        t = f(z)
        print(t.name, t.dtype.name)
        show(t)
    show(z * z)
    show(tf.reduce_sum(z))
    show(tf.matmul([[1j, 2.]], [[3.], [4j]]))
    show(tf.gradients(tf.abs(z), z)[0])
    p = tf.placeholder(tf.complex64, [None])
    print(sess.run(p + 1, {p: [1j, 2]}))
    show(tf.signal.rfft([1., 2., 3., 4.]))
    show(tf.signal.irfft(tf.signal.rfft([1., 2., 3., 4.])))

    v = tf.Variable([1., 2.], dtype=tf.float16, name='v')
    step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * v))
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    print(sess.run(v), v.dtype)

    tf.set_random_seed(7)
    show(tf.random_gamma([2], [0.5, 3.], seed=2))
    show(tf.random_poisson([2., 20.], [4], seed=3))
    show(tf.random.stateless_uniform([2], [1, 2]))
    show(tf.random.stateless_normal([2], [1, 2]))
    show(tf.random_uniform([3], dtype=tf.float16, seed=4))
    x = tf.constant([[[[1.], [2.]], [[3.], [4.]]]])
    show(tf.image.resize_bilinear(x, [3, 3])[0, :, :, 0])
    show(tf.image.resize_nearest_neighbor(x, [3, 3])[0, :, :, 0])
