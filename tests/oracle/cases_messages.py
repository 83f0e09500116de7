"""Oracle cases for ops that read and write messages: tensors, summaries, sequences of features (see cases.py)."""
import gzip
import zlib

import numpy as np

from cases import ALL, F, I, L, S, SHAPES, SPECIAL, arr
from cases_example import SMALL, example, feature, field, one_of, vector
from tensor_text import DTYPES


def serialize(m):
    for dtype in ALL:
        for shape in SHAPES:
            yield [m(dtype, shape)], {}
        yield [arr(dtype, SPECIAL[dtype])], {}


def tensor_message(dtype, shape, content):
    dims = b''.join(field(2, b'\x08' + bytes([d])) for d in shape)
    return b'\x08' + bytes([dtype]) + field(2, dims) + content


def parse_tensor(m):
    text = lambda data: np.array(data, object)
    for dtype, number in ((F, 1), (I, 3), (L, 9)):
        for shape in ((), (3,), (2, 3), (0,), (2, 0)):
            value = m(dtype, shape)
            yield [text(tensor_message(number, shape, field(4, value.tobytes())))], {'out_type': dtype}
    yield [text(tensor_message(3, (), b'\x38\x07'))], {'out_type': I}
    # the last one takes the rest
    yield [text(tensor_message(3, (3,), b'\x38\x07\x38\x01'))], {'out_type': I}
    yield [text(tensor_message(3, (4,), field(7, b'\x01\x02')))], {'out_type': I}
    yield [text(tensor_message(3, (4,), b''))], {'out_type': I}
    yield [text(tensor_message(7, (2,), field(8, b'ab') + field(8, b'')))], {'out_type': S}
    yield [text(tensor_message(10, (3,), field(11, b'\x01\x00\x01')))], {'out_type': 'bool'}
    for bad in (b'', b'words', tensor_message(1, (2,), field(4, b'abc')), tensor_message(3, (2,), field(4, b'abcdefgh'))):
        yield [text(bad)], {'out_type': F}
    yield [vector([tensor_message(3, (), b'\x38\x07')])], {'out_type': I}


def tensor_summary(m):
    for dtype in ALL:
        for shape in SHAPES[:6]:
            yield [np.array(one_of(m, b'', b'tag', b'a/b'), object), m(dtype, shape), np.array(one_of(m, b'', b'\n\x04\n\x02ab'), object)], {}
    yield [vector([b'a']), m(F, ()), np.array(b'', object)], {}
    yield [np.array(b'a', object), m(F, ()), vector([b''])], {}


def decompress(m):
    for _ in range(40):
        data = bytes(m.r.randint(97, 97 + m.r.randint(1, 26), m.r.randint(0, 300)).astype(np.uint8))
        kind = one_of(m, '', 'ZLIB', 'GZIP')
        packed = data if not kind else zlib.compress(data) if kind == 'ZLIB' else gzip.compress(data, mtime=0)
        change = m.r.rand()
        if change < .15 and kind:
            packed = packed[:m.r.randint(len(packed))]
        elif change < .25 and kind:
            packed = bytes([packed[0] ^ 1]) + packed[1:]
        elif change < .35 and kind:
            packed += packed
        yield [vector([packed] * m.r.randint(0, 3))], {'compression_type': kind}
    yield [np.array(zlib.compress(b'abc'), object)], {'compression_type': 'ZLIB'}
    yield [np.array(b'abc', object)], {'compression_type': 'LZ'}


def padded_raw(m):
    for dtype in (F, I, L, 'uint8', 'int16', 'double'):
        size = np.dtype(DTYPES[dtype]).itemsize
        for n in (1, 2, 5):
            # Only whole numbers, because TensorFlow leaves the remaining bytes uninitialised.
            strings = [m.r.bytes(size * m.r.randint(0, 4)) for _ in range(m.r.randint(0, 4))]
            yield [vector(strings), np.array(n * size, np.int32)], {'out_type': dtype, 'little_endian': bool(m.r.randint(2))}
    yield [vector([b'abc']), np.array(3, np.int32)], {'out_type': 'int16'}
    for bad in (0, -4):
        yield [vector([b'abc']), np.array(bad, np.int32)], {'out_type': 'int16'}
    yield [vector([b'abcd']), np.array([4], np.int32)], {'out_type': 'int16'}
    yield [np.array(b'abcd', object), np.array(4, np.int32)], {'out_type': 'int16'}
    yield [vector([b'ab', b'cd', b'']).reshape(1, 3), np.array(2, np.int32)], {'out_type': 'int16'}


# ---- sequences of features ----

KINDS = {'a': F, 'b': L, 'c': S}


def some_feature(m, kind, size=None):
    return feature(kind, [SMALL[kind][m.r.randint(2)] for _ in range(m.r.randint(0, 3) if size is None else size)])


