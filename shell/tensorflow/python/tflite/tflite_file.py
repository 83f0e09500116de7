"""Reads the FlatBuffer of a TensorFlow Lite file.

A table is a position in the file. Its fields are found by number through its vtable, and every read is checked against
the size of the file. Only the pages that are looked at are read; the elements of a large tensor are read from the
file into the tensor.
"""
import functools
import os
import struct
import numpy as np
import _onnx
from _library.file_range import Damaged, FileRange
from _library.zip_members import Archive

_MOST_ATTACHED = 1 << 16  # bytes of an attached file, which may expand by a factor of 1000
_MOST_TABLES = 400000  # that are looked at, so that a file whose parts contain each other ends

# By the number of the type: the dtype of its tensors, and its number in ONNX, whose reader makes the tensors. Integers
# of 4 and 2 bits are held in 8.
TYPES = ((tf.float32, 1), (tf.float16, 10), (tf.int32, 6), (tf.uint8, 2), (tf.int64, 7), (tf.string, 8), (tf.bool, 9),
         (tf.int16, 5), (tf.complex64, 14), (tf.int8, 3), (tf.float64, 11), (tf.complex128, 15), (tf.uint64, 13),
         (tf.resource, 0), (tf.variant, 0), (tf.uint32, 12), (tf.uint16, 4), (tf.int8, 22), (tf.bfloat16, 16),
         (tf.int8, 0), (tf.uint8, 21))
INT4, INT2, STRING = 17, 19, 5


class File(object):
    """The bytes of a file."""

    def __init__(self, path):
        self._range, self._tables = FileRange(path), 0
        self.path, self.size = path, self._range.size

    def bytes(self, at, n):
        if at < 0 or n < 0 or at + n > self.size:
            raise Damaged('it needs %d B from byte %d of the file, which has %d B' % (n, at, self.size))
        return self._range.read(at, n)

    def unsigned(self, at, size=4):
        return int.from_bytes(self.bytes(at, size), 'little')

    def signed(self, at, size=4):
        return int.from_bytes(self.bytes(at, size), 'little', signed=True)

    def root(self):
        return Table(self, self.unsigned(0))

    def count(self):
        self._tables += 1
        if self._tables > _MOST_TABLES:
            raise Damaged('it has more than %d tables' % _MOST_TABLES)


class Table(object):
    """A table of the FlatBuffer. An absent field has its default."""

    def __init__(self, file, at):
        file.count()
        self.file, self.at = file, at
        self._vtable = at - file.signed(at)
        self._size = file.unsigned(self._vtable, 2)

    def _field(self, number):
        """Returns the position of a field, or None if it is absent."""
        if 6 + 2 * number > self._size:
            return None
        offset = self.file.unsigned(self._vtable + 4 + 2 * number, 2)
        return self.at + offset if offset else None

    def _target(self, number):
        at = self._field(number)
        return None if at is None else at + self.file.unsigned(at)

    def has(self, number):
        return self._field(number) is not None

    def int(self, number, default=0, size=4):
        at = self._field(number)
        return default if at is None else self.file.signed(at, size)

    def unsigned(self, number, size=4):
        at = self._field(number)
        return 0 if at is None else self.file.unsigned(at, size)

    def byte(self, number, default=0):
        return self.int(number, default, 1)

    def flag(self, number, default=False):
        return bool(self.int(number, default, 1))

    def real(self, number, default=0.):
        at = self._field(number)
        return default if at is None else struct.unpack('<f', self.file.bytes(at, 4))[0]

    def table(self, number):
        at = self._target(number)
        return None if at is None else Table(self.file, at)

    def span(self, number, size=1):
        """Returns the position and the number of elements of a vector; (0, 0) if it is absent."""
        at = self._target(number)
        if at is None:
            return 0, 0
        n = self.file.unsigned(at)
        if at + 4 + n * size > self.file.size:
            raise Damaged('a list of %d elements at byte %d does not fit into the file' % (n, at))
        return at + 4, n

    def bytes(self, number):
        return self.file.bytes(*self.span(number))

    def text(self, number):
        """Returns a text. Control characters, which a terminal would obey, become question marks."""
        return ''.join(c if c.isprintable() else '?' for c in self.bytes(number).decode('utf-8', 'replace'))

    def array(self, number, dtype):
        """Returns a vector of numbers as an array, or None if it is absent."""
        if not self.has(number):
            return None
        dtype = np.dtype(dtype)
        at, n = self.span(number, dtype.itemsize)
        return np.frombuffer(self.file.bytes(at, n * dtype.itemsize), dtype)

    def ints(self, number, dtype='int32'):
        found = self.array(number, dtype)
        return [] if found is None else [int(v) for v in found]

    def tables(self, number):
        at, n = self.span(number, 4)
        return [Table(self.file, at + 4 * i + self.file.unsigned(at + 4 * i)) for i in range(n)]


