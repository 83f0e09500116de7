"""numpy: functions that are made of its others."""


# ---- grids and concatenation by index ----

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


# ---- indices ----

def unravel_index(indices, shape, order='C'):
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
    flat = 0
    for i, n in zip(multi_index, dims):
        i = np.asarray(i)
        if np.any(i < 0) or np.any(i >= n):
            raise ValueError('invalid entry in coordinates array')
        flat = flat * n + i
    return flat


def ndindex(*shape):
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    import itertools
    return itertools.product(*[range(n) for n in shape])


def ndenumerate(arr):
    a = np.asarray(arr)
    for at in ndindex(a.shape):
        yield at, a[at]


def indices(dimensions, dtype=int):
    made = mgrid[tuple(slice(0, n) for n in dimensions)]
    return made.astype(dtype)


def tri(N, M=None, k=0, dtype=float):
    m = N if M is None else M
    return (np.arange(m).reshape(1, -1) <= np.arange(N).reshape(-1, 1) + k).astype(dtype)


def triu_indices(n, k=0, m=None):
    return np.nonzero(tri(n, m, k - 1) == 0)


def tril_indices(n, k=0, m=None):
    return np.nonzero(tri(n, m, k) != 0)


def diag_indices(n, ndim=2):
    return (np.arange(n),) * ndim


def fill_diagonal(a, val, wrap=False):
    for i in range(min(a.shape)):
        a[(i,) * a.ndim] = val


def diagflat(v, k=0):
    return np.diag(np.ravel(v), k)


def vander(x, N=None, increasing=False):
    x = np.asarray(x)
    n = len(x) if N is None else N
    powers = range(n) if increasing else range(n - 1, -1, -1)
    return np.stack([x ** p for p in powers], axis=1)


# ---- polynomials and filters ----

def polyval(p, x):
    if isinstance(p, poly1d):
        p = p.coeffs
    x = x.coeffs if isinstance(x, poly1d) else np.asarray(x)
    y = np.zeros_like(x)
    for c in p:
        y = y * x + c
    return y


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if deg < 0:
        raise ValueError('expected deg >= 0')
    if x.ndim != 1:
        raise TypeError('expected 1D vector for x')
    if x.shape[0] != y.shape[0]:
        raise TypeError('expected x and y to have same length')
    lhs = vander(x, deg + 1)
    if w is not None:
        lhs, y = lhs * np.asarray(w)[:, np.newaxis], y * np.asarray(w)
    scale = np.sqrt((lhs * lhs).sum(axis=0))
    found = np.linalg.lstsq(lhs / scale, y, rcond)[0]
    return (found.T / scale).T


class poly1d(object):
    def __init__(self, c_or_r, r=False, variable=None):
        c = np.atleast_1d(c_or_r.coeffs if isinstance(c_or_r, poly1d) else c_or_r)
        if r:
            made = np.array([1.0])
            for root in c:
                made = np.convolve(made, np.array([1, -root]))
            c = made
        nonzero = np.flatnonzero(c)
        self.coeffs = c[nonzero[0]:] if len(nonzero) else np.zeros(1, c.dtype)
        self.variable = variable or 'x'

    c = coefficients = coef = property(lambda self: self.coeffs)
    order = o = property(lambda self: len(self.coeffs) - 1)

    def __call__(self, val):
        return polyval(self.coeffs, val)

    def __repr__(self):
        return 'poly1d' + repr(self.coeffs)[5:]

    def __getitem__(self, power):
        return self.coeffs[self.order - power] if 0 <= power <= self.order else self.coeffs.dtype.type(0)

    def __len__(self):
        return self.order

    def __add__(self, other):
        a, b = self.coeffs, poly1d(other).coeffs
        n = max(len(a), len(b))
        return poly1d(np.pad(a, (n - len(a), 0)) + np.pad(b, (n - len(b), 0)))

    def __mul__(self, other):
        return poly1d(np.convolve(self.coeffs, poly1d(other).coeffs))

    __radd__, __rmul__ = __add__, __mul__

    def deriv(self, m=1):
        c = self.coeffs
        for _ in range(m):
            c = c[:-1] * np.arange(len(c) - 1, 0, -1)
        return poly1d(c if len(c) else [0])

    def integ(self, m=1, k=0):
        c = self.coeffs
        for _ in range(m):
            c = np.append(c / np.arange(len(c), 0, -1), k)
        return poly1d(c)


