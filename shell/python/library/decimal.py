"""decimal: decimal numbers, exact up to the precision of the context."""
import math
import re

from _decimal_context import (ROUND_05UP, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_EVEN,
                              ROUND_HALF_UP, ROUND_UP, Context, ConversionSyntax, DecimalException, DecimalTuple,
                              DivisionByZero, DivisionImpossible, DivisionUndefined, InvalidOperation,
                              fixed as _fixed, getcontext, localcontext, padded as _padded, setcontext,
                              shortened as _shortened)


def _invalid(kind):
    return InvalidOperation([kind])


def _triple(sign, digits, exponent):
    out = object.__new__(Decimal)
    out._sign, out._int, out._exp, out._special = sign, digits, exponent, ''
    return out


def _special(name, sign=0):
    out = _triple(sign, 0, 0)
    out._special = name
    return out


_TEXT = re.compile(r'([-+])?(?:(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?|([iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))')


def _from_text(text):
    found = _TEXT.fullmatch(text.strip().replace('_', ''))
    if not found or not (found.group(2) or found.group(3) or found.group(5)):
        raise InvalidOperation([ConversionSyntax])
    sign, whole, part, exponent, name = found.groups()
    if name:
        return _special('Infinity' if name[0] in 'iI' else 'NaN', int(sign == '-'))
    part = part or ''
    return _triple(int(sign == '-'), int((whole or '') + part), int(exponent or 0) - len(part))


def _operand(v):
    if isinstance(v, Decimal):
        return v
    return Decimal(v) if isinstance(v, int) else None


def _reflected(operate):
    def method(self, other):
        other = _operand(other)
        return NotImplemented if other is None else operate(other, self)
    return method


