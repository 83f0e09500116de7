"""tensorflow.python.util: helpers for decorators, which old scripts import."""
import functools
import inspect as _inspect


class tf_export(object):
    """A decorator that names a function. The program's functions get no public name."""

    def __init__(self, *args, **kwargs):
        self._names = args

    def __call__(self, func):
        return func

    def export_constant(self, module_name, name):
        pass


keras_export = estimator_export = tf_export


def _warned(what, instructions):
    def decorate(func):
        @functools.wraps(func)
        def called(*args, **kwargs):
            name = getattr(func, '__qualname__', func.__name__)
            tf.logging.warning('From %s (from %s) is deprecated%s\nInstructions for updating:\n%s', name, func.__module__,
                               what, instructions)
            return func(*args, **kwargs)
        return called if not isinstance(func, type) else func
    return decorate


def deprecated(date, instructions, warn_once=True):
    """A decorator of functions that warn when they are called."""
    return _warned(' and will be removed %s.' % ('after %s' % date if date else 'in a future version'), instructions)


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """A decorator of functions of which some arguments are deprecated."""
    return lambda func: func


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """A decorator of functions of which some values of arguments are deprecated."""
    return lambda func: func


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """Returns the function or class that has the new name."""
    return func_or_class


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """Returns the value of the argument that was given by its new or its old name."""
    if old_value is not None:
        if new_value is not None:
            raise ValueError("Cannot specify both '%s' and '%s'." % (old_name, new_name))
        return old_value
    return new_value


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc='', decorator_argspec=None):
    """Returns decorator_func with the name and documentation of target."""
    return functools.wraps(target)(decorator_func)


def unwrap(maybe_tf_decorator):
    """Returns the decorators around a function, and the function."""
    decorators, target = [], maybe_tf_decorator
    while hasattr(target, '__wrapped__'):
        decorators.append(target)
        target = target.__wrapped__
    return decorators, target


def contextmanager(target):
    """Returns a context manager of a generator function."""
    import contextlib
    return contextlib.contextmanager(target)


def getargspec(obj):
    """Returns the arguments of a function."""
    return _inspect.getargspec(obj)


def getfullargspec(obj):
    """Returns the arguments of a function, with those that are given by keyword only."""
    return _inspect.getfullargspec(obj)


def isclass(object):
    """Returns true for a class."""
    return _inspect.isclass(unwrap(object)[1])


def isfunction(object):
    """Returns true for a Python function."""
    return _inspect.isfunction(unwrap(object)[1])


def ismethod(object):
    """Returns true for a bound method."""
    return _inspect.ismethod(unwrap(object)[1])


def getcallargs(*func_and_positional, **named):
    """Returns the arguments of a call by name."""
    func, positional = func_and_positional[0], func_and_positional[1:]
    spec = _inspect.getfullargspec(func)
    found = dict(zip(spec.args[len(spec.args) - len(spec.defaults or ()):], spec.defaults or ()))
    found.update(zip(spec.args, positional))
    found.update(named)
    return found
