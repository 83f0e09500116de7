"""The table of TensorFlow Lite's operators, and the functions that its rules share.

A rule is a function of a node and its inputs that adds ops of TensorFlow and returns the outputs:

    @rule('LEAKY_RELU')
    def _leaky_relu(n, x):
        return tf.nn.leaky_relu(x, n.real(0))

n.real(0) is field 0 of the operator's options. A missing optional input is None. There are three tables:

* rule: the operator on real numbers. Quantized inputs reach it as the real numbers that they stand for, and its results
  are quantized again.
* moves: an operator that only moves elements, or compares them. It gets the integers of quantized tensors.
* integers: the arithmetic of an operator on quantized tensors. A rule that returns None leaves the node to the others.
"""
import math
import numpy as np
from _library.onnx_rules import Refused, const, ints, rank, dims, scalar

NAMES = (
    'ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR '
    'FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM '
    'MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS '
    'SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND '
    'SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN '
    'EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 '
    'GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG '
    'SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT '
    'UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU '
    'SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE '
    'MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND '
    'SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D '
    'IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE '
    'READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU '
    'DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 '
    'UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE '
    'STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM '
    'STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND '
    'STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR '
    'STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER '
    'STABLEHLO_COMPARE STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA '
    'STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE '
    'STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE').split()

# The operators that have no rule, with the reason.
WITHOUT = {
    'CONCAT_EMBEDDINGS': 'TensorFlow Lite has no kernel for it either',
    'DELEGATE': 'it stands for a part of a graph that was compiled for a delegate, and is not saved in files',
    'STABLEHLO_CUSTOM_CALL': 'it calls code that is not in the file',
    'STABLEHLO_RNG_BIT_GENERATOR': 'its generator has states that no op of TensorFlow takes',
}

RULES = {}  # (operator, table): the function


def _adder(kind):
    def named(names):
        def add(f):
            for name in names.split():
                RULES[name, kind] = f
            return f
        return add
    return named


rule, moves, integers, customs = [_adder(kind) for kind in ('rule', 'moves', 'integers', 'custom')]

RELU, RELU_N1_TO_1, RELU6, TANH, SIGN_BIT = 1, 2, 3, 4, 5


def activated(x, code):
    """Applies a fused activation."""
    if code == 0:
        return x
    if code == RELU:
        return tf.nn.relu(x)
    if code == RELU_N1_TO_1:
        return tf.minimum(tf.maximum(x, -1.), 1.)
    if code == RELU6:
        return tf.nn.relu6(x)
    if code == TANH:
        return tf.tanh(x)
    raise Refused('its fused activation %d is not supported' % code)


def known(x, what):
    """The integers of a tensor that must be known before a run."""
    found = ints(x)
    if found is None:
        raise Refused('%s is not known before a run' % what)
    return found


def axis_of(axis, x):
    return axis + rank(x) if axis < 0 else axis


def like(value, x):
    """A Python number as a constant of the type of x."""
    return tf.constant(value, x.dtype)


def widened(f, *xs):
    """Applies f, which has no kernels for small integers, in int32."""
    dtype = xs[0].dtype
    return tf.cast(f(*[tf.cast(x, tf.int32) for x in xs]), dtype) if dtype in (tf.int8, tf.uint8, tf.int16, tf.uint16) else f(*xs)


# ---- quantized numbers ----

def limits(info):
    """The least and the largest integer of a quantized tensor."""
    return info.dtype.min, info.dtype.max


def spread(values, info, r):
    """The values of a tensor's quantization, a scalar or shaped to be broadcast along its axis."""
    if len(values) == 1:
        return values[0]
    return np.reshape(values, [-1 if a == info.axis else 1 for a in range(r)])


def dequantized(x, info):
    """The real numbers that quantized integers stand for."""
    if info is None or not info.is_quantized() or x.dtype.is_floating:
        return x
    r = len(info.scale) > 1 and rank(x)
    y = tf.cast(x, tf.float32)
    if np.any(info.zero):
        y = y - tf.constant(np.asarray(spread(info.zero, info, r)).astype(np.float32))
    return y * tf.constant(np.asarray(spread(info.scale, info, r)).astype(np.float32))


def rounded(x):
    """Rounds to the nearest integer, and halves away from zero."""
    a = tf.abs(x)
    low = tf.floor(a)
    return tf.sign(x) * (low + tf.cast(a - low >= .5, x.dtype))


def clamped(y, low, high, dtype, name=None):
    return tf.cast(tf.minimum(tf.maximum(y, like(low, y)), like(high, y)), dtype, name=name)


