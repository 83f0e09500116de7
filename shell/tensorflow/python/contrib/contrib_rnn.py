"""tf.contrib.rnn: cells whose step is a single op, and an LSTM whose steps are a single op."""
from tensorflow.layers import Layer
from _library.rnn_cell import LSTMStateTuple, _LayerCell


class _LSTMVariables(object):
    """Creates the variables of an LSTM and the arguments of its op."""

    def _make(self, inputs_shape):
        n, depth = self._num_units, inputs_shape[-1].value
        if depth is None:
            raise ValueError('Expecting inputs_shape[%d] to be set: %s' % (len(inputs_shape) - 1, inputs_shape))
        self._kernel = self.add_variable('kernel', [depth + n, 4 * n])
        self._bias = self.add_variable('bias', [4 * n], initializer=tf.constant_initializer(0.0))
        self._peepholes = [self.add_variable(name, [n]) for name in ('w_i_diag', 'w_f_diag', 'w_o_diag')] \
            if self._use_peephole else None

    def _given(self, dtype):
        wci, wcf, wco = self._peepholes or [tf.zeros([self._num_units], dtype)] * 3
        return dict(w=self._kernel, wci=wci, wcf=wcf, wco=wco, b=self._bias, forget_bias=self._forget_bias,
                    cell_clip=-1 if self._cell_clip is None else self._cell_clip, use_peephole=self._use_peephole)


class LSTMBlockCell(_LSTMVariables, _LayerCell):
    """An LSTMCell whose step is a single op."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None,
                 name='lstm_cell'):
        _LayerCell.__init__(self, num_units, None, reuse, name, dtype, {})
        self._forget_bias, self._cell_clip, self._use_peephole = forget_bias, cell_clip, use_peephole

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))

    def build(self, inputs_shape):
        self._make(inputs_shape)

    def call(self, inputs, state):
        if len(state) != 2:
            raise ValueError('Expecting state to be a tuple with length 2.')
        out = tf.raw_ops.LSTMBlockCell(x=inputs, cs_prev=state[0], h_prev=state[1], **self._given(inputs.dtype))
        return out[6], LSTMStateTuple(out[1], out[6])


class LSTMBlockFusedCell(_LSTMVariables, Layer):
    """Runs an LSTM over inputs [time, batch, inputs] in a single op. Returns (outputs, last state)."""

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None, dtype=None,
                 name='lstm_fused_cell'):
        Layer.__init__(self, _reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias, self._cell_clip, self._use_peephole = forget_bias, cell_clip, use_peephole

    num_units = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        self._make(inputs_shape)

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        time, batch = tf.shape(inputs)[0], tf.shape(inputs)[1]
        if initial_state is None:
            if dtype is None:
                raise ValueError('Either initial_state or dtype needs to be specified')
            initial_state = [tf.zeros(tf.stack([batch, self._num_units]), dtype)] * 2
        steps = time if sequence_length is None else tf.reduce_max(sequence_length)
        out = tf.raw_ops.BlockLSTM(seq_len_max=tf.to_int64(steps), x=inputs, cs_prev=initial_state[0],
                                   h_prev=initial_state[1], **self._given(inputs.dtype))
        states, outputs = out[1], out[6]
        if sequence_length is None:
            return outputs, LSTMStateTuple(states[-1], outputs[-1])
        lengths = tf.convert_to_tensor(sequence_length, dtype=tf.int32)
        mask = tf.transpose(tf.sequence_mask(lengths, time, dtype=inputs.dtype))
        outputs *= tf.expand_dims(mask, -1)
        # The initial state is used for sequences of length 0.
        places = tf.stack([lengths, tf.range(batch)], axis=1)
        last = [tf.gather_nd(tf.concat([tf.expand_dims(first, 0), rest], 0), places)
                for first, rest in zip(initial_state, (states, outputs))]
        return outputs, LSTMStateTuple(*last)


class GRUBlockCellV2(_LayerCell):
    """A GRUCell whose step is a single op, with the same variables."""

    def __init__(self, num_units=None, cell_size=None, reuse=None, name='gru_cell'):
        if (cell_size is None) == (num_units is None):
            raise ValueError('Exactly one of num_units or cell_size must be provided.')
        _LayerCell.__init__(self, num_units or cell_size, None, reuse, name, None, {})

    def build(self, inputs_shape):
        n, depth = self._num_units, self._depth(inputs_shape)
        self._gate_kernel = self.add_variable('gates/kernel', [depth + n, 2 * n])
        self._gate_bias = self.add_variable('gates/bias', [2 * n], initializer=tf.constant_initializer(1.0))
        self._candidate_kernel = self.add_variable('candidate/kernel', [depth + n, n])
        self._candidate_bias = self.add_variable('candidate/bias', [n], initializer=tf.constant_initializer(0.0))

    def call(self, inputs, state):
        h = tf.raw_ops.GRUBlockCell(x=inputs, h_prev=state, w_ru=self._gate_kernel, w_c=self._candidate_kernel,
                                    b_ru=self._gate_bias, b_c=self._candidate_bias)[3]
        return h, h


class GRUBlockCell(GRUBlockCellV2):
    """GRUBlockCellV2 with the older names of variables."""

    def build(self, inputs_shape):
        n, depth = self._num_units, self._depth(inputs_shape)
        self._gate_kernel = self.add_variable('w_ru', [depth + n, 2 * n])
        self._gate_bias = self.add_variable('b_ru', [2 * n], initializer=tf.constant_initializer(1.0))
        self._candidate_kernel = self.add_variable('w_c', [depth + n, n])
        self._candidate_bias = self.add_variable('b_c', [n], initializer=tf.constant_initializer(0.0))
