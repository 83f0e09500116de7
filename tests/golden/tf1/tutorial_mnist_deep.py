"""A deep MNIST classifier using convolutional layers (the official tutorial's skeleton)."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import sys
import tempfile

import numpy as np
import tensorflow as tf

FLAGS = None


def deepnn(x):
  with tf.name_scope('reshape'):
    x_image = tf.reshape(x, [-1, 28, 28, 1])
  with tf.name_scope('conv1'):
    W_conv1 = weight_variable([5, 5, 1, 4])
    b_conv1 = bias_variable([4])
    h_conv1 = tf.nn.relu(conv2d(x_image, W_conv1) + b_conv1)
  with tf.name_scope('pool1'):
    h_pool1 = max_pool_2x2(h_conv1)
  with tf.name_scope('conv2'):
    W_conv2 = weight_variable([5, 5, 4, 8])
    b_conv2 = bias_variable([8])
    h_conv2 = tf.nn.relu(conv2d(h_pool1, W_conv2) + b_conv2)
  with tf.name_scope('pool2'):
    h_pool2 = max_pool_2x2(h_conv2)
  with tf.name_scope('fc1'):
    W_fc1 = weight_variable([7 * 7 * 8, 16])
    b_fc1 = bias_variable([16])
    h_pool2_flat = tf.reshape(h_pool2, [-1, 7*7*8])
    h_fc1 = tf.nn.relu(tf.matmul(h_pool2_flat, W_fc1) + b_fc1)
  with tf.name_scope('dropout'):
    keep_prob = tf.placeholder(tf.float32)
    h_fc1_drop = tf.nn.dropout(h_fc1, keep_prob)
  with tf.name_scope('fc2'):
    W_fc2 = weight_variable([16, 10])
    b_fc2 = bias_variable([10])
    y_conv = tf.matmul(h_fc1_drop, W_fc2) + b_fc2
  return y_conv, keep_prob


def conv2d(x, W):
  """conv2d returns a 2d convolution layer with full stride."""
  return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding='SAME')


def max_pool_2x2(x):
  return tf.nn.max_pool(x, ksize=[1, 2, 2, 1],
                        strides=[1, 2, 2, 1], padding='SAME')


def weight_variable(shape):
  initial = tf.truncated_normal(shape, stddev=0.1, seed=7)
  return tf.Variable(initial)


def bias_variable(shape):
  initial = tf.constant(0.1, shape=shape)
  return tf.Variable(initial)


def next_batch(rng, n):
  images = rng.rand(n, 784).astype(np.float32) * .1
  labels = rng.randint(0, 10, n)
  for i, l in enumerate(labels):
    images[i, 60 * l: 60 * l + 60] += 1
  return images, labels.astype(np.int64)


def main(_):
  x = tf.placeholder(tf.float32, [None, 784])
  y_ = tf.placeholder(tf.int64, [None])
  y_conv, keep_prob = deepnn(x)
  print(y_conv, keep_prob)

  with tf.name_scope('loss'):
    cross_entropy = tf.losses.sparse_softmax_cross_entropy(
        labels=y_, logits=y_conv)
  cross_entropy = tf.reduce_mean(cross_entropy)
  with tf.name_scope('adam_optimizer'):
    train_step = tf.train.AdamOptimizer(1e-3).minimize(cross_entropy)
  with tf.name_scope('accuracy'):
    correct_prediction = tf.equal(tf.argmax(y_conv, 1), y_)
    correct_prediction = tf.cast(correct_prediction, tf.float32)
  accuracy = tf.reduce_mean(correct_prediction)
  print(train_step)
  print(cross_entropy.name, accuracy.op.name)
  graph_location = tempfile.mkdtemp()
  train_writer = tf.summary.FileWriter(graph_location)
  train_writer.add_graph(tf.get_default_graph())
  rng = np.random.RandomState(0)
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(FLAGS.steps):
      batch = next_batch(rng, 20)
      if i % 20 == 0:
        train_accuracy = accuracy.eval(feed_dict={
            x: batch[0], y_: batch[1], keep_prob: 1.0})
        print('step %d, training accuracy %s' % (i, train_accuracy >= 0))
      train_step.run(feed_dict={x: batch[0], y_: batch[1], keep_prob: 1.0})
    test = next_batch(rng, 100)
    print('test accuracy %.1f' % accuracy.eval(feed_dict={x: test[0], y_: test[1], keep_prob: 1.0}))
  for op in tf.get_default_graph().get_operations()[:12]:
    print(op.name, op.type)
  print(len([v for v in tf.global_variables()]), [v.name for v in tf.trainable_variables()])

if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--data_dir', type=str,
                      default='/tmp/tensorflow/mnist/input_data',
                      help='Directory for storing input data')
  parser.add_argument('--steps', type=int, default=41)
  FLAGS, unparsed = parser.parse_known_args()
  print(FLAGS, unparsed)
  try:
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
  except SystemExit as e:
    print('exit', e.code)
