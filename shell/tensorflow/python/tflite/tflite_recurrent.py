"""Rules of TensorFlow Lite: recurrent layers. Their state is a variable, which keeps its value from run to run."""
from _library.tflite_control import State
from _library.tflite_conv import hybrid_product
from _library.tflite_rules import rule, integers, Refused, activated, dequantized, quantized


class _Products(object):
    """The products of a layer with its weights, which may be integers while the layer computes with floats."""

    def __init__(self, n, inputs, asymmetric):
        self.n, self.inputs, self.asymmetric = n, inputs, asymmetric

    def get(self, i):
        """Input i as numbers, or None if it is missing."""
        if i >= len(self.inputs) or self.inputs[i] is None:
            return None
        x, info = self.inputs[i], self.n.ins[i]
        if isinstance(x, State):
            x = x.read()
        if x.dtype == tf.int32 and info.scale is not None:  # a bias
            return tf.cast(x, tf.float32) * float(info.scale[0])
        return dequantized(x, info)

    def write(self, i, value):
        if isinstance(self.inputs[i], State):
            self.inputs[i].write(quantized(value, self.n.ins[i]))

    def has(self, i):
        return i < len(self.inputs) and self.inputs[i] is not None

    def times(self, x, i):
        """x w' for the weights of input i, or None if they are missing."""
        if not self.has(i):
            return None
        info = self.n.ins[i]
        if info.is_quantized() and not self.n.ins[0].is_quantized():
            return hybrid_product(self.n, x, self.inputs[i], i, self.asymmetric)
        return tf.matmul(x, self.get(i), transpose_b=True)


def _sum(*terms):
    """The sum of the terms that exist."""
    total = None
    for t in terms:
        total = t if total is None else total if t is None else total + t
    return total


def _over_time(x, step, states, backwards=False):
    """Runs step(x, states) for x[t] in order of t. Returns the first state at each time, and the last states."""
    x = tf.reverse(x, [0]) if backwards else x
    time = tf.shape(x)[0]
    inputs = tf.TensorArray(x.dtype, time).unstack(x)

    def body(t, outputs, *old):
        item = inputs.read(t)
        item.set_shape(x.shape[1:])
        new = step(item, list(old))
        return (t + 1, outputs.write(t, new[0])) + tuple(new)
    loop = tf.while_loop(lambda t, *rest: t < time, body, [tf.constant(0), tf.TensorArray(tf.float32, time)] + states,
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([])] + [tf.TensorShape([None] + s.shape.as_list()[
                             1:]) for s in states])
    y = loop[1].stack()
    y.set_shape([x.shape.as_list()[0], x.shape.as_list()[1], states[0].shape.as_list()[1]])
    return (tf.reverse(y, [0]) if backwards else y), list(loop[2:])


def _both(names):
    """Registers a rule for floats, and for floats with weights that are integers; those of other integers are computed with
    the numbers that they stand for."""
    def add(f):
        def numbers(n, *inputs):
            made = f(n, list(inputs))
            made = made if isinstance(made, list) else [made]
            return [quantized(v, i) if v is not None else None for v, i in zip(made, n.outs)]
        rule(names)(numbers)
        integers(names)(numbers)
        return f
    return add


# ---- plain layers ----

def _rnn_step(p, w, r, b, code, aux=None):
    def step(x, states):
        return [activated(_sum(p.times(x, w), p.times(states[0], r), p.get(b)), code)]
    return step


@_both('RNN')
def _rnn(n, inputs):
    p = _Products(n, inputs, n.flag(1))
    h = _rnn_step(p, 1, 2, 3, n.byte(0))(p.get(0), [p.get(4)])[0]
    p.write(4, h)
    return h


def _times_first(x, time_major):
    return x if time_major else tf.transpose(x, [1, 0, 2])


@_both('UNIDIRECTIONAL_SEQUENCE_RNN')
def _sequence_rnn(n, inputs):
    p = _Products(n, inputs, n.flag(2))
    y, last = _over_time(_times_first(p.get(0), n.flag(0)), _rnn_step(p, 1, 2, 3, n.byte(1)), [p.get(4)])
    p.write(4, last[0])
    return _times_first(y, n.flag(0))


@_both('BIDIRECTIONAL_SEQUENCE_RNN')
def _two_rnns(n, inputs):
    p, time_major = _Products(n, inputs, n.flag(3)), n.flag(0)
    if p.has(10) or p.has(11):
        raise Refused('auxiliary weights are not supported')
    x = _times_first(p.get(0), time_major)
    second = _times_first(p.get(9), time_major) if p.has(9) else x
    forwards, last = _over_time(x, _rnn_step(p, 1, 2, 3, n.byte(1)), [p.get(4)])
    p.write(4, last[0])
    backwards, last = _over_time(second, _rnn_step(p, 5, 6, 7, n.byte(1)), [p.get(8)], True)
    p.write(8, last[0])
    return _merged(n, forwards, backwards, time_major, n.flag(2))


def _merged(n, forwards, backwards, time_major, merge):
    if merge:
        return _times_first(tf.concat([forwards, backwards], -1), time_major)
    return [_times_first(forwards, time_major), _times_first(backwards, time_major)]


