"""Rules of ONNX: quantized numbers. Products of integers are computed in floating point, in a type that holds all sums exactly."""
from _library.onnx_rules import rule, const, dtype_of, rank, dims, scalar, like
from _library.onnx_conv import Window, convolve, _kernel
from _library.onnx_math import matmul, small_float

_LIMITS = {21: (0, 15), 22: (-8, 7)}  # 4-bit types


def _spread(v, x, axis, block=0):
    """Scales or zero points of one dimension, or of blocks of it, to be broadcast over x."""
    if block:
        return tf.gather(v, tf.floordiv(tf.range(dims(x)[axis]), block), axis=axis)
    if rank(v) == 0 or v.shape.as_list() == [1]:
        return tf.reshape(v, [])
    return tf.reshape(v, [-1 if a == axis else 1 for a in range(rank(x))])


def saturated(y, dtype, limits=None):
    """Rounds to even and limits a float tensor to the range of an integer type."""
    low, high = limits or (dtype.min, dtype.max)
    y = tf.minimum(tf.maximum(tf.round(y), like(low, y)), like(high, y))
    return tf.cast(y, dtype)


def quantize(x, scale, zero, dtype, limits=None):
    y = tf.round(tf.cast(x, scale.dtype) / scale)
    return saturated(y if zero is None else y + tf.cast(zero, y.dtype), dtype, limits)


@rule('QuantizeLinear')
def _quantize_linear(n, x, scale, zero=None):
    axis = n.get('axis', 1)
    axis = axis + rank(x) if axis < 0 else axis
    number = n.types[2] or n.get('output_dtype', 0) or 2
    dtype = zero.dtype if zero is not None else dtype_of(number)
    block = n.get('block_size', 0)
    if x.dtype == tf.int32:
        x = tf.cast(x, tf.float32)
    scale = _spread(scale, x, axis, block)
    if dtype.is_floating:
        return small_float(tf.cast(x, tf.float32) / tf.cast(scale, tf.float32), number, n.get('saturate', 1))
    zero = None if zero is None else _spread(tf.cast(zero, tf.float32), x, axis, block)
    return quantize(x, tf.cast(scale, tf.float32) if scale.dtype != tf.float64 else scale, zero, dtype,
                    _LIMITS.get(number))


@rule('DequantizeLinear')
def _dequantize_linear(n, x, scale, zero=None):
    axis = n.get('axis', 1)
    axis = axis + rank(x) if axis < 0 else axis
    block = n.get('block_size', 0)
    y = tf.cast(x, tf.float32)
    if zero is not None:
        y = y - _spread(tf.cast(zero, tf.float32), x, axis, block)
    return tf.cast(y * tf.cast(_spread(scale, x, axis, block), tf.float32), scale.dtype)


@rule('DynamicQuantizeLinear')
def _dynamic_quantize_linear(n, x):
    return dynamic_quantize(x)


def quantized_product(w, scale, zero):
    """Returns a function of x and of the weights that quantizes x and multiplies it by w, a matrix of integers. What depends only
    on weights that are known is computed here, once, and not in each step of a loop that calls the function."""
    prepared = _prepared(w, zero)

    def times(x, _):
        q, x_scale, x_zero = dynamic_quantize(x)
        return tf.cast(_times_prepared(q, x_zero, prepared), tf.float32) * (x_scale * scale)
    return times


def dynamic_quantize(x):
    """x as uint8, with the scale and zero point of its range."""
    low, high = tf.minimum(tf.reduce_min(x), 0), tf.maximum(tf.reduce_max(x), 0)
    scale = (high - low) / 255
    scale = tf.where(tf.equal(scale, 0), tf.ones_like(scale), scale)
    zero = saturated(tf.minimum(tf.maximum(-low / scale, 0), 255), tf.uint8)
    return [quantize(x, scale, tf.cast(zero, tf.float32), tf.uint8), scale, zero]


def _shifted(x, zero, axis=None, dtype=tf.float64):
    """x minus its zero point, which belongs to the whole or to a dimension."""
    y = tf.cast(x, dtype)
    if zero is None:
        return y
    zero = tf.cast(zero, dtype)
    if rank(zero) == 1 and zero.shape.as_list() != [1]:
        zero = tf.reshape(zero, [-1 if a == axis else 1 for a in range(rank(x))])
    elif rank(zero) < 2:
        zero = tf.reshape(zero, [])
    return y - zero


