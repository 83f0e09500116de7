"""Oracle cases for linear algebra, special functions, segments, and the remaining array ops (see cases.py)."""
import numpy as np

from cases import ALL, B, D, DTYPES, F, FLOATS, I, INTS, L, NUMBERS, S, SHAPES, SPECIAL, arr, binary, ints, reduction, unary
from cases_array import scalar

BATCHES = [(1, 1), (3, 3), (2, 2, 2), (2, 1, 3, 3), (0, 0), (0, 2, 2), (5, 5)]


def well(m, dtype, shape):
    """Returns well-conditioned square matrices."""
    return (m(dtype, shape, -1, 1) + 3 * np.eye(shape[-1], dtype=DTYPES[dtype])).astype(DTYPES[dtype])


def square(m, symmetric=False, singular=True, **attrs):
    for dtype in FLOATS:
        for shape in BATCHES:
            x = well(m, dtype, shape)
            if symmetric:
                x = ((x + np.swapaxes(x, -1, -2)) / 2).astype(DTYPES[dtype])
            yield [x], attrs
        if singular:
            yield [np.array([[1, 2], [2, 4]], DTYPES[dtype])], attrs
        yield [m(dtype, (2, 3))], attrs
        yield [m(dtype, (3,))], attrs


def inverse(m):
    yield from square(m)
    yield from square(m, adjoint=True)


def cholesky(m):
    yield from square(m, symmetric=True, singular=False)


def cholesky_grad(m):
    for dtype in FLOATS:
        for shape in BATCHES[:5]:
            yield [np.tril(well(m, dtype, shape)), m(dtype, shape)], {}


def qr(m):
    for dtype in FLOATS:
        for shape in [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)]:
            for full in (False, True):
                yield [m(dtype, shape)], {'full_matrices': full}
    yield [m(F, (3,))], {}


def solve(m, triangular=False):
    for dtype in FLOATS:
        for n, k, batch in [(1, 1, ()), (3, 2, ()), (2, 1, (2,)), (3, 3, (2, 1)), (0, 2, ()), (2, 0, ())]:
            for adjoint in (False, True):
                for lower in ((True, False) if triangular else (None,)):
                    a = {'adjoint': adjoint} if lower is None else {'adjoint': adjoint, 'lower': lower}
                    yield [well(m, dtype, batch + (n, n)), m(dtype, batch + (n, k))], a
        if triangular:
            yield [well(m, dtype, (2, 3, 3)), m(dtype, (3, 2))], {}
        if not triangular:
            yield [np.zeros((2, 2), DTYPES[dtype]), m(dtype, (2, 1))], {}
        yield [m(dtype, (2, 2)), m(dtype, (3, 1))], {}
    yield [m(F, (2, 3)), m(F, (2, 1))], {}


def solve_ls(m):
    for dtype in FLOATS:
        for shape, k in [((3, 3), 1), ((5, 2), 2), ((2, 4), 1), ((2, 4, 3), 2)]:
            for l2 in (0., .5):
                a = well(m, dtype, shape) if shape[-1] == shape[-2] else m(dtype, shape, -2, 2)
                yield [a, m(dtype, shape[:-1] + (k,)), np.array(l2)], {}
    yield [m(F, (2, 2)), m(F, (3, 1)), np.array(0.)], {}


def diag(m):
    for dtype in (F, I):
        for shape in [(1,), (3,), (2, 3), (2, 2, 2), (0,)]:
            yield [m(dtype, shape)], {}
    yield [m(F, ())], {}


DIAGONALS = [  # diagonal, k, rows, columns
    ((3,), 0, -1, -1), ((3,), 1, -1, -1), ((3,), -2, -1, -1), ((3,), 0, 3, 5), ((3,), 0, 5, 3), ((2, 3), 1, 3, 4),
    ((2, 3), [-1, 0], -1, -1), ((3, 3), [-1, 1], -1, -1), ((2, 2, 3), [0, 1], 3, 4), ((3,), 0, 2, -1), ((2, 3), [0, 2], -1, -1),
    ((3,), [1, 0], -1, -1), ((3, 2), [-2, 0], 4, 2)]
