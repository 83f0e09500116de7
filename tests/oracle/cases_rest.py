"""Oracle cases for the ops that the other files leave out: mathematics, blocks, samplers, summaries (see cases.py)."""
import numpy as np

from cases import ALL, B, D, F, FLOATS, I, INTS, L, NUMBERS, S, SHAPES, SPECIAL, arr, binary, int_division, ints, like_pair, unary
from cases_array import scalar
from cases_image import batch_norm, batch_norm_grad, in_top_k, max_pool, max_pool_grad, top_k
from cases_more import ALIGNS, BATCHES, bits, diag3, diag_part, segment, set_diag, sparse_segment, square, unsorted
from tensor_text import DTYPES


def as_string(m):
    for d in NUMBERS + (B,):
        for shape in ((), (3,), (2, 0)):
            yield [m(d, shape)], {}
        yield [arr(d, SPECIAL[d])], {}
    for attrs in ({}, {'width': 6}, {'width': 6, 'fill': '-', 'precision': 2}, {'precision': 1}, {'shortest': True}):
        yield [np.array(['abc', 'é', ''], object)], attrs
        yield [np.array([1.1, -0.5, np.inf], np.float16)], attrs
    for attrs in ({'precision': 3}, {'precision': 0}, {'scientific': True}, {'shortest': True}, {'width': 8},
                  {'width': 8, 'fill': '0'}, {'width': 8, 'fill': '-'}, {'scientific': True, 'precision': 2},
                  {'shortest': True, 'scientific': True}, {'fill': 'xx'}):
        yield [m(F, (3,))], attrs
        yield [arr(D, [1 / 3, -2.5e10, 1e-7])], attrs
        yield [m(I, (3,))], attrs


def blocks(m, nd, back):
    shapes = [((1, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]), ((1, 3, 3, 1), [2, 2], [[0, 1], [1, 0]]), ((2, 4, 2, 3), [2, 2], [[0, 0], [2, 0]]),
              ((1, 2, 4), [2], [[0, 0]]), ((2, 5), [3], [[1, 0]]), ((1, 2, 2, 2, 1), [2, 1, 2], [[0, 0], [0, 0], [0, 0]]),
              ((2, 0, 2, 1), [2, 2], [[0, 0], [0, 0]]), ((1, 3, 3, 1), [2, 2], [[0, 0], [0, 0]]), ((1, 2, 2, 1), [0, 2], [[0, 0], [0, 0]]),
              ((1, 2, 2, 1), [2, 2], [[-1, 1], [0, 0]]), ((1, 2, 2, 1), [2, 2], [[0, 0]]), ((3,), [2], [[0, 0]]), ((2, 3), [], [])]
    for d in (F, I, S) if nd else (F, L, B):
        for index in (I, L):
            for shape, block, pads in shapes:
                if not nd and (len(set(block)) != 1 or len(shape) != 4):
                    continue
                if back and 0 not in block:
                    shape = (shape[0] * int(np.prod(block)),) + shape[1:]
                paddings = np.array(pads, DTYPES[index]).reshape(-1, 2)
                if nd:
                    yield [m(d, shape), np.array(block, DTYPES[index]), paddings], {}
                else:
                    yield [m(d, shape), paddings], {'block_size': block[0]}
                    yield [m(d, shape), paddings], {'block_size': 3}


def bucketize(m):
    for d in NUMBERS:
        for shape in SHAPES:
            yield [m(d, shape)], {'boundaries': [-5., 0., 3., 7.]}
        yield [arr(d, SPECIAL[d])], {'boundaries': [0.]}
        yield [m(d, (3,))], {'boundaries': []}
        yield [m(d, (3,))], {'boundaries': [3., 1.]}


def clip(m):
    for d in NUMBERS:
        for shape in SHAPES:
            yield [m(d, shape), scalar(-3, d), scalar(4, d)], {}
        yield [m(d, (2, 3)), m(d, (2, 3), -9, 0), m(d, (2, 3), 0, 9)], {}
        yield [m(d, (2, 3)), m(d, (2, 3), 0, 9), scalar(4, d)], {}
        yield [m(d, (2, 3)), scalar(-3, d), m(d, (3,))], {}
        yield [arr(d, SPECIAL[d]), scalar(-1, d), scalar(2, d)], {}
        yield [m(d, (3,)), scalar(5, d), scalar(-5, d)], {}


