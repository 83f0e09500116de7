"""Keras layers: pools, and changes of the size of images."""
from _library.keras_conv import spatial_rank
from _library.keras_rules import Refused, dims, is_first, layer, rank, several, with_last


def _pool(x, size, strides, padding, largest):
    d = len(size)
    options = dict(ksize=[1] + [1] * (d == 1) + size + [1], strides=[1] + [1] * (d == 1) + strides + [1],
                   padding=padding.upper())
    if d == 3:
        f = tf.raw_ops.MaxPool3D if largest else tf.raw_ops.AvgPool3D
        return f(input=x, **options)
    if d == 1:
        x = tf.expand_dims(x, 1)
    y = tf.raw_ops.MaxPool(input=x, **options) if largest else tf.raw_ops.AvgPool(value=x, **options)
    return tf.squeeze(y, [1]) if d == 1 else y


@layer('MaxPooling1D MaxPooling2D MaxPooling3D MaxPool1D MaxPool2D MaxPool3D AveragePooling1D AveragePooling2D '
       'AveragePooling3D AvgPool1D AvgPool2D AvgPool3D')
def _pooling(n, x):
    d = spatial_rank(n.kind)
    size = several(n.get('pool_size', 2), d)
    strides = several(n.get('strides', size), d)
    return with_last(n, x, lambda x: _pool(x, size, strides, n.get('padding', 'valid'), n.kind[:3] == 'Max'))


@layer('GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D '
       'GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D GlobalAvgPool2D '
       'GlobalAvgPool3D')
def _global_pooling(n, x):
    axes = list(range(2, rank(x))) if is_first(n) else list(range(1, rank(x) - 1))
    keep = n.get('keepdims', False)
    if 'Max' in n.kind:
        return tf.reduce_max(x, axes, keep)
    mask = n.mask(x)
    if mask is not None and '1D' in n.kind:
        inside = tf.expand_dims(tf.cast(mask, x.dtype), 1 if is_first(n) else 2)
        return tf.reduce_sum(x * inside, axes, keep) / tf.reduce_sum(inside, axes, keep)
    return tf.reduce_mean(x, axes, keep)


@layer('AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D AdaptiveMaxPooling1D '
       'AdaptiveMaxPooling2D AdaptiveMaxPooling3D')
def _adaptive_pooling(n, x):
    d, largest = spatial_rank(n.kind), 'Max' in n.kind
    size = several(n.get('output_size', 1), d)

    def f(x):
        for a in range(1, d + 1):
            extent = x.shape.as_list()[a]
            if extent is None or size[a - 1] > 4096:
                raise Refused('an adaptive pool needs a known extent and at most 4096 windows')
            parts = []
            for i in range(size[a - 1]):
                first, end = i * extent // size[a - 1], -(-(i + 1) * extent // size[a - 1])
                part = x[tuple([slice(None)] * a + [slice(first, end)])]
                parts.append(tf.reduce_max(part, a, True) if largest else tf.reduce_mean(part, a, True))
            x = tf.concat(parts, a)
        return x
    return with_last(n, x, f)


# ---- sizes ----

def repeated(x, count, axis):
    """x with each slice of a dimension `count` times."""
    if count == 1:
        return x
    shape = dims(x)
    wide = tf.tile(tf.expand_dims(x, axis + 1), [1] * (axis + 1) + [count] + [1] * (rank(x) - axis - 1))
    out = [d if i != axis else d * count for i, d in enumerate(shape)]
    y = tf.reshape(wide, tf.stack(out))
    y.set_shape([d if isinstance(d, int) else None for d in out])
    return y


def _sinc(x):
    return np.sinc(x)  # sin(pi x) / (pi x)


def _cubic(x, near, far):
    """A kernel of two cubic polynomials, for distances up to 1 and up to 2."""
    return np.where(x < 1, np.polyval(near, x), np.where(x < 2, np.polyval(far, x), 0.))


