'''
A recurrent network that predicts a sine wave, after an example of 2017.
'''
from __future__ import print_function
from __future__ import division
import numpy as np
import tensorflow as tf

class Config(object):
    num_steps = 8
    lstm_size = 6
    batch_size = 4
    init_learning_rate = 0.01

def make_batches(seq, config):
    windows = [seq[i:i + config.num_steps + 1] for i in range(0, len(seq) - config.num_steps - 1, 3)]
    for b in range(len(windows) // config.batch_size):
        chunk = np.array(windows[b * config.batch_size:(b + 1) * config.batch_size], dtype=np.float32)
        yield chunk[:, :-1, np.newaxis], chunk[:, -1:]

class SinePredictor(object):
    def __init__(self, config):
        self.config = config
        self._build()

    def _build(self):
        c = self.config
        self.inputs = tf.placeholder(tf.float32, [None, c.num_steps, 1], name='inputs')
        self.targets = tf.placeholder(tf.float32, [None, 1], name='targets')
        cell = tf.nn.rnn_cell.LSTMCell(c.lstm_size, state_is_tuple=True, initializer=tf.constant_initializer(0.1))
        val, self.state = tf.nn.dynamic_rnn(cell, self.inputs, dtype=tf.float32, scope='dynamic_rnn')
        val = tf.transpose(val, [1, 0, 2])
        with tf.name_scope('output_layer'):
            last = tf.gather(val, int(val.get_shape()[0]) - 1, name='last_lstm_output')
            weight = tf.Variable(tf.constant(0.2, shape=[c.lstm_size, 1]), name='lstm_weights')
            bias = tf.Variable(tf.constant(0.1, shape=[1]), name='lstm_biases')
            self.prediction = tf.matmul(last, weight) + bias
        with tf.name_scope('train'):
            self.loss = tf.reduce_mean(tf.square(self.prediction - self.targets), name='loss_mse')
            self.minimize = tf.train.AdamOptimizer(c.init_learning_rate).minimize(self.loss)

config = Config()
model = SinePredictor(config)
print(model.prediction)
print(model.state)
for v in tf.trainable_variables():
    print(v.name, v.shape, v.dtype)
wave = np.sin(np.arange(80) * 0.3)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(6):
        total, n = 0.0, 0
        for X, y in make_batches(wave, config):
            loss, _ = sess.run([model.loss, model.minimize], {model.inputs: X, model.targets: y})
            total += loss
            n += 1
        print("Epoch {:d}: loss = {:.3f} over {:d} batches".format(epoch, total / n, n))
    final = sess.run(model.prediction, feed_dict={model.inputs: X})
    print(final.shape, final.dtype, np.round(final[:2], 2).tolist())