ALIGNS = ('RIGHT_LEFT', 'LEFT_RIGHT', 'LEFT_LEFT', 'RIGHT_RIGHT')


def diag3(m):
    for dtype in (F, I):
        for i, (shape, k, rows, columns) in enumerate(DIAGONALS):
            row = [m(dtype, shape), np.array(k, np.int32), np.array(rows, np.int32), np.array(columns, np.int32), scalar(7, dtype)]
            yield row, {'align': ALIGNS[i % 4]}
            yield row, {}


MATRICES = [((3, 3), 0), ((3, 4), 1), ((4, 3), -1), ((2, 3, 4), [-1, 1]), ((3, 3), [-2, 2]), ((2, 3), [0, 2]), ((3, 3), 5), ((3, 3), [1, 0]),
            ((3,), 0), ((0, 3), 0), ((4, 2), [-3, 0])]


def diag_part(m, version):
    for dtype in (F, D, I, L) if version == 1 else ():
        # one extent of 0 is enough to know that the tensor is empty
        for shape in ((0, 3), (3, 0), (2, 0, 3)):
            yield [m(dtype, shape)], {}
    for dtype in (F, I):
        for i, (shape, k) in enumerate(MATRICES):
            if version == 1:
                yield [m(dtype, shape)], {}
            else:
                for align in ALIGNS if isinstance(k, list) else ALIGNS[:1]:
                    yield [m(dtype, shape), np.array(k, np.int32), scalar(9, dtype)], {'align': align}


def set_diag(m, version):
    for dtype in (F, I):
        for shape, k in MATRICES:
            lower, upper = (k, k) if not isinstance(k, list) else k
            if len(shape) < 2 or lower > upper:
                continue
            n = max(min(shape[-2] + min(upper, 0), shape[-1] - max(lower, 0)), 0)
            if version == 1:
                yield [m(dtype, shape), m(dtype, shape[:-2] + (min(shape[-2:]),))], {}
                continue
            d = shape[:-2] + ((upper - lower + 1,) if upper != lower else ()) + (n,)
            for align in ALIGNS if isinstance(k, list) else ALIGNS[:1]:
                yield [m(dtype, shape), m(dtype, d), np.array(k, np.int32)], {'align': align}
    yield [m(F, (3, 3)), m(F, (2,))] + ([] if version == 1 else [np.array(0, np.int32)]), {}


def positive(m, a=.1, b=8, n=2):
    """Pairs of positive numbers."""
    for dtype in FLOATS:
        for shape in [(), (3,), (33,), (2, 3)]:
            yield [np.abs(m(dtype, shape, a, b)) for _ in range(n)], {}
        yield [np.abs(m(dtype, (2, 1), a, b)) for _ in range(n - 1)] + [np.abs(m(dtype, (2, 1) if n > 2 else (3,), a, b))], {}


def within(m, low, high, special):
    for dtype in FLOATS:
        for shape in SHAPES + [(33,)]:
            yield [m(dtype, shape, low, high)], {}
        yield [arr(dtype, special)], {}


def plain(m):
    for dtype in FLOATS:
        for shape in SHAPES + [(33,)]:
            yield [m(dtype, shape)], {}


def betainc(m):
    for dtype in FLOATS:
        for shape in [(), (3,), (33,)]:
            yield [m(dtype, shape, .2, 6), m(dtype, shape, .2, 6), m(dtype, shape, 0, 1)], {}
        yield [m(dtype, (), .2, 6), m(dtype, (3,), .2, 6), m(dtype, (), 0, 1)], {}
    yield [m(F, (2,)), m(F, (3,)), m(F, (3,))], {}


