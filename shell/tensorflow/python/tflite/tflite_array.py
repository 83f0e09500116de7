"""Rules of TensorFlow Lite: shapes, slices, gathers and the order of elements."""
import numpy as np
from _library.onnx_rules import ints, limited
from _library.tflite_rules import rule, moves, Refused, known, axis_of, like, rank, scalar, activated, quantized, const
from _library.tflite_rules import same_quantization, dequantized, dims


@moves('RESHAPE STABLEHLO_RESHAPE')
def _reshape(n, x, shape=None):
    if shape is None:
        shape = n.ints(0) if n.options is not None and not n.is_stablehlo else n.outs[0].dims
        if list(shape) == [0]:  # the options of a scalar, for TensorFlow Lite
            shape = []
    return tf.reshape(x, shape)


@moves('SQUEEZE')
def _squeeze(n, x):
    return tf.squeeze(x, [axis_of(d, x) for d in n.ints(0)] or None)


@moves('EXPAND_DIMS')
def _expand_dims(n, x, axis):
    return tf.expand_dims(x, scalar(axis))


@moves('SHAPE')
def _shape(n, x):
    return tf.shape(x, out_type=n.outs[0].dtype)


@moves('RANK')
def _rank(n, x):
    return tf.rank(x)


@moves('TRANSPOSE')
def _transpose(n, x, order):
    return tf.transpose(x, order)


@moves('STABLEHLO_TRANSPOSE')
def _transpose_hlo(n, x):
    return tf.transpose(x, n.ints(0, 'int64'))


@moves('CONCATENATION STABLEHLO_CONCATENATE')
def _concatenation(n, *xs):
    if n.is_stablehlo:
        return tf.concat(list(xs), n.int(0, 0, 8))
    xs = [x for x, i in zip(xs, n.ins)]
    out = n.outs[0]
    if out.is_quantized():  # an input with another scale is scaled
        xs = [x if same_quantization(i, out) else quantized(dequantized(x, i), out) for x, i in zip(xs, n.ins)]
    y = tf.concat(xs, n.int(0)) if len(xs) > 1 else tf.identity(xs[0])
    return activated(y, n.byte(1)) if not out.is_quantized() else y


@moves('PACK')
def _pack(n, *xs):
    return tf.stack(list(xs), n.int(1))


@moves('UNPACK')
def _unpack(n, x):
    return tf.unstack(x, limited(n.int(0), 65536, 'a number of outputs'), n.int(1))


@moves('SPLIT')
def _split(n, axis, x):
    return tf.split(x, limited(n.int(0), 65536, 'a number of outputs'), known(axis, 'its axis')[0])


@moves('SPLIT_V')
def _split_v(n, x, sizes, axis):
    return tf.split(x, sizes, known(axis, 'its axis')[0], num=limited(n.int(0), 65536, 'a number of outputs'))


@moves('SLICE')
def _slice(n, x, begin, size):
    return tf.slice(x, begin, tf.cast(size, begin.dtype))


@moves('STABLEHLO_SLICE')
def _slice_hlo(n, x):
    return tf.strided_slice(x, n.ints(0, 'int64'), n.ints(1, 'int64'), n.ints(2, 'int64'))


@moves('STRIDED_SLICE')
def _strided_slice(n, x, begin, end, strides):
    if n.flag(5):
        end = begin + end
    return tf.strided_slice(x, begin, end, strides, n.int(0), n.int(1), n.int(2), n.int(3), n.int(4))


def _at_most(start, x, sizes):
    """Start positions, limited so that a slice of these sizes lies inside of x."""
    start = tf.cast(start, tf.int32)
    return tf.maximum(tf.minimum(start, tf.shape(x) - sizes), 0)


def _starts(starts):
    return tf.stack([scalar(s, tf.int32) for s in starts])


@moves('DYNAMIC_UPDATE_SLICE')
def _dynamic_update_slice(n, x, update, start):
    """x with a part of it replaced: every element of the update has its position in x."""
    start = _at_most(start, x, tf.shape(update))
    r = rank(x)
    if r == 0:
        return tf.identity(update)
    line = [tf.range(tf.shape(update)[a]) + start[a] for a in range(r)]
    places = tf.stack(tf.meshgrid(*line, indexing='ij'), -1)
    return tf.tensor_scatter_nd_update(x, places, update)