def sequence(m, fits):
    """Returns a message. If `fits` is set, its dense features and lists have two values each."""
    size = 2 if fits else None
    context = {k: some_feature(m, kind, size) for k, kind in KINDS.items() if m.r.rand() < .8}
    lists = b''
    for k, kind in KINDS.items():
        if m.r.rand() < .8:
            steps = b''.join(field(1, some_feature(m, kind, size)) for _ in range(m.r.randint(0, 4)))
            lists += field(1, field(1, k.encode()) + field(2, steps))
    return example(**context) + field(2, lists)


def keys(m):
    """Returns {'sparse': …, 'dense': …, 'ragged': …}, with existing keys of each kind and one that does not exist."""
    out = {'sparse': [], 'dense': [], 'ragged': []}
    for k in ('a', 'b', 'c', 'z'):
        kind = one_of(m, 'sparse', 'dense', 'ragged', None)
        if kind:
            out[kind].append(k)
    return out


def wanted(m):
    kinds = {**KINDS, 'z': one_of(m, F, L, S)}
    if m.r.rand() < .1:
        kinds['a'] = L  # different from the types in the messages
    types = lambda ks: [kinds[k] for k in ks]
    context, lists = keys(m), keys(m)
    defaults = [arr(kinds[k], SMALL[kinds[k]] if m.r.rand() < .7 else []) for k in context['dense']]
    return context, lists, types, defaults


def common(context, lists, types):
    return {'context_sparse_types': types(context['sparse']), 'Tcontext_dense': types(context['dense']),
            'feature_list_dense_types': types(lists['dense']), 'context_dense_shapes': [[2] for _ in context['dense']],
            'feature_list_sparse_types': types(lists['sparse']), 'feature_list_dense_shapes': [[2] for _ in lists['dense']],
            'Ncontext_sparse': len(context['sparse']), 'Nfeature_list_sparse': len(lists['sparse']),
            'Nfeature_list_dense': len(lists['dense'])}


def text(key):
    return np.array(key.encode(), object)


def messages(m, n):
    """Returns n messages, most of them valid."""
    fits = m.r.rand() < .8
    out = [sequence(m, fits) for _ in range(n)]
    if n and m.r.rand() < .1:
        out[0] = one_of(m, b'garbage', out[0][:-1], b'')
    return out


def missing(m, lists):
    return [k for k in lists['dense'] if m.r.rand() < .9]


def parse_single_sequence(m):
    for _ in range(60):
        context, lists, types, defaults = wanted(m)
        yield [text_of(messages(m, 1)[0]), vector([k.encode() for k in missing(m, lists)]), [text(k) for k in context['sparse']],
               [text(k) for k in context['dense']], [text(k) for k in lists['sparse']], [text(k) for k in lists['dense']], defaults,
               text('name')], {**common(context, lists, types), 'Ncontext_dense': len(context['dense'])}


def text_of(message):
    return np.array(message, object)


def names(m, n):
    return vector([b'n%d' % i for i in range(n)] if m.r.rand() < .5 else [])


def parse_sequence(m):
    for _ in range(60):
        context, lists, types, defaults = wanted(m)
        n = m.r.randint(0, 4)
        yield [vector(messages(m, n)), names(m, n), defaults], {
            **common(context, lists, types), 'Ncontext_dense': len(context['dense']),
            'feature_list_dense_missing_assumed_empty': missing(m, lists), 'context_sparse_keys': context['sparse'],
            'context_dense_keys': context['dense'], 'feature_list_sparse_keys': lists['sparse'], 'feature_list_dense_keys': lists['dense']}


def parse_sequence2(m):
    for _ in range(60):
        context, lists, types, defaults = wanted(m)
        n = m.r.randint(0, 4)
        single = m.r.rand() < .3
        if single:  # for a single message, TensorFlow leaves the splits uninitialised
            context['ragged'], lists['ragged'] = [], []
        may = missing(m, lists)
        splits = lambda ks: [one_of(m, I, L) for _ in ks]
        codes = lambda ks: vector([k.encode() for k in ks])
        yield [text_of(messages(m, 1)[0]) if single else vector(messages(m, n)), vector([]) if single else names(m, n),
               *(codes(context[kind]) for kind in ('sparse', 'dense', 'ragged')),
               *(codes(lists[kind]) for kind in ('sparse', 'dense', 'ragged')),
               np.array([k in may for k in lists['dense']], bool), defaults], {
                   **common(context, lists, types), 'context_ragged_value_types': types(context['ragged']),
                   'context_ragged_split_types': splits(context['ragged']), 'feature_list_ragged_value_types': types(lists['ragged']),
                   'feature_list_ragged_split_types': splits(lists['ragged'])}


MESSAGES = {'SerializeTensor': serialize, 'ParseTensor': parse_tensor, 'TensorSummaryV2': tensor_summary, 'DecodeCompressed': decompress,
            'DecodePaddedRaw': padded_raw, 'ParseSingleSequenceExample': parse_single_sequence, 'ParseSequenceExample': parse_sequence,
            'ParseSequenceExampleV2': parse_sequence2}
