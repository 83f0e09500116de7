"""Rules of ONNX: RNN, GRU and LSTM."""
import numpy as np
from _library.onnx_quantized import quantized_product
from _library.onnx_rules import rule, const, Refused, with_rank


def _activation(name, alpha, beta):
    """The function of an activation, whose names ONNX compares without regard to case."""
    def number(value, default):
        return default if value is None else value
    f = {'relu': lambda x: tf.nn.relu(x), 'tanh': tf.tanh, 'sigmoid': tf.sigmoid,
         'affine': lambda x: x * number(alpha, 1.) + number(beta, 0.),
         'leakyrelu': lambda x: tf.nn.leaky_relu(x, number(alpha, .01)),
         'thresholdedrelu': lambda x: tf.where(x > number(alpha, 1.), x, tf.zeros_like(x)),
         'scaledtanh': lambda x: number(alpha, 1.) * tf.tanh(number(beta, 1.) * x),
         'hardsigmoid': lambda x: tf.maximum(tf.minimum(x * number(alpha, .2) + number(beta, .5), 1), 0),
         'elu': lambda x: tf.where(x > 0, x, number(alpha, 1.) * tf.math.expm1(x)), 'softsign': tf.nn.softsign,
         'softplus': tf.nn.softplus}.get(name.lower())
    if f is None:
        raise Refused('its activation %s is not supported' % name)
    return f


class _Layer(object):
    """The parts that the three operators share: directions, lengths of sequences, and the order of the dimensions."""

    def __init__(self, n, x, w, lengths, gates, defaults):
        self.n, self.gates = n, gates
        x = with_rank(x, 3)
        self.batch_first = n.get('layout', 0)
        self.x = tf.transpose(x, [1, 0, 2]) if self.batch_first else x  # [time, batch, features]
        self.lengths = None if lengths is None else tf.cast(lengths, tf.int32)
        self.hidden = n.get('hidden_size', 0) or w.shape.as_list()[1] // gates
        self.direction = n.text('direction', 'forward')
        self.count = 2 if self.direction == 'bidirectional' else 1
        names = n.get('activations', None) or defaults * self.count
        names = [v.decode() if isinstance(v, bytes) else v for v in names]
        self.is_plain = not n.get('clip', 0.) and [v.lower() for v in names] == [v.lower() for v in defaults * self.count]
        alphas, betas = list(n.get('activation_alpha', None) or []), list(n.get('activation_beta', None) or [])
        with_alpha = ('affine', 'leakyrelu', 'thresholdedrelu', 'scaledtanh', 'hardsigmoid', 'elu')
        self.functions = []
        for name in names:
            low = name.lower()
            self.functions.append(_activation(name, alphas.pop(0) if low in with_alpha and alphas else None, betas.pop(
                0) if low in ('affine', 'scaledtanh', 'hardsigmoid') and betas else None))
        clip = n.get('clip', 0.)
        if clip:  # except for the output of an LSTM, as in onnxruntime
            self.functions = [f if gates == 4 and i % 3 == 2 else self._clipped(f, clip)
                              for i, f in enumerate(self.functions)]

    @staticmethod
    def _clipped(f, clip):
        return lambda x: f(tf.maximum(tf.minimum(x, clip), -clip))

    def initial(self, h, d):
        if h is None:
            return tf.zeros(tf.stack([tf.shape(self.x)[1], self.hidden]), self.x.dtype)
        h = with_rank(h, 3)
        h = h[:, d] if self.batch_first else h[d]
        h.set_shape([None, self.hidden])
        return h

    def reversed(self, x, d):
        if self.direction != 'reverse' and d == 0:
            return x
        if self.lengths is None:
            return tf.reverse(x, [0])
        return tf.reverse_sequence(x, self.lengths, 0, 1)

    def projected(self, w, b, times=None):
        """The product of the inputs of all times with the weights, [time, batch, gates * hidden]."""
        shape = tf.shape(self.x)
        flat = tf.reshape(self.x, tf.stack([-1, shape[2]]))
        y = (times or _times)(flat, w) + b
        return tf.reshape(y, tf.stack([shape[0], shape[1], self.gates * self.hidden]))

    def run(self, d, x, step, states):
        """Runs step(x, states) over time, and returns the first state at each time and the last states."""
        x = self.reversed(x, d)
        time = tf.shape(x)[0]
        inputs = tf.TensorArray(x.dtype, time).unstack(x)
        outputs = tf.TensorArray(x.dtype, time)

        def body(t, outputs, *old):
            new = step(inputs.read(t), old)
            out = new[0]
            if self.lengths is not None:
                running = tf.expand_dims(t < self.lengths, 1)
                out = tf.where(tf.logical_and(running, tf.ones_like(out, tf.bool)), out, tf.zeros_like(out))
                new = [tf.raw_ops.SelectV2(condition=running, t=a, e=b) for a, b in zip(new, old)]
            return (t + 1, outputs.write(t, out)) + tuple(new)
        shape = tf.TensorShape([None, self.hidden])
        loop = tf.while_loop(lambda t, *rest: t < time, body, [tf.constant(0), outputs] + list(states), shape_invariants=[
            tf.TensorShape([]), tf.TensorShape([])] + [shape] * len(states))
        y = loop[1].stack()
        y.set_shape([None, None, self.hidden])
        return self.reversed(y, d), loop[2:]

    def outputs(self, runs):
        """Y, and the last states."""
        y = tf.stack([y for y, _ in runs], 1)  # [time, direction, batch, hidden]
        last = [tf.stack([states[i] for _, states in runs], 0) for i in range(len(runs[0][1]))]
        if self.batch_first:
            y = tf.transpose(y, [2, 0, 1, 3])
            last = [tf.transpose(s, [1, 0, 2]) for s in last]
        return [y] + last

    def bias(self, b, d):
        """The biases of the input and of the recurrence."""
        if b is None:
            return 0., 0.
        half = self.gates * self.hidden
        return b[d, :half], b[d, half:]

    def parts(self, x):
        return tf.split(x, self.gates, -1)

    def matrix(self, v, d):
        """The weights of a direction. They are taken before the loop, which would otherwise copy them in each step."""
        return v[d] if self.count > 1 else tf.squeeze(with_rank(v, 3), [0])


