# exp, log and friends, rounded so that every platform agrees.
import numpy as np
import tensorflow as tf

x = tf.constant([0.25, 0.5, 1.0, 2.0, 4.0])
functions = [tf.exp, tf.log, tf.log1p, tf.sqrt, tf.rsqrt, tf.sin, tf.cos, tf.tanh, tf.sigmoid, tf.square,
             tf.nn.relu, tf.reciprocal, tf.abs, tf.floor, tf.ceil, tf.sign]
with tf.Session() as sess:
    for f in functions:
        t = f(x)
        print('%-14s %s' % (t.op.type, ' '.join('%.4f' % v for v in sess.run(t))))
    d = tf.constant([0.1, 1.5, 3.0], tf.float64)
    for f in [tf.exp, tf.log, tf.sqrt, tf.tanh, tf.sigmoid]:
        print(' '.join('%.10f' % v for v in sess.run(f(d))))
    print(np.round(sess.run(tf.pow(x, 3.0)), 3), np.round(sess.run(x ** 0.5), 3))
    print(sess.run(tf.log([0.0, 1.0])), sess.run(tf.sqrt([-1.0, 4.0])), sess.run(tf.exp([-200.0, 0.0, 200.0])))
    print(sess.run(tf.nn.relu([-1.0, 0.0, 2.5])), sess.run(tf.nn.relu([-3, 4])))
    print(sess.run(tf.tanh([-50.0, 0.0, 50.0])), sess.run(tf.sigmoid([-100.0, 0.0, 100.0])))
