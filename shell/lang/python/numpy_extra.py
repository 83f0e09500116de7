"""numpy: polynomials, windows, sums over indices and other functions that scripts call now and then."""
import itertools


# ---- polynomials, highest power first ----

def _coefficients(p):
    return np.atleast_1d(np.asarray(p))


def trim_zeros(filt, trim='fb'):
    first, last = 0, len(filt)
    if 'f' in trim.lower():
        while first < last and filt[first] == 0:
            first += 1
    if 'b' in trim.lower():
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last]


def polyadd(a1, a2):
    a, b = _coefficients(a1), _coefficients(a2)
    n = max(len(a), len(b))
    return np.concatenate([np.zeros(n - len(a), a.dtype), a]) + np.concatenate([np.zeros(n - len(b), b.dtype), b])


def polysub(a1, a2):
    return polyadd(a1, -_coefficients(a2))


def polymul(a1, a2):
    return np.convolve(trim_zeros(_coefficients(a1), 'f'), trim_zeros(_coefficients(a2), 'f'))


def polydiv(u, v):
    u, v = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    steps = len(u) - len(v)
    q, r = np.zeros(max(steps + 1, 1)), u.copy()
    scale = 1.0 / v[0]
    for k in range(steps + 1):
        d = scale * r[k]
        q[k] = d
        r[k:k + len(v)] -= d * v
    while len(r) > 1 and abs(r[0]) <= 1e-14:
        r = r[1:]
    return q, r


def polyder(p, m=1):
    p = _coefficients(p)
    for _ in range(m):
        n = len(p) - 1
        p = p[:-1] * np.arange(n, 0, -1)
    return p


def polyint(p, m=1, k=None):
    p = _coefficients(p)
    constants = [0.0] * m if k is None else list(np.atleast_1d(k)) * (m if np.size(k) == 1 else 1)
    for step in range(m):
        n = len(p)
        p = np.concatenate([p * 1.0 / np.arange(n, 0, -1), [constants[step]]])
    return p


def poly(seq_of_zeros):
    a = np.array([1.0])
    for zero in np.atleast_1d(seq_of_zeros):
        a = np.convolve(a, np.array([1, -zero]))
    return a


# ---- windows ----

def _window(M, value):
    if M < 1:
        return np.array([])
    if M == 1:
        return np.ones(1)
    return value(np.arange(1 - M, M, 2))


def hanning(M):
    return _window(M, lambda n: 0.5 + 0.5 * np.cos(np.pi * n / (M - 1)))


def hamming(M):
    return _window(M, lambda n: 0.54 + 0.46 * np.cos(np.pi * n / (M - 1)))


def blackman(M):
    return _window(M, lambda n: 0.42 + 0.5 * np.cos(np.pi * n / (M - 1)) + 0.08 * np.cos(2.0 * np.pi * n / (M - 1)))