def polygamma(m):
    for dtype in FLOATS:
        for n in (0, 1, 2, 3):
            yield [scalar(n, dtype), m(dtype, (9,), .1, 12)], {}


def zeta(m):
    for dtype in FLOATS:
        yield [m(dtype, (9,), 1.1, 9), m(dtype, (9,), .2, 9)], {}
        yield [m(dtype, (3, 1), 1.1, 9), m(dtype, (4,), .2, 9)], {}


def bits(m, shift=False):
    for dtype in INTS:
        for a, b in [((3,), (3,)), ((2, 3), (3,)), ((), (4,)), ((0,), (1,)), ((2,), (3,))]:
            yield [m(dtype, a, -100, 100), m(dtype, b, 0, 8) if shift else m(dtype, b, -100, 100)], {}
        yield [arr(dtype, SPECIAL[dtype]), m(dtype, (len(SPECIAL[dtype]),), 0, 8)], {}


def segment(m, dtypes=NUMBERS):
    for dtype in dtypes:
        for ids, rest in [([0, 0, 1], ()), ([0, 0, 1], (2,)), ([0, 2, 2, 5], (3,)), ([1, 1], ()), ([], (2,)), ([0], (1, 2))]:
            yield [m(dtype, (len(ids),) + rest, -3, 4), np.array(ids, np.int32)], {}
        yield [m(dtype, (4,)), np.array([0, 1, 1, 3], np.int64)], {}
    yield [m(F, (3,)), ints(0, 2, 1)], {}
    yield [m(F, (3,)), ints(-1, 0, 1)], {}
    yield [m(F, (3,)), ints(0, 1)], {}
    yield [m(F, (3,)), np.array([[0, 1, 2]], np.int32)], {}


def unsorted(m):
    for dtype in NUMBERS:
        for shape, ids, n in [((4,), [0, 2, 0, 1], 3), ((4, 2), [1, -1, 1, 0], 4), ((0,), [], 2), ((2, 3), [[0, 1, 0], [2, 2, 1]], 3)]:
            yield [m(dtype, shape, -3, 4), np.array(ids, np.int32), np.array(n, np.int32)], {}
    yield [m(F, (3,)), ints(0, 1, 5), np.array(3, np.int32)], {}
    yield [m(F, (3,)), ints(0, 1), np.array(3, np.int32)], {}
    yield [m(F, (3,)), ints(0, 1, 1), np.array(-3, np.int32)], {}


def sparse_segment(m, dtypes, given=False):
    extra = [np.array(7, np.int32)] if given else []
    for dtype in dtypes:
        for shape, rows, ids in [((4,), [3, 0, 1], [0, 0, 1]), ((4, 2), [3, 0, 3, 1], [0, 1, 1, 3])]:
            yield [m(dtype, shape), np.array(rows, np.int32), np.array(ids, np.int32)] + extra, {}
    yield [m(F, (3,)), ints(5), ints(0)] + extra, {}
    yield [m(F, (3,)), ints(0, 1), ints(1, 0)] + extra, {}
    yield [m(F, (3,)), ints(0, 1), ints(1)] + extra, {}


def sparse_segment_grad(m):
    for dtype in FLOATS:
        for shape, rows, ids, n in [((2,), [3, 0, 1], [0, 0, 1], 4), ((3, 2), [1, 1, 0], [0, 2, 2], 2)]:
            yield [m(dtype, shape), np.array(rows, np.int32), np.array(ids, np.int32), np.array(n, np.int32)], {}


def unique(m, counts=False, v2=False):
    for dtype in ALL:
        for out in (I, L):
            for n in (0, 1, 9, 40):
                x = m(dtype, (n,), -3, 3)
                yield [x.round() if dtype in FLOATS else x] + ([np.array([0], np.int64)] if v2 else []), {'out_idx': out}
    if v2:
        yield [m(I, (4, 2), 0, 2), np.array([0], np.int64)], {}
        yield [m(I, (2, 5, 1), 0, 2), np.array([1], np.int64)], {}
        yield [m(I, (4,), 0, 2), np.array([], np.int64)], {}
        yield [m(I, (4, 2), 0, 2), np.array([3], np.int64)], {}
    else:
        yield [m(I, (2, 2))], {}


