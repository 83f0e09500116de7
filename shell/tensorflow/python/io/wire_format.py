"""The wire format of protocol buffers, used by the messages that are written in Python.

A field is a varint (number * 8 + kind) and its value: kind 0 is a varint, 1 and 5 are 8 and 4 bytes, 2 is a
length followed by that many bytes. https://protobuf.dev/programming-guides/encoding

    varint(n)                encodes an int, a negative one as 64 bits
    varints(values)          the same for several, one after the other
    field(number, value)     encodes a field: an int as a varint, a string or bytes with their length
    integers(data)           the signed numbers that varints() encoded
    fields(data, only=None)  yields (number, value) of each field, or of those with the number `only`: ints for
                             varints, bytes for other types
"""
from _wire import field, fields, integers, varint, varints