class Decimal(object):
    """A decimal number: a sign, digits and an exponent of ten."""

    def __new__(cls, value='0', context=None):
        if isinstance(value, Decimal):
            return value
        if isinstance(value, str):
            return _from_text(value)
        if isinstance(value, int):
            return _triple(int(value < 0), abs(int(value)), 0)
        if isinstance(value, float):
            return cls.from_float(value)
        if isinstance(value, (tuple, list)):
            if len(value) != 3:
                raise ValueError('argument must be a sequence of length 3')
            sign, digits, exponent = value
            return _triple(sign, int(''.join(map(str, digits)) or '0'), exponent)
        raise TypeError('conversion from %s to Decimal is not supported' % type(value).__name__)

    @classmethod
    def from_float(cls, f):
        if isinstance(f, int):
            return cls(f)
        if f != f:
            return _special('NaN')
        if f in (math.inf, -math.inf):
            return _special('Infinity', int(f < 0))
        n, d = abs(f).as_integer_ratio()
        power = d.bit_length() - 1
        return _triple(int(math.copysign(1, f) < 0), n * 5 ** power, -power)

    # ---- properties and conversions ----

    is_nan = lambda self: self._special == 'NaN'
    is_infinite = lambda self: self._special == 'Infinity'
    is_finite = lambda self: not self._special
    is_zero = lambda self: not self._special and self._int == 0
    is_signed = lambda self: self._sign == 1

    def as_tuple(self):
        if self._special:
            return DecimalTuple(self._sign, (0,) if self.is_infinite() else (), 'F' if self.is_infinite() else 'n')
        return DecimalTuple(self._sign, tuple(int(c) for c in str(self._int)), self._exp)

    def adjusted(self):
        return 0 if self._special else self._exp + len(str(self._int)) - 1

    def as_integer_ratio(self):
        if self._special:
            raise (ValueError('cannot convert NaN to integer ratio') if self.is_nan() else
                   OverflowError('cannot convert Infinity to integer ratio'))
        n, d = self._signed() * 10 ** max(self._exp, 0), 10 ** max(-self._exp, 0)
        g = math.gcd(n, d)
        return n // g, d // g

    def _signed(self):
        return -self._int if self._sign else self._int

    def __str__(self):
        sign = '-' if self._sign else ''
        if self._special:
            return sign + self._special
        digits = str(self._int)
        adjusted = self._exp + len(digits) - 1
        if self._exp <= 0 and adjusted >= -6:
            return sign + _fixed(digits, self._exp)
        text = digits[0] + ('.' + digits[1:] if len(digits) > 1 else '')
        return '%s%sE%+d' % (sign, text, adjusted)

    def __repr__(self):
        return "Decimal('%s')" % str(self)

    def __format__(self, spec):
        found = re.fullmatch(r'(?:(.)?([<>=^]))?([-+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([eEfFgGn%])?', spec)
        if not found:
            raise ValueError('invalid format string')
        fill, align, sign, zero, width, comma, places, kind = found.groups()
        return _padded(_body(self, kind, places), self._sign, sign or '-', comma,
                       fill or ('0' if zero and not self._special else ' '),
                       align or ('=' if zero else '>'), int(width or 0))

    def __hash__(self):
        if self._special:
            return hash(float(str(self))) if self.is_infinite() else object.__hash__(self)
        n, d = self.as_integer_ratio()
        if d == 1:
            return hash(n)
        modulus = 2 ** 61 - 1
        h = hash(abs(n)) * pow(d, modulus - 2, modulus) % modulus
        return -2 if n < 0 and h == 1 else (h if n >= 0 else -h)

    def __bool__(self):
        return bool(self._special) or self._int != 0

    def __int__(self):
        if self._special:
            raise (ValueError('cannot convert NaN to integer') if self.is_nan() else
                   OverflowError('cannot convert Infinity to integer'))
        n = self._int * 10 ** self._exp if self._exp >= 0 else self._int // 10 ** -self._exp
        return -n if self._sign else n

    __trunc__ = __int__

    def __float__(self):
        return float(str(self))

    def __floor__(self):
        return int(self.to_integral_value(ROUND_FLOOR))

    def __ceil__(self):
        return int(self.to_integral_value(ROUND_CEILING))

    def __round__(self, n=None):
        if n is None:
            return int(self.to_integral_value(ROUND_HALF_EVEN))
        return self.quantize(_triple(0, 1, -n))

    real = property(lambda self: self)
    imag = property(lambda self: Decimal(0))

    # ---- comparisons ----

    def _compare(self, other):
        """Returns -1, 0 or 1; None for a NaN; NotImplemented if the other value is not a number."""
        if isinstance(other, float):
            other = Decimal.from_float(other)
        other = _operand(other)
        if other is None:
            return NotImplemented
        if self.is_nan() or other.is_nan():
            return None
        a, b = _key(self), _key(other)
        if a[0] == b[0] == 0:
            low = min(self._exp, other._exp)
            a, b = self._signed() * 10 ** (self._exp - low), other._signed() * 10 ** (other._exp - low)
        return (a > b) - (a < b)

    def __eq__(self, other):
        c = self._compare(other)
        return c if c is NotImplemented else c == 0

    def __lt__(self, other):
        return self._ordered(other, lambda c: c < 0)

    def __le__(self, other):
        return self._ordered(other, lambda c: c <= 0)

    def __gt__(self, other):
        return self._ordered(other, lambda c: c > 0)

    def __ge__(self, other):
        return self._ordered(other, lambda c: c >= 0)

    def _ordered(self, other, test):
        c = self._compare(other)
        if c is None:
            raise _invalid(InvalidOperation)
        return c if c is NotImplemented else test(c)

    def compare(self, other, context=None):
        c = self._compare(Decimal(other))
        return _special('NaN') if c is None else Decimal(c)

    def max(self, other, context=None):
        return self._chosen(Decimal(other), lambda c: c >= 0)

    def min(self, other, context=None):
        return self._chosen(Decimal(other), lambda c: c <= 0)

    def _chosen(self, other, test):
        c = self._compare(other)
        keep = other.is_nan() if c is None else test(c)
        return (self if keep else other)._rounded()

    # ---- arithmetic ----

    def _rounded(self, context=None):
        """Rounds to the precision of the context."""
        context = context or getcontext()
        if self._special or self._int < 10 ** context.prec:
            return self
        digits = len(str(self._int)) - context.prec
        n = _shortened(self._int, digits, self._sign == 1, context.rounding)
        out = _triple(self._sign, n, self._exp + digits)
        return out._rounded(context) if n >= 10 ** context.prec else out

    def __pos__(self):
        out = self._rounded()
        return _triple(0, 0, out._exp) if out.is_zero() else out

    def __neg__(self):
        if self._special:
            return self if self.is_nan() else _special('Infinity', 1 - self._sign)
        return +_triple(1 - self._sign if self._int else 0, self._int, self._exp)

    def __abs__(self):
        return -self if self._sign else +self

    def _signed_as(self, sign):
        return _special(self._special, sign) if self._special else _triple(sign, self._int, self._exp)

    def copy_abs(self):
        return self._signed_as(0)

    def copy_negate(self):
        return self._signed_as(1 - self._sign)

    def copy_sign(self, other):
        return self._signed_as(other._sign)

    def __add__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        if self._special or other._special:
            return _special_sum(self, other)
        low = min(self._exp, other._exp)
        n = self._signed() * 10 ** (self._exp - low) + other._signed() * 10 ** (other._exp - low)
        minus = n < 0 or (n == 0 and self._sign and other._sign) or (
            n == 0 and self._sign != other._sign and getcontext().rounding == ROUND_FLOOR)
        return _triple(int(bool(minus)), abs(n), low)._rounded()

    __radd__ = __add__

    def __sub__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        return self + other.copy_negate()

    def __mul__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        sign = self._sign ^ other._sign
        if self._special or other._special:
            if self.is_nan() or other.is_nan():
                return _special('NaN')
            if self.is_zero() or other.is_zero():
                raise _invalid(InvalidOperation)
            return _special('Infinity', sign)
        return _triple(sign, self._int * other._int, self._exp + other._exp)._rounded()

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        sign = self._sign ^ other._sign
        if self._special or other._special:
            return _special_quotient(self, other, sign)
        if other._int == 0:
            raise InvalidOperation([DivisionUndefined]) if self._int == 0 else DivisionByZero([DivisionByZero])
        ideal = self._exp - other._exp
        if self._int == 0:
            return _triple(sign, 0, ideal)
        shift = max(0, len(str(other._int)) - len(str(self._int)) + getcontext().prec + 1)
        n, rest = divmod(self._int * 10 ** shift, other._int)
        exponent = ideal - shift
        if rest:
            if n % 5 == 0:
                n += 1  # tells rounding that digits follow
        else:
            while exponent < ideal and n % 10 == 0:
                n //= 10
                exponent += 1
        return _triple(sign, n, exponent)._rounded()

    def _divided(self, other):
        """Returns the integral quotient, rounded towards 0, and the remainder."""
        if self.is_nan() or other.is_nan():
            return _special('NaN'), _special('NaN')
        if other.is_zero():
            raise InvalidOperation([DivisionUndefined]) if self.is_zero() else DivisionByZero([DivisionByZero])
        if self.is_infinite():
            raise _invalid(InvalidOperation)
        if other.is_infinite():
            return _triple(self._sign ^ other._sign, 0, 0), self._rounded()
        low = min(self._exp, other._exp)
        n, rest = divmod(self._int * 10 ** (self._exp - low), other._int * 10 ** (other._exp - low))
        if n >= 10 ** getcontext().prec:
            raise _invalid(DivisionImpossible)
        return _triple(self._sign ^ other._sign, n, 0), _triple(self._sign, rest, low)._rounded()

    def __divmod__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        if other.is_zero() and not self.is_zero() and not self._special:
            raise InvalidOperation([InvalidOperation, DivisionByZero])
        return self._divided(other)

    def __floordiv__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        if self.is_infinite() and other.is_finite():
            return _special('Infinity', self._sign ^ other._sign)
        return self._divided(other)[0]

    def __mod__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        if other.is_zero() and not self.is_zero() and not self._special:
            raise _invalid(InvalidOperation)
        return self._divided(other)[1]

    def __pow__(self, other, modulo=None):
        other = _operand(other)
        if other is None:
            return NotImplemented
        if self.is_nan() or other.is_nan():
            return _special('NaN')
        if other._special:
            raise _invalid(InvalidOperation)
        if self._special:
            if self._sign and other != other.to_integral_value():
                raise _invalid(InvalidOperation)
            sign = self._sign if int(other) % 2 else 0
            return Decimal(1) if other == 0 else _triple(sign, 0, 0) if other < 0 else _special('Infinity', sign)
        if self._int == 0 and other._int == 0:
            raise _invalid(InvalidOperation)
        if other != other.to_integral_value():
            return _power(self, other)
        n = int(other)
        sign = self._sign if n % 2 else 0
        if self._int == 0:
            return _triple(sign, 0, 0) if n > 0 else _special('Infinity', sign)
        whole = _triple(sign, self._int ** abs(n), self._exp * abs(n))
        if n >= 0:
            return whole._rounded()
        return Decimal(1) / whole

    __rsub__ = _reflected(lambda a, b: a - b)
    __rtruediv__ = _reflected(lambda a, b: a / b)
    __rfloordiv__ = _reflected(lambda a, b: a // b)
    __rmod__ = _reflected(lambda a, b: a % b)
    __rdivmod__ = _reflected(divmod)
    __rpow__ = _reflected(pow)

    def sqrt(self, context=None):
        if self.is_nan() or self.is_zero():
            return _triple(self._sign, 0, self._exp // 2) if self.is_zero() else self
        if self._sign:
            raise _invalid(InvalidOperation)
        if self._special:
            return self
        exponent = self._exp // 2
        n = self._int * 10 ** (self._exp - 2 * exponent)
        shift = max(0, getcontext().prec + 1 - (len(str(n)) + 1) // 2)
        n *= 100 ** shift
        root = math.isqrt(n)
        if root * root == n:
            while shift and root % 10 == 0:
                root //= 10
                shift -= 1
        elif root % 5 == 0:
            root += 1
        with localcontext(rounding=ROUND_HALF_EVEN):
            return _triple(0, root, exponent - shift)._rounded()

    def exp(self, context=None):
        if self._special:
            return Decimal(0) if self.is_infinite() and self._sign else self
        return _with_guard(lambda: _exp(self))

    def _logarithm(self):
        """Returns the logarithm of 0, NaN or infinity; None for other numbers."""
        if self.is_nan():
            return self
        if self.is_zero():
            return _special('Infinity', 1)
        if self._sign:
            raise _invalid(InvalidOperation)
        return self if self._special else None

    def ln(self, context=None):
        special = self._logarithm()
        if special is not None:
            return special
        return _triple(0, 0, 0) if self == 1 else _with_guard(lambda: _ln(self))

    def log10(self, context=None):
        special = self._logarithm()
        if special is not None:
            return special
        digits = str(self._int)
        if digits.rstrip('0') == '1':
            return Decimal(self.adjusted())
        return _with_guard(lambda: _ln(self) / _ln(Decimal(10)))

    def normalize(self, context=None):
        out = self._rounded()
        if out._special:
            return out
        n, exponent = out._int, out._exp
        while n and n % 10 == 0:
            n //= 10
            exponent += 1
        return _triple(out._sign, n, exponent if n else 0)

    def quantize(self, exp, rounding=None, context=None):
        exp = Decimal(exp)
        if self.is_nan() or exp.is_nan():
            return _special('NaN')
        if self._special or exp._special:
            if self._special == exp._special:
                return self
            raise _invalid(InvalidOperation)
        out = self._at(exp._exp, rounding or getcontext().rounding)
        if out._int >= 10 ** getcontext().prec:
            raise _invalid(InvalidOperation)
        return out

    def _at(self, exponent, rounding):
        if self._exp >= exponent:
            return _triple(self._sign, self._int * 10 ** (self._exp - exponent), exponent)
        return _triple(self._sign, _shortened(self._int, exponent - self._exp, self._sign == 1, rounding), exponent)

    def to_integral_value(self, rounding=None, context=None):
        if self._special or self._exp >= 0:
            return self
        return self._at(0, rounding or getcontext().rounding)

    to_integral = to_integral_exact = to_integral_value

    def scaleb(self, other, context=None):
        return self if self._special else _triple(self._sign, self._int, self._exp + int(other))._rounded()

    def same_quantum(self, other):
        return self._exp == Decimal(other)._exp

    def __copy__(self, memo=None):
        return self

    __deepcopy__ = conjugate = __copy__


def _key(d):
    """Returns a sort key that puts infinities around the finite numbers."""
    return ((-1 if d._sign else 1) if d._special else 0, 0)


def _special_sum(a, b):
    if a.is_nan() or b.is_nan():
        return _special('NaN')
    if a.is_infinite() and b.is_infinite() and a._sign != b._sign:
        raise _invalid(InvalidOperation)
    return a if a.is_infinite() else b


def _special_quotient(a, b, sign):
    if a.is_nan() or b.is_nan():
        return _special('NaN')
    if a.is_infinite() and b.is_infinite():
        raise _invalid(InvalidOperation)
    return _special('Infinity', sign) if a.is_infinite() else _triple(sign, 0, -999999 - getcontext().prec + 1)


def _with_guard(compute, rounding=ROUND_HALF_EVEN):
    """Computes with more digits than requested, then rounds."""
    with localcontext(rounding=ROUND_HALF_EVEN) as context:
        context.prec += 12
        out = compute()
    with localcontext(rounding=rounding):
        return out._rounded()


def _exp(x):
    halvings = max(0, x.adjusted() + 1) * 4 + 8
    x = x / 2 ** halvings
    with localcontext(prec=getcontext().prec + halvings):
        term, total, n = Decimal(1), Decimal(1), 0
        while True:
            n += 1
            term = term * x / n
            if total + term == total:
                break
            total += term
        for _ in range(halvings):
            total *= total
    return total


def _ln(x):
    """Computes the natural logarithm by Newton's method, starting from that of the float."""
    exponent = x.adjusted()
    if abs(exponent) < 300:
        y = Decimal(math.log(float(x)))
    else:  # out of the range of a float
        y = Decimal(math.log(float(_triple(0, x._int, x._exp - exponent)))) + exponent * _ln(Decimal(10))
    for _ in range(1 + getcontext().prec.bit_length() // 2):
        e = _exp(y)
        y += 2 * (x - e) / (x + e)
    return y


def _power(base, exponent):
    if base._sign and base._int:
        raise _invalid(InvalidOperation)
    if base._int == 0:
        return Decimal(0) if not exponent._sign else _special('Infinity')
    return _with_guard(lambda: _exp(exponent * _ln(base)), getcontext().rounding)


def _body(d, kind, places):
    """Formats the number for a format spec, without sign and padding."""
    if d._special:
        return d._special + ('%' if kind == '%' else '')
    if kind == '%':
        return _body(_triple(d._sign, d._int, d._exp + 2), 'f', places) + '%'
    rounding = getcontext().rounding
    if kind in ('e', 'E'):
        if places is not None:
            d = _triple(d._sign, d._int, d._exp) if d._int == 0 else _digits(d, int(places) + 1, rounding)
        text = str(d._int) if d._int else '0' * (int(places or 0) + 1)
        return text[0] + ('.' + text[1:] if len(text) > 1 else '') + '%s%+d' % (kind, d._exp + len(text) - 1)
    if kind in ('f', 'F'):
        if places is not None:
            d = d._at(-int(places), rounding)
        elif d._exp > 0:
            d = d._at(0, rounding)
        return _fixed(str(d._int), d._exp)
    if places is not None and d._int and len(str(d._int)) > max(int(places), 1):
        d = _digits(d, max(int(places), 1), rounding)
    text = str(d.copy_abs())
    return text.lower() if kind in ('g', 'n') else text


def _digits(d, count, rounding):
    """Rounds to the given number of digits."""
    surplus = len(str(d._int)) - count
    if surplus <= 0:
        return _triple(d._sign, d._int * 10 ** -surplus, d._exp + surplus)
    n = _shortened(d._int, surplus, d._sign == 1, rounding)
    return _triple(d._sign, n, d._exp + surplus) if n < 10 ** count else _triple(d._sign, n // 10, d._exp + surplus + 1)
