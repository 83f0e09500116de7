"""Additional kinds of random statements for lang_programs.py: protocols of classes, generators with send and throw,
unusual arguments for every method, exact numbers, mutable bytes, and small modules.
"""

ODD = ['0', '-1', '1', '2', '99', '-5', '10**20', 'None', "'a'", "''", "b'a'", 'True', '1.5', '[]', "['a', 'b']", '(1, 2)', "{'a': 1}", '{1}', "'abc'",
       'int', 'len', "',', 1", "'a', 'b'", '1, 2', "key=1", "sep=None", "'é'", "range(3)", "'a', 0, 2", 'x', 'y', 'float("nan")', '-2**70']
DECIMALS = ["Decimal('1.10')", "Decimal('-3')", "Decimal('0.1')", "Decimal('1E+5')", "Decimal('123.4567890123456789012345678901')", "Decimal(7)", "Decimal('-0.00')", 'Decimal(0.5)', "Decimal('1e-10')"]
FRACTIONS = ['Fraction(1, 3)', 'Fraction(-7, 2)', 'Fraction(4)', "Fraction('0.25')", 'Fraction(0.5)', "Fraction('3/6')", 'Fraction(10**20, 3)']
BYTES = ["bytearray(b'hello')", 'bytearray()', 'bytearray(range(5))', "bytearray(b'a,b')", 'bytearray(3)']
STRING_METHODS = ['split', 'rsplit', 'join', 'strip', 'lstrip', 'replace', 'find', 'rfind', 'index', 'count', 'startswith', 'endswith', 'center', 'ljust', 'rjust', 'zfill', 'partition', 'rpartition',
                  'format', 'encode', 'removeprefix', 'removesuffix', 'upper', 'isdigit', 'casefold']
LIST_METHODS = ['append', 'extend', 'insert', 'pop', 'remove', 'index', 'count', 'sort', 'reverse', 'copy', 'clear']
DICT_METHODS = ['get', 'pop', 'setdefault', 'update', 'fromkeys', 'keys', 'items', 'popitem', 'copy']
SET_METHODS = ['add', 'discard', 'remove', 'union', 'intersection', 'difference', 'symmetric_difference', 'update', 'issubset', 'issuperset', 'isdisjoint', 'pop', 'intersection_update', 'difference_update']


