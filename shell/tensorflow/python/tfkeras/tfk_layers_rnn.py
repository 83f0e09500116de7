"""tf.keras.layers: recurrent layers, their cells, and the layers that wrap another one."""
import _library
from _library.tfk_base import Layer, as_list, shapes_of, _arguments_of
from _library.tfk_state import floatx, learning_phase
from _library.layers import InputSpec, _smart_cond
from _library import tfk_named, tfk_backend


def _time_major(x):
    rank = x.get_shape().ndims
    return tf.transpose(x, [1, 0] + list(range(2, rank)))


def _masked(mask, new, old):
    mask = tf.expand_dims(mask, -1)
    for _ in range(new.get_shape().ndims - 2):
        mask = tf.expand_dims(mask, -1)
    return tf.where(tf.logical_and(mask, tf.ones_like(new, dtype=tf.bool)), new, old)


def _unrolled(step, x, states, mask, steps, backwards):
    inputs, outputs, last = tf.unstack(x, steps), [], None
    masks = tf.unstack(mask, steps) if mask is not None else [None] * steps
    order = range(steps - 1, -1, -1) if backwards else range(steps)
    for t in order:
        output, new = step(inputs[t], states)
        if mask is not None:
            output = _masked(masks[t], output, tf.zeros_like(output) if last is None else last)
            new = [_masked(masks[t], n, s) for n, s in zip(new, states)]
        outputs.append(output)
        last, states = output, list(new)
    return last, tf.stack(outputs), states


def _looped(step, x, states, mask, backwards):
    count = tf.shape(x)[0]
    if backwards:
        x = tf.reverse(x, [0])
        mask = tf.reverse(mask, [0]) if mask is not None else None
    inputs = tf.TensorArray(x.dtype, size=count, tensor_array_name='input_ta').unstack(x)
    masks = tf.TensorArray(tf.bool, size=count, tensor_array_name='mask_ta').unstack(mask) if mask is not None else None
    first, _ = step(x[0], states)
    results = tf.TensorArray(first.dtype, size=count, tensor_array_name='output_ta')

    def body(time, results, last, *states):
        states = list(states)
        output, new = step(inputs.read(time), states)
        if masks is not None:
            keep = masks.read(time)
            output = _masked(keep, output, last)
            new = [_masked(keep, n, s) for n, s in zip(new, states)]
        for n, s in zip(new, states):
            n.set_shape(s.get_shape())
        return (time + 1, results.write(time, output), output if masks is not None else last) + tuple(new)
    # The output of the first step gives the shape of the outputs. Nothing computes it unless a mask needs zeros.
    last = tf.zeros_like(first) if masks is not None else tf.constant(0.)
    done = tf.while_loop(lambda time, *_: time < count, body, (tf.constant(0), results, last) + tuple(states),
                         parallel_iterations=32, maximum_iterations=None)
    outputs = done[1].stack()
    outputs.set_shape([x.get_shape()[0].value] + first.get_shape().as_list())
    return outputs[-1], outputs, list(done[3:])


def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False,
        input_length=None, time_major=False, zero_output_for_mask=False):
    """Calls a function for each step of a sequence. Returns the last output, all outputs and the last states."""
    x = inputs if time_major else _time_major(inputs)
    if mask is not None:
        mask = tf.cast(mask, tf.bool)
        mask = mask if time_major else _time_major(mask)
    constants = list(constants or [])

    def step(value, states):
        return step_function(value, list(states) + constants)
    if unroll:
        steps = x.get_shape()[0].value
        if steps is None:
            raise ValueError('Unrolling requires a fixed number of timesteps.')
        last, outputs, states = _unrolled(step, x, list(initial_states), mask, steps, go_backwards)
    else:
        last, outputs, states = _looped(step, x, list(initial_states), mask, go_backwards)
    return last, outputs if time_major else _time_major(outputs), states


