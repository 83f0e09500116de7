# tf.nn.dynamic_rnn: a loop over time, with lengths, both directions, and a gradient through it.
import numpy as np
import tensorflow as tf

def show(*values):
    for v in values:
        print(np.round(v, 4).tolist())

tf.set_random_seed(3)
x = tf.constant(np.arange(24).reshape(2, 4, 3) / 12.0, tf.float32)
cell = tf.nn.rnn_cell.BasicRNNCell(2)
outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
print(outputs, state)
with tf.variable_scope('lengths'):
    lstm = tf.nn.rnn_cell.BasicLSTMCell(2)
    cut, last = tf.nn.dynamic_rnn(lstm, x, sequence_length=[2, 4], dtype=tf.float32)
    print(cut.shape, last.c.shape)
with tf.variable_scope('major'):
    major, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), tf.transpose(x, [1, 0, 2]), time_major=True, dtype=tf.float32)
    print(major.shape)
with tf.variable_scope('both'):
    both, states = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(2), tf.nn.rnn_cell.BasicRNNCell(2), x, dtype=tf.float32)
    print([o.shape for o in both])
p = tf.placeholder(tf.float32, [None, None, 3])
multi = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(3), tf.nn.rnn_cell.BasicLSTMCell(2)])
init = multi.zero_state(tf.shape(p)[0], tf.float32)
deep, deep_state = tf.nn.dynamic_rnn(multi, p, initial_state=init, scope='deep')
print(deep)
for v in tf.trainable_variables():
    print(v.name, v.shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(*sess.run([outputs, state, cut, last.c, last.h, major]))
    show(*sess.run(list(both) + list(states)))
    show(sess.run(deep, {p: np.ones([1, 2, 3])}), sess.run(deep_state[1].h, {p: np.ones([1, 3, 3])}))
