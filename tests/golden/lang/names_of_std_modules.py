"""Names of the standard modules that other scripts do not use."""
import argparse
import base64
import binascii
import bisect
import codecs
import collections.abc as cabc
import concurrent.futures as futures
import contextlib
import copy
import csv
import datetime
import enum
import fnmatch
import gc
import glob
import gzip
import hashlib
import importlib
import inspect
import io
import itertools
import json
import keyword
import math
import numbers
import operator
import os
import pickle
import pprint
import queue
import re
import shutil
import statistics
import sys
import tempfile
import textwrap
import threading
import timeit
import traceback
import types
import unittest
import warnings
import zlib

# Functions by their names: (module, name, arguments).
for name, args in [('cos', (0.5,)), ('sinh', (0.5,)), ('tanh', (0.5,)), ('acosh', (1.5,)), ('asinh', (0.5,)), ('atan2', (1, 2)), ('atanh', (0.5,)),
                   ('erfc', (0.5,)), ('expm1', (0.5,)), ('fmod', (7, 3)), ('gamma', (4.5,)), ('lgamma', (4.5,)), ('log1p', (0.5,)), ('log2', (8,)),
                   ('isinf', (1.0,)), ('isnan', (1.0,)), ('pow', (2, 3))]:
    print(name, '%.12g' % getattr(math, name)(*args))
print(math.nan, '%.6f' % math.e)
for name, args in [('add', (1, 2)), ('sub', (5, 2)), ('mod', (7, 3)), ('pow', (2, 5)), ('floordiv', (7, 2)), ('truediv', (7, 2)), ('neg', (3,)), ('pos', (3,)),
                   ('abs', (-3,)), ('invert', (3,)), ('concat', ([1], [2]))]:
    print(name, getattr(operator, name)(*args))


class M(object):
    def __matmul__(self, other):
        return 'product'


print(operator.matmul(M(), M()))

