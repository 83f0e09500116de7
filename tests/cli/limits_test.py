#!/usr/bin/env python3
"""Runs tensh where the system gives little: of memory, of stack, of threads. A program ends with an error, never with a signal.

    limits_test.py --tensh build/tensh
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile

# Slow cases are left out: near the limit, the C library tries several ways to find memory for each small block.
GROWING = {
    'a list': 'x = [0] * 10**9', 'a list of lists': 'x = [[i] for i in range(10**9)]', 'appended': 'x = []\nwhile True: x.append(1.5)',
    'a chain': 'x = None\nwhile True: x = [x, 1]', 'dicts': 'x = {i: [i] for i in range(10**9)}',
    'a text': 'x = "a"\nwhile True: x += x',
    'objects': 'class A:\n  def __init__(s): s.a = []\nx = []\nwhile True: x.append(A())',
    'closures': 'x = []\nwhile True: x.append(lambda: x)',
    'nodes': 'while True: tf.constant(1)', 'sorted': 'sorted(range(10**9))', 'a bytearray': 'x = bytearray(10**9)',
}
CAUGHT = '''
def fill():
    x = []
    while True:
        x.append([1])
for _ in range(2):
    try:
        fill()
    except MemoryError as e:
        print('caught', type(e).__name__, len([1] * 1000))
'''
BAD = []


def check(condition, *what):
    if not condition:
        BAD.append(what)
        print(*what)


def run(tensh, text, limit=None, prefix=(), timeout=120):
    def set_limit():
        if limit:
            resource.setrlimit(*limit)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    env = dict(os.environ, HOME='/nonexistent', TENSH_HISTORY='')
    return subprocess.run([*prefix, tensh, '-'], input=text, capture_output=True, text=True, env=env, preexec_fn=set_limit, timeout=timeout)


def test_memory(tensh):
    size = 300 << 20
    memory = (resource.RLIMIT_AS, (size, size))
    for name, text in GROWING.items():
        done = run(tensh, text, memory)
        check(done.returncode == 1 and ('MemoryError' in done.stderr or 'ResourceExhaustedError' in done.stderr), name, done.returncode, done.stderr[-300:])
    done = run(tensh, CAUGHT, memory)
    check(done.stdout == 'caught MemoryError 1000\n' * 2, 'caught', done.returncode, done.stdout, done.stderr[-300:])


def test_stack(tensh):
    for kilobytes in (256, 1024):
        size = kilobytes << 10
        stack = (resource.RLIMIT_STACK, (size, size))
        for text, want in (('x = ' + '(' * 450 + '1' + ')' * 450 + '\nprint(x)', '1\n'), ('x = ' + '[' * 5000, 'SyntaxError'),
                           ('def f(n): return f(n + 1)\nf(0)', 'RecursionError: maximum recursion depth exceeded'),
                           ('a = []\nfor i in range(100000): a = [a]\nrepr(a)', 'RecursionError: maximum recursion depth exceeded'),
                           ('eval tf.reduce_sum(tf.matmul(tf.ones([900, 900]), tf.ones([900, 900])))', '729000000.0')):
            done = run(tensh, text, stack)
            check(want in done.stdout + done.stderr and done.returncode in (0, 1), kilobytes, text[:40], done.returncode, done.stderr[-300:])


def test_threads(tensh):
    """A user who may not start a thread. Only root can become another user for this test."""
    if os.getuid() != 0 or not shutil.which('setpriv') or not shutil.which('prlimit'):
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = os.path.join(folder, 'tensh')
        shutil.copy(tensh, copy)
        prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'prlimit', '--nproc=1']
        done = run(copy, 'eval tf.constant([1., 2.]) * 2.', prefix=prefix)
        check(done.stdout == '[2. 4.]\n', 'without threads', done)
        done = run(copy, 'import threading\nthreading.Thread(target=print).start()', prefix=prefix)
        check(done.returncode == 1 and "can't start new thread" in done.stderr, 'a thread', done)
        done = subprocess.run(prefix + [copy, 'serve', '--port', '0'], capture_output=True, text=True, timeout=60)
        check(done.returncode in (2, 3), 'serve', done)


def many(form, n):
    return ', '.join(form.replace('#', str(i)) for i in range(n))


def test_many(tensh):
    """Lists of 100,000 names are read and passed in time that grows with their number, not with its square."""
    n = 100000
    seconds = (resource.RLIMIT_CPU, (60, 60))
    names, keywords = many('a#', n), many('a#=1', n)
    programs = {
        'parameters': 'def f(%s): return a9\nprint(f(%s))' % (names, many('1', n)), 'lambda': 'f = lambda %s: 1\nprint(f and 1)' % names,
        'keywords': 'def f(%s): return a9\nprint(f(%s))' % (names, keywords), 'a call': 'print(len(dict(%s)) // %d)' % (keywords, n),
        'a dict of keywords': 'def f(%s): return a9\nprint(f(**{"a%%d" %% i: 1 for i in range(%d)}))' % (names, n),
        'statements': ';'.join(['1'] * n) + ';print(1)',
    }
    for name, text in programs.items():
        with tempfile.NamedTemporaryFile('w', suffix='.py') as file:
            file.write(text + '\n')
            file.flush()
            done = subprocess.run([tensh, file.name], capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(*seconds))
        check((done.returncode, done.stdout) == (0, '1\n'), name, done.returncode, done.stdout[-100:], done.stderr[-300:])


def test_wide_fields(tensh):
    """A field of a format that is too wide is an error, not a shorter field, and no memory is taken for it."""
    texts = ["'%*d' % (10**12, 1)", "'%.*f' % (10**9, 1.5)", "'%-*d' % (-10**12, 1)", "'%2000000000d' % 1", "b'%*d' % (10**12, 1)",
             "'{:1000000000}'.format(1)", "'\\t'.expandtabs(10**12)", "b'\\t'.expandtabs(10**12)", "'x'.ljust(10**12)", "'x' * 10**12"]
    done = run(tensh, ''.join('try:\n    print(len(%s))\nexcept MemoryError:\n    print("error")\n' % t for t in texts),
               (resource.RLIMIT_AS, (300 << 20, 300 << 20)))
    check(done.stdout == 'error\n' * len(texts), 'wide fields', done.stdout, done.stderr[-300:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    tensh = os.path.abspath(parser.parse_args().tensh)
    for test in (test_memory, test_stack, test_threads, test_many, test_wide_fields):
        test(tensh)
    print('limits: %d wrong' % len(BAD))
    return 1 if BAD else 0


if __name__ == '__main__':
    sys.exit(main())
