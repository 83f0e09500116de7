#!/usr/bin/env python3
"""Malicious source code: fixed cases, and golden scripts with modified bytes. tensh may refuse them, but nothing else
may happen.

    hostile.py --tensh build/tensh [--seed N] [--count MUTATIONS]

A run must end within its time with an exit code of 0 to 3, and must not send control characters to the terminal that
the script did not print itself.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 60
MEMORY = 8 << 30
# Characters that an error message must not contain: control characters other than tab and newline,
# and the C1 range.
CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]')


def nested(open_, close, n):
    return open_ * n + '1' + close * n


def fixed_cases():
    """Returns (name, source as bytes, whether the script loops forever and gets Ctrl-C)."""
    big = 200000
    texts = {
        'nested lists': 'x = ' + nested('[', ']', big), 'nested calls': 'x = ' + nested('f(', ')', big),
        'nested parentheses': 'x = ' + nested('(', ')', big), 'nested dicts': 'x = ' + nested('{1: ', '}', big),
        'unclosed': 'x = ' + '[' * big, 'closers': ']' * big, 'minus': 'x = ' + '-' * big + '1', 'not': 'x = ' + 'not ' * big + '1',
        'sums': 'x = ' + '1+' * big + '1', 'powers': 'x = ' + '1**' * big + '1', 'comparisons': 'x = ' + '1<' * big + '1',
        'attributes': 'x = a' + '.b' * big, 'indices': 'x = a' + '[0]' * big, 'ternaries': 'x = ' + '1 if 1 else ' * big + '1',
        'lambdas': 'x = ' + 'lambda: ' * big + '1', 'digits': 'x = ' + '9' * 1000000, 'hex digits': 'x = 0x' + 'f' * 1000000,
        'exponent': 'print(1e' + '9' * 100000 + ')', 'a long string': 'x = "' + 'a' * 10000000 + '"\nprint(len(x))',
        'a long line': 'x = [' + '1,' * 400000 + ']\nprint(len(x))', 'a long name': 'a' * 1000000 + ' = 1', 'f-strings': 'x = ' + "f'{" * 1000 + '1' + "}'" * 1000,
        'blocks': '\n'.join(' ' * i + 'if 1:' for i in range(2000)) + '\n' + ' ' * 2000 + 'pass', 'targets': ','.join(['a'] * 100000) + ' = 1',
        'assignments': 'a = ' * 100000 + '1', 'decorators': '@f\n' * 50000 + 'def g(): pass', 'arguments': 'def f(' + ','.join('a%d' % i for i in range(20000)) + '): pass\nf()',
        'recursion': 'def f(n): return f(n + 1)\nf(0)', 'recursion by repr': 'a = []\nfor i in range(100000): a = [a]\nprint(repr(a)[:10])',
        'recursion by eq': 'a, b = [], []\nfor i in range(100000): a, b = [a], [b]\nprint(a == b)', 'recursion by getattr': 'class A:\n  def __getattr__(s, n): return getattr(s, n + "x")\nA().q',
        'recursion by iter': 'i = iter([1])\nfor k in range(100000): i = map(str, i)\nprint(list(i))', 'recursion by hash': 'a = ()\nfor i in range(100000): a = (a,)\nhash(a)',
        'recursion by init': 'class A:\n  def __init__(s): A()\nA()', 'recursion by sort': 'l = [1, 2]\ndef k(v): return sorted(l, key=k)\nk(1)', 'recursion by format': 'class A:\n  def __repr__(s): return "%r" % s\nrepr(A())',
        'ranges': 'print(len(range(10**18)), sum(range(10)), 5 in range(10**18))\nlist(range(10**12))', 'repeat': 'x = "ab" * 10**12', 'repeat lists': 'x = [0] * 10**12',
        'shift': 'x = 1 << 10**12', 'power': 'x = 7 ** 10**9', 'power of power': 'x = 9**9**9**9', 'join': 'x = ("a" * 10**8).join("b" * 10**6)', 'center': '"a".center(10**13)', 'format width': 'format(1, "%d" % 10**12)',
        'percent width': '"%*d" % (10**12, 1)', 'zeros': 'import numpy as np\nnp.zeros((10**6, 10**6, 10**6))', 'arange': 'import numpy as np\nnp.arange(10**13)', 'shapes': 'import numpy as np\nnp.zeros([1] * 100)',
        'tile': 'import numpy as np\nnp.tile(np.zeros(1000), 10**12)', 'numpy repeat': 'import numpy as np\nnp.repeat(1, 10**15)', 'tf fill': 'import tensorflow as tf\nwith tf.Session() as s: s.run(tf.fill([10**9, 10**9], 1))',
        'control names': 'import tensorflow as tf\ntf.constant(1, name="\\x1b[31m\\x00")', 'control message': 'raise ValueError("\\x1b]0;title\\x07 \\x1b[2J \\x9b31m")', 'control key': '{}["\\x1b[2J"]',
        'control attribute': 'getattr(1, "\\x1b[2J")', 'surrogates': 'print("\\ud800")', 'control in source': 'x = "\x1b[2J" + 1', 'bell': '\x07', 'carriage': 'x = 1\rprint(x)\r\n', 'form feed': '\x0cx = 1\n\x0cprint(x)',
        'marks': '\ufeffprint("bom")', 'right to left': 'x = "\u202e" + 1', 'del in a class': 'class A:\n  def __del__(s): 1/0\nA()', 'deep generator': 'def g(n):\n  if n: yield from g(n - 1)\n  yield n\nlist(g(5000))',
        'infinite list': 'a = [1]\nfor v in a: a.append(v); len(a) > 10**6 and 1/0', 'exception chains': 'e = None\nfor i in range(100000):\n  try:\n    raise ValueError(i) from e\n  except ValueError as f: e = f\nraise e',
        'string escapes': "x = '\\N{" + 'A' * 100000 + "}'", 'star': 'print(*' * 1000 + '[]' + ')' * 1000, 'globals': 'globals().clear()\nprint(1)',
    }
    for name, text in texts.items():
        yield name, text.encode('utf-8', 'surrogatepass'), False
    yield 'NULs', b'x = 1\0\nprint(x)\0\0', False
    yield 'not UTF-8', b'x = "\xff\xfe\x80"\nprint(x)', False
    yield 'random bytes', random.Random(1).randbytes(100000), False
    with open(sys.executable, 'rb') as f:
        yield 'a binary', f.read(300000), False
    yield 'an endless loop', b'while True: pass', True
    yield 'an endless for', b'import itertools\nfor i in itertools.count(): pass', True
    yield 'an endless sum', b'import itertools\nsum(itertools.repeat(1))', True
    for n, line in enumerate(ENDLESS):
        yield 'endless %d' % n, line.encode(), True
    yield 'an endless graph', b'import tensorflow as tf\nwith tf.Session() as s: s.run(tf.while_loop(lambda i: i < 1, lambda i: i * 0, [0]))', True


# Programs that wait or compute forever: inside a builtin, a Python library of the shell, the
# runtime, or a thread.
ENDLESS = [
    'import itertools\nmax(itertools.count())', 'import itertools\n-1 in itertools.count()', 'import itertools\nany(itertools.repeat(0))',
    'import collections, itertools\ncollections.deque(itertools.count(), maxlen=1)', 'import itertools\nfor _ in zip(itertools.count(), itertools.repeat(1)): pass',
    'import itertools\nfor _ in map(str, filter(None, itertools.count())): pass', 'import itertools\n[0 for _ in itertools.count() if 0]',
    'import itertools\n"".join("" for _ in itertools.count())', 'import functools, itertools\nfunctools.reduce(lambda a, b: b, itertools.count())',
    'next(x for x in iter(int, 1) if x)', 'for _ in iter(int, 1): pass', 'def g():\n  while True: yield 0\nsum(g())', 'import time\ntime.sleep(10 ** 6)',
    'import threading\nthreading.Event().wait()', 'import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()', 'import queue\nqueue.Queue().get()',
    'import threading, time\nt = threading.Thread(target=time.sleep, args=(10 ** 6,), daemon=True)\nt.start()\nt.join()',
    'import concurrent.futures as c, time\nc.Future().result()', 'class A:\n  def __iter__(s): return s\n  def __next__(s): return 0\nlist(zip(A(), A())) if 0 else sum(A())',
    'class A:\n  def __len__(s): return 1\n  def __getitem__(s, i): return 0\nmax(A())', 'class A:\n  def __eq__(s, o):\n    while 1: pass\n[A()].index(A())',
    'class A:\n  def __hash__(s):\n    while 1: pass\n{A(): 1}', 'class A:\n  def __lt__(s, o):\n    while 1: pass\nsorted([A(), A()])',
    'class A:\n  def __repr__(s):\n    while 1: pass\nprint(A())', 'class A:\n  def __del__(s):\n    while 1: pass\nA()',
    'while True:\n  try: 1 / 0\n  except ZeroDivisionError: pass', 'while True:\n  try: continue\n  finally: pass', 'import numpy as np\nwhile True: np.ones(1000).sum()',
    'import re\nwhile True: re.findall("a*b*", "ab" * 1000)', 'import json\nwhile True: json.dumps([1] * 100)', 'import tensorflow as tf\nwhile True: tf.constant(1)',
    'import tensorflow as tf\ns = tf.Session()\nx = tf.constant(1)\nwhile True: s.run(x)', 'import tensorflow as tf\nwith tf.Session() as s: s.run(tf.FIFOQueue(1, tf.int32).dequeue())',
    'import tensorflow as tf\nq = tf.FIFOQueue(1, tf.int32)\nwith tf.Session() as s:\n  s.run(q.enqueue(1))\n  s.run(q.enqueue(1))',
    'import tensorflow as tf\nf = tf.py_func(lambda: iter(int, 1) and [0 for _ in iter(int, 1)], [], tf.int32)\nwith tf.Session() as s: s.run(f)',
    'import tensorflow as tf\nd = tf.data.Dataset.range(9).repeat().filter(lambda x: x > 10).make_one_shot_iterator().get_next()\nwith tf.Session() as s: s.run(d)',
    'import tensorflow as tf\ntf.train.Coordinator().wait_for_stop(10 ** 6)', 'run tf.constant(1) until False', 'import itertools\nfor i in itertools.product(range(10), repeat=30): pass',
    'import random\nwhile random.random() >= 0: pass', 'x = [1]\nfor v in x: x[0] = v; x.append(v); x.pop(0); x.insert(0, v)',
]


def mutated(seed):
    """Returns a golden script in which a few bytes were changed, dropped, duplicated or taken from another script."""
    r = random.Random(seed)
    with open(r.choice(SCRIPTS), 'rb') as f:
        data = bytearray(f.read())
    with open(r.choice(SCRIPTS), 'rb') as f:
        other = f.read()
    for _ in range(r.randint(1, 8)):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(8)
        if kind == 0:
            data[at:at] = bytes([r.randrange(256)])
        elif kind == 1:
            del data[at:at + r.randint(1, 20)]
        elif kind == 2:
            data[at:at] = data[at:at + r.randint(1, 200)]
        elif kind == 3:
            cut = r.randrange(len(other) + 1)
            data[at:at] = other[cut:cut + r.randint(1, 200)]
        elif kind == 4:
            data[at:at + 1] = r.choice([b'(', b')', b'[', b'"', b"'", b':', b'\n', b'\t', b'\\', b'{', b'-', b'**', b'%', b'#'])
        elif kind == 5:
            data[at:at] = r.choice([b'99999999999999999999', b'-1', b'None', b'lambda: ', b'*', b'[]', b'0', b'1e308', b'9223372036854775807', b'""'])
        elif kind == 6 and len(data) > 2:
            lines = bytes(data).split(b'\n')
            r.shuffle(lines) if r.random() < .2 else lines.pop(r.randrange(len(lines)))
            data = bytearray(b'\n'.join(lines))
        else:
            numbers = [m.span() for m in re.finditer(rb'\d+', bytes(data))]
            if numbers:
                a, b = r.choice(numbers)
                data[a:b] = r.choice([b'0', b'1', b'-1', b'100', b'65536', b'2147483648', b'9223372036854775807', b'7'])
    return 'mutation %d' % seed, bytes(data), False


SCRIPTS = sorted(os.path.join(d, f) for d, _, files in os.walk(os.path.join(ROOT, 'tests/golden')) for f in files
                 if f.endswith(('.py', '.tsh')) and f not in ('make_golden.py', 'run.py'))


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(tensh, case):
    """Returns the problem with a case, or ''."""
    name, source, endless = case
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'script.py')
        with open(path, 'wb') as f:
            f.write(source)
        p = subprocess.Popen([tensh, '--sandbox', path], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
        if endless:
            time.sleep(1)
            p.send_signal(signal.SIGINT)
        try:
            _, err = p.communicate(timeout=20 if endless else SECONDS)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            return '%s: still running' % name, source
    if p.returncode not in ((0, 1, 2, 3, 130, -signal.SIGINT) if endless else (0, 1, 2, 3)):
        return '%s: exit %d %s' % (name, p.returncode, err[-300:].decode('utf-8', 'replace')), source
    found = CONTROL.search(err.decode('utf-8', 'replace'))
    if found and name != 'carriage':
        return '%s: %r on stderr: %s' % (name, found.group(), ascii(err.decode('utf-8', 'replace')[-300:])), source
    return '', source


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--count', type=int, default=200)
    a.add_argument('--only', default='')
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--keep', help='a folder for the scripts that went wrong')
    o = a.parse_args()
    tensh = os.path.abspath(o.tensh)
    cases = [c for c in fixed_cases() if o.only in c[0]] + ([] if o.only else [mutated(s) for s in range(o.seed, o.seed + o.count)])
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for n, (wrong, source) in enumerate(pool.map(lambda c: run(tensh, c), cases)):
            if not wrong:
                continue
            bad += 1
            print(wrong)
            if o.keep:
                os.makedirs(o.keep, exist_ok=True)
                with open(os.path.join(o.keep, '%d.py' % n), 'wb') as f:
                    f.write(source)
    print('%d cases, %d wrong' % (len(cases), bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
