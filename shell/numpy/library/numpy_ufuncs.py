"""The methods of numpy's elementwise functions: np.add.reduce(a), np.add.at(a, indices, b). The function comes first."""

_REDUCTIONS = {'add': np.sum, 'multiply': np.prod, 'maximum': np.max, 'minimum': np.min, 'logical_and': np.all,
               'logical_or': np.any}


def _binary(f):
    if f.__text_signature__.startswith('(x, /'):
        raise ValueError('reduce only supported for binary functions')


def reduce(f, array, axis=0, dtype=None, out=None, keepdims=False):
    """Combines the elements along an axis, from the first to the last."""
    _binary(f)
    a = np.asarray(array) if dtype is None else np.asarray(array, dtype)
    if f.__name__ in _REDUCTIONS:
        made = _REDUCTIONS[f.__name__](a, axis=axis, keepdims=keepdims)
    else:
        axes = list(range(a.ndim)) if axis is None else sorted([i % a.ndim for i in np.atleast_1d(axis)])
        made = a
        for i in axes[::-1]:
            made = accumulate(f, made, i).take([-1], i)
        made = made if keepdims else np.squeeze(made, tuple(axes))[()]
    if out is None:
        return made
    out[...] = made
    return out


def accumulate(f, array, axis=0, dtype=None):
    """Returns the results of combining ever more elements along an axis."""
    _binary(f)
    a = np.asarray(array) if dtype is None else np.asarray(array, dtype)
    if f.__name__ in ('add', 'multiply'):
        return (np.cumsum if f.__name__ == 'add' else np.cumprod)(a, axis)
    rows = []
    for row in np.moveaxis(a, axis, 0):
        rows.append(f(rows[-1], row) if rows else row)
    return np.moveaxis(np.array(rows), 0, axis) if rows else a.copy()


def outer(f, a, b):
    """Applies the function to all pairs of elements."""
    a, b = np.asarray(a), np.asarray(b)
    return f(a.reshape(a.shape + (1,) * b.ndim), b)


def at(f, a, indices, b=None):
    """Changes elements in place, once for each time that an index occurs."""
    places = np.arange(a.size).reshape(a.shape)[indices]
    flat = a.ravel()
    values = None if b is None else np.broadcast_to(b, np.shape(places)).ravel()
    for i, k in enumerate(np.ravel(places).tolist()):
        flat[k] = f(flat[k]) if b is None else f(flat[k], values[i])
    a[...] = flat.reshape(a.shape)


def reduceat(f, array, indices, axis=0, dtype=None):
    """Reduces the slices between successive indices."""
    a = np.moveaxis(np.asarray(array), axis, 0)
    ends = list(indices[1:]) + [len(a)]
    parts = [reduce(f, a[i:j], 0, dtype) if i < j else a[i] for i, j in zip(indices, ends)]
    return np.moveaxis(np.array(parts), 0, axis)
