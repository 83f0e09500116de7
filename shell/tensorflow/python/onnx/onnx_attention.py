"""Rules of ONNX: attention, and operators that language models use beside it."""
import numpy as np
from _library.onnx_rules import rule, rank, dims, like, axis_of


def _heads(x, count):
    """[batch, length, heads * size] as [batch, heads, length, size]."""
    b, length, width = dims(x)
    return tf.transpose(tf.reshape(x, [b, length, count, width // count]), [0, 2, 1, 3])


def _repeated(x, count):
    """The heads of keys or values, each as often as query heads share it."""
    b, heads, length, size = dims(x)
    if heads == count:
        return x
    y = tf.broadcast_to(tf.expand_dims(x, 2), tf.stack([b, heads, count // heads, length, size]))
    return tf.reshape(y, tf.stack([b, count, length, size]))


@rule('Attention', 23)
def _attention(n, q, k, v, mask=None, past_k=None, past_v=None, padded=None):
    flat = rank(q) == 3
    if flat:
        q, k, v = [_heads(x, n.get(a, 1)) for x, a in ((q, 'q_num_heads'), (k, 'kv_num_heads'), (v, 'kv_num_heads'))]
    if past_k is not None:
        k, v = tf.concat([past_k, k], 2), tf.concat([past_v, v], 2)
    present = [k, v]
    dtype, count = q.dtype, dims(q)[1]
    wide = tf.float64 if dtype == tf.float64 else tf.float32
    q, k, v = [tf.cast(x, wide) for x in (q, _repeated(k, count), _repeated(v, count))]
    size = tf.cast(dims(q)[3], wide)
    scale = like(n.get('scale', 0.), q) if n.has('scale') else 1 / tf.sqrt(size)
    scores = tf.matmul(q, k, transpose_b=True) * scale
    rows, columns = tf.shape(q)[2], tf.shape(k)[2]
    raw = scores
    bias = tf.zeros([], wide)
    low = like(-np.inf, q)

    def hide(hidden):
        return tf.raw_ops.SelectV2(condition=hidden, t=low, e=tf.zeros_like(low))
    if mask is not None:
        short = columns - tf.shape(mask)[-1]
        if mask.dtype == tf.bool:
            mask = hide(tf.logical_not(mask))
        mask = tf.cast(mask, wide)
        ends = tf.reshape(tf.stack([0, short]), [1, 2])
        mask = tf.pad(mask, tf.concat([tf.zeros([rank(mask) - 1, 2], tf.int32), ends], 0), constant_values=-np.inf)
        bias = bias + mask
    line, down = tf.expand_dims(tf.range(columns), 0), tf.expand_dims(tf.range(rows), 1)
    first = tf.zeros([], tf.int32) if past_k is None else tf.shape(past_k)[2]
    if padded is not None:
        first = tf.reshape(tf.cast(padded, tf.int32) - rows, [-1, 1, 1, 1])
    left, right = n.get('left_window_size', -1), n.get('right_window_size', -1)
    if n.get('is_causal', 0):
        bias = bias + hide(line > down + first)
    if left >= 0:
        bias = bias + hide(line < down + first - left)
    if right >= 0:
        bias = bias + hide(line > down + first + right)
    if padded is not None:
        bias = bias + hide(line >= tf.reshape(tf.cast(padded, tf.int32), [-1, 1, 1, 1]))
    cap = n.get('softcap', 0.)
    if cap:
        scores = like(cap, scores) * tf.tanh(scores / like(cap, scores))
    capped = scores
    scores = scores + bias
    none = tf.reduce_all(tf.equal(scores, low), -1, True)  # a row that may see nothing is zero
    p = tf.nn.softmax(tf.raw_ops.SelectV2(condition=none, t=tf.zeros_like(low), e=scores))
    p = tf.raw_ops.SelectV2(condition=none, t=tf.zeros_like(low), e=p)
    y = tf.cast(tf.matmul(p, v), dtype)
    stages = [raw, capped, scores, p]
    if flat:
        b, heads, length, each = dims(y)
        y = tf.reshape(tf.transpose(y, [0, 2, 1, 3]), tf.stack([b, length, heads * each]))
    return [y] + present + [tf.cast(stages[n.get('qk_matmul_output_mode', 0)], dtype)]


def rotated(x, cos, sin, interleaved, count=0):
    """Rotates pairs of the first `count` numbers of each head, or of all for 0. x is [batch, length, heads, size], and the
    angles are [batch, length, pairs]."""
    size = dims(x)[3]
    count = count or size
    rest, x = x[..., count:], x[..., :count]
    cos, sin = tf.expand_dims(cos[..., :count // 2], 2), tf.expand_dims(sin[..., :count // 2], 2)
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :count // 2], x[..., count // 2:])
    real, imaginary = a * cos - b * sin, a * sin + b * cos
    y = tf.reshape(tf.stack([real, imaginary], -1), tf.shape(x)) if interleaved else tf.concat([real, imaginary], -1)
    return y if isinstance(size, int) and count == size else tf.concat([y, rest], -1)


def rotated_heads(n, x, heads, cos, sin):
    """x, [batch, length, heads * size] or [batch, heads, length, size], with its pairs rotated."""
    flat = rank(x) == 3
    x = tf.transpose(_heads(x, heads) if flat else x, [0, 2, 1, 3])
    y = rotated(x, cos, sin, n.get('interleaved', 0), n.get('rotary_embedding_dim', 0))
    if not flat:
        return tf.transpose(y, [0, 2, 1, 3])
    b, length, heads, each = dims(y)
    return tf.reshape(y, tf.stack([b, length, heads * each]))


@rule('RotaryEmbedding', 23)
def _rotary_embedding(n, x, cos, sin, places=None):
    if places is not None:
        cos, sin = tf.gather(cos, places), tf.gather(sin, places)
    return rotated_heads(n, x, n.get('num_heads', 1), cos, sin)


@rule('TensorScatter', 24)
def _tensor_scatter(n, past, update, places=None):
    axis = axis_of(n, past, -2)
    b, count, extent = tf.shape(past)[0], tf.shape(update)[axis], tf.shape(past)[axis]
    start = tf.zeros([b], tf.int32) if places is None else tf.cast(places, tf.int32)
    at = tf.expand_dims(start, 1) + tf.expand_dims(tf.range(count), 0)
    at = tf.floormod(at, extent) if n.text('mode', 'linear') == 'circular' else at
    order = [0, axis] + [a for a in range(1, rank(past)) if a != axis]
    batch = tf.broadcast_to(tf.expand_dims(tf.range(b), 1), tf.shape(at))
    y = tf.tensor_scatter_update(tf.transpose(past, order), tf.stack([batch, at], -1), tf.transpose(update, order))
    return tf.transpose(y, [int(i) for i in np.argsort(order)])
