"""Writes messages of protocol buffers byte by byte, for tests."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """A field: an int as a varint, a float in 4 bytes, a text or bytes with its length, a list as repeated fields."""
    if isinstance(value, (list, tuple)):
        return b''.join(field(number, v) for v in value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value
