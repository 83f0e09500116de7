"""HDF5: types of elements, extents, and the arrays that their bytes become."""
from _library.file_range import Damaged
from _library.hdf5_source import Fields

_CLASSES = ['an integer', 'a float', 'a time', 'a string', 'a bit field', 'opaque bytes', 'a compound (a structure)',
            'a reference', 'an enumeration', 'a sequence of variable length', 'an array']
_FLOATS = {(2, 5, 10): 'float16', (4, 8, 23): 'float32', (8, 11, 52): 'float64', (2, 8, 7): 'bfloat16'}
_DEEPEST = 8
_MOST_RANK = 32


class Type(object):
    """The type of an element. `kind` is number, bool, text, texts (of variable length), array, opaque or other."""

    def __init__(self, kind, size, name='', big=False, base=None, dims=(), padding=0, refused=''):
        self.kind, self.size, self.name, self.big, self.base, self.dims = kind, size, name, big, base, dims
        self.padding, self.refused = padding, refused

    def dtype_name(self):
        """Returns the name of the dtype of the array; floats of bfloat16 become float32."""
        if self.kind == 'array':
            return self.base.dtype_name()
        return {'number': 'float32' if self.name == 'bfloat16' else self.name, 'bool': 'bool'}.get(self.kind, 'object')

    def why_refused(self):
        return self.base.why_refused() if self.kind == 'array' else self.refused


def _number(f, bits, size, is_float):
    offset, precision = f.number(2), f.number(2)
    if not is_float:
        if offset or precision != 8 * size or size not in (1, 2, 4, 8):
            return Type('other', size, refused='integers of %d bits in %d bytes' % (precision, size))
        return Type('number', size, ('int%d' if bits & 8 else 'uint%d') % (8 * size), bool(bits & 1))
    f.byte()
    exponent = f.byte()
    f.byte()
    name = _FLOATS.get((size, exponent, f.byte()))
    if name is None or offset or bits & 0x40:
        return Type('other', size, refused='floats of %d bits in a form of their own' % precision)
    f.take(4)
    return Type('number', size, name, bool(bits & 1))


def _enumeration(f, bits, version, size, depth):
    base = read_type(f, depth + 1)
    names = []
    for _ in range(min(bits & 0xffff, 256)):
        start = f.at
        names.append(f.end_of_text())
        if version < 3:
            f.at = start + (f.at - start + 7) // 8 * 8
    values = f.take((bits & 0xffff) * base.size) if len(names) == bits & 0xffff else b''
    if names == ['FALSE', 'TRUE'] and size == 1 and values == b'\0\1':
        return Type('bool', 1, 'bool')
    return base


def _array(f, version, size, depth):
    rank = f.byte()
    if version < 3:
        f.take(3)
    dims = [f.number(4) for _ in range(rank)]
    if version < 3:
        f.take(4 * rank)
    base = read_type(f, depth + 1)
    count = base.size
    for d in dims:
        count *= d
    if rank > _MOST_RANK or count != size:
        raise Damaged('the size of an array type is not that of its elements')
    return Type('array', size, base=base, dims=tuple(dims))


def read_type(f, depth=0):
    """Reads a datatype message."""
    first = f.byte()
    kind, version = first & 15, first >> 4
    bits, size = f.number(3), f.number(4)
    if depth > _DEEPEST:
        raise Damaged('types nest more than %d deep' % _DEEPEST)
    if kind > 10 or version > 5:
        return Type('other', size, refused='elements of class %d' % kind)
    if kind in (0, 1):
        return _number(f, bits, size, kind == 1)
    if kind == 3:
        return Type('text', size, padding=bits & 15)
    if kind == 5:
        return Type('opaque', size, refused='opaque bytes')
    if kind == 8:
        return _enumeration(f, bits, version, size, depth)
    if kind == 9:
        base = read_type(f, depth + 1)
        if bits & 15 == 1:
            return Type('texts', size)
        return Type('other', size, base=base, refused='sequences of variable length')
    if kind == 10:
        return _array(f, version, size, depth)
    return Type('other', size, refused='elements of which each is ' + _CLASSES[kind])


def read_space(f):
    """Reads a dataspace message. Returns (extents, most extents), or (None, None) if it has no elements at all."""
    version = f.expect(1, 2)
    rank, flags = f.byte(), f.byte()
    kind = 1
    if version == 1:
        f.take(5)
    else:
        kind = f.byte()
    if rank > _MOST_RANK:
        raise Damaged('a dataspace has %d dimensions; at most %d are allowed' % (rank, _MOST_RANK))
    dims = [f.length() for _ in range(rank)]
    most = [f.length() for _ in range(rank)] if flags & 1 else dims
    return (None, None) if kind == 2 else (dims, most)


def product(dims):
    total = 1
    for d in dims:
        total *= d
    return total


def is_plain(t):
    """Returns true if the bytes of the file are those of the array."""
    return t.kind == 'number' and not (t.big and t.size > 1) and t.name != 'bfloat16'


def _widened(array):
    """Elements of bfloat16, as uint16, become float32."""
    return np.frombuffer((array.astype(np.uint32) << 16).tobytes(), np.float32)


def numbers(t, data):
    """Returns a flat array of the elements in `data`."""
    if t.kind == 'bool':
        return np.frombuffer(data, np.uint8) != 0
    if t.big and t.size > 1:
        data = np.frombuffer(data, np.uint8).reshape([-1, t.size])[:, ::-1].tobytes()
    if t.name == 'bfloat16':
        return _widened(np.frombuffer(data, np.uint16))
    return np.frombuffer(data, np.dtype(t.name))


def brain_floats(data):
    """Returns floats of Keras, which writes elements of bfloat16 as two opaque bytes."""
    return _widened(np.frombuffer(data, np.uint16))


def _text(t, data):
    if t.padding == 0:
        data = data.split(b'\0')[0]
    return data.rstrip(b'\0' if t.padding == 1 else b' ') if t.padding else data


def _objects(values, dims):
    made = np.empty([len(values)], object)
    for i, v in enumerate(values):
        made[i] = v
    return made.reshape(dims)


def decode(t, data, dims, heap):
    """Returns an array of the elements in `data`. `heap` reads an object of the global heap."""
    if t.kind == 'array':
        return decode(t.base, data, list(dims) + list(t.dims), heap)
    count = product(dims)
    if t.kind in ('number', 'bool'):
        return numbers(t, data).reshape(dims)
    if t.kind == 'text':
        if t.size == 0:
            return _objects([b''] * count, dims)
        return _objects([_text(t, data[i * t.size:(i + 1) * t.size]) for i in range(count)], dims)
    if t.kind == 'texts':
        f = Fields(heap.source, data, 'a list of texts')
        values = []
        for _ in range(count):
            size, at, index = f.number(4), f.address(), f.number(4)
            values.append(b'' if not at or not size else heap.get(at, index)[:size])
        return _objects(values, dims)
    raise Damaged('%s are not supported' % t.why_refused())
