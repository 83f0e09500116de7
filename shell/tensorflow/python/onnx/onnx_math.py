"""Rules of ONNX: elementwise operators, and products of matrices."""
import numpy as np
from _library.onnx_rules import rule, dtype_of, const, rank, dims, scalar, like, widened, fold, normal

_UNARY = {'Acos': tf.acos, 'Acosh': tf.acosh, 'Asin': tf.asin, 'Asinh': tf.asinh, 'Atan': tf.atan, 'Atanh': tf.atanh,
          'Ceil': tf.math.ceil, 'Cos': tf.cos, 'Cosh': tf.cosh, 'Erf': tf.erf, 'Exp': tf.exp, 'Floor': tf.floor,
          'Identity': tf.identity, 'Log': tf.log, 'Neg': tf.negative, 'Not': tf.logical_not,
          'Reciprocal': tf.reciprocal, 'Relu': tf.nn.relu, 'Round': tf.round, 'Sigmoid': tf.sigmoid, 'Sign': tf.sign,
          'Sin': tf.sin, 'Sinh': tf.sinh, 'Softplus': tf.nn.softplus, 'Softsign': tf.nn.softsign, 'Sqrt': tf.sqrt,
          'Tan': tf.tan, 'Tanh': tf.tanh, 'BitwiseNot': tf.bitwise.invert, 'IsNaN': tf.is_nan}
_BINARY = {'Add': tf.add, 'Sub': tf.subtract, 'Mul': tf.multiply, 'And': tf.logical_and, 'Or': tf.logical_or,
           'Xor': tf.not_equal, 'Equal': tf.equal, 'Greater': tf.greater, 'GreaterOrEqual': tf.greater_equal,
           'Less': tf.less, 'LessOrEqual': tf.less_equal, 'BitwiseAnd': tf.bitwise.bitwise_and,
           'BitwiseOr': tf.bitwise.bitwise_or, 'BitwiseXor': tf.bitwise.bitwise_xor}


@rule(' '.join(_UNARY))
def _unary(n, x):
    if n.op == 'Identity' and not isinstance(x, tf.Tensor):
        return x
    return _UNARY[n.op](x, name=n.out)


def _aligned(n, a, b):
    """Before version 7, b is aligned with the dimension `axis` of a instead of with the last."""
    if n.version < 7 and n.get('broadcast', 0) and n.has('axis'):
        axis = n.get('axis', 0) % rank(a)
        b = tf.reshape(b, dims(b) + [1] * (rank(a) - axis - rank(b)))
    return b


@rule(' '.join(_BINARY))
def _binary(n, a, b):
    return _BINARY[n.op](a, _aligned(n, a, b), name=n.out)


@rule('Abs')
def _abs(n, x):
    return tf.identity(x, name=n.out) if x.dtype.is_unsigned else tf.abs(x, name=n.out)


@rule('Div')
def _div(n, a, b):
    b = _aligned(n, a, b)
    return tf.truncatediv(a, b, name=n.out) if a.dtype.is_integer else tf.realdiv(a, b, name=n.out)


@rule('Pow')
def _pow(n, x, y):
    y = _aligned(n, x, y)
    if x.dtype == y.dtype and x.dtype in (tf.float32, tf.float64, tf.float16, tf.int32, tf.int64):
        return tf.pow(x, y, name=n.out)
    wide = tf.float64 if x.dtype.is_integer or x.dtype == tf.float64 else tf.float32
    return tf.cast(tf.pow(tf.cast(x, wide), tf.cast(y, wide)), x.dtype)


@rule('Mod')
def _mod(n, a, b):
    f = tf.truncatemod if n.get('fmod', 0) else tf.floormod
    return f(a, b, name=n.out) if a.dtype in (tf.float32, tf.float64, tf.int32, tf.int64) else widened(f, a, b)


@rule('BitShift')
def _shift(n, x, y):
    f = tf.bitwise.left_shift if n.text('direction') == 'LEFT' else tf.bitwise.right_shift
    return f(x, y, name=n.out)


