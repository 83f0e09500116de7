"""HDF5: the fields of a block of bytes, and the file that it comes from. Every access is checked against the size of the file."""
from _library.file_range import Damaged

_MOST_READS = 1000000  # structures that are read from one file, so that no file keeps the reader busy for ever


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