@moves('STABLEHLO_DYNAMIC_SLICE')
def _dynamic_slice(n, x, *starts):
    sizes = n.ints(0, 'int64')
    return tf.slice(x, _at_most(_starts(starts), x, sizes), sizes)


@moves('STABLEHLO_DYNAMIC_UPDATE_SLICE')
def _dynamic_update(n, x, update, *starts):
    return _dynamic_update_slice(n, x, update, _starts(starts)) if starts else tf.identity(update)


# ---- gathers and scatters ----

@moves('GATHER')
def _gather(n, x, indices):
    axis = axis_of(n.int(0), x)
    return tf.raw_ops.GatherV2(params=x, indices=tf.cast(indices, tf.int32) if indices.dtype not in (tf.int32, tf.int64) else indices,
                               axis=axis, batch_dims=n.int(1))


@moves('GATHER_ND')
def _gather_nd(n, x, indices):
    return tf.gather_nd(x, tf.cast(indices, tf.int32) if indices.dtype == tf.int16 else indices)


@moves('SCATTER_ND')
def _scatter_nd(n, indices, updates, shape):
    return tf.scatter_nd(indices, updates, shape)


@rule('EMBEDDING_LOOKUP')
def _embedding_lookup(n, ids, table):
    return tf.gather(table, ids)


@rule('EMBEDDING_LOOKUP_SPARSE')
def _embedding_lookup_sparse(n, ids, indices, shape, weights, table):
    """Adds rows of the table, whose number in the result is that of their index without its last dimension."""
    rows = tf.gather(table, ids)
    r = rank(table)
    weights = tf.reshape(weights, [-1] + [1] * (r - 1))
    before = tf.cast(tf.slice(shape, [0], [tf.size(shape) - 1]), tf.int32)
    strides = tf.cumprod(before, exclusive=True, reverse=True)
    segment = tf.reduce_sum(tf.cast(indices, tf.int32)[:, :-1] * strides, 1)
    count = tf.reduce_prod(before)
    total = tf.unsorted_segment_sum(rows * weights, segment, count)
    if n.byte(0):
        scale = weights if n.byte(0) == 1 else tf.square(weights)
        by = tf.unsorted_segment_sum(scale, segment, count)
        by = by if n.byte(0) == 1 else tf.sqrt(by)
        total = tf.raw_ops.DivNoNan(x=total, y=by + tf.zeros_like(total))
    return tf.reshape(total, tf.concat([before, tf.shape(table)[1:]], 0))


@rule('HASHTABLE_LOOKUP')
def _hashtable_lookup(n, keys, table, values):
    """The rows of the values whose keys are in a sorted list; zeros for the others."""
    same = tf.equal(tf.expand_dims(keys, 1), tf.expand_dims(table, 0))
    hits = tf.reduce_any(same, 1)
    rows = tf.gather(values, tf.argmax(tf.cast(same, tf.int32), 1))
    shaped = tf.reshape(hits, [-1] + [1] * (rank(values) - 1))
    if values.dtype == tf.string:
        empty = tf.fill(tf.shape(rows), '')
    else:
        empty = tf.zeros_like(rows)
    return [tf.raw_ops.SelectV2(condition=shaped, t=rows, e=empty), tf.cast(hits, tf.uint8)]


@moves('TOPK_V2')
def _top_k(n, x, k):
    wide = tf.cast(x, tf.int32) if x.dtype in (tf.int8, tf.uint8, tf.int16) else x
    values, indices = tf.nn.top_k(wide, scalar(k, tf.int32))
    return [tf.cast(values, x.dtype), tf.cast(indices, n.outs[1].dtype)]


@moves('UNIQUE')
def _unique(n, x):
    return list(tf.raw_ops.Unique(x=x, out_idx=n.outs[1].dtype))


@moves('WHERE')
def _where(n, x):
    return tf.where(x)


