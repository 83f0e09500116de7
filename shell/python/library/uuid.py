"""uuid: identifiers of 128 bits."""
import os
import time

_Int = int


class UUID(object):
    def __init__(self, hex=None, bytes=None, int=None):
        if hex is not None:
            digits = hex.replace('urn:', '').replace('uuid:', '').strip('{}').replace('-', '')
            if len(digits) != 32:
                raise ValueError('badly formed hexadecimal UUID string')
            int = _Int(digits, 16)
        elif bytes is not None:
            int = _Int.from_bytes(bytes, 'big')
        self.int = int

    @property
    def hex(self):
        return '%032x' % self.int

    @property
    def bytes(self):
        return self.int.to_bytes(16, 'big')

    @property
    def version(self):
        return (self.int >> 76) & 15

    def __str__(self):
        h = self.hex
        return '-'.join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))

    def __repr__(self):
        return "UUID('%s')" % self

    def __eq__(self, other):
        return isinstance(other, UUID) and self.int == other.int

    def __hash__(self):
        return hash(self.int)


def _made(number, version):
    number = number & ~(0xf << 76) | version << 76
    return UUID(int=number & ~(3 << 62) | 2 << 62)


def uuid4():
    return _made(int.from_bytes(os.urandom(16), 'big'), 4)


def uuid1(node=None, clock_seq=None):
    return _made(int(time.time() * 1e7) << 64 | int.from_bytes(os.urandom(8), 'big'), 1)
