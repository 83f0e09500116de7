"""Zip archives: members that are read in place."""
from _library.file_range import FileRange, Held
from _zlib import crc32, inflate

_MOST_MEMBERS, _MOST_UNPACKED = 100000, 1 << 30


def _number(data, at, size):
    return int.from_bytes(data[at:at + size], 'little')


class Archive(object):
    """The members of a zip archive by name. Sizes are checked before they are used."""

    def __init__(self, path, file=None):
        """path: the name in errors, and of the file unless `file` is a range of bytes."""
        self.path, self._file = path, file or FileRange(path)
        self._members = {}
        for name, row in self._directory():
            self._members[name] = row

    def _broken(self, what):
        return ValueError('%s is not a valid zip archive: %s' % (self.path, what))

    def _read(self, at, size):
        if at < 0 or size < 0 or at + size > self._file.size:
            raise self._broken('it ends too early')
        return self._file.read(at, size)

    def _end(self):
        """Returns (number of members, position of the directory, its size)."""
        size = min(self._file.size, 66000)
        tail = self._read(self._file.size - size, size)
        at = tail.rfind(b'PK\x05\x06')
        if at < 0 or at + 22 > size:
            raise self._broken('its directory is missing')
        found = _number(tail, at + 10, 2), _number(tail, at + 16, 4), _number(tail, at + 12, 4)
        far = tail.rfind(b'PK\x06\x06', 0, at)
        if 0xffffffff in found[1:] or found[0] == 0xffff:
            if far < 0 or far + 56 > size:
                raise self._broken('its zip64 directory is missing')
            found = _number(tail, far + 32, 8), _number(tail, far + 48, 8), _number(tail, far + 40, 8)
        return found

    def _directory(self):
        count, at, size = self._end()
        if count > _MOST_MEMBERS:
            raise self._broken('it has more than %d members' % _MOST_MEMBERS)
        data, at = self._read(at, size), 0
        for _ in range(count):
            if data[at:at + 4] != b'PK\x01\x02':
                raise self._broken('its directory is damaged')
            sizes = [_number(data, at + k, 2) for k in (28, 30, 32)]
            name = data[at + 46:at + 46 + sizes[0]].decode('utf-8', 'replace').replace('\\', '/')
            extra = data[at + 46 + sizes[0]:at + 46 + sizes[0] + sizes[1]]
            values = [_number(data, at + k, 4) for k in (24, 20, 42)]  # size, packed size, position
            yield name, (_number(data, at + 10, 2), _number(data, at + 16, 4)) + tuple(self._wide(extra, values))
            at += 46 + sum(sizes)

    @staticmethod
    def _wide(extra, values):
        """The values of the zip64 field replace those that are too large for 32 bits."""
        at = 0
        while at + 4 <= len(extra):
            kind, size = _number(extra, at, 2), _number(extra, at + 2, 2)
            field = at + 4
            if kind == 1:
                for i in range(3):
                    if values[i] == 0xffffffff and field + 8 <= at + 4 + size:
                        values[i] = _number(extra, field, 8)
                        field += 8
            at += 4 + size
        return values

    def __contains__(self, name):
        return name in self._members

    def names(self):
        return list(self._members)

    def row(self, name):
        """Returns the method, checksum, size, packed size and position of a member."""
        return self._members[name]

    def packed(self, name):
        """Returns the number of bytes that a member takes in the file."""
        return self._members[name][3]

    def member(self, name):
        """Returns the bytes of a member: a range of the file if it is stored as it is."""
        if name not in self._members:
            raise self._broken('it has no member %s' % name)
        method, crc, size, packed, at = self._members[name]
        head = self._read(at, 30)
        if head[:4] != b'PK\x03\x04':
            raise self._broken('the member %s is missing' % name)
        start = at + 30 + _number(head, 26, 2) + _number(head, 28, 2)
        if start + packed > self._file.size:
            raise self._broken('the member %s ends too early' % name)
        if method == 0:
            return self._file.part(start, packed)
        if method != 8 or size > _MOST_UNPACKED or size > packed * 1040 + 64:
            raise self._broken('the member %s is packed in an unknown way, or too large' % name)
        try:
            data = inflate(self._read(start, packed), -15, size)[0]
        except (ValueError, EOFError):
            raise self._broken('the member %s is damaged' % name)
        if len(data) != size or crc32(data) != crc:
            raise self._broken('the member %s is damaged' % name)
        return Held(data)

    def read(self, name):
        found = self.member(name)
        return found.read(0, found.size)
