"""functools: the functions that are written in Python."""


def total_ordering(cls):
    """Adds the missing comparison methods to a class that defines one of them."""
    has = lambda name: getattr(cls, name, None) is not getattr(object, name, None) and name in _defined(cls)
    root = [name for name in ('__lt__', '__le__', '__gt__', '__ge__') if has(name)]
    if not root:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    for name, method in _ORDERINGS[max(root)].items():
        if not has(name):
            setattr(cls, name, method)
    return cls


def _defined(cls):
    return set(name for c in cls.__mro__ if c is not object for name in c.__dict__)


def _by(name, then):
    """Makes a comparison from another one; NotImplemented if that returns NotImplemented."""
    def method(self, other):
        answer = getattr(type(self), name)(self, other)
        return answer if answer is NotImplemented else then(answer, self, other)
    return method


_or_equal, _not_equal_and = (lambda a, x, y: a or x == y), (lambda a, x, y: a and x != y)
_not, _neither = (lambda a, x, y: not a), (lambda a, x, y: not a and x != y)
_or_differs = lambda a, x, y: not a or x == y
_ORDERINGS = {
    '__lt__': {'__gt__': _by('__lt__', _neither), '__le__': _by('__lt__', _or_equal), '__ge__': _by('__lt__', _not)},
    '__le__': {'__ge__': _by('__le__', _or_differs), '__lt__': _by('__le__', _not_equal_and), '__gt__': _by('__le__', _not)},
    '__gt__': {'__lt__': _by('__gt__', _neither), '__ge__': _by('__gt__', _or_equal), '__le__': _by('__gt__', _not)},
    '__ge__': {'__le__': _by('__ge__', _or_differs), '__gt__': _by('__ge__', _not_equal_and), '__lt__': _by('__ge__', _not)},
}


class cached_property(object):
    """An attribute that is computed once for each instance."""
    __module__ = 'functools'

    def __init__(self, func):
        self.func, self.attrname, self.__doc__ = func, func.__name__, func.__doc__

    def __set_name__(self, owner, name):
        self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value


def singledispatch(func):
    """A function whose implementation depends on the class of its first argument."""
    registry = {object: func}

    def dispatch(cls):
        return next((registry[c] for c in cls.__mro__ if c in registry), func)

    def register(cls, func=None):
        if func is None:
            if isinstance(cls, type):
                return lambda f: register(cls, f)
            raise TypeError('Invalid first argument to `register()`: pass the class, register(int)')
        registry[cls] = func
        return func

    def wrapper(*args, **kw):
        if not args:
            raise TypeError('%s requires at least 1 positional argument' % func.__name__)
        return dispatch(args[0].__class__)(*args, **kw)
    wrapper.__name__, wrapper.__doc__, wrapper.__wrapped__ = func.__name__, func.__doc__, func
    wrapper.register, wrapper.dispatch, wrapper.registry = register, dispatch, registry
    return wrapper