_EXACT = 1 << 24   # integers up to this one are exact in float32
_FARTHEST = 255    # of an 8-bit number from its zero point
_MOST_PIECES = 16  # of a convolution


def _pieces(w, outputs=0):
    """Returns numbers of input channels [first, end) for which no sum of products with 8-bit numbers exceeds _EXACT, or None. w has the
    dimension `outputs` for the output channels, and the other of the first two for the input channels."""
    sizes, inputs = np.abs(w), 1 - outputs
    if np.max(sizes.sum(tuple(a for a in range(w.ndim) if a != outputs))) * _FARTHEST < _EXACT:
        return [(0, w.shape[inputs])]
    sizes = sizes.sum(tuple(range(2, w.ndim))) * _FARTHEST
    sizes = np.transpose(sizes) if outputs == 0 else sizes
    found, first, sums = [], 0, np.zeros(w.shape[outputs])
    for i in range(w.shape[inputs]):
        if np.max(sums + sizes[i]) >= _EXACT:
            if first == i or len(found) + 2 > _MOST_PIECES:
                return None
            found.append((first, i))
            first, sums = i, np.zeros(w.shape[outputs])
        sums = sums + sizes[i]
    return found + [(first, w.shape[inputs])]


def _known(w, w_zero, axis):
    """Constant weights minus their zero points, which belong to the whole or to a dimension, as floats that hold them exactly; None if
    they are not known."""
    known, zero = const(w), np.zeros([]) if w_zero is None else const(w_zero)
    if known is None or zero is None or not np.size(known) or np.ndim(zero) > 1:
        return None
    wide = np.float32 if known.dtype.itemsize == 1 else np.float64
    known, zero = known.astype(wide), np.asarray(zero, wide)
    if not zero.any():
        return known
    return known - (zero.reshape([-1 if a == axis else 1 for a in range(np.ndim(known))]) if zero.size > 1 else zero.reshape([]))


def _prepared(b, b_zero, narrow=True):
    """The right side of a product: (first, end, float32 constant) for rows whose sums are exact, or all of b as float64. The left
    side is `narrow` if it has numbers of 8 bits."""
    known = _known(b, b_zero, 1) if narrow and rank(b) == 2 else None
    pieces = None if known is None else _pieces(known, 1)
    if not pieces:
        return _shifted(b, b_zero, rank(b) - 1)
    return [(first, end, tf.constant(known[first:end], tf.float32)) for first, end in pieces]


def _times_prepared(a, a_zero, b):
    if not isinstance(b, list):
        return matmul(_shifted(a, a_zero, rank(a) - 2), b)
    shifted = _shifted(a, a_zero, rank(a) - 2, tf.float32)
    if len(b) == 1:
        return matmul(shifted, b[0][2])
    return tf.add_n([tf.cast(matmul(shifted[..., first:end], w), tf.float64) for first, end, w in b])


def _product(a, b, a_zero, b_zero):
    """The exact product: in float32 if b is known and its sums are small enough, also of some columns of a at a time, and otherwise
    in float64."""
    return _times_prepared(a, a_zero, _prepared(b, b_zero, a.dtype in (tf.uint8, tf.int8)))


@rule('MatMulInteger')
def _matmul_integer(n, a, b, a_zero=None, b_zero=None):
    return tf.cast(_product(a, b, a_zero, b_zero), tf.int32, name=n.out)


def _requantized(y, a_scale, b_scale, y_scale, y_zero):
    factor = tf.cast(a_scale, tf.float32) * tf.cast(b_scale, tf.float32) / tf.cast(y_scale, tf.float32)
    y = tf.round(tf.cast(y, tf.float32) * factor)
    return saturated(y + tf.cast(y_zero, tf.float32), y_zero.dtype)


