"""Rules of TensorFlow Lite: arithmetic, comparisons, activations and reductions."""
import math
import numpy as np
from _library.tflite_rules import rule, moves, integers, Refused, activated, known, axis_of, like, widened, rank, scalar, const
from _library.tflite_rules import fixed_point, scaled, scaled_by, scaled_once, shifted, requantized, one_scale, rounded, limits, clamped, dequantized, bounds


def _unary(names, f):
    rule(names)(lambda n, x: f(x))


for _names, _f in (
        ('FLOOR STABLEHLO_FLOOR', tf.floor), ('CEIL', tf.ceil), ('ROUND', tf.round), ('COS STABLEHLO_COSINE', tf.cos), ('SIN', tf.sin),
        ('EXP STABLEHLO_EXPONENTIAL', tf.exp), ('LOG STABLEHLO_LOG', tf.log), ('SQRT', tf.sqrt), ('RSQRT STABLEHLO_RSQRT', tf.rsqrt),
        ('SQUARE', tf.square), ('NEG STABLEHLO_NEGATE', tf.negative), ('ABS STABLEHLO_ABS', tf.abs), ('SIGN', tf.sign),
        ('LOGISTIC STABLEHLO_LOGISTIC', tf.sigmoid), ('TANH STABLEHLO_TANH', tf.tanh), ('ELU', tf.nn.elu), ('RELU', tf.nn.relu),
        ('RELU6', tf.nn.relu6), ('RELU_N1_TO_1', lambda x: tf.minimum(tf.maximum(x, -1.), 1.)),
        ('RELU_0_TO_1', lambda x: tf.minimum(tf.maximum(x, 0.), 1.)), ('LOGICAL_NOT', tf.logical_not),
        ('HARD_SWISH', lambda x: x * tf.nn.relu6(x + 3.) * (1. / 6)), ('IMAG', tf.imag), ('REAL', tf.real),
        ('COMPLEX_ABS', tf.abs), ('STABLEHLO_CBRT', lambda x: tf.sign(x) * tf.pow(tf.abs(x), like(1. / 3, x)))):
    _unary(_names, _f)


@rule('LEAKY_RELU')
def _leaky_relu(n, x):
    return tf.nn.leaky_relu(x, n.real(0))


@rule('PRELU')
def _prelu(n, x, alpha):
    return tf.where(x >= 0, x, x * alpha)


@rule('GELU')
def _gelu(n, x):
    if n.flag(0):
        return .5 * x * (1. + tf.tanh(math.sqrt(2 / math.pi) * (x + .044715 * x * x * x)))
    return .5 * x * (1. + tf.erf(x * math.sqrt(.5)))


# ---- two operands ----

def _binary(names, f):
    rule(names)(lambda n, x, y: activated(widened(f, x, y), n.byte(0) if n.options is not None and not n.is_stablehlo else 0))


for _names, _f in (('ADD STABLEHLO_ADD', tf.add), ('SUB STABLEHLO_SUBTRACT', tf.subtract), ('MUL STABLEHLO_MULTIPLY', tf.multiply)):
    _binary(_names, _f)


@rule('DIV STABLEHLO_DIVIDE')
def _div(n, x, y):
    f = tf.truediv if x.dtype.is_floating else tf.truncatediv
    return activated(f(x, y), 0 if n.is_stablehlo else n.byte(0))


def _plain(names, f, table=rule):
    table(names)(lambda n, x, y: f(x, y))


for _names, _f in (('SQUARED_DIFFERENCE', tf.squared_difference), ('POW STABLEHLO_POWER', tf.pow), ('ATAN2', tf.atan2)):
    _plain(_names, _f)
for _names, _f in (
        ('LOGICAL_OR STABLEHLO_OR', lambda x, y: tf.logical_or(x, y) if x.dtype == tf.bool else tf.bitwise.bitwise_or(x, y)),
        ('LOGICAL_AND STABLEHLO_AND', lambda x, y: tf.logical_and(x, y) if x.dtype == tf.bool else tf.bitwise.bitwise_and(x, y)),
        ('BITWISE_XOR', tf.bitwise.bitwise_xor), ('RIGHT_SHIFT', tf.bitwise.right_shift),
        ('STABLEHLO_SHIFT_LEFT', tf.bitwise.left_shift)):
    _plain(_names, _f, moves)


@rule('FLOOR_DIV')
def _floor_div(n, x, y):
    return widened(tf.floordiv, x, y)


@rule('FLOOR_MOD')
def _floor_mod(n, x, y):
    return widened(tf.floormod, x, y)


@rule('STABLEHLO_REMAINDER')
def _remainder(n, x, y):
    return tf.truncatemod(x, y)


@rule('MAXIMUM STABLEHLO_MAXIMUM')
def _maximum(n, x, y):
    return widened(tf.maximum, x, y)


