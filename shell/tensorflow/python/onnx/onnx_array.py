"""Rules of ONNX: shapes, slices, gathers and scatters."""
import numpy as np
from _library.onnx_rules import rule, Refused, const, ints, rank, dims, scalar, like, axis_of, product, normal
from _library.onnx_rules import to_last, to_first


@rule('Constant')
def _constant(n):
    for name in ('value', 'value_float', 'value_int', 'value_floats', 'value_ints', 'value_string', 'value_strings',
                 'sparse_value'):
        if n.has(name):
            value = n.get(name, None)
            if value is None:
                raise Refused('the element type of its attribute %s is not supported' % name)
            if not n.translator.scratch:
                n.translator.add_parameters(value)
            if name == 'value' and n.out:
                return n.translator.constant(value, n.out, n.outputs[0], n.scope)
            dtype = {'value_float': tf.float32, 'value_floats': tf.float32, 'value_int': tf.int64,
                     'value_ints': tf.int64}.get(name)
            return tf.constant(value, dtype, name=n.out)
    raise Refused('it has no value')


@rule('ConstantOfShape')
def _constant_of_shape(n, shape):
    value = n.get('value', None) if n.has('value') else np.float32(0)
    if value is None:
        raise Refused('the element type of its value is not supported')
    return tf.fill(shape, tf.constant(np.reshape(value, [])), name=n.out)


@rule('Shape')
def _shape(n, x):
    shape = tf.shape(x, out_type=tf.int64, name=None if n.has('start') or n.has('end') else n.out)
    r = rank(x) if n.has('start') or n.has('end') else 0
    if not r:
        return shape

    def bound(value):
        return min(max(value + r if value < 0 else value, 0), r)
    return shape[bound(n.get('start', 0)):bound(n.get('end', r))]


@rule('Size')
def _size(n, x):
    return tf.size(x, out_type=tf.int64, name=n.out)


@rule('Reshape', 1)
def _reshape_attribute(n, x):
    return _reshape(n, x, tf.constant(n.get('shape', []), tf.int64))


@rule('Reshape', 5)
def _reshape(n, x, shape):
    known = ints(shape)
    if n.get('allowzero', 0) or known is not None and 0 not in known:
        return tf.reshape(x, shape if known is None else known, name=n.out)
    if known is not None:
        old = x.shape.as_list() if x.shape.ndims is not None else []
        new = [d or (old[i] if i < len(old) else None) for i, d in enumerate(known)]
        if None not in new:
            return tf.reshape(x, new, name=n.out)
        if new.count(None) == 1 and -1 not in new:
            return tf.reshape(x, [-1 if d is None else d for d in new], name=n.out)
        return tf.reshape(x, [tf.shape(x, out_type=tf.int64)[i] if d is None else d for i, d in enumerate(new)],
                          name=n.out)
    if n.shape_is_computed(shape):  # from extents of other tensors: none is a zero that means "copy"
        return tf.reshape(x, shape, name=n.out)
    count = shape.shape.as_list()[0]
    old = tf.concat([tf.shape(x, out_type=tf.int64), tf.zeros_like(shape)], 0)
    old = old[:tf.size(shape)] if count is None else old[:count]
    return tf.reshape(x, tf.where(tf.equal(shape, 0), old, shape), name=n.out)


@rule('Flatten')
def _flatten(n, x):
    axis = n.get('axis', 1)
    axis = axis + rank(x) if axis < 0 else axis
    known = x.shape.as_list()
    head, rest = known[:axis], known[axis:]
    if None not in rest:
        if None not in head:
            return tf.reshape(x, [product(head), product(rest)], name=n.out)
        return tf.reshape(x, [-1, product(rest)], name=n.out)
    return tf.reshape(x, [product(dims(x)[:axis]), -1], name=n.out)


@rule('Transpose')
def _transpose(n, x):
    order = n.get('perm', None) or list(range(rank(x)))[::-1]
    r = len(order)
    if r > 2 and order == to_last(r) and n.has_channels_last(x):
        return tf.identity(n.channels_last(x), name=n.out)
    y = tf.transpose(x, order, name=n.out)
    if r > 2 and order == to_first(r):
        n.scope.last[y.name] = x
    return y


