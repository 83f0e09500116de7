// The modules written in Python: data formats, numbers, dates, text, files and the tools of
// programs.
#include "tests/unit/shell/numpy/rows.h"

namespace tensh::shell {
namespace {

TEST(Json, Texts) {
  CheckNumpyRows({
      {"import json\n"
       "json.dumps({'b': [1, 2.5, None, True], 'a': 'é\"\\n'}), json.dumps([1, [2]], indent=2), "
       "json.dumps({'b': 1, 'a': 2}, sort_keys=True), json.dumps('é', ensure_ascii=False), "
       "json.dumps([1, 2], separators=(',', ':'))",
       "('{\"b\": [1, 2.5, null, true], \"a\": \"\\\\u00e9\\\\\"\\\\n\"}', '[\\n  1,\\n  [\\n    "
       "2\\n  ]\\n]', '{\"a\": 2, \"b\": 1}', '\"é\"', '[1,2]')"},
      {"import json\n"
       "json.loads('{\"a\": [1, 2.5e3, \"x\\\\u00e9\", null, false]}'), json.loads(' 3 '), "
       "json.loads('\"\\\\ud83d\\\\ude00\"'), json.loads('[]'), json.loads('-0.0')",
       "({'a': [1, 2500.0, 'xé', None, False]}, 3, '😀', [], -0.0)"},
      {"import json\n"
       "json.loads('{\"a\": }')",
       "JSONDecodeError: Expecting value: line 1 column 7 (char 6)"},
      {"import json\n"
       "json.loads('')",
       "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"},
      {"import json\n"
       "json.loads('[1] x')",
       "JSONDecodeError: Extra data: line 1 column 5 (char 4)"},
      {"import json\n"
       "json.dumps({1, 2})",
       "TypeError: Object of type set is not JSON serializable"},
      {"import json\n"
       "json.dumps({(1, 2): 3})",
       "TypeError: keys must be str, int, float, bool or None, not tuple"},
      {"import json\n"
       "json.dumps({1: 'a', None: 'b', True: 'c', 2.5: 'd'}), json.dumps(float('nan')), "
       "json.dumps((1, 2)), json.dumps({'a': {}}, indent=1), json.dumps([], indent=2)",
       "('{\"1\": \"c\", \"null\": \"b\", \"2.5\": \"d\"}', 'NaN', '[1, 2]', '{\\n \"a\": {}\\n}', "
       "'[]')"},
      {"import json\n"
       "class C: pass\n"
       "json.dumps(C(), default=lambda o: 'C')",
       "'\"C\"'"},
      {"import json\n"
       "class C: pass\n"
       "json.loads('{\"a\": 1}', object_hook=lambda d: sorted(d.items()))",
       "[('a', 1)]"},
  });
}

TEST(Csv, Rows) {
  CheckNumpyRows({
      {"import csv, io\n"
       "list(csv.reader(io.StringIO('a,\"b,c\"\\n1,\"x\"\"y\"\\n'))), "
       "list(csv.DictReader(io.StringIO('a,b\\n1,2\\n'))), list(csv.reader(['a;b'], "
       "delimiter=';'))",
       "([['a', 'b,c'], ['1', 'x\"y']], [{'a': '1', 'b': '2'}], [['a', 'b']])"},
      {"import csv, io\n"
       "f = io.StringIO()\n"
       "w = csv.writer(f)\n"
       "w.writerow(['a', 'b,c', 1, 'd\"e'])\n"
       "w.writerows([[1], [2]])\n"
       "f.getvalue()",
       "'a,\"b,c\",1,\"d\"\"e\"\\r\\n1\\r\\n2\\r\\n'"},
  });
}

TEST(Decimals, Arithmetic) {
  CheckNumpyRows({
      {"from decimal import *\n"
       "Decimal('1.10') + Decimal('2.2'), Decimal(1) / Decimal(3), Decimal('1.5') * 2, "
       "Decimal('2.675').quantize(Decimal('.01')), Decimal('-7') // 2, Decimal('-7') % 3, "
       "Decimal('1E+3'), Decimal(0.1)",
       "(Decimal('3.30'), Decimal('0.3333333333333333333333333333'), Decimal('3.0'), "
       "Decimal('2.68'), Decimal('-3'), Decimal('-1'), Decimal('1E+3'), "
       "Decimal('0.1000000000000000055511151231257827021181583404541015625'))"},
      {"from decimal import *\n"
       "Decimal('1.0') == Decimal('1'), Decimal('1') < 2, str(Decimal('1.00').normalize()), "
       "Decimal('3.7').to_integral_value(), int(Decimal('3.9')), float(Decimal('.5')), "
       "Decimal('9').sqrt(), abs(Decimal('-1')), round(Decimal('2.5'))",
       "(True, True, '1', Decimal('4'), 3, 0.5, Decimal('3'), Decimal('1'), 2)"},
      {"from decimal import *\n"
       "Decimal('x')",
       "InvalidOperation: [<class 'decimal.ConversionSyntax'>]"},
      {"from decimal import *\n"
       "Decimal(1) / 0",
       "DivisionByZero: [<class 'decimal.DivisionByZero'>]"},
      {"from decimal import *\n"
       "getcontext().prec = 5\n"
       "a = Decimal(2).sqrt(), Decimal(1) / 7\n"
       "getcontext().prec = 28\n"
       "a, Decimal('1.25').quantize(Decimal('.1'), rounding=ROUND_HALF_UP), "
       "Decimal('NaN').is_nan(), Decimal('Infinity') > 1, Decimal('1.23').as_tuple()",
       "((Decimal('1.4142'), Decimal('0.14286')), Decimal('1.3'), True, True, DecimalTuple(sign=0, "
       "digits=(1, 2, 3), exponent=-2))"},
  });
}

TEST(Fractions, Arithmetic) {
  CheckNumpyRows({
      {"from fractions import Fraction as F\n"
       "F(1, 3) + F(1, 6), F('0.25'), F(2, 4), F(1.5), F(7, 2) // 1, F(-7, 2) % 2, F(1, 2) ** 2, "
       "F(1, 2) == 0.5, float(F(1, 4)), F(3, 2).limit_denominator(1), round(F(7, 2)), str(F(3)), "
       "repr(F(3, -6))",
       "(Fraction(1, 2), Fraction(1, 4), Fraction(1, 2), Fraction(3, 2), 3, Fraction(1, 2), "
       "Fraction(1, 4), True, 0.25, Fraction(1, 1), 4, '3', 'Fraction(-1, 2)')"},
      {"from fractions import Fraction as F\n"
       "F(1, 0)",
       "ZeroDivisionError: Fraction(1, 0)"},
      {"from fractions import Fraction as F\n"
       "F('a')",
       "ValueError: Invalid literal for Fraction: 'a'"},
  });
}

TEST(Dates, AndTimes) {
  CheckNumpyRows({
      {"from datetime import *\n"
       "date(2020, 2, 29) + timedelta(days=1)",
       "datetime.date(2020, 3, 1)"},
      {"from datetime import *\n"
       "date(2020, 1, 1).weekday()",
       "2"},
      {"from datetime import *\n"
       "date(2020, 1, 1).isoformat()",
       "'2020-01-01'"},
      {"from datetime import *\n"
       "(date(2020, 3, 1) - date(2020, 2, 1)).days",
       "29"},
      {"from datetime import *\n"
       "date(2020, 1, 5).strftime('%d/%m/%y %A')",
       "'05/01/20 Sunday'"},
      {"from datetime import *\n"
       "date(2021, 2, 29)",
       "ValueError: day is out of range for month"},
      {"from datetime import *\n"
       "datetime(2020, 1, 2, 3, 4, 5), str(datetime(2020, 1, 2, 3, 4, 5, 6)), datetime(2020, 1, 1) "
       "- datetime(2019, 12, 31, 12), datetime.strptime('2020-01-02 03:04', '%Y-%m-%d %H:%M'), "
       "datetime(2020, 1, 1).replace(year=2021).year",
       "(datetime.datetime(2020, 1, 2, 3, 4, 5), '2020-01-02 03:04:05.000006', "
       "datetime.timedelta(seconds=43200), datetime.datetime(2020, 1, 2, 3, 4), 2021)"},
      {"from datetime import *\n"
       "timedelta(hours=25), str(timedelta(days=1, seconds=3661)), "
       "timedelta(seconds=90).total_seconds(), timedelta(days=1) / 2, timedelta(1) > "
       "timedelta(hours=23), -timedelta(hours=1), timedelta(minutes=1.5), repr(timedelta())",
       "(datetime.timedelta(days=1, seconds=3600), '1 day, 1:01:01', 90.0, "
       "datetime.timedelta(seconds=43200), True, datetime.timedelta(days=-1, seconds=82800), "
       "datetime.timedelta(seconds=90), 'datetime.timedelta(0)')"},
      {"from datetime import *\n"
       "time(12, 30)",
       "datetime.time(12, 30)"},
      {"from datetime import *\n"
       "time(1, 2, 3).isoformat()",
       "'01:02:03'"},
      {"from datetime import *\n"
       "datetime.combine(date(2020, 1, 1), time(2))",
       "datetime.datetime(2020, 1, 1, 2, 0)"},
      {"from datetime import *\n"
       "datetime(2020, 1, 1) < datetime(2020, 1, 2)",
       "True"},
      {"from datetime import *\n"
       "datetime.strptime('x', '%Y')",
       "ValueError: time data 'x' does not match format '%Y'"},
  });
}

TEST(Structs, Bytes) {
  CheckNumpyRows({
      {"import struct\n"
       "struct.pack('<ihb', 1, -2, 3)",
       "b'\\x01\\x00\\x00\\x00\\xfe\\xff\\x03'"},
      {"import struct\n"
       "struct.unpack('>H', b'\\x01\\x02')",
       "(258,)"},
      {"import struct\n"
       "struct.calcsize('<iq')",
       "12"},
      {"import struct\n"
       "struct.pack('3s', b'ab')",
       "b'ab\\x00'"},
      {"import struct\n"
       "struct.unpack('<d', struct.pack('<d', 1.5))",
       "(1.5,)"},
      {"import struct\n"
       "struct.pack('?', True)",
       "b'\\x01'"},
      {"import struct\n"
       "struct.pack('>f', 1)",
       "b'?\\x80\\x00\\x00'"},
      {"import struct\n"
       "struct.pack('b', 300)",
       "error: byte format requires -128 <= number <= 127"},
      {"import struct\n"
       "struct.unpack('i', b'ab')",
       "error: unpack requires a buffer of 4 bytes"},
      {"import base64, binascii\n"
       "base64.b64encode(b'hello?')",
       "b'aGVsbG8/'"},
      {"import base64, binascii\n"
       "base64.b64decode('aGk=')",
       "b'hi'"},
      {"import base64, binascii\n"
       "base64.urlsafe_b64encode(b'\\xff\\xfe')",
       "b'__4='"},
      {"import base64, binascii\n"
       "binascii.hexlify(b'ab')",
       "b'6162'"},
      {"import base64, binascii\n"
       "binascii.unhexlify('6162')",
       "b'ab'"},
      {"import base64, binascii\n"
       "base64.b16encode(b'a')",
       "b'61'"},
      {"import base64\n"
       "base64.b64decode('a')",
       "Error: Invalid base64-encoded string: number of data characters (1) cannot be 1 more than "
       "a multiple of 4"},
  });
}

TEST(Enums, Members) {
  CheckNumpyRows({
      {"from enum import *\n"
       "class C(Enum):\n"
       "  A = 1\n"
       "  B = 2\n"
       "  ALIAS = 1\n"
       "C.A, C(2), C['B'], C.A.name, C.B.value, list(C), C.ALIAS is C.A, C.A == 1, len(C), "
       "isinstance(C.A, C), repr(C), str(C.A), {C.A: 1}[C.A]",
       "(<C.A: 1>, <C.B: 2>, <C.B: 2>, 'A', 2, [<C.A: 1>, <C.B: 2>], True, False, 2, True, \"<enum "
       "'C'>\", 'C.A', 1)"},
      {"from enum import *\n"
       "class C(Enum): A = 1\n"
       "C(5)",
       "ValueError: 5 is not a valid C"},
      {"from enum import *\n"
       "class I(IntEnum):\n"
       "  X = 1\n"
       "  Y = auto()\n"
       "I.X < I.Y, I.Y + 1, sorted([I.Y, I.X]), I(2), I.X == 1",
       "(True, 3, [<I.X: 1>, <I.Y: 2>], <I.Y: 2>, True)"},
      {"from enum import *\n"
       "class F(Flag):\n"
       "  R = auto()\n"
       "  W = auto()\n"
       "F.R | F.W, (F.R | F.W) & F.W, F.R in (F.R | F.W), bool(F.R & F.W), F(3).value",
       "(<F.R|W: 3>, <F.W: 2>, True, False, 3)"},
  });
}

TEST(Statistics, OfData) {
  CheckNumpyRows({
      {"import statistics as s\n"
       "s.mean([1, 2, 4]), s.median([3, 1, 2]), s.median([1, 2, 3, 4]), s.mode('aab'), "
       "s.pvariance([1, 3]), s.variance([1, 2, 3]), s.stdev([1, 3]), s.median_low([1, 2]), "
       "s.multimode('aabb'), s.fmean([1, 2]), s.harmonic_mean([1, 2])",
       "(2.3333333333333335, 2, 2.5, 'a', 1, 1, 1.4142135623730951, 1, ['a', 'b'], 1.5, "
       "1.3333333333333333)"},
      {"import statistics\n"
       "statistics.mean([])",
       "StatisticsError: mean requires at least one data point"},
  });
}

TEST(Text, Tools) {
  CheckNumpyRows({
      {"import textwrap\n"
       "textwrap.wrap('aa bb cc dd', 5), textwrap.fill('a b c', 3), textwrap.dedent('  a\\n    "
       "b\\n'), textwrap.indent('a\\nb', '> '), textwrap.shorten('hello big world', 11)",
       "(['aa bb', 'cc dd'], 'a b\\nc', 'a\\n  b\\n', '> a\\n> b', 'hello [...]')"},
      {"import pprint, string\n"
       "pprint.pformat({'b': 1, 'a': [1, 2]})",
       "\"{'a': [1, 2], 'b': 1}\""},
      {"import pprint, string\n"
       "pprint.pformat(list(range(30)), width=40)[:20]",
       "'[0,\\n 1,\\n 2,\\n 3,\\n 4,\\n'"},
      {"import pprint, string\n"
       "string.ascii_lowercase[:3]",
       "'abc'"},
      {"import pprint, string\n"
       "string.digits",
       "'0123456789'"},
      {"import pprint, string\n"
       "string.capwords('a bc')",
       "'A Bc'"},
      {"import fnmatch, glob\n"
       "fnmatch.fnmatch('a.py', '*.py'), fnmatch.filter(['a.c', 'b.h'], '*.h'), "
       "fnmatch.fnmatch('ab', 'a?'), fnmatch.fnmatch('x', '[a-c]'), glob.glob('/no/such/*')",
       "(True, ['b.h'], True, False, [])"},
  });
}

TEST(Algorithms, OfLists) {
  CheckNumpyRows({
      {"import bisect, heapq\n"
       "h = [5, 2, 8]\n"
       "heapq.heapify(h)\n"
       "heapq.heappush(h, 1)\n"
       "heapq.heappop(h), h[0], heapq.nlargest(2, [1, 5, 3]), heapq.nsmallest(1, [3, 1]), "
       "heapq.heapreplace(h, 9), list(heapq.merge([1, 3], [2])), bisect.bisect([1, 3], 3), "
       "bisect.bisect_left([1, 3], 3)",
       "(1, 2, [5, 3], [1], 2, [1, 2, 3], 2, 1)"},
      {"import bisect\n"
       "a = [1, 3]\n"
       "bisect.insort(a, 2)\n"
       "a",
       "[1, 2, 3]"},
      {"import copy\n"
       "a = [1, [2]]\n"
       "b, c = copy.copy(a), copy.deepcopy(a)\n"
       "a[1].append(3)\n"
       "r = []\n"
       "r.append(r)\n"
       "b, c, copy.deepcopy(r)[0] is not r, copy.deepcopy({'a': (1, [2])})",
       "([1, [2, 3]], [1, [2]], True, {'a': (1, [2])})"},
      {"import operator as o\n"
       "o.add(1, 2), o.itemgetter(1)([5, 6]), o.itemgetter(0, 1)('ab'), o.attrgetter('real')(3), "
       "o.methodcaller('upper')('a'), o.mul(2, 3), o.contains([1], 1), o.index(True), o.truediv(1, "
       "2)",
       "(3, 6, ('a', 'b'), 3, 'A', 6, True, 1, 0.5)"},
  });
}

TEST(Classes, Tools) {
  CheckNumpyRows({
      {"import abc\n"
       "class A(abc.ABC):\n"
       "  @abc.abstractmethod\n"
       "  def f(self): pass\n"
       "A()",
       "TypeError: Can't instantiate abstract class A with abstract method f"},
      {"from contextlib import contextmanager, suppress, closing\n"
       "@contextmanager\n"
       "def c():\n"
       "  print('in')\n"
       "  try: yield 5\n"
       "  finally: print('out')\n"
       "with c() as x: print(x)\n"
       "with suppress(ValueError): int('a')\n"
       "'done'",
       "in\n"
       "5\n"
       "out\n"
       "'done'"},
      {"import types, typing, collections.abc as a\n"
       "types.SimpleNamespace(x=1)",
       "namespace(x=1)"},
      {"import types, typing, collections.abc as a\n"
       "isinstance([], a.Sequence)",
       "True"},
      {"import types, typing, collections.abc as a\n"
       "isinstance({}, a.Mapping)",
       "True"},
      {"import types, typing, collections.abc as a\n"
       "isinstance(1, a.Hashable)",
       "True"},
      {"import types, typing, collections.abc as a\n"
       "issubclass(list, a.Iterable)",
       "True"},
      {"import inspect\n"
       "def f(a, b=1, *c, d, **e): 'doc'\n"
       "str(inspect.signature(f)), inspect.getdoc(f), inspect.isfunction(f), "
       "list(inspect.signature(f).parameters), inspect.isclass(int)",
       "('(a, b=1, *c, d, **e)', 'doc', True, ['a', 'b', 'c', 'd', 'e'], True)"},
  });
}

TEST(Pickles, RoundTrips) {
  CheckNumpyRows({
      {"import pickle\n"
       "v = {'a': [1, 2.5, None, True, 'é', b'x', (1,), {2}, 2 ** 70, -1, 1j]}\n"
       "pickle.loads(pickle.dumps(v)) == v",
       "True"},
      {"import pickle\n"
       "v = {'a': [1, 2.5, None, True, 'é', b'x', (1,), {2}, 2 ** 70, -1, 1j]}\n"
       "pickle.loads(pickle.dumps([1]))",
       "[1]"},
      {"import pickle\n"
       "v = {'a': [1, 2.5, None, True, 'é', b'x', (1,), {2}, 2 ** 70, -1, 1j]}\n"
       "type(pickle.dumps(1)).__name__",
       "'bytes'"},
      {"import pickle\n"
       "a = [1]\n"
       "b = pickle.loads(pickle.dumps([a, a]))\n"
       "b[0] is b[1]",
       "True"},
      {"import pickle\n"
       "pickle.loads(b'nonsense')",
       "UnpicklingError: invalid load key, 'n'."},
      {"import io\n"
       "f = io.StringIO('a\\nb\\nc')\n"
       "g = io.BytesIO(b'xyz')\n"
       "f.readline(), f.read(), f.seek(0), list(f), g.read(2), g.getvalue(), "
       "io.StringIO().write('abc')",
       "('a\\n', 'b\\nc', 0, ['a\\n', 'b\\n', 'c'], b'xy', b'xyz', 3)"},
  });
}

TEST(Programs, Tools) {
  CheckNumpyRows({
      {"import argparse\n"
       "p = argparse.ArgumentParser()\n"
       "p.add_argument('name')\n"
       "p.add_argument('--n', type=int, default=3)\n"
       "p.add_argument('-v', '--verbose', action='store_true')\n"
       "p.add_argument('--xs', nargs='*')\n"
       "p.parse_args(['a', '--n', '5', '-v']), p.parse_args(['b']), p.parse_args(['c', '--xs', "
       "'1', '2']).xs",
       "(Namespace(name='a', n=5, verbose=True, xs=None), Namespace(name='b', n=3, verbose=False, "
       "xs=None), ['1', '2'])"},
      {"import logging, io\n"
       "f = io.StringIO()\n"
       "l = logging.getLogger('tensh_row')\n"
       "h = logging.StreamHandler(f)\n"
       "h.setFormatter(logging.Formatter('%(levelname)s %(name)s: %(message)s'))\n"
       "l.addHandler(h)\n"
       "l.propagate = False\n"
       "l.setLevel(logging.INFO)\n"
       "l.info('x %d', 5)\n"
       "l.debug('hidden')\n"
       "l.error('bad')\n"
       "f.getvalue(), logging.getLevelName(30), l.isEnabledFor(logging.DEBUG)",
       "('INFO tensh_row: x 5\\nERROR tensh_row: bad\\n', 'WARNING', False)"},
      {"import threading, queue\n"
       "q = queue.Queue()\n"
       "t = [threading.Thread(target=lambda i=i: q.put(i)) for i in range(3)]\n"
       "[x.start() for x in t]\n"
       "[x.join() for x in t]\n"
       "sorted(q.get() for _ in range(3)), q.empty(), t[0].is_alive(), "
       "threading.current_thread().name",
       "([0, 1, 2], True, False, 'MainThread')"},
      {"import queue\n"
       "queue.Queue().get(block=False)",
       "Empty: "},
      {"import threading\n"
       "l = threading.Lock()\n"
       "e = threading.Event()\n"
       "with l: locked = l.locked()\n"
       "e.set()\n"
       "locked, l.locked(), e.is_set(), e.wait(0), l.acquire(False), l.acquire(False)",
       "(True, False, True, True, True, False)"},
      {"from concurrent.futures import ThreadPoolExecutor\n"
       "with ThreadPoolExecutor(2) as x: f = x.submit(pow, 2, 3); m = list(x.map(abs, [-1, -2]))\n"
       "f.result(), m, f.done()",
       "(8, [1, 2], True)"},
      {"import traceback\n"
       "try: 1 / 0\n"
       "except ZeroDivisionError as e: t = traceback.format_exception_only(type(e), e)\n"
       "t",
       "['ZeroDivisionError: division by zero\\n']"},
  });
}

}  // namespace
}  // namespace tensh::shell
