"""numpy: convolutions, differences, windows and phases of sequences."""


def convolve(a, v, mode='full'):
    """Return the convolution of two sequences."""
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
    """Return the cross-correlation of two sequences."""
    if len(v) > len(a):
        return convolve(np.conj(v)[::-1], a, mode)[::-1]
    return convolve(a, np.conj(v)[::-1], mode)


def gradient(f, *varargs):
    """Return the gradient of an array by finite differences."""
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
    """Return the differences between consecutive elements."""
    parts = [np.diff(np.ravel(ary))]
    parts = ([np.ravel(to_begin)] if to_begin is not None else []) + parts
    return np.concatenate(parts + ([np.ravel(to_end)] if to_end is not None else []))


def sinc(x):
    """Return sin(pi x) / (pi x)."""
    y = np.pi * np.where(np.asarray(x) == 0, 1.0e-20, x)
    return np.sin(y) / y


def angle(z, deg=False):
    """Return the angle of complex numbers, in radians or degrees."""
    a = np.arctan2(np.imag(z), np.real(z))
    return a * (180 / np.pi) if deg else a


def _window(M, value):
    if M < 1:
        return np.array([])
    if M == 1:
        return np.ones(1)
    return value(np.arange(1 - M, M, 2))


def hanning(M):
    """Return the Hann window of M points."""
    return _window(M, lambda n: 0.5 + 0.5 * np.cos(np.pi * n / (M - 1)))


def hamming(M):
    """Return the Hamming window of M points."""
    return _window(M, lambda n: 0.54 + 0.46 * np.cos(np.pi * n / (M - 1)))


def blackman(M):
    """Return the Blackman window of M points."""
    return _window(M, lambda n: 0.42 + 0.5 * np.cos(np.pi * n / (M - 1)) + 0.08 * np.cos(2.0 * np.pi * n / (M - 1)))


def bartlett(M):
    """Return the Bartlett window of M points."""
    return _window(M, lambda n: np.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


def unwrap(p, discont=None, axis=-1):
    """Remove jumps of more than half a period from phases."""
    p = np.asarray(p) * 1.0
    step = np.diff(p, axis=axis)
    wrapped = np.mod(step + np.pi, 2 * np.pi) - np.pi
    wrapped = np.where((wrapped == -np.pi) & (step > 0), np.pi, wrapped)
    fix = np.where(abs(step) < (np.pi if discont is None else discont), 0, wrapped - step)
    start = np.zeros_like(np.take(p, [0], axis=axis))
    return p + np.concatenate([start, np.cumsum(fix, axis=axis)], axis=axis)
