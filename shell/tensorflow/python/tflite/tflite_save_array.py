"""Rules of `save model.tflite`: shapes, slices, and the movement of elements."""
import numpy as np
from _library.onnx_save import Refused
from _library.tflite_save import RULES, rule
from _library.tflite_save_file import TYPES
from _library.tflite_save_math import expansion

_MOST_PADDED = 5  # dimensions


@rule('Shape ShapeN')
def _shape(n):
    made = []
    for t, out in zip(n.inputs, n.outputs):
        if t.shape.is_fully_defined():
            made.append(n.writer.constant(np.array(t.shape.as_list(), out.dtype.as_numpy_dtype)))
        else:
            made.append(n.make('SHAPE', [n.writer.plain(t)], out.dtype, type=TYPES[out.dtype.name]))
    return made


@rule('Size')
def _size(n):
    kind = n.outputs[0].dtype
    return n.make('REDUCE_PROD', [n.make('SHAPE', [n.x(0)], kind, type=TYPES[kind.name]), n.int32([0])], keep=False)


@rule('Rank')
def _rank(n):
    return n.int32(n.ndims())


def _wanted(n, i):
    """The shape that an op gives its result, from its input i: a constant if at most one extent is not known."""
    shape = n.outputs[0].shape
    dims = None if shape.ndims is None else shape.as_list()
    if n.value(i) is None and dims is not None and dims.count(None) < 2 and 0 not in dims:
        return n.int32([-1 if d is None else d for d in dims])
    return n.ints(i)


@rule('Reshape')
def _reshape(n):
    if n.outputs[0].shape.ndims == 0:
        return n.make('RESHAPE', [n.x(0)], shape=[0])  # an empty list of extents cannot be told from one that is missing
    return n.make('RESHAPE', [n.x(0), _wanted(n, 1)])


@rule('ExpandDims')
def _expand_dims(n):
    axis = n.value(1)
    return n.make('EXPAND_DIMS', [n.x(0), n.ints(1) if axis is None else n.int32(int(axis))])


@rule('Squeeze')
def _squeeze(n):
    return n.make('SQUEEZE', [n.x(0)], dims=n.attr('squeeze_dims', []))


@rule('ConcatV2 Concat')
def _concat(n):
    last = n.type == 'ConcatV2'
    xs = n.xs(0, -1) if last else n.xs(1)
    axis = int(n.need(len(n.inputs) - 1 if last else 0, 'the dimension that it joins'))
    return n.make('CONCATENATION', xs, axis=axis) if len(xs) > 1 else xs[0]


@rule('Pack')
def _pack(n):
    return n.make('PACK', n.xs(), number=len(n.inputs), axis=n.attr('axis', 0))


@rule('Unpack')
def _unpack(n):
    return n.many('UNPACK', [n.x(0)], len(n.outputs), number=len(n.outputs), axis=n.attr('axis', 0))


@rule('Split')
def _split(n):
    axis = int(n.need(0, 'the dimension that it splits'))
    return n.many('SPLIT', [n.int32(axis), n.x(1)], len(n.outputs), number=len(n.outputs))


@rule('SplitV')
def _split_v(n):
    axis = int(n.need(2, 'the dimension that it splits'))
    return n.many('SPLIT_V', [n.x(0), n.ints(1), n.int32(axis)], len(n.outputs), number=len(n.outputs))


@rule('StridedSlice')
def _strided_slice(n):
    masks = {key: n.attr(key + '_mask', 0) for key in ('begin', 'end', 'ellipsis', 'new_axis', 'shrink_axis')}
    x, strides = n.x(0), n.need(3, 'its stride')
    if not masks['ellipsis'] and not masks['new_axis']:
        return n.make('STRIDED_SLICE', [x, n.ints(1), n.ints(2), n.ints(3)], begin=masks['begin'], end=masks['end'],
                      shrink=masks['shrink_axis'])
    return _plain_slice(n, x, masks, len(strides))


def _plain_slice(n, x, masks, count):
    """A slice with an ellipsis and new dimensions, as a slice with neither. The dimensions are added afterwards."""
    at, bits, added, out = [], {'begin': 0, 'end': 0, 'shrink_axis': 0}, [], 0
    used = sum(1 for i in range(count) if not (masks['new_axis'] | masks['ellipsis']) >> i & 1)
    for i in range(count):
        if masks['ellipsis'] >> i & 1:
            for _ in range(n.ndims() - used):
                bits['begin'] |= 1 << len(at)
                bits['end'] |= 1 << len(at)
                at.append(-1)
                out += 1
        elif masks['new_axis'] >> i & 1:
            added.append(out)
            out += 1
        else:
            for key in bits:
                bits[key] |= (masks[key] >> i & 1) << len(at)
            out += not masks['shrink_axis'] >> i & 1
            at.append(i)
    bounds = []
    for i in (1, 2, 3):
        value = n.value(i)
        if value is None:
            bounds.append(n.make('GATHER', [n.ints(i), n.int32([max(k, 0) for k in at])]))
        else:
            bounds.append(n.int32([1 if k < 0 else int(value[k]) for k in at]))
    if any(k >= 0 for k in at):
        x = n.make('STRIDED_SLICE', [x] + bounds, begin=bits['begin'], end=bits['end'], shrink=bits['shrink_axis'])
    for axis in added:
        x = n.make('EXPAND_DIMS', [x, n.int32(axis)])
    return x


