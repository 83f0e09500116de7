#!/usr/bin/env python3
"""Scripts that import packages of CPython, through libtensh_python.so.

    bridge_test.py --tensh build/tensh [TEST...]

The scripts of scripts/ print the same in CPython as in tensh. Uses the Python of TENSH_TF_PYTHON, or the one that runs this file; it
needs numpy and a shared library. Without them, or without the plug-in, the tests are skipped with exit code 77.
"""
import argparse
import glob
import os
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.environ.get('TENSH_TF_PYTHON') or sys.executable
SKIPPED = 77
tensh = None


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_') and k != 'VIRTUAL_ENV'}
    env.update(TENSH_PYTHON=PYTHON, NO_COLOR='1', OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1', PYTHONDONTWRITEBYTECODE='1')
    env.update(more)
    return env


def run(code, *options, **more):
    """Runs a program in tensh. Returns its exit code, standard output and standard error."""
    done = subprocess.run([tensh, *options, '-c', code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment(**more), timeout=60, universal_newlines=True)
    return done.returncode, done.stdout, done.stderr


def has(module):
    return subprocess.run([PYTHON, '-c', 'import ' + module], stderr=subprocess.DEVNULL).returncode == 0


class BridgeTest(unittest.TestCase):
    maxDiff = None

    def prints(self, code, expected):
        code, out, err = run(code)
        self.assertEqual((out, err, code), (expected, '', 0))

    def test_scripts_print_what_cpython_prints(self):
        for path in sorted(glob.glob(os.path.join(HERE, 'scripts', '*.py'))):
            with self.subTest(os.path.basename(path)):
                with open(path) as file:
                    needs = [line.split()[2:] for line in file if line.startswith('# needs ')]
                if not all(has(module) for modules in needs for module in modules):
                    continue
                expected, got = [subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                                env=environment(), universal_newlines=True, timeout=60)
                                 for program in (PYTHON, tensh)]
                self.assertEqual(expected.returncode, 0, expected.stderr)
                self.assertEqual((got.stdout, got.returncode), (expected.stdout, 0), got.stderr)

    def test_frames_of_pandas_feed_estimators(self):
        if not has('pandas'):
            self.skipTest('%s has no pandas' % PYTHON)
        with tempfile.TemporaryDirectory() as folder:
            self.prints('''
import pandas as pd
data = pd.DataFrame({'a': np.arange(8.), 'c': list('xyxyxyxy')})
labels = pd.Series(np.arange(8) % 2)
batches = tf.data.Dataset.from_tensor_slices((dict(data), labels)).batch(3).make_one_shot_iterator().get_next()
print(tf.Session().run(batches))
words = tf.feature_column.categorical_column_with_vocabulary_list('c', ['x', 'y'])
model = tf.estimator.LinearClassifier([tf.feature_column.numeric_column('a'), tf.feature_column.indicator_column(words)], 'FOLDER')
inputs = tf.estimator.inputs.pandas_input_fn
model.train(inputs(data, labels, batch_size=4, num_epochs=None, shuffle=True), steps=50)
print(model.evaluate(inputs(data, labels, shuffle=False))['accuracy'])
for x, y in ((data.rename(columns={'a': 'target'}), labels), (data, labels[1:])):
  try:
    inputs(x, y, shuffle=False)
  except ValueError as e:
    print(str(e).split(chr(10))[0])
'''.replace('FOLDER', folder), """({'a': array([0., 1., 2.]), 'c': array([b'x', b'y', b'x'], dtype=object)}, array([0, 1, 0]))
1.0
Cannot use name target for target column: DataFrame already has a column with that name: ['target', 'c']
Index for x and y are mismatched.
""")

    def test_references_are_counted(self):
        self.prints('''
import contextvars, pydoc
import numpy as np
count = pydoc.locate('sys.getrefcount')
blocks = pydoc.locate('sys.getallocatedblocks')
box = contextvars.ContextVar('box')
made = pydoc.locate('types.SimpleNamespace')(x=1)
function = lambda v: v
array = np.ones(3)
def use():
  box.set(made)
  made.x = box.get().x + 1
  made.f = function
  made.f(made)
  made.a = array
  made.a[0] += 1
  try:
    box.get(1, 2, 3)
  except TypeError:
    pass
for i in range(100):
  use()
before, size = count(made), blocks()
for i in range(12500):  # eight crossings each
  use()
print(count(made) - before, blocks() - size < 5000, made.x, array[0])
''', '0 True 12601 12601.0\n')

    def test_cycles_through_both_heaps_are_collected(self):
        self.prints('''
import pydoc
gc, weak = pydoc.locate('gc'), pydoc.locate('weakref.ref')
Theirs, blocks = pydoc.locate('argparse.Namespace'), pydoc.locate('sys.getallocatedblocks')
class Ours(object):
  pass
class Derived(Theirs):
  pass
def two():
  ours = Ours()
  ours.other = Theirs(back=ours, call=lambda: ours)
  return ours.other
def derived():
  made = Derived(x=1)
  made.me, made.f = made, lambda: made
  return made
def many():
  first, second = Ours(), Ours()
  first.a, first.peer, second.peer = Theirs(owner=second), second, first
  second.b = Theirs(owner=first, list=[first])
  return second.b
for make in (two, derived, many):
  seen = weak(make())
  print(seen() is not None)
  gc.collect()
  print(seen())
  kept = make()
  seen = weak(kept)
  gc.collect()
  print(seen() is kept)
print(kept.owner.peer.b is kept, kept.owner.a.owner is kept.owner.peer)
saved = []
class Saves(Theirs):
  def __del__(self):
    saved.append(self.me)
def resurrected():
  made = Saves(x=5)
  made.me = made
resurrected()
gc.collect()
print([s.x for s in saved])
gc.collect()
before = blocks()
for i in range(3000):
  two()
gc.collect()
print(blocks() - before < 300)
''', 'True\nNone\nTrue\n' * 3 + 'True True\n[5]\nTrue\n')

    def test_values_of_the_library_and_shared_arrays(self):
        self.prints('''
import collections, datetime, pathlib, pydoc
import numpy as np
theirs = pydoc.locate('numpy')
kind = pydoc.locate('pprint.pformat')
print(kind(collections.OrderedDict(b=1)), kind(collections.Counter('aab')), kind(collections.defaultdict(list, a=[1])))
print(kind([datetime.datetime(2020, 1, 2, 3), datetime.date(2020, 1, 2), datetime.timedelta(1), pathlib.Path('/a/b')]))
later = pydoc.locate('email.utils.parsedate_to_datetime')('Thu, 02 Jan 2020 04:00:00 -0000')
print(isinstance(later, datetime.datetime), later - datetime.datetime(2020, 1, 2, 3), datetime.datetime(2020, 1, 2) < later)
a = np.arange(3.)
b = theirs.from_dlpack(a)
b[0] = 9
print(a, np.from_dlpack(a) is a, np.from_dlpack(b)[0])
@pydoc.locate('unittest.skip')('because')
class Size(object):
  def __init__(self, n, unit='m', *rest, key=1):
    self.n = n
print(Size(1).n, Size.__unittest_skip_why__, pydoc.locate('inspect.signature')(Size.__init__))
cyclic = []
cyclic.append(cyclic)
try:
  kind(cyclic)
except RecursionError as e:
  print('RecursionError')
''', """OrderedDict({'b': 1}) Counter({'a': 2, 'b': 1}) {'a': [1]}
[datetime.datetime(2020, 1, 2, 3, 0),
 datetime.date(2020, 1, 2),
 datetime.timedelta(days=1),
 PosixPath('/a/b')]
True 1:00:00 True
[9. 1. 2.] False 9.0
1 because (self, n, unit='m', *rest, key=1)
RecursionError
""" if sys.version_info >= (3, 12) else """OrderedDict([('b', 1)]) Counter({'a': 2, 'b': 1}) {'a': [1]}
[datetime.datetime(2020, 1, 2, 3, 0),
 datetime.date(2020, 1, 2),
 datetime.timedelta(days=1),
 PosixPath('/a/b')]
True 1:00:00 True
[9. 1. 2.] False 9.0
1 because (self, n, unit='m', *rest, key=1)
RecursionError
""")

    def test_threads_of_cpython_call_functions_of_the_script(self):
        self.prints('''
import pydoc
threads = pydoc.locate('threading')
found = []
def work(n):
  for i in range(25):
    found.append(n)
all = [threads.Thread(target=work, args=(n,)) for n in range(4)]
for t in all: t.start()
for t in all: t.join()
print(sorted(set(found)), len(found))
pool = pydoc.locate('concurrent.futures.ThreadPoolExecutor')(3)
print(sum(pool.map(lambda n: n * n, range(20))))
def endless():
  while True: pass
threads.Thread(target=endless, daemon=True).start()
''', '[0, 1, 2, 3] 100\n2470\n')

    def test_the_end_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = run('''
import pydoc, pathlib
pydoc.locate('atexit').register(lambda: print('at the end'))
file = pathlib.Path(%r, 'a').open('w')
file.write('text')
keep = pydoc.locate('types.SimpleNamespace')(f=file, g=print)
keep.self = keep
print('last line')
''' % folder)
            self.assertEqual((out, err, code), ('last line\nat the end\n', '', 0))
            with open(os.path.join(folder, 'a')) as file:
                self.assertEqual(file.read(), 'text')
        for code in ('import sys, contextvars\ncontextvars.copy_context().run(sys.exit, 3)', 'import pydoc\npydoc.locate("sys").exit(3)'):
            self.assertEqual(run(code), (3, '', ''))

    def test_ctrl_c(self):
        script = '''
import pydoc, sys, contextvars
for wait in (lambda: pydoc.locate('time').sleep(60), lambda: pydoc.locate('collections.deque')(iter(int, 1), 0)):
  try:
    print('ready')
    sys.stdout.flush()
    wait()
  except KeyboardInterrupt:
    print('interrupted')
print(contextvars.copy_context().run(len, 'abc'))
'''
        with subprocess.Popen([tensh, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                              universal_newlines=True) as process:
            self.addCleanup(process.kill)
            for _ in range(2):
                self.assertEqual(process.stdout.readline(), 'ready\n')
                subprocess.run(['sleep', '0.1'])
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.stdout.readline(), 'interrupted\n')
            self.assertEqual((process.stdout.read(), process.stderr.read(), process.wait(20)), ('3\n', '', 0))

    def test_an_error_that_is_not_caught(self):
        code, out, err = run('import ipaddress\ndef f(x):\n  return ipaddress.ip_address(x)\nf("no")')
        self.assertEqual((code, out), (1, ''))
        self.assertIn("ValueError: 'no' does not appear", err)
        self.assertIn('<string>:3', err)

    def test_containers_that_are_nested_without_end(self):
        """They are errors, also if a program has raised CPython's limit of recursion."""
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, 'endless', '__init__.py')
            os.mkdir(os.path.dirname(package))
            with open(package, 'w') as file:
                file.write('import sys\nsys.setrecursionlimit(10**6)\n'
                           'def itself():\n    x = []\n    x.append(x)\n    return x\n'
                           'def deep(make):\n    x = make(1)\n    for _ in range(100000): x = make(x)\n    return x\n'
                           'class Meta(type):\n    def __getattribute__(cls, name): raise OSError(name)\n'
                           'class Class(metaclass=Meta): pass\n'
                           'calls = [itself] + [lambda make=make: deep(make) for make in (\n'
                           '    lambda x: [x], lambda x: {1: x}, lambda x: (x,), lambda x: frozenset([x]))]\n')
            got = run('import endless\nfor call in endless.calls:\n    try:\n        call()\n    except RecursionError as e:\n'
                      '        print(e)\n', PYTHONPATH=folder)
            self.assertEqual(got, (0, 'maximum recursion depth exceeded while a value is converted\n' * 5, ''))

    def test_what_cannot_be_imported(self):
        absent = 'a_package_that_nobody_has'
        code, out, err = run('import ' + absent)
        self.assertEqual(code, 1)
        self.assertIn('%s -m pip install %s' % (PYTHON, absent), err)
        self.assertEqual(run('try:\n  import %s\nexcept ImportError:\n  print(1)' % absent), (0, '1\n', ''))
        code, out, err = run('import numpi_of_nobody\n')
        self.assertNotIn('did you mean', err)
        code, out, err = run('import ipadress')
        self.assertIn("No module named 'ipadress'; did you mean 'ipaddress'?", err)
        for options, more in ((['--sandbox'], {}), ([], {'TENSH_PYTHON': 'none'})):
            code, out, err = run('import ipaddress', *options, **more)
            self.assertEqual(code, 1)
            self.assertIn("No module named 'ipaddress'", err)
            self.assertNotIn('pip', err)
        code, out, err = run('import ipaddress', TENSH_PYTHON='/nowhere/python')
        self.assertIn('cannot be run: /nowhere/python', err)
        # Packages for which there is an alternative fail where they are used.
        code, out, err = run('import subprocess\nprint(1)\nsubprocess.run(["true"])', TENSH_PYTHON='none')
        self.assertEqual((code, out), (1, '1\n'))
        self.assertEqual(run('import subprocess\nprint(subprocess.run(["true"]).returncode)'), (0, '0\n', ''))


def main():
    global tensh
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    options, rest = parser.parse_known_args()
    tensh = os.path.abspath(options.tensh)
    if not has('numpy') or 'no shared library' in run('import ipaddress')[2]:
        print('skipped: %s has no numpy, or no shared library' % PYTHON)
        return SKIPPED
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == '__main__':
    sys.exit(main())