def partition(m):
    for dtype in ALL:
        for shape, ids, n in [((4,), [0, 2, 0, 1], 3), ((4, 2), [1, 1, 1, 0], 4), ((0,), [], 2), ((2, 3, 2), [[0, 1, 0], [2, 2, 1]], 3), ((3,), 1, 2)]:
            yield [m(dtype, shape), np.array(ids, np.int32)], {'num_partitions': n}
    yield [m(F, (3,)), ints(0, 1, 2)], {'num_partitions': 2}
    yield [m(F, (3,)), ints(0, 1)], {'num_partitions': 2}


def mirror(m, grad=False):
    for mode in ('REFLECT', 'SYMMETRIC'):
        for dtype in FLOATS + ((I,) if grad else (I, S)):
            for shape, pads in [((4,), [[1, 2]]), ((3, 4), [[2, 1], [0, 3]]), ((3, 2), [[0, 0], [1, 1]])]:
                given = tuple(s + sum(p) for s, p in zip(shape, pads)) if grad else shape
                yield [m(dtype, given), np.array(pads, np.int32)], {'mode': mode}
        if not grad:
            yield [m(F, (2,)), np.array([[3, 0]], np.int32)], {'mode': mode}
            yield [m(F, (2,)), np.array([[2, 0]], np.int32)], {'mode': mode}
            yield [m(F, (2,)), np.array([[-1, 0]], np.int32)], {'mode': mode}


def reverse_sequence(m):
    for dtype in (F, I, S):
        yield [m(dtype, (3, 5)), ints(0, 3, 5, dtype=L)], {'seq_dim': 1}
        yield [m(dtype, (4, 3, 2)), ints(4, 1, 2)], {'seq_dim': 0, 'batch_dim': 1}
        yield [m(dtype, (2, 3, 4)), ints(4, 2)], {'seq_dim': 2, 'batch_dim': 0}
    yield [m(F, (2, 3)), ints(4, 2)], {'seq_dim': 1}
    yield [m(F, (2, 3)), ints(1, 2)], {'seq_dim': 0}
    yield [m(F, (2, 3)), ints(1, 2, 3)], {'seq_dim': 1}


def roll(m):
    for dtype in (F, I, S):
        for shape, shift, axis in [((5,), 2, 0), ((2, 3), -1, 1), ((2, 3, 4), [1, -2], [0, 2]), ((3, 4), [1, 1], [1, 1]), ((0, 3), 1, 0)]:
            yield [m(dtype, shape), np.array(shift, np.int32), np.array(axis, np.int32)], {}
    yield [m(F, (3,)), ints(1), ints(0, 0)], {}
    yield [m(F, (3,)), np.array(1, np.int32), np.array(2, np.int32)], {}


def depth(m, shapes):
    for dtype in (F, I):
        for shape, block in shapes:
            yield [m(dtype, shape)], {'block_size': block}


def check_numerics(m):
    for dtype in FLOATS:
        for shape in SHAPES:
            yield [m(dtype, shape)], {'message': 'x'}
        yield [arr(dtype, [1, np.nan])], {'message': 'x'}
        yield [arr(dtype, [1, np.inf])], {'message': 'x'}


def bitcast(m):
    for a, b, shape in [(F, I, (3,)), (D, L, (2, 2)), (D, I, (3,)), (I, D, (3, 2)), (I, L, (3,)), (L, F, ()), (I, F, ())]:
        yield [m(a, shape)], {'type': b}


