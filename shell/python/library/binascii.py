"""binascii: conversions between bytes and text."""
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
    out = []
    for i in range(0, len(data), 3):
        part = data[i:i + 3]
        bits = int.from_bytes(part + b'\0' * (3 - len(part)), 'big')
        quad = bytes([_ALPHABET[bits >> 18 - 6 * k & 63] for k in range(4)])
        out.append(quad[:len(part) + 1] + b'=' * (3 - len(part)))
    return b''.join(out) + (b'\n' if newline else b'')


def a2b_base64(string):
    data = string.encode('ascii') if isinstance(string, str) else string
    places = {c: i for i, c in enumerate(_ALPHABET)}
    digits, pads = [], 0
    for c in data:
        if c == 61:
            pads += 1
            if len(digits) % 4 >= 2 and (len(digits) + pads) % 4 == 0:
                break
        elif c in places:
            digits.append(places[c])
            pads = 0
    rest = len(digits) % 4
    if rest == 1:
        raise Error('Invalid base64-encoded string: number of data characters (%d) cannot be 1 more than a multiple '
                    'of 4' % len(digits))
    if rest and pads < 4 - rest:
        raise Error('Incorrect padding')
    out = []
    for i in range(0, len(digits), 4):
        quad = digits[i:i + 4]
        bits = 0
        for d in quad + [0] * (4 - len(quad)):
            bits = bits << 6 | d
        out.append(bits.to_bytes(3, 'big')[:len(quad) - 1])
    return b''.join(out)