def quantized(x, info):
    """The integers for real numbers. A result that is an integer already stays."""
    if info is None or not info.is_quantized() or not x.dtype.is_floating:
        return x
    r = len(info.scale) > 1 and rank(x)
    y = tf.cast(tf.cast(x, tf.float32) / tf.constant(np.asarray(spread(info.scale, info, r)).astype(np.float32)), tf.float64)
    y = tf.floor(tf.abs(y) + .5) * tf.sign(y)
    if np.any(info.zero):
        y = y + tf.constant(np.asarray(spread(info.zero, info, r)).astype(np.float64))
    low, high = limits(info)
    return clamped(y, low, high, info.dtype)


def bounds(code, info):
    """The least and the largest integer that a fused activation lets through."""
    low, high = limits(info)

    def integer(v):
        q = np.float32(v) / info.scale[0]
        return int(math.floor(abs(float(q)) + .5)) * (-1 if q < 0 else 1) + int(info.zero[0])
    if code == RELU:
        return max(low, integer(0)), high
    if code == RELU6:
        return max(low, integer(0)), min(high, integer(6))
    if code == RELU_N1_TO_1:
        return max(low, integer(-1)), min(high, integer(1))
    if code:
        raise Refused('its fused activation %d is not supported for quantized numbers' % code)
    return low, high


def fixed_point(real):
    """A factor as an integer m of 31 bits and an exponent e: m 2^(e - 31)."""
    if real == 0:
        return 0, 0
    fraction, exponent = math.frexp(real)
    m = int(math.floor(abs(fraction) * 2147483648. + .5))
    if m == 1 << 31:
        m, exponent = m // 2, exponent + 1
    if exponent < -31:
        return 0, 0
    return m if real > 0 else -m, exponent


def scaled(x, factors):
    """Multiplies integers by real factors: one, or one for each element of the last dimension. Rounds as TensorFlow Lite's
    kernels do, first to a multiple of 2^-e, then to an integer, with halves away from zero."""
    return scaled_by(x, [fixed_point(f) for f in factors])


def scaled_once(x, factors):
    """Likewise, but rounds only to an integer, with halves up, as FULLY_CONNECTED does."""
    return scaled_by(x, [fixed_point(f) for f in factors], once=True)


def scaled_by(x, rows, once=False):
    """Multiplies integers of less than 37 bits by factors in fixed point. The products are computed in float64, in two halves so
    that they are exact, because chains of float64 are one pass over the elements."""
    def vector(values):
        return tf.constant(np.array(values[:1] if len(set(values)) == 1 else values, np.float64).reshape([-1] if len(
            set(values)) > 1 else []))
    x = tf.cast(x, tf.float64)
    left, right = [max(e, 0) for _, e in rows], [max(-e, 0) for _, e in rows]
    if any(left):
        x = x * vector([2. ** v for v in left])
    high, low = vector([m >> 16 for m, _ in rows]), vector([(m & 65535) / 65536. for m, _ in rows])
    unit = vector([2. ** (-15 - v) for v in right]) if once else 2. ** -15
    y = tf.floor((x * high + tf.floor(x * low)) * unit + .5)
    if once or not any(right):
        return y
    return tf.floor(tf.abs(y) * vector([2. ** -v for v in right]) + .5) * tf.sign(y)


def scaled_wide(x, factors):
    """Multiplies integers of 64 bits by real factors, which are reduced to 15 bits."""
    rows = [fixed_point(f) for f in factors]
    reduced = [(m + (1 << 15)) >> 16 if m < 0x7fff0000 else 0x7fff for m, _ in rows]
    shift = [15 - e for _, e in rows]

    def vector(values):
        return tf.constant(values[0] if len(values) == 1 else values, tf.int64)
    return tf.bitwise.right_shift(tf.cast(x, tf.int64) * vector(reduced) + vector([1 << (s - 1) for s in shift]), vector(shift))


def shifted(x, info):
    """Quantized integers minus their zero point, in int32."""
    y = tf.cast(x, tf.int32)
    return y - int(info.zero[0]) if info.zero[0] else y


def requantized(acc, factors, info, code=0, scale=scaled):
    """The result of a kernel from its sum."""
    y = scale(acc, factors)
    if info.zero[0]:
        y = y + int(info.zero[0])
    low, high = bounds(code, info)
    return clamped(y, low, high, info.dtype)


def one_scale(*infos):
    """True if each tensor is quantized with one scale."""
    return all(i is not None and i.is_quantized() and len(i.scale) == 1 for i in infos)


def same_quantization(*infos):
    first = infos[0]
    return all(i is not None and i.is_quantized() == first.is_quantized() and (
        not first.is_quantized() or len(i.scale) == len(first.scale) and bool(np.all(i.scale == first.scale)) and bool(
            np.all(i.zero == first.zero))) for i in infos)
