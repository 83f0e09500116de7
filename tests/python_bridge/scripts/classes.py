# Classes of a script derive from classes of CPython, and CPython calls their methods.
import abc
import cmd
import html.parser
import string
import configparser
import socketserver
import numpy as np


class Titles(html.parser.HTMLParser):
    kind = 'titles'

    def __init__(self, tag='title'):
        super().__init__()
        self.tag = tag
        self.found = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        self.inside = tag == self.tag
        if attrs:
            self.found.append(dict(attrs))

    def handle_data(self, data):
        if self.inside:
            self.found.append(data)

    def handle_endtag(self, tag):
        self.inside = False

    @property
    def count(self):
        return len(self.found)

    @staticmethod
    def make():
        return Titles('b')

    @classmethod
    def name(cls):
        return cls.__name__ + '/' + cls.kind

    def __len__(self):
        return len(self.found)

    def __repr__(self):
        return '<Titles %d>' % len(self)


parser = Titles()
parser.feed('<html><title>one</title><b id="x">two</b></html>')
print(parser.found, parser.count, len(parser), parser, Titles.name(), parser.name(), Titles.make().tag)
print(isinstance(parser, html.parser.HTMLParser), isinstance(parser, Titles), issubclass(Titles, html.parser.HTMLParser))


class More(Titles):
    def handle_data(self, data):
        super().handle_data(data.upper())
        super(More, self).handle_data('+')


more = More()
more.feed('<title>abc</title>')
print(more.found, more.rawdata == '', type(more).__name__, More.__mro__[1] is Titles)


class Env(cmd.Cmd):
    """A small environment in the style of gym, with arrays as attributes."""
    metadata = {'modes': ['human']}

    def __init__(self):
        super().__init__()
        self.state = np.zeros(3)
        self.steps = 0

    def reset(self):
        self.state = np.array([1., 2., 3.])
        return self.state

    def step(self, action):
        self.state[action] += 1
        self.steps += 1
        self.state *= 2.
        return self.state, float(self.state.sum()), self.steps >= 3, {'steps': self.steps}

    def do_go(self, line):
        print('go', line)

    def default(self, line):
        return True


env = Env()
env.reset()
done = False
while not done:
    state, reward, done, info = env.step(1)
    print(state, reward, done, info)
env.onecmd('go north')
print(env.metadata['modes'], env.state.shape, hasattr(env, 'nothing'), env.onecmd('what'))
env.extra = [1]
env.extra.append(2)
print(env.extra, getattr(env, 'nothing', 'none'), vars(env)['steps'])


class Counted:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * i

    def __iter__(self):
        return iter([self[i] for i in range(self.n)])

    def __add__(self, other):
        return ('add', other)

    def __contains__(self, x):
        return x == 4

    def __call__(self, x=1, *rest, key=None):
        return (x, rest, key)

    def __enter__(self):
        return 'entered'

    def __exit__(self, *args):
        return args[0] is KeyError


# CPython's functions use an object of the script.
import pydoc
call = pydoc.locate('contextvars').copy_context().run
operator = pydoc.locate('operator')
builtins = pydoc.locate('builtins')
counted = Counted(3)
print(call(counted, 5, 6, key=7), operator.getitem(counted, 2), operator.contains(counted, 4), operator.length_hint(counted))
print(operator.add(counted, 'x'), builtins.list(counted), builtins.sum(counted), builtins.sorted([3, 1, 2], key=lambda n: -n))
print(operator.eq(counted, counted), operator.eq(counted, 3), operator.eq(env, counted), builtins.callable(counted), counted in [env, 1])
stack = pydoc.locate('contextlib').ExitStack()
with stack:
    print(stack.enter_context(counted))
print(builtins.isinstance(counted, Counted), operator.attrgetter('n')(counted), builtins.getattr(counted, 'm', 'none'))
print(builtins.next(builtins.map(lambda a, b: a + b, [1, 2], [3, 4])), builtins.dict(a=counted)['a'] is counted)


def numbers():
    sent = yield 1
    print('sent', sent)
    yield 2


made = numbers()
print(builtins.next(made), made.send(5))
print(builtins.list(builtins.zip(numbers(), 'ab')))
