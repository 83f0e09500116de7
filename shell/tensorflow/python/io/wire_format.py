"""The wire format of protocol buffers, used by the messages that are written in Python.

A field is a varint (number * 8 + kind) and its value: kind 0 is a varint, 1 and 5 are 8 and 4 bytes, 2 is a
length followed by that many bytes. https://protobuf.dev/programming-guides/encoding

runtime/base/wire.h is the same for C++. Offering it to Python would take as many lines as this file.
"""


def varint(n):
    n &= (1 << 64) - 1
    out = []
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + [n])


def field(number, value):
    """Encodes a field: an int as a varint, a string or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode('utf-8')
    return varint(number << 3 | 2) + varint(len(value)) + value


def take_varint(data, at):
    """Returns the number at offset `at`, and the offset of its end."""
    n = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError('Error parsing message')
        byte = data[at]
        n |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return n, at
        shift += 7


def fields(data, only=None):
    """Returns (number, value) of each field, or of those with the number `only`: ints for varints, bytes for other types."""
    at = 0
    while at < len(data):
        key, at = take_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = take_varint(data, at)
        else:
            size, at = take_varint(data, at) if kind == 2 else ({1: 8, 5: 4}.get(kind, 1 << 62), at)
            if at + size > len(data):
                raise ValueError('Error parsing message')
            value, at = data[at:at + size] if only in (None, key >> 3) else b'', at + size
        if only in (None, key >> 3):
            yield key >> 3, value