def bartlett(M):
    return _window(M, lambda n: np.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


# ---- sums over indices ----

def _labels(text, arrays):
    text = text.replace(' ', '')
    inputs, arrow, output = text.partition('->')
    inputs = inputs.split(',')
    if len(inputs) != len(arrays):
        raise ValueError('%s operands provided to einstein sum function than specified in the subscripts string'
                         % ('more' if len(arrays) < len(inputs) else 'fewer'))
    spare = [c for c in 'ZYXWVUTSRQPONMLKJIHGFEDCBA' if c not in text]
    most = max([a.ndim - len(s) + 3 for s, a in zip(inputs, arrays) if '...' in s] + [0])
    dots = ''.join(spare[:most])
    named = ''.join(inputs).replace('...', '')
    inputs = [s.replace('...', dots[most - (a.ndim - len(s) + 3):] if '...' in s else '') for s, a in zip(inputs, arrays)]
    if not arrow:
        output = '...' if dots else ''
        output += ''.join(sorted(c for c in set(named) if named.count(c) == 1))
    output = output.replace('...', dots)
    return inputs, output


def _diagonal(a, labels):
    """Repeated labels become one axis."""
    for c in sorted(set(labels)):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            if a.shape[i] != a.shape[j]:
                raise ValueError("dimensions in operand 0 for collapsing index '%s' don't match (%d != %d)" % (c, a.shape[i], a.shape[j]))
            a = np.diagonal(a, axis1=i, axis2=j)
            labels = labels[:i] + labels[i + 1:j] + labels[j + 1:] + c
    return a, labels


def einsum(subscripts, *operands, out=None, optimize=False, dtype=None):
    if not isinstance(subscripts, str):
        raise NotImplementedError('np.einsum takes its subscripts as text here')
    arrays = [np.asarray(a) for a in operands]
    inputs, output = _labels(subscripts, arrays)
    for s, a in zip(inputs, arrays):
        if len(s) < a.ndim:
            raise ValueError('operand has more dimensions than subscripts given in einstein sum, but no \'...\' '
                             'ellipsis provided to broadcast the extra dimensions.')
        if len(s) > a.ndim:
            raise ValueError('einstein sum subscripts string contains too many subscripts for operand 0')
    for c in output:
        if c not in ''.join(inputs):
            raise ValueError("einstein sum subscripts string included output subscript '%s' which never appeared in an input" % c)
    total, have = None, ''
    for n, (a, s) in enumerate(zip(arrays, inputs)):
        a, s = _diagonal(a, s)
        later = set(output).union(*inputs[n + 1:])
        total, have = (a, s) if total is None else _contract(total, have, a, s, later)
        dead = tuple(i for i, c in enumerate(have) if c not in later)
        if dead:
            total = total.sum(axis=dead, dtype=total.dtype)
            have = ''.join(c for c in have if c in later)
    total = np.transpose(total, [have.index(c) for c in output]) if output else total[()]
    return total if dtype is None else total.astype(dtype)


def _contract(a, s, b, t, later):
    """Products of a and b; labels that nobody needs later are summed by one matmul."""
    both = [c for c in s if c in t]
    for c in both:
        m, n = a.shape[s.index(c)], b.shape[t.index(c)]
        if m != n and 1 not in (m, n):
            raise ValueError('operands could not be broadcast together with remapped shapes')
    summed = [c for c in both if c not in later and a.shape[s.index(c)] == b.shape[t.index(c)]]
    if not summed or a.dtype.kind == 'b':
        result = ''.join(s) + ''.join(c for c in t if c not in s)
        left = a.reshape(a.shape + (1,) * (len(result) - len(s)))
        order = [t.index(c) for c in result if c in t]
        shape = [b.shape[t.index(c)] if c in t else 1 for c in result]
        return left * np.transpose(b, order).reshape(shape), result
    batch = [c for c in both if c not in summed]
    mine, other = [c for c in s if c not in t], [c for c in t if c not in s]
    sizes = dict(zip(t, b.shape))
    for c, k in zip(s, a.shape):
        sizes[c] = max(k, sizes.get(c, 1))

    def shaped(x, labels, rows, columns):
        x = np.broadcast_to(x, [sizes[c] for c in labels])
        x = np.transpose(x, [labels.index(c) for c in batch + rows + columns])
        count = [1, 1]
        for i, group in enumerate((rows, columns)):
            for c in group:
                count[i] *= sizes[c]
        return x.reshape([sizes[c] for c in batch] + count)
    made = np.matmul(shaped(a, s, mine, summed), shaped(b, t, summed, other))
    return made.reshape([sizes[c] for c in batch + mine + other]), ''.join(batch + mine + other)


# ---- along an axis ----

def _grids(indices, axis):
    places = []
    for i, n in enumerate(indices.shape):
        if i == axis:
            places.append(indices)
        else:
            places.append(np.arange(n).reshape([n if k == i else 1 for k in range(indices.ndim)]))
    return tuple(places)


def take_along_axis(arr, indices, axis):
    arr, indices = np.asarray(arr), np.asarray(indices)
    if axis is None:
        return arr.ravel()[indices]
    if arr.ndim != indices.ndim:
        raise ValueError('`indices` and `arr` must have the same number of dimensions')
    return arr[_grids(indices, axis % arr.ndim)]


def put_along_axis(arr, indices, values, axis):
    if arr.ndim != indices.ndim:
        raise ValueError('`indices` and `arr` must have the same number of dimensions')
    arr[_grids(np.asarray(indices), axis % arr.ndim)] = values


def apply_over_axes(func, a, axes):
    value = np.asarray(a)
    for axis in np.atleast_1d(axes):
        axis = int(axis) % np.ndim(a)
        made = func(value, axis)
        value = made if made.ndim == value.ndim else np.expand_dims(made, axis)
    return value


def nanmedian(a, axis=None):
    if axis is None:
        flat = np.asarray(a).ravel()
        flat = flat[~np.isnan(flat)]
        return np.median(flat) if flat.size else np.float64('nan')
    return np.apply_along_axis(nanmedian, axis, a)


def nanprod(a, axis=None):
    a = np.asarray(a)
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis)


def nanvar(a, axis=None, ddof=0):
    a = np.asarray(a)
    known = ~np.isnan(a)
    count = known.sum(axis=axis, keepdims=True)
    mean = np.where(known, a, 0).sum(axis=axis, keepdims=True) / count
    total = np.where(known, (a - mean) ** 2, 0).sum(axis=axis)
    return total / (count.reshape(np.shape(total)) - ddof)


def nanpercentile(a, q, axis=None):
    if axis is None:
        flat = np.asarray(a).ravel()
        return np.percentile(flat[~np.isnan(flat)], q)
    return np.apply_along_axis(lambda row: np.percentile(row[~np.isnan(row)], q), axis, a)


