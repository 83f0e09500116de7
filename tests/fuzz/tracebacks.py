#!/usr/bin/env python3
"""Runs programs that raise exceptions in tensh and in this Python (CPython 3.11). Frames, marks, causes and messages
must be the same.

    tracebacks.py --tensh build/tensh [NUMBER ...]      only those programs

tensh prints the last frame in a different form (FILE:LINE:COLUMN: message, the line, carets), of which only the line
number and the message are compared. Exit code 0: no difference; 1: differences; 77: this Python is not CPython 3.11.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TRACEBACK = 'Traceback (most recent call last):\n'
PROGRAMS = [
    '''
def f(x):
    return x / 0
def g(y):
    return [f(v) for v in y]
print('a')
g([1, 2])
''',
    '''
class A:
    def __init__(self, n):
        self.n = n
    def get(self):
        return self.missing
    @property
    def p(self):
        return self.get() + 1
    def __add__(self, o):
        return self.p + o
a = A(3)
a + 2
''',
    '''
def gen(n):
    for i in range(n):
        if i == 2:
            raise ValueError('two')
        yield i
def use():
    total = sum(x for x in gen(5))
    return total
use()
''',
    '''
def deep(n):
    if n == 0:
        raise KeyError('k')
    return deep(n - 1)
deep(5)
''',
    '''
f = lambda x: x['a']
def call(h):
    return h({})
call(f)
''',
    '''
try:
    int('x')
except ValueError as e:
    raise RuntimeError('wrapped') from e
''',
    '''
def a():
    try:
        {}['k']
    except KeyError:
        return b()
def b():
    raise TypeError('inner')
a()
''',
    '''
import contextlib
@contextlib.contextmanager
def cm():
    yield 1
class CM:
    def __enter__(self): return self
    def __exit__(self, *a): return False
def f():
    with CM() as c:
        x = [1, 2, 3]
        return x[10]
f()
''',
    '''
def f(a, b, *, c): return a
f(1)
''',
    '''
def f(a, b, *, c): return a
f(1, 2, 3, c=1)
''',
    '''
def f(): pass
f(x=1)
''',
    '''
x = {'a': {'b': []}}
x['a']['b'][0]['c']
''',
    '''
def outer():
    def inner():
        undefined_name
    inner()
outer()
''',
    '''
def f():
    x = y
    y = 1
f()
''',
    '''
class E(Exception):
    def __str__(self): return 'custom text'
def f():
    raise E(1, 2)
f()
''',
    '''
assert 1 == 2, 'not equal'
''',
    '''
def f(v):
    assert v > 0
    return v
f(
    -1
)
''',
    '''
def f(*args, **kw):
    return g(*args,
             **kw)
def g(a, b=2):
    return (a +
            b + None)
f(1, b=3)
''',
    '''
a, b = 1, 2, 3
''',
    '''
def f():
    a, b = [1]
f()
''',
    '''
for i in 5:
    pass
''',
    '''
x = [1, 2, 3]
x.foo(1).bar
''',
    '''
"abc" + 1
''',
    '''
def f(s):
    return s.upper() + s.missing() + 'x'
print(f('q'))
''',
    '''
class A:
    def __getitem__(self, i):
        return self.data[i]
a = A()
y = a[1] + a[2]
''',
    '''
def decorate(fn):
    def wrapper(*a):
        return fn(*a)
    return wrapper
@decorate
def h(x):
    return x.y.z
h(3)
''',
    '''
class M(type):
    def __new__(mcs, name, bases, ns):
        if 'bad' in ns:
            raise TypeError('bad class')
        return super().__new__(mcs, name, bases, ns)
class A(metaclass=M):
    bad = 1
''',
    '''
class A:
    x = 1 / 0
''',
    '''
try:
    1/0
except ZeroDivisionError:
    raise
''',
    '''
def f():
    try:
        1/0
    finally:
        print('fin')
        {}[1]
f()
''',
    '''
import json
def f(): return [i for i in range(3) if i / (i - 1)]
f()
''',
    '''
d = {k: 1 / v for k, v in {'a': 1, 'b': 0}.items()}
''',
    '''
def f(n):
    while True:
        n -= 1
        if n < 0: raise StopIteration('x')
def g():
    yield f(2)
list(g())
''',
    '''
next(iter([]))
''',
    '''
sorted([1, 'a'])
''',
    '''
sorted([3, 1], key=lambda v: v.x)
''',
    '''
list(map(lambda q: q + 'a', [1]))
''',
    '''
def f(x): return x + 1
print(f(f(f('a'))))
''',
    '''
import collections
P = collections.namedtuple('P', 'x y')
P(1)
''',
    '''
x = 5
x()
''',
    '''
x = 5
x.y = 1
''',
    '''
del z
''',
    '''
print("%d" % 'a')
''',
    '''
"{} {}".format(1)
''',
    '''
f"{undefined!r:>10}"
''',
    '''
def f(x):
    if x:
        y = (x
             .foo
             .bar)
    return y
f(3)
''',
    '''
raise ValueError
''',
    '''
raise ValueError('multi\\nline')
''',
    '''
raise 5
''',
    '''
e = ValueError('note')
e.add_note('a note')
raise e
''',
    '''
try:
    raise ValueError('a')
except ValueError:
    try:
        raise KeyError('b')
    except KeyError:
        raise TypeError('c')
''',
    '''
try:
    raise ValueError('a')
except ValueError:
    raise TypeError('c') from None
''',
    '''
lst = [1,2,3]
lst[0] += 'a'
''',
    '''
x = 1
x[0] = 2
''',
    '''
def f():
    global q
    return -q
q = 'a'
f()
''',
    '''
def f(a,
      b):
    return a @ b
f(1,
  2)
''',
    '''
not_callable = None
value = [not_callable(i) for i in range(2)]
''',
    '''
class A:
    def __len__(self): return -1
len(A())
''',
    '''
class A:
    def __repr__(self): raise ValueError('no repr')
print([A()])
''',
    '''
class A:
    def __del__(self): pass
    def __eq__(self, o): return self.v == o.v
A() == A()
''',
    '''
x = yield_ = 3; y = x.a; z = 2
''',
    '''
if True:
    for i in range(2):
        for j in range(2):
            print(i / j) if i else None
''',
    '''
def f(): raise NotImplementedError
class B:
    def go(self): f()
class C(B):
    def go(self):
        super().go()
C().go()
''',
    '''
def f(x):
    return x[1:2, 3]
f([1])
''',
    '''
a = [[1, 2], [3]]
print(a[1][1] + 2, "text")
''',
    '''
ünï = 'é'
print(ünï + 1)  # non-ascii
''',
    '''
x = "日本" + undefined
''',
]


def wanted(text):
    """Parses CPython's output; the last frame becomes a line number and the message."""
    head, begin, body = text.rpartition(TRACEBACK)
    lines = body.split('\n')
    frames = [i for i, line in enumerate(lines) if line.startswith('  File "')]
    if not begin or not frames:
        return text
    last = frames[-1]
    number = re.search(r'line (\d+), in ', lines[last]).group(1)
    rest = [line for line in lines[last + 1:] if not line.startswith('    ')]
    return head + (TRACEBACK + '\n'.join(lines[:last]) + '\n' if last else '') + number + ': ' + '\n'.join(rest)


