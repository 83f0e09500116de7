"""tf.nn.rnn_cell: cells of recurrent networks."""
import collections
from tensorflow.layers import Layer, InputSpec


def _flat(structure):
    return tf.nest.flatten(structure)


def _check_dtypes(values):
    for t in _flat(values):
        if not (t.dtype.is_floating or t.dtype.is_complex):
            raise ValueError('RNN cell only supports floating point inputs, but saw dtype: %s' % t.dtype)


def _check_cell(name, cell):
    wrong = []
    if not hasattr(type(cell), 'output_size') and not hasattr(cell, 'output_size'):
        wrong.append("'output_size' property is missing")
    if not hasattr(type(cell), 'state_size') and not hasattr(cell, 'state_size'):
        wrong.append("'state_size' property is missing")
    if not hasattr(cell, 'zero_state') and not hasattr(cell, 'get_initial_state'):
        wrong.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        wrong.append('is not callable')
    if wrong:
        raise TypeError("The argument '%s' (%s) is not an RNNCell: %s." % (name, cell, ', '.join(wrong)))


def _size_tensor(size):
    if isinstance(size, tf.Tensor):
        return tf.expand_dims(size, 0) if size.get_shape().ndims == 0 else size
    return tf.constant(tf.TensorShape(size).as_list(), dtype=tf.int32)


def _static_size(size):
    """Returns the known part of a size as a list. Like TensorFlow, creates a constant for it that nothing reads."""
    if isinstance(size, tf.Tensor):
        value = tf.get_static_value(size)
        _size_tensor(size)
        return [None] if value is None else [int(v) for v in np.reshape(value, [-1])]
    known = [None] if size is None else tf.TensorShape(size).as_list()
    if None not in known:
        tf.constant(known, dtype=tf.int32)
    return known


def _concat_sizes(prefix, suffix):
    return tf.concat((_size_tensor(prefix), _size_tensor(suffix)), 0)


def _zeros(state_size, batch_size, dtype):
    """Returns zeros in the structure of a cell's state."""
    def one(s):
        zeros = tf.zeros(_concat_sizes(batch_size, s), dtype=dtype)
        zeros.set_shape(_static_size(batch_size) + _static_size(s))
        return zeros
    return tf.nest.map_structure(one, state_size)


class RNNCell(Layer):
    """(output, state) = cell(inputs, state)"""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        super(RNNCell, self).__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)

    def __call__(self, inputs, state, scope=None):
        if scope is not None:
            with tf.variable_scope(scope, custom_getter=self._rnn_get_variable) as scope:
                return super(RNNCell, self).__call__(inputs, state, scope=scope)
        if getattr(self, 'rnncell_scope', None) is None:
            self.rnncell_scope = tf.get_variable_scope()
        with tf.variable_scope(self.rnncell_scope, custom_getter=self._rnn_get_variable):
            return super(RNNCell, self).__call__(inputs, state)

    def _rnn_get_variable(self, getter, *args, **kwargs):
        v = getter(*args, **kwargs)
        kept = self._trainable_weights if v in tf.trainable_variables() else self._non_trainable_weights
        if not any(v is known for known in kept):
            kept.append(v)
        return v

    @property
    def state_size(self):
        raise NotImplementedError('Abstract method')

    @property
    def output_size(self):
        raise NotImplementedError('Abstract method')

    def build(self, _):
        pass

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs, name='inputs')
            batch_size = inputs.get_shape()[0].value or tf.shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError('batch_size and dtype cannot be None while constructing initial state: batch_size={}, '
                             'dtype={}'.format(batch_size, dtype))
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + 'ZeroState'):
            return _zeros(self.state_size, batch_size, dtype)


class _LayerCell(RNNCell):
    """A cell whose variables are created in build()."""

    def __init__(self, num_units, activation, reuse, name, dtype, kwargs):
        super(_LayerCell, self).__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or tf.tanh

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    state_size = property(lambda self: self._num_units)
    output_size = property(lambda self: self._num_units)

    def _depth(self, shape):
        if shape[-1].value is None:
            raise ValueError('Expected inputs.shape[-1] to be known, saw shape: %s' % (shape,))
        return shape[-1].value


class BasicRNNCell(_LayerCell):
    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super(BasicRNNCell, self).__init__(num_units, activation, reuse, name, dtype, kwargs)

    def build(self, inputs_shape):
        n = self._num_units
        self._kernel = self.add_variable('kernel', shape=[self._depth(inputs_shape) + n, n])
        self._bias = self.add_variable('bias', shape=[n], initializer=tf.zeros_initializer(dtype=self.dtype))

    def call(self, inputs, state):
        _check_dtypes([inputs, state])
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output


