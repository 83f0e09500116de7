"""Oracle cases for serialised sparse tensors and for feature crosses (see cases.py)."""
import numpy as np

from cases import B, D, F, I, L, S, arr, ints
from cases_array import scalar
from cases_example import field
from cases_messages import tensor_message
from cases_sparse import none, rows, sp, sp2


def long(*values):
    return ints(*values, dtype=L)


def cube(m, d):
    return [rows([0, 1, 0], [0, 1, 2], [2, 0, 1], rank=3), m(d, (3,)), long(3, 2, 4)]


def serialize(m):
    for d in (F, D, I, L, B, S):
        for make in (sp, sp2, none, cube):
            yield make(m, d), {}
    yield [rows([1], [3], rank=1), m(F, (2,)), long(5)], {}
    yield [rows([9, 1]), m(F, (1,)), long(3, 4)], {}
    yield [rows([2, 0], [0, 1], [2, 0]), m(F, (3,)), long(3, 4)], {}
    yield [rows([1, 9]), m(F, (1,)), long(3, 4)], {}
    yield [rows([-1, 0]), m(F, (1,)), long(3, 4)], {}
    yield [rows(), m(F, (0,)), long(0, 4)], {}
    yield [rows([0, 0]), m(F, (1,)), long(0, 4)], {}
    yield [long(0, 1), m(F, (2,)), long(3, 4)], {}
    yield [rows([0, 0]), m(F, (1, 1)), long(3, 4)], {}
    yield [rows([0, 0]), m(F, (1,)), scalar(3, L)], {}


def message(value):
    number = {'f': 1, 'i': 9, 'O': 7}[value.dtype.kind]
    content = b''.join(field(8, v) for v in value) if number == 7 else field(4, value.tobytes()) if value.size else b''
    return tensor_message(number, value.shape, content)


def serialized(*sparse):
    out = np.empty((len(sparse), 3), object)
    for i, parts in enumerate(sparse):
        out[i] = [message(part) for part in parts]
    return out


def sparse_of(m, d, n, dims):
    at = sorted(set(tuple(int(m.r.randint(0, k)) for k in dims) for _ in range(n)))
    return [rows(*at, rank=len(dims)), m(d, (len(at),)), long(*dims)]


def many(m):
    for d in (F, L, S):
        for n in (1, 2, 3):
            for dims in ((4,), (3, 4), (2, 0, 3)):
                yield [serialized(*[sparse_of(m, d, 3 if 0 not in dims else 0, dims) for _ in range(n)])], {'dtype': d}
        yield [serialized(sparse_of(m, d, 3, (4, 2)), sparse_of(m, d, 2, (1, 9)))], {'dtype': d}
        yield [serialized(sparse_of(m, d, 2, (4,)), sparse_of(m, d, 2, (1, 9)))], {'dtype': d}
    yield [serialized(sparse_of(m, F, 3, (4, 2)))], {'dtype': D}
    yield [serialized(sparse_of(m, F, 3, (4, 2)), sparse_of(m, L, 3, (4, 2)))], {'dtype': F}
    yield [np.empty((0, 3), object)], {'dtype': F}
    yield [arr(S, [b'', b'', b'']).reshape(1, 3)], {'dtype': F}
    yield [arr(S, [b'words', b'', b'']).reshape(1, 3)], {'dtype': F}
    yield [serialized([rows([0, 1]), m(F, (2,)), long(3, 4)])], {'dtype': F}
    yield [serialized([rows([0, 1]), m(F, (1,)), long(3, 4, 5)])], {'dtype': F}
    yield [serialized([long(0, 1), m(F, (2,)), long(3)])], {'dtype': F}


def deserialize(m):
    for d in (F, L, S):
        yield [serialized(sparse_of(m, d, 3, (3, 4)))[0]], {'dtype': d}
        yield [serialized(sparse_of(m, d, 3, (4,)))[0]], {'dtype': d}
        yield [serialized(*[sparse_of(m, d, 3, (3, 4)) for _ in range(4)]).reshape(2, 2, 3)], {'dtype': d}
        yield [serialized(*[sparse_of(m, d, 3, (2,)) for _ in range(2)]).reshape(1, 2, 3)], {'dtype': d}
    yield from many(m)
    yield [arr(S, [b'a', b'b'])], {'dtype': F}
    yield [np.array(b'a', object)], {'dtype': F}


# ---- crosses ----

KEYS = (1, 956888297470, 0xDECAFCAFFE)