def select(condition, t, e, name=None):
    """Like tf.where, with broadcasting."""
    return tf.raw_ops.SelectV2(condition=condition, t=t, e=e, name=name)


def _extreme(f):
    def pair(a, b):
        if a.dtype in (tf.uint16, tf.uint32, tf.uint64, tf.int8):
            return select(a > b if f is tf.maximum else a < b, a, b)
        return f(a, b)
    return pair


maximum, minimum = _extreme(tf.maximum), _extreme(tf.minimum)


@rule('Max')
def _max(n, *xs):
    return fold(maximum, xs)


@rule('Min')
def _min(n, *xs):
    return fold(minimum, xs)


@rule('Sum')
def _sum(n, *xs):
    return fold(tf.add, xs)


@rule('Mean')
def _mean(n, *xs):
    return fold(tf.add, xs) / like(len(xs), xs[0])


@rule('Clip', 1)
def _clip_attributes(n, x):
    if n.has('min'):
        x = maximum(x, like(n.get('min', 0.), x))
    return minimum(x, like(n.get('max', 0.), x)) if n.has('max') else x


@rule('Clip', 11)
def _clip(n, x, low=None, high=None):
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


# ---- activations ----

@rule('Elu')
def _elu(n, x):
    alpha = n.get('alpha', 1.)
    return tf.nn.elu(x, name=n.out) if alpha == 1 else tf.where(x > 0, x, like(alpha, x) * tf.math.expm1(x))


@rule('Celu')
def _celu(n, x):
    alpha = like(n.get('alpha', 1.), x)
    return tf.maximum(x, 0) + tf.minimum(alpha * tf.math.expm1(x / alpha), 0)


@rule('Selu')
def _selu(n, x):
    alpha = n.get('alpha', 1.6732 if n.version < 6 else 1.67326319217681884765625)
    gamma = n.get('gamma', 1.0507 if n.version < 6 else 1.05070102214813232421875)
    return like(gamma, x) * tf.where(x > 0, x, like(alpha, x) * tf.math.expm1(x))


@rule('LeakyRelu')
def _leaky(n, x):
    return tf.nn.leaky_relu(x, n.get('alpha', .01), name=n.out)


@rule('ThresholdedRelu')
def _thresholded(n, x):
    return tf.where(x > n.get('alpha', 1.), x, tf.zeros_like(x))


@rule('HardSigmoid')
def _hard_sigmoid(n, x):
    return tf.maximum(tf.minimum(x * like(n.get('alpha', .2), x) + like(n.get('beta', .5), x), 1), 0)


@rule('HardSwish')
def _hard_swish(n, x):
    return x * tf.maximum(tf.minimum(x * like(1 / 6, x) + like(.5, x), 1), 0)


@rule('Mish')
def _mish(n, x):
    return x * tf.tanh(tf.nn.softplus(x))


@rule('Swish')
def _swish(n, x):
    return x * tf.sigmoid(like(n.get('alpha', 1.), x) * x)


@rule('Gelu')
@rule('Gelu', 1, 'com.microsoft')
def _gelu(n, x):
    if n.text('approximate', 'none') == 'tanh':
        inner = like(np.sqrt(2 / np.pi), x) * (x + like(.044715, x) * x * x * x)
        return like(.5, x) * x * (1 + tf.tanh(inner))
    return like(.5, x) * x * (1 + tf.erf(x * like(np.sqrt(.5), x)))


@rule('FastGelu', 1, 'com.microsoft')
def _fast_gelu(n, x, bias=None):
    x = x if bias is None else x + bias
    return like(.5, x) * x * (1 + tf.tanh(like(np.sqrt(2 / np.pi), x) * (x + like(.044715, x) * x * x * x)))


@rule('QuickGelu', 1, 'com.microsoft')
def _quick_gelu(n, x):
    return x * tf.sigmoid(like(n.get('alpha', 1.702), x) * x)