@moves('ONE_HOT')
def _one_hot(n, indices, depth, on, off):
    return tf.one_hot(indices, scalar(depth), scalar(on), scalar(off), n.int(0))


@moves('SPARSE_TO_DENSE')
def _sparse_to_dense(n, indices, shape, values, default):
    return tf.raw_ops.SparseToDense(sparse_indices=indices, output_shape=tf.cast(shape, indices.dtype), sparse_values=values,
                                    default_value=scalar(default), validate_indices=False)


@rule('BUCKETIZE')
def _bucketize(n, x):
    return tf.raw_ops.Bucketize(input=x, boundaries=[float(v) for v in n.array(0, 'float32')])


# ---- copies ----

@moves('TILE')
def _tile(n, x, multiples):
    return tf.tile(x, multiples)


@moves('BROADCAST_TO')
def _broadcast_to(n, x, shape):
    return tf.broadcast_to(x, shape)


@moves('BROADCAST_ARGS')
def _broadcast_args(n, a, b):
    return tf.raw_ops.BroadcastArgs(s0=a, s1=b)


@moves('FILL')
def _fill(n, shape, value):
    return tf.fill(shape, scalar(value))


@moves('ZEROS_LIKE')
def _zeros_like(n, x):
    return tf.zeros_like(x)


@moves('RANGE')
def _range(n, start, limit, delta):
    return tf.range(scalar(start), scalar(limit), scalar(delta))


@moves('STABLEHLO_IOTA')
def _iota(n):
    out = n.outs[0]
    axis = n.int(0, 0, 8)
    line = tf.cast(tf.range(out.dims[axis]), out.dtype)
    return tf.broadcast_to(tf.reshape(line, [-1 if a == axis else 1 for a in range(len(out.dims))]), out.dims)


@moves('STABLEHLO_BROADCAST_IN_DIM')
def _broadcast_in_dim(n, x):
    places, sizes = n.ints(0, 'int64'), dims(x)
    shape = [sizes[places.index(a)] if a in places else 1 for a in range(len(n.outs[0].dims))]
    return tf.broadcast_to(tf.reshape(x, shape), n.outs[0].dims)


@moves('PAD PADV2')
def _pad(n, x, paddings, value=None):
    if value is None:
        info = n.ins[0]
        value = like(int(info.zero[0]), x) if info.is_quantized() else tf.zeros([], x.dtype)
    return tf.raw_ops.PadV2(input=x, paddings=paddings, constant_values=scalar(value))


@moves('MIRROR_PAD')
def _mirror_pad(n, x, paddings):
    return tf.pad(x, paddings, ['REFLECT', 'SYMMETRIC'][n.byte(0) != 0])


def spaced(x, steps, fill):
    """x with step - 1 elements between its neighbours in each dimension."""
    for a, step in enumerate(steps):
        if step == 1:
            continue
        limited(step, 1 << 20, 'a dilation')
        parts = [tf.expand_dims(x, a + 1)]
        size = tf.shape(parts[0])
        shape = tf.concat([size[:a + 1], [step - 1], size[a + 2:]], 0)
        both = tf.concat(parts + [tf.fill(shape, fill)], a + 1)
        merged = tf.concat([size[:a], [size[a] * step], size[a + 2:]], 0)
        y = tf.reshape(both, merged)
        x = tf.slice(y, [0] * rank(x), tf.concat([merged[:a], [merged[a] - step + 1], merged[a + 1:]], 0))
    return x


@moves('DILATE')
def _dilate(n, x, steps, fill):
    return spaced(x, known(steps, 'its dilation'), scalar(fill))


@moves('STABLEHLO_PAD')
def _pad_hlo(n, x, fill):
    low, high, inner = n.ints(0, 'int64'), n.ints(1, 'int64'), n.ints(2, 'int64')
    return cropped(spaced(x, [v + 1 for v in inner], scalar(fill)), low, high, scalar(fill))


