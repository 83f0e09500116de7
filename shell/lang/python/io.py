"""io: files that are strings."""


class StringIO(object):
    def __init__(self, initial_value='', newline='\n'):
        self._text, self._at, self.closed = initial_value or '', 0, False

    def _open(self):
        if self.closed:
            raise ValueError('I/O operation on closed file')

    def write(self, s):
        self._open()
        if not isinstance(s, str):
            raise TypeError("string argument expected, got '%s'" % type(s).__name__)
        before = self._text[:self._at].ljust(self._at, '\0')
        self._text = before + s + self._text[self._at + len(s):]
        self._at += len(s)
        return len(s)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def read(self, size=-1):
        self._open()
        end = len(self._text) if size is None or size < 0 else self._at + size
        out = self._text[self._at:end]
        self._at = max(self._at, min(end, len(self._text)))
        return out

    def readline(self, size=-1):
        self._open()
        end = self._text.find('\n', self._at) + 1 or len(self._text)
        return self.read(end - self._at if size is None or size < 0 else min(size, end - self._at))

    def readlines(self, hint=-1):
        return list(self)

    def __iter__(self):
        while True:
            line = self.readline()
            if not line:
                return
            yield line

    def getvalue(self):
        self._open()
        return self._text

    def tell(self):
        return self._at

    def seek(self, pos, whence=0):
        self._at = pos if whence == 0 else len(self._text)
        return self._at

    def truncate(self, size=None):
        size = self._at if size is None else size
        self._text = self._text[:size]
        return size

    def flush(self):
        pass

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