def unravel(m):
    for dtype in INTS:
        for i, dims in [([2, 5], [3, 3]), (7, [2, 2, 3]), ([], [4]), ([9], [3, 3]), ([1], [0, 3])]:
            yield [np.array(i, DTYPES[dtype]), np.array(dims, DTYPES[dtype])], {}


def bincount(m):
    for dtype in NUMBERS:
        yield [ints(1, 1, 5, 0, 3), np.array(4, np.int32), np.zeros(0, DTYPES[dtype])], {}
        yield [ints(1, 1, 5, 0, 3), np.array(6, np.int32), m(dtype, (5,))], {}
    yield [ints(1, -1), np.array(4, np.int32), np.zeros(0, np.int32)], {}
    yield [ints(1, 1), np.array(-4, np.int32), np.zeros(0, np.int32)], {}


def histogram(m):
    for dtype in NUMBERS:
        for n in (1, 3, 10):
            yield [m(dtype, (40,)), arr(dtype, [-5, 6]), np.array(n, np.int32)], {}
    yield [m(F, (4,)), arr(F, [5, 5]), np.array(3, np.int32)], {}
    yield [m(F, (4,)), arr(F, [0, 5]), np.array(0, np.int32)], {}


def bounds(m):
    for dtype in NUMBERS:
        yield [np.sort(m(dtype, (2, 5), -3, 4)), m(dtype, (2, 7), -4, 5)], {}
        yield [np.sort(m(dtype, (1, 0))), m(dtype, (1, 2))], {'out_type': L}
    yield [m(F, (3,)), m(F, (3,))], {}
    yield [m(F, (2, 3)), m(F, (3, 3))], {}


def nth(m):
    for dtype in NUMBERS:
        for shape, n in [((5,), 0), ((5,), 4), ((2, 3, 4), 2), ((4,), 4), ((4,), -1)]:
            for reverse in (False, True):
                yield [m(dtype, shape), np.array(n, np.int32)], {'reverse': reverse}


def cross(m):
    for dtype in NUMBERS:
        for shape in [(3,), (2, 3), (2, 2, 3), (0, 3)]:
            yield [m(dtype, shape), m(dtype, shape)], {}
    yield [m(F, (3,)), m(F, (2, 3))], {}


def tensor_scatter(m, dtypes=NUMBERS):
    for dtype in dtypes:
        for shape, at, u in [((4,), [[1], [3]], (2,)), ((4, 2), [[1], [0]], (2, 2)), ((2, 3), [[1, 2], [0, 0]], (2,)), ((3,), [[1]], (1,)),
                             ((2, 2), np.zeros((0, 1)), (0, 2))]:
            yield [m(dtype, shape), np.array(at, np.int32), m(dtype, u)], {}
    yield [m(F, (3,)), np.array([[3]], np.int32), m(F, (1,))], {}
    yield [m(F, (3,)), np.array([[1]], np.int32), m(F, (2,))], {}


