"""numpy: properties, parts and texts of numbers; types and constants under further names."""


def fix(x):
    """Round to the nearest integers towards zero."""
    return np.trunc(np.asarray(x, dtype=float) if np.asarray(x).dtype.kind in 'iub' else x)


def heaviside(x1, x2):
    """Return the Heaviside step function."""
    x1 = np.asarray(x1, dtype=float)
    return np.where(np.isnan(x1), x1, np.where(x1 == 0, x2, np.where(x1 < 0, 0., 1.)))


def fmax(x1, x2):
    """Return the elementwise maximum, ignoring nan."""
    return np.where(np.isnan(x1), x2, np.where(np.isnan(x2), x1, np.maximum(x1, x2)))[()]


def fmin(x1, x2):
    """Return the elementwise minimum, ignoring nan."""
    return np.where(np.isnan(x1), x2, np.where(np.isnan(x2), x1, np.minimum(x1, x2)))[()]


def isreal(x):
    """Return True for elements without an imaginary part."""
    return np.imag(x) == 0


def iscomplex(x):
    """Return True for elements with an imaginary part."""
    return np.imag(x) != 0


def isposinf(x):
    """Return True for elements that are positive infinity."""
    return np.isinf(x) & (np.asarray(x) > 0)


def isneginf(x):
    """Return True for elements that are negative infinity."""
    return np.isinf(x) & (np.asarray(x) < 0)


def modf(x):
    """Return the fractional and integral parts."""
    whole = np.trunc(np.asarray(x) * 1.0)
    return (x - whole)[()], whole[()]


def float_power(x1, x2):
    """Raise to a power in floating point."""
    return np.power(np.asarray(x1, dtype=float), np.asarray(x2, dtype=float))[()]


def base_repr(number, base=2, padding=0):
    """Return a number as text in the given base."""
    digits, n, out = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', abs(int(number)), ''
    while n:
        out, n = digits[n % base] + out, n // base
    out = '0' * padding + out if out else '0' * max(padding, 1)
    return '-' + out if number < 0 else out


def binary_repr(num, width=None):
    """Return a number as binary text."""
    if num >= 0:
        return format(int(num), 'b').zfill(width or 0)
    if width is None:
        return '-' + format(-int(num), 'b')
    return format((1 << width) + int(num), 'b').zfill(width)


def alltrue(a, axis=None):
    """Return True along an axis where all elements are true."""
    return np.all(a, axis=axis)


def sometrue(a, axis=None):
    """Return True along an axis where any element is true."""
    return np.any(a, axis=axis)


def isrealobj(x):
    """Return True if the type of the input is not complex."""
    return not iscomplexobj(x)


def iscomplexobj(x):
    """Return True if the type of the input is complex."""
    return np.asarray(x).dtype.kind == 'c'


def real_if_close(a, tol=100):
    """Return the real part if all imaginary parts are close to zero."""
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
    """Return the elementwise greatest common divisor."""
    def steps(a, b):
        while b:
            a, b = b, a % b
        return abs(a)
    return _each(steps, x1, x2)


def lcm(x1, x2):
    """Return the elementwise least common multiple."""
    return _each(lambda a, b: abs(a * b) // int(gcd(a, b)) if a and b else 0, x1, x2)


def logaddexp2(x1, x2):
    """Return the base-2 logarithm of the sum of powers of two."""
    high, low = np.maximum(x1, x2), np.minimum(x1, x2)
    return high + np.log1p(2.0 ** (low - high)) * 1.4426950408889634


def packbits(a, axis=None):
    """Pack the elements of a binary array into bytes."""
    a = np.asarray(a).ravel() != 0
    bits = np.concatenate([a, np.zeros(-len(a) % 8, bool)]).reshape(-1, 8)
    return (bits * np.array([128, 64, 32, 16, 8, 4, 2, 1])).sum(axis=1).astype(np.uint8)


def unpackbits(a, axis=None):
    """Unpack bytes into a binary array."""
    a = np.asarray(a).ravel().astype(int)
    return ((a[:, None] // np.array([128, 64, 32, 16, 8, 4, 2, 1])) % 2).astype(np.uint8).ravel()


def common_type(*arrays):
    """Return the floating or complex type that all arrays share."""
    kinds = [np.asarray(a).dtype for a in arrays]
    return np.result_type(*[np.float64 if k.kind in 'iub' else k for k in kinds]).type


byte, ubyte, short, ushort = np.int8, np.uint8, np.int16, np.uint16
uintc, ulonglong, uintp = np.uint32, np.uint64, np.uint64
csingle = singlecomplex = np.complex64
cdouble = cfloat = np.complex128
PZERO, NZERO = 0.0, -0.0
little_endian = True
typecodes = {'Character': 'c', 'Integer': 'bhilqp', 'UnsignedInteger': 'BHILQP', 'Float': 'efdg', 'Complex': 'FDG',
             'AllInteger': 'bBhHiIlLqQpP', 'AllFloat': 'efdgFDG', 'Datetime': 'Mm', 'All': '?bhilqpBHILQPefdgFDGSUVOMm'}
