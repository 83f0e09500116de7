"""Rules of `save model.onnx`: shapes, slices, and the movement of elements."""
import numpy as np
from _library.onnx_rules import to_first, to_last
from _library.onnx_save import rule, Refused, First, onnx_type

_END = (1 << 63) - 1


def _as(n, x, dtype):
    """x, which is int64, in another type of integers."""
    if dtype == tf.int64:
        return x
    made = n.cast(x, dtype)
    n.writer.body.nodes[-1][3]['wide'] = 1
    return made


@rule('Shape ShapeN')
def _shape(n):
    made = []
    for t, out in zip(n.inputs, n.outputs):
        if t.shape.is_fully_defined():
            made.append(n.writer.constant(np.array(t.shape.as_list(), out.dtype.as_numpy_dtype)))
            continue
        first = n.writer.body.find(t.name, 'first')
        if first is not None and n.writer.body.find(t.name) is None:
            shape = n.make('Gather', [n.make('Shape', [first]), n.int64(to_last(t.shape.ndims))])
        else:
            shape = n.make('Shape', [n.writer.plain(t)])
        made.append(_as(n, shape, out.dtype))
    return made


@rule('Size')
def _size(n):
    return _as(n, n.make('Size', [n.x(0)]), n.outputs[0].dtype)


@rule('Rank')
def _rank(n):
    return n.writer.constant(np.array(n.ndims(), np.int32))


@rule('Reshape')
def _reshape(n):
    # TensorFlow has no dimension that is copied, so that 0 is one without elements.
    return n.make('Reshape', [n.x(0), n.ints(1)], allowzero=1)


@rule('ExpandDims')
def _expand_dims(n):
    axis = n.make('Reshape', [n.ints(1), n.int64([1])]) if n.value(1) is None else n.int64([int(n.value(1))])
    return n.make('Unsqueeze', [n.x(0), axis])


@rule('Squeeze')
def _squeeze(n):
    axes = n.attr('squeeze_dims', [])
    return n.make('Squeeze', [n.x(0)] + ([n.int64(axes)] if axes else []))


@rule('Transpose')
def _transpose(n):
    order = [int(v) for v in n.need(1, 'the order of the dimensions')]
    t, r = n.inputs[0], len(order)
    if r > 2 and order == to_first(r):
        first = n.writer.body.find(t.name, 'first')
        if first is not None:
            return first
    if r > 2 and order == to_last(r):
        return First(n.x(0))
    return n.make('Transpose', [n.x(0)], perm=order)


@rule('ConcatV2 Concat')
def _concat(n):
    last = n.type == 'ConcatV2'
    parts = list(range(len(n.inputs) - 1)) if last else list(range(1, len(n.inputs)))
    axis = int(n.need(len(n.inputs) - 1 if last else 0, 'the dimension that it joins'))
    r = n.inputs[parts[0]].shape.ndims
    find = n.writer.body.find
    if r is not None and r > 2 and all(find(n.inputs[i].name, 'first') is not None for i in parts):
        return First(n.make('Concat', [n.first(i) for i in parts], axis=to_first(r).index(axis % r)))
    return n.make('Concat', [n.x(i) for i in parts], axis=axis)


@rule('Pack')
def _pack(n):
    axis = n.attr('axis', 0)
    rows = [n.make('Unsqueeze', [x, n.int64([axis])]) for x in n.xs()]
    return n.make('Concat', rows, axis=axis)


@rule('Unpack')
def _unpack(n):
    axis, count = n.attr('axis', 0), len(n.outputs)
    parts = n.many('Split', [n.x(0), n.int64([1] * count)], count, axis=axis)
    return [n.make('Squeeze', [p, n.int64([axis])]) for p in parts]