print(base64.b16decode(b'0AFF'), base64.decodebytes(b'aGk=\n'), base64.standard_b64decode(base64.standard_b64encode(b'abc')), base64.urlsafe_b64decode(b'-_8='))
print(binascii.a2b_base64(b'aGk='), binascii.b2a_base64(b'hi'), binascii.b2a_hex(b'hi'), binascii.a2b_hex('6869'))
rows = [1, 3, 3, 5]
bisect.insort_right(rows, 3)
print(rows, codecs.BOM == codecs.BOM_UTF16 == codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
print([isinstance(v, k) for v, k in (([], cabc.Collection), ([], cabc.Container), ((i for i in []), cabc.Generator), (iter([]), cabc.Iterator),
                                     ({}, cabc.MutableMapping), ([], cabc.MutableSequence), (set(), cabc.MutableSet), ([], cabc.Reversible), (5, cabc.Container))])

with futures.ThreadPoolExecutor(2) as pool:
    made = [pool.submit(lambda n: n * n, i) for i in range(4)]
    done = futures.wait(made, return_when=futures.ALL_COMPLETED)
    print(sorted(f.result() for f in done.done), len(done.not_done), isinstance(made[0], futures.Future), futures.FIRST_COMPLETED, futures.FIRST_EXCEPTION)
print(issubclass(futures.CancelledError, Exception))


@contextlib.contextmanager
def scope(name):
    print('enter', name)
    yield name.upper()
    print('leave', name)


class Thing(object):
    def close(self):
        print('closed')


with scope('a') as n, contextlib.closing(Thing()), contextlib.suppress(KeyError):
    print(n)
    {}['missing']
print(issubclass(copy.Error, Exception))
out = io.StringIO()
writer = csv.DictWriter(out, ['epoch', 'loss'], lineterminator='\n')
writer.writeheader()
writer.writerow({'epoch': 1, 'loss': 0.5})
for quoting in (csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC):
    csv.writer(out, quoting=quoting, lineterminator='\n').writerow([1, 'a b', 'c,d', 2.5])
csv.writer(out, quoting=csv.QUOTE_NONE, lineterminator='\n').writerow([1, 'plain'])
print(out.getvalue(), issubclass(csv.Error, Exception))
print(datetime.MINYEAR, datetime.MAXYEAR, datetime.time(12, 30, 5), datetime.time(1, 2).isoformat())
print(fnmatch.fnmatchcase('Model.ckpt', 'M*.ckpt'), bool(re.match(fnmatch.translate('*.py'), 'a.py')), bool(re.match(fnmatch.translate('*.py'), 'a.pyc')))
print(type(gc.collect()), gc.isenabled(), gc.enable(), gc.disable())
print(glob.escape('a[1]*'), glob.has_magic('a*'), glob.has_magic('a'), list(glob.iglob('no_such_*')))
print(issubclass(gzip.BadGzipFile, OSError), sorted(hashlib.algorithms_guaranteed)[:0], 'md5' in hashlib.algorithms_available)
print(importlib.reload(math) is math)


def model(x, units=3, *rest, act=None, **more):
    """A model."""
    yield x


sig = inspect.signature(model)
print(sig, isinstance(sig, inspect.Signature), sig.parameters['units'].kind == inspect.Parameter.POSITIONAL_OR_KEYWORD, sig.parameters['units'].default)
spec = inspect.getfullargspec(model)
print(spec.args, spec.varargs, spec.varkw, spec.defaults, spec.kwonlyargs, type(spec) is inspect.FullArgSpec)
print(inspect.isgeneratorfunction(model), inspect.isgenerator(model(1)), inspect.isbuiltin(len), inspect.ismethod(Thing().close), inspect.ismodule(math))
print([n for n, _ in inspect.getmembers(Thing) if n[0] != '_'])
print(io.DEFAULT_BUFFER_SIZE, io.SEEK_SET, io.SEEK_CUR, io.SEEK_END, issubclass(io.UnsupportedOperation, OSError), io.open is open)
print(list(itertools.compress('abcd', [1, 0, 1, 0])), list(itertools.islice(itertools.cycle([1, 2]), 5)))


class Encoder(json.JSONEncoder):
    def default(self, o):
        return 'thing'


folder = tempfile.mkdtemp()
path = os.path.join(folder, 'log.json')
with open(path, 'w') as f:
    json.dump({'loss': [0.5, 0.25]}, f)
with open(path) as f:
    print(json.load(f), json.dumps([Thing()], cls=Encoder))
print(keyword.issoftkeyword('match'), 'match' in keyword.softkwlist)
print(isinstance(1j, numbers.Complex), isinstance(1, numbers.Rational), isinstance(1.5, numbers.Rational))
with open(os.path.join(folder, 'v.pkl'), 'wb') as f:
    pickle.dump({'w': [1.5]}, f, pickle.HIGHEST_PROTOCOL and 4)
with open(os.path.join(folder, 'v.pkl'), 'rb') as f:
    print(pickle.load(f), pickle.DEFAULT_PROTOCOL)
b = io.BytesIO()
pickle.Pickler(b).dump([1])
print(pickle.Unpickler(io.BytesIO(b.getvalue())).load(), issubclass(pickle.PicklingError, pickle.PickleError))
pprint.pprint({'b': 1, 'a': [1, 2]})
pprint.pp([3])
print(pprint.pformat({'k': (1,)}))
q = queue.SimpleQueue()
q.put(3)
print(q.get(), q.empty())
print(re.findall('a.b', 'a\nb', re.DOTALL), re.findall('^b', 'a\nb', re.MULTILINE), re.findall('a  b # c', 'ab', re.VERBOSE), [m.start() for m in re.finditer('o', 'foo')],
      re.U == re.UNICODE, re.A == re.ASCII, re.L == re.LOCALE, re.purge(), isinstance(re.compile('a'), re.Pattern), isinstance(re.match('a', 'a'), re.Match))
shutil.copyfile(path, path + '.1')
shutil.copy2(path, path + '.2')
shutil.move(path + '.2', path + '.3')
print(sorted(os.listdir(folder)), issubclass(shutil.Error, OSError))
os.replace(path + '.3', path + '.4')
print(os.path.exists(path + '.4'), os.name, os.sep)
shutil.rmtree(folder)
with tempfile.NamedTemporaryFile('w', suffix='.txt') as f:
    f.write('x')
    print(f.name.endswith('.txt'))
print(os.path.isdir(tempfile.gettempdir()), tempfile.tempdir is None or True)
print(statistics.covariance([1, 2, 3], [1, 2, 4]), round(statistics.correlation([1, 2, 3], [1, 2, 4]), 6), round(statistics.geometric_mean([1, 2, 4]), 6))
print(sys.maxsize, sys.platform, type(sys.version).__name__, type(sys.path).__name__)
sys.stderr.write('')
print(textwrap.TextWrapper(width=10, initial_indent='- ').wrap('some words that wrap'))
lock = threading.Semaphore(2)
print(lock.acquire(), lock.release(), threading.active_count(), threading.current_thread().name, len(threading.enumerate()), threading.get_ident() == threading.get_ident(),
      threading.get_native_id() > 0, threading.TIMEOUT_MAX > 0, issubclass(threading.BrokenBarrierError, RuntimeError), threading.ThreadError is RuntimeError)
print(timeit.timeit(lambda: None, number=10) >= 0, len(timeit.repeat(lambda: None, repeat=2, number=3)), timeit.Timer(lambda: None).timeit(5) >= 0,
      timeit.default_number, timeit.default_repeat, timeit.default_timer() > 0)
try:
    [][1]
except IndexError as e:
    frames = traceback.extract_tb(e.__traceback__)
    print(isinstance(frames[0], traceback.FrameSummary), ''.join(traceback.format_list(frames)), ''.join(traceback.format_tb(e.__traceback__)),
          traceback.format_exception(type(e), e, e.__traceback__)[-1])
print(isinstance(len, types.BuiltinMethodType), isinstance(model.__code__, types.CodeType), types.EllipsisType, types.NotImplementedType,
      types.new_class('Made', (list,)).__name__)


class Skips(unittest.TestCase):
    @unittest.skipUnless(False, 'no GPU')
    def test_gpu(self):
        pass

    @unittest.expectedFailure
    def test_known(self):
        raise unittest.SkipTest('later')


result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.TestSuite([Skips('test_gpu')]))
print(isinstance(result, unittest.TestResult), [why for _, why in result.skipped])
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    warnings.warn('quiet', DeprecationWarning)
    warnings.filterwarnings('ignore', category=UserWarning)
warnings.resetwarnings()
print(zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_BEST_COMPRESSION, zlib.Z_BEST_SPEED, zlib.Z_DEFAULT_COMPRESSION, zlib.Z_NO_COMPRESSION)


class Word(enum.StrEnum):
    HELLO = enum.auto()


print(Word.HELLO, Word.HELLO == 'hello', isinstance(Word, enum.EnumMeta), enum.EnumType is enum.EnumMeta)
parser = argparse.ArgumentParser()
parser.add_argument('--lr', type=float, default=0.1)


def positive(text):
    if int(text) <= 0:
        raise argparse.ArgumentTypeError('not positive')
    return int(text)


parser.add_argument('--n', type=positive, default=3)
args = parser.parse_args(['--lr', '0.5', '--n', '4'])
print(args, isinstance(args, argparse.Namespace), args.n)
print(sorted({1, 2, 3}.difference({2})), frozenset([1, 2]).difference([1]), slice(1, 5, 2).stop, range(3).stop)
