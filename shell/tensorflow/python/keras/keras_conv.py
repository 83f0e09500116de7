"""Keras layers: convolutions. Kernels have the order [window..., in, out]."""
from _library.keras_rules import Refused, activate, dims, layer, rank, several, with_last

_RANKS = {'1D': 1, '2D': 2, '3D': 3}


def spatial_rank(kind):
    for end, count in _RANKS.items():
        if end in kind:
            return count
    raise Refused('its number of dimensions is not known')


def convolve(x, w, strides, padding, dilations, groups=1):
    """Convolves a channels-last tensor with 1 to 3 spatial dimensions."""
    d = len(strides)
    if padding == 'causal':
        span = dilations[0] * (int(w.shape[0]) - 1)
        x, padding = tf.pad(x, [[0, 0], [span, 0]] + [[0, 0]] * (rank(x) - 2)), 'valid'
    padding = padding.upper()
    if not isinstance(groups, int) or not 0 < groups <= (x.shape.as_list()[-1] or groups) or groups > 1 << 16:
        raise Refused('%s groups of %s channels are not possible' % (groups, x.shape.as_list()[-1]))
    if d == 3:
        parts = tf.split(x, groups, -1) if groups > 1 else [x]
        filters = tf.split(w, groups, -1) if groups > 1 else [w]
        parts = [tf.raw_ops.Conv3D(input=p, filter=f, strides=[1] + strides + [1], padding=padding,
                                   dilations=[1] + dilations + [1]) for p, f in zip(parts, filters)]
        return tf.concat(parts, -1) if groups > 1 else parts[0]
    if d == 1:
        y = tf.raw_ops.Conv2D(input=tf.expand_dims(x, 1), filter=tf.expand_dims(w, 0), strides=[1, 1] + strides + [1],
                              padding=padding, dilations=[1, 1] + dilations + [1])
        return tf.squeeze(y, [1])
    return tf.raw_ops.Conv2D(input=x, filter=w, strides=[1] + strides + [1], padding=padding,
                             dilations=[1] + dilations + [1])


def _bias(n):
    return ['bias'] * bool(n.get('use_bias', True))


def _options(n, d):
    return several(n.get('strides', 1), d), n.get('padding', 'valid'), several(n.get('dilation_rate', 1), d)


def _finish(n, y):
    if n.has('bias'):
        y = y + n.w('bias')
    return activate(n, y, n.get('activation'))


@layer('Conv1D Conv2D Conv3D Convolution1D Convolution2D Convolution3D', lambda n: ['kernel'] + _bias(n))
def _conv(n, x):
    strides, padding, dilations = _options(n, spatial_rank(n.kind))

    def f(x):
        return _finish(n, convolve(x, n.w('kernel'), strides, padding, dilations, n.get('groups', 1)))
    return with_last(n, x, f)


def depthwise(x, w, strides, padding, dilations):
    """A convolution of each channel by itself. w has the order [window..., channels, multiplier]."""
    if padding == 'causal':
        span = dilations[-1] * (int(w.shape[-3]) - 1)
        x, padding = tf.pad(x, [[0, 0], [span, 0], [0, 0]]), 'valid'
    if rank(x) == 3:
        y = depthwise(tf.expand_dims(x, 1), tf.expand_dims(w, 0), strides * 2, padding, [1] + dilations)
        return tf.squeeze(y, [1])
    if strides[0] != strides[1]:  # the op has one step for both dimensions
        channels, multiplier = int(w.shape[2]), int(w.shape[3])
        flat = tf.reshape(w, [int(w.shape[0]), int(w.shape[1]), 1, channels * multiplier])
        return convolve(x, flat, strides, padding, dilations)
    return tf.raw_ops.DepthwiseConv2dNative(input=x, filter=w, strides=[1] + strides + [1], padding=padding.upper(),
                                            dilations=[1] + dilations + [1])


def _depthwise_weights(n):
    return [('depthwise_kernel' if n.version < 3 else 'kernel')] + _bias(n)


@layer('DepthwiseConv1D DepthwiseConv2D', _depthwise_weights)
def _depthwise_conv(n, x):
    strides, padding, dilations = _options(n, spatial_rank(n.kind))

    def f(x):
        return _finish(n, depthwise(x, n.w(n.names[0]), strides, padding, dilations))
    return with_last(n, x, f)


@layer('SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D',
       lambda n: ['depthwise_kernel', 'pointwise_kernel'] + _bias(n))
def _separable_conv(n, x):
    d = spatial_rank(n.kind)
    strides, padding, dilations = _options(n, d)

    def f(x):
        y = depthwise(x, n.w('depthwise_kernel'), strides, padding, dilations)
        return _finish(n, convolve(y, n.w('pointwise_kernel'), [1] * d, 'valid', [1] * d))
    return with_last(n, x, f)


def _transposed_extent(extent, kernel, stride, padding, more, dilation):
    span = dilation * (kernel - 1) + 1
    if padding == 'same':
        return extent * stride if more is None else (extent - 1) * stride + span + more - 2 * (span // 2)
    return extent * stride + max(span - stride, 0) if more is None else (extent - 1) * stride + span + more


@layer('Conv1DTranspose Conv2DTranspose Conv3DTranspose Convolution1DTranspose Convolution2DTranspose '
       'Convolution3DTranspose', lambda n: ['kernel'] + _bias(n))
def _conv_transpose(n, x):
    d = spatial_rank(n.kind)
    strides, padding, dilations = _options(n, d)
    more = several(n.config.get('output_padding'), d)
    w = n.w('kernel')
    kernel = w.shape.as_list()

    def f(x):
        shape = dims(x)
        out = [_transposed_extent(e, k, s, padding, m, dilation) for e, k, s, m, dilation in zip(
            shape[1:-1], kernel, strides, more, dilations)]
        sizes = tf.stack([shape[0]] + [1] * (d == 1) + out + [kernel[-2]])
        options = dict(input_sizes=sizes, padding=padding.upper())
        if d == 3:
            y = tf.raw_ops.Conv3DBackpropInputV2(filter=w, out_backprop=x, strides=[1] + strides + [1],
                                                 dilations=[1] + dilations + [1], **options)
        else:
            two = [1] * (d == 1)
            filters = tf.expand_dims(w, 0) if d == 1 else w
            y = tf.raw_ops.Conv2DBackpropInput(filter=filters, out_backprop=tf.expand_dims(x, 1) if d == 1 else x,
                                               strides=[1] + two + strides + [1], dilations=[1] + two + dilations + [1],
                                               **options)
            y = tf.squeeze(y, [1]) if d == 1 else y
        y.set_shape([x.shape.as_list()[0]] + [o if isinstance(o, int) else None for o in out] + [kernel[-2]])
        return _finish(n, y)
    return with_last(n, x, f)