@rule('Split')
def _split(n):
    axis, count = int(n.need(0, 'the dimension that it splits')), len(n.outputs)
    extent = (n.shape(1) or [None])[axis] if n.shape(1) else None
    sizes = [n.int64([extent // count] * count)] if extent is not None else []
    return n.many('Split', [n.x(1)] + sizes, count, axis=axis)


@rule('SplitV')
def _split_v(n):
    axis, sizes = int(n.need(2, 'the dimension that it splits')), n.value(1)
    if sizes is not None and -1 in list(sizes):
        extent = n.shape()[axis]
        if extent is None:
            raise Refused('the extent that it splits is not known')
        sizes = [int(s) if s >= 0 else extent - int(sum(sizes)) - 1 for s in sizes]
    return n.many('Split', [n.x(0), n.ints(1) if sizes is None else n.int64(sizes)], len(n.outputs), axis=axis)


@rule('Slice')
def _slice(n):
    begin, size = n.value(1), n.value(2)
    r = n.ndims()
    if size is not None and begin is not None:
        end = [_END if s < 0 else int(b + s) for b, s in zip(begin, size)]
        return n.make('Slice', [n.x(0), n.int64(begin), n.int64(end), n.int64(list(range(r)))])
    sizes = n.ints(2)
    end = n.make('Add', [n.ints(1), sizes])
    end = n.make('Where', [n.make('Less', [sizes, n.int64(0)]), n.int64(_END), end])
    return n.make('Slice', [n.x(0), n.ints(1), end, n.int64(list(range(r)))])


class _Spec(object):
    """The parts of a strided slice: for each dimension its bounds, and where dimensions are removed and added."""

    def __init__(self, n):
        masks = {name: n.attr(name + '_mask', 0) for name in ('begin', 'end', 'ellipsis', 'new_axis', 'shrink_axis')}
        self.axes, self.at, self.removed, self.added = [], [], [], []
        self.begin, self.end, self.strides = n.value(1), n.value(2), n.need(3, 'its stride')
        self.free_begin, self.free_end = [], []
        count = len(self.strides)
        used = sum(1 for i in range(count) if not masks['new_axis'] >> i & 1 and not masks['ellipsis'] >> i & 1)
        axis = out = 0
        for i in range(count):
            if masks['ellipsis'] >> i & 1:
                skipped = n.ndims() - used
                axis, out = axis + skipped, out + skipped
            elif masks['new_axis'] >> i & 1:
                self.added.append(out)
                out += 1
            else:
                self.axes.append(axis)
                self.at.append(i)
                shrinks = bool(masks['shrink_axis'] >> i & 1)
                self.free_begin.append(bool(masks['begin'] >> i & 1) and not shrinks)
                self.free_end.append(bool(masks['end'] >> i & 1) and not shrinks)
                if shrinks:
                    self.removed.append(axis)
                else:
                    out += 1
                axis += 1

    def known(self):
        begins, ends = [], []
        for axis, i, fb, fe in zip(self.axes, self.at, self.free_begin, self.free_end):
            step, b = int(self.strides[i]), int(self.begin[i])
            if axis in self.removed:
                begins.append(b)
                ends.append(b + 1 if b != -1 else _END)
                continue
            begins.append((_END if step < 0 else 0) if fb else b)
            ends.append((-_END if step < 0 else _END) if fe else int(self.end[i]))
        return begins, ends


@rule('StridedSlice')
def _strided_slice(n):
    spec = _Spec(n)
    steps = [1 if a in spec.removed else int(spec.strides[i]) for a, i in zip(spec.axes, spec.at)]
    x = n.x(0)
    if spec.begin is not None and spec.end is not None:
        begins, ends = [n.int64(v) for v in spec.known()]
        idle = all(b == 0 and e == _END and s == 1 for b, e, s in zip(*(list(spec.known()) + [steps])))
    else:
        begins, ends = _computed_bounds(n, spec, steps)
        idle = False
    if not idle:
        x = n.make('Slice', [x, begins, ends, n.int64(spec.axes), n.int64(steps)])
    if spec.removed:
        x = n.make('Squeeze', [x, n.int64(spec.removed)])
    return n.make('Unsqueeze', [x, n.int64(spec.added)]) if spec.added else x


def _computed_bounds(n, spec, steps):
    """Bounds that are computed from inputs, as vectors."""
    def bound(i, mask, free):
        x = n.ints(i)
        if spec.at != list(range(len(spec.strides))):
            x = n.make('Gather', [x, n.int64(spec.at)])
        return n.make('Where', [n.writer.constant(np.array(mask)), n.int64(free), x]) if any(mask) else x
    begins = bound(1, spec.free_begin, [_END if s < 0 else 0 for s in steps])
    ends = bound(2, spec.free_end, [-_END if s < 0 else _END for s in steps])
    if spec.removed:
        removed = n.writer.constant(np.array([a in spec.removed for a in spec.axes]))
        after = n.make('Add', [begins, n.int64(1)])
        after = n.make('Where', [n.make('Equal', [begins, n.int64(-1)]), n.int64(_END), after])
        ends = n.make('Where', [removed, after, ends])
    return begins, ends


@rule('Gather GatherV2 ResourceGather')
def _gather(n):
    axis = int(n.need(2, 'the dimension that it gathers from')) if n.type == 'GatherV2' else 0
    batch = n.attr('batch_dims', 0) or 0
    if batch:
        r = n.ndims(1)
        batch = batch + r if batch < 0 else batch
        if r != batch + 1 and axis % n.ndims() != batch or n.ndims() != batch + 1 and r != batch:
            return _gather_rows(n, axis, batch)
        return n.make('GatherElements', [n.x(0), n.ints(1)], axis=axis) if n.ndims() == r else _gather_rows(n, axis, batch)
    return n.make('Gather', [n.x(0), n.x(1)], axis=axis)


def _gather_rows(n, axis, batch):
    if axis % n.ndims() != batch:
        raise Refused('batch_dims with a gathered dimension that is not the first after the batch')
    at = n.make('Unsqueeze', [n.ints(1), n.int64([-1])])
    return n.make('GatherND', [n.x(0), at], batch_dims=batch)


@rule('GatherNd ResourceGatherNd')
def _gather_nd(n):
    return n.make('GatherND', [n.x(0), n.ints(1)])


@rule('ScatterNd')
def _scatter_nd(n):
    zeros = n.make('Expand', [n.writer.constant(np.array(0, n.dtype(1).as_numpy_dtype)), n.ints(2)])
    return n.make('ScatterND', [zeros, n.ints(0), n.x(1)], reduction='add')


@rule('TensorScatterUpdate TensorScatterAdd')
def _scatter_into(n):
    return n.make('ScatterND', [n.x(0), n.ints(1), n.x(2)], reduction='add' if n.type.endswith('Add') else 'none')


@rule('Tile')
def _tile(n):
    return n.make('Tile', [n.x(0), n.ints(1)])


@rule('Fill')
def _fill(n):
    return n.make('Expand', [n.x(1), n.ints(0)])


@rule('BroadcastTo')
def _broadcast_to(n):
    return n.make('Expand', [n.x(0), n.ints(1)])


@rule('Range')
def _range(n):
    return n.make('Range', n.xs())


@rule('OneHot')
def _one_hot(n):
    values = [n.make('Unsqueeze', [n.x(i), n.int64([0])]) if n.value(i) is None else
              n.writer.constant(np.reshape(n.value(i), [1])) for i in (3, 2)]
    depth = n.make('Reshape', [n.ints(1), n.int64([1])]) if n.value(1) is None else n.int64([int(n.value(1))])
    # ONNX counts negative indices from the end; TensorFlow's row of such an index has no hot element.
    at = n.ints(0)
    at = n.make('Where', [n.make('Less', [at, n.int64(0)]), depth, at])
    return n.make('OneHot', [at, depth, n.make('Concat', values, axis=0)], axis=n.attr('axis', -1))


@rule('ReverseV2')
def _reverse(n):
    axes = [int(a) for a in n.need(1, 'the dimensions that it reverses')]
    if not axes:
        return n.x(0)
    k = len(axes)
    return n.make('Slice', [n.x(0), n.int64([-1] * k), n.int64([-_END] * k), n.int64(axes), n.int64([-1] * k)])


@rule('ReverseSequence')
def _reverse_sequence(n):
    return n.make('ReverseSequence', [n.x(0), n.ints(1)], time_axis=n.attr('seq_dim'), batch_axis=n.attr('batch_dim', 0))


@rule('Where')
def _where(n):
    return n.make('Transpose', [n.make('NonZero', [n.x(0)])], perm=[1, 0])


@rule('MatrixBandPart')
def _band(n):
    lower, upper = int(n.need(1, 'the width of its band')), int(n.need(2, 'the width of its band'))
    x = n.x(0)
    if upper >= 0:
        x = n.make('Trilu', [x, n.int64(upper)], upper=0)
    return n.make('Trilu', [x, n.int64(-lower)], upper=1) if lower >= 0 else x


@rule('Pad PadV2 MirrorPad')
def _pad(n):
    mode = n.attr('mode') if n.type == 'MirrorPad' else ''
    if mode == 'SYMMETRIC':
        raise Refused('ONNX has no padding with the mode SYMMETRIC')
    options = dict(mode='reflect') if mode else {}
    value = [n.x(2)] if n.type == 'PadV2' else []
    pads = n.value(1)
    if pads is None:
        return n.make('Pad', [n.x(0), n.make('Reshape', [n.make('Transpose', [n.ints(1)], perm=[1, 0]), n.int64([-1])])] + value,
                      **options)
    pads = np.array(pads).astype(np.int64)
    r, first = len(pads), n.writer.body.find(n.inputs[0].name, 'first')
    if first is not None and r > 2:
        pads = pads[np.array(to_first(r))]
        return First(n.make('Pad', [first, n.int64(np.reshape(np.transpose(pads), [-1]))] + value, **options))
    return n.make('Pad', [n.x(0), n.int64(np.reshape(np.transpose(pads), [-1]))] + value, **options)


def _spaced(n, r, i=1):
    block = [int(b) for b in n.need(i, 'its block shape')]
    sides = n.need(i + 1, 'its paddings or crops')
    return block, [[int(a), int(b)] for a, b in sides], n.ndims() - 1 - len(block)


@rule('SpaceToBatchND')
def _space_to_batch(n):
    block, pads, rest = _spaced(n, n.ndims())
    m = len(block)
    before = [0] + [p[0] for p in pads] + [0] * rest
    after = [0] + [p[1] for p in pads] + [0] * rest
    x = n.make('Pad', [n.x(0), n.int64(before + after)])
    shape = [n.int64([-1])]
    whole = n.make('Shape', [x])
    for a in range(m):
        extent = n.make('Gather', [whole, n.int64([a + 1])])
        shape += [n.make('Div', [extent, n.int64([block[a]])]), n.int64([block[a]])]
    tail = n.make('Slice', [whole, n.int64([m + 1]), n.int64([_END])])
    batch = n.make('Gather', [whole, n.int64([0])])
    x = n.make('Reshape', [x, n.make('Concat', [batch] + shape[1:] + [tail], axis=0)])
    order = [2 * a + 2 for a in range(m)] + [0] + [2 * a + 1 for a in range(m)] + [1 + 2 * m + i for i in range(rest)]
    x = n.make('Transpose', [x], perm=order)
    return n.make('Reshape', [x, n.make('Concat', [n.int64([-1])] + shape[1::2] + [tail], axis=0)])


@rule('BatchToSpaceND')
def _batch_to_space(n):
    block, crops, rest = _spaced(n, n.ndims())
    m, x = len(block), n.x(0)
    whole = n.make('Shape', [x])
    extents = [n.make('Gather', [whole, n.int64([a + 1])]) for a in range(m)]
    tail = n.make('Slice', [whole, n.int64([m + 1]), n.int64([_END])])
    x = n.make('Reshape', [x, n.make('Concat', [n.int64(block + [-1])] + extents + [tail], axis=0)])
    order = [m]
    for a in range(m):
        order += [m + 1 + a, a]
    x = n.make('Transpose', [x], perm=order + [1 + 2 * m + i for i in range(rest)])
    sizes = [n.make('Mul', [e, n.int64([b])]) for e, b in zip(extents, block)]
    x = n.make('Reshape', [x, n.make('Concat', [n.int64([-1])] + sizes + [tail], axis=0)])
    return n.make('Slice', [x, n.int64([c[0] for c in crops]), n.int64([-c[1] or _END for c in crops]),
                            n.int64(list(range(1, m + 1)))])


@rule('DepthToSpace SpaceToDepth')
def _depth(n):
    if n.attr('data_format', 'NHWC') != 'NHWC':
        return n.make(n.type, [n.x(0)], blocksize=n.attr('block_size'))
    if n.type == 'DepthToSpace':
        return First(n.make(n.type, [n.first(0)], blocksize=n.attr('block_size'), mode='DCR'))
    return First(n.make(n.type, [n.first(0)], blocksize=n.attr('block_size')))
