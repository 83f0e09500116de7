# decimal: exact arithmetic, contexts, rounding, text.
import copy
import decimal
from decimal import (ROUND_05UP, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP,
                     Context, Decimal, DivisionByZero, InvalidOperation, getcontext, localcontext, setcontext)

a, b = Decimal('1.10'), Decimal('2.25')
print(a + b, a - b, a * b, a / b, b // a, b % a, divmod(b, a), a ** 2, a ** -1, -a, +a, abs(-a))
print(repr(a), str(b), [a, b], f'{a} {b!r}', '%s %.1f' % (a, b), Decimal(1) / 3, Decimal('0.1') + Decimal('0.2') == Decimal('0.3'))
print(Decimal(5), Decimal(0.1), Decimal('1e3'), Decimal('-0'), Decimal('1E+20'), Decimal('0.0000001'), Decimal((1, (1, 2), -1)), Decimal('1_000.5'))
print(a < b, a == Decimal('1.1'), a == 1.1, Decimal('0.5') == 0.5, a > 1, max(a, b), sorted([b, a, Decimal(0)]), hash(Decimal(2)) == hash(2))
print(1 + a, 2 * a, 3 - a, 1 / Decimal(8), 7 // Decimal(2), 7 % Decimal(4), 2 ** Decimal(3), sum([a, b]))
for rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_05UP):
    print(rounding, [str(Decimal(x).quantize(Decimal('0.1'), rounding=rounding)) for x in ('2.25', '-2.25', '2.35', '2.21', '-2.29')])
print(Decimal('123.456').quantize(Decimal('.01')), Decimal('2.5').to_integral_value(), round(Decimal('2.675'), 2), round(Decimal('3.5')), int(Decimal('-3.9')))
print(Decimal('2').sqrt(), Decimal('9').sqrt(), Decimal(2).exp(), Decimal(10).ln(), Decimal(1000).log10(), Decimal(2) ** Decimal('0.5'))
print(Decimal('1.500').normalize(), Decimal('-3.20').as_tuple(), Decimal('3.25').as_integer_ratio(), Decimal('123').adjusted(), Decimal('-2').copy_abs())
print(format(Decimal('1234567.891'), ',.2f'), format(Decimal('0.00001'), 'e'), '{:>10.3f}|{:<8}|{:+}|{:.1%}'.format(a, a, a, a), format(Decimal('1e10'), 'g'))
print(float(a), Decimal('Infinity'), Decimal('NaN'), Decimal('-inf') < 0, Decimal('nan').is_nan(), Decimal('inf').is_infinite(), a.is_finite(), Decimal(0).is_zero())
print(a.is_signed(), a.compare(b), a.max(b), a.min(b), a.scaleb(2), a.same_quantum(b), a.copy_sign(Decimal(-1)), a.copy_negate(), copy.copy(a) is a)
print(Decimal.from_float(0.5), Decimal('1.10').real, a.conjugate(), type(a), Decimal('7').to_integral_exact(), Decimal('7.7').to_integral())
getcontext().prec = 6
print(getcontext().prec, Decimal(1) / 7, Decimal('123456789') * 1, Decimal('1.23456789') + 0)
with localcontext() as context:
    context.prec = 40
    context.rounding = ROUND_DOWN
    print(Decimal(2) / 3)
print(Decimal(2) / 3)
setcontext(Context(prec=4, rounding=ROUND_UP))
print(Decimal(1) / 3, getcontext().create_decimal('3.14159'), getcontext().rounding, getcontext().copy().prec)
setcontext(Context())
for wrong in (lambda: Decimal('x'), lambda: Decimal(1) / 0, lambda: Decimal(0) / 0, lambda: a + 1.5, lambda: Decimal(-1).sqrt(), lambda: divmod(a, 0),
              lambda: Decimal('1e30').quantize(Decimal('0.01')), lambda: Decimal([]), lambda: Decimal('nan') < 1, lambda: int(Decimal('inf')), lambda: a % 0):
    try:
        print(wrong())
    except (ArithmeticError, TypeError, ValueError) as e:
        print(type(e), e)
print(issubclass(InvalidOperation, decimal.DecimalException), issubclass(DivisionByZero, ZeroDivisionError), decimal.DivisionUndefined.__name__,
      decimal.ConversionSyntax.__name__, decimal.DivisionImpossible.__name__, decimal.DecimalTuple(0, (1,), 0))
price, total = Decimal('19.99'), Decimal(0)
for quantity in (1, 3, 7):
    total += price * quantity
print(total, (total * Decimal('0.19')).quantize(Decimal('0.01'), ROUND_HALF_UP))