@rule('RNN')
def _rnn(n, x, w, r, b=None, lengths=None, h=None):
    layer = _Layer(n, x, w, lengths, 1, ['Tanh'])

    def direction(d):
        wb, rb = layer.bias(b, d)
        f, weights = layer.functions[d], layer.matrix(r, d)

        def step(x, states):
            return [f(x + tf.matmul(states[0], weights, transpose_b=True))]
        return layer.run(d, layer.projected(layer.matrix(w, d), wb + rb), step, [layer.initial(h, d)])
    return layer.outputs([direction(d) for d in range(layer.count)])


@rule('GRU')
def _gru(n, x, w, r, b=None, lengths=None, h=None):
    layer = _Layer(n, x, w, lengths, 3, ['Sigmoid', 'Tanh'])
    size = layer.hidden

    def direction(d):
        wb, rb = layer.bias(b, d)
        f, g = layer.functions[2 * d:2 * d + 2]
        first_rb, last_rb = (rb, rb) if b is None else (rb[:2 * size], rb[2 * size:])
        weights, late = layer.matrix(r, d), n.get('linear_before_reset', 0)
        first, last = (None, None) if late else (weights[:2 * size], weights[2 * size:])

        def step(x, states):
            h = states[0]
            xz, xr, xh = layer.parts(x)
            if late:
                hz, hr, hh = layer.parts(tf.matmul(h, weights, transpose_b=True) + rb)
                z, reset = f(xz + hz), f(xr + hr)
                new = g(xh + reset * hh)
            else:
                hz, hr = tf.split(tf.matmul(h, first, transpose_b=True) + first_rb, 2, -1)
                z, reset = f(xz + hz), f(xr + hr)
                new = g(xh + tf.matmul(reset * h, last, transpose_b=True) + last_rb)
            return [(1 - z) * new + z * h]
        return layer.run(d, layer.projected(layer.matrix(w, d), wb), step, [layer.initial(h, d)])
    return layer.outputs([direction(d) for d in range(layer.count)])