def got(text):
    """Parses tensh's output in the same way."""
    place = re.search(r'^\S+?:(\d+):\d+: ', text, re.M)
    if not place:
        return text
    rest = [line for line in text[place.end():].split('\n') if not line.startswith('    ')]
    return text[:place.start()] + place.group(1) + ': ' + '\n'.join(rest)


def differs(tensh, program):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'program.py'), 'w', encoding='utf-8') as f:
            f.write(program)
        texts = []
        for command in (sys.executable, tensh):
            done = subprocess.run([command, 'program.py'], cwd=folder, capture_output=True, timeout=120)
            texts.append(done.stderr.decode('utf-8', 'replace').replace(folder + '/', ''))
    want, have = wanted(texts[0]), got(texts[1])
    return '' if want == have else '%s--- wanted\n%s--- got\n%s' % (program, want, have)


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('numbers', nargs='*', type=int)
    o = a.parse_args()
    if sys.version_info[:2] != (3, 11) or sys.implementation.name != 'cpython':
        print('skipped: tracebacks are compared with CPython 3.11, this is %s' % sys.version.split()[0])
        return 77
    numbers = o.numbers or range(len(PROGRAMS))
    found = [(n, differs(os.path.abspath(o.tensh), PROGRAMS[n].lstrip('\n'))) for n in numbers]
    for n, text in found:
        if text:
            print('program %d:\n%s' % (n, text))
    print('%d programs, %d differ' % (len(found), sum(1 for _, text in found if text)))
    return 1 if any(text for _, text in found) else 0


if __name__ == '__main__':
    sys.exit(main())
