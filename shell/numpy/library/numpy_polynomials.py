"""numpy: polynomials."""
from _library.numpy_diagonals import vander


def polyval(p, x):
    """Evaluate a polynomial at x."""
    if isinstance(p, poly1d):
        p = p.coeffs
    x = x.coeffs if isinstance(x, poly1d) else np.asarray(x)
    y = np.zeros_like(x)
    for c in p:
        y = y * x + c
    return y


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Fit a polynomial by least squares."""
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
    """A polynomial in one variable."""
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


def _coefficients(p):
    return np.atleast_1d(np.asarray(p))


def trim_zeros(filt, trim='fb'):
    """Remove zeros from the ends of a sequence."""
    first, last = 0, len(filt)
    if 'f' in trim.lower():
        while first < last and filt[first] == 0:
            first += 1
    if 'b' in trim.lower():
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last]


def polyadd(a1, a2):
    """Return the sum of two polynomials."""
    a, b = _coefficients(a1), _coefficients(a2)
    n = max(len(a), len(b))
    return np.concatenate([np.zeros(n - len(a), a.dtype), a]) + np.concatenate([np.zeros(n - len(b), b.dtype), b])


def polysub(a1, a2):
    """Return the difference of two polynomials."""
    return polyadd(a1, -_coefficients(a2))


def polymul(a1, a2):
    """Return the product of two polynomials."""
    return np.convolve(trim_zeros(_coefficients(a1), 'f'), trim_zeros(_coefficients(a2), 'f'))


def polydiv(u, v):
    """Return the quotient and the remainder of two polynomials."""
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
    """Return a derivative of a polynomial."""
    p = _coefficients(p)
    for _ in range(m):
        n = len(p) - 1
        p = p[:-1] * np.arange(n, 0, -1)
    return p


def polyint(p, m=1, k=None):
    """Return an antiderivative of a polynomial."""
    p = _coefficients(p)
    constants = [0.0] * m if k is None else list(np.atleast_1d(k)) * (m if np.size(k) == 1 else 1)
    for step in range(m):
        n = len(p)
        p = np.concatenate([p * 1.0 / np.arange(n, 0, -1), [constants[step]]])
    return p


def poly(seq_of_zeros):
    """Return the coefficients of the polynomial with the given zeros."""
    a = np.array([1.0])
    for zero in np.atleast_1d(seq_of_zeros):
        a = np.convolve(a, np.array([1, -zero]))
    return a
