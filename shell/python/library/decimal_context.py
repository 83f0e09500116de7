"""decimal: contexts, exceptions, rounding and layout of digits."""
import re

ROUND_DOWN, ROUND_UP, ROUND_CEILING, ROUND_FLOOR = 'ROUND_DOWN', 'ROUND_UP', 'ROUND_CEILING', 'ROUND_FLOOR'
ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP = 'ROUND_HALF_UP', 'ROUND_HALF_DOWN', 'ROUND_HALF_EVEN', 'ROUND_05UP'


class DecimalException(ArithmeticError):
    __module__ = 'decimal'


class InvalidOperation(DecimalException):
    __module__ = 'decimal'


class ConversionSyntax(InvalidOperation):
    __module__ = 'decimal'


class DivisionByZero(DecimalException, ZeroDivisionError):
    __module__ = 'decimal'


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    __module__ = 'decimal'


class DivisionImpossible(InvalidOperation):
    __module__ = 'decimal'


class Context(object):
    """The number of digits of results, and the rounding mode."""
    __module__ = 'decimal'

    def __init__(self, prec=28, rounding=ROUND_HALF_EVEN):
        self.prec, self.rounding = prec, rounding

    def copy(self):
        return Context(self.prec, self.rounding)

    def create_decimal(self, num='0'):
        from decimal import Decimal
        return +Decimal(num)

    def __repr__(self):
        return ('Context(prec=%d, rounding=%s, Emin=-999999, Emax=999999, capitals=1, clamp=0, flags=[], '
                'traps=[InvalidOperation, DivisionByZero, Overflow])' % (self.prec, self.rounding))


_context = Context()


def getcontext():
    return _context


def setcontext(ctx):
    global _context
    _context = ctx


class localcontext(object):
    """Makes a copy of the context the current one inside a with block."""

    def __init__(self, ctx=None, **changes):
        self.context = (ctx or getcontext()).copy()
        for name, value in changes.items():
            setattr(self.context, name, value)

    def __enter__(self):
        self.saved = getcontext()
        setcontext(self.context)
        return self.context

    def __exit__(self, kind, value, trace):
        setcontext(self.saved)


def _away(digit, rest, odd, negative, rounding):
    """Returns whether to round the last kept digit up, given the first digit that was cut off and whether others follow it."""
    if rounding == ROUND_DOWN or (digit == 0 and not rest):
        return False
    if rounding == ROUND_UP:
        return True
    if rounding in (ROUND_CEILING, ROUND_FLOOR):
        return negative == (rounding == ROUND_FLOOR)
    if digit != 5 or rest:
        return digit >= 5
    return rounding == ROUND_HALF_UP or (rounding == ROUND_HALF_EVEN and odd)


def shortened(n, digits, negative, rounding):
    """Removes the last digits of n >= 0 and rounds."""
    kept, cut = divmod(n, 10 ** digits)
    first, rest = divmod(cut, 10 ** (digits - 1))
    if rounding == ROUND_05UP:
        return kept + (cut != 0 and kept % 5 == 0)
    return kept + _away(first, rest != 0, kept % 2 == 1, negative, rounding)


class DecimalTuple(tuple):
    """The result of as_tuple()."""
    __module__ = 'decimal'

    def __new__(cls, sign, digits, exponent):
        return tuple.__new__(cls, (sign, digits, exponent))

    sign = property(lambda self: self[0])
    digits = property(lambda self: self[1])
    exponent = property(lambda self: self[2])

    def __repr__(self):
        return 'DecimalTuple(sign=%r, digits=%r, exponent=%r)' % tuple(self)


def fixed(digits, exponent):
    """Inserts the decimal point into the digits, for an exponent <= 0."""
    if exponent == 0:
        return digits
    digits = digits.rjust(1 - exponent, '0')
    return digits[:exponent] + '.' + digits[exponent:]


def padded(body, negative, sign, comma, fill, align, width):
    mark = '-' if negative else ('' if sign == '-' else sign)
    whole = re.match(r'\d*', body).group(0)
    rest = body[len(whole):]
    if comma:
        whole = '{:,}'.format(int(whole)) if whole else whole
    body = whole + rest
    pad = width - len(mark) - len(body)
    if pad <= 0:
        return mark + body
    if align == '=':
        return mark + fill * pad + body
    left = {'<': 0, '>': pad, '^': pad // 2}[align]
    return fill * left + mark + body + fill * (pad - left)
