"""A softmax classifier of handwritten digits, on digits made up here.

In the manner of the MNIST tutorial for beginners.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

FLAGS = None


class DataSet(object):
    def __init__(self, images, labels):
        self._images, self._labels = images, labels
        self._at = 0

    @property
    def images(self):
        return self._images

    @property
    def labels(self):
        return self._labels

    def next_batch(self, size):
        start = self._at
        self._at = (self._at + size) % len(self._images)
        rows = np.arange(start, start + size) % len(self._images)
        return self._images[rows], self._labels[rows]


def read_data_sets(one_hot=True):
    rng = np.random.RandomState(0)
    centers = rng.uniform(size=(10, 64))
    kinds = np.arange(300) % 10
    images = centers[kinds] + rng.normal(scale=0.1, size=(300, 64))
    labels = np.eye(10)[kinds] if one_hot else kinds
    return DataSet(images.astype(np.float32), labels)


def main(_):
    mnist = read_data_sets(one_hot=True)
    x = tf.placeholder(tf.float32, [None, 64])
    W = tf.Variable(tf.zeros([64, 10]))
    b = tf.Variable(tf.zeros([10]))
    y = tf.matmul(x, W) + b
    y_ = tf.placeholder(tf.float32, [None, 10])
    cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)

    sess = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    for i in range(100):
        batch_xs, batch_ys = mnist.next_batch(50)
        sess.run(train_step, feed_dict={x: batch_xs, y_: batch_ys})
        if i % 25 == 0:
            print('step %d, loss %.3f' % (i, cross_entropy.eval(feed_dict={x: batch_xs, y_: batch_ys})))
    correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
    print(sess.run(accuracy, feed_dict={x: mnist.images, y_: mnist.labels}))
    sess.close()


if __name__ == '__main__':
    main([])
