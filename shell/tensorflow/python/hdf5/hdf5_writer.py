"""HDF5: writes files of groups, attributes, and datasets of numbers and texts, in the oldest layout that all readers know."""
import struct

_NONE = b'\xff' * 8
_FLOATS = {2: (15, 10, 5, 15), 4: (31, 23, 8, 127), 8: (63, 52, 11, 1023)}  # sign, mantissa, exponent bits; bias
_LONGEST = 60000  # bytes of an attribute; a message of a header holds less than 64 KiB


class Tree(object):
    """A group to write: attributes, and children that are groups or arrays."""

    def __init__(self):
        self.attributes, self.children = {}, {}

    def group(self, path):
        """Returns the group of a path, and makes those that are missing."""
        here = self
        for part in path.split('/'):
            here = here.children.setdefault(part, Tree())
        return here

    def put(self, path, array):
        """Adds an array as a dataset."""
        above, _, name = path.rpartition('/')
        (self.group(above) if above else self).children[name] = np.ascontiguousarray(array)


def texts(values):
    """Returns a list of texts as an array of bytes of one length."""
    encoded = [v if isinstance(v, bytes) else v.encode('utf-8') for v in values]
    return (encoded, max([len(v) for v in encoded] + [1]))


def _padded(data):
    return data + b'\0' * (-len(data) % 8)


def _number_type(dtype):
    size = dtype.itemsize
    if dtype.kind == 'f' and size in _FLOATS:
        sign, mantissa, exponent, bias = _FLOATS[size]
        return struct.pack('<BBBBIHHBBBBI', 0x11, 0x20, sign, 0, size, 0, 8 * size, mantissa, exponent, 0, mantissa, bias)
    if dtype.kind in 'iu':
        return struct.pack('<BBBBIHH', 0x10, 8 if dtype.kind == 'i' else 0, 0, 0, size, 0, 8 * size)
    raise ValueError('an array of %s cannot be written to an HDF5 file; convert it to float32 or int64' % dtype)


def _extents(dims):
    return struct.pack('<BBBBI', 1, len(dims), 0, 0, 0) + b''.join(struct.pack('<Q', d) for d in dims)


class _Writer(object):
    def __init__(self):
        self.parts, self.at = [b'\0' * 96], 96

    def add(self, data):
        """Appends bytes. Returns their address."""
        at, data = self.at, _padded(data)
        self.parts.append(data)
        self.at += len(data)
        return at

    def header(self, messages):
        body = b''
        for kind, data in messages:
            data = _padded(data)
            body += struct.pack('<HHBBBB', kind, len(data), 0, 0, 0, 0) + data
        return self.add(struct.pack('<BBHIII', 1, 0, len(messages), 1, len(body), 0) + body)

    def long_text(self, data):
        """Appends a text in a heap of its own. Returns the reference to it."""
        held = struct.pack('<HHIQ', 1, 1, 0, len(data)) + _padded(data)
        rest = max(4096 - 16 - len(held), 16)
        heap = b'GCOL' + struct.pack('<BBBBQ', 1, 0, 0, 0, 16 + len(held) + rest)
        free = struct.pack('<HHIQ', 0, 0, 0, rest) + b'\0' * (rest - 16)
        return struct.pack('<IQI', len(data), self.add(heap + held + free), 1)

    def attribute(self, name, value):
        if isinstance(value, str):
            value = value.encode('utf-8')
        if isinstance(value, bytes) and len(value) > _LONGEST:
            kind = struct.pack('<BBBBI', 0x19, 1, 1, 0, 16) + struct.pack('<BBBBI', 0x13, 0, 0, 0, 1)
            dims, data = (), self.long_text(value)
        elif isinstance(value, bytes):
            kind, dims, data = struct.pack('<BBBBI', 0x13, 1, 0, 0, max(len(value), 1)), (), value or b'\0'
        elif isinstance(value, tuple):
            values, size = value
            kind, dims = struct.pack('<BBBBI', 0x13, 1, 0, 0, size), (len(values),)
            data = b''.join(v + b'\0' * (size - len(v)) for v in values)
        else:
            value = np.asarray(value)
            kind, dims, data = _number_type(value.dtype), value.shape, value.tobytes()
        name, space = name.encode('utf-8') + b'\0', _extents(dims)
        sizes = struct.pack('<BBHHH', 1, 0, len(name), len(kind), len(space))
        return 0x0c, sizes + _padded(name) + _padded(kind) + _padded(space) + data

    def dataset(self, array):
        data = array.tobytes()
        at = struct.pack('<Q', self.add(data)) if data else _NONE
        return self.header([(1, _extents(array.shape)), (3, _number_type(array.dtype)), (5, struct.pack('<BBBB', 2, 2, 2, 0)),
                            (8, struct.pack('<BB', 3, 1) + at + struct.pack('<Q', len(data)))])

    def tree(self, tree):
        """Appends a group and all that is in it. Returns the address of its header."""
        links = []
        for name, child in tree.children.items():
            at = self.tree(child) if isinstance(child, Tree) else self.dataset(child)
            encoded = name.encode('utf-8')
            links.append((6, struct.pack('<BBH', 1, 1, len(encoded)) + encoded + struct.pack('<Q', at)))
        attributes = [self.attribute(name, value) for name, value in tree.attributes.items()]
        return self.header([(2, b'\0\0' + _NONE + _NONE), (10, b'\0\0')] + links + attributes)

    def finish(self, root):
        start = b'\x89HDF\r\n\x1a\n' + bytes([0, 0, 0, 0, 0, 8, 8, 0]) + struct.pack('<HHI', 4, 16, 0)
        start += struct.pack('<Q', 0) + _NONE + struct.pack('<Q', self.at) + _NONE
        self.parts[0] = start + struct.pack('<QQII', 0, root, 0, 0) + b'\0' * 16
        return b''.join(self.parts)


def write(path, tree):
    """Writes a Tree to a file."""
    writer = _Writer()
    data = writer.finish(writer.tree(tree))
    with open(path, 'wb') as f:
        f.write(data)
