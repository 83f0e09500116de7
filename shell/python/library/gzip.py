"""gzip: reading and writing of gzip files as a whole."""
import io
from _zlib import deflate as _deflate, inflate as _inflate

_open = open
READ, WRITE = 'rb', 'wb'


class BadGzipFile(OSError):
    """Raised if the data are not a gzip file."""


def compress(data, compresslevel=9, *, mtime=None):
    return _deflate(data, compresslevel, 31)


def decompress(data):
    out = []
    while data:
        if data[:2] != b'\x1f\x8b':
            if not out or data.strip(b'\0'):
                raise BadGzipFile('Not a gzipped file (%r)' % data[:2])
            break
        try:
            member, taken = _inflate(data, 31)
        except EOFError:
            raise EOFError('Compressed file ended before the end-of-stream marker was reached') from None
        except ValueError as e:
            raise BadGzipFile(str(e)) from None
        out.append(member)
        data = data[taken:]
    return b''.join(out)


class GzipFile(io.BytesIO):
    """A gzip file. It is read when it is opened, and written when it is closed."""

    def __init__(self, filename=None, mode=None, compresslevel=9, fileobj=None, mtime=None):
        mode = mode or 'rb'
        if mode.strip('bt') not in ('r', 'w', 'a', 'x'):
            raise ValueError('Invalid mode: %r' % mode)
        self.name = filename if filename is not None else getattr(fileobj, 'name', '')
        self.mode, self._level = mode, compresslevel
        self._writing, self._given = 'r' not in mode, fileobj
        self._file = fileobj if fileobj is not None else _open(filename, mode.strip('bt') + 'b')
        data = b''
        if not self._writing:
            try:
                data = decompress(self._file.read())
            finally:
                if fileobj is None:
                    self._file.close()
        io.BytesIO.__init__(self, data)

    def close(self):
        if self.closed:
            return
        if self._writing:
            self._file.write(compress(self.getvalue(), self._level))
            if self._given is None:
                self._file.close()
        io.BytesIO.close(self)

    def readable(self):
        return not self._writing

    def writable(self):
        return self._writing

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def open(filename, mode='rb', compresslevel=9, encoding=None, errors=None, newline=None):
    if 't' not in mode:
        return GzipFile(filename, mode, compresslevel) if isinstance(filename, str) else GzipFile(
            None, mode, compresslevel, filename)
    if 'r' not in mode:
        raise ValueError('gzip text can be read, not written: write bytes')
    with open(filename, mode.replace('t', 'b')) as f:
        return io.StringIO(f.read().decode(encoding or 'utf-8', errors or 'strict'))