def hits(m):
    for num_true in (1, 2):
        for n in (0, 1, 5, 20):
            yield [m(L, (3, num_true), 0, 6), m(L, (n,), 0, 6)], {'num_true': num_true}
    yield [m(L, (3, 2), 0, 6), m(L, (3,), 0, 6)], {'num_true': 1}
    yield [m(L, (3,), 0, 6), m(L, (3,), 0, 6)], {'num_true': 1}


def cumulative(m):
    for d in NUMBERS:
        for shape, axis in (((3,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3, 4), -2), ((0,), 0), ((2, 0), 1), ((7,), -1), ((), 0),
                            ((3,), 1), ((3,), -2)):
            yield [m(d, shape, -3, 3), np.array(axis, np.int32)], {}
        for exclusive in (False, True):
            for reverse in (False, True):
                yield [m(d, (2, 5), -3, 3), np.array(1, np.int64)], {'exclusive': exclusive, 'reverse': reverse}
        yield [arr(d, SPECIAL[d][:5] + SPECIAL[d][5:9]), np.array(0, np.int32)], {'reverse': True}
    yield [m(F, (3,)), ints(0)], {}


def decode_raw(m):
    data = bytes(range(16))
    for kind in ('half', F, D, I, 'uint16', 'uint8', 'int16', 'int8', L, B, 'complex64'):
        for little in (True, False):
            yield [arr(S, [data if kind != B else b'\x00\x01\x01\x00'])], {'out_type': kind, 'little_endian': little}
        yield [arr(S, [data[:8] * 2, data])], {'out_type': kind} if kind != B else {'out_type': 'uint8'}
        yield [arr(S, [b''])], {'out_type': kind}
        yield [np.array(data[:8], object)], {'out_type': kind} if kind != B else {'out_type': 'uint8'}
    for bad in ([b'abc'], [b'abcd', b'abcdefgh'], []):
        yield [arr(S, bad)], {'out_type': I}


def diag(m):
    for d in NUMBERS:
        for shape in ((), (1,), (3,), (2, 3), (0,), (2, 1, 2)):
            yield [m(d, shape)], {}


def diag_part_tensor(m):
    for d in NUMBERS:
        for shape in ((3, 3), (1, 1), (2, 3, 2, 3), (0, 0), (2, 3), (3,), (2, 2, 2)):
            yield [m(d, shape)], {}


def ensure_shape(m):
    for d in ALL:
        for shape, want in (((2, 3), [2, 3]), ((2, 3), [-1, 3]), ((2, 3), [2, 2]), ((), []), ((3,), []), ((0,), [0])):
            yield [m(d, shape)], {'shape': want}


def gather1(m):
    for d in ALL:
        for shape, indices in (((7,), [0, 6, 3]), ((7,), 2), ((2, 3), [1, 0, 1]), ((2, 3), [[0, 1], [1, 1]]), ((3,), []), ((2, 0), [1])):
            yield [m(d, shape), np.array(indices, np.int32)], {}
    for shape, indices in (((7,), [7]), ((7,), [-1]), ((), [0]), ((0,), [0])):
        yield [m(F, shape), np.array(indices, np.int64)], {}


def gather_nd(m):
    for d in ALL:
        for shape, at in (((4,), [[1], [3]]), ((4, 2), [[1], [0]]), ((2, 3), [[1, 2], [0, 0]]), ((2, 2), np.zeros((0, 1))),
                          ((2, 2), np.zeros((3, 0))), ((2, 3, 2), [[[1, 0]], [[0, 2]]]), ((3,), [1])):
            yield [m(d, shape), np.array(at, np.int32)], {}
    for shape, at in (((3,), [[3]]), ((3,), [[-1]]), ((3,), [[0, 0]]), ((0,), [[0]]), ((3,), 0)):
        yield [m(F, shape), np.array(at, np.int64)], {}


def identity_n(m):
    for d in ALL:
        for shape in ((), (2, 0), (2, 3)):
            yield [[m(d, shape)]], {}
            yield [[m(d, shape), m(F, (2,)), m(I, ())]], {}


def in_top_k1(m):
    for (predictions, targets, k), _ in in_top_k(m):
        yield [predictions, targets], {'k': int(k)}


def top_k1(m):
    for (x, k), _ in top_k(m):
        if k.ndim == 0:
            yield [x], {'k': int(k)}