@rule('Squeeze', 1)
def _squeeze_attribute(n, x):
    return tf.squeeze(x, n.get('axes', None) or None, name=n.out)


@rule('Squeeze', 13)
def _squeeze(n, x, axes=None):
    known = ints(axes)
    if axes is None or known is not None:
        return tf.squeeze(x, known, name=n.out)
    r = rank(x)
    gone = tf.reduce_any(tf.equal(tf.expand_dims(tf.range(r), 0), tf.expand_dims(
        tf.floormod(tf.cast(axes, tf.int32), r), 1)), 0)
    y = tf.reshape(x, tf.boolean_mask(tf.shape(x), tf.logical_not(gone)), name=n.out)
    if axes.shape.as_list() != [None]:
        y.set_shape([None] * (r - axes.shape.as_list()[0]))
    return y


@rule('Unsqueeze', 1)
def _unsqueeze_attribute(n, x):
    return _unsqueeze(n, x, n.get('axes', []))


@rule('Unsqueeze', 13)
def _unsqueeze(n, x, axes):
    known = ints(axes)
    if known is None:
        if axes.shape.as_list()[0] is None:
            raise Refused('the number of its axes is not known before a run')
        r = rank(x) + axes.shape.as_list()[0]
        at = tf.floormod(tf.cast(axes, tf.int32), r)
        old = tf.reduce_all(tf.not_equal(tf.expand_dims(tf.range(r), 0), tf.expand_dims(at, 1)), 0)
        places = tf.reshape(tf.where(old), [-1, 1])
        shape = tf.tensor_scatter_update(tf.ones([r], tf.int32), places, tf.shape(x))
        y = tf.reshape(x, shape, name=n.out)
        y.set_shape([None] * r)
        return y
    if x.shape.ndims is None and len(known) > 1:
        rank(x)
    r = (x.shape.ndims or 0) + len(known)
    order = sorted(a + r if a < 0 else a for a in known) if len(known) > 1 else known
    for i, axis in enumerate(order):
        x = tf.expand_dims(x, axis, name=n.out if i == len(order) - 1 else None)
    return x


@rule('Concat')
def _concat(n, *xs):
    if len(xs) == 1:
        return tf.identity(xs[0], name=n.out)
    if n.get('axis', 1) == 1 and all((x.shape.ndims or 0) > 2 and n.has_channels_last(x) for x in xs):
        return n.channels_first(tf.concat([n.channels_last(x) for x in xs], -1))
    return tf.concat(xs, n.get('axis', 1), name=n.out)


@rule('Split')
def _split(n, x, sizes=None):
    axis = axis_of(n, x, 0)
    count = len(n.outputs)
    if axis == 1 and (x.shape.ndims or 0) > 2 and n.has_channels_last(x) and n.out:
        other = n.unnamed()
        return [other.channels_first(part) for part in _split_at(n, n.channels_last(x), sizes, rank(x) - 1, count)]
    return _split_at(n, x, sizes, axis, count)


