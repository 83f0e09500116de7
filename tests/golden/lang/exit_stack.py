# contextlib.ExitStack, and exceptions with several base classes.
import contextlib


class Context(object):
    def __init__(self, name, swallows=False):
        self.name, self.swallows = name, swallows

    def __enter__(self):
        print('enter', self.name)
        return self.name

    def __exit__(self, kind, error, traceback):
        print('exit', self.name, kind and kind.__name__)
        return self.swallows


with contextlib.ExitStack() as stack:
    print([stack.enter_context(Context(n)) for n in 'ab'])
    stack.callback(print, 'callback', 1, sep=' ')
with contextlib.ExitStack() as stack:
    stack.enter_context(Context('outer'))
    stack.enter_context(Context('swallows', True))
    stack.push(lambda *error: print(error[0].__name__))
    raise KeyError('inside')
try:
    with contextlib.ExitStack() as stack:
        stack.enter_context(Context('c'))
        stack.callback(lambda: 1 // 0)
except ZeroDivisionError as e:
    print(type(e).__name__)
with contextlib.ExitStack() as stack:
    stack.enter_context(Context('moved'))
    kept = stack.pop_all()
print('later')
kept.close()


class Both(OSError, ValueError):
    pass


for cls in (OSError, ValueError, Exception):
    try:
        raise Both('text')
    except cls as e:
        print(cls.__name__, e, isinstance(e, ValueError), issubclass(Both, OSError))
try:
    class Wrong(int, str):
        pass
except TypeError as e:
    print(e)
