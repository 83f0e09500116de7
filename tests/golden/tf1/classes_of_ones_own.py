# Classes of one's own that derive from TensorFlow's: layers, RNN cells, hooks, initializers.
import numpy as np
import tensorflow as tf
from tensorflow.python.layers import base
from tensorflow.python.training import session_run_hook


class Scale(tf.layers.Layer):
    def __init__(self, factor=1.0, **kwargs):
        super(Scale, self).__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape):
        self.kernel = self.add_variable('kernel', shape=[int(input_shape[-1])], initializer=tf.ones_initializer(), regularizer=lambda w: tf.reduce_sum(w) * 0.1)
        super(Scale, self).build(input_shape)

    def call(self, inputs):
        return inputs * self.kernel * self.factor

    def compute_output_shape(self, input_shape):
        return input_shape


class Twice(base.Layer):
    def call(self, inputs, training=False):
        return inputs * (3. if training else 2.)


class Linear(tf.layers.Dense):
    def call(self, inputs):
        return super(Linear, self).call(inputs) + 1.


class MinimalCell(tf.nn.rnn_cell.RNNCell):
    def __init__(self, num_units):
        super(MinimalCell, self).__init__()
        self._num_units = num_units

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        w = tf.get_variable('w', [int(inputs.shape[1]) + self._num_units, self._num_units], initializer=tf.constant_initializer(0.1))
        out = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), w))
        return out, out


class OldCell(tf.contrib.rnn.RNNCell if hasattr(tf, 'contrib') else tf.nn.rnn_cell.RNNCell):
    def __init__(self, n):
        self.n = n

    state_size = property(lambda self: self.n)
    output_size = property(lambda self: self.n)

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or type(self).__name__):
            v = tf.get_variable('v', [self.n], initializer=tf.ones_initializer())
            return inputs[:, :self.n] * v + state, state + 1.


class Wrapper(tf.nn.rnn_cell.LSTMCell):
    def call(self, inputs, state):
        out, state = super(Wrapper, self).call(inputs, state)
        return out * 2., state


class Note(tf.train.SessionRunHook):
    def begin(self):
        self.step = 0
        print('begin', tf.train.get_global_step().name)

    def after_create_session(self, session, coord):
        print('created', type(coord).__name__)

    def before_run(self, run_context):
        self.step += 1
        return tf.train.SessionRunArgs(tf.train.get_global_step())

    def after_run(self, run_context, run_values):
        print('ran', self.step, run_values.results)
        if self.step == 3:
            run_context.request_stop()

    def end(self, session):
        print('end', session.run(tf.train.get_global_step()))


class Other(session_run_hook.SessionRunHook):
    pass


class MyStop(tf.train.StopAtStepHook):
    def begin(self):
        print('mine')
        super(MyStop, self).begin()


class Filled(tf.keras.initializers.Initializer if False else object):
    def __init__(self, value):
        self.value = value

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.fill(shape, tf.constant(self.value, dtype))


x = tf.constant(np.arange(6.).reshape(2, 3), tf.float32)
scale, twice = Scale(2., name='mine'), Twice()
outs = [scale(x), scale(x + 1), twice(x), twice(x, training=True), Linear(2, kernel_initializer=Filled(0.5))(x), Twice(name='t').apply(x)]
print([o.name for o in outs], [v.name for v in scale.variables], len(scale.losses), twice.name, scale.scope_name)
cell = MinimalCell(2)
seq = tf.constant(np.arange(12.).reshape(2, 2, 3), tf.float32)
with tf.variable_scope('a'):
    rnn, last = tf.nn.dynamic_rnn(cell, seq, dtype=tf.float32)
with tf.variable_scope('b'):
    old, _ = tf.nn.dynamic_rnn(OldCell(2), seq, dtype=tf.float32)
with tf.variable_scope('c'):
    multi, _ = tf.nn.static_rnn(tf.nn.rnn_cell.MultiRNNCell([MinimalCell(2), tf.nn.rnn_cell.ResidualWrapper(MinimalCell(2))]), tf.unstack(seq, axis=1), dtype=tf.float32)
with tf.variable_scope('d'):
    lstm, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.DropoutWrapper(Wrapper(2, initializer=tf.constant_initializer(.1)), output_keep_prob=1.0), seq, dtype=tf.float32)
print([v.name for v in tf.trainable_variables()], cell.zero_state(3, tf.float32).shape, [v.name for v in cell.trainable_variables])
print(isinstance(cell, tf.nn.rnn_cell.RNNCell), isinstance(cell, tf.layers.Layer), [o.name for o in (rnn, old, multi[0], lstm)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in sess.run(outs + [rnn, old, multi, lstm]):
        print(np.round(value, 3).tolist() if not isinstance(value, list) else [np.round(v, 3).tolist() for v in value])
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    add = tf.assign_add(step, 1)
    with tf.train.MonitoredTrainingSession(hooks=[Note(), Other(), MyStop(last_step=10)]) as sess:
        while not sess.should_stop():
            sess.run(add)
