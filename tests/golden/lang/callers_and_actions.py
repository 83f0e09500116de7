# inspect: frames of callers and files of objects. argparse: actions of the program. _pickle.
import _pickle as cPickle
import argparse
import inspect
import os
import sys


def base(path):
    return os.path.basename(path)


def inner():
    here = inspect.currentframe()
    print(here.f_code.co_name, here.f_back.f_code.co_name, here.f_back.f_locals['x'], inspect.currentframe().f_lineno)
    print([info.function for info in inspect.stack()], inspect.stack()[0].frame.f_globals is not None)
    print(sys._getframe(1).f_code.co_name, inspect.isframe(here), inspect.iscode(here.f_code), inspect.isframe(1))


def outer():
    x = 5
    inner()
    return x


class Thing(object):
    def method(self):
        return inspect.currentframe().f_back.f_locals['self_name']


outer()
self_name = 'top'
print(Thing().method())
print(base(inspect.getfile(inspect.currentframe())), base(inspect.getfile(outer)), base(inspect.getsourcefile(Thing)))
print(base(inspect.getfile(Thing().method)), base(inspect.getabsfile(outer)), inspect.getmodule(outer).__name__)
print(inspect.getmodule(inspect) is inspect, inspect.isroutine(len), inspect.isroutine(outer), inspect.isroutine(3))
for bad in (lambda: inspect.getfile(3), lambda: inspect.getfile(int), lambda: sys._getframe(100)):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
print(inspect.FrameInfo._fields[:4] if hasattr(inspect.FrameInfo, '_fields') else '')


class Upper(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, (option_string, values.upper()))


class Sizes(argparse.Action):
    def __init__(self, option_strings, dest, **kwargs):
        super(Sizes, self).__init__(option_strings, dest, **kwargs)

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, [2 * v for v in values])


parser = argparse.ArgumentParser()
parser.add_argument('--name', action=Upper, default='n', help='a name')
parser.add_argument('--sizes', action=Sizes, nargs='+', type=int)
parser.add_argument('-c', '--count', type=int, default=1)
for args in ([], ['--name', 'abc', '--count', '3'], ['--sizes', '1', '2', '-c', '2']):
    print(parser.parse_args(args))
print(cPickle.loads(cPickle.dumps({'a': [1, 2]})))