def convolve(a, v, mode='full'):
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    if len(v) > len(a):
        a, v = v, a
    if len(a) == 0:
        raise ValueError('a cannot be empty')
    if len(v) == 0:
        raise ValueError('v cannot be empty')
    out = np.zeros(len(a) + len(v) - 1, np.result_type(a.dtype, v.dtype))
    for i, x in enumerate(v):
        out[i:i + len(a)] += a * x
    if mode == 'full':
        return out
    n = len(a) if mode == 'same' else len(a) - len(v) + 1
    begin = (len(out) - n) // 2
    return out[begin:begin + n]


def correlate(a, v, mode='valid'):
    if len(v) > len(a):
        return convolve(np.conj(v)[::-1], a, mode)[::-1]
    return convolve(a, np.conj(v)[::-1], mode)


def gradient(f, *varargs):
    f = np.asarray(f)
    f = f.astype(float) if f.dtype.kind in 'iub' else f
    steps = [1.0] * f.ndim if not varargs else list(varargs) * (f.ndim if len(varargs) == 1 else 1)
    out = []
    for axis, h in enumerate(steps):
        g = np.swapaxes(f, 0, axis)
        if len(g) < 2:
            raise ValueError('Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) '
                             'elements are required.')
        d = np.empty_like(g)
        d[1:-1] = (g[2:] - g[:-2]) / (2. * h)
        d[0], d[-1] = (g[1] - g[0]) / h, (g[-1] - g[-2]) / h
        out.append(np.swapaxes(d, 0, axis))
    return out[0] if len(out) == 1 else out


def ediff1d(ary, to_end=None, to_begin=None):
    parts = [np.diff(np.ravel(ary))]
    parts = ([np.ravel(to_begin)] if to_begin is not None else []) + parts
    return np.concatenate(parts + ([np.ravel(to_end)] if to_end is not None else []))


# ---- filling and choosing ----

def _pairs(pad_width, n):
    p = np.asarray(pad_width)
    if p.ndim == 0:
        return [(int(p), int(p))] * n
    if p.ndim == 1:
        return [(int(p[0]), int(p[-1]))] * n
    return [(int(a), int(b)) for a, b in (p if len(p) == n else np.repeat(p, n, axis=0))]


def pad(array, pad_width, mode='constant', constant_values=0):
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


def select(condlist, choicelist, default=0):
    out = default
    for test, value in zip(reversed(condlist), reversed(choicelist)):
        out = np.where(test, value, out)
    return out


def piecewise(x, condlist, funclist, *args, **kw):
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
    return np.take(a, np.flatnonzero(condition), axis)


def extract(condition, arr):
    return np.ravel(arr)[np.flatnonzero(np.ravel(condition))]


def choose(a, choices):
    out = choices[0]
    for i in range(1, len(choices)):
        out = np.where(np.asarray(a) == i, choices[i], out)
    return out


def put(a, ind, v):
    flat = np.ravel(v)
    for i, at in enumerate(np.ravel(ind)):
        a.flat[int(at)] = flat[i % len(flat)]


def copyto(dst, src, where=True):
    dst[...] = np.where(where, src, dst)


def argpartition(a, kth, axis=-1, kind='introselect'):
    return np.argsort(a, axis=axis)


def partition(a, kth, axis=-1):
    return np.sort(a, axis=axis)


def lexsort(keys, axis=-1):
    order = np.arange(len(keys[0]))
    for key in keys:
        order = order[np.argsort(np.asarray(key)[order], kind='stable')]
    return order


def rollaxis(a, axis, start=0):
    n = np.ndim(a)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def broadcast_arrays(*args):
    arrays = [np.asarray(a) for a in args]
    shape = ()
    for a in arrays:
        shape = (np.zeros(shape, bool) | np.zeros(a.shape, bool)).shape
    return [np.broadcast_to(a, shape) for a in arrays]


def block(arrays):
    if isinstance(arrays, list) and arrays and isinstance(arrays[0], list):
        return np.concatenate([block(row) for row in arrays], 0)
    if isinstance(arrays, list):
        return np.concatenate([np.atleast_2d(a) for a in arrays], -1)
    return np.atleast_2d(arrays)


def dsplit(ary, indices_or_sections):
    return np.split(ary, indices_or_sections, 2)


