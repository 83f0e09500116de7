"""Rules of ONNX: strings."""
from _library.onnx_rules import rule, rank


def _texts(values):
    return [v.decode('utf-8') if isinstance(v, bytes) else v for v in values or []]


@rule('StringConcat')
def _concat(n, a, b):
    shape = tf.broadcast_dynamic_shape(tf.shape(a), tf.shape(b))
    return tf.string_join([tf.broadcast_to(a, shape), tf.broadcast_to(b, shape)], name=n.out)


@rule('RegexFullMatch')
def _regex(n, x):
    return tf.strings.regex_full_match(x, n.text('pattern'), name=n.out)


@rule('StringNormalizer')
def _normalizer(n, x):
    change, matters = n.text('case_change_action', 'NONE'), n.get('is_case_sensitive', 0)
    stops = _texts(n.get('stopwords', None))

    def changed(v, how):
        return v if how == 'NONE' else (tf.strings.lower if how == 'LOWER' else tf.strings.upper)(v)
    y = changed(x, change)
    if not stops:
        return y
    key = x if matters else tf.strings.lower(x)
    stops = stops if matters else [s.lower() for s in stops]
    keep = tf.reduce_all(tf.not_equal(tf.expand_dims(tf.reshape(key, [-1]), 1), tf.constant([stops])), 1)
    kept = tf.boolean_mask(tf.reshape(y, [-1]), keep)
    kept = tf.cond(tf.equal(tf.size(kept), 0), lambda: tf.constant(['']), lambda: kept)
    return tf.expand_dims(kept, 0) if rank(x) == 2 else kept


@rule('StringSplit')
def _split(n, x):
    delimiter = n.text('delimiter', '')
    most = n.get('maxsplit', None)
    flat = tf.reshape(x, [-1])
    parts = tf.strings.split(flat, sep=delimiter, maxsplit=-1 if most is None else most)
    indices, values = parts.indices, parts.values
    if not delimiter:  # an empty remainder is a piece for TensorFlow, and not for ONNX
        keep = tf.not_equal(values, '')
        indices, values = tf.boolean_mask(indices, keep), tf.boolean_mask(values, keep)
    counts = tf.bincount(tf.cast(indices[:, 0], tf.int32), minlength=tf.size(flat))
    shape = tf.cast(tf.stack([tf.size(flat), tf.maximum(tf.reduce_max(counts), 0)]), tf.int64)
    dense = tf.sparse_to_dense(indices, shape, values, default_value='')
    shape = tf.shape(x)
    y = tf.reshape(dense, tf.concat([shape, [tf.shape(dense)[1]]], 0))
    return [y, tf.reshape(tf.cast(counts, tf.int64), shape)]


@rule('TfIdfVectorizer')
def _tf_idf(n, x):
    """Counts n-grams, of which the pool lists those of each length one after another."""
    mode, shortest, longest = n.text('mode', 'TF'), n.get('min_gram_length', 1), n.get('max_gram_length', 1)
    skips, starts, columns = n.get('max_skip_count', 0), n.get('ngram_counts', []), n.get('ngram_indexes', [])
    pool = n.get('pool_int64s', None) or n.get('pool_strings', [])
    weights = n.get('weights', None) or [1.] * len(columns)
    width = max(columns) + 1
    batched = rank(x) == 2
    x = x if batched else tf.expand_dims(x, 0)
    length = tf.shape(x)[1]
    counts = [tf.zeros(tf.shape(x)[:1])] * len(columns)
    row = 0
    for i, start in enumerate(starts):
        size = i + 1
        end = starts[i + 1] if i + 1 < len(starts) else len(pool)
        for at in range(start, end, size):
            gram, here = pool[at:at + size], row
            row += 1
            if not shortest <= size <= longest:
                continue
            for skip in range(skips + 1 if size > 1 else 1):
                reach = (size - 1) * (skip + 1)
                hit = None
                for k, token in enumerate(gram):
                    same = tf.equal(x[:, k * (skip + 1):tf.maximum(length - reach, 0) + k * (skip + 1)],
                                    tf.constant(token, x.dtype))
                    hit = same if hit is None else tf.logical_and(hit, same)
                counts[here] = counts[here] + tf.reduce_sum(tf.cast(hit, tf.float32), 1)
    parts = [tf.zeros(tf.shape(x)[:1])] * width
    for column, weight, count in zip(columns, weights, counts):
        seen = tf.minimum(count, 1.)
        parts[column] = count if mode == 'TF' else seen * weight if mode == 'IDF' else count * weight
    y = tf.stack(parts, 1)
    return y if batched else tf.squeeze(y, [0])
