"""textwrap, types, statistics, fractions, traceback, codecs, keyword, unittest."""
import codecs
import keyword
import statistics
import sys
import textwrap
import traceback
import types
from fractions import Fraction

text = """
    Some tutorials print help that was written
    in the middle of a function.

      - indented, well-known and self-explanatory
    """
print(repr(textwrap.dedent(text)))
print(textwrap.fill('The quick brown fox jumped over the lazy dog and went to the state-of-the-art hen house.', 30))
print(textwrap.wrap('aaaa bbbb ccccccccccccccc dd', 10), textwrap.shorten('Hello  world!  How are you?', width=16))
print(textwrap.indent('one\n\ntwo\n', '> '), textwrap.fill('a b c d e f', width=9, initial_indent='* ', subsequent_indent='  '))

class Data:
    def m(self):
        pass


data_of = Data()
ns = types.SimpleNamespace(lr=0.1, steps=[1])
ns.name = 'run'
print(ns, ns.lr, ns == types.SimpleNamespace(lr=0.1, steps=[1], name='run'), isinstance(lambda: 0, types.FunctionType),
      isinstance((i for i in []), types.GeneratorType), isinstance(len, types.BuiltinFunctionType), isinstance(sys, types.ModuleType),
      types.FunctionType is types.LambdaType, isinstance(data_of.m, types.MethodType), types.NoneType)

data = [2.5, 3.25, 5.5, 11.25, 11.75]
print(statistics.mean(data), statistics.median(data), statistics.median([1, 3, 5, 7]), statistics.mode([1, 1, 2, 3]), statistics.mean([1, 2, 3, 4]),
      statistics.mean([1, 3]), statistics.fmean(data), statistics.median_low([1, 3, 5, 7]), statistics.median_high([1, 3, 5, 7]))
print(statistics.stdev(data), statistics.pstdev(data), statistics.variance(data), statistics.pvariance([1, 2, 3, 4]), statistics.variance([1, 2, 3]),
      statistics.harmonic_mean([40, 60]), statistics.multimode('aabbc'), statistics.quantiles([1, 2, 3, 4, 5], n=4))
for wrong in (lambda: statistics.mean([]), lambda: statistics.stdev([1]), lambda: statistics.mode([])):
    try:
        wrong()
    except statistics.StatisticsError as e:
        print('StatisticsError:', e)

a, b = Fraction(1, 3), Fraction('0.25')
print(a, repr(b), a + b, a - b, a * b, a / b, a ** 2, a ** -1, -a, abs(-a), a < b, a == Fraction(2, 6), float(a), int(Fraction(7, 2)), round(Fraction(7, 2)))
print(a + 1, 2 * a, 1 - a, a + 0.5, a // b, a % b, Fraction(0.5), Fraction(3.14159).limit_denominator(100), sum([Fraction(1, 4)] * 4), Fraction(3, -6), Fraction('7/21'))
try:
    Fraction(1, 0)
except ZeroDivisionError as e:
    print(e)


def inner(v):
    return 1 // v


def outer(v):
    total = inner(v) + 1
    return total


try:
    outer(0)
except ZeroDivisionError as e:
    print(traceback.format_exc(), end='')
    print(traceback.format_exception_only(type(e), e), [f.name for f in traceback.extract_tb(e.__traceback__)], e.__traceback__.tb_lineno)
    kind, value, tb = sys.exc_info()
    traceback.print_exception(kind, value, tb, file=sys.stdout)
    traceback.print_tb(tb, file=sys.stdout)
try:
    try:
        {}['k']
    except KeyError as e:
        raise ValueError('no such key') from e
except ValueError:
    traceback.print_exc(file=sys.stdout)
try:
    try:
        [].pop()
    except IndexError:
        int('x')
except ValueError:
    traceback.print_exc(file=sys.stdout)
print(traceback.format_exc() == 'NoneType: None\n')


class Stage:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        return [self.fn(a)
                for a in args]


try:
    Stage(lambda a: a.missing)(
        1, 2)
except AttributeError:
    traceback.print_exc(file=sys.stdout)

print(keyword.iskeyword('lambda'), keyword.iskeyword('tensor'), len(keyword.kwlist), codecs.encode('ü', 'utf-8'), codecs.decode(b'abc', 'ascii'), codecs.BOM_UTF8)
with codecs.open('small_modules_text.txt', 'w', encoding='utf-8') as f:
    f.write('grüße\n')
with codecs.open('small_modules_text.txt', encoding='utf-8') as f:
    print(f.read().strip())
import os
os.remove('small_modules_text.txt')
