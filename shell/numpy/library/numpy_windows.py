"""numpy.lib.stride_tricks. The results are copies."""
import numpy as np


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """Returns the elements of x that an array with this shape and these strides would show."""
    x = np.asarray(x)
    shape = x.shape if shape is None else tuple(shape)
    strides = x.strides if strides is None else tuple(strides)
    at = np.zeros((), np.int64)
    for n, stride in zip(shape, strides):
        at = at[..., None] + np.arange(n) * (stride // x.itemsize)
    return np.ascontiguousarray(x).reshape(-1)[at]


def sliding_window_view(x, window_shape, axis=None, subok=False, writeable=False):
    """Returns the windows of x along its axes, which are the last axes of the result."""
    x = np.asarray(x)
    sizes = tuple(window_shape) if isinstance(window_shape, (list, tuple)) else (window_shape,)
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    if len(sizes) != len(axes):
        start = 'Since axis is `None`, must' if axis is None else 'Must'
        raise ValueError('%s provide window_shape for all dimensions of `x`; got %d window_shape elements and `x.ndim` is %d.' %
                         (start, len(sizes), x.ndim))
    for size, each in zip(sizes, axes):
        each = each % x.ndim
        if size < 0:
            raise ValueError('`window_shape` cannot contain negative values')
        if size > x.shape[each]:
            raise ValueError('window shape cannot be larger than input array shape')
        x = np.moveaxis(np.take(x, np.arange(x.shape[each] - size + 1)[:, None] + np.arange(size), axis=each), each + 1, -1)
    return x
