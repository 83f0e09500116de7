"""binascii: conversions between bytes and text."""
import _codecs
from zlib import crc32

_ALPHABET = b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


class Error(ValueError):
    pass


def hexlify(data):
    return data.hex().encode('ascii')


b2a_hex = hexlify


def unhexlify(hexstr):
    text = hexstr if isinstance(hexstr, str) else hexstr.decode('ascii')
    if len(text) % 2:
        raise Error('Odd-length string')
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Error('Non-hexadecimal digit found') from None


a2b_hex = unhexlify


def b2a_base64(data, *, newline=True):
    if not isinstance(data, bytes):
        raise TypeError("a bytes-like object is required, not '%s'" % type(data).__name__)
    return _codecs.to_base64(data) + (b'\n' if newline else b'')


def a2b_base64(string):
    data = string.encode('ascii') if isinstance(string, str) else bytes(string)
    out = _codecs.from_base64(data)
    if out is not None:
        return out
    digits = sum(c in _ALPHABET for c in data)
    if digits % 4 == 1:
        raise Error('Invalid base64-encoded string: number of data characters (%d) cannot be 1 more than a multiple '
                    'of 4' % digits)
    raise Error('Incorrect padding')
