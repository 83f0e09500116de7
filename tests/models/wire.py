"""Messages and files of TensorFlow, written byte by byte, for tests without TensorFlow."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'support'))
from message import field as f, varint  # noqa: E402


def fields(data):
    """Returns [(number, value)] of a message."""
    out, at = [], 0

    def take():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            n, shift, at = n | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return n

    while at < len(data):
        key = take()
        size = {0: 0, 1: 8, 5: 4}.get(key & 7)
        value = take() if key & 7 in (0, 2) else None
        if key & 7 != 0:
            size = value if size is None else size
            value, at = data[at:at + size], at + size
        out.append((key >> 3, value))
    return out


# ---- graphs ----

FLOAT, INT32, STRING, RESOURCE = 1, 3, 7, 20


def attr(name, value):
    return f(5, f(1, name) + f(2, value))


def kind(dtype, name='T'):
    return attr(name, f(6, dtype))


def shape_of(dims):
    return b''.join(f(2, f(1, d)) for d in dims)


def node(name, op, inputs=(), *attrs, device=''):
    return f(1, f(1, name) + f(2, op) + b''.join(f(3, i) for i in inputs) + (f(4, device) if device else b'') + b''.join(attrs))


def floats(name, values, dims=()):
    tensor = f(1, FLOAT) + f(2, shape_of(dims)) + f(4, struct.pack('<%df' % len(values), *values))
    return node(name, 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, tensor)))


def placeholder(name, dims=None, dtype=FLOAT):
    return node(name, 'Placeholder', (), kind(dtype, 'dtype'), attr('shape', f(7, f(3, 1) if dims is None else shape_of(dims))))


def versions(producer=134):
    return f(4, f(1, producer))


def function(name, nodes, result, args=('x',)):
    """A FunctionDef of floats with one result."""
    arg = lambda n: f(1, n) + f(3, FLOAT)
    signature_def = f(1, name) + b''.join(f(2, arg(a)) for a in args) + f(3, arg('y'))
    return f(1, f(1, signature_def) + b''.join(f(3, n) for n in nodes) + f(4, f(1, 'y') + f(2, result)))


def call(name, target, inputs):
    types = lambda n: f(1, b''.join(f(6, FLOAT) for _ in range(n)))
    return node(name, 'PartitionedCall', inputs, attr('Tin', types(len(inputs))), attr('Tout', types(1)), attr('f', f(10, f(1, target))))


def body(message):
    """The node of a function, without the field number of a node in a graph."""
    return fields(message)[0][1]


# A small graph: n = -x.
SMALL = placeholder('x') + node('n', 'Neg', ['x'], kind(FLOAT)) + versions()


def meta(graph, collections=(), tags=(), signatures=(), version='1.15.0', assets=(), saver=b''):
    return (f(1, b''.join(f(4, t) for t in tags) + f(5, version)) + f(2, graph) + saver +
            b''.join(f(4, f(1, k) + f(2, v)) for k, v in collections) +
            b''.join(f(5, f(1, k) + f(2, v)) for k, v in signatures) + b''.join(f(6, a) for a in assets))


def info(name, dims=None, dtype=FLOAT):
    return f(1, name) + f(2, dtype) + f(3, f(3, 1) if dims is None else shape_of(dims))


def signature(inputs, outputs, method='tensorflow/serving/predict'):
    return (b''.join(f(1, f(1, k) + f(2, v)) for k, v in inputs.items()) +
            b''.join(f(2, f(1, k) + f(2, v)) for k, v in outputs.items()) + f(3, method))


def saved_model(*metas):
    return f(1, 1) + b''.join(f(2, m) for m in metas)


# ---- checkpoints ----

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def snappy(data):
    """Snappy's block format: literals, and copies of what occurs again, in each of the three forms."""
    out, at = varint(len(data)), 0
    while at < len(data):
        size = min(60, len(data) - at)
        best = 0
        for length in range(min(11, len(data) - at), 3, -1):
            found = data.rfind(data[at:at + length], 0, at + length - 1)
            if 0 <= found < at:
                best, offset = length, at - found
                break
        if best and offset < 2048:
            out += bytes([offset >> 8 << 5 | (best - 4) << 2 | 1, offset & 255])
        elif best:
            out += bytes([(best - 1) << 2 | 2]) + struct.pack('<H', offset)
        else:
            size = next((n for n in range(4, size) if data.find(data[at + n:at + n + 4], 0, at + n) >= 0), size)
            out += bytes([(size - 1) << 2]) + data[at:at + size]
        at += best or size
    return out


def block(entries, packed):
    out = b''.join(varint(0) + varint(len(k)) + varint(len(v)) + k + v for k, v in entries)
    out += struct.pack('<II', 0, 1)
    if packed:
        out = snappy(out)
    kind_byte = b'\1' if packed else b'\0'
    return out + kind_byte + struct.pack('<I', masked(out + kind_byte))


def table(entries, packed=False):
    """A sorted table in LevelDB's format, with one block."""
    data = block(sorted(entries.items()), packed)
    handle = varint(0) + varint(len(data) - 5)
    extra = block([], False)
    index = block([(b'\xff', handle)], packed)
    footer = varint(len(data)) + varint(len(extra) - 5) + varint(len(data) + len(extra)) + varint(len(index) - 5)
    return data + extra + index + footer.ljust(40, b'\0') + struct.pack('<Q', 0xdb4775248b80fb57)


def checkpoint(prefix, tensors, packed=False):
    """Writes a checkpoint of float vectors: {name: [numbers]}."""
    entries, data = {b'': f(1, 1) + f(3, f(1, 1))}, b''
    for name, values in sorted(tensors.items()):
        part = struct.pack('<%df' % len(values), *values)
        entries[name.encode()] = (f(1, FLOAT) + f(2, shape_of([len(values)])) + (f(4, len(data)) if data else b'') + f(5, len(part)) +
                                  varint(6 << 3 | 5) + struct.pack('<I', masked(part)))
        data += part
    with open(prefix + '.index', 'wb') as out:
        out.write(table(entries, packed))
    with open(prefix + '.data-00000-of-00001', 'wb') as out:
        out.write(data)
