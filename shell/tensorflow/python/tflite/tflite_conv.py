"""Rules of TensorFlow Lite: convolutions, products, pools and images.

Products of quantized numbers are computed in float32, which holds the integers exactly as long as every sum stays
below 2^24. If the weights do not ensure this, they are split into two parts with four bits less.
"""
import numpy as np
from _library.tflite_rules import rule, moves, integers, Refused, activated, known, axis_of, like, rank, scalar, dims, const
from _library.tflite_rules import shifted, requantized, scaled, scaled_once, scaled_wide, one_scale, same_quantization, bounds, clamped, limits, rounded

_EXACT = 1 << 24
_PADDING = ('SAME', 'VALID')


def _padding(n, field=0):
    code = n.byte(field)
    if not 0 <= code < 2:
        raise Refused('its padding %d is not supported' % code)
    return _PADDING[code]


class _Convolution(object):
    """The attributes of a convolution, and its product with float weights."""

    def __init__(self, n, depthwise):
        self.depthwise, self.padding = depthwise, _padding(n)
        self.strides = [1, n.int(2), n.int(1), 1]
        first = 5 if depthwise else 4
        self.dilations = [1, n.int(first + 1, 1), n.int(first, 1), 1]
        self.activation = n.byte(4 if depthwise else 3)
        if min(self.strides + self.dilations) < 1:
            raise Refused('its stride or dilation is not positive')

    def __call__(self, x, w):
        """w is [height, width, in, out]; of a depthwise convolution [height, width, 1, out]."""
        options = dict(strides=self.strides, padding=self.padding)
        if self.depthwise and self.strides[1] == self.strides[2] and self.dilations == [1] * 4:
            k, channels = w.shape.as_list(), x.shape.as_list()[-1]
            f = tf.reshape(w, k[:2] + [channels, k[3] // channels])
            return tf.raw_ops.DepthwiseConv2dNative(input=x, filter=f, **options)
        return tf.raw_ops.Conv2D(input=x, filter=w, dilations=self.dilations, **options)


# The order of the weights in the file, as the kernels of TensorFlow need it.
ORDERS = {'CONV_2D': [1, 2, 3, 0], 'DEPTHWISE_CONV_2D': [1, 2, 0, 3], 'TRANSPOSE_CONV': [1, 2, 0, 3]}


def _bias_of(x, bias):
    return x if bias is None else x + bias


@rule('CONV_2D DEPTHWISE_CONV_2D')
def _conv(n, x, w, bias=None):
    conv = _Convolution(n, n.op == 'DEPTHWISE_CONV_2D')
    return activated(_bias_of(conv(x, n.filter(1, w)), bias), conv.activation)


def _filter_axis(n):
    return 3 if n.op == 'DEPTHWISE_CONV_2D' else 0


def exact_product(product, x, largest, w, sizes):
    """product(x, w) of integers, without rounding, in float64. `largest` is that of |x|. `sizes` are the largest sum of |w| for
    one output and the number of its weights, or None if they are not known."""
    sums, count = sizes or (_EXACT, _EXACT)
    if sums * largest < _EXACT:
        return tf.cast(product(tf.cast(x, tf.float32), tf.cast(w, tf.float32)), tf.float64)
    if sizes is not None and largest > 512:  # x is split into two parts of 8 bits
        high, low = _halves(x, 256.)
        return exact_product(product, high, largest // 256 + 1, w, sizes) * 256. + exact_product(product, low, 128, w, sizes)
    if (sums / 16. + count / 2.) * largest < _EXACT and 8 * count * largest < _EXACT:
        high, low = _halves(w, 16.)
        x = tf.cast(x, tf.float32)
        return tf.cast(product(x, high), tf.float64) * 16. + tf.cast(product(x, low), tf.float64)
    return product(tf.cast(x, tf.float64), tf.cast(w, tf.float64))


def _halves(x, unit):
    """Integers as multiples of the unit, and what remains."""
    x = tf.cast(x, tf.float32)
    high = tf.floor(x * (1. / unit) + .5)
    return high, x - high * unit


def _largest(info):
    """The largest |x| of quantized x minus its zero point."""
    low, high = limits(info)
    return max(int(info.zero[0]) - low, high - int(info.zero[0]))


def product_factors(n, a, b, out):
    """The real factors between the sums of products and the output, one for each output channel or one for all."""
    return [float(a.scale[0]) * float(s) / float(out.scale[0]) for s in b.scale]


def _integer_bias(acc, bias):
    return acc if bias is None else acc + tf.cast(bias, acc.dtype)


def _scaling(a, bias):
    """The scaling of a kernel's sum. The kernel adds in 64 bits for inputs of 16 bits with a bias of 64."""
    return scaled_wide if a.dtype == tf.int16 and bias is not None and bias.dtype == tf.int64 else scaled


@integers('CONV_2D DEPTHWISE_CONV_2D')
def _conv_integers(n, x, w, bias=None):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    conv = _Convolution(n, n.op == 'DEPTHWISE_CONV_2D')
    if x.dtype == tf.float32 and b.is_quantized():
        return activated(_conv_hybrid(n, conv, x, w, bias), conv.activation)
    if not one_scale(a, out) or not b.is_quantized():
        return None
    f, sizes = n.integer_filter(1, w)
    acc = _integer_bias(exact_product(conv, shifted(x, a), _largest(a), f, sizes), bias)
    return requantized(acc, product_factors(n, a, b, out), out, conv.activation, _scaling(a, bias))


def _conv_hybrid(n, conv, x, w, bias):
    """Float inputs and integer weights: each image is quantized, and the sums are scaled back."""
    q, scale, offset = quantized_rows(x, len(n.ins[1].scale) > 1 or n.op != 'CONV_2D')
    f, sizes = n.integer_filter(1, w)
    acc = tf.cast(exact_product(conv, q if offset is None else q - offset, 255, f, sizes), tf.float32)
    return _bias_of(acc * (scale * tf.constant(n.ins[1].scale)), bias)


def quantized_rows(x, asymmetric):
    """x as integers of 8 bits in float32, with a scale for each element of the first dimension, and an offset or None."""
    axes = list(range(1, rank(x)))
    if not asymmetric:
        most = tf.reduce_max(tf.abs(x), axes, True)
        factor = tf.raw_ops.DivNoNan(x=tf.fill(tf.shape(most), 127.), y=most)
        q = tf.minimum(tf.maximum(rounded(x * factor), -127.), 127.)
        return q, most / 127., None
    low, high = tf.minimum(tf.reduce_min(x, axes, True), 0.), tf.maximum(tf.reduce_max(x, axes, True), 0.)
    scale = tf.cast((tf.cast(high, tf.float64) - tf.cast(low, tf.float64)) / 255., tf.float32)
    scale = tf.where(tf.equal(scale, 0.), tf.ones_like(scale), scale)
    # The zero point is the better one of those that either end of the range gives.
    wide = tf.cast(scale, tf.float64)
    from_low, from_high = -128. - tf.cast(low, tf.float64) / wide, 127. - tf.cast(high, tf.float64) / wide
    near_low = 128. + tf.abs(tf.cast(low, tf.float64) / wide) < 127. + tf.abs(tf.cast(high, tf.float64) / wide)
    zero = tf.cast(tf.minimum(tf.maximum(rounded(tf.where(near_low, from_low, from_high)), -128.), 127.), tf.float32)
    q = tf.minimum(tf.maximum(rounded(zero + x * (1. / scale)), -128.), 127.)
    return q, scale, zero


@rule('TRANSPOSE_CONV')
def _transpose_conv(n, shape, w, x, bias=None):
    return activated(_bias_of(_backwards(n, shape)(x, n.filter(1, w)), bias), n.byte(3))


def _backwards(n, shape):
    return lambda x, w: tf.raw_ops.Conv2DBackpropInput(
        input_sizes=shape, filter=w, out_backprop=x, strides=[1, n.int(2), n.int(1), 1], padding=_padding(n))


@integers('TRANSPOSE_CONV')
def _transpose_conv_integers(n, shape, w, x, bias=None):
    a, b, out = n.ins[2], n.ins[1], n.outs[0]
    if x.dtype == tf.float32 and b.is_quantized():
        return activated(_conv_hybrid(n, _backwards(n, shape), x, w, bias), n.byte(3))
    if not one_scale(a, out) or not b.is_quantized():
        return None
    f, sizes = n.integer_filter(1, w)
    acc = _integer_bias(exact_product(_backwards(n, shape), shifted(x, a), _largest(a), f, sizes), bias)
    return requantized(acc, product_factors(n, a, b, out), out, n.byte(3), _scaling(a, bias))


@rule('CONV_3D')
def _conv_3d(n, x, w, bias=None):
    y = tf.raw_ops.Conv3D(input=x, filter=w, strides=[1, n.int(1), n.int(3), n.int(2), 1], padding=_padding(n),
                          dilations=[1, n.int(5, 1), n.int(7, 1), n.int(6, 1), 1])
    return activated(_bias_of(y, bias), n.byte(4))


@rule('CONV_3D_TRANSPOSE')
def _conv_3d_transpose(n, shape, w, x, bias=None):
    y = tf.raw_ops.Conv3DBackpropInputV2(input_sizes=shape, filter=w, out_backprop=x, strides=[
        1, n.int(1), n.int(3), n.int(2), 1], padding=_padding(n), dilations=[1, n.int(5, 1), n.int(7, 1), n.int(6, 1), 1])
    return activated(_bias_of(y, bias), n.byte(4))


# ---- products of matrices ----

def _flat(x, w):
    """The input of a fully connected layer as a matrix."""
    return tf.reshape(x, [-1, w.shape.as_list()[1]])


def _unflat(n, y, x):
    """Its result with the dimensions of the input, if the layer keeps them."""
    if not n.flag(2):
        return y
    size = dims(x)[:-1] + [y.shape.as_list()[1]]
    return tf.reshape(y, size if all(isinstance(d, int) for d in size) else tf.stack(size))


def _times(x, w):
    return tf.matmul(x, w, transpose_b=True)


@rule('FULLY_CONNECTED')
def _fully_connected(n, x, w, bias=None):
    if n.byte(1):
        raise Refused('weights in shuffled order are not supported')
    w = n.blockwise(w, n.ins[1]) if n.ins[1].blocks else w
    y = _bias_of(_times(_flat(x, w), w), bias)
    return activated(_unflat(n, y, x), n.byte(0))


@integers('FULLY_CONNECTED')
def _fully_connected_integers(n, x, w, bias=None):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    if n.byte(1):
        raise Refused('weights in shuffled order are not supported')
    if x.dtype == tf.float32 and b.is_quantized() and not b.blocks:
        y = _bias_of(hybrid_product(n, _flat(x, w), w, 1, n.flag(3)), bias)
        return activated(_unflat(n, y, x), n.byte(0))
    if not one_scale(a, out) or not b.is_quantized():
        return None
    f, sizes = n.integer_filter(1, w)
    acc = exact_product(_times, _flat(shifted(x, a), w), _largest(a), f, sizes)
    y = requantized(_integer_bias(acc, bias), product_factors(n, a, b, out), out, n.byte(0), scaled_once)
    return _unflat(n, y, x)


def hybrid_product(n, x, w, i, asymmetric=False):
    """x w' for float rows x, which are quantized, and integers w, which are input i of the node."""
    q, scale, offset = quantized_rows(x, asymmetric)
    f, sizes = n.integer_filter(i, w)
    acc = exact_product(_times, q if offset is None else q - offset, 255, f, sizes)
    return tf.cast(acc, tf.float32) * scale * tf.constant(n.ins[i].scale)


@rule('BATCH_MATMUL')
def _batch_matmul(n, x, y):
    if x.dtype.is_integer:
        return tf.matmul(tf.cast(x, tf.int32), tf.cast(y, tf.int32), adjoint_a=n.flag(0), adjoint_b=n.flag(1))
    return tf.matmul(x, y, adjoint_a=n.flag(0), adjoint_b=n.flag(1))


@integers('BATCH_MATMUL')
def _batch_matmul_integers(n, x, y):
    a, b, out = n.ins[0], n.ins[1], n.outs[0]
    if not one_scale(a, b):
        return None
    inner = y.shape.as_list()[-1 if n.flag(1) else -2]

    def product(x, y):
        return tf.matmul(x, y, adjoint_a=n.flag(0), adjoint_b=n.flag(1))
    acc = exact_product(product, shifted(x, a), _largest(a), shifted(y, b), None if inner is None else (inner * _largest(b), inner))
    if not one_scale(out):
        return tf.cast(acc, out.dtype)
    return requantized(acc, product_factors(n, a, b, out), out, 0, scaled_wide if a.dtype == tf.int16 else scaled)


# ---- pools ----

def _window(n):
    return dict(ksize=[1, n.int(4), n.int(3), 1], strides=[1, n.int(2), n.int(1), 1], padding=_padding(n))


@rule('AVERAGE_POOL_2D')
def _average_pool(n, x):
    return activated(tf.raw_ops.AvgPool(value=x, **_window(n)), n.byte(5))


@rule('MAX_POOL_2D')
def _max_pool(n, x):
    return activated(tf.raw_ops.MaxPool(input=x, **_window(n)), n.byte(5))


@rule('L2_POOL_2D')
def _l2_pool(n, x):
    return activated(tf.sqrt(tf.raw_ops.AvgPool(value=tf.square(x), **_window(n))), n.byte(5))


@integers('AVERAGE_POOL_2D')
def _average_pool_integers(n, x):
    """The sum of the elements that exist, divided by their number, with halves away from zero."""
    a, out = n.ins[0], n.outs[0]
    if not one_scale(a, out):
        return None
    window = _window(n)
    area = window['ksize'][1] * window['ksize'][2]
    wide = tf.float32 if area * 65536 < _EXACT else tf.float64
    mean = tf.raw_ops.AvgPool(value=tf.cast(x, wide), **window)
    shape = tf.concat([[1], tf.shape(x)[1:3], [1]], 0)
    if window['padding'] == 'VALID':
        count = like(area, mean)
    else:
        inside = tf.raw_ops.AvgPool(value=tf.pad(tf.ones(shape, wide), _same_pads(x, window)), ksize=window['ksize'],
                                    strides=window['strides'], padding='VALID')
        count = tf.round(inside * area)
    total, count = tf.cast(tf.round(mean * count), tf.int32), tf.cast(count, tf.int32)
    half = tf.truncatediv(count, 2)
    y = tf.truncatediv(tf.where(total > 0, total + half, total - half), count)
    low, high = bounds(n.byte(5), out)
    return clamped(y, low, high, out.dtype)


def _same_pads(x, window):
    pads = [[0, 0]]
    for a in (1, 2):
        extent, k, s = dims(x)[a], window['ksize'][a], window['strides'][a]
        total = ((extent + s - 1) // s - 1) * s + k - extent
        total = max(total, 0) if isinstance(total, int) else tf.maximum(total, 0)
        pads.append([total // 2, total - total // 2])
    return pads + [[0, 0]]


@integers('MAX_POOL_2D')
def _max_pool_integers(n, x):
    out = n.outs[0]
    if not one_scale(out):
        return None
    y = tf.raw_ops.MaxPool(input=tf.cast(x, tf.float32), **_window(n))
    low, high = bounds(n.byte(5), out)
    return clamped(y, low, high, out.dtype)


# ---- images ----

@rule('RESIZE_BILINEAR')
def _resize_bilinear(n, x, size):
    return tf.raw_ops.ResizeBilinear(images=x, size=size, align_corners=n.flag(2), half_pixel_centers=n.flag(3))


@integers('RESIZE_BILINEAR')
def _resize_bilinear_integers(n, x, size):
    """The weights along each dimension have 10 bits. Numbers of uint8 are interpolated as floats."""
    a, to, extents = n.ins[0], const(size), dims(x)[1:3]
    if x.dtype not in (tf.int8, tf.int16) or not same_quantization(a, n.outs[0]) or to is None or not all(
            isinstance(d, int) for d in extents):
        return None
    y = tf.cast(x, tf.int32 if x.dtype == tf.int8 else tf.int64)
    for axis, extent, count in zip((1, 2), extents, to.tolist()):
        low, high, part = _neighbours(extent, count, n.flag(2), n.flag(3))
        part = tf.constant(part.reshape([-1] + [1] * (3 - axis)), y.dtype)
        y = tf.gather(y, low, axis=axis) * (1024 - part) + tf.gather(y, high, axis=axis) * part
    return tf.cast(tf.truncatediv(y + tf.sign(y) * (1 << 19), like(1 << 20, y)), x.dtype)


def _neighbours(extent, count, corners, centers):
    """For each of `count` positions, its two neighbours of `extent`, and the weight of the second in 1024ths."""
    steps, gaps = (extent - 1, count - 1) if corners and count > 1 else (extent, count)
    scale = (steps * 1024 + gaps // 2) // gaps
    at = np.arange(count) * scale + (scale // 2 - 512 if centers else 0)
    low = np.maximum(at // 1024, 0)
    return low, np.minimum((at + 1023) // 1024, extent - 1), at - 1024 * low


@moves('RESIZE_NEAREST_NEIGHBOR')
def _resize_nearest(n, x, size):
    return tf.raw_ops.ResizeNearestNeighbor(images=x, size=size, align_corners=n.flag(0), half_pixel_centers=n.flag(1))