class _Cell(Layer):
    """The base class of cells. gates: how many matrices of `units` columns the kernel holds."""
    gates = 1

    def __init__(self, units, activation='tanh', use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros', kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., **kwargs):
        super(_Cell, self).__init__(**kwargs)
        self._set(units=units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                  recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer,
                  kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
                  bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
                  recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint,
                  dropout=float(min(1., max(0., dropout))), recurrent_dropout=float(min(1., max(0., recurrent_dropout))))
        self._dropped = {}

    state_size = property(lambda self: self.units)
    output_size = property(lambda self: self.units)
    _bias_shape = property(lambda self: [self.gates * self.units])
    _bias_start = property(lambda self: self.bias_initializer)

    def build(self, input_shape):
        depth = input_shape.as_list()[-1]
        columns = self.gates * self.units
        self.kernel = self.add_weight('kernel', [depth, columns], initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight('recurrent_kernel', [self.units, columns],
                                                initializer=self.recurrent_initializer,
                                                regularizer=self.recurrent_regularizer,
                                                constraint=self.recurrent_constraint)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', self._bias_shape, initializer=self._bias_start,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)
        self.built = True

    def reset_dropout_mask(self):
        self._dropped = {}

    reset_recurrent_dropout_mask = reset_dropout_mask

    def _drop(self, what, rate, x, training):
        """Returns one factor for each gate, which all steps of a call share."""
        if not rate:
            return [1.] * self.gates
        if what not in self._dropped:
            training = learning_phase() if training is None else training
            ones = tf.ones_like(x)
            self._dropped[what] = [_smart_cond(training, lambda: tf.nn.dropout(ones, rate=rate), lambda: tf.identity(ones))
                                   for _ in range(self.gates)]
        return self._dropped[what]

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        sizes = as_list(self.state_size)
        made = []
        for size in sizes:
            zeros = tf.zeros(tf.stack([batch_size, size]), dtype=dtype)
            zeros.set_shape([None, size])
            made.append(zeros)
        return made

    def _products(self, x, h, training):
        """Returns the products with the kernels, with the bias, for each gate."""
        by_x, by_h = self._drop('x', self.dropout, x, training), self._drop('h', self.recurrent_dropout, h, training)
        if not self.dropout and not self.recurrent_dropout:
            z = tf.matmul(x, self.kernel) + tf.matmul(h, self.recurrent_kernel)
            z = tf.nn.bias_add(z, self.bias) if self.use_bias else z
            return tf.split(z, self.gates, axis=1)
        kernels, recurrent = [tf.split(k, self.gates, axis=1) for k in (self.kernel, self.recurrent_kernel)]
        biases = tf.split(self.bias, self.gates) if self.use_bias else [0.] * self.gates
        return [tf.matmul(x * by_x[i], kernels[i]) + tf.matmul(h * by_h[i], recurrent[i]) + biases[i]
                for i in range(self.gates)]


class SimpleRNNCell(_Cell):
    """The cell of SimpleRNN."""

    def call(self, inputs, states, training=None):
        z, = self._products(inputs, states[0], training)
        output = self.activation(z)
        return output, [output]


class LSTMCell(_Cell):
    """The cell of LSTM."""
    gates = 4

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.,
                 recurrent_dropout=0., implementation=1, **kwargs):
        super(LSTMCell, self).__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer,
            recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint, dropout,
            recurrent_dropout, **kwargs)
        self._set(recurrent_activation=recurrent_activation, unit_forget_bias=unit_forget_bias,
                  implementation=implementation)

    state_size = property(lambda self: [self.units, self.units])

    @property
    def _bias_start(self):
        if not self.unit_forget_bias:
            return self.bias_initializer

        def bias(shape, dtype=None, partition_info=None):
            n = self.units
            return tf.concat([self.bias_initializer([n], dtype=dtype), tf.ones([n], dtype),
                              self.bias_initializer([2 * n], dtype=dtype)], 0)
        return bias

    def call(self, inputs, states, training=None):
        h, c = states[0], states[1]
        i, f, candidate, o = self._products(inputs, h, training)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(candidate)
        h = gate(o) * self.activation(c)
        return h, [h, c]


class GRUCell(_Cell):
    """The cell of GRU."""
    gates = 3

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros',
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0., recurrent_dropout=0., implementation=1,
                 reset_after=False, **kwargs):
        super(GRUCell, self).__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer,
            recurrent_regularizer, bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint, dropout,
            recurrent_dropout, **kwargs)
        self._set(recurrent_activation=recurrent_activation, implementation=implementation, reset_after=reset_after)

    @property
    def _bias_shape(self):
        return [2, 3 * self.units] if self.reset_after else [3 * self.units]

    def call(self, inputs, states, training=None):
        h, n = states[0], self.units
        by_x, by_h = self._drop('x', self.dropout, inputs, training), self._drop('h', self.recurrent_dropout, h, training)
        outer = inner = None
        if self.use_bias:
            outer, inner = (self.bias[0], self.bias[1]) if self.reset_after else (self.bias, None)
        if self.dropout:
            kernels = tf.split(self.kernel, 3, axis=1)
            x = tf.concat([tf.matmul(inputs * by_x[i], kernels[i]) for i in range(3)], 1)
        else:
            x = tf.matmul(inputs, self.kernel)
        x = tf.nn.bias_add(x, outer) if outer is not None else x
        xz, xr, xh = tf.split(x, 3, axis=1)
        gate = self.recurrent_activation
        if self.reset_after:
            r = tf.matmul(h * by_h[0], self.recurrent_kernel)
            r = tf.nn.bias_add(r, inner) if inner is not None else r
            rz, rr, rh = tf.split(r, 3, axis=1)
            z = gate(xz + rz)
            candidate = self.activation(xh + gate(xr + rr) * rh)
        else:
            kz, kr, kh = [self.recurrent_kernel[:, i * n:(i + 1) * n] for i in range(3)]
            z, r = gate(xz + tf.matmul(h * by_h[0], kz)), gate(xr + tf.matmul(h * by_h[1], kr))
            candidate = self.activation(xh + tf.matmul(r * h * by_h[2], kh))
        h = z * h + (1. - z) * candidate
        return h, [h]


