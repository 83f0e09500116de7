'''
Straight lines through points, three ways.
'''
from __future__ import print_function
import numpy
import tensorflow as tf
rng = numpy.random

# Parameters
learning_rate = 0.02
training_epochs = 200
display_step = 50

train_X = numpy.asarray([1.1, 2.0, 3.2, 4.1, 5.3, 6.1, 7.4, 8.0])
train_Y = numpy.asarray([2.9, 4.6, 7.1, 8.8, 11.4, 12.9, 15.6, 16.7])
n_samples = train_X.shape[0]

X = tf.placeholder("float")
Y = tf.placeholder("float")
W = tf.Variable(0.3, name="weight")
b = tf.Variable(-0.1, name="bias")
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * n_samples)
optimizer = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(training_epochs):
        for (x, y) in zip(train_X, train_Y):
            sess.run(optimizer, feed_dict={X: x, Y: y})
        if (epoch + 1) % display_step == 0:
            c = sess.run(cost, feed_dict={X: train_X, Y: train_Y})
            print("Epoch:", '%04d' % (epoch + 1), "cost=", "{:.5f}".format(c),
                  "W=", "%.3f" % sess.run(W), "b=", "%.3f" % sess.run(b))
    print("Optimization Finished!")
    training_cost = sess.run(cost, feed_dict={X: train_X, Y: train_Y})
    print("Training cost={:.4f} W={:.3f} b={:.3f}".format(training_cost, *sess.run([W, b])), '\n')

# With the normal equation.
tf.reset_default_graph()
A = tf.constant(numpy.column_stack([train_X, numpy.ones(n_samples)]))
v = tf.constant(train_Y.reshape(-1, 1))
normal = tf.matmul(tf.transpose(A), A)
det = normal[0, 0] * normal[1, 1] - normal[0, 1] * normal[1, 0]
rhs = tf.matmul(A, v, transpose_a=True)
slope = (normal[1, 1] * rhs[0, 0] - normal[0, 1] * rhs[1, 0]) / det
shift = (normal[0, 0] * rhs[1, 0] - normal[1, 0] * rhs[0, 0]) / det
with tf.Session() as sess:
    print('%.6f %.6f' % tuple(sess.run([slope, shift])))

# With layers.
tf.reset_default_graph()
inputs = tf.placeholder(tf.float32, (None, 1), 'inputs')
targets = tf.placeholder(tf.float32, (None, 1), 'targets')
out = tf.layers.dense(inputs, 1, kernel_initializer=tf.constant_initializer(0.3))
loss = tf.losses.mean_squared_error(targets, out)
step = tf.train.get_or_create_global_step()
train = tf.train.MomentumOptimizer(0.002, 0.9).minimize(loss, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {inputs: train_X[:, None], targets: train_Y[:, numpy.newaxis]}
    for _ in range(500):
        _, l = sess.run([train, loss], feed)
    print(sess.run(step), round(float(l), 4), tf.train.global_step(sess, step))