@_both('SVDF')
def _svdf(n, inputs):
    """A matrix of filters, each the product of a filter of features and one of the last times."""
    p = _Products(n, inputs, n.flag(2))
    by_time = p.get(2)
    filters, memory = by_time.shape.as_list()
    old = tf.reshape(p.get(4), [-1, filters, memory])
    new = tf.concat([old[:, :, 1:], tf.expand_dims(p.times(p.get(0), 1), 2)], 2)
    p.write(4, tf.reshape(new, [-1, filters * memory]))
    y = tf.reduce_sum(new * by_time, 2)
    y = tf.reduce_sum(tf.reshape(y, [-1, filters // n.int(0), n.int(0)]), 2)
    return activated(_sum(y, p.get(3)), n.byte(1))


# ---- LSTM ----

class _Lstm(object):
    """One direction of an LSTM. `first` is the number of its first weights, and the parts follow in a fixed order."""

    def __init__(self, p, first, activation, clip, projection_clip, norms=None, aux=None, diagonal=False):
        self.p, self.first, self.activation, self.clips = p, first, activation, (clip, projection_clip)
        self.norms, self.aux, self.diagonal = norms, aux, diagonal

    def gate(self, k, x, h, c, a):
        """The sum of gate k (input, forget, cell, output) before its activation."""
        p, first = self.p, self.first
        peephole = {0: 8, 1: 9, 3: 10}.get(k)
        recurrent = h * p.get(first + 4 + k) if self.diagonal else p.times(h, first + 4 + k)
        y = _sum(p.times(x, first + k), recurrent, None if a is None else p.times(a, self.aux + k))
        if peephole is not None and p.has(first + peephole):
            y = y + c * p.get(first + peephole)
        if self.norms is not None and p.has(self.norms + k):
            mean = tf.reduce_mean(y, 1, True)
            variance = tf.reduce_mean(tf.square(y - mean), 1, True)
            y = (y - mean) * tf.rsqrt(tf.maximum(variance, 1e-8)) * p.get(self.norms + k)
        return _sum(y, p.get(first + 11 + k))

    def step(self, x, states, a=None):
        h, c = states
        p, first = self.p, self.first
        forget = tf.sigmoid(self.gate(1, x, h, c, a))
        i = tf.sigmoid(self.gate(0, x, h, c, a)) if p.has(first) else 1 - forget
        c = forget * c + i * activated(self.gate(2, x, h, c, a), self.activation)
        c = _clipped(c, self.clips[0])
        h = tf.sigmoid(self.gate(3, x, h, c, a)) * activated(c, self.activation)
        if p.has(first + 15):
            h = _clipped(_sum(p.times(h, first + 15), p.get(first + 16)), self.clips[1])
        return [h, c]


def _clipped(x, most):
    return tf.minimum(tf.maximum(x, -most), most) if most > 0 else x


@_both('LSTM')
def _lstm(n, inputs):
    if n.byte(3) == 1:
        return _basic_lstm(n, inputs)
    p = _Products(n, inputs, n.flag(4))
    h, c = _Lstm(p, 1, n.byte(0), n.real(1), n.real(2), 20).step(p.get(0), [p.get(18), p.get(19)])
    p.write(18, h)
    p.write(19, c)
    return [h, None, None, None]


def _basic_lstm(n, inputs):
    """One product for the gates input, cell, forget and output."""
    p = _Products(n, inputs, False)
    x = tf.concat([p.get(0), p.get(1)], 1)
    gates = _sum(tf.matmul(x, p.get(2), transpose_b=True), p.get(3))
    i, g, f, o = tf.split(gates, 4, 1)
    c = tf.sigmoid(f) * p.get(4) + tf.sigmoid(i) * tf.tanh(g)
    h = tf.sigmoid(o) * tf.tanh(c)
    p.write(1, h)
    p.write(4, c)
    return [h, c, x, gates]


@_both('UNIDIRECTIONAL_SEQUENCE_LSTM')
def _sequence_lstm(n, inputs):
    p, time_major = _Products(n, inputs, n.flag(4)), n.flag(3)
    layer = _Lstm(p, 1, n.byte(0), n.real(1), n.real(2), 20, None, n.flag(5))
    y, last = _over_time(_times_first(p.get(0), time_major), layer.step, [p.get(18), p.get(19)])
    p.write(18, last[0])
    p.write(19, last[1])
    return _times_first(y, time_major)


@_both('BIDIRECTIONAL_SEQUENCE_LSTM')
def _two_lstms(n, inputs):
    p, time_major = _Products(n, inputs, n.flag(5)), n.flag(4, True)
    x = _times_first(p.get(0), time_major)
    aux = _times_first(p.get(39), time_major) if p.has(39) else None
    linked = p.has(40)  # otherwise, the second direction reads the auxiliary input
    results = []
    for first, state, weights, backwards in ((1, 35, 40, False), (18, 37, 44, True)):
        layer = _Lstm(p, first, n.byte(0), n.real(1), n.real(2), None, weights)
        own = aux if aux is not None and not linked and backwards else x
        step, size = layer.step, own.shape.as_list()[2]
        if linked:
            own = tf.concat([x, aux], 2)

            def step(both, states, layer=layer, size=size):
                return layer.step(both[:, :size], states, both[:, size:])
        y, last = _over_time(own, step, [p.get(state), p.get(state + 1)], backwards)
        p.write(state, last[0])
        p.write(state + 1, last[1])
        results.append(y)
    return _merged(n, results[0], results[1], time_major, n.flag(3))