def fromstring(string, dtype=float, count=-1, sep=''):
    if sep:
        return np.array([p for p in string.split(sep if sep.strip() else None)], dtype=float).astype(dtype)
    return np.frombuffer(string, dtype).copy()


def fromiter(iterable, dtype, count=-1):
    import itertools
    return np.array(list(iterable if count < 0 else itertools.islice(iterable, count)), dtype=dtype)


# ---- numbers ----

def fix(x):
    return np.trunc(np.asarray(x, dtype=float) if np.asarray(x).dtype.kind in 'iub' else x)


def heaviside(x1, x2):
    x1 = np.asarray(x1, dtype=float)
    return np.where(np.isnan(x1), x1, np.where(x1 == 0, x2, np.where(x1 < 0, 0., 1.)))


def fmax(x1, x2):
    return np.where(np.isnan(x1), x2, np.where(np.isnan(x2), x1, np.maximum(x1, x2)))[()]


def fmin(x1, x2):
    return np.where(np.isnan(x1), x2, np.where(np.isnan(x2), x1, np.minimum(x1, x2)))[()]


def isreal(x):
    return np.imag(x) == 0


def iscomplex(x):
    return np.imag(x) != 0


def isposinf(x):
    return np.isinf(x) & (np.asarray(x) > 0)


def isneginf(x):
    return np.isinf(x) & (np.asarray(x) < 0)


def sinc(x):
    y = np.pi * np.where(np.asarray(x) == 0, 1.0e-20, x)
    return np.sin(y) / y


def angle(z, deg=False):
    a = np.arctan2(np.imag(z), np.real(z))
    return a * (180 / np.pi) if deg else a


def modf(x):
    whole = np.trunc(np.asarray(x) * 1.0)
    return (x - whole)[()], whole[()]


def float_power(x1, x2):
    return np.power(np.asarray(x1, dtype=float), np.asarray(x2, dtype=float))[()]


def nanstd(a, axis=None):
    centred = np.asarray(a) - (np.nanmean(a) if axis is None else np.expand_dims(np.nanmean(a, axis=axis), axis))
    return np.sqrt(np.nanmean(centred * centred, axis=axis))


def nanargmax(a, axis=None):
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis)


def nanargmin(a, axis=None):
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis)


def nancumsum(a, axis=None):
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis)


def geomspace(start, stop, num=50, endpoint=True):
    out = np.logspace(np.log10(float(start)), np.log10(float(stop)), num, endpoint=endpoint)
    if num > 0:
        out[0] = start
        if num > 1 and endpoint:
            out[-1] = stop
    return out


def base_repr(number, base=2, padding=0):
    digits, n, out = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', abs(int(number)), ''
    while n:
        out, n = digits[n % base] + out, n // base
    out = '0' * padding + out if out else '0' * max(padding, 1)
    return '-' + out if number < 0 else out


def binary_repr(num, width=None):
    if num >= 0:
        return format(int(num), 'b').zfill(width or 0)
    if width is None:
        return '-' + format(-int(num), 'b')
    return format((1 << width) + int(num), 'b').zfill(width)


def frompyfunc(func, nin, nout):
    def made(*args):
        arrays = np.broadcast_arrays(*[np.asarray(a) for a in args])
        rows = [func(*row) for row in zip(*[a.ravel().tolist() for a in arrays])]
        if arrays[0].ndim == 0:
            return rows[0]
        columns = [rows] if nout == 1 else list(zip(*rows))
        out = tuple(np.array(list(c), dtype=object).reshape(arrays[0].shape) for c in columns)
        return out[0] if nout == 1 else out
    return made


def alltrue(a, axis=None):
    return np.all(a, axis=axis)


def sometrue(a, axis=None):
    return np.any(a, axis=axis)


def may_share_memory(a, b):
    return a is b


def asmatrix(data, dtype=None):
    if isinstance(data, np.matrix) and dtype in (None, data.dtype):
        return data
    return np.matrix(data, dtype=dtype, copy=False)


mat = asmatrix


def bmat(obj, ldict=None, gdict=None):
    if isinstance(obj, str):
        raise NotImplementedError('np.bmat of text looks names up: pass nested lists of matrices')
    if isinstance(obj, np.ndarray):
        return np.matrix(obj)
    rows = [np.concatenate(row, axis=-1) if isinstance(row, (list, tuple)) else None for row in obj]
    return np.matrix(np.concatenate(obj if rows[0] is None else rows, axis=-1 if rows[0] is None else 0))