@rule('Gather GatherV2 ResourceGather')
def _gather(n):
    axis = int(n.need(2, 'the dimension that it gathers from')) if n.type == 'GatherV2' else 0
    batch, r = n.attr('batch_dims', 0) or 0, n.ndims()
    return n.make('GATHER', [n.x(0), n.x(1)], axis=axis + r if axis < 0 else axis,
                  batch_dims=batch + n.ndims(1) if batch < 0 else batch)


def _with_integers(operator, *integers):
    """A rule for an op that has an operator with the same inputs, of which some are int32."""
    def made(n):
        return n.make(operator, [n.ints(i) if i in integers else n.x(i) for i in range(len(n.inputs))])
    return made


for _name, _operator, _integers in (
        ('Slice', 'SLICE', (1, 2)), ('Transpose', 'TRANSPOSE', (1,)), ('GatherNd', 'GATHER_ND', (1,)), ('Tile', 'TILE', (1,)),
        ('ResourceGatherNd', 'GATHER_ND', (1,)), ('ReverseV2', 'REVERSE_V2', (1,)),
        ('SpaceToBatchND', 'SPACE_TO_BATCH_ND', (1, 2)), ('BatchToSpaceND', 'BATCH_TO_SPACE_ND', (1, 2)), ('Range', 'RANGE', ()),
        ('MatrixDiag', 'MATRIX_DIAG', ()), ('MatrixSetDiag', 'MATRIX_SET_DIAG', ()), ('SegmentSum', 'SEGMENT_SUM', (1,)),
        ('UnsortedSegmentSum', 'UNSORTED_SEGMENT_SUM', (1, 2)), ('UnsortedSegmentMax', 'UNSORTED_SEGMENT_MAX', (1, 2)),
        ('UnsortedSegmentMin', 'UNSORTED_SEGMENT_MIN', (1, 2)), ('UnsortedSegmentProd', 'UNSORTED_SEGMENT_PROD', (1, 2))):
    RULES[_name] = _with_integers(_operator, *_integers)


@rule('ScatterNd')
def _scatter_nd(n):
    return n.make('SCATTER_ND', [n.ints(0), n.x(1), n.ints(2)])


@expansion('TensorScatterAdd')
def _scatter_add(x, indices, updates):
    return x + tf.scatter_nd(indices, updates, tf.shape(x))


@rule('Fill')
def _fill(n):
    return n.make('FILL', [n.ints(0), n.x(1)])


@rule('BroadcastTo')
def _broadcast_to(n):
    return n.make('BROADCAST_TO', [n.x(0), n.ints(1)])


@rule('OneHot')
def _one_hot(n):
    depth = n.value(1)
    return n.make('ONE_HOT', [n.ints(0), n.ints(1) if depth is None else n.int32(int(depth)), n.x(2), n.x(3)],
                  axis=n.attr('axis', -1))


@rule('ReverseSequence')
def _reverse_sequence(n):
    return n.make('REVERSE_SEQUENCE', [n.x(0), n.ints(1)], seq=n.attr('seq_dim'), batch=n.attr('batch_dim', 0))


@rule('Where')
def _where(n):
    return n.make('WHERE', [n.x(0)], tf.int64)


@rule('Unique')
def _unique(n):
    kind = n.outputs[1].dtype
    values, indices = n.many('UNIQUE', [n.x(0)], 2, type=TYPES[kind.name])
    n.writer.types[indices] = kind
    return [values, indices]


@rule('Pad PadV2')
def _pad(n):
    if n.ndims() > _MOST_PADDED:
        raise Refused('TensorFlow Lite pads at most %d dimensions' % _MOST_PADDED)
    return n.make('PAD', [n.x(0), n.ints(1)]) if n.type == 'Pad' else n.make('PADV2', [n.x(0), n.ints(1), n.x(2)])


@rule('MirrorPad')
def _mirror_pad(n):
    return n.make('MIRROR_PAD', [n.x(0), n.ints(1)], mode=n.attr('mode') == 'SYMMETRIC')


@rule('DepthToSpace SpaceToDepth')
def _depth(n):
    if n.attr('data_format', 'NHWC') != 'NHWC':
        raise Refused('its channels are not last')
    return n.make('DEPTH_TO_SPACE' if n.type == 'DepthToSpace' else 'SPACE_TO_DEPTH', [n.x(0)], block=n.attr('block_size'))


@expansion('MatrixBandPart')
def _band(x, lower, upper):
    rows, columns = tf.range(tf.shape(x)[-2])[:, None], tf.range(tf.shape(x)[-1])[None]
    kept = tf.logical_and(tf.logical_or(lower < 0, rows - columns <= tf.cast(lower, tf.int32)),
                          tf.logical_or(upper < 0, columns - rows <= tf.cast(upper, tf.int32)))
    return tf.where_v2(kept, x, tf.zeros_like(x))