@rule('QLinearMatMul')
def _qlinear_matmul(n, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    y = _product(a, b, a_zero, b_zero)

    def column(v):
        return tf.expand_dims(v, -1) if rank(v) == 1 and v.shape.as_list() != [1] else v
    return _requantized(y, column(a_scale), b_scale, column(y_scale), column(y_zero))


def _float_filter(n, w):
    """A constant filter in float32 and in the order of the kernels."""
    order = list(range(2, w.ndim)) + [1, 0]
    last = tf.constant(np.transpose(w, order), tf.float32)
    made = tf.transpose(last, [int(i) for i in np.argsort(order)])
    n.scope.last[made.name] = last
    return made


def _convolve_integers(n, x, w, x_zero, w_zero):
    """The exact convolution, with the channels last: in float32 if the filter is known and its sums are small enough, also of
    some input channels at a time, and otherwise in float64."""
    window, groups = Window(n, x, _kernel(n, w)), n.get('group', 1)
    known = _known(w, w_zero, 0) if x.dtype in (tf.uint8, tf.int8) else None
    pieces = None if known is None else _pieces(known)
    if pieces and (len(pieces) == 1 or groups == 1):
        shifted = _shifted(n.channels_last(x), x_zero, None, tf.float32)
        if len(pieces) == 1:
            return convolve(n, shifted, _float_filter(n, known), window, groups)
        return tf.add_n([tf.cast(convolve(n, shifted[..., first:end], _float_filter(n, known[:, first:end]), window, 1), tf.float64)
                         for first, end in pieces])
    return convolve(n, n.channels_last(_shifted(x, x_zero)), _shifted(w, w_zero, 0), window, groups)


@rule('ConvInteger')
def _conv_integer(n, x, w, x_zero=None, w_zero=None):
    return n.channels_first(tf.cast(_convolve_integers(n, x, w, x_zero, w_zero), tf.int32))


@rule('QLinearConv')
def _qlinear_conv(n, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None):
    y = _convolve_integers(n, x, w, x_zero, w_zero)
    if bias is not None:
        y = tf.cast(y, tf.float64) + tf.cast(bias, tf.float64)
    return n.channels_first(_requantized(y, scalar(x_scale), w_scale, scalar(y_scale), scalar(y_zero)))


# ---- operators of onnxruntime, in quantized models ----

def _dequantized(x, scale, zero):
    y = tf.cast(x, tf.float32)
    return (y if zero is None else y - tf.cast(zero, tf.float32)) * scale


@rule('QLinearAdd QLinearMul', 1, 'com.microsoft')
def _qlinear_binary(n, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero=None):
    x, y = _dequantized(a, a_scale, a_zero), _dequantized(b, b_scale, b_zero)
    return quantize(x + y if n.op == 'QLinearAdd' else x * y, y_scale, y_zero, a.dtype)


@rule('QLinearSigmoid QLinearLeakyRelu', 1, 'com.microsoft')
def _qlinear_unary(n, x, x_scale, x_zero, y_scale, y_zero=None):
    y = _dequantized(x, x_scale, x_zero)
    y = tf.sigmoid(y) if n.op == 'QLinearSigmoid' else tf.nn.leaky_relu(y, n.get('alpha', .01))
    return quantize(y, y_scale, y_zero, x.dtype)


@rule('QLinearGlobalAveragePool', 1, 'com.microsoft')
def _qlinear_global_average(n, x, x_scale, x_zero, y_scale, y_zero):
    axes = list(range(1, rank(x) - 1)) if n.get('channels_last', 0) else list(range(2, rank(x)))
    return quantize(tf.reduce_mean(_dequantized(x, x_scale, x_zero), axes, True), y_scale, y_zero, x.dtype)


@rule('QLinearConcat', 1, 'com.microsoft')
def _qlinear_concat(n, y_scale, y_zero, *parts):
    xs = [_dequantized(*parts[i:i + 3]) for i in range(0, len(parts), 3)]
    return quantize(tf.concat(xs, n.get('axis', 0)), y_scale, y_zero, y_zero.dtype)


@rule('DynamicQuantizeMatMul', 1, 'com.microsoft')
def _dynamic_quantize_matmul(n, a, b, b_scale, b_zero=None, bias=None):
    q, scale, zero = dynamic_quantize(a)
    y = tf.cast(_matmul_integer(n.unnamed(), q, b, zero, b_zero), tf.float32) * (scale * b_scale)
    return y if bias is None else y + bias


@rule('MatMulIntegerToFloat', 1, 'com.microsoft')
def _matmul_integer_to_float(n, a, b, a_scale, b_scale, a_zero=None, b_zero=None, bias=None):
    y = tf.cast(_matmul_integer(n.unnamed(), a, b, a_zero, b_zero), tf.float32) * (a_scale * b_scale)
    return y if bias is None else y + bias
