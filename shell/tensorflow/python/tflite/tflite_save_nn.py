"""Rules of `save model.tflite`: convolutions, pools, normalization and images."""
import numpy as np
from _library.onnx_rules import to_first, to_last
from _library.onnx_save import Refused
from _library.tflite_save import rule

_SAME, _VALID = 0, 1


def _is_first(n):
    return n.attr('data_format', 'NHWC') in ('NCHW', 'NCDHW')


def _input(n, i=0):
    """The name of an input with the channels last, and its shape."""
    dims = n.shape(i)
    if dims is None:
        raise Refused('the number of dimensions of %s is not known' % n.inputs[i].op.name)
    if not _is_first(n):
        return n.x(i), dims
    order = to_last(len(dims))
    return n.make('TRANSPOSE', [n.x(i), n.int32(order)]), [dims[a] for a in order]


def _result(n, y, r=None):
    return n.make('TRANSPOSE', [y, n.int32(to_first(r or n.ndims()))]) if _is_first(n) else y


def _spatial(n, values):
    """The elements of an attribute that belong to the spatial dimensions."""
    return [int(v) for v in (values[2:] if _is_first(n) else values[1:-1])]


def _padded(n, x):
    """The input with its explicit paddings, and the padding of the operator."""
    if n.attr('padding') == 'SAME':
        return x, _SAME
    if n.attr('padding') == 'EXPLICIT':
        pads = np.reshape(n.attr('explicit_paddings', []), [-1, 2])
        pads = pads[np.array(to_last(len(pads)))] if _is_first(n) else pads
        x = n.make('PAD', [x, n.int32(pads)])
    return x, _VALID


def _window(n, spaced=True):
    """The strides and the distances of the elements of a sliding window, as options."""
    strides = _spatial(n, n.attr('strides', []))
    names = ('d', 'h', 'w')[-len(strides):]
    made = {'stride_' + k: v for k, v in zip(names, strides)}
    dilations = _spatial(n, n.attr('dilations', []) or [1] * (len(strides) + 2))
    if spaced:
        made.update(('dilation_' + k, v) for k, v in zip(names, dilations))
    elif any(v != 1 for v in dilations):
        raise Refused('a transposed convolution with dilations')
    return made


def _filter(n, i, order, shape=None):
    """A filter in another order, as a constant if it is known."""
    value = n.value(i)
    if value is None:
        made = n.make('TRANSPOSE', [n.x(i), n.int32(order)])
        return made if shape is None else n.make('RESHAPE', [made, n.int32(shape)])
    value = np.transpose(value, order)
    return n.writer.constant(value if shape is None else np.reshape(value, shape), n.writer.own(n.inputs[i]) + '/filter')


def _no_bias(n, count):
    """The bias of a convolution without one. TensorFlow Lite's kernels require it."""
    if count is None:
        raise Refused('the number of its outputs is not known')
    return n.writer.constant(np.zeros([count], np.float32))


@rule('Conv2D')
def _conv(n):
    x, _ = _input(n)
    x, padding = _padded(n, x)
    return _result(n, n.make('CONV_2D', [x, _filter(n, 1, [3, 0, 1, 2]), _no_bias(n, n.shape(1)[3])], padding=padding, **_window(n)))


@rule('DepthwiseConv2dNative')
def _depthwise(n):
    x, _ = _input(n)
    x, padding = _padded(n, x)
    h, w, channels, multiplier = n.shape(1)
    filter = _filter(n, 1, [0, 1, 2, 3], [1, h, w, channels * multiplier])
    return _result(n, n.make('DEPTHWISE_CONV_2D', [x, filter, _no_bias(n, channels * multiplier)], padding=padding,
                             multiplier=multiplier, **_window(n)))


@rule('Conv3D')
def _conv_3d(n):
    x, _ = _input(n)
    x, padding = _padded(n, x)
    return _result(n, n.make('CONV_3D', [x, n.x(1)], padding=padding, **_window(n)))


