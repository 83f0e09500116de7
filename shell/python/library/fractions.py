"""fractions: exact rational numbers."""
import math


class Fraction(object):
    """An integer numerator and denominator in lowest terms."""

    def __init__(self, numerator=0, denominator=None):
        if isinstance(numerator, str):
            numerator, denominator = _parse(numerator), 1
        if denominator is None:
            denominator = 1
        top, bottom = _pair(numerator), _pair(denominator)
        n, d = top[0] * bottom[1], top[1] * bottom[0]
        if d == 0:
            raise ZeroDivisionError('Fraction(%s, 0)' % n)
        g = math.gcd(n, d) * (-1 if d < 0 else 1)
        self._n, self._d = n // g, d // g

    numerator = property(lambda self: self._n)
    denominator = property(lambda self: self._d)

    @classmethod
    def from_float(cls, f):
        return cls(f)

    def limit_denominator(self, max_denominator=1000000):
        """Returns the nearest fraction whose denominator is at most the limit."""
        if max_denominator < 1:
            raise ValueError('max_denominator should be at least 1')
        if self._d <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1, n, d = 0, 1, 1, 0, self._n, self._d
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        one, two = Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1)
        return two if abs(two - self) <= abs(one - self) else one

    def _with(self, other, exact, inexact):
        if isinstance(other, (int, Fraction)):
            n, d = _pair(other)
            return exact(n, d)
        if isinstance(other, float):
            return inexact(float(self), other)
        return NotImplemented

    def __add__(self, b):
        return self._with(b, lambda n, d: Fraction(self._n * d + n * self._d, self._d * d), lambda x, y: x + y)

    def __sub__(self, b):
        return self._with(b, lambda n, d: Fraction(self._n * d - n * self._d, self._d * d), lambda x, y: x - y)

    def __mul__(self, b):
        return self._with(b, lambda n, d: Fraction(self._n * n, self._d * d), lambda x, y: x * y)

    def __truediv__(self, b):
        return self._with(b, lambda n, d: Fraction(self._n * d, self._d * n), lambda x, y: x / y)

    def __floordiv__(self, b):
        return self._with(b, lambda n, d: self._n * d // (self._d * n), lambda x, y: x // y)

    def __mod__(self, b):
        return self._with(b, lambda n, d: Fraction(self._n * d % (n * self._d), self._d * d), lambda x, y: x % y)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, b):
        return -self + b

    def __rtruediv__(self, b):
        return self._with(b, lambda n, d: Fraction(n * self._d, d * self._n), lambda x, y: y / x)

    def __rfloordiv__(self, b):
        return self._with(b, lambda n, d: n * self._d // (d * self._n), lambda x, y: y // x)

    def __rmod__(self, b):
        return Fraction(b) % self

    def __pow__(self, b):
        if isinstance(b, Fraction) and b._d == 1:
            b = b._n
        if isinstance(b, int):
            return Fraction(self._n ** b, self._d ** b) if b >= 0 else Fraction(self._d ** -b, self._n ** -b)
        return float(self) ** float(b)

    def __rpow__(self, a):
        return a ** self._n if self._d == 1 and self._n >= 0 else a ** float(self)

    def __neg__(self):
        return Fraction(-self._n, self._d)

    def __pos__(self):
        return self

    def __abs__(self):
        return Fraction(abs(self._n), self._d)

    def __float__(self):
        return self._n / self._d

    def __int__(self):
        return -(-self._n // self._d) if self._n < 0 else self._n // self._d

    __trunc__ = __int__

    def __floor__(self):
        return self._n // self._d

    def __ceil__(self):
        return -(-self._n // self._d)

    def __round__(self, ndigits=None):
        if ndigits is not None:
            return Fraction(round(self * 10 ** ndigits), 10 ** ndigits)
        low, rest = divmod(self._n, self._d)
        return low + (rest * 2 > self._d or rest * 2 == self._d and low % 2)

    def __bool__(self):
        return self._n != 0

    def __hash__(self):
        return hash(self._n) if self._d == 1 else hash((self._n, self._d))

    def __eq__(self, b):
        return self._with(b, lambda n, d: (self._n, self._d) == (n, d), lambda x, y: x == y)

    def __lt__(self, b):
        return self._with(b, lambda n, d: self._n * d < n * self._d, lambda x, y: x < y)

    def __le__(self, b):
        return self._with(b, lambda n, d: self._n * d <= n * self._d, lambda x, y: x <= y)

    def __gt__(self, b):
        return self._with(b, lambda n, d: self._n * d > n * self._d, lambda x, y: x > y)

    def __ge__(self, b):
        return self._with(b, lambda n, d: self._n * d >= n * self._d, lambda x, y: x >= y)

    def __repr__(self):
        return 'Fraction(%d, %d)' % (self._n, self._d)

    def __str__(self):
        return str(self._n) if self._d == 1 else '%d/%d' % (self._n, self._d)

    def as_integer_ratio(self):
        return self._n, self._d


def _pair(x):
    if isinstance(x, Fraction):
        return x._n, x._d
    if isinstance(x, (bool, int)):
        return int(x), 1
    if isinstance(x, float):
        return x.as_integer_ratio()
    raise TypeError('argument should be a string or a Rational instance')


def _parse(text):
    parts = text.strip().split('/')
    try:
        if len(parts) == 2:
            return Fraction(int(parts[0]), int(parts[1]))
        mantissa, _, exponent = parts[0].lower().partition('e')
        whole, _, digits = mantissa.partition('.')
        value = Fraction(int(whole + digits or '0'), 10 ** len(digits))
        return value * Fraction(10) ** int(exponent or 0)
    except ValueError:
        raise ValueError('Invalid literal for Fraction: %r' % text) from None