class GRUCell(_LayerCell):
    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None,
                 name=None, dtype=None, **kwargs):
        super(GRUCell, self).__init__(num_units, activation, reuse, name, dtype, kwargs)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def build(self, inputs_shape):
        n, depth, bias = self._num_units, self._depth(inputs_shape), self._bias_initializer
        self._gate_kernel = self.add_variable('gates/kernel', shape=[depth + n, 2 * n],
                                              initializer=self._kernel_initializer)
        self._gate_bias = self.add_variable(
            'gates/bias', shape=[2 * n],
            initializer=bias if bias is not None else tf.constant_initializer(1.0, dtype=self.dtype))
        self._candidate_kernel = self.add_variable('candidate/kernel', shape=[depth + n, n],
                                                   initializer=self._kernel_initializer)
        self._candidate_bias = self.add_variable(
            'candidate/bias', shape=[n],
            initializer=bias if bias is not None else tf.zeros_initializer(dtype=self.dtype))

    def call(self, inputs, state):
        _check_dtypes([inputs, state])
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        r, u = tf.split(value=tf.sigmoid(gates), num_or_size_splits=2, axis=1)
        r_state = r * state
        candidate = tf.matmul(tf.concat([inputs, r_state], 1), self._candidate_kernel)
        c = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        new_h = u * state + (1 - u) * c
        return new_h, new_h


class LSTMStateTuple(collections.namedtuple('LSTMStateTuple', ('c', 'h'))):
    """The state of an LSTM: (c, h)."""

    @property
    def dtype(self):
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError('Inconsistent internal state: %s vs %s' % (c.dtype, h.dtype))
        return c.dtype


class BasicLSTMCell(_LayerCell):
    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None,
                 dtype=None, **kwargs):
        super(BasicLSTMCell, self).__init__(num_units, activation, reuse, name, dtype, kwargs)
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    @property
    def state_size(self):
        n = self._num_units
        return LSTMStateTuple(n, n) if self._state_is_tuple else 2 * n

    def build(self, inputs_shape):
        n = self._num_units
        self._kernel = self.add_variable('kernel', shape=[self._depth(inputs_shape) + n, 4 * n])
        self._bias = self.add_variable('bias', shape=[4 * n], initializer=tf.zeros_initializer(dtype=self.dtype))

    def call(self, inputs, state):
        _check_dtypes([inputs, state])
        one = tf.constant(1, dtype=tf.int32)
        c, h = state if self._state_is_tuple else tf.split(value=state, num_or_size_splits=2, axis=one)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=one)
        forget = tf.constant(self._forget_bias, dtype=f.dtype)
        new_c = tf.add(tf.multiply(c, tf.sigmoid(tf.add(f, forget))),
                       tf.multiply(tf.sigmoid(i), self._activation(j)))
        new_h = tf.multiply(self._activation(new_c), tf.sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)


class LSTMCell(_LayerCell):
    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None,
                 proj_clip=None, num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True,
                 activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super(LSTMCell, self).__init__(num_units, activation, reuse, name, dtype, kwargs)
        self._use_peepholes, self._cell_clip, self._initializer = use_peepholes, cell_clip, initializer
        self._num_proj, self._proj_clip = num_proj, proj_clip
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self):
        n, out = self._num_units, self.output_size
        return LSTMStateTuple(n, out) if self._state_is_tuple else n + out

    def build(self, inputs_shape):
        n = self._num_units
        rows = self._depth(inputs_shape) + (n if self._num_proj is None else self._num_proj)
        self._kernel = self.add_variable('kernel', shape=[rows, 4 * n], initializer=self._initializer)
        zeros = tf.zeros_initializer(dtype=self.dtype) if self.dtype else tf.zeros_initializer
        self._bias = self.add_variable('bias', shape=[4 * n], initializer=zeros)
        if self._use_peepholes:
            self._w_f_diag = self.add_variable('w_f_diag', shape=[n], initializer=self._initializer)
            self._w_i_diag = self.add_variable('w_i_diag', shape=[n], initializer=self._initializer)
            self._w_o_diag = self.add_variable('w_o_diag', shape=[n], initializer=self._initializer)
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable('projection/kernel', shape=[n, self._num_proj],
                                                  initializer=self._initializer)

    def call(self, inputs, state):
        _check_dtypes([inputs, state])
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = tf.slice(state, [0, 0], [-1, self._num_units])
            m_prev = tf.slice(state, [0, self._num_units], [-1, self.output_size])
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, m_prev], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = (tf.sigmoid(f + self._forget_bias + self._w_f_diag * c_prev) * c_prev +
                 tf.sigmoid(i + self._w_i_diag * c_prev) * self._activation(j))
        else:
            c = tf.sigmoid(f + self._forget_bias) * c_prev + tf.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = tf.sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            m = tf.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = tf.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = tf.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else tf.concat([c, m], 1)


class _Wrapper(RNNCell):
    def __init__(self, cell):
        super(_Wrapper, self).__init__()
        _check_cell('cell', cell)
        self._cell = self.cell = cell

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    trainable_weights = property(lambda self: self._cell.trainable_weights)
    non_trainable_weights = property(lambda self: self._cell.non_trainable_weights)

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + 'ZeroState'):
            return self._cell.zero_state(batch_size, dtype)


