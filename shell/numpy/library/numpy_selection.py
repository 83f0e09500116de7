"""numpy: elements that are selected, replaced or ordered."""


def select(condlist, choicelist, default=0):
    """Build an array by choosing according to conditions."""
    out = default
    for test, value in zip(reversed(condlist), reversed(choicelist)):
        out = np.where(test, value, out)
    return out


def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluate a function that is defined by pieces."""
    x = np.asarray(x)
    y = np.zeros_like(x)
    tests = [np.asarray(c) for c in condlist]
    if len(funclist) == len(tests) + 1:
        rest = np.ones(x.shape, bool)
        for t in tests:
            rest = rest & ~t
        tests = tests + [rest]
    for test, f in zip(tests, funclist):
        y[test] = f(x[test], *args, **kw) if callable(f) else f
    return y


def compress(condition, a, axis=None):
    """Select slices along an axis where a condition is true."""
    return np.take(a, np.flatnonzero(condition), axis)


def extract(condition, arr):
    """Return the elements where a condition is true."""
    return np.ravel(arr)[np.flatnonzero(np.ravel(condition))]


def choose(a, choices):
    """Build an array by choosing among arrays with an index array."""
    out = choices[0]
    for i in range(1, len(choices)):
        out = np.where(np.asarray(a) == i, choices[i], out)
    return out


def put(a, ind, v):
    """Replace elements at flat indices."""
    flat = np.ravel(v)
    for i, at in enumerate(np.ravel(ind)):
        a.flat[int(at)] = flat[i % len(flat)]


def copyto(dst, src, where=True):
    """Copy values into an array, optionally where a condition is true."""
    dst[...] = np.where(where, src, dst)


def argpartition(a, kth, axis=-1, kind='introselect'):
    """Return the indices that would partition an array."""
    return np.argsort(a, axis=axis)


def partition(a, kth, axis=-1):
    """Return a copy in which the element at kth is in its sorted position."""
    return np.sort(a, axis=axis)


def lexsort(keys, axis=-1):
    """Return the indices that sort by several keys, the last one first."""
    order = np.arange(len(keys[0]))
    for key in keys:
        order = order[np.argsort(np.asarray(key)[order], kind='stable')]
    return order


def _grids(indices, axis):
    places = []
    for i, n in enumerate(indices.shape):
        if i == axis:
            places.append(indices)
        else:
            places.append(np.arange(n).reshape([n if k == i else 1 for k in range(indices.ndim)]))
    return tuple(places)


def take_along_axis(arr, indices, axis):
    """Take values along an axis by an index array."""
    arr, indices = np.asarray(arr), np.asarray(indices)
    if axis is None:
        return arr.ravel()[indices]
    if arr.ndim != indices.ndim:
        raise ValueError('`indices` and `arr` must have the same number of dimensions')
    return arr[_grids(indices, axis % arr.ndim)]


def put_along_axis(arr, indices, values, axis):
    """Replace values along an axis by an index array."""
    if arr.ndim != indices.ndim:
        raise ValueError('`indices` and `arr` must have the same number of dimensions')
    arr[_grids(np.asarray(indices), axis % arr.ndim)] = values


def apply_over_axes(func, a, axes):
    """Apply a function over several axes in turn."""
    value = np.asarray(a)
    for axis in np.atleast_1d(axes):
        axis = int(axis) % np.ndim(a)
        made = func(value, axis)
        value = made if made.ndim == value.ndim else np.expand_dims(made, axis)
    return value


def place(arr, mask, vals):
    """Replace elements where a mask is true with the next values."""
    where = np.asarray(mask, bool)
    count = int(where.sum())
    if count:
        vals = np.ravel(vals)
        if vals.size == 0:
            raise ValueError('Cannot insert from an empty array!')
        arr[where] = np.resize(vals, count)


def putmask(a, mask, values):
    """Replace elements where a mask is true."""
    where = np.asarray(mask, bool)
    a[where] = np.resize(values, a.shape)[where]


def setxor1d(ar1, ar2, assume_unique=False):
    """Return the elements that are in one of two arrays only."""
    both = np.intersect1d(ar1, ar2)
    every = np.union1d(ar1, ar2)
    return every[~np.isin(every, both)]