def list_diff(m):
    for d in ALL:
        for out in (I, L):
            for n, k in ((5, 3), (0, 2), (4, 0), (9, 9)):
                yield [m(d, (n,), -3, 3), m(d, (k,), -3, 3)], {'out_idx': out}
    yield [m(I, (2, 2)), m(I, (2,))], {}


def sampler(m):
    for unique in (True, False):
        for seed in (1, 7, 87654321):
            for num_true, sampled, most in ((1, 4, 10), (2, 5, 100), (1, 3, 5), (1, 10, 10)):
                yield [m(L, (2, num_true), 0, most)], {'num_true': num_true, 'num_sampled': sampled, 'unique': unique,
                                                     'range_max': most, 'seed': seed, 'seed2': 3}, 2
    for outside in (-1, 5):
        yield [np.array([[outside]], np.int64)], {'num_true': 1, 'num_sampled': 3, 'unique': True, 'range_max': 5, 'seed': 1}
    yield [m(L, (2, 1), 0, 5)], {'num_true': 1, 'num_sampled': 6, 'unique': True, 'range_max': 5, 'seed': 1}
    yield [m(L, (2, 2), 0, 5)], {'num_true': 1, 'num_sampled': 2, 'unique': True, 'range_max': 5, 'seed': 1}


def band(m):
    for d in (F, I, B):
        for shape in ((3, 3), (2, 4), (4, 2), (2, 3, 3), (0, 3)):
            for lower, upper in ((0, 0), (-1, 0), (0, -1), (1, 2)):
                yield [m(d, shape), scalar(lower, L), scalar(upper, L)], {}
    for lower, upper in ((4, 0), (0, 4), (-2, 0)):
        yield [m(F, (3, 3)), scalar(lower, I), scalar(upper, I)], {}
    yield [m(F, (3,)), scalar(0, L), scalar(0, L)], {}
    yield [m(F, (3, 3)), ints(0, dtype=L), scalar(0, L)], {}


def version2(cases):
    """The V3 cases without the attribute."""
    def of(m):
        for inputs, attrs in cases(m):
            if attrs.get('align', ALIGNS[2]) == ALIGNS[2]:
                yield inputs, {}
    return of


def pool_v2(cases):
    """Windows and strides as inputs."""
    def of(m):
        for inputs, attrs in cases(m):
            if attrs['padding'] != 'EXPLICIT':
                more = {k: v for k, v in attrs.items() if k in ('padding', 'data_format')}
                yield inputs + [ints(*attrs['ksize']), ints(*attrs['strides'])], more
    return of


def multinomial(m):
    for d in FLOATS:
        for shape, n in (((1, 3), 5), ((2, 4), 3), ((0, 3), 2), ((2, 3), 0), ((3, 1), 4)):
            for seed in (1, 9):
                for out in (I, L):
                    yield [m(d, shape, -2, 2), np.array(n, np.int32)], {'seed': seed, 'seed2': 5, 'output_dtype': out}, 2
    for shape, n in (((3,), 2), ((2, 0), 1), ((1, 2), -1)):
        yield [m(F, shape), np.array(n, np.int32)], {'seed': 1}
    yield [np.array([[np.nan, 1, 2], [-np.inf, 0, -np.inf], [np.inf, 1, 2]], np.float32), np.array(4, np.int32)], {'seed': 1, 'seed2': 2}


def parallel_stitch(m):
    for d in ALL:
        yield [[ints(0, 2), ints(1, 3)], [m(d, (2,)), m(d, (2,))]], {}
        yield [[scalar(1), np.array([[0, 3], [2, 4]], np.int32)], [m(d, (3,)), m(d, (2, 2, 3))]], {}
        yield [[np.array([], np.int32)], [m(d, (0, 2))]], {}
    yield [[ints(-1)], [m(F, (1,))]], {}
    yield [[ints(0, 1)], [m(F, (3,))]], {}
    yield [[ints(0), ints(1)], [m(F, (1, 2)), m(F, (1, 3))]], {}


def reverse(m):
    for d in ALL:
        for shape, axes in (((3,), [0]), ((2, 3), [1]), ((2, 3), [0, -1]), ((2, 3, 4), [1]), ((2, 0), [0]), ((), []), ((3,), [])):
            yield [m(d, shape), ints(*axes)], {}
    for shape, axes in (((3,), [1]), ((3,), [-2]), ((2, 3), [0, 0]), ((2, 3), [0, -2])):
        yield [m(F, shape), ints(*axes, dtype=L)], {}
    yield [m(F, (3,)), scalar(0)], {}


