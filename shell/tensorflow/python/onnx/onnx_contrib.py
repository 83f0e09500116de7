"""Rules of onnxruntime's own operators, which its optimizer and its quantizer put into models of transformers and of images."""
import numpy as np
from _library.onnx_rules import rule, Refused, const, dims, like, rank
from _library.onnx_attention import _heads
from _library.onnx_conv import _average_pool
from _library.onnx_math import _gelu
from _library.onnx_quantized import _dequantize_linear, _dequantized, _product, _quantize_linear, _requantized, quantize
from _library.onnx_reduce import _layer_normalization, _rms_normalization

_MICROSOFT = 'com.microsoft'
rule('QuantizeLinear', 1, _MICROSOFT)(_quantize_linear)
rule('DequantizeLinear', 1, _MICROSOFT)(_dequantize_linear)


@rule('BiasGelu', 1, _MICROSOFT)
def _bias_gelu(n, x, bias):
    return _gelu(n, x + bias)


@rule('SkipSimplifiedLayerNormalization', 1, _MICROSOFT)
def _skip_simplified(n, x, skip, gamma, bias=None):
    total = x + skip if bias is None else x + skip + bias
    y, inverse = _rms_normalization(n, total, gamma)
    return [y, inverse, inverse, total]


@rule('EmbedLayerNormalization', 1, _MICROSOFT)
def _embed_layer_normalization(n, ids, segments, words, positions, kinds, gamma, beta, mask=None, places=None):
    total = tf.gather(words, ids)
    places = tf.expand_dims(tf.range(tf.shape(ids)[1]), 0) if places is None else places
    total = total + tf.gather(positions, places)
    if segments is not None and kinds is not None:
        total = total + tf.gather(kinds, segments)
    index = tf.zeros([tf.shape(ids)[0]], tf.int32) if mask is None else tf.reduce_sum(tf.cast(mask, tf.int32), 1)
    return [_layer_normalization(n, total, gamma, beta)[0], index, total]


def _attend(n, q, k, v, mask, bias):
    """Attention of [batch, heads, length, size]. The mask is 1 for keys that are seen, or the number of these keys."""
    size, columns = tf.cast(dims(q)[3], q.dtype), tf.shape(k)[2]
    scale = n.get('scale', 0.)
    scores = tf.matmul(q, k, transpose_b=True) * (like(scale, q) if scale else 1 / tf.sqrt(size))
    low = like(n.get('mask_filter_value', -10000.), q)
    if mask is not None:
        if rank(mask) == 1:
            mask = tf.expand_dims(tf.range(columns), 0) < tf.expand_dims(tf.cast(mask, tf.int32), 1)
        elif rank(mask) > 3:
            raise Refused('a mask of %d dimensions is not supported' % rank(mask))
        mask = tf.expand_dims(tf.expand_dims(mask, 1), 1) if rank(mask) == 2 else tf.expand_dims(mask, 1)
        scores = scores + (1 - tf.cast(tf.cast(mask, tf.bool), q.dtype)) * low
    if n.get('unidirectional', 0):
        rows = tf.shape(q)[2]
        seen = tf.range(columns)[None] <= tf.range(rows)[:, None] + (columns - rows)
        scores = tf.raw_ops.SelectV2(condition=seen, t=scores, e=like(q.dtype.min, q))
    y = tf.transpose(tf.matmul(tf.nn.softmax(scores if bias is None else scores + bias), v), [0, 2, 1, 3])
    b, length, heads, each = dims(y)
    return tf.reshape(y, tf.stack([b, length, heads * each]))


@rule('Attention', 1, _MICROSOFT)
def _attention(n, x, weights, bias=None, mask=None, past=None, more=None, length=None):
    if length is not None:
        raise Refused('a shared buffer for the past is not supported')
    made = tf.tensordot(x, weights, 1)
    return _attention_of(n, made if bias is None else made + bias, mask, past, more)