@rule('LSTM')
def _lstm(n, x, w, r, b=None, lengths=None, h=None, c=None, p=None):
    return _lstm_outputs(n, _Layer(n, x, w, lengths, 4, ['Sigmoid', 'Tanh', 'Tanh']), w, r, b, h, c, p)


@rule('DynamicQuantizeLSTM', 1, 'com.microsoft')
def _lstm_quantized(n, x, w, r, b, lengths, h, c, p, w_scale, w_zero, r_scale, r_zero):
    """The weights are integers [input, gates * hidden], and the inputs are quantized before each product."""
    layer = _Layer(n, x, w, lengths, 4, ['Sigmoid', 'Tanh', 'Tanh'])

    def product(weights, scales, zeros):
        return lambda d: quantized_product(*[_row(v, d) for v in (weights, scales, zeros)])
    return _lstm_outputs(n, layer, w, r, b, h, c, p, product(w, w_scale, w_zero), product(r, r_scale, r_zero))


def _values(v, d):
    """v[d], as an array if v is known."""
    known = const(v)
    return v[d] if known is None else known[d]


def _row(v, d):
    """v[d], as a constant if v is known."""
    return tf.convert_to_tensor(_values(v, d))


def _times(x, w):
    return tf.matmul(x, w, transpose_b=True)


def _every(_):
    """The product of each direction, unless its weights are quantized."""
    return _times


def _block(layer, d, w, r, b, h, c):
    """A direction as one op, which takes a fraction of the time of a loop. Weights that are known are arranged once, here."""
    def arranged(v):  # from i, o, f, c to the order of the op: i, f, c, o
        split, concat = (np.split, np.concatenate) if isinstance(v, np.ndarray) else (tf.split, tf.concat)
        i, o, f, c = split(v, 4, 0)
        return concat([i, f, c, o], 0)
    weights, half = [arranged(_values(v, d)) for v in (w, r)], 4 * layer.hidden
    if all(isinstance(v, np.ndarray) for v in weights):
        joined = np.transpose(np.concatenate(weights, 1))
    else:
        joined = tf.transpose(tf.concat(weights, 1))
    bias = tf.zeros([half], layer.x.dtype) if b is None else _values(b, d)
    if b is not None:
        bias = arranged(bias[:half] + bias[half:])
    x, none = layer.reversed(layer.x, d), tf.zeros([layer.hidden], layer.x.dtype)
    made = tf.raw_ops.BlockLSTMV2(seq_len_max=tf.cast(tf.shape(x)[0], tf.int64), x=x, cs_prev=layer.initial(c, d), h_prev=layer.initial(h, d),
                                  w=joined, wci=none, wcf=none, wco=none, b=bias, cell_clip=0., use_peephole=False)
    return layer.reversed(made.h, d), [made.h[-1], made.cs[-1]]


def _lstm_outputs(n, layer, w, r, b, h, c, p, times_w=_every, times_r=_every):
    size = layer.hidden
    if layer.is_plain and times_w is times_r is _every and layer.lengths is None and p is None and not n.get('input_forget', 0) and \
            layer.x.dtype in (tf.float32, tf.float16):
        return layer.outputs([_block(layer, d, w, r, b, h, c) for d in range(layer.count)])

    def direction(d):
        wb, rb = layer.bias(b, d)
        f, g, k = layer.functions[3 * d:3 * d + 3]
        rows, recurrent = layer.matrix(w, d), layer.matrix(r, d)
        by_w, by_r = times_w(d), times_r(d)
        peep = [0.] * 3 if p is None else [p[d, i * size:(i + 1) * size] for i in range(3)]

        def step(x, states):
            h, c = states
            i, o, forget, cell = layer.parts(x + by_r(h, recurrent))
            i = f(i + peep[0] * c)
            forget = 1 - i if n.get('input_forget', 0) else f(forget + peep[2] * c)
            c = forget * c + i * g(cell)
            return [f(o + peep[1] * c) * k(c), c]
        return layer.run(d, layer.projected(rows, wb + rb, by_w), step,
                         [layer.initial(h, d), layer.initial(c, d)])
    return layer.outputs([direction(d) for d in range(layer.count)])