def scatter_nd(m):
    for d in NUMBERS + (B, S):
        for shape, at, u in (((4,), [[1], [3]], (2,)), ((4, 2), [[1], [0]], (2, 2)), ((2, 3), [[1, 2], [0, 0]], (2,)),
                             ((3,), [[1], [1]], (2,)), ((2, 2), np.zeros((0, 1)), (0, 2))):
            if d in (B, S) and u == (2,) and shape == (3,):
                continue
            yield [np.array(at, np.int32), m(d, u), ints(*shape)], {}
    for shape, at, u in (((3,), [[3]], (1,)), ((3,), [[-1]], (1,)), ((3,), [[1]], (2,)), ((-3,), [[1]], (1,)), ((0,), [[0]], (1,))):
        yield [np.array(at, np.int64), m(F, u), ints(*shape, dtype=L)], {}


def eigenvalues(m):
    for row, _ in square(m, symmetric=True, singular=False):
        yield row, {'compute_v': False}


def singular_values(m):
    for d in FLOATS:
        for shape in ((3, 3), (2, 4), (4, 2), (2, 3, 3), (1, 1), (0, 3), (2, 2, 3, 2)):
            for full in (False, True):
                yield [m(d, shape)], {'compute_uv': False, 'full_matrices': full}
        yield [m(d, (3,))], {'compute_uv': False}


def split_v(m):
    for d in ALL:
        for shape, sizes, axis in (((5,), [2, 3], 0), ((5,), [2, -1, 1], 0), ((2, 6), [1, 0, 5], 1), ((2, 6), [6], -1), ((0, 2), [0, 0], 0),
                                   ((2, 3, 4), [1, 2], 1)):
            yield [m(d, shape), np.array(sizes, np.int64), scalar(axis)], {'num_split': len(sizes)}
    for shape, sizes, axis in (((5,), [2, 2], 0), ((5,), [-1, -1], 0), ((5,), [6, -1], 0), ((5,), [5], 1), ((), [1], 0), ((5,), [-2, 7], 0)):
        yield [m(F, shape), np.array(sizes, np.int32), scalar(axis)], {'num_split': len(sizes)}
    yield [m(F, (5,)), ints(2, 3), scalar(0)], {'num_split': 3}


def string_join(m):
    for shape in SHAPES:
        for separator in ('', ', '):
            yield [[m(S, shape), m(S, shape)]], {'separator': separator}
            yield [[m(S, shape), m(S, ()), m(S, shape)]], {'separator': separator}
    yield [[m(S, (2,)), m(S, (3,))]], {}
    yield [[m(S, (2,))]], {}


def scalar_summary(m):
    for d in NUMBERS:
        for shape in ((), (1,), (3,), (2, 2), (0,)):
            yield [m(S, shape), m(d, shape)], {}
    yield [m(S, (2,)), m(F, (3,))], {}


def histogram(m):
    for d in NUMBERS:
        for shape in ((), (3,), (2, 0), (7,), (40,)):
            yield [scalar(b'h', S), m(d, shape)], {}
    for v in SPECIAL[F]:
        yield [scalar(b'h', S), np.array([v], np.float32)], {}
    yield [arr(S, [b'a', b'b']), m(F, (2,))], {}


def merge_summary(m):
    from tensor_text import decode
    import runner_tf
    def one(name):
        case = runner_tf.Case('ScalarSummary', [scalar(name, S), m(F, ())], {})
        return decode(runner_tf.run_values(case)['out'][0])
    for _ in range(12):
        yield [[one(b'a')]], {}
        yield [[one(b'a'), one(b'b')]], {}
        yield [[one(b'a'), np.array(b'', object), one(b'c')]], {}
    yield [[one(b'a'), one(b'a')]], {}
    yield [[np.array(b'\xff\xff', object)]], {}


def asserts(m):
    for value in (True, False):
        for d in ALL:
            yield [np.array(value), [m(d, (2,)), m(F, ())]], {}
        yield [np.array(value), [m(F, (9,))]], {'summarize': 3}
        yield [np.array(value), [m(F, (9,))]], {'summarize': -1}
    yield [np.array([True, True]), [m(F, (9,))]], {}


def scalar_of(value, d):
    return scalar(value, d)