@rule('Shrink')
def _shrink(n, x):
    bias, lambd = n.get('bias', 0.), n.get('lambd', .5)
    f = tf.cast(x, tf.float64) if x.dtype.is_integer else x
    y = tf.where(f < -lambd, f + like(bias, f), tf.where(f > lambd, f - like(bias, f), tf.zeros_like(f)))
    return tf.cast(y, x.dtype)


@rule('PRelu')
def _prelu(n, x, slope):
    if n.version < 7 and rank(slope) == 1:
        slope = tf.reshape(slope, [-1] + [1] * (rank(x) - 2))
    return tf.where(x < 0, slope * x, x)


@rule('IsInf')
def _is_inf(n, x):
    if n.get('detect_negative', 1) and n.get('detect_positive', 1):
        return tf.is_inf(x, name=n.out)
    if n.get('detect_negative', 1):
        return tf.equal(x, like(-np.inf, x), name=n.out)
    if n.get('detect_positive', 1):
        return tf.equal(x, like(np.inf, x), name=n.out)
    return tf.zeros_like(x, tf.bool)


@rule('Where')
def _where(n, condition, x, y):
    return select(condition, x, y, n.out)


# ---- types ----

def _shortest(x):
    """Floats as texts with as few digits as identify them, like Python's repr."""
    wide = x.dtype if x.dtype == tf.float64 else tf.float32
    x = tf.cast(x, wide)
    most = 17 if wide == tf.float64 else 9
    y = tf.as_string(x, precision=most, shortest=True)
    for digits in range(most - 1, most - 4, -1):
        shorter = tf.as_string(x, precision=digits, shortest=True)
        y = tf.where(tf.equal(tf.string_to_number(shorter, wide), x), shorter, y)
    return y


def cast(x, dtype, name=None):
    if x.dtype == dtype:
        return tf.identity(x, name=name)
    if x.dtype == tf.string:
        if dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
            return tf.string_to_number(x, dtype, name=name)
        wide = tf.float32 if dtype.is_floating else tf.int64
        return tf.cast(tf.string_to_number(x, wide), dtype)
    if dtype == tf.string:
        return _shortest(x) if x.dtype.is_floating else tf.as_string(x, name=name)
    return tf.cast(x, dtype, name=name)


@rule('Cast')
def _cast(n, x):
    if n.version < 6:
        names = {'FLOAT': 1, 'UINT8': 2, 'INT8': 3, 'UINT16': 4, 'INT16': 5, 'INT32': 6, 'INT64': 7, 'STRING': 8,
                 'BOOL': 9, 'FLOAT16': 10, 'DOUBLE': 11, 'UINT32': 12, 'UINT64': 13}
        return cast(x, dtype_of(names.get(n.text('to'), 0)), n.out)
    return _cast_number(n, x, n.get('to', 1))


# By element type: the bits of the mantissa, the least exponent, the largest value, and the result for larger ones
# without saturation.
_SMALL = {17: (3, -6, 448., np.nan), 18: (3, -7, 240., np.nan), 19: (2, -14, 57344., np.inf), 20: (2, -15, 57344., np.nan),
          23: (1, 0, 6., 6.)}


def small_float(x, number, saturate):
    """x rounded to a float of 8 or 4 bits, as float16."""
    mantissa, least, most, beyond = _SMALL[number]
    x = tf.cast(x, tf.float32)
    bits = tf.bitcast(x, tf.int32)
    exponent = tf.maximum(tf.bitwise.bitwise_and(tf.bitwise.right_shift(bits, 23), 255) - 127, least)
    step = tf.bitcast(tf.bitwise.left_shift(exponent - mantissa + 127, 23), tf.float32)
    y = tf.round(x / step) * step
    limit = tf.sign(x) * (most if saturate else beyond)
    y = tf.where(tf.abs(y) > most, limit + tf.zeros_like(y), y)
    return tf.cast(tf.where(tf.is_nan(x), tf.zeros_like(x) if number == 23 else x, y), tf.float16)


