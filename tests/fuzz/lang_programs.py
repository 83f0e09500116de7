"""Random programs that tensh and CPython 3.11 must run in the same way; lang_diff.py runs them.

A program is a list of statements. Each is a small program itself, which catches its own exception and prints the
class and text. lang_more.py and lang_wide.py define more kinds of statements. No statement may print an address,
depend on the order of a set of strings (which changes between runs of CPython), or take more than a moment:
exponents, shifts and repetitions are small. Some things are left out because the language does not define them: ints
of more than 8 million bits, non-ASCII digits in numbers, the order of sets of strings, ranges beyond 64 bits, the
docstrings of Python's types, and the identity of equal constants (`is`).
"""
import random

from lang_more import More
from lang_wide import Wide

NUMBERS = ['0', '1', '-1', '2', '7', '10', '255', '10**20', '-2**63', '0.5', '-1.5', '1e20', '1e-7', '2.5', '123456.789',
           'True', 'False', '1e300', "float('inf')", "float('nan')", '-0.0', '12345678901234567890']
INTS = ['0', '1', '-1', '2', '3', '-7', '10', '100', '255', '10**20', '-2**63', '2**64-1', '123456789']
STRINGS = ["''", "'abc'", "'a,b,,c'", "'é日x'", "'  sp ace\\t'", "'Hello World'", "'line\\nnext\\r\\nend'", "'-42'", "' 3.25 '",
           "'0x1F'", "'a'", "'ßaΣ'", '"it\'s"', "'q\"q'", "'\\x00\\x7f'", "'{}'", "'%s'", "'1_000'"]
LISTS = ['[]', '[1, 2, 3]', '[0.5, 2]', "['b', 'a']", '[[1], [2, 3]]', '[3, 1, 2, 1]', '[True, None]', 'list(range(6))',
         "[(1, 'b'), (1, 'a'), (0, 'c')]"]
OTHERS = ['None', "b'xy'", '(1,)', '()', "{'a': 1}", '{}', '{1, 2}', 'range(4)', "(1, 'a', 2.5)", "{'k': [1], 'j': None}",
          'frozenset([3])', 'range(10, 0, -3)', "{1: 'x', (1, 2): 'y'}", "b'\\x00\\xff'", '3+4j', 'int', 'Ellipsis']
BINARY = ['+', '-', '*', '/', '//', '%', '<', '<=', '==', '!=', '>', '>=', 'in', 'not in', 'and', 'or', '&', '|', '^', '>>']
UNARY = ['-', '+', '~', 'not ']
CALLS = ['len', 'abs', 'repr', 'str', 'int', 'float', 'bool', 'list', 'tuple', 'sorted', 'sum', 'max', 'min', 'round', 'any', 'all',
         'type', 'set0', 'reversed', 'enumerate', 'hex', 'oct', 'bin', 'chr', 'ord', 'iter', 'dict', 'zip', 'bytes', 'callable',
         'ascii', 'complex', 'hash0', 'next']
METHODS = ['upper()', 'split()', "split(',')", "replace('a', 'b')", 'strip()', "find('b')", 'title()', "join(['x', 'y'])",
           'index(1)', 'count(1)', 'copy()', 'keys()', 'items()', 'values()', "get('a')", 'pop()', 'append(5)', 'reverse()',
           'sort()', 'zfill(6)', 'center(9)', 'is_integer()', 'bit_length()', "startswith('a')", 'union([3])', 'encode()',
           'splitlines()', 'format(1)', "rjust(5, '*')", "partition('b')", 'real', 'add(3)', 'isdigit()', 'extend([1])',
           'update([(1, 2)])', 'remove(1)', 'insert(0, 9)', 'clear()', 'setdefault(1, 2)', 'popitem()', 'imag', 'decode()',
           'conjugate()', 'as_integer_ratio()', 'discard(1)', 'issubset([1, 2])', 'hex()', 'nosuch', 'start', '__class__.__name__',
           'symmetric_difference([1])', 'to_bytes(9, "big")', 'isalpha()', 'lower()']
SPECS = ['', '5', '<7', '>7', '^7', '05', '+', ',', '.2f', '.3g', 'e', 'x', 'b', '%', 's', '.1', '10.3f', '*^9', '_', '#x', '08.3f',
         '+.1e', '=+8', ' d', 'c', 'o', '#o', 'X', '_x', '012,', '.0f', '#.3g', 'n', 'g', '.10', '>3s', '.2s', '<+9.2f', 'q', '5.',
         '-^12', '0>5', 'é<4', '+,.2f', '#b', '.15g', '.17g', 'E', 'G', '.0e', '.0%', '1', '20', '^+15,.3f']
PERCENTS = ['%d', '%s', '%r', '%5.2f', '%x', '%g', '%05d', '%-4s|', '%e', '%c', '%+d', '% d', '%#x', '%o', '%.3s', '%i', '%5s',
            '%.0f', '%G', '%-8d|', '%08.3f', '%X', '%.3e', '%a', '%%%s', '%s %s', '%y', '%', '%.10g', '%+.2f', '%u', '%#o']
STR_CALLS = ['upper()', 'lower()', 'title()', 'capitalize()', 'swapcase()', 'split()', 'split(None, 1)', "split(',', 1)", "split('')",
             "rsplit(',', 1)", 'rsplit(None, 1)', 'splitlines()', 'splitlines(True)', "strip('a ')", "lstrip('-')", 'rstrip()',
             "replace('a', '<>', 1)", "replace('', '.')", "find('a', 1)", "rfind('a')", "index('z')", "rindex('a')", "count('')",
             "count('a', 0, 1)", "startswith(('a', '-'))", "endswith('c', 1)", "partition(',')", "rpartition(',')", "partition('')",
             "join('xyz')", "join([1])", "center(11, '*')", "ljust(6) + '|'", "rjust(7, '0')", 'zfill(8)', 'expandtabs(4)',
             'isalpha()', 'isdigit()', 'isalnum()', 'isspace()', 'isupper()', 'islower()', 'istitle()', 'isidentifier()', 'isnumeric()',
             'isdecimal()', 'isprintable()', "encode('utf-8')", "encode('ascii')", "encode('ascii', 'replace')", "encode('latin-1')",
             "translate({97: 'X', 98: None})", "translate(str.maketrans('ab', 'xy'))", 'casefold()', "removeprefix('a')",
             "removesuffix('c')", "format(1, 2)", "startswith(1)", "center('x')", "split(1)", "join(1)", 'zfill()', 'upper(1)',
             "replace('a')", '__len__()', "__contains__('a')", "strip(1)", "ljust(5, 'ab')", "isascii()",
             "count(1)", "index(1)", "encode('utf-99')"]
