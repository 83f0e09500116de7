# needs sklearn
# tensorflow needs tf_keras
# Cells, layers and initializers derived from those of TensorFlow.
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

tf.disable_v2_behavior()


class MinimalRNNCell(tf.nn.rnn_cell.RNNCell):
    def __init__(self, num_units, reuse=None, name=None):
        super(MinimalRNNCell, self).__init__(_reuse=reuse, name=name)
        self._num_units = num_units

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or type(self).__name__, reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [inputs.shape[1] + self._num_units, self._num_units], initializer=tf.constant_initializer(0.1))
            z = tf.nn.sigmoid(tf.matmul(tf.concat([inputs, state], 1), w))
            new = z * state + (1 - z) * tf.tanh(tf.matmul(tf.concat([inputs, state], 1), w))
        return new, new


class Scale(tf.layers.Layer):
    def __init__(self, factor=2., **kwargs):
        super(Scale, self).__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape):
        self.gamma = self.add_weight('gamma', shape=[int(input_shape[-1])], initializer=tf.ones_initializer())
        self.built = True

    def call(self, inputs):
        return inputs * self.gamma * self.factor

    def compute_output_shape(self, input_shape):
        return input_shape


class Diagonal(tf.keras.initializers.Initializer if hasattr(tf, 'keras') else object):
    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.eye(*shape)


letters = np.array(list('abacabad')).reshape(-1, 1)
codes = OrdinalEncoder().fit_transform(letters)
onehot = OneHotEncoder(sparse_output=False).fit_transform(letters).astype(np.float32)
print(codes.ravel(), onehot.shape)
inputs = tf.constant(onehot.reshape(2, 4, 4))
cell = MinimalRNNCell(3)
outputs, state = tf.nn.dynamic_rnn(cell, inputs, sequence_length=[4, 2], dtype=tf.float32)
both, states = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.DropoutWrapper(MinimalRNNCell(2), output_keep_prob=1.),
                                                              tf.nn.rnn_cell.GRUCell(2, kernel_initializer=tf.ones_initializer())]),
                                 inputs, dtype=tf.float32, scope='deep')
layer = Scale(3., name='scale')
scaled = layer(outputs)
turned = tf.get_variable('turned', [3, 3], initializer=Diagonal())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    o, s = sess.run([outputs, state])
    print(o.round(4)[1].tolist(), s.round(4).tolist())
    print(sess.run(both).shape, [x.shape for x in sess.run(states)])
    print(np.allclose(sess.run(scaled), o * 3), layer.trainable_variables[0].name, sess.run(turned).trace())
    print(sorted(v.name for v in tf.trainable_variables()))
    print(cell.state_size, isinstance(cell, tf.nn.rnn_cell.RNNCell), sess.run(tf.shape(cell.zero_state(2, tf.float32))))