def _attention_of(n, made, mask, past, more=None):
    """Attention of queries, keys and values in one tensor."""
    if n.get('do_rotary', 0):
        raise Refused('rotation is not supported')
    sizes = [int(s) for s in n.get('qkv_hidden_sizes', None) or [dims(made)[2] // 3] * 3]
    q, k, v = [_heads(part, n.get('num_heads', 1)) for part in tf.split(made, sizes, -1)]
    if past is not None:
        k, v = tf.concat([past[0], k], 2), tf.concat([past[1], v], 2)
    return [_attend(n, q, k, v, mask, more), tf.stack([k, v])] if sizes[1] == sizes[2] else [_attend(n, q, k, v, mask, more)]


@rule('MultiHeadAttention', 1, _MICROSOFT)
def _multi_head_attention(n, q, k=None, v=None, bias=None, mask=None, more=None, past_k=None, past_v=None, *others):
    if k is None or v is None or rank(q) != 3 or rank(k) == 5 or any(other is not None for other in others):
        raise Refused('queries, keys and values in one tensor, and a shared buffer for the past, are not supported')
    count, given = n.get('num_heads', 1), [q, k, v]
    if bias is not None:
        width = dims(q)[2]
        parts = [bias[:width], bias[width:2 * width], bias[2 * width:]]
        given = [x if rank(x) == 4 else x + part for x, part in zip(given, parts)]
    q, k, v = [x if rank(x) == 4 else _heads(x, count) for x in given]
    if past_k is not None:
        k, v = tf.concat([past_k, k], 2), tf.concat([past_v, v], 2)
    return [_attend(n, q, k, v, mask, more), k, v]


@rule('QAttention', 1, _MICROSOFT)
def _quantized_attention(n, x, weights, bias, x_scale, w_scale, mask=None, x_zero=None, w_zero=None, past=None):
    made = tf.cast(_product(x, weights, x_zero, w_zero), tf.float32) * (x_scale * w_scale) + bias
    return _attention_of(n, made, mask, past)


@rule('MatMulNBits', 1, _MICROSOFT)
def _matmul_nbits(n, a, b, scales, zeros=None, order=None, bias=None):
    """Weights of a few bits, which must be known: they become floats when the model is opened."""
    rows, columns, bits, block = n.get('N', 1), n.get('K', 1), n.get('bits', 4), n.get('block_size', 32)
    packed, scale, zero = const(b), const(scales), None if zeros is None else const(zeros)
    if packed is None or scale is None or zeros is not None and zero is None or order is not None or bits not in (2, 4, 8):
        raise Refused('weights that are not constants of 2, 4 or 8 bits are not supported')
    blocks = -(-columns // block)

    def unpacked(bytes, count):
        per = 8 // bits
        values = np.reshape(bytes, [rows, -1])
        parts = [(values >> (bits * i)) & ((1 << bits) - 1) for i in range(per)]
        return np.stack(parts, -1).reshape([rows, -1])[:, :count]
    w = unpacked(packed, blocks * block).reshape([rows, blocks, block]).astype(np.float32)
    if zero is None:
        zero = np.full([rows, blocks], 1 << (bits - 1), np.float32)
    elif zero.dtype == np.uint8:
        zero = unpacked(zero, blocks)
    w = (w - np.reshape(zero, [rows, blocks, 1]).astype(np.float32)) * np.reshape(scale, [rows, blocks, 1]).astype(np.float32)
    w = tf.constant(np.transpose(w.reshape([rows, -1])[:, :columns]).astype(a.dtype.as_numpy_dtype))
    y = tf.tensordot(a, w, 1)
    return y if bias is None else y + bias


# ---- models of the quantizer ----

@rule('QGemm', 1, _MICROSOFT)
def _qgemm(n, a, a_scale, a_zero, b, b_scale, b_zero, c=None, y_scale=None, y_zero=None):
    a = tf.transpose(a) if n.get('transA', 0) else a
    if n.get('transB', 0):
        known = const(b)
        b = tf.transpose(b) if known is None else tf.constant(np.transpose(known))
    y = _product(a, b, a_zero, b_zero)
    if c is not None:
        y = tf.cast(y, tf.float64) + tf.cast(c, tf.float64)
    if y_scale is not None:
        return _requantized(y, a_scale * n.get('alpha', 1.), b_scale, y_scale, y_zero)
    return tf.cast(y, tf.float32) * (a_scale * b_scale * n.get('alpha', 1.))


@rule('QLinearAveragePool', 1, _MICROSOFT)
def _qlinear_average_pool(n, x, x_scale, x_zero, y_scale, y_zero=None):
    if n.get('channels_last', 0):
        raise Refused('channels that come last are not supported')
    y = _average_pool(n.unnamed(), _dequantized(x, x_scale, x_zero))
    return quantize(y, y_scale, y_zero, x.dtype)


@rule('QLinearSoftmax', 1, _MICROSOFT)
def _qlinear_softmax(n, x, x_scale, x_zero, y_scale, y_zero=None):
    y = _dequantized(x, x_scale, x_zero)
    axis = n.get('axis', -1)
    if n.get('opset', 13) >= 13:
        return quantize(tf.nn.softmax(y, axis), y_scale, y_zero, x.dtype)
    axis = axis + rank(x) if axis < 0 else axis
    flat = tf.reshape(y, tf.stack([tf.reduce_prod(tf.shape(y)[:axis]), -1]))
    return quantize(tf.reshape(tf.nn.softmax(flat), tf.shape(y)), y_scale, y_zero, x.dtype)
