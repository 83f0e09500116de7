import os
import shutil
import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

# Four files in MNIST's format, of 4x4 pixels.
os.mkdir('MNIST_data')
for name, data in [
        ('train-images-idx3-ubyte.gz',
         '1f8b08000000000002ff6360e060666060d0006216104ef99f969ef13f2b3be77f5e7ec1ffa2620dcdffda3abafff50d'
         '0cff1b9b98fe37afa8fc5f5d53fbbfbea1f17f734bebfff6ff8c4cccff59d9d8ff737271ffe7e5e317f92f262ef15f4a'
         '5ae6bf9cbcc27f25e5ff0b172dfebf74d9f2ff2b57adfebf76dd7a747974fbb6fcdfb67dc7ff5dbbf7fcdfb7ffc0ff43'
         '87d1cd4737cfc6d6eebf83a3d37f1757b7ff1e9e5eff09b907ddfde87c74f5e8e613f21fa1f041f71f21fb088507ba3c'
         '3a9f907b08851fbaffd0d3c3ffc0a0e0ffa161e1ff23a3a2ffc7c6c5a3db87a19e407a0000d085bc9b90020000'),
        ('train-labels-idx1-ubyte.gz',
         '1f8b08000000000002ff05c1811100200c02b1a7550e3671ff094d2002de1da3e8962cb2b58aa9b6b466c91c4ff40192'
         '1a2f6330000000'),
        ('t10k-images-idx3-ubyte.gz',
         '1f8b08000000000002ff6360e060666060e002621610def27fdbf61dff77eddef37fdffe03ff0f1dfe1f1814fc3f342c'
         'fc7f6454f4ffd8b8f8ff0b172dfebf74d9f2ff2b57adfebf76dd7a0dcdffda3abafff50d0cff1b9b98fe3717f92f262e'
         'f15f4a5ae6bf9cbcc27f256574f3d0f936b676ff1d1c9dfebbb8bafdf7f0f4fa9ff23f2d3de37f5676ceffbcfc82ff45'
         'c5e8e601000cbb366db0000000'),
        ('t10k-labels-idx1-ubyte.gz',
         '1f8b08000000000002ff6360e060646060e0e264e16062e4e46466650400e027ad1912000000')]:
    with open(os.path.join('MNIST_data', name), 'wb') as f:
        f.write(bytes.fromhex(data))
mnist = input_data.read_data_sets('MNIST_data', one_hot=True, validation_size=8)
print(mnist.train.num_examples, mnist.validation.num_examples, mnist.test.num_examples)
print(mnist.train.images.shape, mnist.train.images.dtype, mnist.train.labels.shape)
np.random.seed(1)
batch_xs, batch_ys = mnist.train.next_batch(5)
print(batch_xs[0], batch_ys.argmax(1))
for _ in range(7):
    xs, ys = mnist.train.next_batch(5)
print(mnist.train.epochs_completed, ys.argmax(1), xs.shape)
print(mnist.test.next_batch(3, shuffle=False)[1])

x = tf.placeholder(tf.float32, [None, 16])
W = tf.Variable(tf.zeros([16, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, W) + b)
y_ = tf.placeholder(tf.float32, [None, 10])
cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(200):
        batch_xs, batch_ys = mnist.train.next_batch(10)
        sess.run(train_step, feed_dict={x: batch_xs, y_: batch_ys})
    correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    print(sess.run(accuracy, feed_dict={x: mnist.test.images, y_: mnist.test.labels}))

raw = input_data.read_data_sets('MNIST_data/', dtype=tf.uint8, reshape=False, validation_size=0)
print(raw.train.images.shape, raw.train.images.dtype, raw.train.labels[:6])
try:
    input_data.read_data_sets('MNIST_data/', validation_size=100)
except ValueError as e:
    print(e)
try:
    input_data.read_data_sets('nowhere')
except OSError as e:
    print(str(e)[:34])
shutil.rmtree('MNIST_data')