class TensorInfo(object):
    """A tensor as the file describes it."""

    def __init__(self, index, table):
        self.index, self.table, self.name = index, table, table.text(3)
        self.type = table.byte(1)
        if not 0 <= self.type < len(TYPES):
            raise Damaged("tensor '%s' has the unknown element type %d" % (self.name, self.type))
        self.dtype = TYPES[self.type][0]
        self.dims = table.ints(0)
        signature = table.ints(7)
        self.shape = [None if d < 0 else d for d in (signature if len(signature) == len(self.dims) and signature else self.dims)]
        self.has_shape = bool(self.dims) or table.flag(8)
        self.is_variable = table.flag(5)
        self.buffer = table.unsigned(2)
        self.external = table.unsigned(10)
        self.scale, self.zero, self.axis, self.blocks = None, None, 0, None
        quantization = table.table(4)
        if quantization is not None:
            self._quantization(quantization)

    def _quantization(self, q):
        scale, zero = q.array(2, 'float32'), q.array(3, 'int64')
        self.axis = q.int(6)
        if scale is not None and len(scale):
            self.scale = scale
            self.zero = np.zeros(len(scale), np.int64) if zero is None or not len(zero) else zero
            if len(self.zero) not in (1, len(scale)):
                raise Damaged("tensor '%s' has %d scales and %d zero points" % (self.name, len(scale), len(self.zero)))
        if q.unsigned(4, 1) == 2:
            blocks = q.table(5)
            self.blocks = (blocks.int(0), blocks.int(1), blocks.int(2))  # the tensors of the scales and zero points, the size

    def is_quantized(self):
        """True if the integers stand for real numbers."""
        return self.scale is not None and self.dtype in (tf.int8, tf.uint8, tf.int16)

    def text(self):
        """The scale and the zero point, for people."""
        if not self.is_quantized():
            return ''
        if len(self.scale) > 1:
            return '  %d scales' % len(self.scale)
        return '  scale %.6g zero %d' % (float(self.scale[0]), int(self.zero[0]))


class Subgraph(object):
    def __init__(self, table):
        self.tensors = [TensorInfo(i, t) for i, t in enumerate(table.tables(0))]
        self.inputs, self.outputs, self.name = table.ints(1), table.ints(2), table.text(4)
        self.operators = [Operator(t) for t in table.tables(3)]
        for i in self.inputs + self.outputs:
            self.check(i)

    def check(self, i, least=0):
        if not least <= i < len(self.tensors):
            raise Damaged('a graph of %d tensors uses the tensor %d' % (len(self.tensors), i))


class Operator(object):
    def __init__(self, table):
        self.table, self.code = table, table.unsigned(0)
        self.inputs, self.outputs = table.ints(1), table.ints(2)

    def options(self):
        return self.table.table(4) or self.table.table(12)

    def custom(self):
        """The options of a custom operator, as bytes."""
        at, size = self.table.unsigned(9, 8), self.table.unsigned(10, 8)
        return self.table.file.bytes(at, size) if at > 1 and size else self.table.bytes(5)


