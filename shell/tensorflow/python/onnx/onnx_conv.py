"""Rules of ONNX: convolutions and pools.

ONNX has the channels second, and the kernels of the CPU have them last. n.channels_last(x) is the input in this
order; if the node that made it also computed in this order, nothing is transposed.
"""
import numpy as np
from _library.onnx_rules import rule, Refused, rank, with_rank, dims, like, limited, product, fold
from _library.onnx_array import pad


class Window(object):
    """The sliding window of a convolution or pool: for each spatial dimension its extent, step, dilation and padding."""

    def __init__(self, n, x, kernel):
        d = rank(x) - 2
        self.kernel = list(kernel)
        if len(self.kernel) != d or None in self.kernel:
            raise Refused('the shape of its window, %s, does not suit an input of %d dimensions' % (kernel, d + 2))
        self.strides = n.get('strides', None) or [1] * d
        self.dilations = n.get('dilations', None) or [1] * d
        pads = n.get('pads', None) or [0] * 2 * d
        self.extents = dims(x)[2:]
        self.spans = [dilation * (k - 1) + 1 for k, dilation in zip(self.kernel, self.dilations)]
        self.auto = n.text('auto_pad', 'NOTSET')
        self.before, self.after = pads[:d], pads[d:]
        if self.auto in ('SAME_UPPER', 'SAME_LOWER'):
            both = [self._same(*row) for row in zip(self.extents, self.spans, self.strides)]
            if not n.op.endswith('Pool'):  # windows that are smaller than their steps skip elements at both ends
                both = [max(b, 0) if isinstance(b, int) else tf.maximum(b, 0) for b in both]
            odd = int(self.auto == 'SAME_LOWER')  # where the odd element goes
            self.before = [int((b + odd) / 2) if isinstance(b, int) else tf.truncatediv(b + odd, 2) for b in both]
            self.after = [total - b for total, b in zip(both, self.before)]
        self.ceil = bool(n.get('ceil_mode', 0)) and self.auto == 'NOTSET'

    def _same(self, extent, span, stride):
        """The padding with which there are extent / stride windows, rounded up."""
        return ((extent + stride - 1) // stride - 1) * stride + span - extent

    def is_plain(self):
        return all(isinstance(v, int) and v >= 0 for v in self.before + self.after)

    def counts(self):
        """The number of windows in each dimension."""
        found = []
        for extent, span, stride, b, a in zip(self.extents, self.spans, self.strides, self.before, self.after):
            free = extent + b + a - span
            count = free // stride + 1
            if self.ceil:
                count = (free + stride - 1) // stride + 1
                outside = (count - 1) * stride >= extent + b  # a window that begins after the input
                count = count - (int(outside) if isinstance(outside, bool) else tf.cast(outside, tf.int32))
            found.append(count)
        return found

    def ceil_padding(self):
        """The padding that ceil_mode adds after the input, for each dimension."""
        if not self.ceil:
            return [0] * len(self.kernel)
        rows = zip(self.counts(), self.extents, self.spans, self.strides, self.before, self.after)
        more = [(count - 1) * stride + span - (extent + b + a) for count, extent, span, stride, b, a in rows]
        return [max(m, 0) if isinstance(m, int) else tf.maximum(m, 0) for m in more]


def _spatial(f, x, d):
    """Applies f to a channels-last tensor with at least two spatial dimensions."""
    return tf.squeeze(f(tf.expand_dims(x, 1)), [1]) if d == 1 else f(x)


def _two(values, fill):
    return [fill] + list(values) if len(values) == 1 else list(values)


def pad_last(n, x, before, after, value=0):
    """Pads the spatial dimensions of a channels-last tensor. The numbers may be tensors."""
    before, after = [0] + before + [0], [0] + after + [0]
    if not all(isinstance(v, int) for v in before + after):
        before, after = tf.stack([tf.cast(v, tf.int64) for v in before]), tf.stack([tf.cast(v, tf.int64) for v in after])
    y = pad(n.unnamed(), x, before, after, 'constant', tf.constant(value, x.dtype))
    y.set_shape([x.shape[0]] + [None] * (rank(x) - 2) + [x.shape[-1]])  # which computed numbers do not tell
    return y


# ---- convolutions ----

def convolve(n, x, w, window, groups):
    """Convolves a channels-last tensor. The filter has the order of ONNX, [out, in / groups, ...]."""
    d = len(window.kernel)
    limited(groups, w.shape.as_list()[0] or 1, 'a group count')
    channels = w.shape.as_list()[1]
    if channels and x.shape.as_list()[-1] is None:  # a value of a model may have no known extents, and an ONNX writer needs this one
        x.set_shape([None] * (rank(x) - 1) + [channels * groups])
    w = n.filter(w)
    strides, dilations = [1] + window.strides + [1], [1] + window.dilations + [1]
    before, after = window.before, window.after
    if d == 3 or not window.is_plain():
        x = pad_last(n, x, before, after)
        before, after = [0] * d, [0] * d
    if d == 3:
        parts = tf.split(x, groups, -1) if groups > 1 else [x]
        filters = tf.split(w, groups, -1) if groups > 1 else [w]
        parts = [tf.raw_ops.Conv3D(input=p, filter=f, strides=strides, padding='VALID', dilations=dilations)
                 for p, f in zip(parts, filters)]
        return tf.concat(parts, -1) if groups > 1 else parts[0]
    if d > 3:
        raise Refused('a convolution of %d spatial dimensions is not supported' % d)
    if d == 1:
        strides, dilations, w = [1] + strides, [1] + dilations, tf.expand_dims(w, 0)
    explicit = [0, 0]
    for b, a in zip(_two(before, 0), _two(after, 0)):
        explicit += [b, a]
    options = dict(strides=strides, dilations=dilations, padding='EXPLICIT' if any(explicit) else 'VALID',
                   explicit_paddings=explicit + [0, 0] if any(explicit) else [])

    def two_dimensions(x):
        channels = x.shape.as_list()[-1]
        if groups > 1 and groups == channels and window.dilations == [1] * d:
            k, step = w.shape.as_list(), min(strides[1:3])
            f = tf.reshape(w, k[:2] + [channels, k[3] // channels])
            if strides[1] == strides[2]:
                return tf.raw_ops.DepthwiseConv2dNative(input=x, filter=f, **options)
            if strides[1] % step == 0 and strides[2] % step == 0:  # the op wants equal strides; the rest is left out of its result
                y = tf.raw_ops.DepthwiseConv2dNative(input=x, filter=f, **dict(options, strides=[1, step, step, 1]))
                return y[:, ::strides[1] // step, ::strides[2] // step]
        return tf.raw_ops.Conv2D(input=x, filter=w, **options)
    return _spatial(two_dimensions, x, d)


def _kernel(n, w):
    return n.get('kernel_shape', None) or w.shape.as_list()[2:]


@rule('Conv')
@rule('FusedConv', 1, 'com.microsoft')
def _conv(n, x, w, bias=None):
    window = Window(n, with_rank(x, rank(w)), _kernel(n, w))
    y = convolve(n, n.channels_last(x), w, window, n.get('group', 1))
    if bias is not None:
        y = tf.nn.bias_add(y, bias)
    if n.op == 'FusedConv':
        f = {'': tf.identity, 'Relu': tf.nn.relu, 'Sigmoid': tf.sigmoid, 'Tanh': tf.tanh,
             'LeakyRelu': lambda v: tf.nn.leaky_relu(v, (n.get('activation_params', None) or [.01])[0])}
        if n.text('activation', '') not in f:
            raise Refused('its activation %s is not supported' % n.text('activation'))
        y = f[n.text('activation', '')](y)
    return n.channels_first(y)


def _transposed(x, w, sizes, window):
    """The gradient of a convolution with respect to its input, without padding."""
    d = len(window.kernel)
    strides = [1] + window.strides + [1]
    dilations = [1] + window.dilations + [1]
    if d == 3:
        return tf.raw_ops.Conv3DBackpropInputV2(input_sizes=sizes, filter=w, out_backprop=x, strides=strides,
                                                padding='VALID', dilations=dilations)
    return tf.raw_ops.Conv2DBackpropInput(input_sizes=sizes, filter=w, out_backprop=x, strides=strides,
                                          padding='VALID', dilations=dilations)


@rule('ConvTranspose')
def _conv_transpose(n, x, w, bias=None):
    window = Window(n, with_rank(x, rank(w)), _kernel(n, w))
    d, groups = len(window.kernel), limited(n.get('group', 1), w.shape.as_list()[0] or 1, 'a group count')
    more = n.get('output_padding', None) or [0] * d
    full = [(e - 1) * s + span for e, s, span in zip(window.extents, window.strides, window.spans)]
    out = n.get('output_shape', None)
    if out is None and window.auto in ('SAME_UPPER', 'SAME_LOWER'):
        out = [e * s for e, s in zip(window.extents, window.strides)]
    before, after = window.before, window.after
    if out is not None:
        total = [f + m - o for f, m, o in zip(full, more, out[-d:])]
        half = [t // 2 for t in total]
        rest = [t - h for t, h in zip(total, half)]
        before, after = (half, rest) if window.auto == 'SAME_UPPER' else (rest, half)
        if window.auto == 'NOTSET':  # if the output is larger than the full convolution, the zeros are at its end
            before = [max(b, 0) if isinstance(b, int) else tf.maximum(b, 0) for b in before]
            after = [t - b for t, b in zip(total, before)]
    last = n.channels_last(x)
    filters = n.filter(w)  # [..., out / groups, in]
    if d == 1:
        window.kernel, window.strides, window.dilations = [1] + window.kernel, [1] + window.strides, [1] + window.dilations
        last, filters = tf.expand_dims(last, 1), tf.expand_dims(filters, 0)
    sizes = tf.stack([tf.shape(x)[0]] + _two(full, 1) + dims(w)[1:2])
    parts = zip(tf.split(last, groups, -1), tf.split(filters, groups, -1)) if groups > 1 else [(last, filters)]
    parts = [_transposed(p, f, sizes, window) for p, f in parts]
    y = tf.concat(parts, -1) if groups > 1 else parts[0]
    y = tf.squeeze(y, [1]) if d == 1 else y
    y = pad_last(n, y, [-b for b in before], [m - a for m, a in zip(more, after)])
    if bias is not None:
        y = y + bias
    return n.channels_first(y)


# ---- pools ----

def _slices(x, window, a):
    """For each element of the window in spatial dimension a, the elements of a padded, channels-last tensor that it
    meets."""
    limited(window.kernel[a], 4096, 'a dilated window')
    count, stride, found = window.counts()[a], window.strides[a], []
    for place in range(window.kernel[a]):
        start = place * window.dilations[a]
        index = [slice(None)] * (a + 1) + [slice(start, start + (count - 1) * stride + 1, stride)]
        found.append(x[tuple(index)])
    return found


def _pool(x, window, largest):
    """The largest or mean element of each window of a padded, channels-last tensor."""
    d = len(window.kernel)
    if any(v != 1 for v in window.dilations) or d > 3 or largest and x.dtype == tf.int8:
        for a in range(d)[::-1]:
            x = fold(tf.maximum if largest else tf.add, _slices(x, window, a))
        return x if largest else x / like(product(window.kernel), x)
    options = dict(ksize=[1] + _two(window.kernel, 1) + [1], strides=[1] + _two(window.strides, 1) + [1], padding='VALID')
    if d == 3:
        f = tf.raw_ops.MaxPool3D if largest else tf.raw_ops.AvgPool3D
        return f(input=x, **options)

    def two_dimensions(x):
        return tf.raw_ops.MaxPool(input=x, **options) if largest else tf.raw_ops.AvgPool(value=x, **options)
    return _spatial(two_dimensions, x, d)


def lowest(dtype):
    return -np.inf if dtype.is_floating else dtype.min


@rule('MaxPool')
def _max_pool(n, x):
    window = Window(n, with_rank(x, 2 + len(n.get('kernel_shape', []))), n.get('kernel_shape', []))
    more = window.ceil_padding()
    after = [a + m for a, m in zip(window.after, more)]
    padded = pad_last(n, n.channels_last(x), window.before, after, lowest(x.dtype))
    y = n.channels_first(_pool(padded, window, True))
    if len(n.outputs) < 2 or not n.outputs[1]:
        return y
    return [y, _max_places(n, x, window, padded, after)]


def _max_places(n, x, window, padded, after):
    """The indices of the largest elements in the flattened input."""
    d = len(window.kernel)
    places = tf.zeros([1] * (d + 2), tf.int64)
    stride = tf.constant(1, tf.int64)
    extents = [tf.cast(e, tf.int64) for e in dims(x)]
    order = list(range(d)) if n.get('storage_order', 0) else list(range(d))[::-1]
    for a in order:
        line = tf.reshape(tf.range(extents[2 + a]), [-1 if i == a + 1 else 1 for i in range(d + 2)])
        places = places + line * stride
        stride = stride * extents[2 + a]
    for a, count in ((1, extents[1]), (0, extents[0])):
        line = tf.reshape(tf.range(count), [-1 if i == (d + 1 if a else 0) else 1 for i in range(d + 2)])
        places = places + line * stride
        stride = stride * count
    places = pad_last(n, places, window.before, after)
    best, at = padded, places
    for a in range(d)[::-1]:  # of equal elements, the first in row-major order remains
        values, indices = _slices(best, window, a), _slices(at, window, a)
        best, at = values[0], indices[0]
        for value, index in zip(values[1:], indices[1:]):
            more = value > best
            best, at = tf.where(more, value, best), tf.where(more, index, at)
    r = d + 2
    return tf.transpose(at, [0, r - 1] + list(range(1, r - 1)))


@rule('AveragePool')
def _average_pool(n, x):
    window = Window(n, with_rank(x, 2 + len(n.get('kernel_shape', []))), n.get('kernel_shape', []))
    more = window.ceil_padding()
    after = [a + m for a, m in zip(window.after, more)]
    last = n.channels_last(x)
    y = _pool(pad_last(n, last, window.before, after), window, False)
    counted = n.get('count_include_pad', 0)
    if any(not isinstance(v, int) or v > 0 for v in (more if counted else window.before + after)):
        ones = tf.ones(tf.stack([1] + window.extents + [1]), x.dtype)
        ones = pad_last(n, ones, window.before, window.after, 1 if counted else 0)
        y = y / _pool(pad_last(n, ones, [0] * len(more), more), window, False)
    return n.channels_first(y)


@rule('LpPool')
def _lp_pool(n, x):
    window = Window(n, with_rank(x, 2 + len(n.get('kernel_shape', []))), n.get('kernel_shape', []))
    p = like(n.get('p', 2), x)
    after = [a + m for a, m in zip(window.after, window.ceil_padding())]
    padded = pad_last(n, tf.pow(tf.abs(n.channels_last(x)), p), window.before, after)
    return n.channels_first(tf.pow(_pool(padded, window, False) * like(product(window.kernel), x), 1 / p))


@rule('GlobalAveragePool')
def _global_average(n, x):
    if n.has_channels_last(x):
        return n.channels_first(tf.reduce_mean(n.channels_last(x), list(range(1, rank(x) - 1)), True))
    return tf.reduce_mean(x, list(range(2, rank(x))), True, name=n.out)


@rule('GlobalMaxPool')
def _global_max(n, x):
    return tf.reduce_max(x, list(range(2, rank(x))), True, name=n.out)


@rule('GlobalLpPool')
def _global_lp(n, x):
    p = like(n.get('p', 2), x)
    return tf.pow(tf.reduce_sum(tf.pow(tf.abs(x), p), list(range(2, rank(x))), True), 1 / p)


@rule('MaxUnpool')
def _max_unpool(n, x, indices, shape=None):
    window = Window(n, with_rank(x, 2 + len(n.get('kernel_shape', []))), n.get('kernel_shape', []))
    rows = zip(window.extents, window.strides, window.spans, window.before, window.after)
    sizes = dims(x)[:2] + [(e - 1) * s + span - b - a for e, s, span, b, a in rows]
    inner = tf.stack([tf.cast(s, tf.int64) for s in sizes])
    at = tf.reshape(tf.cast(indices, tf.int64), [-1, 1])
    y = tf.reshape(tf.scatter_nd(at, tf.reshape(x, [-1]), tf.reshape(tf.reduce_prod(inner), [1])), inner)
    if shape is None:
        return y
    # The indices count in the output without the rows and columns that the given shape adds.
    return pad(n, y, tf.zeros_like(inner), tf.cast(shape, tf.int64) - inner)


@rule('MaxRoiPool')
def _max_roi_pool(n, x, rois):
    height, width = n.get('pooled_shape', [1, 1])
    scale = n.get('spatial_scale', 1.)
    corners = tf.cast(tf.round(rois[:, 1:] * scale), tf.int32)
    rows, columns = tf.shape(x)[2], tf.shape(x)[3]

    def bins(first, last, count, extent):
        """[rois, count, extent]: true if the row or column belongs to the bin."""
        size = tf.cast(tf.maximum(last - first + 1, 1), tf.float32) / count
        at = tf.cast(tf.range(count), tf.float32)
        begin = tf.cast(tf.floor(tf.expand_dims(size, 1) * at), tf.int32) + tf.expand_dims(first, 1)
        end = tf.cast(tf.ceil(tf.expand_dims(size, 1) * (at + 1)), tf.int32) + tf.expand_dims(first, 1)
        line = tf.range(extent)
        return tf.logical_and(line >= tf.expand_dims(begin, 2), line < tf.expand_dims(end, 2))
    down = bins(corners[:, 1], corners[:, 3], height, rows)
    across = bins(corners[:, 0], corners[:, 2], width, columns)
    images = tf.gather(x, tf.cast(rois[:, 0], tf.int32))  # [rois, C, H, W]
    none = like(-np.inf, x)

    def most(values, inside, axis):
        return tf.reduce_max(tf.raw_ops.SelectV2(condition=inside, t=values, e=none), axis)
    by_rows = most(tf.expand_dims(images, 2), tf.expand_dims(tf.expand_dims(down, 1), 4), 3)  # [rois, C, height, W]
    y = most(tf.expand_dims(by_rows, 3), tf.expand_dims(tf.expand_dims(across, 1), 1), 4)
    return tf.where(tf.is_inf(y), tf.zeros_like(y), y)