@rule('Conv2DBackpropInput Conv3DBackpropInputV2')
def _conv_transpose(n):
    x, _ = _input(n, 2)
    r = n.ndims(2)
    if n.attr('padding') == 'EXPLICIT':
        raise Refused('a transposed convolution with explicit paddings')
    shape = n.ints(0)
    if _is_first(n):
        shape = n.make('GATHER', [shape, n.int32(to_last(r))])
    padding = _SAME if n.attr('padding') == 'SAME' else _VALID
    if r == 5:
        y = n.make('CONV_3D_TRANSPOSE', [shape, n.x(1), x], padding=padding, **_window(n, False))
    else:
        y = n.make('TRANSPOSE_CONV', [shape, _filter(n, 1, [2, 0, 1, 3]), x], padding=padding, **_window(n, False))
    return _result(n, y, r)


@rule('MaxPool AvgPool MaxPool3D AvgPool3D')
def _pool(n):
    x, dims = _input(n)
    size = n.attr('ksize', [])
    if (size[1] if _is_first(n) else size[-1]) != 1:
        raise Refused('a pool over the channels')
    x, padding = _padded(n, x)
    op = 'MAX_POOL_2D' if n.type.startswith('Max') else 'AVERAGE_POOL_2D'
    kernel, strides = _spatial(n, size), _spatial(n, n.attr('strides', []))
    if len(kernel) == 2:
        y = n.make(op, [x], padding=padding, stride_h=strides[0], stride_w=strides[1], height=kernel[0], width=kernel[1])
        return _result(n, y)
    if None in dims[1:]:
        raise Refused('the extents of a volume are not known')
    # A window over a volume is one over its slices, and then one over the depth.
    d, h, w, c = dims[1:]
    y = n.make('RESHAPE', [x, n.int32([-1, h, w, c])])
    y = n.make(op, [y], padding=padding, stride_h=strides[1], stride_w=strides[2], height=kernel[1], width=kernel[2])
    out = n.outputs[0].shape.as_list()
    h, w = (out[3:] if _is_first(n) else out[2:4])
    y = n.make('RESHAPE', [y, n.int32([-1, d, h * w, c])])
    y = n.make(op, [y], padding=padding, stride_h=strides[0], stride_w=1, height=kernel[0], width=1)
    depth = out[2] if _is_first(n) else out[1]
    return _result(n, n.make('RESHAPE', [y, n.int32([-1, depth, h, w, c])]))


# ---- normalization ----

@rule('FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3')
def _batch_norm(n):
    epsilon, first = float(n.attr('epsilon', 1e-3)), _is_first(n)
    known = [n.value(i) for i in range(1, 5)] if not n.attr('is_training', True) else [None]
    if all(v is not None for v in known) and not first:
        scale, offset, mean, variance = known
        factor = scale / np.sqrt(variance + np.float32(epsilon))
        y = n.make('MUL', [n.x(0), n.writer.constant(factor)])
        y = n.make('ADD', [y, n.writer.constant(offset - mean * factor)])
        return [y, n.x(3), n.x(4), None, None, None][:len(n.outputs)]

    def f(x, scale, offset, mean, variance):
        axes = [0] + (list(range(2, n.ndims())) if first else list(range(1, n.ndims() - 1)))
        row = [1, -1] + [1] * (n.ndims() - 2) if first else [-1]
        if n.attr('is_training', True):
            mean, variance = tf.nn.moments(x, axes)
        factor = scale / tf.sqrt(variance + epsilon)
        return [x * tf.reshape(factor, row) + tf.reshape(offset - mean * factor, row), mean, variance]
    return (n.expand(f) + [None, None, None])[:len(n.outputs)]


@rule('LRN')
def _lrn(n):
    return n.make('LOCAL_RESPONSE_NORMALIZATION', [n.x(0)], radius=n.attr('depth_radius', 5), bias=n.attr('bias', 1.),
                  alpha=n.attr('alpha', 1.), beta=n.attr('beta', .5))


# ---- images ----

@rule('ResizeBilinear ResizeNearestNeighbor')
def _resize(n):
    op = 'RESIZE_BILINEAR' if n.type == 'ResizeBilinear' else 'RESIZE_NEAREST_NEIGHBOR'
    return n.make(op, [n.x(0) if n.dtype() == tf.float32 or op != 'RESIZE_BILINEAR' else n.cast(n.x(0), tf.float32), n.ints(1)],
                  corners=n.attr('align_corners', False), half=n.attr('half_pixel_centers', False))