def cropped(x, low, high, fill):
    """Adds elements at both ends of each dimension, or removes them where the number is negative."""
    r = len(low)
    x = tf.pad(x, [[max(a, 0), max(b, 0)] for a, b in zip(low, high)], constant_values=fill) if any(
        v > 0 for v in low + high) else x
    if any(v < 0 for v in low + high):
        begin = [max(-a, 0) for a in low]
        x = tf.slice(x, begin, tf.shape(x) - [max(-a, 0) + max(-b, 0) for a, b in zip(low, high)])
    return x


# ---- order ----

@moves('REVERSE_V2')
def _reverse(n, x, axes):
    return tf.reverse(x, axes)


@moves('REVERSE_SEQUENCE')
def _reverse_sequence(n, x, lengths):
    return tf.reverse_sequence(x, lengths, n.int(0), n.int(1))


@moves('SPACE_TO_DEPTH')
def _space_to_depth(n, x):
    return tf.space_to_depth(x, n.int(0))


@moves('DEPTH_TO_SPACE')
def _depth_to_space(n, x):
    return tf.depth_to_space(x, n.int(0))


@moves('SPACE_TO_BATCH_ND')
def _space_to_batch(n, x, block, paddings):
    info = n.ins[0]
    zero = int(info.zero[0]) if info.is_quantized() else 0
    if not zero:
        return tf.space_to_batch_nd(x, block, paddings)
    r = rank(x)
    inner = known(block, 'its block')
    whole = tf.concat([[[0, 0]], paddings, [[0, 0]] * (r - 1 - len(inner))], 0)
    x = tf.raw_ops.PadV2(input=x, paddings=whole, constant_values=like(zero, x))
    return tf.space_to_batch_nd(x, block, [[0, 0]] * len(inner))


@moves('BATCH_TO_SPACE_ND')
def _batch_to_space(n, x, block, crops):
    return tf.batch_to_space_nd(x, block, crops)


@moves('MATRIX_DIAG')
def _matrix_diag(n, x):
    return tf.matrix_diag(x)


@moves('MATRIX_SET_DIAG')
def _matrix_set_diag(n, x, diagonal):
    return tf.matrix_set_diag(x, diagonal)


@rule('RFFT2D')
def _rfft2d(n, x, length):
    return tf.raw_ops.RFFT2D(input=x, fft_length=length)


# ---- random numbers ----

@moves('RANDOM_UNIFORM')
def _random_uniform(n, shape):
    return tf.raw_ops.RandomUniform(shape=shape, dtype=tf.float32, seed=n.int(0, 0, 8), seed2=n.int(1, 0, 8))


@moves('RANDOM_STANDARD_NORMAL')
def _random_normal(n, shape):
    return tf.raw_ops.RandomStandardNormal(shape=shape, dtype=tf.float32, seed=n.int(0, 0, 8), seed2=n.int(1, 0, 8))


@moves('MULTINOMIAL')
def _multinomial(n, logits, count):
    return tf.raw_ops.Multinomial(logits=logits, num_samples=scalar(count), seed=n.int(0, 0, 8), seed2=n.int(1, 0, 8),
                                  output_dtype=n.outs[0].dtype)


# ---- boxes ----

@rule('NON_MAX_SUPPRESSION_V4')
def _nms(n, boxes, scores, count, overlap, least):
    return list(tf.raw_ops.NonMaxSuppressionV4(
        boxes=boxes, scores=scores, max_output_size=scalar(count), iou_threshold=scalar(overlap), score_threshold=scalar(least),
        pad_to_max_output_size=True))


