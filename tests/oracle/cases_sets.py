"""Oracle cases for sets in the last dimension of tensors (see cases.py)."""
import numpy as np

from cases import I, L, S

TYPES = (I, L, S, 'int8', 'uint8', 'int16', 'uint16')
OPERATIONS = ('a-b', 'b-a', 'intersection', 'union', 'UNION', 'A-B')
GROUPS = [(1,), (3,), (2, 2), (0,), (2, 0, 1)]


def one_of(m, *values):
    return values[m.r.randint(len(values))]


def some(m, dtype, shape):
    return m(dtype, shape) if dtype == S else m(I, shape, 0, 6).astype({I: 'int32', L: 'int64'}.get(dtype, dtype))


def dense(m, dtype, groups, width=None):
    return some(m, dtype, groups + (int(m.r.randint(0, 5)) if width is None else width,))


def sparse(m, dtype, groups, width=5):
    """Returns ordered indices, values and the shape. Some sets are empty."""
    shape = groups + (width,)
    indices = np.argwhere(m.r.rand(*shape) < .4).astype(np.int64).reshape(-1, len(shape))
    return [indices, some(m, dtype, (len(indices),)), np.array(shape, np.int64)]


def attrs(m):
    return {'set_operation': one_of(m, *OPERATIONS)}


def dense_to_dense(m):
    for dtype in TYPES:
        for groups in GROUPS:
            yield [dense(m, dtype, groups), dense(m, dtype, groups)], {**attrs(m), 'validate_indices': bool(m.r.randint(2))}
    for a, b in (((2, 3), (3, 3)), ((2,), (2,)), ((2, 2, 3), (2, 3)), ((), ())):
        yield [some(m, I, a), some(m, I, b)], attrs(m)
    yield [some(m, I, (2, 3)), some(m, I, (2, 3))], {'set_operation': 'xor'}


def broken(m, operands):
    """Invalid sparse operands: unordered, with duplicates, out of bounds, or with mismatched lengths."""
    good = [[0, 1], [1, 0], [1, 2]]
    for indices, count, shape in (([[1, 0], [0, 1], [1, 2]], 3, (2, 5)), ([[0, 1], [0, 1], [1, 2]], 3, (2, 5)),
                                  ([[0, 1], [1, 0], [2, 0]], 3, (2, 5)), ([[0, 1], [1, 0], [1, 5]], 3, (2, 5)), (good, 2, (2, 5)),
                                  (good, 3, (2, 5, 1)), (good, 3, (3, 5)), (good, 3, (2, -5))):
        yield operands([np.array(indices, np.int64), some(m, I, (count,)), np.array(shape, np.int64)])
    yield operands([np.array([[0], [1]], np.int64), some(m, I, (2,)), np.array([2], np.int64)])


def dense_to_sparse(m):
    for dtype in TYPES:
        for groups in GROUPS:
            yield [dense(m, dtype, groups), *sparse(m, dtype, groups)], {**attrs(m), 'validate_indices': bool(m.r.randint(2))}
    for inputs in broken(m, lambda s: [some(m, I, (2, 2)), *s]):
        yield inputs, attrs(m)
    yield [some(m, I, (2,)), *sparse(m, I, (2,))], attrs(m)


def sparse_to_sparse(m):
    for dtype in TYPES:
        for groups in GROUPS:
            yield [*sparse(m, dtype, groups), *sparse(m, dtype, groups, 3)], {**attrs(m), 'validate_indices': bool(m.r.randint(2))}
    for inputs in broken(m, lambda s: [*sparse(m, I, (2,)), *s]):
        yield inputs, attrs(m)


def size(m):
    for dtype in TYPES:
        for groups in GROUPS:
            yield sparse(m, dtype, groups), {'validate_indices': bool(m.r.randint(2))}
    for inputs in broken(m, lambda s: s):
        yield inputs, {}
    yield [np.array([[0, 0], [1, 7]], np.int64), some(m, I, (2,)), np.array([2, 5], np.int64)], {'validate_indices': False}


SETS = {'DenseToDenseSetOperation': dense_to_dense, 'DenseToSparseSetOperation': dense_to_sparse,
        'SparseToSparseSetOperation': sparse_to_sparse, 'SetSize': size}