class StackedRNNCells(Layer):
    """Cells of which each takes the output of the one before."""

    def __init__(self, cells, **kwargs):
        super(StackedRNNCells, self).__init__(**kwargs)
        self.cells = list(cells)

    state_size = property(lambda self: [s for cell in self.cells for s in as_list(cell.state_size)])
    output_size = property(lambda self: as_list(self.cells[-1].state_size)[0])

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        return [s for cell in self.cells for s in _initial_state(cell, inputs)]

    def call(self, inputs, states, **kwargs):
        at, new = 0, []
        for cell in self.cells:
            count = len(as_list(cell.state_size))
            inputs, made = cell(inputs, states[at:at + count])
            new.extend(as_list(made))
            at += count
        return inputs, new

    def reset_dropout_mask(self):
        for cell in self.cells:
            if hasattr(cell, 'reset_dropout_mask'):
                cell.reset_dropout_mask()

    def get_config(self):
        return dict(super(StackedRNNCells, self).get_config(),
                    cells=[tfk_named.serialize_keras_object(cell) for cell in self.cells])

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        return cls([_library.tfk_saving.layer_from_config(c) for c in config.pop('cells')], **config)


def _initial_state(cell, inputs):
    if hasattr(cell, 'get_initial_state'):
        return as_list(cell.get_initial_state(inputs=inputs, batch_size=None, dtype=None))
    made = []
    for size in as_list(cell.state_size):
        zeros = tf.zeros(tf.stack([tf.shape(inputs)[0], size]), inputs.dtype)
        zeros.set_shape([None, size])
        made.append(zeros)
    return made