def columns(m, rows_, kinds, least=0):
    """Returns the four inputs for sparse and dense features with this number of rows."""
    indices, values, shapes, dense = [], [], [], []
    for kind, is_dense in kinds:
        if is_dense:
            dense.append(m(kind, (rows_, m.r.randint(least, 3))))
            continue
        at = [[r, k] for r in range(rows_) for k in range(m.r.randint(least, 4))]
        indices.append(rows(*at))
        values.append(m(kind, (len(at),)))
        shapes.append(long(rows_, 3))
    return [indices, values, shapes, dense]


MIXES = (((S, False), (S, True)), ((S, False), (S, False)), ((S, False),), ((S, True), (S, True)), ((S, False), (S, True), (S, False)), ())
NUMBERS = (((L, False), (S, True)), ((L, False), (L, True)), ((S, False), (L, False)))


def bad_columns(m):
    good = columns(m, 2, MIXES[0], 1)
    yield [[rows([0, 0, 0], rank=3)], [m(S, (1,))], [long(2, 2)], good[3]]
    yield [[rows([0, 0])], [m(S, (2,))], [long(2, 2)], good[3]]
    yield [[rows([0, 0])], [m(S, (1,))], [long(2, 2, 2)], good[3]]
    yield [[rows([0, 0])], [m(S, (1,))], [long(3, 2)], good[3]]
    yield [[long(0, 0)], [m(S, (1,))], [long(2, 2)], good[3]]
    yield [[rows([0, 0])], [m(S, (1, 1))], [long(2, 2)], good[3]]
    yield [good[0], good[1], good[2], [m(S, (2,))]]
    yield [[rows([1, 0], [0, 0], [1, 1])], [m(S, (3,))], [long(2, 2)], good[3]]
    yield [[rows([0, 0], [5, 0], [1, 1])], [m(S, (3,))], [long(2, 2)], good[3]]


def cross(m):
    number, text = {'out_type': L, 'internal_type': L}, {'out_type': S, 'internal_type': S}
    for mix in MIXES:
        for rows_ in (1, 3):
            yield columns(m, rows_, mix), dict(text, hashed_output=False, num_buckets=0, hash_key=1)
            for buckets in (0, 100):
                key = KEYS[m.r.randint(3)]
                yield columns(m, rows_, mix), dict(number, hashed_output=True, num_buckets=buckets, hash_key=key)
    for mix in NUMBERS:
        yield columns(m, 2, mix, 1), dict(number, hashed_output=True, num_buckets=0, hash_key=7)
        yield columns(m, 2, mix, 1), dict(text, hashed_output=False, num_buckets=0, hash_key=7)
    for bad in bad_columns(m):
        yield bad, dict(text, hashed_output=False, num_buckets=0, hash_key=1)


def cross_text(m):
    for mix in MIXES + NUMBERS:
        for rows_ in (1, 2, 3):
            yield columns(m, rows_, mix) + [arr(S, [(b'-', b'_X_', b'')[m.r.randint(3)]])[0:1].reshape(())], {}
    for bad in bad_columns(m):
        yield bad + [np.array(b'-', object)], {}
    yield columns(m, 2, MIXES[0], 1) + [arr(S, [b'-'])], {}


def cross_hashed(m):
    sparse_numbers = (((L, False), (S, True)), ((S, False), (L, False)))  # TensorFlow reads dense ones as strings
    for strong in (False, True):
        for mix in MIXES + sparse_numbers:
            for buckets in (0, 50):
                yield columns(m, 2, mix, 1 if mix in sparse_numbers else 0) + [scalar(buckets, L), np.array(strong), long(3, 2**40 + 1)], {}
    good = columns(m, 2, MIXES[0], 1)
    yield good + [scalar(-3, L), np.array(False), long(1, 2)], {}
    yield good + [scalar(3, L), np.array(True), long(1)], {}
    yield good + [long(3), np.array(True), long(1, 2)], {}
    for bad in bad_columns(m):
        yield bad + [scalar(0, L), np.array(False), long(1, 2)], {}


def counted(cases):
    """Adds the attributes that assign inputs to lists."""
    kind = lambda value: S if value.dtype == object else L

    def rows_(m):
        for inputs, attrs in cases(m):
            yield inputs, dict(attrs, N=len(inputs[0]), sparse_types=[kind(v) for v in inputs[1]], dense_types=[kind(v) for v in inputs[3]])
    return rows_


CROSSES = {'SerializeSparse': serialize, 'SerializeManySparse': serialize, 'DeserializeSparse': deserialize,
           'DeserializeManySparse': many,
           'SparseCross': counted(cross), 'SparseCrossV2': counted(cross_text), 'SparseCrossHashed': counted(cross_hashed)}
