"""Keras layers: attention."""
from _library.keras_pools import repeated
from _library.keras_rules import Refused, dims, layer, like, rank, reshape, where


def _causal(scores):
    """[queries, keys]: true where a key is not later than the query."""
    rows, columns = tf.shape(scores)[-2], tf.shape(scores)[-1]
    return tf.expand_dims(tf.range(rows), 1) >= tf.expand_dims(tf.range(columns), 0)


def _both(a, b):
    return b if a is None else a if b is None else tf.logical_and(a, b)


@layer('Attention AdditiveAttention', lambda n: ['scale'] * bool(n.get('use_scale', n.kind == 'AdditiveAttention')) +
       ['concat_score_weight'] * (n.get('score_mode') == 'concat'))
def _attention(n, inputs, return_attention_scores=False, use_causal_mask=False):
    query, value = inputs[0], inputs[1]
    key = inputs[2] if len(inputs) > 2 else value
    masks = [n.mask(query), n.mask(value)]
    additive = n.kind == 'AdditiveAttention'
    if additive or n.get('score_mode', 'dot') == 'concat':
        both = tf.expand_dims(query, -2) + tf.expand_dims(key, -3)
        if additive:
            both = tf.tanh(both)
            scores = tf.reduce_sum(both * n.w('scale') if n.has('scale') else both, -1)
        else:
            scores = n.w('concat_score_weight') * tf.reduce_sum(tf.tanh(both * n.w('scale') if n.has('scale') else both), -1)
    else:
        scores = tf.matmul(query, key, transpose_b=True)
        if n.has('scale'):
            scores = scores * n.w('scale')
    inside = None if masks[1] is None else tf.expand_dims(tf.cast(masks[1], tf.bool), -2)
    if use_causal_mask or n.get('causal', False):
        inside = _both(inside, _causal(scores))
    if inside is not None:
        low = 65504. if scores.dtype == tf.float16 else 1e9
        scores = where(inside, scores, scores - like(low, scores))
    weights = tf.nn.softmax(scores)
    y = tf.matmul(weights, value)
    if masks[0] is not None:
        y = where(tf.expand_dims(tf.cast(masks[0], tf.bool), -1), y, tf.zeros_like(y))
        n.set_mask(y, masks[0])
    return [y, weights] if return_attention_scores else y


def _projections(n):
    """The inner layers of MultiHeadAttention and GroupQueryAttention, by the name of the attribute."""
    config = {'dtype': n.config.get('dtype'), 'bias_axes': 'e' if n.get('use_bias', True) else None}
    names = ['query', 'key', 'value'] + ['gate'] * bool(n.get('use_gate', False)) + ['output']
    if n.kind == 'MultiHeadAttention':
        return [(name + '_dense', n.child('EinsumDense', config, 'attention_output' if name == 'output' else name))
                for name in names]
    return [('_%s_dense' % name, n.child('EinsumDense', config, 'attention_output' if name == 'output' else name))
            for name in names]


def _project(n, x):
    """x [..., features] as [..., heads, size]."""
    w = n.w('kernel')
    features, heads, size = w.shape.as_list()
    y = tf.matmul(tf.reshape(x, [-1, features]), tf.reshape(w, [features, heads * size]))
    y = reshape(y, dims(x)[:-1] + [heads, size])
    return y + n.w('bias') if n.has('bias') else y


def _joined(n, x):
    """[batch, length, heads, size] as [batch, length, features...]."""
    w = n.w('kernel')
    shape = w.shape.as_list()
    size = 1
    for d in shape[2:]:
        size *= d
    y = tf.matmul(tf.reshape(x, [-1, shape[0] * shape[1]]), tf.reshape(w, [shape[0] * shape[1], size]))
    y = reshape(y, dims(x)[:-2] + shape[2:])
    return y + n.w('bias') if n.has('bias') else y


def _window(size, scores):
    apart = tf.abs(tf.expand_dims(tf.range(tf.shape(scores)[-2]), 1) - tf.expand_dims(tf.range(tf.shape(scores)[-1]), 0))
    return apart < size


def _heads_mask(n, scores, masks, attention_mask, use_causal_mask):
    """The mask of the scores [batch, heads, queries, keys], or None."""
    inside = None
    for which, mask in enumerate(masks):
        if mask is not None:
            mask = tf.cast(mask, tf.bool)
            mask = tf.expand_dims(mask, -1 if which == 0 else -2)
            inside = _both(inside, tf.expand_dims(mask, 1))
    if use_causal_mask:
        inside = _both(inside, _causal(scores))
    if n.get('sliding_window'):
        inside = _both(inside, _window(n.get('sliding_window'), scores))
    if attention_mask is not None:
        attention_mask = tf.cast(attention_mask, tf.bool)
        for _ in range(4 - rank(attention_mask)):
            attention_mask = tf.expand_dims(attention_mask, -3)
        inside = _both(inside, attention_mask)
    return inside


@layer('MultiHeadAttention GroupQueryAttention GroupedQueryAttention', None, _projections)
def _multi_head_attention(n, query, value, key=None, query_mask=None, value_mask=None, key_mask=None, attention_mask=None,
                          return_attention_scores=False, use_causal_mask=False):
    inner = {k.strip('_'): v for k, v in n.children.items()}
    if rank(query) != 3 or n.get('attention_axes') not in (None, [1]):
        raise Refused('attention over more than one dimension is not supported')
    masks = [n.mask(query) if query_mask is None else query_mask, n.mask(value) if value_mask is None else value_mask]
    if key is not None and key.name != value.name:
        masks.append(n.mask(key) if key_mask is None else key_mask)
    original = query
    gate = tf.sigmoid(_project(inner['gate_dense'], query)) if 'gate_dense' in inner else None
    key = value if key is None else key
    query, key, value = [_project(inner[name + '_dense'], x) for name, x in (('query', query), ('key', key), ('value', value))]
    heads, size = query.shape.as_list()[2:]
    key, value = [repeated(x, heads // int(x.shape[2]), 2) for x in (key, value)]
    query, key, value = [tf.transpose(x, [0, 2, 1, 3]) for x in (query, key, value)]
    scores = tf.matmul(query * like(size ** -0.5, query), key, transpose_b=True)
    inside = _heads_mask(n, scores, masks, attention_mask, use_causal_mask)
    if inside is not None:
        low = -3e4 if scores.dtype == tf.float16 else -1e9
        scores = scores + (1 - tf.cast(inside, scores.dtype)) * like(low, scores)
    weights = tf.nn.softmax(scores)
    y = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])
    y = _joined(inner['output_dense'], y if gate is None else y * gate)
    n.set_mask(y, n.mask(original))
    return [y, weights] if return_attention_scores else y