def nanquantile(a, q, axis=None):
    return nanpercentile(a, np.multiply(q, 100), axis)


# ---- indices and masks ----

def tril_indices_from(arr, k=0):
    return np.tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def triu_indices_from(arr, k=0):
    return np.triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def diag_indices_from(arr):
    if arr.ndim < 2:
        raise ValueError('input array must be at least 2-d')
    return np.diag_indices(arr.shape[0], arr.ndim)


def place(arr, mask, vals):
    where = np.asarray(mask, bool)
    count = int(where.sum())
    if count:
        vals = np.ravel(vals)
        if vals.size == 0:
            raise ValueError('Cannot insert from an empty array!')
        arr[where] = np.resize(vals, count)


def putmask(a, mask, values):
    where = np.asarray(mask, bool)
    a[where] = np.resize(values, a.shape)[where]


def setxor1d(ar1, ar2, assume_unique=False):
    both = np.intersect1d(ar1, ar2)
    every = np.union1d(ar1, ar2)
    return every[~np.isin(every, both)]


def broadcast_shapes(*args):
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


# ---- numbers ----

def isrealobj(x):
    return not iscomplexobj(x)


def iscomplexobj(x):
    return np.asarray(x).dtype.kind == 'c'


def real_if_close(a, tol=100):
    a = np.asarray(a)
    if a.dtype.kind != 'c' or (a.size and abs(a.imag).max() >= tol * np.finfo(a.real.dtype).eps):
        return a
    return a.real


def _each(function, *args):
    arrays = np.broadcast_arrays(*[np.asarray(a) for a in args])
    flat = [function(*[int(v) for v in row]) for row in zip(*[a.ravel() for a in arrays])]
    made = np.array(flat, arrays[0].dtype).reshape(arrays[0].shape)
    return made[()]


def gcd(x1, x2):
    def steps(a, b):
        while b:
            a, b = b, a % b
        return abs(a)
    return _each(steps, x1, x2)


def lcm(x1, x2):
    return _each(lambda a, b: abs(a * b) // int(gcd(a, b)) if a and b else 0, x1, x2)


def logaddexp2(x1, x2):
    high, low = np.maximum(x1, x2), np.minimum(x1, x2)
    return high + np.log1p(2.0 ** (low - high)) * 1.4426950408889634


def asarray_chkfinite(a, dtype=None, order=None):
    a = np.asarray(a, dtype=dtype)
    if a.dtype.kind in 'fc' and not np.isfinite(a).all():
        raise ValueError('array must not contain infs or NaNs')
    return a


def asfortranarray(a, dtype=None):
    return np.asarray(a, dtype=dtype)


def unwrap(p, discont=None, axis=-1):
    p = np.asarray(p) * 1.0
    step = np.diff(p, axis=axis)
    wrapped = np.mod(step + np.pi, 2 * np.pi) - np.pi
    wrapped = np.where((wrapped == -np.pi) & (step > 0), np.pi, wrapped)
    fix = np.where(abs(step) < (np.pi if discont is None else discont), 0, wrapped - step)
    start = np.zeros_like(np.take(p, [0], axis=axis))
    return p + np.concatenate([start, np.cumsum(fix, axis=axis)], axis=axis)


def packbits(a, axis=None):
    a = np.asarray(a).ravel() != 0
    bits = np.concatenate([a, np.zeros(-len(a) % 8, bool)]).reshape(-1, 8)
    return (bits * np.array([128, 64, 32, 16, 8, 4, 2, 1])).sum(axis=1).astype(np.uint8)


def unpackbits(a, axis=None):
    a = np.asarray(a).ravel().astype(int)
    return ((a[:, None] // np.array([128, 64, 32, 16, 8, 4, 2, 1])) % 2).astype(np.uint8).ravel()


def histogram_bin_edges(a, bins=10, range=None):
    return np.histogram(a, bins=bins, range=range)[1]


def histogram2d(x, y, bins=10, range=None):
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


def common_type(*arrays):
    kinds = [np.asarray(a).dtype for a in arrays]
    return np.result_type(*[np.float64 if k.kind in 'iub' else k for k in kinds]).type


byte, ubyte, short, ushort = np.int8, np.uint8, np.int16, np.uint16
uintc, ulonglong, uintp = np.uint32, np.uint64, np.uint64
csingle = singlecomplex = np.complex64
cdouble = cfloat = np.complex128
Infinity = infty = np.inf
PZERO, NZERO = 0.0, -0.0
little_endian = True
typecodes = {'Character': 'c', 'Integer': 'bhilqp', 'UnsignedInteger': 'BHILQP', 'Float': 'efdg', 'Complex': 'FDG',
             'AllInteger': 'bBhHiIlLqQpP', 'AllFloat': 'efdgFDG', 'Datetime': 'Mm', 'All': '?bhilqpBHILQPefdgFDGSUVOMm'}
