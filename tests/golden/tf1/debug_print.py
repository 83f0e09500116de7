# tf.Print passes its input through and writes to stderr; stdout stays clean.
import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
y = tf.Print(x, [x, tf.shape(x)], message='x is: ')
z = tf.reduce_sum(y * 2)
first = tf.Print(x, [x], 'first: ', first_n=1, summarize=2)
with tf.Session() as sess:
    print(sess.run(z))
    print(sess.run(first), sess.run(first))
    print(y.op.type, y.shape, tf.gradients(z, x)[0].shape, sess.run(tf.gradients(z, x)))
