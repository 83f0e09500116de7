"""abc: abstract base classes, whose methods subclasses must define."""


def abstractmethod(funcobj):
    funcobj.__isabstractmethod__ = True
    return funcobj


def abstractproperty(fget=None, fset=None, fdel=None, doc=None):
    return property(abstractmethod(fget), fset, fdel, doc)


abstractclassmethod = abstractstaticmethod = abstractmethod


def _abstract(value):
    if isinstance(value, property):
        return _abstract(value.fget) or _abstract(value.fset)
    return getattr(getattr(value, '__func__', value), '__isabstractmethod__', False) is True


class ABCMeta(type):
    def __new__(mcls, name, bases, namespace, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace, **kwargs)
        names = [n for n, value in namespace.items() if _abstract(value)]
        for base in bases:
            names += [n for n in getattr(base, '__abstractmethods__', ()) if _abstract(getattr(cls, n, None))]
        cls.__abstractmethods__ = frozenset(names)
        cls._registered = []
        return cls

    def register(cls, subclass):
        cls._registered.append(subclass)
        return subclass

    def __call__(cls, *args, **kwargs):
        left = sorted(cls.__abstractmethods__)
        if left:
            raise TypeError("Can't instantiate abstract class %s with abstract method%s %s" % (
                cls.__name__, 's' if len(left) > 1 else '', ', '.join(left)))
        return super().__call__(*args, **kwargs)


class ABC(metaclass=ABCMeta):
    """A base class for classes with abstract methods."""
