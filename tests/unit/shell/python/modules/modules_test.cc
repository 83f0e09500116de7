// The modules written in C++: collections, functools, itertools, math, random, re, time, hashlib
// and zlib.
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {
namespace {

TEST(Collections, Containers) {
  CheckRows({
      {"from collections import Counter\n"
       "c = Counter('abca')\n"
       "c, c['z'], c.most_common(1), sorted(c.elements()), c + Counter('a'), c - Counter('aab'), c "
       "& Counter('ab'), sum(c.values()), c.total()",
       "(Counter({'a': 2, 'b': 1, 'c': 1}), 0, [('a', 2)], ['a', 'a', 'b', 'c'], Counter({'a': 3, "
       "'b': 1, 'c': 1}), Counter({'c': 1}), Counter({'a': 1, 'b': 1}), 4, 4)"},
      {"from collections import Counter\n"
       "c = Counter(a=1)\n"
       "c.update('ab')\n"
       "c.subtract({'a': 5})\n"
       "c",
       "Counter({'b': 1, 'a': -3})"},
      {"from collections import Counter\n"
       "c = Counter(a=1)\n"
       "c.update('ab')\n"
       "c.subtract({'a': 5})\n"
       "Counter({'x': 2}) == Counter('xx')",
       "True"},
      {"from collections import Counter\n"
       "c = Counter(a=1)\n"
       "c.update('ab')\n"
       "c.subtract({'a': 5})\n"
       "list(Counter('ba'))",
       "['b', 'a']"},
      {"from collections import defaultdict\n"
       "d = defaultdict(list)\n"
       "d['a'].append(1)\n"
       "d, d['b'], len(d), d.get('c'), 'c' in d, d.default_factory",
       "(defaultdict(<class 'list'>, {'a': [1], 'b': []}), [], 2, None, False, <class 'list'>)"},
      {"from collections import defaultdict\n"
       "defaultdict(None)['x']",
       "KeyError: 'x'"},
      {"from collections import defaultdict\n"
       "defaultdict(5)",
       "TypeError: first argument must be callable or None"},
      {"from collections import OrderedDict\n"
       "d = OrderedDict([('b', 1), ('a', 2)])\n"
       "d.move_to_end('b')\n"
       "d['c'] = 3\n"
       "d, list(d), d.popitem(last=False), d.popitem(), OrderedDict(a=1) == {'a': 1}",
       "(OrderedDict([('b', 1)]), ['a', 'b', 'c'], ('a', 2), ('c', 3), True)"},
      {"from collections import deque\n"
       "d = deque([1, 2, 3], maxlen=3)\n"
       "d.append(4)\n"
       "d.appendleft(0)\n"
       "d, d.pop(), d.popleft(), d.maxlen, list(d), d[0], len(d)",
       "(deque([2], maxlen=3), 3, 0, 3, [2], 2, 1)"},
      {"from collections import deque\n"
       "d = deque('abc')\n"
       "d.rotate(1)\n"
       "d.extend('x')\n"
       "d.extendleft('yz')\n"
       "d, d.index('x'), d.count('a'), d.reverse(), d, 'q' in d, deque([1]) == deque([1])",
       "(deque(['x', 'b', 'a', 'c', 'y', 'z']), 5, 1, None, deque(['x', 'b', 'a', 'c', 'y', 'z']), "
       "False, True)"},
      {"from collections import deque\n"
       "deque().pop()",
       "IndexError: pop from an empty deque"},
      {"from collections import namedtuple\n"
       "P = namedtuple('P', 'x y', defaults=[5])\n"
       "p = P(1)\n"
       "p, p.y, p._asdict(), p._replace(x=9), P._fields, P._make([3, 4]), tuple(p), p == (1, 5)",
       "(P(x=1, y=5), 5, {'x': 1, 'y': 5}, P(x=9, y=5), ('x', 'y'), P(x=3, y=4), (1, 5), True)"},
      {"from collections import namedtuple\n"
       "namedtuple('P', 'x x')",
       "ValueError: Encountered duplicate field name: 'x'"},
      {"from collections import namedtuple\n"
       "namedtuple('P', 'a,b')(1, b=2)",
       "P(a=1, b=2)"},
      {"from collections import namedtuple\n"
       "namedtuple('P', 'x')(1, 2)",
       "TypeError: P.__new__() takes 2 positional arguments but 3 were given"},
  });
}

TEST(Functools, Tools) {
  CheckRows({
      {"import functools\n"
       "functools.reduce(lambda a, b: a * b, [1, 2, 3]), functools.reduce(lambda a, b: a + b, [], "
       "7), functools.partial(int, base=2)('101'), functools.partial(max, 5).args",
       "(6, 7, 5, (5,))"},
      {"import functools\n"
       "functools.reduce(lambda a, b: a, [])",
       "TypeError: reduce() of empty iterable with no initial value"},
      {"import functools\n"
       "@functools.lru_cache(maxsize=2)\n"
       "def f(x):\n"
       "  print('call', x)\n"
       "  return x * 2\n"
       "f(1)",
       "call 1\n"
       "2"},
      {"import functools\n"
       "@functools.lru_cache(maxsize=2)\n"
       "def f(x):\n"
       "  print('call', x)\n"
       "  return x * 2\n"
       "f(1)",
       "call 1\n"
       "2"},
      {"import functools\n"
       "@functools.lru_cache(maxsize=2)\n"
       "def f(x):\n"
       "  print('call', x)\n"
       "  return x * 2\n"
       "f(2)",
       "call 2\n"
       "4"},
      {"import functools\n"
       "@functools.lru_cache(maxsize=2)\n"
       "def f(x):\n"
       "  print('call', x)\n"
       "  return x * 2\n"
       "f(3)",
       "call 3\n"
       "6"},
      {"import functools\n"
       "@functools.lru_cache(maxsize=2)\n"
       "def f(x):\n"
       "  print('call', x)\n"
       "  return x * 2\n"
       "f(1)",
       "call 1\n"
       "2"},
      {"import functools\n"
       "@functools.wraps(len)\n"
       "def f(): pass\n"
       "f.__name__, f.__wrapped__ is len, sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: "
       "b - a))",
       "('len', True, [3, 2, 1])"},
      {"import functools\n"
       "@functools.total_ordering\n"
       "class C:\n"
       "  def __init__(self, v): self.v = v\n"
       "  def __eq__(self, o): return self.v == o.v\n"
       "  def __lt__(self, o): return self.v < o.v\n"
       "C(1) <= C(2), C(3) > C(2), C(1) >= C(1)",
       "(True, True, True)"},
      {"import functools\n"
       "@functools.singledispatch\n"
       "def f(x): return 'any'\n"
       "@f.register(int)\n"
       "def _(x): return 'int'\n"
       "f(1), f('a'), f(True)",
       "('int', 'any', 'int')"},
  });
}

TEST(Itertools, Streams) {
  CheckRows({
      {"from itertools import *\n"
       "list(islice(count(5, 2), 3)), list(islice(cycle('ab'), 5)), list(repeat(1, 2)), "
       "list(chain([1], [2, 3])), list(chain.from_iterable(['ab', 'c'])), list(accumulate([1, 2, "
       "3]))",
       "([5, 7, 9], ['a', 'b', 'a', 'b', 'a'], [1, 1], [1, 2, 3], ['a', 'b', 'c'], [1, 3, 6])"},
      {"from itertools import *\n"
       "list(product('ab', [1, 2])), list(permutations([1, 2, 3], 2)), list(combinations('abc', "
       "2)), list(combinations_with_replacement('ab', 2)), list(product([0, 1], repeat=2))",
       "([('a', 1), ('a', 2), ('b', 1), ('b', 2)], [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, "
       "2)], [('a', 'b'), ('a', 'c'), ('b', 'c')], [('a', 'a'), ('a', 'b'), ('b', 'b')], [(0, 0), "
       "(0, 1), (1, 0), (1, 1)])"},
      {"from itertools import *\n"
       "list(takewhile(lambda x: x < 3, [1, 2, 5, 1])), list(dropwhile(lambda x: x < 3, [1, 5, "
       "1])), list(filterfalse(lambda x: x % 2, range(5))), list(compress('abc', [1, 0, 1])), "
       "list(starmap(pow, [(2, 3), (3, 2)]))",
       "([1, 2], [5, 1], [0, 2, 4], ['a', 'c'], [8, 9])"},
      {"from itertools import *\n"
       "[(k, list(g)) for k, g in groupby('aabba')], list(zip_longest('ab', [1], fillvalue='-')), "
       "list(pairwise([1, 2, 3])), [list(x) for x in tee([1, 2])], list(islice('abcdef', 1, 5, 2))",
       "([('a', ['a', 'a']), ('b', ['b', 'b']), ('a', ['a'])], [('a', 1), ('b', '-')], [(1, 2), "
       "(2, 3)], [[1, 2], [1, 2]], ['b', 'd'])"},
      {"from itertools import *\n"
       "list(accumulate([3, 1, 2], max)), list(accumulate([1, 2], initial=10)), list(islice([1, "
       "2], None)), list(permutations([])), list(combinations([1], 2))",
       "([3, 3, 3], [10, 11, 13], [1, 2], [()], [])"},
      {"from itertools import islice\n"
       "list(islice([1], -1))",
       "ValueError: Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."},
  });
}

TEST(Math, Functions) {
  CheckRows({
      {"import math\n"
       "math.sqrt(16), math.floor(-1.5), math.ceil(1.2), math.trunc(-1.7), math.gcd(12, 18), "
       "math.lcm(4, 6), math.factorial(20), math.comb(5, 2), math.perm(5, 2), math.isqrt(17)",
       "(4.0, -2, 2, -1, 6, 12, 2432902008176640000, 10, 20, 4)"},
      {"import math\n"
       "math.sqrt(-1)",
       "ValueError: math domain error"},
      {"import math\n"
       "math.log(0)",
       "ValueError: math domain error"},
      {"import math\n"
       "math.factorial(-1)",
       "ValueError: factorial() not defined for negative values"},
      {"import math\n"
       "math.exp(1000)",
       "OverflowError: math range error"},
      {"import math\n"
       "math.log(8, 2), math.log2(8), math.log10(1000), math.exp(0), math.hypot(3, 4), "
       "math.dist([0, 0], [3, 4]), math.fsum([.1] * 10), math.prod([1, 2, 3]), math.copysign(1, "
       "-0.0)",
       "(3.0, 3.0, 3.0, 1.0, 5.0, 5.0, 1.0, 6, -1.0)"},
      {"import math\n"
       "math.isnan(math.nan), math.isinf(-math.inf), math.isclose(1, 1 + 1e-10), math.fmod(-7, 3), "
       "math.modf(1.5), math.frexp(8), math.ldexp(.5, 4), math.degrees(math.pi), math.radians(180) "
       "== math.pi",
       "(True, True, True, -1.0, (0.5, 1.0), (0.5, 4), 8.0, 180.0, True)"},
      {"import math\n"
       "round(math.sin(1), 6)",
       "0.841471"},
      {"import math\n"
       "round(math.atan2(1, -1), 6)",
       "2.356194"},
      {"import math\n"
       "round(math.gamma(5), 6)",
       "24.0"},
      {"import math\n"
       "round(math.erf(.5), 6)",
       "0.5205"},
      {"import math\n"
       "math.tau == 2 * math.pi",
       "True"},
      {"import math\n"
       "math.e",
       "2.718281828459045"},
      {"import math\n"
       "math.floor(10 ** 30 + .5)",
       "1000000000000000019884624838656"},
      {"import math\n"
       "math.nextafter(1, 2) > 1",
       "True"},
      {"import math\n"
       "math.gcd(1.5, 2)",
       "TypeError: 'float' object cannot be interpreted as an integer"},
  });
}

TEST(Random, Streams) {
  CheckRows({
      {"import random\n"
       "random.seed(1)\n"
       "random.random(), random.randint(1, 10), random.choice('abc'), random.uniform(1, 2), "
       "random.sample(range(10), 3), random.gauss(0, 1), random.randrange(0, 10, 3)",
       "(0.13436424411240122, 2, 'b', 1.117918703671061, [7, 9, 6], 0.10696137854395661, 0)"},
      {"import random\n"
       "random.seed('text')\n"
       "x = [1, 2, 3, 4]\n"
       "random.shuffle(x)\n"
       "x, random.getrandbits(16), random.choices('ab', weights=[1, 3], k=4), "
       "random.betavariate(1, 2), random.expovariate(2), random.triangular()",
       "([3, 1, 2, 4], 38110, ['b', 'a', 'a', 'b'], 0.5322770399426783, 0.1537639837996972, "
       "0.25573974795677207)"},
      {"import random\n"
       "random.choice([])",
       "IndexError: Cannot choose from an empty sequence"},
      {"import random\n"
       "random.sample([1, 2], 3)",
       "ValueError: Sample larger than population or is negative"},
      {"import random\n"
       "random.randint(5, 1)",
       "ValueError: empty range for randrange() (5, 2, -3)"},
  });
}

TEST(Regex, Matches) {
  CheckRows({
      {"import re\n"
       "m = re.search(r'(\\w+)-(?P<n>\\d+)', 'x ab-12 y')\n"
       "m.group(), m.group(1), m['n'], m.groups(), m.groupdict(), m.span(), m.start('n'), "
       "m.end(1), m.lastgroup, m.string[m.start():]",
       "('ab-12', 'ab', '12', ('ab', '12'), {'n': '12'}, (2, 7), 5, 4, 'n', 'ab-12 y')"},
      {"import re\n"
       "re.findall(r'\\d+', 'a1b22'), re.findall(r'(\\w)(\\d)', 'a1b2'), re.sub(r'(\\w)(\\d)', "
       "r'\\2\\1', 'a1b2'), re.sub('a', lambda m: m.group().upper(), 'banana', count=2), "
       "re.split(r'[,;]', 'a,b;c'), re.split(r'(-)', 'a-b')",
       "(['1', '22'], [('a', '1'), ('b', '2')], '1a2b', 'bAnAna', ['a', 'b', 'c'], ['a', '-', "
       "'b'])"},
      {"import re\n"
       "re.match('b', 'ab'), re.fullmatch('a.', 'ab') is not None, re.escape('a.b*'), re.subn('a', "
       "'b', 'aa'), [m.span() for m in re.finditer('a', 'aba')], re.compile('A', "
       "re.I).search('xa').start(), re.sub('^', '> ', 'a\\nb', flags=re.M)",
       "(None, True, 'a\\\\.b\\\\*', ('bb', 2), [(0, 1), (2, 3)], 1, '> a\\n> b')"},
      {"import re\n"
       "re.search('(?P<a>x)', 'x').group('b')",
       "IndexError: no such group"},
      {"import re\n"
       "re.findall(r'(?i)AB', 'ab Ab')",
       "['ab', 'Ab']"},
      {"import re\n"
       "re.search('a.b', 'a\\nb', re.S) is not None",
       "True"},
      {"import re\n"
       "re.findall(r'\\bw\\w*', 'we wow ow')",
       "['we', 'wow']"},
      {"import re\n"
       "re.sub(r'\\d', r'\\g<0>!', '1a'), re.sub('(?P<x>a)', r'[\\g<x>]', 'ba'), "
       "re.search('(a)|(b)', 'b').groups(), re.search('(a)|(b)', 'b').groups('-'), "
       "re.compile('a').pattern, repr(re.compile('a', re.I))",
       "('1!a', 'b[a]', (None, 'b'), ('-', 'b'), 'a', \"re.compile('a', re.IGNORECASE)\")"},
  });
}

TEST(Hashes, Digests) {
  CheckRows({
      {"import hashlib\n"
       "hashlib.md5(b'a').hexdigest(), hashlib.sha1(b'a').hexdigest(), "
       "hashlib.sha256(b'').hexdigest()[:16], hashlib.sha512(b'a').digest_size, hashlib.new('md5', "
       "b'a').hexdigest()[:8]",
       "('0cc175b9c0f1b6a831c399e269772661', '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8', "
       "'e3b0c44298fc1c14', 64, '0cc175b9')"},
      {"import hashlib\n"
       "h = hashlib.sha256()\n"
       "h.update(b'a')\n"
       "h.update(b'b')\n"
       "h.hexdigest() == hashlib.sha256(b'ab').hexdigest(), h.name, h.copy().digest() == "
       "h.digest()",
       "(True, 'sha256', True)"},
      {"import zlib\n"
       "zlib.crc32(b'abc'), zlib.adler32(b'abc'), zlib.decompress(zlib.compress(b'a' * 100)) == "
       "b'a' * 100, len(zlib.compress(b'a' * 1000)) < 50",
       "(891568578, 38600999, True, True)"},
      {"import zlib\n"
       "zlib.decompress(b'nonsense')",
       "error: Error -3 while decompressing data: incorrect header check"},
  });
}

TEST(Time, Formats) {
  CheckRows({
      {"import time\n"
       "t = time.gmtime(86400 * 365)\n"
       "t.tm_year, t.tm_mon, t.tm_yday, t.tm_wday, time.strftime('%Y-%m-%d %H:%M:%S', t), "
       "tuple(t)[:6], time.strftime('%j %a %b', t)",
       "(1971, 1, 1, 4, '1971-01-01 00:00:00', (1971, 1, 1, 0, 0, 0), '001 Fri Jan')"},
      {"import time\n"
       "time.strptime('2020-02-29 12:30', '%Y-%m-%d %H:%M')[:5], time.strptime('3 Jan 99', '%d %b "
       "%y').tm_year",
       "((2020, 2, 29, 12, 30), 1999)"},
      {"import time\n"
       "time.strptime('x', '%Y')",
       "ValueError: time data 'x' does not match format '%Y'"},
      {"import time\n"
       "time.monotonic() <= time.monotonic(), time.time() > 1e9, time.perf_counter_ns() > 0, "
       "time.sleep(0)",
       "(True, True, True, None)"},
  });
}

TEST(System, Values) {
  CheckRows({
      {"import sys, os\n"
       "sys.maxsize, sys.byteorder, os.sep, os.path.join('a', '/b'), os.path.basename('a/b.txt'), "
       "os.path.splitext('a/b.tar.gz'), os.path.normpath('a//b/../c'), os.path.dirname('/a/b')",
       "(9223372036854775807, 'little', '/', '/b', 'b.txt', ('a/b.tar', '.gz'), 'a/c', '/a')"},
      {"import os, tempfile\n"
       "d = tempfile.mkdtemp()\n"
       "p = os.path.join(d, 'f')\n"
       "with open(p, 'w') as f: f.write('a\\nb\\n')\n"
       "with open(p) as f: lines = f.readlines()\n"
       "os.mkdir(os.path.join(d, 'sub'))\n"
       "lines, os.path.getsize(p), sorted(os.listdir(d)), os.path.isdir(d), os.path.exists(p + "
       "'x'), os.rename(p, p + '2'), os.remove(p + '2'), os.listdir(d)",
       "(['a\\n', 'b\\n'], 4, ['f', 'sub'], True, False, None, None, ['sub'])"},
      {"import os\n"
       "os.environ['TENSH_TEST_X'] = 'y'\n"
       "os.environ.get('TENSH_TEST_X'), os.getenv('TENSH_NONE'), os.environ.pop('TENSH_TEST_X'), "
       "'TENSH_TEST_X' in os.environ",
       "('y', None, 'y', False)"},
      {"import os\n"
       "os.path.commonprefix(['abc', 'abd']), os.path.isabs('/a'), os.path.split('a/b'), "
       "os.path.relpath('/a/b', '/a/c'), os.path.expanduser('a')",
       "('ab', True, ('a', 'b'), '../b', 'a')"},
      {"import sys\n"
       "sys.exit('bye')\n"
       "1",
       "SystemExit: bye"},
      {"import tempfile, os\n"
       "p = os.path.join(tempfile.mkdtemp(), 'b')\n"
       "with open(p, 'wb') as f: n = f.write(b'abc\\ndef')\n"
       "with open(p, 'rb') as f: r = f.read(2)\n"
       "n, f.closed, open(p).read()",
       "(7, True, 'abc\\ndef')"},
  });
}

}  // namespace
}  // namespace tensh::shell