# The radius of each kernel, and its value at a distance.
_KERNELS = {
    'bilinear': (1., lambda x: np.maximum(0., 1 - x)), 'lanczos3': (3., lambda x: np.where(x < 3, _sinc(x) * _sinc(x / 3), 0.)),
    'lanczos5': (5., lambda x: np.where(x < 5, _sinc(x) * _sinc(x / 5), 0.)),
    'gaussian': (1.5, lambda x: np.where(x < 1.5, np.exp(-2 * x * x), 0.)),
    'bicubic': (2., lambda x: _cubic(x, [1.5, -2.5, 0., 1.], [-0.5, 2.5, -4., 2.])),
    'mitchellcubic': (2., lambda x: _cubic(x, [7 / 6., -2., 0., 8 / 9.], [-7 / 18., 2., -10 / 3., 16 / 9.])),
}
_MOST_WEIGHTS = 1 << 24


def _weights(size, target, kernel, antialias):
    """Returns the matrix [target, size] that resizes one dimension. With antialias, kernels are as wide as the step."""
    if size * target > _MOST_WEIGHTS or size <= 0 or target <= 0:
        raise Refused('resizing %d to %d elements is not supported' % (size, target))
    step = size / float(target)
    wide = max(step, 1.) if antialias else 1.
    at = (np.arange(target) + 0.5) * step
    distance = (np.arange(size) + 0.5).reshape([1, -1]) - at.reshape([-1, 1])
    weights = np.where(np.abs(distance) <= kernel[0] * wide, kernel[1](np.abs(distance) / wide), 0.)
    return weights / np.sum(weights, 1, keepdims=True)


def resize(x, height, width, method, antialias=False):
    """Resizes images as tf.image.resize of TensorFlow 2 does."""
    size = tf.stack([height, width])
    if method == 'nearest':
        y = tf.raw_ops.ResizeNearestNeighbor(images=x, size=size, half_pixel_centers=True)
    elif method == 'area':
        y = tf.raw_ops.ResizeArea(images=x, size=size)
    elif method == 'bilinear' and not antialias:
        y = tf.raw_ops.ResizeBilinear(images=x, size=size, half_pixel_centers=True)
    elif method == 'bicubic' and not antialias:
        y = tf.raw_ops.ResizeBicubic(images=x, size=size, half_pixel_centers=True)
    else:
        known = x.shape.as_list()
        if method not in _KERNELS or None in known[1:3] or not isinstance(height, int) or not isinstance(width, int):
            raise Refused('its interpolation %s is not supported%s' % (method, ' for images of unknown size' if method in _KERNELS else ''))
        down, across = [tf.constant(_weights(n, m, _KERNELS[method], antialias), tf.float32) for n, m in (
            (known[1], height), (known[2], width))]
        y = tf.einsum('qw,bpwc->bpqc', across, tf.einsum('ph,bhwc->bpwc', down, tf.cast(x, tf.float32)))
    y.set_shape([x.shape.as_list()[0], height if isinstance(height, int) else None, width if isinstance(
        width, int) else None, x.shape.as_list()[3]])
    return y


@layer('UpSampling1D UpSampling2D UpSampling3D')
def _up_sampling(n, x):
    d = spatial_rank(n.kind)
    size = several(n.get('size', 2), d)
    method = n.get('interpolation', 'nearest')

    def f(x):
        if method != 'nearest':
            shape = dims(x)
            return resize(x, shape[1] * size[0], shape[2] * size[1], method)
        for a in range(d):
            x = repeated(x, size[a], a + 1)
        return x
    return with_last(n, x, f)


def _pairs(value, d):
    rows = value if isinstance(value, (list, tuple)) else [value] * d
    if d == 1 and len(rows) == 2 and not isinstance(rows[0], (list, tuple)):
        rows = [rows]
    return [list(r) if isinstance(r, (list, tuple)) else [r, r] for r in several(rows, d)]


@layer('ZeroPadding1D ZeroPadding2D ZeroPadding3D')
def _zero_padding(n, x):
    pairs = _pairs(n.get('padding', 1), spatial_rank(n.kind))
    return tf.pad(x, [[0, 0], [0, 0]] + pairs if is_first(n) else [[0, 0]] + pairs + [[0, 0]])


@layer('Cropping1D Cropping2D Cropping3D')
def _cropping(n, x):
    pairs = _pairs(n.get('cropping', 1), spatial_rank(n.kind))
    inside = [slice(a, -b if b else None) for a, b in pairs]
    return x[tuple([slice(None)] * (2 if is_first(n) else 1) + inside)]