class RNN(Layer):
    """Calls a cell for each step of a sequence."""

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False,
                 time_major=False, **kwargs):
        kwargs.pop('implementation', None)
        if 'input_shape' not in kwargs and ('input_dim' in kwargs or 'input_length' in kwargs):
            kwargs['input_shape'] = (kwargs.pop('input_length', None), kwargs.pop('input_dim', None))
        super(RNN, self).__init__(**kwargs)
        if not hasattr(cell, 'state_size') and not isinstance(cell, (list, tuple)):
            raise ValueError('The RNN cell should have an attribute `state_size`. Received: %r' % (cell,))
        self.cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self._set(return_sequences=return_sequences, return_state=return_state, go_backwards=go_backwards,
                  stateful=stateful, unroll=unroll, time_major=time_major)
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3) if type(self).__name__ != 'RNN' else None
        self.states = None

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        mask = mask if self.return_sequences else None
        return [mask] + [None] * len(as_list(self.cell.state_size)) if self.return_state else mask

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        if isinstance(inputs, (list, tuple)):
            inputs, initial_state = inputs[0], list(inputs[1:]) or initial_state
        if initial_state is not None:
            kwargs['initial_state'] = as_list(initial_state)
        return super(RNN, self).__call__(inputs, **kwargs)

    def build(self, input_shape):
        if isinstance(self.cell, Layer) and not isinstance(self.cell, StackedRNNCells) and not self.cell.built:
            self.cell._dtype = self.cell._dtype or self._dtype
            self.cell.build(tf.TensorShape(input_shape.as_list()[:1] + input_shape.as_list()[2:]))
            self.cell.built = True
        if self.stateful and self.states is None:
            self._make_states(input_shape.as_list()[0])
        self.built = True

    def _make_states(self, batch):
        if batch is None:
            raise ValueError('If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input '
                             'tensors: \n- If using a Sequential model, specify the batch size by passing a '
                             '`batch_input_shape` argument to your first layer.\n- If using the functional API, specify '
                             'the batch size by passing a `batch_shape` argument to your Input layer.')
        self.states = None
        made = [tf.Variable(np.zeros([batch, size], np.float32), trainable=False, name='state', use_resource=True)
                for size in as_list(self.cell.state_size)]
        object.__setattr__(self, 'states', made)

    def reset_states(self, states=None):
        """Sets the states of a stateful layer, to 0 if none are given."""
        if not self.stateful:
            raise AttributeError('Layer must be stateful.')
        if self.states is None:
            return
        values = as_list(states) if states is not None else [np.zeros(s.get_shape().as_list()) for s in self.states]
        tfk_backend.batch_set_value(list(zip(self.states, values)))

    def call(self, inputs, mask=None, training=None, initial_state=None):
        if isinstance(mask, (list, tuple)):
            mask = mask[0]
        cell = self.cell
        if hasattr(cell, 'reset_dropout_mask'):
            cell.reset_dropout_mask()
        states = initial_state
        if states is None:
            states = [tf.identity(s) for s in self.states] if self.stateful else _initial_state(cell, inputs)
        accepts = _arguments_of(cell.call) if isinstance(cell, Layer) else ()
        options = {'training': training} if 'training' in accepts else {}

        def step(x, states):
            call = cell.call if isinstance(cell, _Cell) else cell
            output, new = call(x, states if len(states) > 1 or isinstance(cell, Layer) else states, **options)
            return output, as_list(new)
        if getattr(cell, 'dropout', 0) or getattr(cell, 'recurrent_dropout', 0):
            cell._drop('x', cell.dropout, inputs[:, 0], training)
            cell._drop('h', cell.recurrent_dropout, states[0], training)
        last, outputs, states = rnn(step, inputs, states, go_backwards=self.go_backwards, mask=mask, unroll=self.unroll,
                                    time_major=self.time_major)
        if self.stateful:
            self.add_update([tf.assign(kept, new) for kept, new in zip(self.states, states)])
        output = outputs if self.return_sequences else last
        return [output] + list(states) if self.return_state else output

    def get_config(self):
        return dict(super(RNN, self).get_config(), cell=tfk_named.serialize_keras_object(self.cell))

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        cell = config.pop('cell')
        return cls(_library.tfk_saving.layer_from_config(cell, custom_objects), **config)


class _WithCell(RNN):
    """The base class of layers that make their own cell."""
    make = None
    order = ()        # the names of the arguments of the cell, in the order of the layer's
    loop = ('return_sequences', 'return_state', 'go_backwards', 'stateful', 'unroll', 'time_major')
    base = ('name', 'trainable', 'dtype', 'input_shape', 'batch_input_shape', 'input_dim', 'input_length', 'weights',
            'batch_size', 'implementation')

    def __init__(self, units, *args, **kwargs):
        given = dict(zip(self.order, args), **kwargs)
        regularizer = given.pop('activity_regularizer', None)
        own = {k: given.pop(k) for k in list(given) if k in self.loop + self.base}
        if len(args) > len(self.order):
            raise TypeError('%s takes at most %d positional arguments.' % (type(self).__name__, len(self.order) + 1))
        if self.make is not SimpleRNNCell and 'implementation' in own:
            given['implementation'] = own['implementation']
        super(_WithCell, self).__init__(self.make(units, name='cell', **given), activity_regularizer=regularizer, **own)

    def _track(self, value):
        if isinstance(value, _Cell):
            value._name = self._name
        super(_WithCell, self)._track(value)

    units = property(lambda self: self.cell.units)
    kernel = property(lambda self: self.cell.kernel)
    recurrent_kernel = property(lambda self: self.cell.recurrent_kernel)
    bias = property(lambda self: self.cell.bias)

    def get_config(self):
        config = Layer.get_config(self)
        inner = self.cell.get_config()
        config.update({k: v for k, v in inner.items() if k not in ('name', 'trainable', 'dtype')})
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(**config)


_COMMON = ('kernel_initializer', 'recurrent_initializer', 'bias_initializer')


class SimpleRNN(_WithCell):
    """A layer whose output is its state."""
    make = SimpleRNNCell
    order = ('activation', 'use_bias') + _COMMON


class LSTM(_WithCell):
    """Long short-term memory."""
    make = LSTMCell
    order = ('activation', 'recurrent_activation', 'use_bias') + _COMMON + ('unit_forget_bias',)


class GRU(_WithCell):
    """A gated recurrent unit."""
    make = GRUCell
    order = ('activation', 'recurrent_activation', 'use_bias') + _COMMON