@rule('MINIMUM STABLEHLO_MINIMUM')
def _minimum(n, x, y):
    return widened(tf.minimum, x, y)


@rule('ADD_N')
def _add_n(n, *xs):
    return tf.add_n(list(xs))


_COMPARISONS = {'EQUAL': tf.equal, 'NOT_EQUAL': tf.not_equal, 'LESS': tf.less, 'LESS_EQUAL': tf.less_equal,
                'GREATER': tf.greater, 'GREATER_EQUAL': tf.greater_equal}


@rule(' '.join(_COMPARISONS))
def _compare(n, x, y):
    if n.op in ('EQUAL', 'NOT_EQUAL') or x.dtype not in (tf.bool,):
        return _COMPARISONS[n.op](x, y)
    return _COMPARISONS[n.op](tf.cast(x, tf.int32), tf.cast(y, tf.int32))


@integers(' '.join(_COMPARISONS))
def _compare_integers(n, x, y):
    """The kernels scale both sides by 2^8 times their scale."""
    a, b = n.ins[:2]
    if not one_scale(a, b):
        return None
    sides = [scaled(shifted(v, i) * 256, [float(i.scale[0])]) for v, i in ((x, a), (y, b))]
    return _COMPARISONS[n.op](*sides)


@rule('SELECT SELECT_V2 STABLEHLO_SELECT')
def _select(n, condition, x, y):
    r = rank(condition)
    if n.op == 'SELECT' and r == 1 and rank(x) > 1:
        condition = tf.reshape(condition, [-1] + [1] * (rank(x) - 1))
    return tf.raw_ops.SelectV2(condition=condition, t=x, e=y)


@rule('STABLEHLO_CLAMP')
def _clamp(n, low, x, high):
    return tf.minimum(tf.maximum(x, low), high)


@moves('CAST STABLEHLO_CONVERT')
def _cast(n, x):
    return tf.cast(x, n.outs[0].dtype)


@moves('BITCAST')
def _bitcast(n, x):
    return tf.bitcast(x, n.outs[0].dtype)


@rule('FAKE_QUANT')
def _fake_quant(n, x):
    return tf.raw_ops.FakeQuantWithMinMaxArgs(inputs=x, min=n.real(0), max=n.real(1), num_bits=n.int(2), narrow_range=n.flag(3))


# ---- normalisation ----

@rule('SOFTMAX')
def _softmax(n, x):
    beta = n.real(0)
    return tf.nn.softmax(x if beta == 1 else x * beta)


@rule('LOG_SOFTMAX')
def _log_softmax(n, x):
    return tf.nn.log_softmax(x)


@rule('L2_NORMALIZATION')
def _l2_normalization(n, x):
    return activated(x / tf.maximum(tf.sqrt(tf.reduce_sum(tf.square(x), -1, True)), 1e-6), n.byte(0))


@rule('LOCAL_RESPONSE_NORMALIZATION')
def _lrn(n, x):
    return tf.nn.lrn(x, n.int(0), n.real(1), n.real(2), n.real(3))


# ---- reductions ----

_REDUCTIONS = {'MEAN': tf.reduce_mean, 'SUM': tf.reduce_sum, 'REDUCE_PROD': tf.reduce_prod, 'REDUCE_MAX': tf.reduce_max,
               'REDUCE_MIN': tf.reduce_min, 'REDUCE_ANY': tf.reduce_any, 'REDUCE_ALL': tf.reduce_all}


def _axes(axes):
    return tf.reshape(axes, [-1])


@rule('MEAN SUM REDUCE_PROD REDUCE_ANY REDUCE_ALL')
def _reduce(n, x, axes):
    f = _REDUCTIONS[n.op]
    if n.op == 'MEAN' and not x.dtype.is_floating:
        count = tf.cast(tf.reduce_prod(tf.gather(tf.shape(x), _axes(axes))), tf.int64)
        total = tf.reduce_sum(tf.cast(x, tf.int64), _axes(axes), n.flag(0))
        return tf.cast(tf.truncatediv(total, count), x.dtype)
    return widened(lambda v: f(v, _axes(axes), n.flag(0)), x)


@moves('REDUCE_MAX REDUCE_MIN')
def _reduce_order(n, x, axes):
    """The largest and the least integer stand for the largest and the least number."""
    if not all(i is None or not i.is_quantized() or len(i.scale) == 1 for i in n.ins[:1]):
        raise Refused('an input with several scales is not supported')
    return widened(lambda v: _REDUCTIONS[n.op](v, _axes(axes), n.flag(0)), x)


def _scaled_away(x, factors):
    """Scales and rounds once, with halves away from zero."""
    y = tf.cast(tf.abs(x), tf.float64)
    return scaled_once(y, factors) * tf.cast(tf.sign(x), tf.float64)


