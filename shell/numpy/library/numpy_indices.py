"""numpy: grids and indices: np.mgrid, np.r_, np.ndindex, np.unravel_index and others."""
import itertools


class _Grid(object):
    def __init__(self, sparse):
        self._sparse = sparse

    def _axis(self, s):
        start = 0 if s.start is None else s.start
        step = 1 if s.step is None else s.step
        if isinstance(step, complex):
            return np.linspace(start, s.stop, int(abs(step)))
        return np.arange(start, s.stop, step)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._axis(key)
        axes = [self._axis(s) for s in key]
        kind = axes[0].dtype
        for a in axes:
            kind = np.result_type(kind, a.dtype)
        n = len(axes)
        shaped = [a.astype(kind).reshape([-1 if i == j else 1 for j in range(n)]) for i, a in enumerate(axes)]
        if self._sparse:
            return shaped
        size = [len(a) for a in axes]
        return np.stack([np.broadcast_to(a, size) for a in shaped])


mgrid, ogrid = _Grid(False), _Grid(True)


class _Joined(object):
    def __init__(self, column):
        self._column = column

    def _part(self, k):
        if isinstance(k, slice):
            return _Grid(False)._axis(k)
        a = np.asarray(k)
        return a.reshape(1) if a.ndim == 0 else a

    def __getitem__(self, key):
        parts = [self._part(k) for k in (key if isinstance(key, tuple) else (key,))]
        if self._column:
            return np.concatenate([p.reshape(-1, 1) if p.ndim == 1 else p for p in parts], axis=-1)
        return np.concatenate(parts, axis=0)


r_, c_ = _Joined(False), _Joined(True)


class _Slices(object):
    def __getitem__(self, key):
        return key


s_ = index_exp = _Slices()


def unravel_index(indices, shape, order='C'):
    """Convert flat indices to coordinates."""
    at = np.asarray(indices)
    size = 1
    for n in shape:
        size *= n
    if np.any(at < 0) or np.any(at >= size):
        wrong = [i for i in np.ravel(at) if not 0 <= i < size][0]
        raise ValueError('index %d is out of bounds for array with size %d' % (wrong, size))
    out = []
    for n in reversed(tuple(shape)):
        out.append(at % n)
        at = at // n
    return tuple(reversed(out))


def ravel_multi_index(multi_index, dims, mode='raise', order='C'):
    """Convert coordinates to flat indices."""
    flat = 0
    for i, n in zip(multi_index, dims):
        i = np.asarray(i)
        if np.any(i < 0) or np.any(i >= n):
            raise ValueError('invalid entry in coordinates array')
        flat = flat * n + i
    return flat


def ndindex(*shape):
    """Iterate over the indices of a shape."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    import itertools
    return itertools.product(*[range(n) for n in shape])


def ndenumerate(arr):
    """Iterate over the indices and values of an array."""
    a = np.asarray(arr)
    for at in ndindex(a.shape):
        yield at, a[at]


def indices(dimensions, dtype=int):
    """Return an array of the indices of a grid."""
    made = mgrid[tuple(slice(0, n) for n in dimensions)]
    return made.astype(dtype)
