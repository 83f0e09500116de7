"""Keras layers: recurrent ones. A cell prepares all times at once, and then makes one step after the other in a loop."""
from _library.keras_conv import convolve
from _library.keras_rules import Refused, activate, as_list, dims, is_first, layer, rank, several, snake, where


def _cell_weights(n):
    return ['kernel', 'recurrent_kernel'] + ['bias'] * bool(n.get('use_bias', True))


@layer('SimpleRNNCell LSTMCell GRUCell ConvLSTMCell', _cell_weights)
def _cell(n, *args, **kwargs):
    raise Refused('a cell is used by a layer RNN, not by itself')


def _cells(n):
    found, used = [], {}
    for spec in n.get('cells', []):
        name = snake(spec['class_name'])
        number = used[name] = used.get(name, -1) + 1
        key = name + ('_%d' % number if number else '')
        found.append(('cells/' + key, n.child_of(spec, key)))
    return found


@layer('StackedRNNCells', None, _cells)
def _stacked(n, *args, **kwargs):
    raise Refused('cells are used by a layer RNN, not by themselves')


class _Plain(object):
    """SimpleRNN, LSTM and GRU: cells whose input is a vector."""

    def __init__(self, n):
        self.n, self.units = n, int(n.w('recurrent_kernel').shape[0])
        self.sizes = [[self.units]] * (2 if n.kind == 'LSTMCell' else 1)
        self.kernel, self.recurrent = n.w('kernel'), n.w('recurrent_kernel')
        bias = n.w('bias') if n.has('bias') else None
        self.resets_after = n.kind == 'GRUCell' and bool(n.get('reset_after', n.version >= 3 or bias is not None and rank(bias) == 2))
        self.bias, self.recurrent_bias = bias, None
        if bias is not None and rank(bias) == 2:
            self.bias, self.recurrent_bias = bias[0], bias[1]

    def prepare(self, x):
        """The products of all inputs [time, batch, features] with the kernel."""
        if rank(x) != 3:
            raise Refused('its input has %d dimensions, and 3 are expected' % rank(x))
        shape = dims(x)
        y = tf.matmul(tf.reshape(x, [-1, int(self.kernel.shape[0])]), self.kernel)
        if self.bias is not None:
            y = y + self.bias
        y = tf.reshape(y, tf.stack([shape[0], shape[1], int(self.kernel.shape[1])]))
        y.set_shape(x.shape.as_list()[:2] + [int(self.kernel.shape[1])])
        return y

    def _act(self, x, key='activation', default='tanh'):
        return activate(self.n, x, self.n.config.get(key, default))

    def _gate(self, x):
        return self._act(x, 'recurrent_activation', 'sigmoid' if self.n.version >= 3 else 'hard_sigmoid')

    def step(self, x, states):
        h = states[0]
        if self.n.kind == 'SimpleRNNCell':
            new = self._act(x + tf.matmul(h, self.recurrent))
            return new, [new]
        if self.n.kind == 'LSTMCell':
            i, f, c, o = tf.split(x + tf.matmul(h, self.recurrent), 4, -1)
            carry = self._gate(f) * states[1] + self._gate(i) * self._act(c)
            new = self._gate(o) * self._act(carry)
            return new, [new, carry]
        return self._gru(x, h)

    def _gru(self, x, h):
        z, r, new = tf.split(x, 3, -1)
        if self.resets_after:
            inner = tf.matmul(h, self.recurrent)
            if self.recurrent_bias is not None:
                inner = inner + self.recurrent_bias
            inner_z, inner_r, inner_h = tf.split(inner, 3, -1)
            z, r = self._gate(z + inner_z), self._gate(r + inner_r)
            new = self._act(new + r * inner_h)
        else:
            inner_z, inner_r = tf.split(tf.matmul(h, self.recurrent[:, :2 * self.units]), 2, -1)
            z, r = self._gate(z + inner_z), self._gate(r + inner_r)
            new = self._act(new + tf.matmul(r * h, self.recurrent[:, 2 * self.units:]))
        new = z * h + (1 - z) * new
        return new, [new]


