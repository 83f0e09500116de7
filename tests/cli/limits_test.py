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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    tensh = os.path.abspath(parser.parse_args().tensh)
    for test in (test_memory, test_stack, test_threads):
        test(tensh)
    print('limits: %d wrong' % len(BAD))
    return 1 if BAD else 0


if __name__ == '__main__':
    sys.exit(main())
