# Subclasses of int, float and set; broken-down times; parameters of functions.
import inspect
import io
import os
import tempfile
import time


class Metres(float):
    def __add__(self, other):
        return Metres(float(self) + other)

    def __repr__(self):
        return '%.1f m' % self


class Level(int):
    names = ['low', 'middle', 'high']

    @property
    def label(self):
        return self.names[self]


class Words(set):
    def __init__(self, text):
        super().__init__(text.split())
        self.text = text


print(Metres(2.5) + 1, Metres('3') * 2, sorted([Metres(3), Metres(1)]), Metres(1) == 1.0, {1.0: 'one'}[Metres(1)])
level = Level(2)
print(level, level + 1, level.label, type(level + 1).__name__, isinstance(level, int), 'abc'[level], '%d %5.1f' % (level, level))
print(-level, level ** 3, 10 / level, level in (1, 2), hash(level) == hash(2), bool(Level(0)), list(range(level)), int(level) == 2)
print(f'{level:03d}', format(Metres(1.25), '.1f'), round(Metres(2.567), 1), Level('7f', 16), Level.from_bytes(b'\x01\x00', 'big'))
words = Words('to be or not to be')
print(sorted(words), len(words), words.text, 'be' in words, sorted(words | {'is'}), type(words & {'be'}).__name__)
for bad in (lambda: Level('x'), lambda: Metres([]), lambda: type('B', (bool,), {}), lambda: Level(1, 2, 3)):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)

t = time.gmtime(86400 * 365)
print(t)
print(t.tm_year, t.tm_mon, t[2], t.tm_yday, len(t), t == tuple(t), time.asctime(t), time.strftime('%Y-%m-%d %j', t))
print(time.strptime('24 Dec 2016 18:05', '%d %b %Y %H:%M')[:7], time.struct_time(range(9)).tm_isdst)
for bad in (lambda: time.struct_time((1, 2)), lambda: time.strptime('a', '%Y'), lambda: time.gmtime('a'), lambda: time.strftime('%Y', (1,))):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)


def f(a, b=2, *rest, key, other=None, **more):
    """Says nothing."""


print(inspect.signature(f), inspect.getfullargspec(f).args, f.__kwdefaults__, f.__code__.co_varnames)
print(inspect.isfunction(f), inspect.isclass(Words), inspect.getdoc(f), str(inspect.signature(Words)))
print(float.fromhex('0x1.8p3'), divmod(-7, 2), round(-70e160, -5), round(6e4, -5), round(5e4, -5))

with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, 'notes.txt')
    with open(name, 'w') as out:
        out.write('one\ntwo\n')
    print(open(name).read().split(), os.path.relpath(name, folder), os.listdir(folder))
print(os.path.exists(folder))
memory = io.BytesIO(b'abc\nde')
print(memory.readline(), memory.read(), memory.tell(), memory.seek(1), memory.read(1))
print(os.path.commonprefix(['/usr/lib', '/usr/local']), {1: 'a'}.items() & [(1, 'a'), (2, [])])