def to_bool(m):
    for d in ALL:
        for shape in SHAPES:
            yield [m(d, shape, -1, 2)], {}
    for d in (F, D):
        for v in (0., -0., np.nan, 1e-30):
            yield [np.array(v, DTYPES[d])], {}
    for v in (b'', b'x'):
        yield [np.array(v, object)], {}


def anything(m):
    yield from unary(m, ALL)


def fingerprint(m):
    for dtype in ALL:
        for shape in ((3,), (1,), (2, 3), (2, 1), (1, 2, 1, 3)):
            yield [m(dtype, shape), np.array(b'farmhash64', object)], {}
    yield [m(F, ()), np.array(b'farmhash64', object)], {}
    yield [m(F, (2,)), np.array(b'siphash', object)], {}
    yield [m(F, (0, 2)), np.array(b'farmhash64', object)], {}


REST = {name: (lambda low, high: lambda m: unary(m, FLOATS, low, high, denormals=False))(low, high) for name, low, high in (
    ('Acos', -1, 1), ('Asin', -1, 1), ('Atan', -5, 5), ('Cosh', -5, 5), ('Sinh', -5, 5), ('Tan', -1.5, 1.5), ('Expm1', -5, 5))}
REST['Erf'] = lambda m: [*unary(m, FLOATS, -4, 4, denormals=False), *(([m(D, (5, 2), -1, 1)], {}) for _ in range(9))]
REST.update({name: lambda m: unary(m, FLOATS) for name in ('IsFinite', 'IsInf', 'IsNan', 'Rint')})
REST.update({name: lambda m: like_pair(m, FLOATS) for name in ('ReciprocalGrad', 'RsqrtGrad', 'SqrtGrad')})
REST.update({name: anything for name in ('GuaranteeConst', 'PreventGradient', 'Snapshot', 'NextIteration', 'Copy', 'CopyHost', 'DebugIdentityV2')})
REST.update({
    'Add': lambda m: binary(m, NUMBERS + (S,)), 'Mod': lambda m: int_division(m, NUMBERS),
    'TruncateDiv': lambda m: int_division(m, NUMBERS), 'TruncateMod': lambda m: int_division(m, NUMBERS),
    'PopulationCount': lambda m: unary(m, INTS), 'AsString': as_string,
    'BatchToSpace': lambda m: blocks(m, False, True), 'BatchToSpaceND': lambda m: blocks(m, True, True),
    'SpaceToBatch': lambda m: blocks(m, False, False), 'SpaceToBatchND': lambda m: blocks(m, True, False),
    'Bucketize': bucketize, 'ClipByValue': clip, 'ComputeAccidentalHits': hits, 'Cumsum': cumulative, 'Cumprod': cumulative,
    'DecodeRaw': decode_raw, 'Diag': diag, 'DiagPart': diag_part_tensor, 'EnsureShape': ensure_shape,
    'FusedBatchNormV2': batch_norm, 'FusedBatchNormGradV2': lambda m: batch_norm_grad(m, 2), 'Gather': gather1,
    'GatherNd': gather_nd, 'IdentityN': identity_n, 'InTopK': in_top_k1, 'TopK': top_k1, 'ListDiff': list_diff,
    'LogUniformCandidateSampler': sampler, 'UniformCandidateSampler': sampler, 'MatrixBandPart': band,
    'MatrixDiagV2': version2(diag3), 'MatrixDiagPartV2': version2(lambda m: diag_part(m, 3)),
    'MatrixSetDiagV2': version2(lambda m: set_diag(m, 3)), 'MaxPoolV2': pool_v2(max_pool),
    'MaxPoolGradV2': pool_v2(lambda m: max_pool_grad(m, False)), 'MaxPoolGradGradV2': pool_v2(lambda m: max_pool_grad(m, True)),
    'Multinomial': multinomial, 'ParallelDynamicStitch': parallel_stitch, 'ReverseV2': reverse, 'ScatterNd': scatter_nd,
    'SelfAdjointEigV2': eigenvalues, 'Svd': singular_values,
    'SparseSegmentSqrtNWithNumSegments': lambda m: sparse_segment(m, FLOATS, True), 'SplitV': split_v, 'StringJoin': string_join,
    'UnsortedSegmentSum': unsorted, 'ScalarSummary': scalar_summary, 'HistogramSummary': histogram, 'MergeSummary': merge_summary,
    'Assert': asserts, 'ToBool': to_bool, 'Fingerprint': fingerprint,
})