MORE = {
    'MatrixInverse': inverse, 'MatrixDeterminant': square, 'LogMatrixDeterminant': lambda m: square(m, singular=False),
    'Cholesky': cholesky, 'CholeskyGrad': cholesky_grad, 'Qr': qr,
    'MatrixSolve': solve, 'MatrixTriangularSolve': lambda m: solve(m, True), 'MatrixSolveLs': solve_ls,
    'MatrixDiag': diag, 'MatrixDiagV3': diag3, 'MatrixDiagPart': lambda m: diag_part(m, 1),
    'MatrixDiagPartV3': lambda m: diag_part(m, 3), 'MatrixSetDiag': lambda m: set_diag(m, 1),
    'MatrixSetDiagV3': lambda m: set_diag(m, 3), 'Cross': cross,
    'Erfc': lambda m: unary(m, FLOATS, -5, 5, denormals=False), 'Erfinv': lambda m: unary(m, FLOATS, -1, 1, denormals=False),
    'Ndtri': lambda m: within(m, 0, 1, [0, 1, .5, 1e-10, 1e-30, np.nan, -1, 2]), 'Lgamma': lambda m: unary(m, FLOATS, .1, 20, denormals=False),
    'Digamma': lambda m: within(m, .1, 20, [1, .5, 1e-3, 1e6, np.nan, np.inf]), 'Asinh': lambda m: unary(m, FLOATS, denormals=False),
    'Acosh': lambda m: unary(m, FLOATS, 1, 20, denormals=False), 'Atanh': lambda m: unary(m, FLOATS, -1, 1, denormals=False),
    'BesselI0e': lambda m: unary(m, FLOATS, denormals=False), 'BesselI1e': plain, 'IgammaGradA': positive,
    'Atan2': lambda m: binary(m, FLOATS, special=False), 'Xdivy': lambda m: binary(m, FLOATS, special=False),
    'Xlogy': positive, 'Xlog1py': positive, 'DivNoNan': lambda m: binary(m, FLOATS), 'MulNoNan': lambda m: binary(m, FLOATS),
    'NextAfter': lambda m: binary(m, FLOATS), 'Igamma': positive, 'Igammac': positive, 'Betainc': betainc, 'Polygamma': polygamma,
    'Zeta': zeta, 'BitwiseAnd': bits, 'BitwiseOr': bits, 'BitwiseXor': bits, 'LeftShift': lambda m: bits(m, True),
    'RightShift': lambda m: bits(m, True), 'Invert': lambda m: unary(m, INTS),
    'EuclideanNorm': lambda m: reduction(m, FLOATS), 'SegmentSum': segment, 'SegmentMean': lambda m: segment(m, FLOATS),
    'SegmentProd': segment, 'SegmentMax': segment, 'SegmentMin': segment, 'UnsortedSegmentProd': unsorted,
    'UnsortedSegmentMax': unsorted, 'UnsortedSegmentMin': unsorted, 'SparseSegmentSum': lambda m: sparse_segment(m, NUMBERS),
    'SparseSegmentMean': lambda m: sparse_segment(m, FLOATS), 'SparseSegmentSqrtN': lambda m: sparse_segment(m, FLOATS),
    'SparseSegmentSumWithNumSegments': lambda m: sparse_segment(m, NUMBERS, True),
    'SparseSegmentMeanWithNumSegments': lambda m: sparse_segment(m, FLOATS, True),
    'SparseSegmentSumGrad': sparse_segment_grad, 'SparseSegmentMeanGrad': sparse_segment_grad,
    'SparseSegmentSqrtNGrad': sparse_segment_grad, 'Unique': unique, 'UniqueV2': lambda m: unique(m, v2=True),
    'UniqueWithCounts': lambda m: unique(m, True), 'UniqueWithCountsV2': lambda m: unique(m, True, True),
    'DynamicPartition': partition, 'MirrorPad': mirror, 'MirrorPadGrad': lambda m: mirror(m, True),
    'ReverseSequence': reverse_sequence, 'Roll': roll,
    'SpaceToDepth': lambda m: depth(m, [((1, 4, 4, 1), 2), ((2, 6, 3, 2), 3), ((1, 3, 4, 1), 2)]),
    'DepthToSpace': lambda m: depth(m, [((1, 2, 2, 4), 2), ((2, 1, 2, 18), 3), ((1, 2, 2, 6), 2)]),
    'CheckNumerics': check_numerics, 'Bitcast': bitcast, 'UnravelIndex': unravel, 'Bincount': bincount,
    'HistogramFixedWidth': histogram, 'LowerBound': bounds, 'UpperBound': bounds, 'NthElement': nth,
    'TensorScatterUpdate': lambda m: tensor_scatter(m, ALL), 'TensorScatterAdd': tensor_scatter, 'TensorScatterSub': tensor_scatter,
    'TensorScatterMax': tensor_scatter, 'TensorScatterMin': tensor_scatter,
    'ScatterNdNonAliasingAdd': tensor_scatter,
}
