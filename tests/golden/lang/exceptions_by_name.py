"""Every exception there is: its bases, its text, and what raises it."""
import builtins

names = [ArithmeticError, AssertionError, AttributeError, BaseException, BrokenPipeError, BufferError, ConnectionError, DeprecationWarning, EOFError,
         EnvironmentError, Exception, FileExistsError, FileNotFoundError, FloatingPointError, FutureWarning, GeneratorExit, IOError, ImportError,
         IndentationError, IndexError, IsADirectoryError, KeyError, KeyboardInterrupt, LookupError, MemoryError, ModuleNotFoundError, NameError,
         NotADirectoryError, NotImplementedError, OSError, OverflowError, PermissionError, RecursionError, ReferenceError, RuntimeError, RuntimeWarning,
         StopAsyncIteration, StopIteration, SyntaxError, SystemError, SystemExit, TabError, TimeoutError, TypeError, UnboundLocalError,
         UnicodeDecodeError, UnicodeEncodeError, UnicodeError, UserWarning, ValueError, Warning, ZeroDivisionError]
for cls in names:
    print(cls.__name__, [b.__name__ for b in cls.__mro__[1:]], getattr(builtins, cls.__name__) is cls)
for cls in names:
    if cls not in (UnicodeDecodeError, UnicodeEncodeError):
        e = cls('what', 'else') if not issubclass(cls, (OSError, SyntaxError)) else cls('what')
        print(repr(e), str(e), e.args, isinstance(e, Exception))


def tries(*functions):
    for f in functions:
        try:
            f()
        except BaseException as e:
            print(type(e).__name__, '|', e)


def recurse(n):
    return recurse(n + 1)


def use_early():
    print(later)
    later = 1


def leave():
    raise SystemExit(3)


def interrupt():
    raise KeyboardInterrupt()


tries(lambda: 1 / 0, lambda: 2.0 ** 5000, lambda: [][0], lambda: {}['k'], lambda: int('x'), lambda: undefined, lambda: None.x, lambda: 'a' + 1,
      lambda: recurse(0), use_early, leave, interrupt, lambda: b'\xff'.decode('utf-8'), lambda: 'é'.encode('ascii'), lambda: next(iter([])),
      lambda: open('not_there.txt'), lambda: __import__('not_there'), lambda: [].index(3), lambda: float('x'), lambda: abs('x'), lambda: len(3))


class Setting(object):
    def __init__(self):
        self.rate = 1


s = Setting()
delattr(s, 'rate')
tries(lambda: s.rate, lambda: delattr(s, 'rate'), lambda: setattr(1, 'x', 2), lambda: exit(4), lambda: hash([]), lambda: iter(3))
try:
    try:
        raise ConnectionError('lost')
    except (BrokenPipeError, TimeoutError):
        print('never')
except OSError as e:
    print('caught as OSError:', e)


def counting():
    try:
        while True:
            yield 1
    except GeneratorExit:
        print('closed')


g = counting()
next(g)
g.close()