def _cast_number(n, x, number):
    if number in _SMALL:
        return small_float(cast(x, tf.float32), number, n.get('saturate', 1))
    if number not in (21, 22):
        return cast(x, dtype_of(number), n.out)
    if n.version < 23:  # later versions drop the high bits
        low, high = (0, 15) if number == 21 else (-8, 7)
        return tf.cast(tf.maximum(tf.minimum(cast(x, tf.int32), high), low), dtype_of(number))
    low = tf.bitwise.bitwise_and(cast(x, tf.int32), 15)
    return tf.cast(low if number == 21 else tf.bitwise.bitwise_xor(low, 8) - 8, dtype_of(number))


@rule('CastLike')
def _cast_like(n, x, y):
    return _cast_number(n, x, n.types[1]) if n.types[1] > 16 else cast(x, y.dtype, n.out)


# ---- sums and products ----

@rule('CumSum')
def _cumsum(n, x, axis):
    options = dict(exclusive=bool(n.get('exclusive', 0)), reverse=bool(n.get('reverse', 0)))
    if x.dtype in (tf.uint32, tf.uint64):
        return tf.cast(tf.cumsum(tf.cast(x, tf.int64), scalar(axis), **options), x.dtype)
    return tf.cumsum(x, scalar(axis), name=n.out, **options)


def matmul(a, b, name=None):
    """numpy's matmul, which also accepts vectors."""
    if a.shape.ndims is None or b.shape.ndims is None:  # that neither is a vector is the best guess
        return tf.raw_ops.BatchMatMulV2(x=a, y=b, name=name)
    ra, rb = rank(a), rank(b)
    if ra > 1 and rb > 1:
        if a.dtype in (tf.uint32, tf.uint64, tf.int8, tf.uint8):
            return tf.cast(tf.matmul(tf.cast(a, tf.int64), tf.cast(b, tf.int64)), a.dtype)
        return tf.matmul(a, b, name=name)
    y = matmul(tf.expand_dims(a, 0) if ra == 1 else a, tf.expand_dims(b, 1) if rb == 1 else b)
    y = tf.squeeze(y, [-1]) if rb == 1 else y
    return tf.squeeze(y, [-1 if rb == 1 else -2]) if ra == 1 else y


@rule('MatMul')
def _matmul(n, a, b):
    return matmul(a, b, n.out)


@rule('FusedMatMul', 1, 'com.microsoft')
def _fused_matmul(n, a, b):
    y = tf.matmul(a, b, bool(n.get('transA', 0)), bool(n.get('transB', 0)))
    return y if n.get('alpha', 1.) == 1 else y * like(n.get('alpha', 1.), y)


@rule('Gemm')
def _gemm(n, a, b, c=None):
    alpha, beta = n.get('alpha', 1.), n.get('beta', 1.)
    whole = a.dtype if a.dtype.is_integer else None
    last = alpha == 1 and c is None and not whole
    if whole:
        a, b, c = tf.cast(a, tf.float64), tf.cast(b, tf.float64), None if c is None else tf.cast(c, tf.float64)
    y = tf.matmul(a, b, bool(n.get('transA', 0)), bool(n.get('transB', 0)), name=n.out if last else 'MatMul')
    if alpha != 1:
        y = y * like(alpha, y)
    if c is not None:
        y = tf.add(y, c if beta == 1 else c * like(beta, y), name='Add' if whole else n.out)
    return tf.cast(y, whole) if whole else y


@rule('Einsum')
def _einsum(n, *xs):
    equation = n.text('equation').replace(' ', '')
    if '->' not in equation:
        letters = equation.replace(',', '').replace('...', '')
        once = ''.join(sorted(c for c in set(letters) if letters.count(c) == 1))
        equation += '->' + ('...' if '...' in equation else '') + once
    return tf.raw_ops.Einsum(inputs=list(xs), equation=equation, name=n.out)