INT_TEXTS = ['12', ' -7 ', '+3', '1_0', '_1', '0x1f', '0b101', '0o17', '1.5', '', 'abc', 'z', '1e3', '- 1', '00', '0x', '9' * 30]
FLOAT_TEXTS = ['1', '-1.5', ' 2e3 ', 'inf', '-Infinity', 'nan', '1e400', '1e-400', '.5', '5.', '.', '1_0.5', '1__0', 'e5', '0x1p3', '',
               '1e+5', '+.5e-3', '4.9e-324', '1.7976931348623157e308', '123456789012345678', '0.1', '2.675', '1e22', '1e16', '9' * 25]


class Generator(More, Wide):
    """Draws the random choices of one program."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.kinds = [
            (14, self.wild), (6, self.assign), (6, self.formatting), (6, self.percent), (5, self.strings), (4, self.parsing),
            (5, self.slices), (4, self.list_methods), (4, self.dict_methods), (4, self.set_methods), (4, self.comprehension),
            (4, self.loop), (4, self.try_blocks), (5, self.calls), (4, self.closures), (4, self.generators), (5, self.classes),
            (4, self.dunders), (3, self.sorting), (4, self.modules), (4, self.numbers), (3, self.unpacking), (3, self.with_blocks),
            (3, self.arguments), (2, self.attributes), (3, self.exceptions), (3, self.bytes_calls), (2, self.random_module),
            (3, self.strings_format), (2, self.copies), (2, self.scopes)] + self.kinds_of_more() + self.kinds_of_wide()
        self.weights = [w for w, _ in self.kinds]

    def statement(self):
        return self.r.choices(self.kinds, self.weights)[0][1]()

    def one(self, options):
        return self.r.choice(options)

    def some(self, options, least, most):
        return [self.one(options) for _ in range(self.r.randint(least, most))]

    # ---- expressions ----

    def atom(self):
        return self.one(self.one([NUMBERS, NUMBERS, STRINGS, LISTS, OTHERS, ['x', 'y']]))

    def expression(self, depth=3):
        if depth <= 0 or self.r.random() < 0.2:
            return self.atom()
        sub = lambda: self.expression(depth - 1)
        kind = self.r.randrange(13)
        if kind < 3:
            return '(%s %s %s)' % (sub(), self.one(BINARY), sub())
        if kind == 3:
            return '(%s%s)' % (self.one(UNARY), sub())
        if kind == 4:
            return '%s(%s)' % (self.one(CALLS), sub())
        if kind == 5:
            return '(%s).%s' % (sub(), self.one(METHODS))
        if kind == 6:
            return '(%s)[%s]' % (sub(), self.one(['0', '-1', '1:', '::-1', ':2', "'a'", '1:2', sub()]))
        if kind == 7:
            return '(%s if %s else %s)' % (sub(), sub(), sub())
        if kind == 8:
            return '[%s for v in %s]' % (self.one(['v', 'v * 2', '(v, x)', 'str(v)']), sub())
        if kind == 9:
            return 'format(%s, %r)' % (sub(), self.one(SPECS))
        if kind == 10:
            # The exponent and the shift are small, because CPython itself needs minutes for large
            # ones.
            return '((%s) %s %s)' % (self.atom(), self.one(['**', '<<']), self.one(['0', '1', '2', '3', '-1', '0.5', '10', '1.5', "'a'"]))
        if kind == 11:
            return '(%s %s %s %s %s)' % (sub(), self.one(['<', '==', '<=', '>=']), sub(), self.one(['<', '!=', 'in']), sub())
        return '(%r %% %s)' % (self.one(PERCENTS), sub())


    def wild(self):
        return ['show(%s)' % self.expression()]

    def assign(self):
        target = self.one(['x', 'y', 'x, y', '*x, y', 'x[0]', 'y[1:2]', 'x = y', '(x, (y, _))', '[x, y]', 'x, *y'])
        if self.r.random() < 0.4:
            op = self.one(['+=', '-=', '*=', '//=', '%=', '&=', '|=', '>>=', '/='])
            lines = ['%s %s %s' % (self.one(['x', 'y', 'z[0]', 'z[-1]']), op, self.expression(1))]
        else:
            lines = ['%s = %s' % (target, self.expression(2))]
        return ['z = [1, %s]' % self.atom()] + lines + ['show(x, y, z)']

    def formatting(self):
        value, spec = self.one([self.one(NUMBERS), self.one(STRINGS), self.expression(1)]), self.one(SPECS)
        conversion = self.one(['', '', '', '!r', '!s', '!a'])
        if self.r.random() < 0.5:
            value = self.one(NUMBERS)
        text = value if all(c not in value for c in '\'"\\{}:!=') else '(x)'
        return self.one([['show(format(%s, %r))' % (value, spec)], ['show("[{%s:%s}]".format(%s))' % (conversion, spec, value)],
                         ['x = %s' % value, 'show(f"<{x%s:%s}>")' % (conversion, spec)],
                         ['show(f"{%s} and {%s%s:>{4+3}} {{}}")' % (text, text, conversion)],
                         ['show(f"{x=} {y=!s:>8} {%s=:%s}")' % (text, spec)]])

    def percent(self):
        form = self.one(PERCENTS) + self.one(['', '', ' %s', '|%5d'])
        value = self.one([self.one(NUMBERS), self.one(NUMBERS), self.atom(), '(%s, %s)' % (self.atom(), self.atom()), "{'a': 1}"])
        if self.r.random() < 0.1:
            return ["show('%%(a)s %%(b)05.1f' %% {'a': %s, 'b': %s})" % (self.atom(), self.one(NUMBERS))]
        if self.r.random() < 0.1:
            return ["show('%%*d|%%-*s' %% (%s, 5, 4, 'a'))" % self.one(['3', '-3', "'a'", '0'])]
        return ['show(%r %% %s)' % (form, value)]

    def strings(self):
        lines = ['s = %s' % self.one(STRINGS), 'show(s.%s)' % self.one(STR_CALLS)]
        if self.r.random() < 0.3:
            lines.append('show(s.%s)' % self.one(STR_CALLS))
        if self.r.random() < 0.2:
            lines.append('show((%s).%s)' % (self.expression(1), self.one(STR_CALLS)) if self.r.random() < 0.5 else
                         'show(s * %s, s[%s], s %s %s)' % (self.one(['0', '2', '-1']), self.slice(),
                                                            self.one(['<', '==', '>', 'in', '+']), self.one(STRINGS)))
        return lines

    def strings_format(self):
        form = self.one(['{} {}', '{0}{1}{0}', '{a} {b}', '{0[1]} {1.real}', '{:>{w}}', '{0!r:>8} {}', '{!x}', '{', '}', '{a.b}', '{2}',
                         '{0[k]}', '{{}} {}', '{:%s} {:%s}' % (self.one(SPECS), self.one(SPECS)), '{a[0]}', '{0.nosuch}', '{:{}}', '{}}'])
        args = ', '.join([self.atom(), self.atom()] + self.one([[], ['a=%s' % self.atom(), 'b=2', 'w=6'], ['w=9']]))
        return ['show(%r.format(%s))' % (form, args)]

    def parsing(self):
        return [self.one(['show(int(%r))' % self.one(INT_TEXTS), 'show(int(%r, %s))' % (self.one(INT_TEXTS), self.one(['0', '2', '16', '36', '1'])),
                          'show(float(%r))' % self.one(FLOAT_TEXTS), 'show(float(%r) * 3, int(float(%r)))' % (
                              self.one(FLOAT_TEXTS), self.one(['1e22', '1.9', '-2.5', 'inf'])),
                          'show(complex(%r))' % self.one(['1+2j', '3', 'j', '1e3-2.5j', 'x', ' 1j ', '1 + 2j', '-1-0j', 'infj']),
                          'show(bool(%s), str(%s), repr(%s))' % (self.atom(), self.atom(), self.atom())])]

    def slice(self):
        part = lambda: self.one(['', '0', '1', '2', '-1', '-2', '5', '100', 'None', '-100'])
        return self.one([part() or '0', part() + ':' + part(), part() + ':' + part() + ':' + self.one(['', '1', '2', '-1', '-2', '0'])])

    def slices(self):
        lines = ['s = %s' % self.one(LISTS + ['[1, 2, 3, 4, 5]'] * 3)]
        act = self.one(['s[%s] = %s', 's[%s] = [%s]', 'del s[%s]  # %s', 'show(s[%s], %s)', 's[%s] += [%s]', 's[%s] = (%s,)', 's[%s] = range(%s)'])
        return lines + [act % (self.slice(), self.one(INTS[:8] + STRINGS[:3])), 'show(s)', 'show(%s[%s])' % (
            self.one(["'hello'", '(1, 2, 3)', 'range(9)', "b'bytes'", 's']), self.slice())]

    def list_methods(self):
        calls = ['append(7)', 'extend(%s)' % self.atom(), 'insert(%s, 0)' % self.one(INTS), 'pop()', 'pop(0)', 'pop(5)', 'remove(1)', 'remove(99)',
                 'index(2)', 'index(3, 1)', 'count(1)', 'sort()', 'sort(reverse=True)', 'sort(key=str)', 'reverse()', 'copy()', 'clear()',
                 "pop('a')", 'append()', 'sort(1)', 'index(9)', 'sort(key=lambda v: -v)', 'extend(3)']
        return ['s = %s' % self.one(LISTS)] + ['show(s.%s, s)' % c for c in self.some(calls, 1, 3)] + [
            'show(s %s %s, len(s), %s in s)' % (self.one(['+', '*', '==', '<']), self.one(['[1]', '2', '(1,)', '[]']), self.one(INTS))]

    def dict_methods(self):
        calls = ["get('a')", "get('z', 0)", "pop('a')", "pop('z')", "pop('z', None)", "setdefault('q', [])", 'popitem()', "update(b=2)",
                 "update({'a': 5})", 'update([(1, 2)])', 'update([1])', 'update(3)', 'keys()', 'items()', 'values()', 'copy()', 'clear()',
                 "__contains__('a')", 'get([])', 'fromkeys([1, 2])', 'get()']
        base = self.one(["{'a': 1, 'b': [2]}", '{}', '{1: 2, True: 3, 1.0: 4}', "dict(a=1)", "dict([(1, 'x'), (2, 'y')])", "dict(zip('abc', [1, 2]))",
                         '{(1, 2): None, "z": {}}', '{k: k * k for k in range(4)}', 'dict(1)', 'dict([1])', 'dict({1: 2}, b=3)'])
        lines = ['d = %s' % base] + ['show(d.%s, d)' % c for c in self.some(calls, 1, 3)]
        return lines + [self.one(['show(d[%s])' % self.atom(), 'd[%s] = 1; show(d)' % self.atom(), "del d['a']; show(d)", 'show(list(d), len(d))',
                                  'show(d == dict(d), d | {5: 6})', 'show(sorted(d.items(), key=str))', "show({**d, 'a': 0})",
                                  'show([k for k in d], %s in d)' % self.atom(), 'for k in d: d[k + "x"] = 1', 'show(d < d)', 'show(hash(d))'])]

    def set_methods(self):
        a, b = self.one(['{1, 2, 3}', 'set()', 'set([3, 4])', 'frozenset([1, 5])', '{1, 2.0, True}']), self.one(
            ['{2, 3}', 'set()', '[3]', 'range(2)', '{7}', 'frozenset()', '5'])
        calls = ['union(b)', 'intersection(b)', 'difference(b)', 'symmetric_difference(b)', 'issubset(b)', 'issuperset(b)', 'isdisjoint(b)',
                 'add(9)', 'remove(1)', 'remove(99)', 'discard(3)', 'update(b)', 'copy()', 'clear()', 'add([])', 'intersection_update(b)',
                 'difference_update(b)']
        return ['a, b = %s, %s' % (a, b), 'show(a.%s)' % self.one(calls), 'show(sorted(a), len(a))',
                'show(a %s b)' % self.one(['|', '&', '-', '^', '<', '<=', '==', '>', '!='])]

    def comprehension(self):
        n = self.one(['5', '3', '0'])
        return [self.one(['show([i * %s for i in range(%s) if i %% 2])' % (self.one(INTS), n), 'show([(i, j) for i in range(%s) for j in range(i)])' % n,
                          'show({i: %s for i in range(%s)})' % (self.atom(), n), 'show(sorted({i %% 3 for i in range(%s)}))' % n,
                          'show(sum(i * i for i in range(%s)))' % n, 'show([[r * c for c in range(2)] for r in range(%s)])' % n,
                          'show([a + b for a, b in zip(%s, %s)])' % (self.one(LISTS), self.one(LISTS)),
                          'show([v for v in %s if v])' % self.atom(), 'show([i for i in range(8) if i %% 2 if i > %s])' % n,
                          'show([(k, v) for k, v in %s])' % self.one(LISTS + ["{'a': 1}.items()", "enumerate('ab')"]),
                          'show([x for x in range(%s)], x)' % n, 'show(list(map(lambda v: v * 2, %s)))' % self.atom(),
                          'show(list(filter(None, %s)))' % self.atom(), 'show([y := i for i in range(%s)])' % n,
                          'show(any(v > 1 for v in %s), all(v for v in %s))' % (self.one(LISTS), self.one(LISTS)),
                          'show(list(zip(*%s)))' % self.one(['[[1, 2], [3, 4]]', '[]', "['ab', 'cd']", '[1]']),
                          'show([*%s, *%s])' % (self.atom(), self.atom())])]

    def loop(self):
        head = self.one(['for i in range(%s):' % self.one(['5', '0', '2, 6', '5, 0, -2', '1, 9, 3']), 'for i in %s:' % self.atom(),
                         'for i, v in enumerate(%s):' % self.one(LISTS + STRINGS[:5]), 'for i, v in %s:' % self.one(LISTS), 'while n < %s:' % self.one(['3', '0', '6'])])
        body = self.some(['if n == 2: break', 'if n %% 2: continue' % (), 'show(n, i)', 't.append(n)', 't += [i]', 'n += 1', 'pass', 'if n: show("t")', 'n = n + 2'], 1, 3)
        lines = ['n, t, i = 0, [], None', head, '    n += 1'] + ['    ' + b for b in body] + ['    if n > 20: break']
        if self.r.random() < 0.5:
            lines += ['else:', '    show("else", n)']
        return lines + ['show(n, t)']

    def try_blocks(self):
        names = self.one(['ZeroDivisionError', 'ValueError', '(TypeError, KeyError)', 'Exception', 'LookupError', 'ArithmeticError'])
        lines = ['def f(v):', '    try:', '        show("in")', '        %s' % self.one(
            ['return 1 // v', 'raise ValueError(v)', 'return {}[v]', 'r = int(v)', 'return [1][v]', 'raise KeyError', 'assert v, "no"', 'pass'])]
        lines += ['    except %s as e:' % names, '        show("caught", type(e).__name__, e, e.args)', '        %s' % self.one(
            ['return 2', 'raise', 'raise RuntimeError("again") from e', 'pass', 'raise TypeError("other")'])]
        if self.r.random() < 0.5:
            lines += ['    else:', '        show("else")']
        if self.r.random() < 0.6:
            lines += ['    finally:', '        %s' % self.one(['show("finally")', 'v = 3', 'show("fin", v)'])]
        return lines + ['    return v', 'show(f(%s))' % self.atom()]

    def signature(self):
        return self.one(['a', 'a, b=2', 'a, *rest', 'a, b=1, *rest, **kw', '*, k', 'a, b', '**kw', '*args', 'a, /, b', 'a, *, k=3', 'a=1, b=[]', ''])

    def arguments(self):
        parts = self.some(['1', "'s'", 'a=5', 'b=6', 'k=7', '*[1, 2]', "**{'z': 9}", '*()', "**{'a': 1}", 'None'], 0, 3)
        parts.sort(key=lambda p: (p.startswith('**'), '=' in p))
        names = [p.split('=')[0] for p in parts if '=' in p]
        if len(set(names)) < len(names):
            parts = parts[:1]
        signature = self.signature()
        seen = [p.strip('* ').split('=')[0] for p in signature.split(',') if p.strip() not in ('*', '/', '')]
        return ['def f(%s):' % signature, '    return [%s]' % ', '.join(seen), 'show(f(%s))' % ', '.join(parts)]

    def calls(self):
        return [self.one(['def f(n): return 1 if n < 2 else n * f(n - 1)', 'f = lambda n: n', 'def f(n, a=[]):\n    a.append(n)\n    return a',
                          'def f(n):\n    if n:\n        return\n    return n, n', 'f = lambda *a, **k: (a, k)', 'def f(n):\n    "doc"\n    return f.__doc__, f.__name__',
                          'def f(n):\n    for i in range(5):\n        if i == n: return i\n    return "none"', 'def f(n): return n.missing',
                          'def f(n): return undefined_name', 'def f(n):\n    n += v\n    v = 1\n    return n', 'def f(n) -> int:\n    q: int = n\n    return q'])
                ] + ['show(f(%s))' % self.atom() for _ in range(self.r.randint(1, 3))]

    def closures(self):
        return self.one([
            ['def make():', '    n = %s' % self.one(INTS), '    def inc(by=1):', '        nonlocal n', '        n += by', '        return n', '    return inc',
             'f = make()', 'show(f(), f(%s), make()())' % self.one(INTS)],
            ['fs = [lambda v=i: v * %s for i in range(3)]' % self.one(INTS), 'show([f() for f in fs], fs[0](5))'],
            ['fs = [lambda: i for i in range(3)]', 'show([f() for f in fs])'],
            ['def deco(f):', '    def g(*a):', '        return ("g", f(*a))', '    return g', '@deco', '@deco', 'def h(a): return a + 1', 'show(h(%s))' % self.atom()],
            ['def outer(a):', '    def inner(b): return a %s b' % self.one(['+', '-', '*', '//', '<']), '    return inner', 'show(outer(%s)(%s))' % (self.atom(), self.atom())],
            ['def f():', '    global gv', '    gv = %s' % self.atom(), 'f()', 'show(gv)'],
            ['compose = lambda *fs: lambda v: [f(v) for f in fs]', 'show(compose(str, repr, bool)(%s))' % self.atom()]])

    def scopes(self):
        return self.one([['class C:', '    v = 5', '    def get(self): return v', 'v = %s' % self.atom(), 'show(C().get(), C.v)'],
                         ['def f():', '    try: return q', '    except NameError as e: return str(e)', '    q = 1', 'show(f())'],
                         ['def f():', '    del x1', 'f()'], ['x2 = 1', 'del x2', 'show(x2)'],
                         ['def f():', '    v = 1', '    def g(): return v', '    del v', '    return g()', 'show(f())'],
                         ['def f(v):', '    return [v + i for i in range(2)], {i: v for i in "ab"}', 'show(f(%s))' % self.atom()],
                         ['if %s: w1 = 1' % self.atom(), 'show(w1)', 'del w1']])

    def generators(self):
        return self.one([
            ['def g(n):', '    for i in range(n):', '        yield i * %s' % self.one(INTS), 'show(list(g(4)), sum(g(3)))', 'it = g(1)',
             'show(next(it), next(it, "end"))', 'next(it)'],
            ['def g():', '    got = yield 1', '    show("got", got)', '    yield got', 'it = g()', 'show(next(it), it.send(%s))' % self.atom(), 'it.send(None)'],
            ['def g():', '    yield from %s' % self.atom(), '    return 5', 'def h():', '    r = yield from g()', '    yield r', 'show(list(h()))'],
            ['def g():', '    try:', '        yield 1', '        yield 2', '    finally:', '        show("closed")', 'it = g()', 'show(next(it))', 'it.close()', 'show(list(it))'],
            ['g = (v for v in %s)' % self.atom(), 'show(next(g, None))', 'show(list(g), list(g))'],
            ['def g():', '    raise ValueError("in g")', '    yield', 'show(list(g()))'],
            ['def g():', '    try: yield 1', '    except ValueError as e: yield str(e)', 'it = g()', 'next(it)', 'show(it.throw(ValueError("t")))'],
            ['def fib():', '    a, b = 0, 1', '    while True:', '        yield a', '        a, b = b, a + b', 'from itertools import islice',
             'show(list(islice(fib(), %s)))' % self.one(['0', '10', '120'])]])

    def classes(self):
        value = self.atom()
        return self.one([
            ['class A:', '    n = 0', '    def __init__(self, v): self.v = v; A.n += 1', '    def get(self): return self.v', 'class B(A):',
             '    def get(self): return ("B", super().get())', 'b = B(%s)' % value, 'show(b.get(), A.n, isinstance(b, A), B.__name__, B.__mro__[1].__name__)',
             'show(b.%s)' % self.one(['nosuch', 'v', 'n', '__dict__', 'get()', 'get(1)'])],
            ['class P:', '    def __init__(self): self._v = 1', '    @property', '    def v(self): return self._v', '    @v.setter',
             '    def v(self, new): self._v = new * 2', 'p = P()', 'p.v = %s' % value, 'show(p.v)', self.one(['del p.v', 'p.w = 1; show(p.__dict__)', 'pass'])],
            ['class S:', '    @staticmethod', '    def s(a): return a', '    @classmethod', '    def c(cls, a): return cls.__name__, a', 'class T(S): pass',
             'show(S.s(1), T.c(2), T().c(%s), T().s(%s))' % (value, value)],
            ['class A: pass', 'class B(A): pass', 'class C(A): pass', 'class D(B, C): pass', 'show([k.__name__ for k in D.__mro__], issubclass(D, A))', 'D(1)'],
            ['class X(A1): pass'],
            ['class L(list):', '    def first(self): return self[0]', 'l = L([3, 1])', 'l.append(%s)' % value, 'show(l.first(), l, len(l), sorted(l[:2]))'],
            ['class E(Exception):', '    def __init__(self, a, b=2):', '        super(E, self).__init__(a)', '        self.b = b', 'try:', '    raise E(%s)' % value,
             'except E as e:', '    show(e, e.b, e.args, repr(e))'],
            ['class A:', '    def __getattr__(self, name): return "no " + name', 'show(A().anything, hasattr(A(), "q"), getattr(A(), "z", 0))'],
            ['class A:', '    __slots__ = ("q",)', '    def __init__(self): self.q = %s' % value, 'show(A().q)'],
            ['class A(object):', '    count = []', '    def add(self, v): self.count.append(v); return self', 'show(A().add(1).add(%s).count, A.count)' % value],
            ['class D(dict):', '    def __missing__(self, k): return k', 'show(D()[%s])' % value]])

    def dunders(self):
        method = self.one(['__add__', '__radd__', '__lt__', '__eq__', '__getitem__', '__contains__', '__call__', '__mul__', '__sub__', '__pow__'])
        use = self.one(['a + 1', '1 + a', 'a < 2', 'a == 3', 'a[4]', '5 in a', 'a(6)', 'a * 2', 'a - 1', 'a ** 2', '2 > a', 'a != 3', '-a', 'a > 2'])
        return self.one([
            ['class A:', '    def %s(self, o): return ("%s", o)' % (method, method), 'a = A()', 'show(%s)' % use],
            ['class A:', '    def __len__(self): return %s' % self.one(['0', '3', '-1', "'x'", '10**20']), 'show(bool(A()), len(A()))'],
            ['class A:', '    def __repr__(self): return %s' % self.one(["'R'", '5', "'é'"]), '    def __str__(self): return "S"', 'show([A()], str(A()), "%s %r" % (A(), A()), f"{A()}")'],
            ['class A:', '    def __init__(self): self.n = 0', '    def __iter__(self): return self', '    def __next__(self):', '        self.n += 1',
             '        if self.n > 3: raise StopIteration', '        return self.n', 'show(list(A()), max(A()), 2 in A())', 'a, b, c = A()', 'show(a, c)'],
            ['class A:', '    def __getitem__(self, i):', '        if i > 2: raise IndexError', '        return i * 10', 'show(list(A()), [*A()], A()[1])'],
            ['class A:', '    def __setitem__(self, k, v): show("set", k, v)', '    def __delitem__(self, k): show("del", k)', 'a = A()', 'a[1:2] = 3', 'del a["k"]', 'a[0]'],
            ['class A:', '    def __hash__(self): return 5', '    def __eq__(self, o): return True', 'show({A(): 1}[A()], len({A(), A()}))'],
            ['class A:', '    def __bool__(self): return %s' % self.one(['False', 'True', '1']), 'show(not A(), A() and 1, 1 if A() else 2)'],
            ['class A:', '    def __format__(self, s): return "F" + s', 'show(format(A(), "x"), "{:>3}".format(A()))'],
            ['class A:', '    def __index__(self): return 2', 'show([1, 2, 3][A()], "abc"[:A()], hex(A()), range(A()))'],
            ['class A:', '    def __float__(self): return 1.5', '    def __int__(self): return 7', 'show(float(A()), int(A()), "%d %.2f" % (A(), A()))'],
            ['class A:', '    def __init__(self, v): self.v = v', '    def __lt__(self, o): return self.v < o.v', 'show([a.v for a in sorted([A(3), A(1), A(2)])], max(A(1), A(2)).v)'],
            ['class A:', '    def __iadd__(self, o): show("iadd"); return self', 'a = A()', 'a += 1', 'a -= 1'],
            ['class A:', '    def __setattr__(self, n, v): object.__setattr__(self, n, v * 2)', 'a = A()', 'a.q = %s' % self.atom(), 'show(a.q)']])

    def with_blocks(self):
        return ['class M:', '    def __init__(self, swallow): self.swallow = swallow', '    def __enter__(self): show("enter"); return self',
                '    def __exit__(self, t, v, tb):', '        show("exit", t and t.__name__, v)', '        return self.swallow',
                'with M(%s) as m%s:' % (self.one(['True', 'False', 'None']), self.one(['', ', M(False)', ', M(True) as k'])),
                '    %s' % self.one(['show(m.swallow)', 'raise ValueError(1)', '1 / 0', '%s' % self.expression(2)]), 'show("after")', self.one(['with 5: pass', 'pass'])]

    def sorting(self):
        key = self.one(['', ', key=str', ', key=lambda v: -v', ', key=len', ', reverse=True', ', key=lambda v: v[1]', ', key=abs, reverse=True', ', key=type'])
        return ['show(sorted(%s%s))' % (self.atom() if self.r.random() < 0.4 else self.one(LISTS), key),
                'show(max(%s%s), min(%s, default=0))' % (self.one(LISTS), key.replace(', reverse=True', ''), self.one(LISTS))]

    def numbers(self):
        a, b = self.one(INTS), self.one(INTS)
        f = self.one(['0.1', '2.5', '-1.5', '1e16', '3.7', '1e300', '-0.0', '123456.789', '1e-5'])
        return [self.one(['show(%s // %s, %s %% %s)' % (a, b, a, b), 'show(divmod(%s, %s))' % (self.one([a, f]), self.one([b, f])),
                          'show(pow(%s, %s, %s))' % (a, self.one(['0', '3', '20', '-1']), b), 'show(round(%s, %s))' % (self.one([a, f]), self.one(['0', '1', '2', '-1', '-2', 'None'])),
                          'show(%s + %s, %s - %s, %s * %s)' % (a, b, a, b, a, b), 'show(%s / %s)' % (a, b), 'show(%s & %s, %s | %s, %s ^ %s, ~%s)' % (a, b, a, b, a, b, a),
                          'show((%s) << %s, (%s) >> %s)' % (a, self.one(['0', '3', '70']), a, self.one(['0', '3', '70', '-1'])),
                          'show(%s %s %s)' % (f, self.one(['+', '-', '*', '/', '//', '%', '<', '==']), self.one([a, f])), 'show(str((%s) ** %s))' % (a, self.one(['2', '5', '-1', '40'])),
                          'show((%s).bit_length(), hex(%s), bin(%s), oct(%s))' % (a, a, a, a), 'show(int(%s), round(%s), abs(%s))' % (f, f, f),
                          'show((%s).is_integer(), (%s).as_integer_ratio(), (%s).hex())' % (f, f, f), 'show(%s == float(%s), hash(%s) == hash(%s + 0.0))' % (a, a, self.one(['1', '5', '0']), self.one(['1', '5'])),
                          'show(0.1 + 0.2, 1 / 3, 2 ** 0.5, 1e23, 5e-324, 100 * 1.1)', 'show(%s < %s < %s)' % (a, f, b), 'show(%s * 1.0, float(%s))' % (a, b),
                          'show(sum([0.1] * 10), sum([%s, %s], %s))' % (a, f, b), 'show((%s) ** %s)' % (f, self.one(['2', '0.5', '-1', '0'])),
                          'show((%s).to_bytes(12, %r, signed=True))' % (a, self.one(['big', 'little']))])]

    def unpacking(self):
        return ['%s = %s' % (self.one(['a, b', 'a, *b', '*a, b', 'a, (b, *c)', '[a, b]', 'a, b, *c', 'a, = b', '(a, b), c']),
                             self.one(LISTS + STRINGS[:4] + OTHERS[2:8] + ['(1, (2, 3))', '5'])), 'show(a, b)']

    def attributes(self):
        v = self.atom()
        return [self.one(['show(hasattr(%s, %r))' % (v, self.one(['append', 'real', 'upper', '__len__', '__iter__', 'keys', '__call__'])),
                          'show(callable(getattr(%s, %r, 0)))' % (v, self.one(['append', 'real', 'upper', 'nosuch'])), '(%s).attr = 1' % v, 'del (%s).attr' % v,
                          'show(type(%s) is type(%s), type(%s).__name__)' % (v, self.atom(), v), 'show(isinstance(%s, %s))' % (v, self.one(['int', '(str, list)', 'object', '5', 'dict', 'bool', 'float'])),
                          'show(issubclass(%s, int))' % self.one(['bool', 'str', '5', 'int']), 'show(type(%s))' % v, 'show(callable(%s), id(None) == id(None))' % v,
                          'show(%s)' % self.one(['int.__name__', 'str.upper("a")', 'list.append', 'type(type)', 'len.__name__', '[].append.__name__', 'object', 'dict.fromkeys("ab", 0)', 'str.join(",", "ab")'])])]

    def exceptions(self):
        kind = self.one(['ValueError', 'KeyError', 'Exception', 'RuntimeError', 'StopIteration', 'IndexError', 'LookupError', 'AssertionError', 'NotImplementedError', 'TypeError'])
        args = self.one(['', '%s' % self.atom(), '%s, 2' % self.atom(), "'text'"])
        return self.one([['e = %s(%s)' % (kind, args), 'show(str(e), repr(e), e.args)', 'raise e'], ['raise %s' % self.one([kind, '5', 'None', "'s'", 'int', kind + '(1) from None'])],
                         ['assert %s, %s' % (self.atom(), self.atom())], ['try: raise %s(%s)' % (kind, args), 'except (ValueError, KeyError) as e: show("in", e)', 'show("after")'],
                         ['try:', '    try: 1 / 0', '    finally: show("f")', 'except ArithmeticError as e:', '    show(repr(e), e.__cause__, type(e.__context__))'],
                         ['try:', '    try: {}[1]', '    except KeyError as k: raise ValueError("v") from k', 'except ValueError as e:', '    show(repr(e.__cause__), repr(e.__context__))'],
                         ['show(issubclass(%s, Exception), %s.__name__, %s.__mro__[1].__name__)' % (kind, kind, kind)]])

    def bytes_calls(self):
        b = self.one(["b'abc'", "b''", "b'a,b'", "b'\\x00\\xff'", "b' Hi '", "b'%d'"])
        call = self.one(['upper()', 'split()', "split(b',')", 'decode()', "decode('latin-1')", "find(b'b')", 'hex()', "replace(b'a', b'zz')", 'strip()', 'join([b"x", b"y"])', "startswith(b'a')",
                         'count(b"a")', 'index(b"z")', 'title()', 'lower()', "center(9, b'*')", 'rjust(6)', 'zfill(5)', 'isdigit()', 'endswith(b"c")', 'ljust(5)', 'capitalize()', "join(['s'])",
                         "split('a')", "partition(b',')", "replace('a', 'b')", 'swapcase()', 'isalnum()', "rpartition(b'b')", 'format(1)', 'rfind(b"b")', 'count(97)', 'find(300)', 'lstrip(b" ")', "decode('ascii')",
                         "find('a')", 'islower()', 'isupper()', 'splitlines()', 'expandtabs()', 'removeprefix(b"a")', 'encode()'])
        return ['b = %s' % b, 'show(b.%s)' % call, self.one(['show(b[0], list(b), b[1:])', 'show(b + b"z", b * 2, 97 in b)', 'show(b == "abc", b < b"b")', 'show(b + "s")', 'show(bytes([1, 2]), bytes(3))', 'show("a" in b)',
                                                             'show(b %% %s)' % self.one(['5', '(1,)', "b'x'", "'s'", '()']), 'show(bytes("é", "utf-8"), bytes.fromhex("00ff"))', 'b[0] = 1', 'show(str(b), str(b, "latin-1"))'])]

    def modules(self):
        f = self.one(NUMBERS)
        return [self.one(['import math; show(math.%s(%s))' % (self.one(['sqrt', 'floor', 'ceil', 'log', 'exp', 'fabs', 'factorial', 'isnan', 'trunc', 'log10', 'log2', 'isfinite', 'degrees', 'atan', 'tanh']), f),
                          'import math; show(math.%s(%s, %s))' % (self.one(['pow', 'fmod', 'copysign', 'gcd', 'hypot', 'isclose', 'ldexp']), f, self.one(['1', '2', '3', '7'])),
                          'import math; show(math.pi, math.e, math.inf, math.modf(%s), math.frexp(%s), math.fsum([.1] * 3))' % (self.one(['1.5', '-2.25']), self.one(['8.0', '.3'])),
                          'import itertools; show(list(itertools.%s))' % self.one(
                              ['chain([1], "ab")', 'product([1, 2], "ab")', 'permutations([1, 2, 3], 2)', 'combinations("abc", 2)', 'islice(itertools.count(3, 2), 4)', 'repeat(1, 3)', 'zip_longest([1], [2, 3], fillvalue=0)',
                               'accumulate([1, 2, 3])', 'takewhile(lambda v: v < 3, [1, 5, 2])', 'dropwhile(lambda v: v < 3, [1, 5, 2])', 'starmap(pow, [(2, 3)])', 'compress("abc", [1, 0, 1])', 'chain.from_iterable([[1], [2]])',
                               'combinations_with_replacement("ab", 2)', 'islice([1, 2, 3], 1, None)', 'product("ab", repeat=2)', 'islice([1], -1)', 'groupby([])', 'filterfalse(None, [0, 1])', 'tee([1])[0]', 'pairwise([1, 2, 3])']),
                          'import itertools; show([(k, list(g)) for k, g in itertools.groupby([1, 1, 2, 1])])',
                          'import functools; show(functools.reduce(lambda a, b: a %s b, %s))' % (self.one(['+', '*', '-']), self.one(LISTS)),
                          'from functools import partial; show(partial(pow, 2)(%s), partial(int, base=2)("101"))' % self.one(['3', '0', "'a'"]),
                          'from collections import Counter; c = Counter(%s); show(c.most_common(2), c["a"], sum(c.values()))' % self.one(STRINGS + LISTS[:4]),
                          'from collections import defaultdict; d = defaultdict(%s); d["k"] += %s; show(d["k"], len(d), dict(d), d)' % (self.one(['int', 'list', 'lambda: 1']), self.one(['1', '[2]'])),
                          'from collections import OrderedDict; d = OrderedDict([("b", 1), ("a", 2)]); d.move_to_end("b"); show(d, d.popitem(), list(d.keys()))',
                          'from collections import namedtuple; P = namedtuple("P", "a b"); p = P(1, b=%s); show(p, p.a, p._asdict(), p._replace(a=5), p[1], P._fields)' % self.atom(),
                          'from collections import deque; d = deque([1, 2, 3], maxlen=%s); d.append(4); d.appendleft(0); d.rotate(1); show(d, d.pop(), d.popleft(), list(d))' % self.one(['3', 'None', '5']),
                          'import string; show(string.ascii_lowercase, string.digits, string.punctuation)',
                          'import os; show(os.path.join("a", %s), os.path.basename("/x/y.z"), os.path.splitext("a.b.c"), os.path.dirname("/q/w"))' % self.one(['"b"', '"/c"', '""']),
                          'import copy; a = %s; b = copy.deepcopy(a); show(a, b, a == b)' % self.one(LISTS),
                          'import operator; show(operator.itemgetter(1)([4, 5]), operator.add(2, %s), operator.attrgetter("real")(5))' % self.atom(),
                          'from functools import lru_cache\n@lru_cache(maxsize=None)\ndef fb(n): return n if n < 2 else fb(n - 1) + fb(n - 2)\nshow(fb(%s))' % self.one(['30', '60']),
                          'import sys; show(sys.maxsize, sys.version_info >= (3, 0), sys.argv[1:])', 'import nosuchmodule', 'from math import nosuch', 'from math import *; show(floor(2.5))'])]

    def random_module(self):
        return ['import random', 'random.seed(%s)' % self.one(['0', '42', '-7', '12345678901234567890', "'text'", '1.5']), 'show(%s)' % self.one(
            ['random.random()', 'random.randint(1, 100)', 'random.choice("abcdef")', 'random.uniform(-1, 1)', 'random.sample(range(50), 5)', 'random.gauss(0, 1)', 'random.randrange(0, 100, 7)', 'random.shuffle([1])',
             '[random.random() for _ in range(3)]', 'random.choices([1, 2, 3], k=4)', 'random.getrandbits(70)', 'random.normalvariate(1, 2)', 'random.betavariate(1, 2)', 'random.randint(5, 1)', 'random.choice([])',
             'random.expovariate(2)', 'random.gammavariate(2.5, 1)', 'random.gammavariate(.5, 2)', 'random.lognormvariate(0, 1)', 'random.weibullvariate(1, 2)', 'random.paretovariate(3)', 'random.triangular(0, 1)', 'random.Random(3).random()']), 's = list(range(6)); random.shuffle(s); show(s)']

    def copies(self):
        return self.one([['a = %s' % self.one(LISTS), 'b = a', 'c = a[:]', 'a.append(%s)' % self.atom(), 'show(a, b, c, a is b, a == c)'],
                         ['a = [[]] * 3', 'a[0].append(%s)' % self.atom(), 'show(a)'], ['a = [1]', 'a.append(a)', 'show(a)', 'd = {}', 'd["d"] = d', 'show(d)'],
                         ['t = ([1], 2)', 't[0].append(3)', 'show(t)', 't[1] = 5'], ['a = %s' % self.atom(), 'b = a', 'a += %s' % self.atom(), 'show(a, b)']])


HEAD = '''def show(*values):
    print(*[repr(v)[:400] for v in values])
def hash0(v):
    hash(v)
    return 0
def set0(v):
    return set(i for i in v if isinstance(i, int))
def keep(v, otherwise):
    try: return v if len(repr(v)) < 200 else otherwise
    except Exception: return otherwise
x, y = 3, 'ab'
'''


def program(seed, statements):
    """Returns the text of a program and the lines of each of its statements. Statement n prints '#n' before it runs."""
    generator = Generator(seed)
    out, parts = [HEAD], []
    for n in range(statements):
        lines = [line for text in generator.statement() for line in text.split('\n')]
        parts.append(lines)
        out += ['print("#%d")' % n, 'try:'] + ['    ' + line for line in lines]
        out += ['except RecursionError: pass', 'except Exception as e: print(type(e).__name__, str(e)[:300])',
                'x, y = keep(x, 3), keep(y, "ab")']
    return '\n'.join(out) + '\n', parts
