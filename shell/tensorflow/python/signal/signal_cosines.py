"""tf.signal and tf.spectral: cosine transforms."""
import math


def _check_dct(input, kind, n, axis, norm):
    if axis != -1:
        raise NotImplementedError('axis must be -1. Got: %s' % axis)
    if n is not None and n < 1:
        raise ValueError('n should be a positive integer or None')
    if kind not in (1, 2, 3, 4):
        raise ValueError('Types I, II, III and IV (I)DCT are supported.')
    if kind == 1 and norm == 'ortho':
        raise ValueError('Normalization is not supported for the Type-I DCT.')
    if kind == 1 and input.shape[-1].value is not None and input.shape[-1].value < 2:
        raise ValueError('Type-I DCT requires the dimension to be greater than one.')
    if norm not in (None, 'ortho'):
        raise ValueError("Unknown normalization. Expected None or 'ortho', got: %s" % norm)


def _cosines(kind, n, dtype, norm):
    """Returns the matrix of a transform of n numbers. Row j is the contribution of number j to each coefficient."""
    n = tf.cast(n, tf.int64)
    j, k = tf.expand_dims(tf.range(n), 1), tf.expand_dims(tf.range(n), 0)
    turns, half = {1: (j * k, n - 1), 2: ((2 * j + 1) * k, 2 * n), 3: (j * (2 * k + 1), 2 * n),
                   4: ((2 * j + 1) * (2 * k + 1), 4 * n)}[kind]
    angles = tf.cast(turns % (2 * half), dtype) * tf.constant(math.pi, dtype) / tf.cast(half, dtype)
    # The constant part counts once, all others twice. For type 1, the last one also counts once.
    place = {1: j % (n - 1), 2: k, 3: j}.get(kind)
    twice = tf.ones_like(angles) * 2
    if place is not None and (kind != 2 or norm is not None):
        twice -= tf.cast(tf.equal(place, 0), dtype)
    return tf.cos(angles) * (twice if norm is None else tf.sqrt(twice / tf.cast(n, dtype)))


def _dct(input, kind, n, norm, name, scope):
    with tf.name_scope(name, scope, [input]):
        size = input.shape[-1].value
        if n is not None:
            input = input[..., :n]
            short = n - (tf.shape(input)[-1] if size is None else min(n, size))
            input = tf.pad(input, [[0, 0]] * (input.shape.ndims - 1) + [[0, short]])
            size = n
        known = input.shape.as_list()[:-1] + [size]
        size = tf.shape(input)[-1] if size is None else size
        lines = tf.matmul(tf.reshape(input, [-1, size]), _cosines(kind, size, input.dtype, norm))
        out = tf.reshape(lines, tf.concat([tf.shape(input)[:-1], [size]], 0) if None in known else known)
        out.set_shape(known)
        return out


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The discrete cosine transform over the last dimension."""
    input = tf.convert_to_tensor(input)
    _check_dct(input, type, n, axis, norm)
    return _dct(input, type, n, norm, name, 'dct')


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The inverse of dct, except for a factor of twice the size."""
    input = tf.convert_to_tensor(input)
    _check_dct(input, type, n, axis, norm)
    return _dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm, name, 'idct')