class _Convolving(object):
    """ConvLSTM: a cell whose input and states are images with the channels last."""

    def __init__(self, n, x):
        self.n, self.d = n, rank(x) - 3
        self.kernel, self.recurrent = n.w('kernel'), n.w('recurrent_kernel')
        self.strides, self.dilations = several(n.get('strides', 1), self.d), several(n.get('dilation_rate', 1), self.d)
        window, same = self.kernel.shape.as_list(), n.get('padding', 'valid') == 'same'
        extents = x.shape.as_list()[2:-1]
        if None in extents:
            raise Refused('the size of its images is not known')
        out = [-(-e // s) if same else (e - (k - 1) * d - 1) // s + 1 for e, k, s, d in zip(
            extents, window, self.strides, self.dilations)]
        self.sizes = [out + [window[-1] // 4]] * 2

    def prepare(self, x):
        shape = dims(x)
        flat = tf.reshape(x, tf.stack([-1] + shape[2:]))
        flat.set_shape([None] + x.shape.as_list()[2:])
        y = convolve(flat, self.kernel, self.strides, self.n.get('padding', 'valid'), self.dilations)
        if self.n.has('bias'):
            y = y + self.n.w('bias')
        y = tf.reshape(y, tf.stack(shape[:2] + self.sizes[0][:-1] + [4 * self.sizes[0][-1]]))
        y.set_shape(x.shape.as_list()[:2] + self.sizes[0][:-1] + [4 * self.sizes[0][-1]])
        return y

    def step(self, x, states):
        h, carry = states
        inner = convolve(h, self.recurrent, [1] * self.d, 'same', [1] * self.d)
        i, f, c, o = tf.split(x + inner, 4, -1)
        gate = lambda v: activate(self.n, v, self.n.config.get('recurrent_activation', 'sigmoid'))
        act = lambda v: activate(self.n, v, self.n.config.get('activation', 'tanh'))
        carry = gate(f) * carry + gate(i) * act(c)
        new = gate(o) * act(carry)
        return new, [new, carry]


class _Stack(object):
    """Cells, each of which reads the output of the one before."""

    def __init__(self, cells):
        self.cells = cells
        self.sizes = [s for c in cells for s in c.sizes]

    def prepare(self, x):
        return self.cells[0].prepare(x)

    def step(self, x, states):
        new, at = [], 0
        for i, cell in enumerate(self.cells):
            mine = states[at:at + len(cell.sizes)]
            at += len(cell.sizes)
            x, after = cell.step(tf.squeeze(cell.prepare(tf.expand_dims(x, 0)), [0]) if i else x, mine)
            new += after
        return x, new


def _cell_of(n, x):
    if n.kind == 'StackedRNNCells':
        return _Stack([_cell_of(c, x) for c in n.children.values()])
    if n.kind == 'ConvLSTMCell':
        return _Convolving(n, x)
    if n.kind in ('SimpleRNNCell', 'LSTMCell', 'GRUCell'):
        return _Plain(n)
    raise Refused('its cell %s is not one of Keras' % n.kind)


def _loop(n, cell, x, mask, states):
    """Runs the cell over time. x is [time, batch, ...], mask [time, batch, 1...]. Returns (outputs, last output, states)."""
    prepared = cell.prepare(x)
    time = tf.shape(x)[0]
    inputs = tf.TensorArray(prepared.dtype, time).unstack(prepared)
    outputs = tf.TensorArray(n.dtype, time)
    shapes = [tf.TensorShape([None] + list(s)) for s in cell.sizes]
    size = cell.cells[-1].sizes[0] if isinstance(cell, _Stack) else cell.sizes[0]
    last = tf.zeros(tf.stack([tf.shape(x)[1]] + list(size)), n.dtype)
    inside = None if mask is None else tf.TensorArray(tf.bool, time).unstack(mask)

    def body(t, outputs, last, *old):
        out, new = cell.step(inputs.read(t), list(old))
        shown = out
        if inside is not None:
            here = inside.read(t)
            shown = where(here, out, tf.zeros_like(out) if n.get('zero_output_for_mask', False) else last)
            new = [where(here, a, b) for a, b in zip(new, old)]
            shown.set_shape([None] + list(size))
            for a, s in zip(new, shapes):
                a.set_shape(s)
        return (t + 1, outputs.write(t, shown), shown) + tuple(new)
    found = tf.while_loop(lambda t, *rest: t < time, body, [tf.constant(0), outputs, last] + list(states), shape_invariants=[
        tf.TensorShape([]), tf.TensorShape([]), tf.TensorShape([None] + list(size))] + shapes)
    y = found[1].stack()
    y.set_shape([x.shape.as_list()[0], None] + list(size))
    return y, found[2], list(found[3:])


def _moved(n, x, to_last):
    """Images with the channels first in the other order, or back."""
    if not is_first(n) or x is None or 'Conv' not in n.kind:
        return x
    r = rank(x)
    if to_last:
        first = r - 1 - int(n.kind[8])  # the batch and the time come before the channels
        return tf.transpose(x, list(range(first)) + list(range(first + 1, r)) + [first])
    first = r - 1 - int(n.kind[8])
    return tf.transpose(x, list(range(first)) + [r - 1] + list(range(first, r - 1)))


def _kept_states(n, cell, batch):
    """The variables of a layer that begins each run with the state at the end of the last one."""
    if batch is None:
        raise Refused('it keeps its state for each element of a batch, and the model does not say the size of a batch. Save it with '
                      'keras.Input(batch_shape=...), or with stateful=False')
    return [n.state('state' + ('_%d' % i if i else ''), [batch] + list(size)) for i, size in enumerate(cell.sizes)]


def _after(n, f):
    """Calls f, whose nodes run after the state has changed in an earlier call of the layer."""
    with tf.control_dependencies(n.updates):
        return f()


def _recur(n, x, initial_state=None):
    """Applies a recurrent layer."""
    if isinstance(x, list):
        x, initial_state = x[0], x[1:] or initial_state
    if n.get('time_major', False):
        raise Refused('time_major is not supported')
    mask = n.mask(x)
    known = x.shape.as_list()
    x = _moved(n, x, True)
    cell = _cell_of(n.children['cell'], x)
    batch = tf.shape(x)[0]
    kept = _kept_states(n, cell, known[0]) if n.get('stateful', False) and initial_state is None else []
    if kept:
        states = _after(n, lambda: [v.read_value() for v in kept])
    elif initial_state is None:
        states = [tf.zeros(tf.stack([batch] + list(s)), n.dtype) for s in cell.sizes]
    else:
        states = [tf.cast(_moved(n, s, True), n.dtype) for s in tf.nest.flatten(initial_state)]
    timed = tf.transpose(x, [1, 0] + list(range(2, rank(x))))
    if mask is not None:
        inside = tf.transpose(tf.cast(mask, tf.bool), [1, 0])
        mask_shape = tf.concat([tf.shape(inside), tf.ones([len(cell.sizes[0])], tf.int32)], 0)
        inside = tf.reshape(inside, mask_shape)
        inside.set_shape([None, None] + [1] * len(cell.sizes[0]))
    if n.get('go_backwards', False):
        timed = tf.reverse(timed, [0])
        inside = None if mask is None else tf.reverse(inside, [0])
    y, last, states = _loop(n, cell, timed, None if mask is None else inside, states)
    if kept:  # what leaves the layer waits until its state has changed
        n.updates = [v.assign(s).op for v, s in zip(kept, states)]
        y, last, *states = _after(n, lambda: [tf.identity(t) for t in [y, last] + states])
    if n.get('return_sequences', False):
        out = tf.transpose(y, [1, 0] + list(range(2, rank(y))))
        out.set_shape([known[0], known[1]] + y.shape.as_list()[2:])
        out = _moved(n, out, False)
        n.set_mask(out, mask)
    else:
        out = _moved(n, last, False)
    return [out] + [_moved(n, s, False) for s in states] if n.get('return_state', False) else out


def _own_cell(n):
    kind = n.kind if n.kind[:4] != 'Conv' else 'ConvLSTM'
    return [('cell', n.child(kind + 'Cell', n.config, snake(n.kind) + '_cell'))]


layer('SimpleRNN LSTM GRU ConvLSTM1D ConvLSTM2D ConvLSTM3D', None, _own_cell)(_recur)
layer('RNN', None, lambda n: [('cell', n.child_of(n.get('cell')))])(_recur)


def _both_ways(n):
    forward = n.get('layer')
    config = dict(forward['config'])
    backward = n.get('backward_layer') or {'class_name': forward['class_name'], 'config': dict(
        config, go_backwards=not config.get('go_backwards', False))}
    if config.get('return_sequences'):  # Keras fills masked steps with zeros then
        forward, backward = [dict(s, config=dict(s['config'], zero_output_for_mask=True)) for s in (forward, backward)]
    name = config.get('name') or snake(forward['class_name'])
    name = name[8:] if name.startswith('forward_') else name
    return [('forward_layer', n.child_of(forward, 'forward_' + name)), ('backward_layer', n.child_of(backward, 'backward_' + name))]


@layer('Bidirectional', None, _both_ways)
def _bidirectional(n, x, initial_state=None):
    if isinstance(x, list):
        x, initial_state = x[0], x[1:] or initial_state
    mask = n.mask(x)
    states = [None, None]
    if initial_state is not None:
        flat = tf.nest.flatten(initial_state)
        states = [flat[:len(flat) // 2], flat[len(flat) // 2:]]
    made = [as_list(n.children[key].apply(x, initial_state=s)) for key, s in zip(('forward_layer', 'backward_layer'), states)]
    ahead, back = made[0][0], made[1][0]
    sequences = n.children['forward_layer'].get('return_sequences', False)
    if sequences:
        back = tf.reverse(back, [1])
    mode = n.config.get('merge_mode', 'concat')
    merge = {'concat': lambda: tf.concat([ahead, back], -1), 'sum': lambda: ahead + back, 'ave': lambda: (ahead + back) / 2,
             'mul': lambda: ahead * back, None: None}.get(mode, 0)
    if merge == 0:
        raise Refused('its merge_mode %s is not supported' % mode)
    out = [ahead, back] if merge is None else [merge()]
    if sequences:
        for y in out:
            n.set_mask(y, mask)
    if n.children['forward_layer'].get('return_state', False):
        out += made[0][1:] + made[1][1:]
    return out if len(out) > 1 else out[0]