class Wide:
    """Uses one, some, atom, expression and self.r of lang_programs.Generator."""

    def kinds_of_wide(self):
        return [(6, self.odd_arguments), (4, self.decimals), (3, self.exact_fractions), (4, self.byte_arrays), (4, self.protocols), (4, self.talked_to), (3, self.walrus), (4, self.unwinding),
                (3, self.total_and_cached), (3, self.small_modules), (3, self.metaclasses), (3, self.printed), (3, self.slice_objects), (3, self.star_expressions), (2, self.annotations), (3, self.patterns)]

    def odd_arguments(self):
        subject, method = self.one([(self.one(["'a,b'", "'Hello'", "''", "'é1'", "'%s'"]), self.one(STRING_METHODS)), (self.one(['[3, 1, 2]', '[]', "['b', 'a']"]), self.one(LIST_METHODS)),
                                    (self.one(["{'a': 1}", '{}', '{1: 2}']), self.one(DICT_METHODS)), (self.one(['{1, 2}', 'set()', 'frozenset([1])']), self.one(SET_METHODS)),
                                    (self.one(['5', '-7', 'True', '10**20']), self.one(['bit_length', 'bit_count', 'conjugate', 'as_integer_ratio'])),
                                    (self.one(['2.5', '-0.0', '1e300']), self.one(['is_integer', 'hex', 'conjugate', 'as_integer_ratio'])),
                                    (self.one(["b'a,b'", "b''"]), self.one(STRING_METHODS[:20])), (self.one(['(1, 2)', '()']), self.one(['index', 'count']))])
        return ['v = %s' % subject, 'show(v.%s(%s))' % (method, self.one(ODD + [''] * 5)), 'show(v)']

    def decimals(self):
        a, b = self.one(DECIMALS), self.one(DECIMALS + ['2', '-1', '1.5', "'1'"])
        return ['from decimal import *', 'a, b = %s, %s' % (a, b), 'show(%s)' % self.one(
            ['a + b', 'a - b', 'a * b', 'a / b', 'a // b, a % b', '-a, abs(a), +a', 'a ** 2', 'a < b, a == b', 'max(a, b)', 'a.quantize(Decimal("0.01"))', 'a.quantize(Decimal("1."), rounding=ROUND_HALF_UP)', 'round(a, 1), round(a)',
             'int(a), float(a), bool(a)', 'f"{a:.2f} {a:10} {a:,} {a:e} {a:+.1%}"', 'str(a), repr(a), a', 'a.normalize(), a.as_tuple()', 'a.sqrt() if a >= 0 else 0', 'sorted([a, Decimal(1), 0.5])', 'hash(a) == hash(Decimal(str(a)))',
             'a.to_integral_value(), a.adjusted()', 'a.as_integer_ratio()', '[a, b, {a: 1}]', 'sum([a, a, 1])', '1 + a, 2 * a, 1 - a', 'a.is_nan(), a.is_zero(), a.is_signed()', 'Decimal(str(b)) + a', 'divmod(a, b)', 'a.compare(Decimal(1))'])]

    def exact_fractions(self):
        a, b = self.one(FRACTIONS), self.one(FRACTIONS + ['2', '-1', '0.5', 'True'])
        return ['from fractions import Fraction', 'a, b = %s, %s' % (a, b), 'show(%s)' % self.one(
            ['a + b, a - b', 'a * b', 'a / b', 'a // b, a % b', 'a ** 2, a ** -1', 'a < b, a == b, a >= b', 'str(a), repr(a)', 'a.numerator, a.denominator', 'float(a), int(a), round(a), round(a, 1)', 'a.limit_denominator(3)', 'max(a, b), sum([a, a])', '-a, abs(a), bool(a)', 'hash(a) == hash(Fraction(a))', 'divmod(a, b)', '1 + a, 1 / a, 2 - a'])]

    def byte_arrays(self):
        steps = ['b.append(%s)' % self.one(['65', '256', '-1', "'a'", '0']), 'b += %s' % self.one(["b'xy'", "'x'", 'bytearray(2)']), 'b[%s] = %s' % (self.one(['0', '-1', '9', '1:2', '::2', ':']), self.one(['66', "b'zz'", '[1, 2]', "'q'", '300'])),
                 'b.extend(%s)' % self.one(['[1, 2]', "b'q'", "'s'", '5']), 'show(b.pop())', 'b.reverse()', 'del b[%s]' % self.one(['0', ':1', '::2', '7']), 'b.insert(1, 67)', 'b.remove(%s)' % self.one(['104', '1']), 'b *= 2', 'b.clear()']
        uses = ['b', 'len(b), list(b)', 'bytes(b)', 'b[:2], b[-1:]', 'b == bytes(b), b"x" + b, b + b"x"', 'b.upper(), b.find(b"l"), b.hex()', 'b.split(b",")', '104 in b, b"he" in b', 'b.decode("latin-1")', 'sorted(b), sum(b)', 'memoryview(b)[1:].tolist()', 'isinstance(b, bytes)', 'b < b"z"', 'b.replace(b"l", b"")', 'hash(b)', 'b.count(0)', 'int.from_bytes(b, "little")']
        return ['b = %s' % self.one(BYTES)] + self.some(steps, 0, 3) + ['show(b)', 'show(%s)' % self.one(uses)]

    def protocols(self):
        return self.one([
            ['class D:', '    def __set_name__(self, owner, name): self.name = name', '    def __get__(self, i, owner): return (self.name, i is None, owner.__name__)', '    def __set__(self, i, v): show("set", self.name, v)', 'class A:', '    d = D()', 'a = A()', 'show(A.d, a.d)', 'a.d = %s' % self.atom(), 'show(a.__dict__)'],
            ['class A:', '    __slots__ = (%s)' % self.one(["'p',", "'p', 'q'", ]), 'a = A()', 'a.p = %s' % self.atom(), 'show(a.p, hasattr(a, "q"))', self.one(['del a.p', 'show(a.__slots__)'])],
            ['class A:', '    def __getattr__(self, n): return n * 2 if len(n) < 4 else object.__getattribute__(self, n)', '    def __delattr__(self, n): show("del", n)', 'a = A()', 'show(a.xy, getattr(a, "longer", 0))', 'del a.q', self.one(['show(hasattr(a, "abcd"), hasattr(a, "ab"))', 'a.abcd'])],
            ['class A:', '    subs = []', '    def __init_subclass__(cls, **k): cls.subs.append((cls.__name__, k))', 'class B(A%s): pass' % self.one(['', ', tag=1']), 'show(A.subs, B.subs is A.subs)'],
            ['class M(dict):', '    def __missing__(self, k): return ("no", k)', 'show(M(a=1)["a"], M()["z"], M().get("z"))'],
            ['class A:', '    def __enter__(self): return 1', '    def __exit__(self, *a): return %s' % self.one(['True', 'False', 'a[0] is KeyError']), 'with A() as v: %s' % self.one(['{}[v]', 'show(v)', '1 / 0']), 'show("on")'],
            ['class A:', '    def __reversed__(self): return iter("cba")', '    def __length_hint__(self): return 3', '    def __round__(self, n=None): return ("r", n)', '    def __divmod__(self, o): return "dm"', '    def __abs__(self): return "abs"', '    def __trunc__(self): return 4', 'a = A()', 'show(list(reversed(a)), round(a), round(a, 2), divmod(a, 1), abs(a))', 'import math; show(math.trunc(a))'],
            ['def deco(c):', '    c.extra = %s' % self.atom(), '    return c', '@deco', 'class A: pass', 'show(A.extra, A().extra, A.__name__, A.__qualname__)'],
            ['class A:', '    def __init__(self): self.log = []', '    def __contains__(self, v): self.log.append(v); return %s' % self.one(['0', '1', '""']), 'a = A()', 'show(1 in a, 2 not in a, a.log)'],
            ['class A:', '    @classmethod', '    def make(cls, *a): return (cls.__name__, a)', '    @staticmethod', '    def plain(*a): return a', '    make2 = make', 'class B(A): pass', 'show(B.make(1), B().make(), A.plain(2), B.make2(), B().plain(3))'],
            ['class A(%s):' % self.one(['list', 'dict', 'set', 'str', 'tuple', 'int']), '    def __repr__(self): return "A:" + super().__repr__()', 'a = A()', 'show(a, len(a) if hasattr(a, "__len__") else 0, type(a)() == a, isinstance(a, A))']])

    def talked_to(self):
        steps = ['show(next(g))', 'show(g.send(%s))' % self.atom(), 'show(g.throw(ValueError("t")))', 'g.close()', 'show(list(g))', 'show(next(g, "end"))', 'show(g.throw(KeyError, "k"))', 'g.send(1)']
        body = ['    try:', '        got = yield 1', '        show("got", got)', '        %s' % self.one(['yield 2', 'x = yield got', 'yield from [7, 8]', 'return 5']), '    except ValueError as e:', '        show("caught", str(e))', '        %s' % self.one(['yield "after"', 'return', 'raise KeyError(1)', 'pass']),
                '    finally:', '        show("finally")', '    %s' % self.one(['return "r"', 'yield 9', 'pass'])]
        return ['def gen():'] + body + ['def outer():', '    r = yield from gen()', '    show("r", r)', '    yield r', 'g = %s()' % self.one(['gen', 'outer'])] + self.some(steps, 2, 5) + ['g.close()']

    def walrus(self):
        return [self.one(['if (n := len(%s)) > 1: show(n)' % self.one(["'abc'", '[1]', '()']), 'show([y := 1, y + 1], y)', 'show([(k := v * 2) for v in range(3)], k)', 'while (c := (locals().get("c", 0) if False else 3)) > 5: pass\nshow(c)', 'show(any((w := v) > 1 for v in [1, 2, 3]), w)',
                          'a = b = c = %s\nshow(a, b, c)' % self.atom(), 'show((lambda: (t := 5) + t)())', 'print(f"{(q := 7)} {q}")', 'x, y = (z := 1), z\nshow(x, y, z)', 'def f(v=(d := 4)): return v\nshow(f(), d)'])]

    def unwinding(self):
        act = lambda: self.one(['return %d' % self.r.randint(1, 9), 'raise ValueError(i)', 'pass', 'continue', 'break', '1 / 0', '{}[i]', 'log.append(i)', 'raise', 'raise KeyError(i) from None'])
        return ['log = []', 'def f():', '    for i in range(3):', '        try:', '            %s' % act(), '        except %s:' % self.one(['ValueError', 'ZeroDivisionError', 'Exception', '(KeyError, TypeError)', 'BaseException']), '            %s' % act(), '        else:', '            %s' % act().replace('raise\n', 'pass\n'),
                '        finally:', '            log.append(-i)', '            %s' % self.one(['pass', 'pass', 'pass', act()]), '    return "end"', 'try: show(f())', 'except Exception as e: show(type(e).__name__, e.args, type(e.__context__).__name__, e.__cause__, e.__suppress_context__)', 'show(log)']

    def total_and_cached(self):
        return self.one([
            ['import functools', '@functools.total_ordering', 'class A:', '    def __init__(self, v): self.v = v', '    def __eq__(self, o): return self.v == o.v', '    def __lt__(self, o): return self.v < o.v', 'show(A(1) <= A(2), A(2) > A(1), A(1) >= A(1), sorted([A(2), A(1)])[0].v)'],
            ['import functools', 'class A:', '    @functools.cached_property', '    def p(self): show("made"); return %s' % self.atom(), 'a = A()', 'show(a.p, a.p, "p" in a.__dict__)'],
            ['import functools', '@functools.singledispatch', 'def f(v): return "any"', '@f.register(int)', 'def _(v): return "int"', '@f.register(list)', 'def _(v): return "list"', 'show(f(%s), f(1), f([]), f("s"))' % self.atom()],
            ['import functools', '@functools.lru_cache(maxsize=%s)' % self.one(['9', 'None']), 'def f(a, b=0): show("call", a); return a', 'show(f(1), f(1), f(2), f(3), f(1), f(1, b=0))'],
            ['import functools', 'p = functools.partial(%s, %s)' % (self.one(['int', 'print', 'max', 'lambda *a, **k: (a, k)']), self.one(['2', "'3'", '1, 5'])), 'show(p(%s))' % self.one(['3', '', "'a'"]), 'show(p.args, p.keywords)']])

    def small_modules(self):
        return [self.one([
            'import heapq; h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, %s); show([heapq.heappop(h) for _ in range(len(h))])' % self.one(['0', '3', '9', '2.5']),
            'import heapq; show(heapq.nlargest(2, %s), heapq.nsmallest(2, [3, 1, 2]), list(heapq.merge([1, 4], [2, 3])))' % self.one(['[3, 1, 2]', "'hello'", '[(1, 2), (1, 1)]']), 'import bisect; a = [1, 3, 3, 5]; bisect.insort(a, %s); show(a, bisect.bisect_left(a, 3), bisect.bisect_right(a, 3), bisect.bisect(a, 9))' % self.one(['2', '3', '0', '9', '3.5']),
            'import statistics; d = %s; show(statistics.mean(d), statistics.median(d), statistics.pstdev(d))' % self.one(['[1, 2, 4]', '[1.5, 2.5]', '[3]', '[]', '[1, 1, 2, 9]']), 
            'import textwrap; show(textwrap.wrap(%s, %d), textwrap.fill("a b c", 3), textwrap.dedent("  x\\n   y"))' % (self.one(["'the quick brown fox jumps'", "'aaa bbbbbbbbbbbb c'", "''"]), self.r.randint(1, 12)), 'import struct; show(struct.pack(%r, 1, 2), struct.calcsize("ihb"), struct.unpack("<h", b"\\x01\\x02"))' % self.one(['<hh', '>ii', '=bB', 'hh', '<QB']),
            'import base64; show(base64.b64encode(%s), base64.b64decode(b"YWI="), base64.b16encode(b"q"))' % self.one(["b'abc'", "b''", "'s'", "b'\\xff\\xfe'"]), 'import itertools; show(list(itertools.batched([1], 1)))' if False else 'import itertools; show(list(itertools.accumulate(%s, lambda a, b: a * b)), list(zip(*[iter("abcdef")] * 2)))' % self.one(['[1, 2, 3]', '[]', "'ab'"]),
            'import operator; show(operator.itemgetter(0, 2)("abc"), operator.methodcaller("upper")("q"), operator.mul(%s, 2), operator.contains([1], 1), operator.index(5))' % self.atom(), 'import copy; a = [1, [2]]; b, c = copy.copy(a), copy.deepcopy(a); a[1].append(3); show(a, b, c)', 'import math; show(math.comb(%d, 3), math.perm(5, 2), math.prod([1, 2, 3.5]), math.dist([0, 0], [3, 4]), math.lcm(4, 6))' % self.r.randint(0, 20),
            'import enum\nclass C(enum.%s):\n    A = 1\n    B = 2\nshow(C.A, C.B.value, C(1), C["B"], list(C), C.A == 1, C.A is C(1), repr(C.A))' % self.one(['Enum', 'IntEnum']), 'from types import SimpleNamespace as N; n = N(a=%s); n.b = 2; show(n, n == N(a=1, b=2), vars(n))' % self.atom(), 'import uuid' if False else 'import contextlib; \nwith contextlib.suppress(%s): 1 / 0\nshow("on")' % self.one(['ZeroDivisionError', 'KeyError', 'Exception']),
            'from typing import NamedTuple' if False else 'from collections import namedtuple; P = namedtuple("P", %s, defaults=[7]); show(P(1, 2) if len(P._fields) == 2 else P(1), P._fields, P._field_defaults)' % self.one(["'a b'", "['a', 'b']", "'a'"]), 'from collections import Counter; a, b = Counter(%s), Counter("ab"); show(a + b, a - b, a & b, a | b, a.most_common(1), sorted(a.elements()))' % self.one(["'abca'", "'aab'", "['a', 'b']"])])]

    def metaclasses(self):
        return ['class M(type):', '    def __new__(m, n, b, d, **k):', '        d["made"] = %s' % self.atom(), '        return super().__new__(m, n, b, d)', '    def __call__(cls, *a): %s' % self.one(['return super().__call__(*a)', 'return ("called", a)']), '    def __len__(cls): return 4', '    def __iter__(cls): return iter("ab")', '    def __getattr__(cls, n): return "meta " + n', 'class A(metaclass=M):', '    def __init__(self, *a): self.a = a',
                'show(A.made, len(A), list(A), A.nothing, type(A).__name__)', 'v = A(%s)' % self.one(['', '1', '1, 2']), 'show(v if isinstance(v, tuple) else v.a, isinstance(A, M), %s)' % self.one(['A.__name__', 'issubclass(A, object)', 'A.__mro__[-1]', 'hasattr(v, "nothing")'])]

    def printed(self):
        values = ', '.join(self.atom() for _ in range(self.r.randint(0, 3)))
        return ['print(%s)' % ', '.join(p for p in [values, self.one(['', 'sep=%s' % self.one(["''", "'-'", 'None', '1'])]), self.one(['', 'end=%s' % self.one(["''", "'|\\n'", 'None', "'\\n\\n'"])])] if p), 'print()']

    def slice_objects(self):
        part = lambda: self.one(['None', '0', '1', '-1', '5', '-9', "'a'", 'True'])
        return ['s = slice(%s)' % ', '.join(part() for _ in range(self.r.randint(1, 3))), 'show(s, s.start, s.stop, s.step, s == slice(1), s.indices(%d))' % self.r.randint(0, 7), 'show(%s[s])' % self.one(['[1, 2, 3, 4]', "'hello'", 'range(9)', '(1, 2)', "b'xyz'", "{'a': 1}"])]

    def star_expressions(self):
        return [self.one(['show([*%s, *%s])' % (self.atom(), self.atom()), 'show({**{"a": 1}, **%s})' % self.one(["{'a': 2}", '{}', '{1: 2}', '5', '[]']), 'show((*%s,))' % self.atom(), 'show({*%s, 1})' % self.one(['[1, 2]', '()', "5"]), 'show(max(*%s, 3))' % self.one(['[1, 2]', "'a'", '()']), 'a, *b, c = %s\nshow(a, b, c)' % self.atom(),
                          'for a, *b in [(1, 2, 3), %s]: show(a, b)' % self.atom(), 'show(list(zip([1, 2], %s, strict=True)))' % self.one(['[3, 4]', '[3]', "'abc'"]), 'show(dict(zip("ab", %s)), list(enumerate(%s, start=%s)))' % (self.atom(), self.one(["'xy'", '[]']), self.one(['0', '5', '-1'])), 'show(sum([[1], [2]], []), sum((1, 2.5), start=%s))' % self.one(['1', '0.5', '[]', "''"]),
                          'show(min(%s, key=lambda v: str(v), default="d"))' % self.one(['[3, 20, 1]', '[]', "'ba'"]), 'print(*%s, sep="/")' % self.atom(), 'del x, y\nx, y = 1, 2\nshow(x, y)', 'show(*[1, 2], *(3,), **{})'])]

    def annotations(self):
        return [self.one(['v: int = %s\nshow(v)' % self.atom(), 'v: "text"\nshow("no value")', 'def f(a: int, b: str = "q", *c: float, d: bool = True, **e: None) -> list: return [a, b, c, d, e]\nshow(f(%s))' % self.one(['1', '1, 2, 3', 'a=1, z=2']), 'class A:\n    n: int = 3\n    m: str\nshow(A.n, hasattr(A, "m"))',
                          'global g1; g1 = 5' if False else 'def f():\n    global g1\n    g1 = %s\nf()\nshow(g1)' % self.atom(), 'def f(a, /, b, *, c): return (a, b, c)\nshow(f(%s))' % self.one(['1, 2, c=3', '1, b=2, c=3', 'a=1, b=2, c=3', '1, 2, 3', '1, c=3'])])]

    def patterns(self):
        pattern, text = self.one([(r'(\d+)-(\w+)', "'12-ab 3-c'"), (r'a*', "'baac'"), (r'[^,]+', "'x,y,,z'"), (r'^(\w)(\w)?', "'q'"), (r'(?P<n>\w+)=(?P<v>\d*)', "'a=1 b='"), (r'\s+', "' a  b '"), (r'(a|b)+', "'abba'"), (r'\bw', "'wow ww'"), (r'.', "'é\\n'"), (r'x{2,3}', "'xxxxx'")])
        use = self.one(['re.findall(p, t)', 're.split(p, t)', 're.sub(p, "<>", t)', 're.sub(p, lambda m: m.group(0).upper(), t, count=1)', '[m.span() for m in re.finditer(p, t)]', '(re.match(p, t) or [None])[0]', 're.search(p, t).groups()', 're.search(p, t).groupdict()', 're.fullmatch(p, t)', 're.subn(p, "-", t)', 're.compile(p).pattern', 're.escape(t)', 're.search(p, t, re.I).start()'])
        return ['import re', 'p, t = %r, %s' % (pattern, text), 'show(%s)' % use]