@integers('MEAN SUM')
def _sum_integers(n, x, axes):
    """The integers are added, and their sum is scaled once."""
    a, out = n.ins[0], n.outs[0]
    if not one_scale(a, out):
        return None
    total = tf.reduce_sum(shifted(x, a), _axes(axes), n.flag(0))
    scale = float(a.scale[0]) / float(out.scale[0])
    if n.op == 'SUM':
        return requantized(total, [scale], out, scale=_scaled_away)
    dims = x.shape.as_list() if x.shape.ndims is not None else [None]
    picked = [dims[axis_of(i, x)] for i in known(axes, 'the list of its axes')]
    if None in picked:
        return None
    count = 1
    for d in picked:
        count *= d
    if count < 1:
        return None
    m, e = fixed_point(scale)
    shift = max(min(count.bit_length() - 1, 32, 31 + e), 0)
    y = scaled_by(total, [((m << shift) // count, e - shift)])
    low, high = limits(out)
    return clamped(y + int(out.zero[0]), low, high, out.dtype)


@rule('CUMSUM')
def _cumsum(n, x, axis):
    return tf.cumsum(x, scalar(axis), exclusive=n.flag(0), reverse=n.flag(1))


@moves('ARG_MAX ARG_MIN')
def _arg(n, x, axis):
    f = tf.argmax if n.op == 'ARG_MAX' else tf.argmin
    x = tf.cast(x, tf.int32) if x.dtype in (tf.int8, tf.uint8, tf.int16, tf.bool) else x
    return f(x, scalar(axis), output_type=n.outs[0].dtype)


@rule('SEGMENT_SUM')
def _segment_sum(n, x, segments):
    return tf.segment_sum(x, segments)


@rule('UNSORTED_SEGMENT_SUM UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN')
def _unsorted_segment(n, x, segments, count):
    f = {'SUM': tf.unsorted_segment_sum, 'PROD': tf.unsorted_segment_prod, 'MAX': tf.unsorted_segment_max,
         'MIN': tf.unsorted_segment_min}[n.op[-4:].lstrip('_')]
    return f(x, segments, scalar(count))


# ---- integers ----

@integers('ADD SUB')
def _add_integers(n, x, y):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    if not one_scale(a, b, out):
        return None
    left = 15 if out.dtype == tf.int16 else 20
    s, t, o = [float(i.scale[0]) for i in (a, b, out)]
    twice = 2 * max(s, t)
    x = scaled(shifted(x, a) * (1 << left), [s / twice])
    y = scaled(shifted(y, b) * (1 << left), [t / twice])
    total = x + y if n.op == 'ADD' else x - y
    return requantized(total, [twice / ((1 << left) * o)], out, n.byte(0))


@integers('MUL')
def _mul_integers(n, x, y):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    if not one_scale(a, b, out):
        return None
    factor = float(a.scale[0] * b.scale[0] / out.scale[0])  # a product of float32
    return requantized(shifted(x, a) * shifted(y, b), [factor], out, n.byte(0))


@integers('SQUARED_DIFFERENCE')
def _squared_difference_integers(n, x, y):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    if not one_scale(a, b, out) or out.dtype != tf.int8:
        return None
    s, t, o = [float(i.scale[0]) for i in (a, b, out)]
    twice = 2 * max(s, t)
    x = scaled(shifted(x, a) * 128, [s / twice])
    y = scaled(shifted(y, b) * 128, [t / twice])
    return requantized((x - y) * (x - y), [twice * twice / ((1 << 14) * o)], out)


@integers('RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1')
def _relu_integers(n, x):
    a, out = n.ins[0], n.outs[0]
    if not one_scale(a, out):
        return None
    y = scaled(shifted(x, a), [float(a.scale[0] / out.scale[0])]) + int(out.zero[0])
    low, high = bounds({'RELU': 1, 'RELU_N1_TO_1': 2, 'RELU6': 3, 'RELU_0_TO_1': 1}[n.op], out)
    if n.op == 'RELU_0_TO_1':
        high = min(high, int(out.zero[0]) + int(math.floor(1 / float(out.scale[0]) + .5)))
    return clamped(y, low, high, out.dtype)


@integers('LEAKY_RELU')
def _leaky_relu_integers(n, x):
    a, out = n.ins[0], n.outs[0]
    if not one_scale(a, out):
        return None
    factor = float(a.scale[0] / out.scale[0])
    x = shifted(x, a)
    slope = float(a.scale[0] * np.float32(n.real(0)) / out.scale[0])
    y = tf.where(x >= 0, scaled(x, [factor]), scaled(x, [slope]))
    low, high = limits(out)
    return clamped(y + int(out.zero[0]), low, high, out.dtype)


@integers('PRELU')
def _prelu_integers(n, x, alpha):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    if not one_scale(a, b, out):
        return None
    x = shifted(x, a)
    y = scaled(x, [float(a.scale[0] / out.scale[0])])
    z = scaled(x * shifted(alpha, b), [float(a.scale[0] * b.scale[0] / out.scale[0])])
    low, high = limits(out)
    return clamped(tf.where(tf.logical_and(x >= 0, tf.ones_like(y, tf.bool)), y, z) + int(out.zero[0]), low, high, out.dtype)


_FUNCTIONS = {'LOGISTIC': lambda v: 1 / (1 + np.exp(-v)), 'TANH': np.tanh, 'EXP': np.exp,
              'ELU': lambda v: np.where(v > 0, v, np.expm1(np.minimum(v, 0)))}


@integers('LOGISTIC TANH EXP ELU HARD_SWISH')
def _looked_up(n, x):
    """A function of 8 bits is a table of its 256 results."""
    a, out = n.ins[0], n.outs[0]
    if not one_scale(a, out) or a.dtype not in (tf.int8, tf.uint8) or out.dtype != a.dtype:
        return None
    least, most = limits(a)
    numbers = np.arange(least, most + 1) - int(a.zero[0])
    if n.op == 'HARD_SWISH':
        results = np.array(_hard_swish([int(v) for v in numbers], float(a.scale[0]), float(out.scale[0])))
    else:
        real = _FUNCTIONS[n.op](numbers * np.float64(a.scale[0])) / np.float64(out.scale[0])
        if n.op in ('ELU', 'EXP'):  # the kernel rounds to float32
            real = _FUNCTIONS[n.op]((numbers * a.scale[0]).astype(np.float32)).astype(np.float32) * (np.float32(1) / out.scale[0])
        results = np.sign(real) * np.floor(np.abs(real) + .5)
    low, high = limits(out)
    table = np.minimum(np.maximum(results + int(out.zero[0]), low), high).astype(out.dtype.as_numpy_dtype)
    index = tf.cast(x, tf.int32)
    return tf.gather(tf.constant(table), index - least if least else index)


def _clipped16(x):
    return min(max(x, -32768), 32767)


def _high_half(x, y, rounded=True):
    """The high half of twice a product of 16 bits, rounded or towards zero."""
    product = x * y
    if rounded:
        product += 1 << 14 if product >= 0 else 1 - (1 << 14)
    return _clipped16(product // 32768 if product >= 0 else -(-product // 32768))


def _shifted_right(x, count):
    """x / 2^count, rounded to the nearest integer, with halves away from zero."""
    half = (1 << count) >> 1
    return (x + half) >> count if x >= 0 else -((-x + half) >> count)


def _hard_swish(numbers, scale, out_scale):
    """x relu6(x + 3) / 6 in the arithmetic of 16 bits that TensorFlow Lite uses."""
    (m, e), (slope, slope_e) = fixed_point(scale / 128 / out_scale), fixed_point(scale / 128 / (3. / 32768))
    m, slope = min((m + (1 << 15)) >> 16, 32767), min((slope + (1 << 15)) >> 16, 32767)
    results = []
    for x in numbers:
        fine = x * 128
        part = _clipped16(fine << (slope_e - 1)) if slope_e > 0 else fine
        part = _high_half(part, slope)
        part = _clipped16(part << 1) if slope_e > 0 else _shifted_right(part, -slope_e)
        y = _high_half((part + (1 << 15)) >> 1, _high_half(fine, m), False)
        results.append(_shifted_right(y, -e) if e < 0 else _clipped16(y << e))
    return results


@integers('QUANTIZE')
def _quantize_integers(n, x):
    a, out = n.ins[0], n.outs[0]
    if not all(i.scale is not None and len(i.scale) == 1 for i in (a, out)) or x.dtype.is_floating:
        return None
    return requantized(shifted(x, a), [float(a.scale[0]) / float(out.scale[0])], out)


@rule('QUANTIZE')
def _quantize(n, x):
    return x  # the result is quantized as that of every rule


@moves('DEQUANTIZE DENSIFY')
def _dequantize(n, x):
    """Constants are computed when the model is opened, because the layers need them in every run."""
    info = n.ins[0]
    if n.op == 'DENSIFY':
        return tf.identity(x)
    value = const(x) if x.op.type in ('Const', 'Identity') else n.value(0)
    if value is None or info.blocks:
        return n.blockwise(x, info) if info.blocks else tf.cast(dequantized(x, info), n.outs[0].dtype)
    value = value.astype(np.float32)
    if info.is_quantized():
        r = value.ndim
        shape = [-1 if a == info.axis else 1 for a in range(r)] if len(info.scale) > 1 else []
        value = (value - info.zero.astype(np.float32).reshape(shape)) * info.scale.reshape(shape)
    return tf.constant(value)