class Model(object):
    """The tables of a file."""

    def __init__(self, path):
        self.path = os.path.realpath(path)
        self.file = File(path)
        if self.file.size < 8:
            raise Damaged('it has only %d B' % self.file.size)
        root = self.file.root()
        self.version, self.description = root.unsigned(0), root.text(3)
        self.codes = [(max(t.byte(0), t.int(3)), t.text(1), t.int(2, 1)) for t in root.tables(1)]
        self.buffers = root.tables(4)
        self.subgraphs = [Subgraph(t) for t in root.tables(2)]
        if not self.subgraphs:
            raise Damaged('it has no graph')
        for graph in self.subgraphs:
            for op in graph.operators:
                if op.code >= len(self.codes):
                    raise Damaged('an operator has the code %d of %d' % (op.code, len(self.codes)))
                for i in op.inputs:
                    graph.check(i, -1)
                for i in op.outputs:
                    graph.check(i)
        self.signatures = [(t.text(2), t.unsigned(4), self._map(t, 0), self._map(t, 1)) for t in root.tables(7)]
        for key, number, inputs, outputs in self.signatures:
            if number >= len(self.subgraphs):
                raise Damaged("the signature '%s' is that of the graph %d of %d" % (key, number, len(self.subgraphs)))
            for _, i in inputs + outputs:
                self.subgraphs[number].check(i)
        self.metadata = {t.text(0): t.unsigned(1) for t in root.tables(6)}
        self._arrays = {}

    def _map(self, table, number):
        return [(t.text(0), t.unsigned(1)) for t in table.tables(number)]

    def place(self, number):
        """Returns the position and the size of a buffer. Large ones follow the FlatBuffer."""
        if number >= len(self.buffers):
            raise Damaged('the buffer %d of %d is used' % (number, len(self.buffers)))
        table = self.buffers[number]
        at, size = table.unsigned(1, 8), table.unsigned(2, 8)
        if at > 1:
            if at + size > self.file.size:
                raise Damaged('the buffer %d needs %d B from byte %d of the file, which has %d B' % (
                    number, size, at, self.file.size))
            return at, size
        return table.span(0)

    def buffer(self, number):
        return self.file.bytes(*self.place(number))

    def is_constant(self, info):
        if info.external:
            return True
        return info.buffer > 0 and self.place(info.buffer)[1] > 0

    def value(self, info):
        """Returns the elements of a constant tensor. Graphs of a model share them."""
        if len(self.subgraphs) == 1:
            return self._value(info)
        key = (info.buffer, info.type, str(info.dims))
        if key not in self._arrays:
            self._arrays[key] = self._value(info)
        return self._arrays[key]

    def _value(self, info):
        if info.external:
            raise Damaged("the elements of tensor '%s' are in another file, which is not supported" % info.name)
        sparsity = info.table.table(6)
        if sparsity is not None:
            return _dense(self, info, sparsity)
        at, size = self.place(info.buffer)
        if info.type == STRING:
            return _strings(self.file.bytes(at, size), info)
        if info.type == INT2:
            return _small(self.file.bytes(at, size), info)
        return self.elements(info, info.dims, at, size)

    def elements(self, info, dims, at, size):
        """Reads elements of the tensor's type from the file."""
        number = TYPES[info.type][1]
        if not number:
            raise Damaged("tensor '%s' has a type without elements" % info.name)
        return _onnx.external(info.name, number, dims, os.path.dirname(self.path), os.path.basename(self.path), at, size)


def _count(dims, info):
    n = 1
    for d in dims:
        n *= d
    if n < 0 or n > 1 << 40:
        raise Damaged("tensor '%s' has the shape %s" % (info.name, dims))
    return n


def _strings(data, info):
    """Texts are their number, the offsets of all and of the end, and the characters."""
    n = int.from_bytes(data[:4], 'little')
    if 8 + 4 * n > len(data):
        raise Damaged("tensor '%s' has %d texts in %d B" % (info.name, n, len(data)))
    ends = [int(v) for v in np.frombuffer(data, 'int32', n + 1, 4)]
    if n != _count(info.dims, info):
        raise Damaged("tensor '%s' has the shape %s and %d texts" % (info.name, info.dims, n))
    return np.array([data[a:b] for a, b in zip(ends[:-1], ends[1:])], object).reshape(info.dims)


