"""tf.contrib.rnn: cells that wrap others, and further cells."""
from _library.rnn_cell import RNNCell, LSTMStateTuple


def _linear(args, output_size, bias=True, bias_initializer=None, kernel_initializer=None):
    """Returns concat(args) · kernel + bias. The variables belong to the current scope."""
    args = list(args) if isinstance(args, (list, tuple)) else [args]
    sizes = []
    for shape in [a.get_shape() for a in args]:
        if shape.ndims != 2:
            raise ValueError('linear is expecting 2D arguments: %s' % [a.get_shape() for a in args])
        if shape[1].value is None:
            raise ValueError('linear expects shape[1] to be provided for shape %s, but saw %s' % (shape, shape[1]))
        sizes.append(shape[1].value)
    if hasattr(output_size, 'value'):
        output_size = output_size.value
    dtype = args[0].dtype
    kernel = tf.get_variable('kernel', [sum(sizes), output_size], dtype, kernel_initializer)
    out = tf.matmul(args[0] if len(args) == 1 else tf.concat(args, 1), kernel)
    if not bias:
        return out
    b = tf.get_variable('bias', [output_size], dtype, bias_initializer or tf.constant_initializer(0.0, dtype=dtype))
    return tf.nn.bias_add(out, b)


class _Around(RNNCell):
    def __init__(self, cell, reuse=None):
        RNNCell.__init__(self, _reuse=reuse)
        self._cell = cell

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(_Around):
    """Looks up the symbols that are the inputs of a cell."""

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        _Around.__init__(self, cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError('Both embedding_classes and embedding_size must be > 0: %d, %d.'
                             % (embedding_classes, embedding_size))
        self._classes, self._size, self._initializer = embedding_classes, embedding_size, initializer

    def call(self, inputs, state):
        first = tf.nest.flatten(state)[0]
        initializer = self._initializer or tf.get_variable_scope().initializer or \
            tf.random_uniform_initializer(-3 ** 0.5, 3 ** 0.5)
        embedding = tf.get_variable('embedding', [self._classes, self._size], first.dtype, initializer)
        return self._cell(tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1])), state)


class OutputProjectionWrapper(_Around):
    """Projects the outputs of a cell linearly."""

    def __init__(self, cell, output_size, activation=None, reuse=None):
        _Around.__init__(self, cell, reuse)
        if output_size < 1:
            raise ValueError('Parameter output_size must be > 0: %d.' % output_size)
        self._output_size, self._activation = output_size, activation

    output_size = property(lambda self: self._output_size)

    def call(self, inputs, state):
        output, state = self._cell(inputs, state)
        projected = _linear(output, self._output_size)
        return (self._activation(projected) if self._activation else projected), state


class InputProjectionWrapper(_Around):
    """Projects the inputs of a cell linearly."""

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        _Around.__init__(self, cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs, state):
        projected = _linear(inputs, self._num_proj)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class FusedRNNCellAdaptor(object):
    """Runs a cell over inputs [time, batch, inputs]."""

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell, self._dynamic = cell, use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        if self._dynamic:
            return tf.nn.dynamic_rnn(self._cell, inputs, sequence_length, initial_state, dtype, time_major=True,
                                     scope=scope)
        outputs, state = tf.nn.static_rnn(self._cell, tf.unstack(inputs), initial_state, dtype, sequence_length, scope)
        return tf.stack(outputs), state


