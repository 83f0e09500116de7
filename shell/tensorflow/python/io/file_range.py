"""Ranges of a file, which are read when they are needed. Every access is checked against the size of the file."""
import os
import _onnx

_PAGE = 1 << 16
_MOST_PAGES = 64
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

    def part(self, start, size):
        """Returns a range of this range."""
        return FileRange(self.path, self.start + start, size)

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

    def part(self, start, size):
        return Held(self.data[start:start + size])

    def read(self, at, size):
        return self.data[at:at + size]

    def array(self, at, dtype, shape):
        count = 1
        for d in shape:
            count *= d
        return np.frombuffer(self.data, np.dtype(dtype), count, at).reshape(shape)
