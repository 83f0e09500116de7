# An autoencoder built from lists of layer sizes, with tied weights.
import numpy as np
import tensorflow as tf

class Autoencoder(object):
    def __init__(self, sizes, activation=tf.nn.tanh, rate=0.05):
        self.x = tf.placeholder(tf.float32, [None, sizes[0]])
        h, self.weights = self.x, []
        for i, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:])):
            W = tf.Variable(tf.random_uniform([n_in, n_out], -1.0 / np.sqrt(n_in), 1.0 / np.sqrt(n_in), seed=i), name='W%d' % i)
            b = tf.Variable(tf.zeros([n_out]), name='b%d' % i)
            self.weights.append(W)
            h = activation(tf.matmul(h, W) + b)
        self.code = h
        for W in self.weights[::-1]:
            b = tf.Variable(tf.zeros([W.get_shape().as_list()[0]]))
            h = activation(tf.matmul(h, tf.transpose(W)) + b)
        self.y = h
        self.cost = tf.reduce_sum(tf.square(self.y - self.x))
        self.train = tf.train.AdamOptimizer(rate).minimize(self.cost)

    def __repr__(self):
        return 'Autoencoder(%s)' % ' -> '.join(str(W.get_shape()[0]) for W in self.weights)

ae = Autoencoder([6, 4, 2])
print(ae, ae.code, ae.y.shape, sorted(v.name for v in tf.trainable_variables()))
data = np.sin(np.outer(np.arange(20), np.arange(1, 7)) * 0.1).astype(np.float32) * 0.8
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run(ae.cost, {ae.x: data})
    for i in range(150):
        sess.run(ae.train, feed_dict={ae.x: data[(i % 4)::4]})
    after = sess.run(ae.cost, {ae.x: data})
    print(after < before / 4, sess.run(ae.code, {ae.x: data[:1]}).shape)
