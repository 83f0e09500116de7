"""Keras layers: normalization."""
from _library.keras_rules import Refused, axes_of, axis_of, dims, layer, like, rank, reshape


def _gamma_beta(n):
    return ['gamma'] * bool(n.get('scale', True)) + ['beta'] * bool(n.get('center', True))


def _wide(x):
    return tf.cast(x, tf.float32) if x.dtype in (tf.float16, tf.bfloat16) else x


def _weight(n, name, x, shape):
    """A weight in the dtype of x, in the shape that broadcasts."""
    return tf.reshape(tf.cast(n.tensors[name], x.dtype), shape)


def _batch_weights(n):
    if n.get('renorm', False):
        return _gamma_beta(n) + ['-moving_mean', '-moving_variance', '-moving_stddev', '-renorm_mean', '-renorm_stddev']
    return _gamma_beta(n) + ['-moving_mean', '-moving_variance']


@layer('BatchNormalization BatchNormalizationV1 SyncBatchNormalization', _batch_weights, keeps_mask=True)
def _batch_normalization(n, x):
    axis = n.get('axis', -1)
    axis = axes_of(axis, rank(x))
    known = x.shape.as_list()
    shape = [known[i] if i in axis else 1 for i in range(rank(x))]
    wide = _wide(x)
    if shape[-1] is not None and axis == [rank(x) - 1]:
        shape = [-1]
    mean, variance = [_weight(n, name, wide, shape) for name in ('moving_mean', 'moving_variance')]
    scale = tf.rsqrt(variance + like(n.get('epsilon', 1e-3), wide))
    if n.has('gamma'):
        scale = scale * _weight(n, 'gamma', wide, shape)
    shift = -mean * scale
    if n.has('beta'):
        shift = shift + _weight(n, 'beta', wide, shape)
    return tf.cast(wide * scale + shift, x.dtype)


@layer('LayerNormalization', _gamma_beta, keeps_mask=True)
def _layer_normalization(n, x):
    axes = axes_of(n.get('axis', -1), rank(x))
    wide = _wide(x)
    known = x.shape.as_list()
    shape = [known[i] if i in axes else 1 for i in range(rank(x))]
    epsilon = like(n.get('epsilon', 1e-3), wide)
    mean = tf.reduce_mean(wide, axes, True)
    centered = wide - mean
    variance = tf.reduce_mean(centered * centered, axes, True)
    if n.get('rms_scaling', False):
        y = wide * tf.rsqrt(variance + epsilon)
        return tf.cast(y * _weight(n, 'gamma', wide, shape), n.dtype)
    y = centered * tf.rsqrt(variance + epsilon)
    if n.has('gamma'):
        y = y * _weight(n, 'gamma', wide, shape)
    if n.has('beta'):
        y = y + _weight(n, 'beta', wide, shape)
    return tf.cast(y, n.dtype)


@layer('GroupNormalization', _gamma_beta, keeps_mask=True)
def _group_normalization(n, x):
    axis, r = axis_of(n.get('axis', -1), rank(x)), rank(x)
    shape = dims(x)
    groups = n.get('groups', 32)
    groups = shape[axis] if groups == -1 else groups
    if groups <= 0 or shape[axis] % groups:
        raise Refused('%s channels do not divide into %s groups' % (shape[axis], groups))
    inside = shape[:axis] + [groups, shape[axis] // groups] + shape[axis + 1:]
    wide = _wide(reshape(x, inside))
    axes = [i for i in range(1, r + 1) if i != axis]
    mean = tf.reduce_mean(wide, axes, True)
    centered = wide - mean
    scale = tf.rsqrt(tf.reduce_mean(centered * centered, axes, True) + like(n.get('epsilon', 1e-3), wide))
    weights = [1] * axis + [groups, shape[axis] // groups] + [1] * (r - axis - 1)
    y = centered * scale
    if n.has('gamma'):
        y = y * _weight(n, 'gamma', wide, weights)
    if n.has('beta'):
        y = y + _weight(n, 'beta', wide, weights)
    return tf.cast(reshape(y, shape), x.dtype)


@layer('UnitNormalization', keeps_mask=True)
def _unit_normalization(n, x):
    return tf.nn.l2_normalize(x, axes_of(n.get('axis', -1), rank(x)))


@layer('RMSNormalization', lambda n: ['scale'])
def _rms_normalization(n, x):
    axes = axes_of(n.get('axis', -1), rank(x))
    wide = _wide(x)
    known = x.shape.as_list()
    shape = [known[i] if i in axes else 1 for i in range(rank(x))]
    y = wide * tf.rsqrt(tf.reduce_mean(wide * wide, axes, True) + like(n.get('epsilon', 1e-6), wide))
    return tf.cast(y * _weight(n, 'scale', wide, shape), x.dtype)


@layer('SpectralNormalization', lambda n: ['-vector_u'], lambda n: [('layer', n.child_of(n.get('layer')))])
def _spectral_normalization(n, x):
    return n.children['layer'].apply(x)


def _normalization_weights(n):
    if n.get('mean') is not None:
        return []
    return ['-mean', '-variance', '-count']


@layer('Normalization', _normalization_weights, keeps_mask=True)
def _normalization(n, x):
    axis = n.config.get('axis', -1)
    axes = [] if axis is None else axes_of(axis, rank(x))
    known = x.shape.as_list()
    shape = [known[i] if i in axes else 1 for i in range(rank(x))]
    if n.get('mean') is not None:
        mean, variance = tf.constant(n.get('mean'), n.dtype), tf.constant(n.get('variance'), n.dtype)
        if mean.shape.ndims:
            mean, variance = tf.reshape(mean, shape), tf.reshape(variance, shape)
    else:
        mean, variance = [tf.reshape(n.w(name), shape) for name in ('mean', 'variance')]
    if not x.dtype.is_floating:
        x = tf.cast(x, n.dtype)
    deviation = tf.maximum(tf.sqrt(variance), like(1e-7, variance))
    if n.get('invert', False):
        return mean + x * deviation
    return (x - mean) / deviation