@rule('Det')
def _det(n, x):
    return tf.linalg.det(x, name=n.out)


# ---- ranges, one-hot values and triangles ----

@rule('Range')
def _range(n, start, limit, delta):
    if start.dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
        return tf.range(scalar(start), scalar(limit), scalar(delta), name=n.out)
    wide = tf.float32 if start.dtype.is_floating else tf.int64
    return tf.cast(tf.range(scalar(start, wide), scalar(limit, wide), scalar(delta, wide)), start.dtype)


@rule('OneHot')
def _one_hot(n, indices, depth, values):
    depth = scalar(depth, tf.int32)
    indices = normal(tf.cast(indices, tf.int64), depth)
    axis = n.get('axis', -1)
    axis = axis + rank(indices) + 1 if axis < 0 else axis
    return tf.one_hot(indices, depth, values[1], values[0], axis=axis, name=n.out)


@rule('EyeLike')
def _eye_like(n, x):
    dtype = dtype_of(n.get('dtype', 0)) if n.has('dtype') else x.dtype
    rows, columns = dims(x)
    hit = tf.equal(tf.expand_dims(tf.range(columns), 0), tf.expand_dims(tf.range(rows), 1) + n.get('k', 0))
    return tf.cast(hit, dtype, name=n.out)


@rule('Trilu')
def _trilu(n, x, k=None):
    rows, columns = dims(x)[-2:]
    k = 0 if k is None else scalar(k, tf.int64)
    off = tf.expand_dims(tf.range(tf.cast(columns, tf.int64)), 0) - tf.expand_dims(
        tf.range(tf.cast(rows, tf.int64)), 1)
    keep = off >= k if n.get('upper', 1) else off <= k
    return select(keep, x, tf.zeros_like(x), n.out)


# ---- random numbers ----

def _random(n, shape, dtype):
    seed = n.get('seed', None)
    options = dict(dtype=tf.float32 if dtype == tf.bfloat16 else dtype, seed=None if seed is None else int(seed))
    if n.op.startswith('RandomNormal'):
        y = tf.random_normal(shape, n.get('mean', 0.), n.get('scale', 1.), **options)
    else:
        y = tf.random_uniform(shape, n.get('low', 0.), n.get('high', 1.), **options)
    return tf.cast(y, dtype)


@rule('RandomNormal RandomUniform')
def _random_shape(n):
    return _random(n, n.get('shape', []), dtype_of(n.get('dtype', 1)))


@rule('RandomNormalLike RandomUniformLike')
def _random_like(n, x):
    return _random(n, tf.shape(x), dtype_of(n.get('dtype', 0)) if n.has('dtype') else x.dtype)


@rule('Bernoulli')
def _bernoulli(n, x):
    dtype = dtype_of(n.get('dtype', 0)) if n.has('dtype') else x.dtype
    return tf.cast(tf.random_uniform(tf.shape(x)) < tf.cast(x, tf.float32), dtype)


@rule('Multinomial')
def _multinomial(n, x):
    return tf.multinomial(tf.cast(x, tf.float32), n.get('sample_size', 1), output_dtype=dtype_of(n.get('dtype', 6)))


@rule('Dropout')
def _dropout_attributes(n, x):
    return [tf.identity(x, name=n.out), tf.ones_like(x, tf.bool if n.version >= 10 else x.dtype)]


@rule('Dropout', 12)
def _dropout(n, x, ratio=None, training=None):
    if training is None or (const(training) is not None and not const(training)):
        return _dropout_attributes(n, x)
    ratio = tf.constant(.5) if ratio is None else scalar(ratio, tf.float32)
    keep = tf.logical_or(tf.random_uniform(tf.shape(x)) >= ratio, tf.logical_not(scalar(training)))
    scale = tf.cond(tf.logical_and(scalar(training), ratio < 1), lambda: 1 / (1 - ratio), lambda: tf.constant(1.))
    return [tf.where(keep, x * tf.cast(scale, x.dtype), tf.zeros_like(x)), keep]