def _small(data, info):
    """Integers of two bits, four in a byte, the lowest bits first."""
    n = _count(info.dims, info)
    if len(data) != (n + 3) // 4:
        raise Damaged("tensor '%s' has the shape %s and %d B" % (info.name, info.dims, len(data)))
    packed = np.frombuffer(data, np.uint8).astype(np.int32).reshape(-1, 1)
    values = (packed >> np.array([0, 2, 4, 6])) & 3
    return np.where(values > 1, values - 4, values).astype(np.int8).reshape(-1)[:n].reshape(info.dims)


def _vector(table, kind, values):
    """The numbers of a union of vectors of 32, 16 and 8 bits."""
    dtype = {1: 'int32', 2: 'uint16', 3: 'uint8'}.get(table.unsigned(kind, 1))
    inner = table.table(values) if dtype else None
    found = inner.array(0, dtype) if inner is not None else None
    return np.zeros([0], np.int64) if found is None else found.astype(np.int64)


def _segments(info, parents, segments, indices):
    """The numbers of elements and the first elements of compressed segments."""
    if len(parents) and int(np.max(parents)) + 1 >= len(segments):
        raise Damaged("the sparse tensor '%s' has too few segments" % info.name)
    first, counts = segments[parents], segments[parents + 1] - segments[parents]
    if np.any(counts < 0) or np.any(first < 0) or np.any(first + counts > len(indices)):
        raise Damaged("the sparse tensor '%s' has segments outside of its indices" % info.name)
    return counts, first


def _dense(model, info, sparsity):
    """The elements of a sparse tensor. Its dimensions, of which some may be split into blocks, are stored in an order of
    their own, dense or compressed."""
    order, blocks = sparsity.ints(0), sparsity.ints(1)
    rows = [(t.byte(0), t.int(1), _vector(t, 2, 3), _vector(t, 4, 5)) for t in sparsity.tables(2)]
    r = len(info.dims)
    if sorted(order) != list(range(len(rows))) or len(rows) != r + len(blocks) or any(not 0 <= b < r for b in blocks):
        raise Damaged("the sparse tensor '%s' has an order %s of %d dimensions" % (info.name, order, r))
    extent = {d: size for d, (format, size, _, _) in zip(order, rows) if not format}
    index, parents = np.zeros([1, 0], np.int64), np.zeros([1], np.int64)  # of the stored elements, as far as they are known
    for format, size, segments, indices in rows:
        if format:
            counts, first = _segments(info, parents, segments, indices)
        else:
            counts, first = np.full(len(parents), max(size, 0)), parents * max(size, 0)
        total = int(np.sum(counts))
        if total > model.file.size:
            raise Damaged("the sparse tensor '%s' has more elements than the file" % info.name)
        ends = np.cumsum(counts)
        inner = np.arange(total) - np.repeat(ends - counts, counts, 0)  # the number of the element in its segment
        parents = np.repeat(first, counts, 0) + inner
        column = indices[parents] if format else inner
        index = np.concatenate([np.repeat(index, counts, 0), column.reshape(-1, 1)], 1)
    at, size = model.place(info.buffer)
    values = model.elements(info, [len(index)], at, size)
    if not len(index) or not _count(info.dims, info):
        return np.zeros(info.dims, values.dtype)
    by_dimension = {d: index[:, level] for level, d in enumerate(order)}
    flat = np.zeros(len(index), np.int64)
    for d in range(r):
        part = by_dimension[d]
        for k, b in enumerate(blocks):
            if b == d:
                part = part * extent.get(r + k, 1) + by_dimension[r + k]
        if np.any(part >= info.dims[d]) or np.any(part < 0):
            raise Damaged("the sparse tensor '%s' has an element outside of its shape" % info.name)
        flat = flat * info.dims[d] + part
    dense = np.zeros(_count(info.dims, info), values.dtype)
    dense[flat] = values
    return dense.reshape(info.dims)


def attached(file):
    """Returns {name: function that reads it} of the zip archive that TFLite Metadata appends to a file."""
    try:
        archive = Archive(file.path)
    except ValueError:
        return {}
    return {name: functools.partial(_attached, archive, name) for name in archive.names()}


def _attached(archive, name):
    if archive.packed(name) > _MOST_ATTACHED:
        raise Damaged('the attached file %s has %d B' % (name, archive.packed(name)))
    return archive.read(name)
