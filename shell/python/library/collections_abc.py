"""collections.abc: abstract classes of containers, for isinstance."""


class _Kind(type):
    def __instancecheck__(cls, value):
        return cls.__subclasscheck__(type(value))

    def __subclasscheck__(cls, other):
        if issubclass(other, cls._not):
            return False
        if cls._types is not None and issubclass(other, cls._types):
            return True
        if cls in other.__mro__:
            return True
        return cls._types is None and all(getattr(other, name, None) is not None for name in cls._methods)


class Container(metaclass=_Kind):
    _types, _methods, _not = None, ('__contains__',), ()


class Hashable(metaclass=_Kind):
    _types, _methods, _not = None, ('__hash__',), (list, dict, set)


class Iterable(metaclass=_Kind):
    _types, _methods, _not = None, ('__iter__',), ()


class Iterator(Iterable):
    _methods = ('__iter__', '__next__')


class Generator(Iterator):
    _methods = ('__iter__', '__next__', 'send', 'throw', 'close')


class Reversible(Iterable):
    _types, _methods, _not = (list, tuple, str, bytes, dict, range), (), ()


class Sized(metaclass=_Kind):
    _types, _methods, _not = None, ('__len__',), ()


class Callable(metaclass=_Kind):
    _types, _methods, _not = None, ('__call__',), ()


class Collection(Sized, Iterable, Container):
    _methods = ('__len__', '__iter__', '__contains__')


class Sequence(Collection):
    _types, _not = (list, tuple, str, bytes, range), ()

    def __iter__(self):
        i = 0
        while i < len(self):
            yield self[i]
            i += 1

    def __contains__(self, value):
        return any(v is value or v == value for v in self)

    def __reversed__(self):
        return iter([self[i] for i in range(len(self))][::-1])

    def index(self, value, start=0, stop=None):
        for i in range(start, len(self) if stop is None else stop):
            if self[i] == value:
                return i
        raise ValueError

    def count(self, value):
        return sum(1 for v in self if v == value)


class MutableSequence(Sequence):
    _types = (list,)

    def append(self, value):
        self.insert(len(self), value)

    def extend(self, values):
        for v in values:
            self.append(v)

    def pop(self, index=-1):
        v = self[index]
        del self[index]
        return v


class Set(Collection):
    _types = (set, frozenset)


class MutableSet(Set):
    _types = (set,)


class Mapping(Collection):
    _types = (dict,)

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def keys(self):
        return [k for k in self]

    def values(self):
        return [self[k] for k in self]

    def items(self):
        return [(k, self[k]) for k in self]

    def __eq__(self, other):
        return isinstance(other, (dict, Mapping)) and dict(self.items()) == dict(other.items())


class MutableMapping(Mapping):
    def pop(self, key, *default):
        try:
            value = self[key]
        except KeyError:
            if default:
                return default[0]
            raise
        del self[key]
        return value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other=(), /, **more):
        for k, v in (other.items() if hasattr(other, 'items') else other):
            self[k] = v
        for k, v in more.items():
            self[k] = v

    def clear(self):
        for k in list(self):
            del self[k]
