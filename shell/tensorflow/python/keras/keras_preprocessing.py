"""Keras layers: preprocessing of numbers, images, categories and text."""
from _library.keras_pools import resize
from _library.keras_rules import Refused, dims, is_first, layer, rank, where, with_last


@layer('Rescaling', keeps_mask=True)
def _rescaling(n, x):
    x = x if x.dtype.is_floating else tf.cast(x, n.dtype)
    scale, offset = [tf.constant(v, x.dtype) for v in (n.get('scale', 1.), n.get('offset', 0.))]
    if is_first(n) and rank(x) > 2:
        scale, offset = [tf.reshape(v, [-1] + [1] * (rank(x) - 2)) if v.shape.ndims else v for v in (scale, offset)]
    return x * scale + offset


@layer('Resizing')
def _resizing(n, x):
    height, width = n.get('height', 1), n.get('width', 1)
    if n.get('pad_to_aspect_ratio', False):
        raise Refused('pad_to_aspect_ratio is not supported')

    def f(x):
        if n.get('crop_to_aspect_ratio', False):
            h, w = dims(x)[1:3]
            across = tf.minimum(w, h * width // height)
            down = tf.minimum(h, w * height // width)
            top, left = (h - down) // 2, (w - across) // 2
            x = x[:, top:top + down, left:left + across]
        y = resize(x, height, width, n.get('interpolation', 'bilinear').lower(), n.get('antialias', False))
        return y if y.dtype == x.dtype or n.version < 3 else tf.cast(y, n.dtype)
    if not x.dtype.is_floating:
        x = tf.cast(x, n.dtype)
    if rank(x) == 3:
        return tf.squeeze(with_last(n, tf.expand_dims(x, 0), f), [0])
    return with_last(n, x, f)


@layer('CenterCrop')
def _center_crop(n, x):
    height, width = n.get('height', 1), n.get('width', 1)
    if rank(x) != 4:
        raise Refused('its input has %d dimensions, and 4 are expected' % rank(x))

    def f(x):
        known = x.shape.as_list()
        if known[1] is None or known[2] is None or known[1] < height or known[2] < width:
            raise Refused('it needs images of a known size, not smaller than its own')
        top, left = int((known[1] - height) / 2), int((known[2] - width) / 2)
        return x[:, top:top + height, left:left + width]
    x = x if x.dtype.is_floating else tf.cast(x, n.dtype)
    return with_last(n, x, f)


@layer('RandomCrop')
def _random_crop(n, x):
    if n.version >= 3:
        return x
    return n.inner('Resizing', {'height': n.get('height'), 'width': n.get('width'), 'crop_to_aspect_ratio': True})(x)


# ---- categories ----

def encode(n, x, size, mode, weights=None):
    """Categories as one_hot, multi_hot or count vectors."""
    dtype = n.dtype if n.dtype.is_floating or n.dtype.is_integer else tf.float32
    x = tf.cast(x, tf.int64) if x.dtype != tf.int32 else x
    if mode == 'one_hot':
        if rank(x) and x.shape.as_list()[-1] == 1 and rank(x) > 1 or n.version < 3 and rank(x) > 1 and x.shape.as_list()[-1] == 1:
            x = tf.squeeze(x, [-1])
        return tf.one_hot(x, size, dtype=dtype)
    hot = tf.one_hot(x, size, dtype=dtype)
    if weights is not None:
        hot = hot * tf.expand_dims(tf.cast(weights, dtype), -1)
    axis = max(0, rank(x) - 1)
    if rank(x) == 1:
        hot, axis = tf.expand_dims(hot, 1), 1
    if rank(x) == 0:
        return hot
    y = tf.reduce_max(hot, axis) if mode == 'multi_hot' else tf.reduce_sum(hot, axis)
    return y


@layer('CategoryEncoding')
def _category_encoding(n, x, count_weights=None):
    return encode(n, x, n.get('num_tokens'), n.get('output_mode', 'multi_hot'), count_weights)


@layer('Discretization')
def _discretization(n, x):
    bins = n.get('bin_boundaries')
    if bins is None:
        raise Refused('it has no bin_boundaries')
    y = tf.raw_ops.Bucketize(input=x, boundaries=[float(b) for b in bins])
    mode = n.get('output_mode', 'int')
    if mode == 'int':
        return tf.cast(y, tf.int64)
    return encode(n, y, len(bins) + 1, mode)


@layer('Hashing')
def _hashing(n, x):
    if x.dtype != tf.string:
        x = tf.as_string(x)
    bins, mask, salt = n.get('num_bins', 1), n.config.get('mask_value'), n.get('salt')
    real = bins - 1 if mask is not None and bins > 1 else bins
    if salt is not None:
        key = [salt, salt] if isinstance(salt, int) else list(salt)
        y = tf.string_to_hash_bucket_strong(x, real, key)
    else:
        y = tf.string_to_hash_bucket_fast(x, real)
    if mask is not None:
        y = where(tf.equal(x, str(mask)), tf.zeros_like(y), y + (1 if bins > 1 else 0))
    mode = n.get('output_mode', 'int')
    return y if mode == 'int' else encode(n, y, bins, mode)


@layer('HashedCrossing')
def _hashed_crossing(n, xs):
    shape = xs[0].shape
    if shape.ndims not in (1, 2):
        raise Refused('its inputs have %s dimensions, and 1 or 2 are expected' % shape.ndims)
    wide = [x if shape.ndims == 2 else tf.expand_dims(x, -1) for x in xs]
    y = tf.sparse_tensor_to_dense(tf.sparse.cross_hashed(wide, n.get('num_bins', 1)))
    y.set_shape([None, 1])
    y = y if shape.ndims == 2 else tf.squeeze(y, [1])
    mode = n.get('output_mode', 'int')
    return y if mode == 'int' else encode(n, y, n.get('num_bins', 1), mode)


def _vocabulary(n):
    """The terms of a lookup layer, from its config or from the assets of the file."""
    terms = n.get('vocabulary')
    if isinstance(terms, dict):
        terms = terms.get('config', {}).get('value')
    if terms is None or isinstance(terms, str):
        data = n.builder.assets(n.asset_path + '/vocabulary.txt') if n.asset_path else None
        if data is None:
            raise Refused('its vocabulary is not in the file')
        terms = data.decode('utf-8').split('\n')
        terms = terms[:-1] if terms and terms[-1] == '' else terms
    return list(terms)


def _table(n, terms, first, default, oov, kind):
    """Returns a function from terms to indices. Terms that are not listed get `default`, or one of `oov` indices."""
    keys = tf.constant([t.encode('utf-8') if isinstance(t, str) else t for t in terms] if kind == tf.string else [int(t) for t in terms], kind)
    values = tf.range(first, first + len(terms), dtype=tf.int64) if len(terms) else tf.zeros([0], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default)
    n.builder.tables.append(table.initializer)
    return table.lookup


def _outside(n, x, oov, mask_count):
    """The index of a term that the vocabulary does not have: one of `oov`, by its hash."""
    if oov == 1:
        return tf.fill(tf.shape(x), tf.constant(mask_count, tf.int64))
    if x.dtype == tf.string:
        return tf.string_to_hash_bucket_fast(x, oov) + mask_count
    return tf.floormod(x, tf.constant(oov, x.dtype)) + mask_count


def _look_up(n, x, kind):
    oov, mask = n.config.get('num_oov_indices', 1), n.config.get('mask_token')
    if not isinstance(oov, int) or not 0 <= oov <= 1 << 20:
        raise Refused('num_oov_indices=%s is not supported' % oov)
    mode = n.get('output_mode', 'int')
    terms = _vocabulary(n)
    terms = terms if kind == tf.string else [int(t) for t in terms]
    has_mask = mask is not None and mode == 'int'
    specials = ([mask] if has_mask else []) + [n.get('oov_token', '[UNK]' if kind == tf.string else -1)] * oov
    if terms[:len(specials)] == specials and specials:
        terms = terms[len(specials):]
    first = len(specials)
    if n.get('invert', False):
        texts = [t.encode('utf-8') if isinstance(t, str) else t for t in ([mask or ''] if has_mask else []) + [n.get(
            'oov_token', '[UNK]')] * oov + terms]
        size = len(texts)
        x = tf.cast(x, tf.int64)
        unknown = tf.logical_or(x < 0, x >= size)
        return tf.gather(tf.constant(texts, kind), where(unknown, tf.zeros_like(x) + int(has_mask), x))
    if x.dtype != kind:
        x = tf.as_string(x) if kind == tf.string else tf.cast(x, kind)
    y = _table(n, terms, first, -1, oov, kind)(x)
    if oov:
        y = where(y < 0, _outside(n, x, oov, int(has_mask)), y)
    if has_mask:
        y = where(tf.equal(x, tf.constant(mask, kind)), tf.zeros_like(y), y)
    if mode == 'int':
        return y
    size = first + len(terms)
    if mode == 'tf_idf':
        return encode(n, y, size, 'count') * tf.constant(_idf(n, size), n.dtype)
    return encode(n, y, size, mode)


@layer('StringLookup')
def _string_lookup(n, x):
    return _look_up(n, x, tf.string)


@layer('IntegerLookup')
def _integer_lookup(n, x):
    return _look_up(n, x, tf.int64)


# ---- text ----

_PUNCTUATION = r'[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']'


def _text_lookup(n):
    config = {'vocabulary': n.get('vocabulary'), 'mask_token': '' if n.get('output_mode', 'int') == 'int' else None,
              'oov_token': '[UNK]', 'num_oov_indices': 1, 'output_mode': 'int'}
    return [('_lookup_layer', n.child('StringLookup', config, 'string_lookup'))]


def _words(n, x):
    """The words of each text, [batch, most words], with '' after the last one."""
    standardize, split = n.config.get('standardize'), n.config.get('split', 'whitespace')
    if rank(x) > 1:
        if x.shape.as_list()[-1] != 1:
            raise Refused('its input has more than one text for each example')
        x = tf.squeeze(x, [-1])
    if standardize in ('lower_and_strip_punctuation', 'lower'):
        x = tf.strings.lower(x)
    if standardize in ('lower_and_strip_punctuation', 'strip_punctuation'):
        x = tf.strings.regex_replace(x, _PUNCTUATION, '')
    elif standardize not in (None, 'lower'):
        raise Refused('its function standardize=%s is not one of Keras' % (standardize,))
    if n.get('ngrams'):
        raise Refused('n-grams are not supported')
    if split is None:
        return tf.expand_dims(x, -1)
    if split not in ('whitespace', 'character'):
        raise Refused('its function split=%s is not one of Keras' % (split,))
    if split == 'whitespace':
        x = tf.strings.regex_replace(tf.strings.strip(x), r'\s+', ' ')
    return tf.sparse_tensor_to_dense(tf.string_split(x, ' ' if split == 'whitespace' else ''), default_value='')


@layer('TextVectorization', None, _text_lookup)
def _text_vectorization(n, x):
    lookup, length, mode = n.children['_lookup_layer'], n.get('output_sequence_length'), n.get('output_mode', 'int')
    words = _words(n, x)
    y = lookup.apply(words)
    if mode == 'int':
        if not length:
            return y
        y = tf.pad(y[:, :length], [[0, 0], [0, tf.maximum(0, length - tf.shape(y)[1])]])
        y.set_shape([None, length])
        return y
    dtype = tf.float32 if n.dtype == tf.string else n.dtype
    size = len(_vocabulary(lookup))
    size += 0 if _vocabulary(lookup)[:1] == ['[UNK]'] else 1
    if n.get('pad_to_max_tokens', False):
        size = n.get('max_tokens')
    hot = tf.one_hot(where(tf.equal(words, ''), tf.zeros_like(y) - 1, y), size, dtype=dtype)
    if mode == 'multi_hot':
        return tf.reduce_max(hot, 1)
    y = tf.reduce_sum(hot, 1)
    if mode == 'tf_idf':
        y = y * tf.constant(_idf(n, size), dtype)
    return y


def _idf(n, size):
    """The idf weights, of which that of unknown terms is the mean."""
    weights = n.get('idf_weights')
    if isinstance(weights, dict):
        weights = weights.get('config', {}).get('value')
    if weights is None:  # those that were learned are beside the weights of the layer, or of the layer within it
        for found in [n] + list(n.children.values()):
            data = found.group.get('vars/idf_weights') if found.group is not None else None
            weights = data.read().tolist() if data is not None else weights
    if weights is None:
        raise Refused('its idf weights are not in the file')
    weights = list(weights)
    return [sum(weights) / max(1, len(weights))] * (size - len(weights)) + weights
