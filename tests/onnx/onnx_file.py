"""Writes ONNX models without the library onnx, for tests. Numbers of fields are those of onnx.proto."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'support'))
from message import field, varint  # noqa: E402, F401

FLOAT, UINT8, INT8, INT64, STRING, BOOL = 1, 2, 3, 7, 8, 9


def tensor(name, dims, data, kind=FLOAT, external=None):
    """A TensorProto. `data` is a list of numbers, or bytes; `external` is a dict of texts."""
    code = {FLOAT: 'f', UINT8: 'B', INT8: 'b', INT64: 'q', BOOL: '?'}.get(kind)
    out = field(1, list(dims)) + field(2, kind) + field(8, name)
    if external is not None:
        return out + b''.join(field(13, field(1, k) + field(2, v)) for k, v in external.items()) + field(14, 1)
    return out + field(9, data if isinstance(data, bytes) else struct.pack('<%d%s' % (len(data), code), *data))


def value(name, dims, kind=FLOAT):
    """A ValueInfoProto. An extent that is a text is symbolic."""
    shape = b''.join(field(1, field(2 if isinstance(d, str) else 1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def attribute(name, v):
    if isinstance(v, int):
        return field(1, name) + field(3, v) + field(20, 2)
    if isinstance(v, float):
        return field(1, name) + field(2, v) + field(20, 1)
    if isinstance(v, str):
        return field(1, name) + field(4, v) + field(20, 3)
    if isinstance(v, list):
        number, kind = {int: (8, 7), float: (7, 6), str: (9, 8)}[type(v[0])]
        return field(1, name) + field(number, v) + field(20, kind)
    return field(1, name) + field(6, v) + field(20, 5)  # the bytes of a graph


def node(op, inputs, outputs, name='', domain='', **attributes):
    return field(1, inputs) + field(2, outputs) + (field(3, name) if name else b'') + field(4, op) + b''.join(
        field(5, attribute(k, v)) for k, v in attributes.items()) + (field(7, domain) if domain else b'')


def graph(nodes, inputs, outputs, initializers=(), name='g'):
    return field(1, list(nodes)) + field(2, name) + field(5, list(initializers)) + field(11, list(inputs)) + field(
        12, list(outputs))


def model(made, opset=17, functions=(), producer='tests', opsets=()):
    return field(1, 8) + field(2, producer) + field(3, '1.0') + field(7, made) + field(8, field(2, opset)) + b''.join(
        field(8, field(1, d) + field(2, v)) for d, v in opsets) + field(25, list(functions))