def _split_at(n, x, sizes, axis, count):
    sizes = n.get('split', None) if sizes is None else sizes
    known = ints(sizes)
    if sizes is not None and known is None:
        return tf.split(x, tf.cast(sizes, tf.int32), axis, num=count)
    if known is None:
        extent = x.shape.as_list()[axis] if x.shape.ndims is not None else None
        if extent is None:
            if n.version < 18:
                return tf.split(x, count, axis)
            extent = tf.shape(x)[axis]
            part = tf.floordiv(extent + count - 1, count)
            return tf.split(x, tf.maximum(tf.minimum(part, extent - tf.range(count) * part), 0), axis, num=count)
        part = -(-extent // count)
        known = [max(min(part, extent - i * part), 0) for i in range(count)]
    return tf.split(x, known, axis)


@rule('Slice', 1)
def _slice_attributes(n, x):
    return _slice(n, x, n.get('starts', []), n.get('ends', []), n.get('axes', None))


def _as_vector(x):
    return tf.constant(x, tf.int64) if isinstance(x, list) else tf.cast(x, tf.int64)


@rule('Slice', 10)
def _slice(n, x, starts, ends, axes=None, steps=None):
    known_axes = ints(axes)
    count = len(starts) if isinstance(starts, list) else starts.shape.as_list()[0]
    if axes is None:
        if count is None:
            raise Refused('the number of its starts is not known before a run')
        known_axes = list(range(count))
    if known_axes is None:
        return _slice_by_axes(n, x, starts, ends, axes, steps)
    if x.shape.ndims is None and any(a < 0 for a in known_axes):
        rank(x)
    known_axes = [a + x.shape.ndims if a < 0 else a for a in known_axes]
    r = max(known_axes, default=-1) + 1
    starts, parts = _starts(x, starts, known_axes, steps), []
    for values, default in ((starts, 0), (ends, 0), (steps, 1)):
        known = ints(values)
        values = [1] * len(known_axes) if values is None else values if known is None else known
        full = [default] * r
        for i, axis in enumerate(known_axes):
            full[axis] = values[i] if known is not None or isinstance(values, list) else tf.cast(values[i], tf.int64)
        parts.append(tf.constant(full, tf.int64) if all(isinstance(v, int) for v in full) else tf.stack(
            [tf.constant(v, tf.int64) if isinstance(v, int) else v for v in full]))
    whole = sum(1 << a for a in range(r) if a not in known_axes)
    return tf.raw_ops.StridedSlice(input=x, begin=parts[0], end=parts[1], strides=parts[2], begin_mask=whole | _from_the_first(
        known_axes, starts, steps), end_mask=whole, name=n.out)


def _from_the_first(axes, starts, steps):
    """The mask of the dimensions that are sliced forwards from a start that lies before all elements. TensorFlow refuses such a number
    in a slice of a shape."""
    starts, steps = ints(starts), [1] * len(axes) if steps is None else ints(steps)
    if starts is None or steps is None:
        return 0
    return sum(1 << a for a, start, step in zip(axes, starts, steps) if start < -(1 << 31) and step > 0)


def _starts(x, starts, axes, steps):
    """The starts, of which those of slices backwards are limited to the first element, unlike in Python."""
    known, known_steps = ints(starts), ints(steps)
    if steps is None or known_steps is not None and min(known_steps, default=1) > 0:
        return starts
    extents = [dims(x)[a] for a in axes]
    if known is not None and known_steps is not None and all(isinstance(e, int) for e in extents):
        return [max(v, -e) if step < 0 else v for v, e, step in zip(known, extents, known_steps)]
    starts, extents = _as_vector(starts), tf.stack([tf.cast(e, tf.int64) for e in extents])
    return tf.where(_as_vector(steps) < 0, tf.maximum(starts, -extents), starts)


def _slice_by_axes(n, x, starts, ends, axes, steps):
    r = rank(x)
    at = tf.expand_dims(tf.floormod(_as_vector(axes), r), 1)

    def full(base, values):
        return base if values is None else tf.tensor_scatter_update(base, at, _as_vector(values))
    ones = tf.ones([r], tf.int64)
    if steps is not None:
        least = -tf.gather(tf.shape(x, out_type=tf.int64), tf.squeeze(at, [1]))
        starts = tf.where(_as_vector(steps) < 0, tf.maximum(_as_vector(starts), least), _as_vector(starts))
    return tf.raw_ops.StridedSlice(input=x, begin=full(ones - 1, starts), end=full(tf.shape(x, out_type=tf.int64), ends),
                                   strides=full(ones, steps), name=n.out)


@rule('Gather')
def _gather(n, x, indices):
    axis = axis_of(n, x, 0)
    if indices.dtype not in (tf.int32, tf.int64):
        indices = tf.cast(indices, tf.int32)
    return tf.gather(x, normal(indices, dims(x)[axis]), axis=axis, name=n.out)


def _coordinates(indices, axis, extent):
    """The full coordinates of the elements that GatherElements and ScatterElements name, [..., rank]."""
    r = rank(indices)
    indices = normal(tf.cast(indices, tf.int64), extent)
    shape = tf.shape(indices)
    parts = []
    for a, d in enumerate(dims(indices)):
        if a == axis:
            parts.append(indices)
        else:
            line = tf.reshape(tf.range(tf.cast(d, tf.int64)), [-1 if i == a else 1 for i in range(r)])
            parts.append(tf.broadcast_to(line, shape))
    return tf.stack(parts, -1)


@rule('GatherElements')
def _gather_elements(n, x, indices):
    axis = axis_of(n, x, 0)
    return tf.gather_nd(x, _coordinates(indices, axis, dims(x)[axis]), name=n.out)


@rule('GatherND')
def _gather_nd(n, x, indices):
    batch = n.get('batch_dims', 0)
    depth = indices.shape.as_list()[-1]
    if depth is None:
        raise Refused('the last extent of its indices is not known before a run')
    extents = tf.shape(x, out_type=tf.int64)[batch:batch + depth]
    indices = normal(tf.cast(indices, tf.int64), extents)
    if not batch:
        return tf.gather_nd(x, indices, name=n.out)
    r = rank(indices)
    shape = tf.shape(indices, out_type=tf.int64)
    heads = []
    for a in range(batch):
        line = tf.reshape(tf.range(shape[a]), [-1 if i == a else 1 for i in range(r)])
        heads.append(tf.broadcast_to(line, tf.concat([shape[:-1], [1]], 0)))
    return tf.gather_nd(x, tf.concat(heads + [indices], -1), name=n.out)


def _scatter(n, x, indices, updates):
    """Scatters the slices `updates` to the places `indices`, [..., depth]."""
    how = n.text('reduction', 'none')
    if how == 'mul':
        depth = indices.shape.as_list()[-1]
        shape = tf.shape(x, out_type=tf.int64)
        strides = tf.cumprod(tf.concat([shape[:depth], [1]], 0), reverse=True)[1:]
        at = tf.reshape(tf.reduce_sum(indices * strides, -1), [-1])
        inner = tf.reduce_prod(shape[depth:])
        flat = tf.reshape(updates, tf.stack([tf.size(at, out_type=tf.int64), inner]))
        factors = tf.unsorted_segment_prod(flat, at, tf.reduce_prod(shape[:depth]))
        return x * tf.reshape(factors, shape)
    f = {'none': tf.tensor_scatter_update, 'add': tf.tensor_scatter_add, 'max': tf.raw_ops.TensorScatterMax,
         'min': tf.raw_ops.TensorScatterMin}.get(how)
    if f is None:
        raise Refused('unknown reduction %s' % how)
    if how in ('max', 'min'):
        return f(tensor=x, indices=indices, updates=updates, name=n.out)
    return f(x, indices, updates, name=n.out)


@rule('ScatterElements Scatter')
def _scatter_elements(n, x, indices, updates):
    axis = axis_of(n, x, 0)
    return _scatter(n, x, _coordinates(indices, axis, dims(x)[axis]), updates)


@rule('ScatterND')
def _scatter_nd(n, x, indices, updates):
    depth = indices.shape.as_list()[-1]
    if depth is None:
        raise Refused('the last extent of its indices is not known before a run')
    return _scatter(n, x, normal(tf.cast(indices, tf.int64), tf.shape(x, out_type=tf.int64)[:depth]), updates)


@rule('Expand')
def _expand(n, x, shape):
    known = ints(shape)
    if known is not None and x.shape.is_fully_defined():
        return tf.broadcast_to(x, np.broadcast_shapes(tuple(x.shape.as_list()), tuple(known)), name=n.out)
    full = tf.broadcast_dynamic_shape(tf.shape(x), tf.cast(shape, tf.int32))
    y = tf.broadcast_to(x, full, name=n.out)
    if y.shape.ndims is None and shape.shape.as_list() != [None] and x.shape.ndims is not None:
        y.set_shape([None] * max(shape.shape.as_list()[0], x.shape.ndims))
    return y


@rule('Tile', 1)
def _tile_axis(n, x, tiles, axis):
    return tf.concat([x] * int(const(tiles)), int(const(axis)), name=n.out)


@rule('Tile', 6)
def _tile(n, x, repeats):
    return tf.tile(x, repeats, name=n.out)


@rule('DepthToSpace')
def _depth_to_space(n, x):
    size = n.get('blocksize', 1)
    b, c, h, w = dims(x)
    part = c // (size * size)
    if n.text('mode', 'DCR') == 'DCR':
        y = tf.transpose(tf.reshape(x, [b, size, size, part, h, w]), [0, 3, 4, 1, 5, 2])
    else:
        y = tf.transpose(tf.reshape(x, [b, part, size, size, h, w]), [0, 1, 4, 2, 5, 3])
    return tf.reshape(y, [b, part, h * size, w * size], name=n.out)


@rule('SpaceToDepth')
def _space_to_depth(n, x):
    size = n.get('blocksize', 1)
    b, c, h, w = dims(x)
    order = [0, 3, 5, 1, 2, 4] if n.text('mode', 'DCR') == 'DCR' else [0, 1, 3, 5, 2, 4]
    y = tf.transpose(tf.reshape(x, [b, c, h // size, size, w // size, size]), order)
    return tf.reshape(y, [b, c * size * size, h // size, w // size], name=n.out)


@rule('ReverseSequence')
def _reverse_sequence(n, x, lengths):
    return tf.reverse_sequence(x, lengths, n.get('time_axis', 0), n.get('batch_axis', 1), name=n.out)


@rule('Compress')
def _compress(n, x, condition):
    places = tf.reshape(tf.where(condition), [-1])
    if not n.has('axis'):
        return tf.gather(tf.reshape(x, [-1]), places, name=n.out)
    return tf.gather(x, places, axis=axis_of(n, x, 0), name=n.out)


@rule('NonZero')
def _non_zero(n, x):
    return tf.transpose(tf.where(tf.not_equal(x, tf.zeros_like(x))), name=n.out)


# ---- padding ----

def pad(n, x, before, after, mode='constant', value=None):
    """Pads each dimension; negative numbers crop. `before` and `after` are lists, or tensors."""
    known = isinstance(before, list)
    if known and not any(before) and not any(after):
        return x
    if mode == 'constant':
        if not known or min(before + after) < 0:
            zero = tf.constant(0, tf.int64)
            first = [max(-b, 0) for b in before] if known else tf.maximum(-before, zero)
            last = [max(-a, 0) for a in after] if known else tf.maximum(-after, zero)
            size = tf.shape(x, out_type=tf.int64) - first - last
            x = tf.slice(x, tf.cast(first, tf.int64), size)
            before = [max(b, 0) for b in before] if known else tf.maximum(before, zero)
            after = [max(a, 0) for a in after] if known else tf.maximum(after, zero)
        paddings = [[b, a] for b, a in zip(before, after)] if known else tf.stack([before, after], 1)
        value = tf.zeros([], x.dtype) if value is None else value
        if x.dtype == tf.string:
            raise Refused('strings cannot be padded')
        return tf.raw_ops.PadV2(input=x, paddings=paddings, constant_values=value, name=n.out)
    for a, d in enumerate(dims(x)):
        if known and not before[a] and not after[a]:
            continue
        d = tf.cast(d, tf.int64)
        line = tf.range(-tf.cast(before[a], tf.int64), d + tf.cast(after[a], tf.int64))
        if mode == 'edge':
            line = tf.maximum(tf.minimum(line, d - 1), 0)
        elif mode == 'wrap':
            line = tf.floormod(line, d)
        elif mode == 'reflect':
            period = tf.maximum(2 * d - 2, 1)
            line = tf.floormod(line, period)
            line = tf.minimum(line, period - line)
            line = tf.minimum(line, d - 1)
        else:
            raise Refused('unknown mode %s' % mode)
        x = tf.gather(x, line, axis=a)
    return x


@rule('Pad', 1)
def _pad_attributes(n, x):
    pads = n.get('pads', None) or n.get('paddings', [])
    r = len(pads) // 2
    return pad(n, x, pads[:r], pads[r:], n.text('mode', 'constant'), like(n.get('value', 0.), x))


@rule('Pad', 11)
def _pad(n, x, pads, value=None, axes=None):
    r = rank(x)
    known, known_axes = ints(pads), ints(axes)
    value = None if value is None else scalar(value)
    mode = n.text('mode', 'constant')
    if known is None or axes is not None and known_axes is None:
        both = tf.reshape(tf.cast(pads, tf.int64), [2, -1])
        if axes is None:
            return pad(n, x, tf.reshape(both[0], [r]), tf.reshape(both[1], [r]), mode, value)
        at = tf.reshape(tf.floormod(tf.cast(axes, tf.int64), r), [-1, 1])
        parts = [tf.scatter_nd(at, both[i], tf.constant([r], tf.int64)) for i in (0, 1)]
        return pad(n, x, parts[0], parts[1], mode, value)
    if axes is None:
        known_axes = list(range(r))
    before, after = [0] * r, [0] * r
    for i, axis in enumerate(known_axes):
        before[axis], after[axis] = known[i], known[i + len(known) // 2]
    return n.in_order(x, lambda n, x, before, after: pad(n, x, before, after, mode, value), before, after)


@rule('CenterCropPad')
def _center_crop_pad(n, x, shape):
    r = rank(x)
    axes = n.get('axes', None) or list(range(r))
    old, shape = tf.shape(x, out_type=tf.int64), tf.cast(shape, tf.int64)
    before, after = [tf.constant(0, tf.int64)] * r, [tf.constant(0, tf.int64)] * r
    for i, axis in enumerate(axes):
        more = shape[i] - old[axis]
        half = tf.where(more >= 0, tf.floordiv(more, 2), -tf.floordiv(-more, 2))
        before[axis], after[axis] = half, more - half
    return pad(n, x, tf.stack(before), tf.stack(after))


@rule('Col2Im')
def _col2im(n, x, image, block):
    d = len(ints(block)) if ints(block) is not None else block.shape.as_list()[0]
    if d is None:
        raise Refused('the number of its spatial dimensions is not known before a run')
    block = ints(block) or [tf.cast(block[i], tf.int64) for i in range(d)]
    strides, dilations = n.get('strides', None) or [1] * d, n.get('dilations', None) or [1] * d
    pads = n.get('pads', None) or [0] * 2 * d
    image = tf.cast(image, tf.int64)
    full = [image[i] + pads[i] + pads[i + d] for i in range(d)]
    steps = [tf.floordiv(full[i] - dilations[i] * (block[i] - 1) - 1, strides[i]) + 1 for i in range(d)]
    b, c = [tf.shape(x, out_type=tf.int64)[i] for i in (0, 1)]
    c = tf.floordiv(c, product(block))
    x = tf.reshape(x, tf.stack([b * c, product(block)] + steps))
    places = tf.zeros([1] * (2 * d), tf.int64)
    for i in range(d):  # the offset in the image of each element of the block, at each step
        kernel = tf.reshape(tf.range(tf.cast(block[i], tf.int64)) * dilations[i], [-1 if a == i else 1 for a in range(2 * d)])
        step = tf.reshape(tf.range(steps[i]) * strides[i], [-1 if a == i + d else 1 for a in range(2 * d)])
        places = places * full[i] + kernel + step
    flat = tf.transpose(tf.reshape(x, tf.stack([b * c, -1])))
    total = tf.unsorted_segment_sum(flat, tf.reshape(places, [-1]), product(full))
    y = tf.reshape(tf.transpose(total), tf.stack([b, c] + full))
    return tf.slice(y, tf.constant([0, 0] + pads[:d], tf.int64), tf.stack([-1, -1] + [image[i] for i in range(d)]), name=n.out)
