"""numpy: arrays that are padded, joined, split and broadcast; matrices."""


def _pairs(pad_width, n):
    p = np.asarray(pad_width)
    if p.ndim == 0:
        return [(int(p), int(p))] * n
    if p.ndim == 1:
        return [(int(p[0]), int(p[-1]))] * n
    return [(int(a), int(b)) for a, b in (p if len(p) == n else np.repeat(p, n, axis=0))]


def pad(array, pad_width, mode='constant', constant_values=0):
    """Pad an array."""
    a = np.asarray(array)
    for axis, (before, after) in enumerate(_pairs(pad_width, a.ndim)):
        if before < 0 or after < 0:
            raise ValueError("index can't contain negative values")
        n = a.shape[axis]
        if mode == 'constant':
            low, high = _pairs(constant_values, a.ndim)[axis] if np.ndim(constant_values) else (constant_values,) * 2
            edge = lambda size, v: np.full(a.shape[:axis] + (size,) + a.shape[axis + 1:], v, a.dtype)
            a = np.concatenate([edge(before, low), a, edge(after, high)], axis)
            continue
        at = np.arange(-before, n + after)
        if mode == 'edge':
            at = np.clip(at, 0, n - 1)
        elif mode == 'wrap':
            at = at % n
        elif mode in ('reflect', 'symmetric'):
            period = max(2 * n - 2, 1) if mode == 'reflect' else 2 * n
            at = at % period
            at = np.where(at < n, at, (period if mode == 'reflect' else period - 1) - at)
        else:
            raise ValueError("mode '%s' is not supported" % mode)
        a = np.take(a, at, axis)
    return a


def rollaxis(a, axis, start=0):
    """Move an axis backwards to a position."""
    n = np.ndim(a)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def broadcast_arrays(*args):
    """Broadcast arrays to their common shape."""
    arrays = [np.asarray(a) for a in args]
    shape = ()
    for a in arrays:
        shape = (np.zeros(shape, bool) | np.zeros(a.shape, bool)).shape
    return [np.broadcast_to(a, shape) for a in arrays]


def block(arrays):
    """Assemble an array from nested lists of blocks."""
    if isinstance(arrays, list) and arrays and isinstance(arrays[0], list):
        return np.concatenate([block(row) for row in arrays], 0)
    if isinstance(arrays, list):
        return np.concatenate([np.atleast_2d(a) for a in arrays], -1)
    return np.atleast_2d(arrays)


def dsplit(ary, indices_or_sections):
    """Split an array along its third axis."""
    return np.split(ary, indices_or_sections, 2)


def may_share_memory(a, b):
    """Return True if two arrays may share memory."""
    return a is b


def asmatrix(data, dtype=None):
    """Convert to a matrix."""
    if isinstance(data, np.matrix) and dtype in (None, data.dtype):
        return data
    return np.matrix(data, dtype=dtype, copy=False)


mat = asmatrix


def bmat(obj, ldict=None, gdict=None):
    """Build a matrix from text or nested lists of matrices."""
    if isinstance(obj, str):
        raise NotImplementedError('np.bmat of text looks names up: pass nested lists of matrices')
    if isinstance(obj, np.ndarray):
        return np.matrix(obj)
    rows = [np.concatenate(row, axis=-1) if isinstance(row, (list, tuple)) else None for row in obj]
    return np.matrix(np.concatenate(obj if rows[0] is None else rows, axis=-1 if rows[0] is None else 0))


def broadcast_shapes(*args):
    """Return the shape to which shapes broadcast."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in args]
    rank = max([len(s) for s in shapes] + [0])
    out, of = [1] * rank, [0] * rank
    for number, shape in enumerate(shapes):
        for i, n in enumerate(shape):
            at = rank - len(shape) + i
            if n != 1 and out[at] not in (1, n):
                raise ValueError('shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg %d with '
                                 'shape %s and arg %d with shape %s.' % (of[at], shapes[of[at]], number, shape))
            if n != 1 and out[at] == 1:
                out[at], of[at] = n, number
    return tuple(out)
