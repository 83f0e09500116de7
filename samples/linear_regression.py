# Fits y = 3x + 2 to noisy points, with all points in each step.
import numpy as np
import tensorflow as tf

noise = np.random.RandomState(7)
xs = np.linspace(-1.0, 1.0, 50)
ys = 3.0 * xs + 2.0 + noise.normal(0.0, 0.1, 50)

x = tf.placeholder(tf.float32, [None], name='x')
y = tf.placeholder(tf.float32, [None], name='y')
slope = tf.Variable(0.0, name='slope')
offset = tf.Variable(0.0, name='offset')
predicted = slope * x + offset
loss = tf.reduce_mean(tf.square(predicted - y), name='loss')
step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(101):
        if i % 20 == 0:
            print('step %3d   loss %.3f   y = %.2f x + %.2f' % ((i,) + tuple(sess.run([loss, slope, offset], {x: xs, y: ys}))))
        sess.run(step, feed_dict={x: xs, y: ys})
    print('at x = 0.5: %.1f' % sess.run(predicted, {x: [0.5]})[0])
