"""contextlib: context managers for `with`, made from generators."""
import functools


class _GeneratorContext(object):
    def __init__(self, generator):
        self._generator = generator

    def __enter__(self):
        try:
            return next(self._generator)
        except StopIteration:
            raise RuntimeError("generator didn't yield")

    def __exit__(self, kind, error, traceback):
        if kind is None:
            try:
                next(self._generator)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self._generator.throw(error)
        except StopIteration:
            return True
        except BaseException as e:
            if e is error:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(func):
    @functools.wraps(func)
    def made(*args, **kwargs):
        return _GeneratorContext(func(*args, **kwargs))
    return made


class closing(object):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *unused):
        self.thing.close()


class ExitStack(object):
    """Leaves any number of contexts at its end, the last one first."""

    def __init__(self):
        self._exits = []

    def enter_context(self, context):
        value = context.__enter__()
        self._exits.append(context.__exit__)
        return value

    def push(self, exit):
        self._exits.append(getattr(exit, '__exit__', exit))
        return exit

    def callback(self, function, *args, **kwargs):
        def call(*unused):
            function(*args, **kwargs)
        self._exits.append(call)
        return function

    def pop_all(self):
        made = type(self)()
        made._exits, self._exits = self._exits, []
        return made

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        given = error
        while self._exits:
            leave = self._exits.pop()
            try:
                if leave(None if error is None else type(error), error, traceback):
                    error = None
            except BaseException as e:
                error = e
        if error is not None and error is not given:
            raise error
        return given is not None and error is None


class suppress(object):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        return kind is not None and issubclass(kind, self._exceptions)
