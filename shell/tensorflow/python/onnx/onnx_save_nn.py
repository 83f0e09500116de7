"""Rules of `save model.onnx`: convolutions, pools, normalization and images, which compute with the channels second, and
recurrent layers."""
import numpy as np
from _library.onnx_rules import const
from _library.onnx_save import rule, Refused, First


def _is_first(n):
    return n.attr('data_format', 'NHWC') in ('NCHW', 'NCDHW')


def _input(n, i=0):
    """The ONNX name of an input with the channels second, its spatial extents, and its channels."""
    dims = n.shape(i) or [None] * 4
    if _is_first(n):
        return n.x(i), dims[2:], dims[1]
    return n.first(i), dims[1:-1], dims[-1]


def _result(n, name):
    return name if _is_first(n) else First(name)


def _spatial(n, values):
    """The elements of an attribute that belong to the spatial dimensions."""
    return [int(v) for v in (values[2:] if _is_first(n) else values[1:-1])]


def _window(n, extents, kernel, strides, dilations):
    """The attributes of a sliding window."""
    d = len(kernel)
    options = dict(strides=strides, kernel_shape=kernel)
    if any(v != 1 for v in dilations):
        options['dilations'] = dilations
    padding = n.attr('padding')
    if padding == 'EXPLICIT':
        pads = n.attr('explicit_paddings', [])
        pads = pads[4:] if _is_first(n) else pads[2:-2]
        options['pads'] = [int(p) for p in pads[0::2] + pads[1::2]]
    elif padding == 'SAME':
        if None in extents:
            options['auto_pad'] = 'SAME_UPPER'
            return options
        total = [max(((e + s - 1) // s - 1) * s + (k - 1) * l + 1 - e, 0)
                 for e, s, k, l in zip(extents, strides, kernel, dilations)]
        options['pads'] = [t // 2 for t in total] + [t - t // 2 for t in total]
    if not any(options.get('pads', [])):
        options.pop('pads', None)
    return options


def _filter(n, i, order, shape=None):
    """A filter in another order, as an initializer if it is known."""
    value = n.value(i)
    if value is not None:
        value = np.transpose(value, order)
        return n.writer.constant(value if shape is None else np.reshape(value, shape), n.writer.own(n.inputs[i]) + '/filter')
    made = n.make('Transpose', [n.x(i)], perm=order)
    return made if shape is None else n.make('Reshape', [made, n.int64(shape)])


@rule('Conv2D Conv3D')
def _conv(n):
    x, extents, channels = _input(n)
    k = n.shape(1)
    if k is None or None in k or channels is None:
        raise Refused('the shape of its filter or the number of channels is not known')
    d = len(k) - 2
    w = _filter(n, 1, [d + 1, d] + list(range(d)))
    options = _window(n, extents, k[:d], _spatial(n, n.attr('strides', [])), _spatial(n, n.attr('dilations', []) or [1] * (d + 2)))
    return _result(n, n.make('Conv', [x, w], group=channels // k[d], **options))


@rule('DepthwiseConv2dNative')
def _depthwise(n):
    x, extents, channels = _input(n)
    k = n.shape(1)
    w = _filter(n, 1, [2, 3, 0, 1], [k[2] * k[3], 1, k[0], k[1]])
    options = _window(n, extents, k[:2], _spatial(n, n.attr('strides', [])), _spatial(n, n.attr('dilations', []) or [1] * 4))
    return _result(n, n.make('Conv', [x, w], group=k[2], **options))


@rule('Conv2DBackpropInput Conv3DBackpropInputV2')
def _conv_transpose(n):
    x, extents, _ = _input(n, 2)
    k, out = n.shape(1), n.outputs[0].shape.as_list() if n.outputs[0].shape.ndims else [None] * (len(extents) + 2)
    d = len(k) - 2
    out = out[2:] if _is_first(n) else out[1:-1]
    strides = _spatial(n, n.attr('strides', []))
    dilations = _spatial(n, n.attr('dilations', []) or [1] * (d + 2))
    padding = n.attr('padding')
    if padding == 'EXPLICIT':
        raise Refused('a transposed convolution with explicit paddings')
    begin, end, more = [], [], []
    for e, o, s, size, l in zip(extents, out, strides, k[:d], dilations):
        span = (size - 1) * l + 1
        if e is None or o is None:  # the usual size of the output
            left = max(span - s, 0) if padding == 'SAME' else 0
            short = max(s - span, 0)
        else:
            left = (e - 1) * s + span - o
            left, short = max(left, 0), max(-left, 0)
        begin.append(left // 2)
        end.append(left - left // 2)
        more.append(short)
    w = _filter(n, 1, [d + 1, d] + list(range(d)))
    options = dict(strides=strides, kernel_shape=k[:d], pads=begin + end, output_padding=more, dilations=dilations)
    return _result(n, n.make('ConvTranspose', [x, w], **options))


@rule('MaxPool AvgPool MaxPool3D AvgPool3D')
def _pool(n):
    x, extents, _ = _input(n)
    size = n.attr('ksize', [])
    if (size[1] if _is_first(n) else size[-1]) != 1:
        raise Refused('a pool over the channels')
    kernel = _spatial(n, size)
    options = _window(n, extents, kernel, _spatial(n, n.attr('strides', [])), [1] * len(kernel))
    return _result(n, n.make('MaxPool' if n.type.startswith('Max') else 'AveragePool', [x], **options))


# ---- normalization ----

@rule('FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3')
def _batch_norm(n):
    x, extents, _ = _input(n)
    epsilon = float(n.attr('epsilon', 1e-3))
    if not n.attr('is_training', True):
        y = n.make('BatchNormalization', [x] + n.xs(1, 5), epsilon=epsilon)
        return [_result(n, y), n.x(3), n.x(4), None, None, None][:len(n.outputs)]
    axes = [0] + list(range(2, 2 + len(extents)))

    def column(name):
        return n.make('Unsqueeze', [name, n.int64([0] + axes[1:])])
    mean = n.make('ReduceMean', [x], axes=axes, keepdims=1)
    d = n.make('Sub', [x, mean])
    variance = n.make('ReduceMean', [n.make('Mul', [d, d])], axes=axes, keepdims=1)
    deviation = n.make('Sqrt', [n.make('Add', [variance, n.like(epsilon, 1)])])
    y = n.make('Add', [n.make('Mul', [n.make('Div', [d, deviation]), column(n.x(1))]), column(n.x(2))])
    flat = n.make('Squeeze', [mean, n.int64(axes)])
    return [_result(n, y), flat, None, None, None, None][:len(n.outputs)]


@rule('LRN')
def _lrn(n):
    size = 2 * n.attr('depth_radius', 5) + 1
    return First(n.make('LRN', [n.first(0)], size=size, bias=n.attr('bias', 1.), alpha=n.attr('alpha', 1.) * size,
                        beta=n.attr('beta', .5)))


# ---- images ----

@rule('ResizeBilinear ResizeNearestNeighbor ResizeBicubic')
def _resize(n):
    x = n.first(0)
    mode = {'ResizeBilinear': 'linear', 'ResizeNearestNeighbor': 'nearest', 'ResizeBicubic': 'cubic'}[n.type]
    half, corners = n.attr('half_pixel_centers', False), n.attr('align_corners', False)
    where = 'half_pixel' if half else 'align_corners' if corners else 'asymmetric'
    options = dict(mode=mode, coordinate_transformation_mode=where)
    if mode == 'nearest':
        options['nearest_mode'] = 'round_prefer_ceil' if half or corners else 'floor'
    if mode == 'cubic':
        if not half:
            raise Refused('ONNX has only the bicubic filter with half_pixel_centers')
        options.update(cubic_coeff_a=-.5, exclude_outside=1)
    outer = n.make('Slice', [n.make('Shape', [x]), n.int64([0]), n.int64([2])])
    sizes = n.make('Concat', [outer, n.ints(1)], axis=0)
    y = n.make('Resize', [x, '', '', sizes], **options)
    if n.dtype() != n.outputs[0].dtype.base_dtype:
        y = n.cast(y, n.outputs[0].dtype)
    return First(y)


def _is_extent(t, of):
    """True for the length of the first dimension of a tensor, as an integer of any type."""
    if of.shape.ndims and of.shape[0].value is not None and const(t) is not None:
        return int(const(t)) == of.shape[0].value
    while t.op.type in ('Cast', 'Identity'):
        t = t.op.inputs[0]
    if t.op.type != 'StridedSlice' or const(t.op.inputs[1]) is None or list(const(t.op.inputs[1])) != [0]:
        return False
    shape = t.op.inputs[0]
    return bool(t.op.get_attr('shrink_axis_mask')) and shape.op.type == 'Shape' and shape.op.inputs[0].name == of.name


def _is_last(op):
    """True for x[-1]."""
    return op.type == 'StridedSlice' and op.get_attr('shrink_axis_mask') == 1 and [int(v) for v in const(op.inputs[1])] == [-1]


@rule('BlockLSTM BlockLSTMV2')
def _block_lstm(n):
    if n.attr('use_peephole') or n.attr('cell_clip') > 0:
        raise Refused('its peepholes and the limit of its state have no form in ONNX')
    w, b = n.need(4, 'the weights'), n.need(8, 'the bias')
    size = b.shape[0] // 4
    i, f, c, o = ((0, 1, 2, 3) if n.type.endswith('V2') else (0, 2, 1, 3))

    def arranged(v):  # as in ONNX
        parts = np.split(v, 4, -1)
        return np.concatenate([parts[k] for k in (i, o, f, c)], -1)
    b = b.copy()
    if n.attr('forget_bias') is not None:
        b[f * size:(f + 1) * size] += n.attr('forget_bias')
    weights, bias = np.transpose(arranged(w)), arranged(b)
    inputs = weights.shape[1] - size
    names = [n.writer.constant(v[None], n.writer.own(n.inputs[4]) + part) for v, part in (
        (weights[:, :inputs], '/input'), (weights[:, inputs:], '/recurrent'), (np.concatenate([bias, np.zeros_like(bias)]), '/bias'))]
    lengths = ''
    if not _is_extent(n.inputs[0], n.inputs[1]):
        batch = n.make('Gather', [n.make('Shape', [n.x(1)]), n.int64([1])])
        lengths = n.make('Expand', [n.cast(n.x(0), tf.int32), batch])
    state = [n.make('Unsqueeze', [n.x(k), n.int64([0])]) for k in (3, 2)]
    y, _, last = n.many('LSTM', [n.x(1)] + names + [lengths] + state, 3, hidden_size=size)
    # Of the states, ONNX has the last one only.
    cs = last if not lengths and all(_is_last(op) for op in n.outputs[1].consumers()) else None
    return [None, cs, None, None, None, None, n.make('Squeeze', [y, n.int64([1])])]
