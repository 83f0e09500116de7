# Counting the ones in a string of bits with a recurrent network.
import numpy as np
import tensorflow as tf
from itertools import product

def bits(n):
    rows = np.array(list(product([0, 1], repeat=n)), dtype=np.float32)
    return rows.reshape(-1, n, 1), rows.sum(axis=1).astype(int)

x_all, counts = bits(4)
y_all = np.eye(5)[counts]
print(x_all.shape, y_all.shape, counts[:8], y_all.dtype)
data = tf.placeholder(tf.float32, [None, 4, 1])
target = tf.placeholder(tf.float32, [None, 5])
cell = tf.nn.rnn_cell.BasicLSTMCell(5, forget_bias=1.0)
outputs, states = tf.nn.static_rnn(cell, tf.unstack(data, 4, 1), dtype=tf.float32)
print(len(outputs), outputs[-1], states.c.shape, type(states).__name__)
weight = tf.Variable(tf.truncated_normal([5, 5], seed=9))
bias = tf.Variable(tf.constant(0.1, shape=[5]))
prediction = tf.nn.softmax(tf.matmul(outputs[-1], weight) + bias)
cross_entropy = -tf.reduce_sum(target * tf.log(tf.clip_by_value(prediction, 1e-10, 1.0)))
minimize = tf.train.AdamOptimizer().minimize(cross_entropy)
mistakes = tf.not_equal(tf.argmax(target, 1), tf.argmax(prediction, 1))
error = tf.reduce_mean(tf.cast(mistakes, tf.float32))
print([v.name for v in tf.global_variables()][:4], len(tf.global_variables()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run(cross_entropy, {data: x_all, target: y_all})
    for i in range(50):
        sess.run(minimize, {data: x_all, target: y_all})
    after = sess.run(cross_entropy, {data: x_all, target: y_all})
    print(before > after, sess.run(error, {data: x_all, target: y_all}).dtype)