class AttentionCellWrapper(_Around):
    """Attends to the last attn_length states of a cell."""

    def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None, state_is_tuple=True,
                 reuse=None):
        _Around.__init__(self, cell, reuse)
        if attn_length <= 0:
            raise ValueError('attn_length should be greater than zero, got %s' % attn_length)
        if not state_is_tuple:
            raise ValueError('AttentionCellWrapper: tensh has state_is_tuple=True only')
        self._length, self._size = attn_length, attn_size or cell.output_size
        self._vec_size, self._input_size = attn_vec_size or self._size, input_size

    state_size = property(lambda self: (self._cell.state_size, self._size, self._size * self._length))
    output_size = property(lambda self: self._size)

    def zero_state(self, batch_size, dtype):
        return RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs, state):
        state, attns, attn_states = state
        attn_states = tf.reshape(attn_states, [-1, self._length, self._size])
        depth = self._input_size or inputs.get_shape().as_list()[1]
        output, new_state = self._cell(_linear([inputs, attns], depth), state)
        query = tf.concat(tf.nest.flatten(new_state), 1)
        with tf.variable_scope('attention'):
            k = tf.get_variable('attn_w', [1, 1, self._size, self._vec_size])
            v = tf.get_variable('attn_v', [self._vec_size])
            hidden = tf.reshape(attn_states, [-1, self._length, 1, self._size])
            features = tf.nn.conv2d(hidden, k, [1, 1, 1, 1], 'SAME')
            y = tf.reshape(_linear(query, self._vec_size), [-1, 1, 1, self._vec_size])
            weights = tf.nn.softmax(tf.reduce_sum(v * tf.tanh(features + y), [2, 3]))
            new_attns = tf.reshape(tf.reduce_sum(tf.reshape(weights, [-1, self._length, 1, 1]) * hidden, [1, 2]),
                                   [-1, self._size])
            kept = attn_states[:, 1:]
        with tf.variable_scope('attn_output_projection'):
            output = _linear([output, new_attns], self._size)
        new_states = tf.reshape(tf.concat([kept, tf.expand_dims(output, 1)], 1), [-1, self._size * self._length])
        return output, (new_state, new_attns, new_states)


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM with normalized layers and dropout of its candidates."""

    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=None, layer_norm=True, norm_gain=1.0,
                 norm_shift=0.0, dropout_keep_prob=1.0, dropout_prob_seed=None, reuse=None):
        RNNCell.__init__(self, _reuse=reuse)
        self._num_units, self._forget_bias, self._activation = num_units, forget_bias, activation or tf.tanh
        self._norm, self._gain, self._shift = layer_norm, norm_gain, norm_shift
        self._keep, self._seed = dropout_keep_prob, dropout_prob_seed

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def _normed(self, x, scope):
        if not self._norm:
            return x
        shape = x.get_shape()[-1:]
        with tf.variable_scope(scope):
            tf.get_variable('gamma', shape, initializer=tf.constant_initializer(self._gain), dtype=x.dtype)
            tf.get_variable('beta', shape, initializer=tf.constant_initializer(self._shift), dtype=x.dtype)
        return tf.contrib.layers.layer_norm(x, reuse=True, scope=scope)

    def call(self, inputs, state):
        c, h = state
        args = tf.concat([inputs, h], 1)
        kernel = tf.get_variable('kernel', [args.get_shape()[-1].value, 4 * self._num_units], dtype=args.dtype)
        gates = tf.matmul(args, kernel)
        if not self._norm:
            gates = tf.nn.bias_add(gates, tf.get_variable('bias', [4 * self._num_units], dtype=args.dtype))
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
        i, j, f, o = [self._normed(x, name) for x, name in zip((i, j, f, o), ('input', 'transform', 'forget', 'output'))]
        g = self._activation(j)
        if not isinstance(self._keep, float) or self._keep < 1:
            g = tf.nn.dropout(g, self._keep, seed=self._seed)
        new_c = self._normed(c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * g, 'state')
        new_h = self._activation(new_c) * tf.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class ConvLSTMCell(RNNCell):
    """An LSTM whose products are convolutions."""

    def __init__(self, conv_ndims, input_shape, output_channels, kernel_shape, use_bias=True, skip_connection=False,
                 forget_bias=1.0, initializers=None, name='conv_lstm_cell'):
        RNNCell.__init__(self, name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError('Invalid input_shape {} for conv_ndims={}.'.format(input_shape, conv_ndims))
        self._dims, self._input_shape, self._channels = conv_ndims, list(input_shape), output_channels
        self._kernel_shape, self._use_bias, self._skip = list(kernel_shape), use_bias, skip_connection
        self._forget_bias = forget_bias

    output_size = property(lambda self: tf.TensorShape(
        self._input_shape[:-1] + [self._channels + (self._input_shape[-1] if self._skip else 0)]))

    @property
    def state_size(self):
        size = tf.TensorShape(self._input_shape[:-1] + [self._channels])
        return LSTMStateTuple(size, size)

    def call(self, inputs, state, scope=None):
        cell, hidden = state
        args = tf.concat([inputs, hidden], self._dims + 1)
        kernel = tf.get_variable('kernel', self._kernel_shape + [args.get_shape()[-1].value, 4 * self._channels],
                                 dtype=args.dtype)
        conv = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}[self._dims]
        gates = conv(args, kernel, 1 if self._dims == 1 else [1] * (self._dims + 2), padding='SAME')
        if self._use_bias:
            gates += tf.get_variable('biases', [4 * self._channels], dtype=args.dtype,
                                     initializer=tf.constant_initializer(0.0))
        i, new, f, o = tf.split(value=gates, num_or_size_splits=4, axis=self._dims + 1)
        new_cell = tf.sigmoid(f + self._forget_bias) * cell + tf.sigmoid(i) * tf.tanh(new)
        output = tf.tanh(new_cell) * tf.sigmoid(o)
        out = tf.concat([output, inputs], -1) if self._skip else output
        return out, LSTMStateTuple(new_cell, output)


class Conv1DLSTMCell(ConvLSTMCell):
    def __init__(self, name='conv_1d_lstm_cell', **kwargs):
        ConvLSTMCell.__init__(self, conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    def __init__(self, name='conv_2d_lstm_cell', **kwargs):
        ConvLSTMCell.__init__(self, conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    def __init__(self, name='conv_3d_lstm_cell', **kwargs):
        ConvLSTMCell.__init__(self, conv_ndims=3, name=name, **kwargs)


def _stacked(cells_fw, cells_bw, prev, starts_fw, starts_bw, join, run, scope, time_major=False):
    if not isinstance(cells_fw, list) or not cells_fw or not isinstance(cells_bw, list) or not cells_bw:
        raise ValueError('Must specify one or more cells, as lists, for each direction.')
    if len(cells_fw) != len(cells_bw):
        raise ValueError('Forward and Backward cells must have the same depth.')
    states_fw, states_bw = [], []
    with tf.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (fw, bw) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope('cell_%d' % i):
                prev, state_fw, state_bw = run(fw, bw, prev, starts_fw[i] if starts_fw else None,
                                               starts_bw[i] if starts_bw else None)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return prev, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None,
                                    dtype=None, sequence_length=None, parallel_iterations=None, time_major=False,
                                    scope=None, swap_memory=False):
    """Layers of bidirectional_dynamic_rnn. Returns (outputs, forward states, backward states)."""
    def run(fw, bw, prev, start_fw, start_bw):
        outputs, (state_fw, state_bw) = tf.nn.bidirectional_dynamic_rnn(
            fw, bw, prev, initial_state_fw=start_fw, initial_state_bw=start_bw, sequence_length=sequence_length,
            parallel_iterations=parallel_iterations, dtype=dtype, swap_memory=swap_memory, time_major=time_major)
        return tf.concat(outputs, 2), state_fw, state_bw
    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, None, run, scope)


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None,
                            sequence_length=None, scope=None):
    """Layers of static_bidirectional_rnn. Returns (outputs, forward states, backward states)."""
    def run(fw, bw, prev, start_fw, start_bw):
        return tf.nn.static_bidirectional_rnn(fw, bw, prev, start_fw, start_bw, sequence_length=sequence_length,
                                              dtype=dtype)
    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, None, run, scope)


def transpose_batch_time(x):
    """Exchanges the first two dimensions."""
    rank = x.get_shape().ndims
    return tf.transpose(x, [1, 0] + list(range(2, rank)))
