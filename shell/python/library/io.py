"""io: files in memory."""

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
DEFAULT_BUFFER_SIZE = 8192
UnsupportedOperation = OSError


open = open


class _Memory(object):
    def __init__(self, initial):
        self._data = initial
        self._at = 0
        self.closed = False

    def _check(self, stop=None):
        if self.closed:
            raise ValueError('I/O operation on closed file' + (self._stop if stop is None else stop))

    def __enter__(self):
        self._check('.')
        return self

    def __exit__(self, kind, error, traceback):
        self.close()

    def __iter__(self):
        self._check('.')
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def close(self):
        self.closed = True

    def flush(self):
        self._check()

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        self._check()
        return self._at

    def seek(self, pos, whence=0):
        self._check()
        base = {0: 0, 1: self._at, 2: len(self._data)}[whence]
        if whence and pos and isinstance(self._data, str):
            raise OSError("Can't do nonzero %s-relative seeks" % ('cur' if whence == 1 else 'end'))
        if whence == 0 and pos < 0:
            raise ValueError('Negative seek position %d' % pos)
        self._at = max(0, base + pos)
        return self._at

    def truncate(self, size=None):
        self._check()
        size = self._at if size is None else size
        self._data = self._data[:size]
        return size

    def read(self, size=-1):
        self._check()
        end = len(self._data) if size is None or size < 0 else self._at + size
        got = self._data[self._at:end]
        self._at += len(got)
        return got

    def readline(self, size=-1):
        self._check()
        end = self._data.find(self._newline, self._at)
        end = len(self._data) if end < 0 else end + 1
        if size is not None and size >= 0:
            end = min(end, self._at + size)
        got = self._data[self._at:end]
        self._at += len(got)
        return got

    def readlines(self, hint=-1):
        return list(self)

    def _put(self, text):
        self._check()
        gap = self._at - len(self._data)
        if gap > 0:
            self._data += self._blank * gap
        if self._at == len(self._data):
            self._data += text
        else:
            self._data = self._data[:self._at] + text + self._data[self._at + len(text):]
        self._at += len(text)
        return len(text)

    def writelines(self, lines):
        self._check('.')
        for line in lines:
            self.write(line)

    def getvalue(self):
        self._check()
        return self._data


class StringIO(_Memory):
    _newline, _blank, _stop = '\n', '\0', ''

    def __init__(self, initial_value='', newline='\n'):
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError('initial_value must be str or None, not ' + type(initial_value).__name__)
        _Memory.__init__(self, initial_value or '')

    def write(self, s):
        if not isinstance(s, str):
            raise TypeError("string argument expected, got '%s'" % type(s).__name__)
        return self._put(s)


class BytesIO(_Memory):
    _newline, _blank, _stop = b'\n', b'\0', '.'

    def __init__(self, initial_bytes=b''):
        _Memory.__init__(self, bytes(initial_bytes or b''))

    def write(self, b):
        if isinstance(b, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        return self._put(bytes(b))