class CuDNNLSTM(LSTM):
    """An LSTM with the functions that cuDNN has."""

    def __init__(self, units, **kwargs):
        super(CuDNNLSTM, self).__init__(units, recurrent_activation='sigmoid', **kwargs)


class CuDNNGRU(GRU):
    """A GRU with the functions that cuDNN has."""

    def __init__(self, units, **kwargs):
        super(CuDNNGRU, self).__init__(units, recurrent_activation='sigmoid', reset_after=True, **kwargs)


class Wrapper(Layer):
    """The base class of layers that wrap another one."""

    def __init__(self, layer, **kwargs):
        super(Wrapper, self).__init__(**kwargs)
        self.layer = layer

    def get_config(self):
        return dict(super(Wrapper, self).get_config(), layer=tfk_named.serialize_keras_object(self.layer))

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        layer = _library.tfk_saving.layer_from_config(config.pop('layer'), custom_objects)
        return cls(layer, **config)


class TimeDistributed(Wrapper):
    """Applies a layer to each step of a sequence."""

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError('Please initialize `TimeDistributed` layer with a `Layer` instance. You passed: %s' % (layer,))
        super(TimeDistributed, self).__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        layer = self.layer
        if not layer.built:
            layer._dtype = layer._dtype or self._dtype
            layer.build(tf.TensorShape(input_shape.as_list()[:1] + input_shape.as_list()[2:]))
            layer.built = True
        self.built = True

    def call(self, inputs, training=None, mask=None):
        known = inputs.get_shape().as_list()
        options = {'training': training} if 'training' in self.layer._call_arguments() else {}
        sizes = tf.shape(inputs)
        flat = tf.reshape(inputs, [-1] + [sizes[i + 2] if d is None else d for i, d in enumerate(known[2:])])
        outputs = self.layer(flat, **options)
        made = outputs.get_shape().as_list()
        after = tf.shape(outputs)
        result = tf.reshape(outputs, [sizes[0] if known[0] is None else known[0],
                                      sizes[1] if known[1] is None else known[1]] +
                            [after[i + 1] if d is None else d for i, d in enumerate(made[1:])])
        result.set_shape(known[:2] + made[1:])
        return result


class Bidirectional(Wrapper):
    """Runs a recurrent layer forwards and backwards."""

    def __init__(self, layer, merge_mode='concat', weights=None, backward_layer=None, **kwargs):
        if merge_mode not in ('sum', 'mul', 'ave', 'concat', None):
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        super(Bidirectional, self).__init__(layer, **kwargs)
        self.__dict__['_layers'] = []
        config = layer.get_config()

        def twin(backwards, prefix):
            made = dict(config, name=prefix + layer.name)
            if backwards:
                made['go_backwards'] = not config['go_backwards']
            return type(layer).from_config(made)
        self.forward_layer = twin(False, 'forward_')
        self.backward_layer = twin(True, 'backward_') if backward_layer is None else backward_layer
        self._set(merge_mode=merge_mode)
        self.supports_masking, self.return_sequences = True, layer.return_sequences
        self.return_state, self.stateful = layer.return_state, layer.stateful
        if 'batch_input_shape' in config and '_batch_input_shape' not in self.__dict__:
            self._batch_input_shape = config['batch_input_shape']

    def build(self, input_shape):
        self.built = True

    def reset_states(self):
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    def compute_mask(self, inputs, mask=None):
        mask = mask if self.return_sequences else None
        if self.merge_mode is None:
            return [mask, mask]
        return [mask] + [None] * (2 * len(as_list(self.forward_layer.cell.state_size))) if self.return_state else mask

    def call(self, inputs, training=None, mask=None, initial_state=None):
        options = {'training': training}
        if mask is not None:
            options['mask'] = mask
        half = len(initial_state) // 2 if initial_state is not None else 0
        states = (initial_state[:half], initial_state[half:]) if half else (None, None)
        y = self.forward_layer(inputs, initial_state=states[0], **options)
        y_back = self.backward_layer(inputs, initial_state=states[1], **options)
        kept = []
        if self.return_state:
            kept, y, y_back = y[1:] + y_back[1:], y[0], y_back[0]
        if self.return_sequences:
            y_back = tf.reverse(y_back, [1])
        merge = {'concat': lambda: tf.concat([y, y_back], -1), 'sum': lambda: y + y_back, 'mul': lambda: y * y_back,
                 'ave': lambda: (y + y_back) / 2, None: lambda: [y, y_back]}
        output = merge[self.merge_mode]()
        return as_list(output) + kept if self.return_state else output
