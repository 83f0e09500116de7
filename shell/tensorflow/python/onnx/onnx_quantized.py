"""Rules of ONNX: quantized numbers. Products of integers are computed in float64, which holds them exactly."""
from _library.onnx_rules import rule, dtype_of, rank, dims, scalar, like
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


def quantized_product(x, w, w_scale, w_zero):
    """The product of x, which is quantized, and of integers."""
    q, scale, zero = dynamic_quantize(x)
    y = tf.matmul(_shifted(q, zero), _shifted(w, w_zero, rank(w) - 1))
    return tf.cast(y, tf.float32) * (scale * w_scale)


def dynamic_quantize(x):
    """x as uint8, with the scale and zero point of its range."""
    low, high = tf.minimum(tf.reduce_min(x), 0), tf.maximum(tf.reduce_max(x), 0)
    scale = (high - low) / 255
    scale = tf.where(tf.equal(scale, 0), tf.ones_like(scale), scale)
    zero = saturated(tf.minimum(tf.maximum(-low / scale, 0), 255), tf.uint8)
    return [quantize(x, scale, tf.cast(zero, tf.float32), tf.uint8), scale, zero]


def _shifted(x, zero, axis=None):
    """x minus its zero point, which belongs to the whole or to a dimension."""
    y = tf.cast(x, tf.float64)
    if zero is None:
        return y
    zero = tf.cast(zero, tf.float64)
    if rank(zero) == 1 and zero.shape.as_list() != [1]:
        zero = tf.reshape(zero, [-1 if a == axis else 1 for a in range(rank(x))])
    elif rank(zero) < 2:
        zero = tf.reshape(zero, [])
    return y - zero


@rule('MatMulInteger')
def _matmul_integer(n, a, b, a_zero=None, b_zero=None):
    y = matmul(_shifted(a, a_zero, rank(a) - 2), _shifted(b, b_zero, rank(b) - 1))
    return tf.cast(y, tf.int32, name=n.out)


def _requantized(y, a_scale, b_scale, y_scale, y_zero):
    factor = tf.cast(a_scale, tf.float32) * tf.cast(b_scale, tf.float32) / tf.cast(y_scale, tf.float32)
    y = tf.round(tf.cast(y, tf.float32) * factor)
    return saturated(y + tf.cast(y_zero, tf.float32), y_zero.dtype)


@rule('QLinearMatMul')
def _qlinear_matmul(n, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    y = matmul(_shifted(a, a_zero, rank(a) - 2), _shifted(b, b_zero, rank(b) - 1))

    def column(v):
        return tf.expand_dims(v, -1) if rank(v) == 1 and v.shape.as_list() != [1] else v
    return _requantized(y, column(a_scale), b_scale, column(y_scale), column(y_zero))


def _convolve_integers(n, x, w, x_zero, w_zero):
    """The exact convolution, in float64 and with the channels last."""
    window = Window(n, x, _kernel(n, w))
    return convolve(n, n.channels_last(_shifted(x, x_zero)), _shifted(w, w_zero, 0), window, n.get('group', 1))


@rule('ConvInteger')
def _conv_integer(n, x, w, x_zero=None, w_zero=None):
    return n.channels_first(tf.cast(_convolve_integers(n, x, w, x_zero, w_zero), tf.int32))


@rule('QLinearConv')
def _qlinear_conv(n, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None):
    y = _convolve_integers(n, x, w, x_zero, w_zero)
    if bias is not None:
        y = y + tf.cast(bias, y.dtype)
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