class DropoutWrapper(_Wrapper):
    """Dropout for the input, state and output of a cell."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
                 variational_recurrent=False, input_size=None, dtype=None, seed=None,
                 dropout_state_filter_visitor=None):
        super(DropoutWrapper, self).__init__(cell)
        if variational_recurrent or dropout_state_filter_visitor is not None:
            raise NotImplementedError('DropoutWrapper: variational_recurrent and dropout_state_filter_visitor are not '
                                      'part of tensh')
        self._seed = seed
        self._keep = {}
        for name, value in [('input_keep_prob', input_keep_prob), ('state_keep_prob', state_keep_prob),
                            ('output_keep_prob', output_keep_prob)]:
            if isinstance(value, (int, float)) and not 0 <= value <= 1:
                raise ValueError('Parameter %s must be between 0 and 1: %s' % (name, value))
            self._keep[name] = value

    wrapped_cell = property(lambda self: self._cell)

    def _seed_for(self, salt):
        # Derives a separate seed for each position. TensorFlow uses MD5 for this, which tensh does
        # not have.
        if self._seed is None:
            return None
        return sum((i + 1) * ord(c) for i, c in enumerate(salt + str(self._seed))) % (2 ** 31)

    def _drop(self, value, name, salt):
        keep = self._keep[name]
        if isinstance(keep, (int, float)) and keep >= 1:
            return value
        leaves = [tf.nn.dropout(v, keep_prob=keep, seed=self._seed_for('%s_%d' % (salt, i)))
                  for i, v in enumerate(_flat(value))]
        return tf.nest.pack_sequence_as(value, leaves)

    def _drop_state(self, state):
        # In an LSTM's state (c, h), only h is dropped.
        if isinstance(state, LSTMStateTuple):
            return LSTMStateTuple(state.c, self._drop(state.h, 'state_keep_prob', 'state'))
        if isinstance(state, tuple):
            return tuple(self._drop_state(s) for s in state)
        return self._drop(state, 'state_keep_prob', 'state')

    def __call__(self, inputs, state, scope=None):
        inputs = self._drop(inputs, 'input_keep_prob', 'input')
        output, new_state = self._cell(inputs, state, scope=scope)
        keep = self._keep['state_keep_prob']
        if not isinstance(keep, (int, float)) or keep < 1:
            new_state = self._drop_state(new_state)
        return self._drop(output, 'output_keep_prob', 'output'), new_state


class ResidualWrapper(_Wrapper):
    """Adds a cell's inputs to its outputs."""

    def __init__(self, cell, residual_fn=None):
        super(ResidualWrapper, self).__init__(cell)
        self._residual_fn = residual_fn

    def __call__(self, inputs, state, scope=None):
        outputs, new_state = self._cell(inputs, state, scope=scope)
        if self._residual_fn:
            return self._residual_fn(inputs, outputs), new_state
        return tf.nest.map_structure(lambda i, o: i + o, inputs, outputs), new_state


class DeviceWrapper(_Wrapper):
    """Runs a cell on a device."""

    def __init__(self, cell, device):
        super(DeviceWrapper, self).__init__(cell)
        self._device = device

    def __call__(self, inputs, state, scope=None):
        with tf.device(self._device):
            return self._cell(inputs, state, scope=scope)


class MultiRNNCell(RNNCell):
    """A sequence of cells, each of which takes the output of the previous one."""

    def __init__(self, cells, state_is_tuple=True):
        super(MultiRNNCell, self).__init__()
        if not cells:
            raise ValueError('Must specify at least one cell for MultiRNNCell.')
        if not isinstance(cells, (list, tuple)):
            raise TypeError('cells must be a list or tuple, but saw: %s.' % (cells,))
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(isinstance(c.state_size, tuple) for c in cells):
            raise ValueError('Some cells return tuples of states, but the flag state_is_tuple is not set.  State '
                             'sizes are: %s' % str([c.state_size for c in cells]))

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    output_size = property(lambda self: self._cells[-1].output_size)

    @property
    def trainable_weights(self):
        return sum([c.trainable_weights for c in self._cells], []) if self.trainable else []

    @property
    def non_trainable_weights(self):
        return sum([c.non_trainable_weights for c in self._cells], [])

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + 'ZeroState'):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super(MultiRNNCell, self).zero_state(batch_size, dtype)

    def call(self, inputs, state):
        at, states = 0, []
        for i, cell in enumerate(self._cells):
            with tf.variable_scope('cell_%d' % i):
                if self._state_is_tuple:
                    if not isinstance(state, (list, tuple)):
                        raise ValueError('Expected state to be a tuple of length %d, but received: %s'
                                         % (len(self.state_size), state))
                    one = state[i]
                else:
                    one = tf.slice(state, [0, at], [-1, cell.state_size])
                    at += cell.state_size
                inputs, new_state = cell(inputs, one)
                states.append(new_state)
        return inputs, tuple(states) if self._state_is_tuple else tf.concat(states, 1)
