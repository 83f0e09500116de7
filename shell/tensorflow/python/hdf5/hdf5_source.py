"""HDF5: ranges of a file, and the fields of a block of bytes. Every access is checked against the size of the file."""
import os
import _onnx

_PAGE = 1 << 16
_MOST_PAGES = 64
_MOST_READS = 1000000  # structures that are read from one file, so that no file keeps the reader busy for ever
_NUMBERS = {'float32': 1, 'uint8': 2, 'int8': 3, 'uint16': 4, 'int16': 5, 'int32': 6, 'int64': 7, 'float16': 10,
            'float64': 11, 'uint32': 12, 'uint64': 13, 'bfloat16': 16}  # the element types of _onnx.external


class Damaged(ValueError):
    """The bytes do not follow the format, or use a part of it that is not supported."""
    pass


class FileRange(object):
    """The bytes [start, start + size) of a file, which are read when they are needed. Keeps a few pages of 64 kB."""

    def __init__(self, path, start=0, size=None):
        whole = os.path.getsize(path)
        self._real = os.path.realpath(path)
        self.path, self.start = path, start
        self.size = whole - start if size is None else size
        if start < 0 or self.size < 0 or start + self.size > whole:
            raise Damaged('it ends too early: it has %d B' % whole)
        self._pages = {}

    def _read(self, at, size):
        return self.array(at, 'uint8', [size]).tobytes()

    def read(self, at, size):
        """Returns `size` bytes from `at` on."""
        if size > _PAGE:
            return self._read(at, size)
        number = at // _PAGE
        page = self._page(number)
        first = at - number * _PAGE
        found = page[first:first + size]
        if len(found) < size:
            found += self._page(number + 1)[:size - len(found)]
        return found

    def _page(self, number):
        page = self._pages.get(number)
        if page is None:
            if len(self._pages) >= _MOST_PAGES:
                self._pages.clear()
            first = number * _PAGE
            page = self._pages[number] = self._read(first, min(_PAGE, self.size - first))
        return page

    def array(self, at, dtype, shape):
        """Returns an array of the elements from `at` on, which are in the order of this machine."""
        folder, name = os.path.split(self._real)
        return _onnx.external(name, _NUMBERS[dtype], shape, folder or '.', name, self.start + at, -1)


class Held(object):
    """Bytes in memory, such as an unpacked member of an archive."""

    def __init__(self, data):
        self.data, self.size = data, len(data)

    def read(self, at, size):
        return self.data[at:at + size]

    def array(self, at, dtype, shape):
        count = 1
        for d in shape:
            count *= d
        return np.frombuffer(self.data, np.dtype(dtype), count, at).reshape(shape)


class Fields(object):
    """A position in a block of bytes, from which fields are taken in order."""

    def __init__(self, source, data, what):
        self.source, self.data, self.at, self.what = source, data, 0, what

    def take(self, size):
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise Damaged('%s ends too early' % self.what)
        found = self.data[self.at:end]
        self.at = end
        return found

    def left(self):
        return len(self.data) - self.at

    def number(self, size):
        return int.from_bytes(self.take(size), 'little')

    def byte(self):
        return self.number(1)

    def address(self):
        """Returns a position in the file, or None if it is undefined."""
        size = self.source.address_size
        found = self.number(size)
        return None if found == (1 << 8 * size) - 1 else found

    def length(self):
        return self.number(self.source.length_size)

    def align(self, size):
        self.at += -self.at % size

    def expect(self, *values):
        found = self.byte()
        if found not in values:
            raise Damaged('version %d of %s is not supported' % (found, self.what))
        return found

    def end_of_text(self):
        end = self.data.find(b'\0', self.at)
        if end < 0:
            raise Damaged('a name of %s does not end' % self.what)
        found = self.take(end - self.at)
        self.at += 1
        return found.decode('utf-8', 'replace')


class Source(object):
    """The bytes of an HDF5 file, with the sizes that its superblock states. Addresses are relative to `base`."""

    def __init__(self, data):
        self.data, self.base, self.address_size, self.length_size, self._reads = data, 0, 8, 8, 0

    def check(self, at, size, what):
        if at is None or at < 0 or size < 0 or self.base + at + size > self.data.size:
            raise Damaged('%s lies outside of the file: %d B from byte %s, and the file has %d B' % (
                what, size, 'undefined' if at is None else self.base + at, self.data.size))

    def bytes(self, at, size, what):
        self.check(at, size, what)
        self._reads += 1
        if self._reads > _MOST_READS:
            raise Damaged('it has more than %d structures' % _MOST_READS)
        return self.data.read(self.base + at, size)

    def fields(self, at, size, what, signature=None):
        """Returns the Fields of a block, after its signature."""
        found = Fields(self, self.bytes(at, size, what), what)
        if signature is not None and found.take(4) != signature:
            raise Damaged('there is no %s at byte %d' % (what, self.base + at))
        return found

    def array(self, at, dtype, shape, size, what):
        self.check(at, size, what)
        return self.data.array(self.base + at, dtype, shape)
