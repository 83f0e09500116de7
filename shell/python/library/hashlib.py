"""hashlib: digests of bytes."""
import _hash

_BLOCKS = {'md5': (16, 64), 'sha1': (20, 64), 'sha224': (28, 64), 'sha256': (32, 64), 'sha384': (48, 128),
           'sha512': (64, 128)}
algorithms_guaranteed = algorithms_available = set(_BLOCKS)


class _Hash(object):
    def __init__(self, name, data=b''):
        self.name, self._data = name, []
        self.digest_size, self.block_size = _BLOCKS[name]
        self.update(data)

    def update(self, data, /):
        if isinstance(data, str):
            raise TypeError('Strings must be encoded before hashing')
        if not isinstance(data, bytes):
            if not hasattr(data, 'tobytes'):
                raise TypeError('object supporting the buffer API required')
            data = data.tobytes()
        self._data.append(data)

    def digest(self):
        self._data = [b''.join(self._data)]
        return _hash.digest(self.name, self._data[0])

    def hexdigest(self):
        return self.digest().hex()

    def copy(self):
        return _Hash(self.name, b''.join(self._data))

    def __repr__(self):
        return '<%s _hashlib.HASH object @ 0x%x>' % (self.name, id(self))


def new(name, data=b'', **kwargs):
    if name.lower() not in _BLOCKS:
        raise ValueError('unsupported hash type ' + name)
    return _Hash(name.lower(), data)


def md5(string=b'', *, usedforsecurity=True):
    return _Hash('md5', string)


def sha1(string=b'', *, usedforsecurity=True):
    return _Hash('sha1', string)


def sha224(string=b'', *, usedforsecurity=True):
    return _Hash('sha224', string)


def sha256(string=b'', *, usedforsecurity=True):
    return _Hash('sha256', string)


def sha384(string=b'', *, usedforsecurity=True):
    return _Hash('sha384', string)


def sha512(string=b'', *, usedforsecurity=True):
    return _Hash('sha512', string)
