"""Oracle cases for ops that read tf.train.Example messages, which are written here byte by byte (see cases.py)."""
import struct

import numpy as np

from cases import F, L, S, arr


def varint(n):
    n &= 2**64 - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def feature(kind, values, packed=True):
    """Returns a Feature. `kind` is the name of a dtype, or None for an empty feature."""
    if kind is None:
        return b''
    if kind == S:
        return field(1, b''.join(field(1, v) for v in values))
    if kind == F:
        floats = [struct.pack('<f', v) for v in values]
        return field(2, field(1, b''.join(floats)) if packed else b''.join(b'\x0d' + v for v in floats))
    ints = [varint(v) for v in values]
    return field(3, field(1, b''.join(ints)) if packed else b''.join(b'\x08' + v for v in ints))


def example(**features):
    entries = [field(1, field(1, key.encode()) + field(2, value)) for key, value in features.items()]
    return field(1, b''.join(entries))


MESSAGES = [
    example(a=feature(F, [1.5, -2.]), b=feature(L, [7, -1, 2**40]), c=feature(S, [b'x', b''])),
    example(a=feature(F, [3., 4.], packed=False), b=feature(L, [5], packed=False)),
    example(b=feature(L, []), c=feature(S, [b'\xff'])),
    example(a=feature(None, [])),
    example(),
    b'',
    example(a=feature(L, [1, 2])),  # of another type
    example(a=feature(F, [1., 2., 3.])),  # too many
    # Truncated inside a value. If the outermost length is too long, TensorFlow accepts the message
    # as if it ended there.
    example(a=feature(F, [1.5]))[:-3],
    b'garbage',
]
SMALL = {F: [.25, .75], L: [8, 9], S: [b'p', b'q']}


def vector(values):
    return arr(S, list(values))


def name(key):
    return np.array(key.encode(), object)


def one_of(m, *values):
    return values[m.r.randint(len(values))]


def wanted(m):
    """(sparse keys, sparse types, dense keys, dense types, dense shapes, defaults)."""
    kinds = {'a': F, 'b': L, 'c': S, 'd': one_of(m, F, L, S)}
    sparse = [k for k in kinds if m.r.rand() < .4]
    dense = [k for k in kinds if k not in sparse and m.r.rand() < .5]
    shapes, defaults = [], []
    for key in dense:
        kind = kinds[key]
        shape = one_of(m, [2], [2], [], [1, 2], [-1], [0])
        size = int(np.prod([max(1, d) for d in shape]))
        given = m.r.rand() < .7
        value = arr(kind, (SMALL[kind] * 2)[:1 if -1 in shape else 0 if 0 in shape else size])
        shapes.append(shape)
        defaults.append(value.reshape([d for d in shape if d != -1] if -1 not in shape else [1]) if given else arr(kind, []))
    return sparse, [kinds[k] for k in sparse], dense, [kinds[k] for k in dense], shapes, defaults


def parse_single(m):
    for _ in range(60):
        sparse, types, dense, dense_types, shapes, defaults = wanted(m)
        message = one_of(m, *(MESSAGES[:6] * 3 + MESSAGES[6:]))
        yield [np.array(message, object), defaults], {
            'num_sparse': len(sparse), 'sparse_keys': sparse, 'dense_keys': dense, 'sparse_types': types, 'dense_shapes': shapes,
            'Tdense': dense_types}


def parse_example(m):
    for _ in range(60):
        sparse, types, dense, dense_types, shapes, defaults = wanted(m)
        good = MESSAGES[:6] if m.r.rand() < .8 else MESSAGES
        messages = [one_of(m, *good) for _ in range(m.r.randint(0, 4))]
        names = [b'n%d' % i for i in range(len(messages))] if m.r.rand() < .5 else []
        if m.r.rand() < .05:
            names.append(b'more')
        yield [vector(messages), vector(names), [name(k) for k in sparse], [name(k) for k in dense], defaults], {
            'sparse_types': types, 'dense_shapes': shapes, 'Nsparse': len(sparse), 'Ndense': len(dense), 'Tdense': dense_types}


EXAMPLES = {'ParseSingleExample': parse_single, 'ParseExample': parse_example}
