"""Rules of onnxruntime's operators for language models that make one token at a time, with the keys and values of earlier tokens."""
from _library.onnx_rules import rule, Refused, dims, like, rank, scalar
from _library.onnx_attention import _heads, _repeated, rotated, rotated_heads

_MICROSOFT = 'com.microsoft'


@rule('RotaryEmbedding', 1, _MICROSOFT)
def _rotary(n, x, places, cos, sin):
    """As the operator of ONNX, with places [batch, length] or the place of the first token."""
    if n.get('is_packed_batching', 0):
        raise Refused('sequences of several lengths in one row are not supported')
    if rank(places) == 1:
        places = tf.expand_dims(places + tf.cast(tf.range(tf.shape(x)[1 if rank(x) == 3 else 2]), places.dtype), 0)
    heads = n.get('num_heads', 0) or dims(x)[2] // (2 * dims(cos)[1])  # the angles say the size of a head
    return rotated_heads(n, x, heads, tf.gather(cos, places), tf.gather(sin, places))


def _joined(past, new, first, length):
    """The first `first` rows of the past and the rows after them, in `length` rows; what remains is 0. Each sequence of the
    batch has its own number of rows."""
    old, count = tf.shape(past)[2], tf.shape(new)[2]
    at = tf.expand_dims(tf.range(length), 0)
    at, used = tf.where(at < first, at + tf.zeros_like(first), at - first + old), at < first + count
    y = tf.gather(tf.concat([past, new], 2), tf.minimum(at, old + count - 1), axis=2, batch_dims=1)
    used = tf.expand_dims(tf.expand_dims(used, 1), 3)
    return tf.raw_ops.SelectV2(condition=used, t=y, e=like(0, y))


def _with_sink(scores, sink):
    """The softmax of scores and of one more number for each head, whose probability is left out."""
    b, heads, rows, _ = dims(scores)
    more = tf.zeros([1], scores.dtype) if sink is None else tf.cast(sink, scores.dtype)
    more = tf.broadcast_to(tf.reshape(more, [1, -1, 1, 1]), tf.stack([b, heads, rows, 1]))
    return tf.nn.softmax(tf.concat([scores, more], 3))[..., :-1]


def _weighted(n, q, k, v, first, used, more, sink):
    """Attention of [batch, heads, length, size], in which row r sees the columns up to first + r, of those that are used."""
    dtype, wide = q.dtype, tf.float64 if q.dtype == tf.float64 else tf.float32
    q, k, v = [tf.cast(x, wide) for x in (q, _repeated(k, dims(q)[1]), _repeated(v, dims(q)[1]))]
    scale, cap, window = n.get('scale', 0.), n.get('softcap', 0.), n.get('local_window_size', -1)
    scores = tf.matmul(q, k, transpose_b=True) * (like(scale, q) if scale else 1 / tf.sqrt(tf.cast(dims(q)[3], wide)))
    if cap > 0:
        scores = like(cap, scores) * tf.tanh(scores / like(cap, scores))
    if more is not None:
        scores = scores + tf.cast(more, wide)
    column = tf.reshape(tf.range(tf.shape(k)[2]), [1, 1, 1, -1])
    row = tf.reshape(tf.range(tf.shape(q)[2]), [1, 1, -1, 1]) + tf.reshape(first, [-1, 1, 1, 1])
    hidden = tf.logical_or(column > row, column >= tf.reshape(used, [-1, 1, 1, 1]))
    if window >= 0:
        hidden = tf.logical_or(hidden, column <= row - window)
    scores = tf.raw_ops.SelectV2(condition=hidden, t=like(wide.min, scores), e=scores)
    p = _with_sink(scores, sink) if sink is not None or n.get('smooth_softmax', 0) > 0 else tf.nn.softmax(scores)
    y = tf.transpose(tf.cast(tf.matmul(p, v), dtype), [0, 2, 1, 3])
    b, length, heads, each = dims(y)
    return tf.reshape(y, tf.stack([b, length, heads * each]))


@rule('GroupQueryAttention', 1, _MICROSOFT)
def _group_query_attention(n, q, k=None, v=None, past_k=None, past_v=None, lengths=None, total=None, cos=None, sin=None, places=None,
                           more=None, sink=None, *others):
    if any(x is not None for x in others) or n.get('qk_output', 0) or past_k is not None and not past_k.dtype.is_floating:
        raise Refused('keys and values that are quantized, and the output of scores, are not supported')
    heads, shared = n.get('num_heads', 1), n.get('kv_num_heads', 1)
    if k is None:  # queries, keys and values are in one tensor
        size = dims(q)[2] // (heads + 2 * shared)
        q, k, v = tf.split(q, [heads * size, shared * size, shared * size], -1)
    b, length, width = dims(q)
    size = width // heads
    total, count = scalar(total), tf.shape(q)[1]
    first = tf.where(tf.equal(count, total), tf.zeros_like(lengths), lengths + 1 - count)
    first = tf.reshape(first, [-1, 1])  # the number of tokens before these, for each sequence
    q, k = [tf.reshape(x, tf.stack([b, length, c, size])) for x, c in ((q, heads), (k, shared))]
    if n.get('do_rotary', 0):
        if places is None:
            places = first + tf.expand_dims(tf.range(count), 0)
        cos, sin = tf.gather(cos, places), tf.gather(sin, places)
        turned = 2 * cos.shape.as_list()[-1]
        q, k = [rotated(x, cos, sin, n.get('rotary_interleaved', 0), turned if turned != size else 0) for x in (q, k)]
    q, k, v = tf.transpose(q, [0, 2, 1, 3]), tf.transpose(k, [0, 2, 1, 3]), _heads(v, shared)
    if past_k is None:
        past_k, past_v = k[:, :, :0], v[:, :, :0]
    size = tf.maximum(total, tf.shape(past_k)[2])
    k, v = _joined(past_k, k, first, size), _joined(past_v, v, first, size)
    return [_weighted(n, q, k, v, first, lengths + 1, more, sink), k, v]


@rule('GatherBlockQuantized', 1, _MICROSOFT)
def _gather_blocks(n, data, places, scales, zeros=None):
    """Rows of a table whose numbers have a scale for each block of the last dimension."""
    bits, axis, blocks, r = n.get('bits', 4), n.get('gather_axis', 0), n.get('quantize_axis', 1), rank(data)
    if axis or blocks not in (r - 1, -1):
        raise Refused('only rows of a table with blocks in its last dimension are supported')

    def numbers(x):
        rows = tf.cast(tf.gather(x, places), tf.int32)
        if x.dtype != tf.uint8 or bits == 8:
            return rows
        parts = tf.stack([tf.bitwise.bitwise_and(tf.bitwise.right_shift(rows, s), (1 << bits) - 1) for s in range(0, 8, bits)], -1)
        return tf.reshape(parts, tf.concat([tf.shape(rows)[:-1], [-1]], 0))
    x, scale, size = numbers(data), tf.gather(scales, places), n.get('block_size', 128)

    def wide(v):
        return tf.repeat(v, size, -1)[..., :dims(x)[-1]]
    if zeros is not None:
        x = x - wide(numbers(zeros)[..., :dims(scale)[-1]])
    elif data.dtype == tf.uint8:
        x = x - (1 << (bits - 1))
    return tf.cast(tf.cast(x, tf.float32) * wide(tf.cast(scale, tf.float32)), scales.dtype)
