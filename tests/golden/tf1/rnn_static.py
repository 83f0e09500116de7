# Cells of recurrent networks, run by hand and by tf.nn.static_rnn.
import numpy as np
import tensorflow as tf

def show(*values):
    for v in values:
        print(np.round(v, 4).tolist())

tf.set_random_seed(3)
x = tf.constant(np.arange(12).reshape(2, 3, 2) / 10.0, tf.float32)
steps = tf.unstack(x, axis=1)
cell = tf.nn.rnn_cell.BasicRNNCell(3)
print(cell.state_size, cell.output_size, cell.zero_state(2, tf.float32))
outputs, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32)
print([o.name for o in outputs], state.name)
with tf.variable_scope('lstm'):
    lstm = tf.nn.rnn_cell.BasicLSTMCell(2, forget_bias=0.5)
    print(lstm.state_size)
    lstm_out, lstm_state = tf.nn.static_rnn(lstm, steps, dtype=tf.float32)
    print(lstm_state)
with tf.variable_scope('gru'):
    gru_out, gru_state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), steps, dtype=tf.float32)
with tf.variable_scope('big'):
    cells = [tf.nn.rnn_cell.LSTMCell(n, use_peepholes=n == 3, num_proj=None if n == 3 else 2) for n in (3, 2)]
    multi = tf.nn.rnn_cell.MultiRNNCell(cells)
    print(multi.state_size, multi.output_size)
    multi_out, multi_state = tf.nn.static_rnn(multi, steps, dtype=tf.float32)
with tf.variable_scope('reused'):
    one = tf.nn.rnn_cell.BasicRNNCell(2, activation=tf.nn.relu)
    s = one.zero_state(2, tf.float32)
    for i in range(3):
        if i > 0:
            tf.get_variable_scope().reuse_variables()
        o, s = one(steps[i], s)
for v in tf.trainable_variables():
    print(v.name, v.shape)
print(len(cell.trainable_variables), [v.name for v in lstm.variables])
class Adder(tf.nn.rnn_cell.RNNCell):
    @property
    def state_size(self):
        return 2
    @property
    def output_size(self):
        return 2
    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or 'adder'):
            w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
            new = state + inputs * w
            return new * 2.0, new
added, last = tf.nn.static_rnn(Adder(), steps, dtype=tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(*sess.run(outputs))
    show(*sess.run([lstm_out[-1], lstm_state.c, lstm_state.h]))
    show(*sess.run([gru_out[-1], gru_state, o, s]))
    show(*sess.run([multi_out[-1], multi_state[0].c, multi_state[1].h]))
    show(*sess.run(added + [last]))
for wrong in (lambda: tf.nn.static_rnn(cell, [], dtype=tf.float32), lambda: tf.nn.static_rnn(cell, x[0], dtype=tf.float32),
              lambda: tf.nn.static_rnn(cell, steps), lambda: tf.nn.rnn_cell.MultiRNNCell([])):
    try:
        wrong()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
