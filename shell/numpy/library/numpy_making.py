"""numpy: arrays from text, iterables and functions; histograms."""
import itertools


def fromstring(string, dtype=float, count=-1, sep=''):
    """Build an array from text or bytes."""
    if sep:
        return np.array([p for p in string.split(sep if sep.strip() else None)], dtype=float).astype(dtype)
    return np.frombuffer(string, dtype).copy()


def fromiter(iterable, dtype, count=-1):
    """Build an array from an iterable."""
    import itertools
    return np.array(list(iterable if count < 0 else itertools.islice(iterable, count)), dtype=dtype)


def geomspace(start, stop, num=50, endpoint=True):
    """Return numbers that are evenly spaced on a geometric scale."""
    out = np.logspace(np.log10(float(start)), np.log10(float(stop)), num, endpoint=endpoint)
    if num > 0:
        out[0] = start
        if num > 1 and endpoint:
            out[-1] = stop
    return out


def frompyfunc(func, nin, nout):
    """Wrap a Python function so that it applies to each element."""
    def made(*args):
        arrays = np.broadcast_arrays(*[np.asarray(a) for a in args])
        rows = [func(*row) for row in zip(*[a.ravel().tolist() for a in arrays])]
        if arrays[0].ndim == 0:
            return rows[0]
        columns = [rows] if nout == 1 else list(zip(*rows))
        out = tuple(np.array(list(c), dtype=object).reshape(arrays[0].shape) for c in columns)
        return out[0] if nout == 1 else out
    return made


def asarray_chkfinite(a, dtype=None, order=None):
    """Convert to an array, and raise a ValueError if it contains nan or inf."""
    a = np.asarray(a, dtype=dtype)
    if a.dtype.kind in 'fc' and not np.isfinite(a).all():
        raise ValueError('array must not contain infs or NaNs')
    return a


def asfortranarray(a, dtype=None):
    """Return an array in column-major order."""
    return np.asarray(a, dtype=dtype)


def histogram_bin_edges(a, bins=10, range=None):
    """Return the edges of the bins that a histogram uses."""
    return np.histogram(a, bins=bins, range=range)[1]


def histogram2d(x, y, bins=10, range=None):
    """Return the histogram of pairs of samples."""
    bins = [bins, bins] if isinstance(bins, int) else list(bins)
    ranges = [None, None] if range is None else list(range)
    edges = [np.histogram_bin_edges(v, b, r) for v, b, r in zip((x, y), bins, ranges)]
    counts = np.zeros([len(e) - 1 for e in edges])
    for a, b in zip(np.asarray(x), np.asarray(y)):
        place = []
        for v, e in zip((a, b), edges):
            at = int(np.searchsorted(e, v, side='right')) - 1
            place.append(len(e) - 2 if v == e[-1] else at)
        if all(0 <= i < len(e) - 1 for i, e in zip(place, edges)):
            counts[place[0], place[1]] += 1
    return counts, edges[0], edges[1]


def from_dlpack(x, /, *, device=None, copy=None):
    """Returns an array of an object that offers DLPack; it shares its memory unless `copy` is true."""
    if not hasattr(x, '__dlpack__') and not isinstance(x, np.ndarray):
        raise AttributeError("'%s' object has no attribute '__dlpack__'" % type(x).__name__)
    if device not in (None, 'cpu'):
        raise ValueError('Device not understood. Only "cpu" is allowed, but received: %s' % device)
    return np.array(x) if copy else np.asarray(x)[...]
