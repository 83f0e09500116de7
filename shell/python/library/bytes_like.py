"""bytearray and memoryview: mutable bytes, and views of bytes."""


def _bytes(value):
    """Returns a bytes-like value as bytes, or None if it is not bytes-like."""
    if isinstance(value, bytes):
        return value
    return bytes(value._items) if isinstance(value, bytearray) else value.tobytes() if isinstance(value, memoryview) else None


def _plain(value):
    data = _bytes(value)
    return value if data is None else data


def _byte(value):
    if not hasattr(value, '__index__'):
        raise TypeError("'%s' object cannot be interpreted as an integer" % type(value).__name__)
    if not 0 <= value < 256:
        raise ValueError('byte must be in range(0, 256)')
    return int(value)


def _required(value):
    data = _bytes(value)
    if data is None:
        raise TypeError("a bytes-like object is required, not '%s'" % type(value).__name__)
    return data


class bytearray(object):
    """Mutable bytes with the methods of bytes and list."""
    __module__ = 'builtins'
    __hash__ = None

    def __init__(self, source=b'', *encoding):
        if isinstance(source, str) and not encoding:
            raise TypeError('string argument without an encoding')
        data = _bytes(source)
        self._items = list(bytes(source, *encoding) if data is None else data)

    @classmethod
    def fromhex(cls, string):
        return cls(bytes.fromhex(string))

    def __repr__(self):
        return 'bytearray(%r)' % bytes(self._items)

    def __bytes__(self):
        return bytes(self._items)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __reversed__(self):
        return reversed(self._items)

    def __contains__(self, item):
        data = _bytes(item)
        return (_byte(item) if data is None else data) in bytes(self._items)

    def _at(self, key):
        if not isinstance(key, slice) and not hasattr(key, '__index__'):
            raise TypeError('bytearray indices must be integers or slices, not ' + type(key).__name__)
        if not isinstance(key, slice) and not -len(self._items) <= key < len(self._items):
            raise IndexError('bytearray index out of range')
        return key

    def __getitem__(self, key):
        got = self._items[self._at(key)]
        return bytearray(got) if isinstance(key, slice) else got

    def __setitem__(self, key, value):
        if isinstance(key, slice):
            data = _bytes(value)
            if data is None and (isinstance(value, (int, str)) or not hasattr(value, '__iter__')):
                raise TypeError('can assign only bytes, buffers, or iterables of ints in range(0, 256)')
            value = list([_byte(v) for v in value] if data is None else data)
            if key.step not in (None, 1):
                wanted = len(range(*key.indices(len(self._items))))
                if wanted != len(value):
                    raise ValueError('attempt to assign bytes of size %d to extended slice of size %d' % (len(value), wanted))
        else:
            value = _byte(value)
        self._items[self._at(key)] = value

    def __delitem__(self, key):
        del self._items[self._at(key)]

    def __add__(self, other):
        data = _bytes(other)
        if data is None:
            raise TypeError("can't concat %s to bytearray" % type(other).__name__)
        return bytearray(self._items + list(data))

    def __radd__(self, other):
        return other + bytes(self._items) if isinstance(other, bytes) else NotImplemented

    def __iadd__(self, other):
        data = _bytes(other)
        if data is None:
            raise TypeError("can't concat %s to bytearray" % type(other).__name__)
        self._items += data
        return self

    def __mul__(self, times):
        return bytearray(self._items * times)

    __rmul__ = __mul__

    def __imul__(self, times):
        self._items *= times
        return self

    def __mod__(self, values):
        return bytearray(bytes(self._items) % values)

    def __eq__(self, other):
        data = _bytes(other)
        return NotImplemented if data is None else bytes(self._items) == data

    def __lt__(self, other):
        return bytes(self._items) < _required(other)

    def __le__(self, other):
        return bytes(self._items) <= _required(other)

    def __gt__(self, other):
        return bytes(self._items) > _required(other)

    def __ge__(self, other):
        return bytes(self._items) >= _required(other)

    def append(self, item):
        self._items.append(_byte(item))

    def extend(self, items):
        data = _bytes(items)
        if data is None:
            if not hasattr(items, '__iter__'):
                raise TypeError("can't extend bytearray with " + type(items).__name__)
            data = [_byte(item) for item in items]
        self._items.extend(data)

    def insert(self, index, item):
        self._items.insert(index, _byte(item))

    def pop(self, index=-1):
        if not self._items:
            raise IndexError('pop from empty bytearray')
        if not -len(self._items) <= index < len(self._items):
            raise IndexError('pop index out of range')
        return self._items.pop(index)

    def remove(self, value):
        if _byte(value) not in self._items:
            raise ValueError('value not found in bytearray')
        self._items.remove(value)

    def reverse(self):
        self._items.reverse()

    def clear(self):
        self._items.clear()

    def copy(self):
        return bytearray(self._items)

    def __getattr__(self, name):
        """Finds a method of bytes. Its results become bytearrays if they are bytes."""
        if name.startswith('_') or not hasattr(b'', name):
            raise AttributeError("'bytearray' object has no attribute %r" % name)
        method = getattr(bytes(self._items), name)

        def call(*arguments, **keywords):
            if name == 'join':
                arguments = [[_plain(item) for item in arguments[0]]]
            got = method(*[_plain(a) for a in arguments], **keywords)
            if isinstance(got, (list, tuple)):
                return type(got)(bytearray(v) for v in got)
            return bytearray(got) if isinstance(got, bytes) else got
        return call


class memoryview(object):
    """A view of bytes or of a bytearray. Assignments change the bytearray."""
    __module__ = 'builtins'
    format, itemsize, ndim = 'B', 1, 1

    def __init__(self, object):
        if _bytes(object) is None:
            raise TypeError("memoryview: a bytes-like object is required, not '%s'" % type(object).__name__)
        self.obj = object.obj if isinstance(object, memoryview) else object
        self._range = object._range if isinstance(object, memoryview) else range(len(object))

    readonly = property(lambda self: isinstance(self.obj, bytes))
    nbytes = property(lambda self: len(self._range))
    shape = property(lambda self: (len(self._range),))
    strides = property(lambda self: (self._range.step,))
    contiguous = property(lambda self: self._range.step == 1)

    def __len__(self):
        return len(self._range)

    def _checked(self, key):
        if not -len(self._range) <= key < len(self._range):
            raise IndexError('index out of bounds on dimension 1')
        return self._range[key]

    def __getitem__(self, key):
        if isinstance(key, slice):
            out = memoryview(self)
            out._range = self._range[key]
            return out
        return self.obj[self._checked(key)]

    def __setitem__(self, key, value):
        if self.readonly:
            raise TypeError('cannot modify read-only memory')
        if not isinstance(key, slice):
            self.obj[self._checked(key)] = value
            return
        places, data = self._range[key], _required(value)
        if len(places) != len(data):
            raise ValueError('memoryview assignment: lvalue and rvalue have different structures')
        for at, byte in zip(places, data):
            self.obj[at] = byte

    def __iter__(self):
        return iter(self.tolist())

    def __eq__(self, other):
        data = _bytes(other)
        return NotImplemented if data is None else self.tobytes() == data

    def __hash__(self):
        return hash(self.tobytes())

    def tolist(self):
        return [self.obj[at] for at in self._range]

    def tobytes(self):
        return bytes(self.tolist())

    def hex(self):
        return self.tobytes().hex()

    def release(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *what):
        pass

    def __repr__(self):
        return '<memory at 0x%012x>' % id(self)