@rule('NON_MAX_SUPPRESSION_V5')
def _soft_nms(n, boxes, scores, count, overlap, least, sigma):
    """Each chosen box lowers the scores of those that overlap it. Unlike TensorFlow's op, one that overlaps it by more than
    the threshold is dropped."""
    count, overlap, least, sigma = [scalar(v) for v in (count, overlap, least, sigma)]
    low, high = tf.minimum(boxes[:, :2], boxes[:, 2:]), tf.maximum(boxes[:, :2], boxes[:, 2:])
    area = tf.reduce_prod(high - low, 1)
    factor = tf.where(sigma > 0, -.5 / sigma, tf.zeros_like(sigma))

    def go_on(i, left, chosen, values):
        return tf.logical_and(i < count, tf.reduce_max(left) > least)

    def step(i, left, chosen, values):
        best = tf.argmax(left, output_type=tf.int32)
        inner = tf.reduce_prod(tf.maximum(tf.minimum(high, high[best]) - tf.maximum(low, low[best]), 0.), 1)
        shared = tf.raw_ops.DivNoNan(x=inner, y=area + area[best] - inner)
        weight = tf.where(shared <= overlap, tf.exp(factor * shared * shared), tf.zeros_like(shared))
        taken = tf.equal(tf.range(tf.size(left)), best)
        here = tf.equal(tf.range(count), i)
        return (i + 1, tf.where(taken, tf.fill(tf.shape(left), -np.inf), left * weight), tf.where(here, tf.fill([count], best), chosen),
                tf.where(here, tf.fill([count], left[best]), values))
    found, _, chosen, values = tf.while_loop(go_on, step, [
        tf.constant(0), scores, tf.zeros([count], tf.int32), tf.zeros([count], tf.float32)])
    return [chosen, values, found]


# ---- hashes and texts ----

@moves('LSH_PROJECTION')
def _lsh_projection(n, hashes, x, weights=None):
    """Bits: the signs of sums over the items, of hashes of an item and a number."""
    rows, bits = hashes.shape.as_list()
    items = tf.reshape(tf.bitcast(x, tf.uint8) if x.dtype.size > 1 else x, tf.stack([tf.shape(x)[0], -1]))
    seeds = tf.reshape(tf.bitcast(hashes, tf.uint8), [rows * bits, 1, 4])
    count, size = tf.shape(items)[0], tf.shape(items)[1]
    keys = tf.concat([tf.tile(seeds, tf.stack([1, count, 1])), tf.tile(tf.expand_dims(items, 0), [rows * bits, 1, 1])], 2)
    hashed = tf.raw_ops.Fingerprint(data=tf.reshape(keys, tf.stack([-1, size + 4])), method='farmhash64')
    scores = tf.reshape(tf.cast(tf.bitcast(hashed, tf.int64), tf.float64), tf.stack([rows * bits, -1]))
    if weights is not None:
        scores = scores * tf.cast(weights, tf.float64)
    found = tf.cast(tf.reduce_sum(scores, 1) > 0, tf.int32)
    if n.byte(0) != 1:  # dense
        return found
    values = tf.reduce_sum(tf.reshape(found, [rows, bits]) * [1 << b for b in range(bits - 1, -1, -1)], 1)
    return values + tf.constant([i << bits for i in range(rows)])


@rule('SKIP_GRAM')
def _skip_gram(n, text):
    """All sequences of words with at most so many words left out between two of them, in the order of their first words."""
    size, most, shorter = n.int(0), n.int(1), n.flag(2)
    limited((most + 1) ** max(size - 1, 0), 4096, 'a number of patterns')
    patterns = []

    def grow(pattern):
        if len(pattern) < size:
            for gap in range(1, most + 2):
                grow(pattern + [pattern[-1] + gap])
        if shorter or len(pattern) == size:
            patterns.append(pattern)
    grow([0])
    words = tf.string_split(tf.reshape(text, [1])).values
    count = tf.size(words)
    last = tf.constant([p[-1] for p in patterns])
    used = tf.constant([[i < len(p) for i in range(size)] for p in patterns])
    offsets = tf.constant([p + [0] * (size - len(p)) for p in patterns])
    starts = tf.range(count)
    places = tf.minimum(tf.reshape(starts, [-1, 1, 1]) + offsets, tf.maximum(count - 1, 0))
    parts = tf.gather(words, places)
    parts = tf.concat([parts[:, :, :1], tf.string_join([tf.constant(' '), parts[:, :, 1:]])], 2)
    parts = tf.where(tf.broadcast_to(used, tf.shape(parts)), parts, tf.fill(tf.shape(parts), ''))
    return tf.boolean_mask(tf.reduce_join(parts, 2), tf.expand_dims(starts, 1) + last < count)
