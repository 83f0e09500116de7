"""Additional kinds of random statements for lang_programs.py: longer ones that are composed of random parts.

lang_programs.py uses lists of fixed forms. These generators build their forms: nested blocks, format specs letter by
letter, doubles from random bits, classes with random bases.
"""
import struct

BASES = ['', '(object)', '(list)', '(dict)', '(Exception)', '(tuple)', '(str)', '(int)', '(float)', '(set)', '(ValueError)']
BINARY_DUNDERS = [('add', '+'), ('sub', '-'), ('mul', '*'), ('truediv', '/'), ('floordiv', '//'), ('mod', '%'), ('pow', '**'), ('and', '&'),
                  ('or', '|'), ('xor', '^'), ('lshift', '<<'), ('rshift', '>>'), ('matmul', '@')]
COMPARES = [('lt', '<'), ('le', '<='), ('eq', '=='), ('ne', '!='), ('gt', '>'), ('ge', '>=')]


class More:
    """Uses one, some, atom, expression and self.r of lang_programs.Generator."""

    def kinds_of_more(self):
        return [(6, self.any_double), (6, self.any_spec), (5, self.any_flow), (5, self.any_class), (4, self.operator_classes),
                (4, self.nested_comprehension), (4, self.pipeline), (4, self.decorators), (4, self.keyed_sorts), (3, self.contexts),
                (3, self.star_calls), (4, self.text_calls), (3, self.big_ints), (3, self.dict_work), (3, self.set_algebra),
                (3, self.number_subclasses), (3, self.properties_and_supers), (3, self.strides), (3, self.json_round), (2, self.dates),
                (2, self.memory_files), (2, self.signatures), (3, self.iterators), (3, self.nonlocals), (2, self.fstrings)]

    # ---- numbers ----

    def double(self):
        kind = self.r.randrange(6)
        if kind == 0:
            return repr(struct.unpack('<d', struct.pack('<Q', self.r.getrandbits(64)))[0]).replace('inf', "1e999").replace('nan', '(1e999-1e999)')
        if kind == 1:
            return '%d.%0*d' % (self.r.randint(-999, 999), self.r.randint(1, 18), self.r.randint(0, 9))
        if kind == 2:
            return '%de%d' % (self.r.randint(-99, 99), self.r.randint(-330, 310))
        if kind == 3:
            return repr(self.r.randint(-2**70, 2**70) / 2**self.r.randint(0, 80))
        if kind == 4:
            return repr(self.r.choice([0.5, 1.5, 2.5, 0.125, 1e15, 1e16, 9007199254740993.0, 0.05, 0.45, 1.005]) * self.r.choice([1, -1, 10, 100]))
        return repr(round(self.r.uniform(-1000, 1000), self.r.randint(0, 6)))

    def integer(self):
        return str(self.r.choice([self.r.randint(-9, 9), self.r.randint(-2**31, 2**31), self.r.randint(-2**63, 2**64), self.r.randint(-10**40, 10**40)]))

    def any_double(self):
        d, e = '(%s)' % self.double(), '(%s)' % self.double()
        return ['a, b = %s, %s' % (d, e), self.one([
            'show(a, str(a), repr(a), [a])', 'show(a + b, a - b, a * b)', 'show(a / b)', 'show(a // b, a % b)', 'show(divmod(a, b))', 'show(round(a, %d))' % self.r.randint(-5, 20),
            'show(round(a))', 'show(int(a))', 'show(a == int(a), a < 10**30, a >= 2**60)', 'show(a.hex(), float.fromhex(a.hex()) == a)', 'show(a.as_integer_ratio())',
            'show("%%.%d%s" %% a)' % (self.r.randint(0, 25), self.one('eEfFgG')), 'show("%%%s%d.%d%s|" %% a)' % (self.one(['', '-', '+', '0', ' ', '#', '+0', '-#']), self.r.randint(1, 30), self.r.randint(0, 20), self.one('eEfFgG')),
            'show(a ** 2)', 'show(abs(a), -a, +a, bool(a))', 'show(min(a, b), max(a, b))', 'show(sorted([a, b, 0, 1.5]))', 'show(hash(a) == hash(int(a)) if a == a and abs(a) < 1e300 else 0)',
            'show(a < b, a <= b, a == b, a != b, a > b, a >= b)', 'show(f"{a:.3f} {b:10.2e} {a!r}")', 'show(complex(a, b), complex(a, b) * 2)', 'import math; show(math.floor(a), math.ceil(a), math.trunc(a))',
            'import math; show(math.frexp(a), math.modf(b))', 'show(a.is_integer(), (a + 0j).real, a.conjugate())', 'show(float(str(a)) == a, float("  %r  " % a) == a)'])]

    def any_spec(self):
        r = self.r
        spec = self.one(['', '', '', '*', 'x', '0', ' ', '<', '日']) if r.random() < .3 else ''
        align = self.one(['<', '>', '^', '='])
        spec = (spec + align) if spec or r.random() < .4 else ''
        spec += self.one(['', '', '+', '-', ' ']) + self.one(['', '', '', '#']) + self.one(['', '', '0']) + self.one(['', str(r.randint(0, 30))])
        spec += self.one(['', '', ',', '_']) + self.one(['', '', '.%d' % r.randint(0, 20)]) + self.one(list('bcdeEfFgGnosxX%') + [''] * 6)
        value = self.one([self.double(), self.integer(), self.double(), self.integer(), "'text'", 'True', '(1+2.5j)', 'None', '[1]', "''", "'日本'"])
        return ['v = %s' % value, self.one(['show(format(v, %r))' % spec, 'show("[{:%s}]".format(v))' % spec.replace('{', ''), 'show(f"{v:%s}|")' % spec])]

    def big_ints(self):
        a, b = self.integer(), self.integer()
        return ['a, b = %s, %s' % (a, b), self.one([
            'show(a + b, a - b, a * b)', 'show(a // b, a % b)', 'show(divmod(a, b), divmod(-a, b))', 'show(a & b, a | b, a ^ b, ~a)', 'show(a >> %d, a << %d)' % (self.r.randint(0, 90), self.r.randint(0, 90)),
            'show(hex(a), oct(a), bin(b))', 'show(int(str(a)) == a, int(hex(a), 16) == a)', 'show(float(a), a / b)', 'show(a.bit_length(), a.bit_count())', 'show(f"{a:,} {b:_} {a:x} {b:+e}")', 'show(pow(a, 3), pow(abs(a), 5, 97))',
            'show(a < b, a == b, a > float(b), a == float(a))', 'import math; show(math.gcd(a, b), math.isqrt(abs(a)))', 'show(round(a, -%d))' % self.r.randint(0, 30), 'show(a.to_bytes(20, "little", signed=True))',
            'show(int.from_bytes(a.to_bytes(20, "big", signed=True), "big", signed=True) == a)', 'show(hash(a), hash(-a))', 'show("%d %x %o %r %e" % (a, b, abs(a), b, a))', 'show(sum([a, b, a]), max(a, b), abs(a))'])]

    # ---- blocks inside blocks ----

    def any_flow(self):
        self.left = 14
        return ['def f(v):', '    log = []'] + self.block(1, False) + ['    return log', 'show(f(%s))' % self.atom(), 'show(f(%s))' % self.one(['0', '3', '[1, 2]', "'ab'"])]

    def leaf(self, loop):
        options = ['log.append(%s)' % self.one(['1', 'v', 'len(log)', 'str(v)', '-1']), 'v = %s' % self.one(['2', 'log', 'v', "'s'", '[v]', '0']), 'log += [%s]' % self.one(['v', '9']), 'v // 1',
                   'return (log, %s)' % self.one(['v', '"r"']), 'raise %s' % self.one(['ValueError(v)', 'KeyError("k")', 'IndexError', 'TypeError(1, 2)']), 'log.append(v[0])', 'assert log, "empty"', 'int(v)', 'pass']
        if loop:
            options += ['break', 'continue', 'break', 'if len(log) > 3: break', 'log.append(i)']
        return self.one(options)

    def block(self, depth, loop):
        lines = []
        for _ in range(self.r.randint(1, 3)):
            self.left -= 1
            pad = '    ' * depth
            if self.left <= 0 or depth > 4 or self.r.random() < .4:
                lines.append(pad + self.leaf(loop))
                continue
            sub = lambda inside=loop: self.block(depth + 1, inside)
            kind = self.r.randrange(5)
            if kind == 0:
                lines += [pad + 'for i in %s:' % self.one(['range(3)', '(v, 1)', "'ab'", 'log[:2]', 'range(2, 0, -1)'])] + sub(True)
                if self.r.random() < .4:
                    lines += [pad + 'else:'] + sub()
            elif kind == 1:
                lines += [pad + 'if %s:' % self.one(['v', 'not log', 'len(log) < 3', 'isinstance(v, int)', 'log and log[-1] == 1'])] + sub()
                if self.r.random() < .5:
                    lines += [pad + 'else:'] + sub()
            elif kind == 2:
                lines += [pad + 'while len(log) < %d:' % self.r.randint(0, 4), pad + '    log.append(0)'] + sub(True)
                if self.r.random() < .3:
                    lines += [pad + 'else:'] + sub()
            elif kind == 3:
                lines += [pad + 'try:'] + sub()
                lines += [pad + 'except %s:' % self.one(['ValueError', '(TypeError, KeyError)', 'Exception as e', 'LookupError as e', 'ArithmeticError'])] + sub()
                if self.r.random() < .3:
                    lines += [pad + 'else:'] + sub()
                if self.r.random() < .4:
                    lines += [pad + 'finally:', pad + '    log.append("f")'] + (sub() if self.r.random() < .5 else [])
            else:
                lines += [pad + 'try:'] + sub() + [pad + 'finally:', pad + '    log.append("end")']
        return lines

    def contexts(self):
        return ['import contextlib', '@contextlib.contextmanager', 'def c(name, swallow=False):', '    show("in", name)', '    try: yield name', '    except %s as e:' % self.one(['ValueError', 'Exception', 'KeyError']),
                '        show("got", repr(e))', '        if not swallow: raise', '    finally: show("out", name)', 'def run():', '    for i in range(2):', '        with c("a", %s) as a, c("b", %s):' % (self.one(['True', 'False']), self.one(['True', 'False'])),
                '            %s' % self.one(['raise ValueError(i)', 'return a', 'continue', 'break', 'show(a)', '{}[i]', 'pass']), '    return "end"', 'show(run())']

    # ---- classes ----

    def any_class(self):
        first, second = self.one(BASES), self.one(['(A)', '(A)', '(A, object)', ''])
        value = self.one(['[3, 1]', "{'k': 1}", '(1, 2)', "'text'", '5', '2.5', "('m', 1)", '{1}'])
        body = self.some(['    n = 1', '    def m(self): return type(self).__name__', '    def __repr__(self): return "<A>"', '    def __len__(self): return 7', '    def __str__(self): return "A!"', '    def __bool__(self): return False',
                          '    def __eq__(self, o): return isinstance(o, A)', '    def __contains__(self, v): return v == 1', '    def __call__(self, *a): return a', '    def __getitem__(self, k):\n        if k == 3: raise IndexError(k)\n        return ("item", k)',
                          '    def __hash__(self): return 3', '    def __iter__(self): return iter([1, 2])', '    @property\n    def p(self): return "p"', '    @staticmethod\n    def s(v): return v', '    @classmethod\n    def c(cls): return cls.__name__'], 1, 4)
        uses = ['len(a)', 'str(a)', 'repr(a)', 'bool(a)', 'a == A(%s)' % value, '1 in a', 'list(a)', 'a.m()', 'a.p', 'a.s(1)', 'A.c()', 'a.c()', 'isinstance(a, A)', 'a[0]', 'a()', 'a + a', 'a * 2', 'hash(a) == hash(a)', 'sorted(a)', 'a.n', 'B.n',
                '"%s|%r" % (a, a)', 'f"{a}"', '[a]', 'a < a', 'a.nosuch', 'A.__mro__[1].__name__', 'A.__name__', 'a.__class__.__name__', 'issubclass(B, A)', 'max(a)', 'a.__dict__', 'b.m()', 'repr(b)', 'len(b)', 'dict(a)', 'a != b', '{a: 1}[a]', 'A(1, 2, 3)']
        arguments = '' if first in ('', '(object)') else value
        if first == '(dict)':
            arguments = "{'k': 1}"
        if first in ('(int)', '(float)'):
            arguments = self.one(['5', '2.5', "'12'", 'True', '10**20'])
        lines = ['class A%s:' % first] + body + ['class B%s:' % second, '    n = 2', '    def m(self): return "B" + str(%s)' % self.one(['super().m() if hasattr(super(), "m") else 0', 'self.n', '1']), 'a, b = A(%s), B(%s)' % (arguments, arguments if second else '')]
        return [l for text in lines for l in text.split('\n')] + ['try: show(%s)\nexcept Exception as e: show(type(e).__name__, str(e)[:60])' % u for u in self.some(uses, 2, 4)]

    def operator_classes(self):
        name, sign = self.one(BINARY_DUNDERS)
        compare, comparison = self.one(COMPARES)
        answer = self.one(['("own", type(o).__name__)', 'NotImplemented', 'self', 'V(self.v)'])
        return ['class V:', '    def __init__(self, v=1): self.v = v', '    def __repr__(self): return "V(%r)" % (self.v,)',
                '    def __%s%s__(self, o): return %s' % (self.one(['', 'r', 'i']), name, answer), '    def __%s__(self, o): return %s' % (compare, answer), 'class W(V):',
                '    def __%s%s__(self, o): return "W"' % (self.one(['', 'r']), name), 'v, w = V(), W(2)', 'other = %s' % self.atom(),
                'try: show(%s)' % self.one(['v %s other' % sign, 'other %s v' % sign, 'v %s w' % sign, 'w %s v' % sign, 'v %s v' % sign]), 'except TypeError as e: show(str(e))',
                'try: show(%s)' % self.one(['v %s other' % comparison, 'other %s v' % comparison, 'v %s w' % comparison, 'v %s v' % comparison]), 'except TypeError as e: show(str(e))',
                'try:', '    v %s= %s' % (sign, self.one(['other', 'w', 'v'])), '    show(v)', 'except TypeError as e: show(str(e))']

    def number_subclasses(self):
        base, value = self.one([('int', self.integer()), ('float', self.double()), ('int', '7'), ('float', '2.5'), ('str', "'abc'"), ('tuple', '(1, 2)')])
        use = self.one(['n + 1', '1 + n', 'n * 2', 'n == %s' % value, 'hash(n) == hash(%s)' % value, '{%s: "x"}.get(n)' % value, 'n < 5', '-n', 'abs(n)', 'str(n)', 'repr(n)', 'f"{n:>30}"', 'int(n)', 'float(n)', 'bool(n)', 'n.real', 'n / 2', 'n // 2',
                        'n ** 2', 'type(n + n).__name__', 'isinstance(n, %s)' % base, 'n.twice()', 'n.tag', 'sorted([n, 3])', 'sum([n])', 'max(n, 0)', 'round(n)', 'list(range(n))[:3] if abs(n) < 99 else 0', '[1, 2, 3][n]', '"ab" * n if not 99 < abs(n) < 2**70 else 0', 'n in [%s]' % value, '"%d %s %r" % (n, n, n)',
                        'divmod(n, 2)', 'n & 1', 'type(n)(n)', 'n.__add__(1)', '%s.__repr__(n)' % base, 'n + 1.5', 'n == n', 'n is n', '[n, n]', 'hex(n)', 'n.bit_length()', 'n.nosuch', 'format(n, ".2f")'])
        return ['class N(%s):' % base, '    def twice(self): return self + self', 'n = N(%s)' % value, 'n.tag = "t"', 'show(%s)' % use]

    def properties_and_supers(self):
        return ['class A:', '    def __init__(self, *a, **k): self.a, self.k = a, k', '    def go(self): return ["A"]', 'class B(A):', '    def go(self): return ["B"] + super().go()', 'class C(A):', '    def go(self): return ["C"] + super().go()',
                'class D(%s):' % self.one(['B, C', 'C, B', 'B', 'A', 'B, A']), '    def go(self): return ["D"] + super(D, self).go()', '    @property', '    def x(self): return self.__dict__.get("_x", %s)' % self.atom(), '    @x.setter',
                '    def x(self, v): self._x = v', '    @x.deleter', '    def x(self): %s' % self.one(['del self._x', 'show("del")']), 'd = D(%s)' % self.one(['1, 2', 'q=1', '*[1], **{"z": 2}', '']), 'show(d.go(), d.a, d.k, d.x)', 'd.x = 5', 'show(d.x, sorted(d.__dict__))',
                'del d.x', 'show(d.x, vars(d) == d.__dict__, getattr(D, "x").__class__.__name__)', self.one(['del d.x', 'd.y', 'D.go()', 'd.go(1)', 'setattr(d, "go", lambda: 1); show(d.go())'])]

    # ---- functions ----

    def decorators(self):
        return ['import functools', 'calls = []', 'def counted(%s):' % self.one(['tag="t"', 'tag']), '    def wrap(f):', '        %s' % self.one(['@functools.wraps(f)', 'pass']), '        def inner(*a, **k):', '            calls.append((tag, a, sorted(k)))',
                '            return %s' % self.one(['f(*a, **k)', '[f(*a, **k)]', 'f(*a[::-1], **k)']), '        return inner', '    return wrap', '@counted("one")', '%s' % self.one(['@counted(tag=2)', '# plain']), 'def add(a, b=%s, *c, d=4, **e):' % self.atom(), '    "adds"',
                '    return (a, b, c, d, e)', 'show(%s)' % self.one(['add(1)', 'add(1, 2, 3)', 'add(b=1, a=2)', 'add(1, d=5, z=6)', 'add()', 'add(1, a=1)']), 'show(calls, add.__name__, add.__doc__)']

    def star_calls(self):
        names = ['a', 'b', 'c', 'd']
        self.r.shuffle(names)
        n = self.r.randint(1, 4)
        parts, defaulted = [], False
        for i in range(n):
            defaulted = defaulted or self.r.random() < .4
            parts.append(names[i] + ('=%d' % i if defaulted else ''))
            if i < n - 1 and self.r.random() < .15 and '/' not in parts:
                parts.append('/')
        if self.r.random() < .6:
            parts += [self.one(['*args', '*']), 'k%s' % self.one(['', '=0'])]
        if self.r.random() < .5:
            parts.append('**kw')
        shown = [p.strip('*').split('=')[0] for p in parts if p not in ('*', '/')]
        given = [self.one(['1', "'s'", '*(2, 3)', '*[]', "*'xy'", '*range(2)']) for _ in range(self.r.randint(0, 3))]
        named = ['%s=%d' % (x, i) for i, x in enumerate(self.r.sample(names + ['k', 'zz'], self.r.randint(0, 3)))]
        if self.r.random() < .3:
            named.append(self.one(["**{'k': 7}", '**{}', "**dict(b=1)", "**{1: 2}", '**5']))
        return ['def f(%s): return [%s]' % (', '.join(parts), ', '.join(shown)), 'show(f(%s))' % ', '.join(given + named), 'f()']

    def nonlocals(self):
        return ['def outer(n):', '    total = %s' % self.atom(), '    def step(v):', '        nonlocal total', '        %s' % self.one(['total = total + v', 'total += v', 'total = [total, v]', 'del total']), '        return total', '    def get(): return total',
                '    return step, get', 'step, get = outer(1)', 'try: show(step(%s), get())' % self.atom(), 'except (TypeError, NameError) as e: show(type(e).__name__, e)', 'show(get())', 'acc = [lambda x, i=i: (x, i, n) for i in range(2)]', 'n = %s' % self.atom(), 'show([g(5) for g in acc])']

    def pipeline(self):
        stages = self.some(['(v * 2 for v in it)', '(v for v in it if v %% 2)' % (), 'map(str, it)', 'filter(None, it)', 'zip(it, range(9))', 'enumerate(it)', 'reversed(list(it))', 'iter(list(it)[1:])', 'gen(it)', '(x for v in it for x in (v, v))', 'itertools.islice(it, 3)',
                            'itertools.chain(it, [0])', 'itertools.accumulate(it)', 'sorted(it, key=str)', 'itertools.takewhile(lambda v: v != 3, it)'], 1, 4)
        return ['import itertools', 'def gen(it):', '    count = 0', '    for v in it:', '        count += 1', '        got = yield v', '        if got: show("got", got)', '    return count', 'it = iter(%s)' % self.one(['range(6)', '[3, 1, 2]', "'abc'", '[0.5, 2]', '{}'])] + [
            'it = %s' % s for s in stages] + ['show(list(it))', 'show(list(it))']

    def iterators(self):
        return [self.one(['it = iter(%s)' % self.atom(), 'it = (v for v in %s)' % self.atom(), 'it = zip(%s, %s)' % (self.atom(), self.atom()), 'it = map(lambda *a: a, %s, %s)' % (self.atom(), self.atom()), 'it = enumerate(%s, %s)' % (self.atom(), self.atom()),
                          'it = reversed(%s)' % self.atom(), 'it = iter(lambda: 1, 1)']), 'show(next(it, "none"))', 'a = list(it)', 'show(a[:9], list(it))', self.one(['next(it)', 'show(iter(it) is it)', 'show(len(it))', 'show(it[0])', 'for i in it: show(i)', 'show(type(it).__name__)'])]

    def nested_comprehension(self):
        r = self.r
        sources = ['range(%d)' % r.randint(0, 5), '[[1, 2], [3]]', "'abc'", "{'a': 1, 'b': 2}.items()", '[(1, 2), (3, 4)]', 'enumerate("xy")', self.atom()]
        clauses = 'for %s in %s' % (self.one(['i', 'i', '(i, j)', 'i, *j']), self.one(sources))
        for _ in range(r.randint(0, 2)):
            clauses += self.one([' if i', ' if i %% 2 == 0' % (), ' for k in range(%d)' % r.randint(0, 3), ' for k in i', ' if str(i) > "1"', ' if not i if True', ' for k in [i] if k'])
        element = self.one(['i', '(i, 1)', '[i for i in range(2)]', '{i: 0 for i in "ab"}', 'str(i)', '[k for k in (i, i)]', 'i if i else None', '(lambda: i)()', 'f"{i}"', 'i * 2', 'j', '[*[i]]'])
        return [self.one(['show([%s %s])' % (element, clauses), 'show(list(%s %s))' % (element, clauses), 'show({str(%s): i %s})' % (element, clauses), 'show(sorted({str(%s) %s}))' % (element, clauses), 'show(sum(len(str(%s)) %s))' % (element, clauses),
                          'def f(n): return [(%s, n) %s]\nshow(f(1))' % (element, clauses), 'class C:\n    a = [%s %s]\nshow(C.a)' % (element, clauses)])]

    # ---- containers and text ----

    def keyed_sorts(self):
        data = self.one(["['b', 'A', 'c', 'aa']", '[3, -1, 2, -2]', "[('x', 2), ('y', 1), ('z', 2)]", "[{'n': 2}, {'n': 1}]", '[[2, 1], [1], []]', "['10', '9', '1']", '[1, 2.5, True]', "{'b': 1, 'a': 2}", self.atom()])
        key = self.one(['str', 'len', 'abs', 'str.lower', 'lambda v: v[-1]', 'lambda v: (-len(str(v)), str(v))', 'lambda v: v["n"]', 'int', 'repr', 'operator.itemgetter(0)', 'lambda v: 0', 'functools.cmp_to_key(lambda a, b: (a > b) - (a < b))', 'None', '{3: 1}.get'])
        tail = self.one(['', ', reverse=True', ', reverse=0'])
        return ['import operator, functools', 'data = %s' % data, 'show(sorted(data, key=%s%s))' % (key, tail), 'show(min(data, key=%s), max(data, key=%s))' % (key, key), 'data = list(data)', 'data.sort(key=%s%s)' % (key, tail), 'show(data)']

    def strides(self):
        part = lambda: self.one(['', '', str(self.r.randint(-9, 9)), str(self.r.randint(-3, 3))])
        cut = '%s:%s:%s' % (part(), part(), self.one(['', '1', '2', '3', '-1', '-2', '-3']))
        data = self.one(['list(range(%d))' % self.r.randint(0, 9), "'abcdefgh'", 'tuple(range(7))', "b'bytes!'", 'range(3, 30, 4)', 'range(9, -9, -2)'])
        return ['s = %s' % data, 'show(s[%s])' % cut, 'show(s[%s], len(s[%s]))' % (self.slice(), cut), 's = list(s)', self.one(['s[%s] = [0] * len(s[%s])' % (cut, cut), 's[%s] = [7, 8]' % cut, 'del s[%s]' % cut, 's[%s] += [1]' % cut.rsplit(':', 1)[0], 's[%s] = s[%s]' % (cut, cut)]), 'show(s)',
                'show(slice(%s).indices(%d))' % (', '.join(p or 'None' for p in cut.split(':')), self.r.randint(0, 9))]

    def dict_work(self):
        pairs = ', '.join('%s: %s' % (self.one(["'a'", "'b'", '1', '2.0', 'True', '(1,)', 'None', "''"]), self.one(['1', '[]', "'v'", 'None', '{}'])) for _ in range(self.r.randint(0, 5)))
        steps = ['d[%s] = %s', 'd.setdefault(%s, %s)', 'd.update({%s: %s})', 'd.pop(%s, %s)', 'd |= {%s: %s}', 'd = {**d, %s: %s}', 'show(d.get(%s, %s))', 'd = {%s: %s, **d}', 'd = dict(d, k=[%s, %s])']
        lines = ['d = {%s}' % pairs] + [s % (self.one(["'a'", '1', "'z'", '(1,)', 'None']), self.one(['0', "'n'", '[]'])) for s in self.some(steps, 1, 4)]
        return lines + ['show(d, len(d))', self.one(['show(list(d.items())[::-1], list(reversed(d)))', 'show({v: k for k, v in d.items() if not isinstance(v, (list, dict))})', 'show(d == {**d}, d != {}, list(d) == list(d.keys()))', 'show(d.items() & {("a", 1)})' if '[]' not in pairs and '{}' not in pairs else 'show(1)',
                                                     'show(dict(sorted(d.items(), key=repr)))', 'show(sorted(map(str, d)), sorted(map(repr, d.values())))', 'while d: show(d.popitem())', 'show(sorted(d.keys() - {"a"}, key=repr))', 'show(list(d)[0] if d else "none", next(iter(d.values()), 0))',
                                                     'import copy; e = copy.deepcopy(d); e["new"] = 1; show(d, e)', 'from collections import defaultdict; q = defaultdict(list, d); q["zz"].append(1); show(len(q), q["zz"])'])]

    def set_algebra(self):
        one = lambda: '{%s}' % ', '.join(str(self.r.randint(0, 9)) for _ in range(self.r.randint(1, 5)))
        return ['a, b, c = %s, %s, frozenset(%s)' % (one(), one(), one()), 'show(sorted(a %s b %s c))' % (self.one('|&-^'), self.one('|&-^')), 'a %s= %s' % (self.one('|&-^'), self.one(['b', 'c', '[1]', 'a'])), 'show(sorted(a), len(b), a <= b, a < a | {99}, a == set(a), c.isdisjoint(b))',
                'show(sorted(a.union(b, c, [20])), sorted(b.intersection(a, c)), sorted(b.difference(a, [1])), max(a, default=None))']

    def text_calls(self):
        r = self.r
        text = repr(''.join(r.choice('aAbB zZ09_-.,éßñΣ日\t\n%{}\'"\\') for _ in range(r.randint(0, 14))))
        other = repr(''.join(r.choice('aAb ,.Z-') for _ in range(r.randint(0, 2))))
        n = r.randint(-3, 14)
        return ['s, t = %s, %s' % (text, other), 'show(%s)' % self.one([
            's.split(t)', 's.split()', 's.rsplit(None, %d)' % n, 's.split(t, %d)' % n, 's.replace(t, "<>")', 's.replace(t, "", %d)' % n, 's.find(t), s.rfind(t), s.count(t)', 's.strip(t), s.lstrip(t), s.rstrip(t)', 's.partition(t)', 's.rpartition(t)', 's.center(%d, "*")' % n, 's.ljust(%d), s.rjust(%d, ".")' % (n, n),
            's.zfill(%d)' % n, 's.title(), s.capitalize(), s.swapcase()', 's.upper(), s.lower(), s.casefold()', 's.startswith(t), s.endswith(t), t in s', 's.splitlines(), s.splitlines(True)', 's.expandtabs(%d)' % max(0, n), 's.isalpha(), s.isdigit(), s.isalnum(), s.isspace(), s.isupper(), s.islower(), s.istitle(), s.isidentifier(), s.isprintable()',
            's.encode(), s.encode("latin-1", "replace"), s.encode("ascii", "ignore")', 's.encode("utf-8").decode("latin-1")', 'repr(s), ascii(s), str(s)', 's * 2, s + t, s[::-1], s[%d:]' % n, 's.join(["x", "y", t])', '[c for c in s], len(s)', 'sorted(s), max(s, default=0)', 's.translate({97: "1", 98: None, 99: 0x41})', 's < t, s == t, s > t', '"%s|%r|%10s|%-8s|%.2s" % (s, s, t, t, s)',
            's.removeprefix(t), s.removesuffix(t)', 's.index(t, %d)' % max(0, n), 'hash(s) == hash(str(s)), s.isascii(), s.isnumeric(), s.isdecimal()', '"{0!r:>12}|{0:^9.3}|{1}".format(s, t)', 's.split(t or ",")[0].strip().upper()', 'list(map(ord, s))', 'list(zip(s, t))', 's.count("")', 's.find("", %d)' % n])]

    def fstrings(self):
        e = self.one(['x', 'x + x', '[x, 1]', '(lambda q: q)(x)', 'x if x else y', '"in"', 'x == y', 'not x', 'str(x)[:3]', 'len(str(x))', '(x, y)'])
        spec = ['', ':>9', ':{w}', ':<{w}'] if e in ('str(x)[:3]', '"in"', 'len(str(x))') else ['']
        return ["w = 12; show(f'''<{%s%s%s}> {{}} {%s%s}''')" % (e, self.one(['', '!r', '!s', '!a']), self.one(spec), self.one(['x', 'y', 'w']),
                                                               self.one(['=', ' = ', '', '=!r']))]

    # ---- modules ----

    def json_round(self):
        value = self.one(["{'a': [1, 2.5, None, True], 'b': {'c': 'é\\n'}}", '[]', '{}', "'text'", '[1e20, -0.0, 1e-7]', '{1: 2, None: 3, True: 4}', '[[[]], {}]', self.atom(), '(1, (2,))', "{'z': 1, 'a': 2}"])
        return ['import json', 'v = %s' % value, 'text = json.dumps(v%s)' % self.one(['', ', indent=2', ', sort_keys=True', ', separators=(",", ":")', ', ensure_ascii=False', ', indent=1, sort_keys=True', ', default=str']), 'show(text)', 'show(json.loads(text))',
                'show(json.loads(%r))' % self.one(['[1, 2', '{"a": 1}', '{"a" 1}', ' [1.5e3, -0, "\\u00e9\\n"] ', 'nul', '{"a": 1,}', '[1,,2]', '"abc', '[true, false, null]', '01', '-', '1 2', '{1: 2}', ''])]

    def dates(self):
        r = self.r
        return ['from datetime import datetime, timedelta, date', 'a = datetime(%d, %d, %d, %d, %d, %d, %d)' % (r.randint(1, 9999), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23), r.randint(0, 59), r.randint(0, 59), r.choice([0, 0, 5, 999999])),
                'b = datetime(%d, %d, %d)' % (r.randint(1900, 2100), r.randint(1, 13), r.randint(1, 31)), 'show(a, b, str(a), a - b, (a - b).total_seconds())', 'show(a.strftime("%Y-%m-%d %H:%M:%S %j %f"), b.isoformat(), a.weekday(), b.isoweekday(), a.timetuple()[:8])' if r.random() < .5 else 'show(a < b, a == a, a.date(), a.time(), b.replace(day=1))',
                't = timedelta(days=%d, hours=%d, seconds=%r)' % (r.randint(-400, 400), r.randint(-50, 50), r.choice([0, 1, 1.5, -7])), 'show(t, repr(t), t * 2, -t, abs(t), t / 2, t.days, t.seconds)', 'show(b + t, b - t, date(2020, 2, 29) + timedelta(%d))' % r.randint(-5, 500)]

    def memory_files(self):
        calls = ['f.write("ab\\ncd")', 'f.read(1)', 'f.read()', 'f.seek(0)', 'f.readline()', 'f.tell()', 'f.getvalue()', 'f.readlines()', 'list(f)', 'f.write("X")', 'f.seek(2)', 'f.truncate(1)', 'f.seek(0, 2)', 'f.close()', 'f.write(5)', 'f.writelines(["p", "q"])']
        return ['import io', 'f = io.StringIO(%s)' % self.one(['', '"one\\ntwo\\n"', '"x"'])] + ['show(%s)' % c for c in self.some(calls, 3, 6)]

    def signatures(self):
        return ['import inspect', 'def f(%s): "doc"; return 1' % self.one(['a', 'a, b=2', 'a, *c, d=4, **e', 'a, /, b', '*, k=None', '', "a='s', b=1.5"]), 'show(str(inspect.signature(f)), list(inspect.signature(f).parameters))', 'show(f.__code__.co_varnames, f.__code__.co_argcount, f.__defaults__, f.__kwdefaults__, f.__code__.co_name)',
                'show(inspect.isfunction(f), inspect.isclass(f), inspect.getdoc(f), inspect.getfullargspec(f)[:4])', 'class C:\n    def __init__(self, q, w=1): pass\n    def m(self, z): pass', 'show(str(inspect.signature(C)), str(inspect.signature(C(1).m)), inspect.ismethod(C(1).m))']
