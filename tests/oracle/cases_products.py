"""Oracle cases for einsum, counting, updates of slices, Bessel functions and random numbers (see cases.py)."""
import numpy as np

from cases import D, F, FLOATS, I, L, NUMBERS, S, arr, ints

C = 'complex64'


def scalar(value, dtype=I):
    return ints(value, dtype=dtype).reshape(())


EQUATIONS = [  # equation, shapes
    ('ij,jk->ik', (2, 3), (3, 4)), ('ij->ji', (2, 3)), ('ij->', (2, 3)), ('ij->i', (2, 3)), ('ij->j', (2, 3)), ('ii->i', (3, 3)),
    ('ii->', (3, 3)), ('i->ii', (3,)), ('iij->ji', (2, 2, 3)), ('i,i->', (4,), (4,)), ('i,j->ij', (2,), (3,)),
    ('i,j->ji', (2,), (3,)), ('bij,bjk->bik', (2, 3, 4), (2, 4, 2)), ('bij,bjk->ikb', (2, 3, 4), (2, 4, 2)),
    ('ij,j->i', (2, 3), (3,)), ('ij,ij->ij', (2, 3), (2, 3)), ('ij,ij->j', (2, 3), (2, 3)), ('ijk,kj->i', (2, 3, 4), (4, 3)),
    ('ij,kl->', (2, 3), (2, 2)), ('ij,kl->il', (2, 3), (2, 2)), ('iij,jk->ik', (2, 2, 3), (3, 4)), ('iji,kk->jk', (2, 3, 2), (3, 3)),
    ('...ij,...jk->...ik', (2, 1, 2, 3), (4, 3, 2)), ('...ij,jk->...ik', (2, 2, 3), (3, 2)), ('ij,...jk->i...k', (2, 3), (2, 3, 2)),
    ('...,...->...', (2, 1), (1, 3)), ('i...->...', (2, 3, 2)), ('...i->i...', (2, 3, 2)), ('i...,i->...', (3, 2, 2), (3,)),
    ('...ii->...i', (2, 3, 3)), ('a...b,b...c->...ca', (2, 3, 4), (4, 3, 2)), (',->', (), ()), ('->', ()), (',i->i', (), (3,)),
    ('ij,jk->ik', (0, 3), (3, 4)), ('ij,jk->ik', (2, 0), (0, 4)), ('ij->i', (2, 0)), ('i->ii', (0,)), ('abcd,ed->abce', (2, 1, 2, 3), (4, 3)),
    ('abcd,bced->ea', (2, 2, 3, 2), (2, 3, 4, 2)), ('...ij,...ij->...', (1, 2, 3), (2, 2, 3))]
BAD_EQUATIONS = [
    ('ij->iz', (2, 3)), ('ij', (2, 3)), ('ij->i->j', (2, 3)), ('ijk->i', (2, 3)), ('...ijk->i', (2, 3)), ('.ij->i', (2, 3)), ('...i->i', (2, 3)),
    ('ij,jk->ik', (2, 3), (4, 4)), ('ij,j->i', (2, 3), (1,)), ('ii->i', (2, 3)), ('...i,...i->...', (2, 3), (3, 3)), ('i,j,k->i', (2,), (3,)),
    ('ij,jk->ik', (2, 3))]


def einsum(m):
    for n, (equation, *shapes) in enumerate(EQUATIONS):
        for dtype in (F, D, I) if n % 3 == 0 else (F,) if n % 2 else (D, L):
            yield [[m(dtype, shape, -3, 3) for shape in shapes]], {'equation': equation}
    for equation, *shapes in BAD_EQUATIONS:
        yield [[m(F, shape) for shape in shapes]], {'equation': equation}


def dense_bincount(m):
    for dtype in NUMBERS:
        none = np.zeros((0,), m(dtype, (1,)).dtype)
        for binary in (False, True):
            a = {'binary_output': binary}
            yield [ints(0, 1, 1, 5), scalar(4), none], a
            yield [ints(0, 1, 1, 3), scalar(4), m(dtype, (4,))], a
            yield [ints(0, 1, 1, 3, dtype=L).reshape(2, 2), scalar(3, L), m(dtype, (2, 2))], a
            yield [ints(0, 1, 1, 3, 0, 2).reshape(2, 3), scalar(2), none], a
    none = np.zeros((0,), np.float32)
    yield [np.zeros((0,), np.int32), scalar(3), none], {}
    yield [np.zeros((2, 0), np.int32), scalar(3), none], {}
    yield [ints(1), scalar(0), none], {}
    yield [ints(0, -1), scalar(3), none], {}
    yield [ints(0, 1), scalar(-3), none], {}
    yield [ints(0, 1), ints(3), none], {}
    yield [ints(0, 1), scalar(3), m(F, (3,))], {}
    yield [ints(0, 1).reshape(1, 1, 2), scalar(3), none], {}


def slice_update(m):
    for dtype in (F, I, S, 'bool'):
        x = m(dtype, (3, 4))
        yield [x, ints(0, 1), ints(2, 3), ints(1, 1), m(dtype, (2, 2))], {}
        yield [x, ints(0, 1), ints(2, 3), ints(1, 1), m(dtype, ())], {}
        yield [x, ints(0), ints(3), ints(2), m(dtype, (4,))], {}
        yield [x, ints(2, 3), ints(-4, -5), ints(-1, -2), m(dtype, (3, 2))], {}
    x = m(F, (2, 3, 4))
    yield [x, ints(0, 1, dtype=L), ints(0, 2, dtype=L), ints(1, 1, dtype=L), m(F, (4,))], {'ellipsis_mask': 1}
    yield [x, ints(1, 0), ints(2, 2), ints(1, 1), m(F, (2, 4))], {'shrink_axis_mask': 1}
    yield [x, ints(0, 0, 0), ints(2, 0, 3), ints(1, 1, 1), m(F, (2, 1, 3, 4))], {'new_axis_mask': 2}
    yield [x, ints(0, 0), ints(0, 0), ints(1, 1), m(F, (1, 1, 4))], {'begin_mask': 3, 'end_mask': 3}
    yield [x, ints(1), ints(1), ints(1), m(F, (0, 3, 4))], {}
    yield [x, ints(0), ints(2), ints(1), m(F, (5,))], {}
    yield [x, ints(0), ints(2), ints(1), m(F, (1, 2, 3, 4))], {}
    yield [x, ints(0), ints(2), ints(0), m(F, (4,))], {}
    yield [x, ints(9), ints(10), ints(1), m(F, (3, 4))], {'shrink_axis_mask': 1}


def sparse_segment_grad_v2(m):
    for dtype in FLOATS:
        for tidx, tseg in ((I, I), (L, I), (I, L)):
            yield [m(dtype, (2, 3)), ints(4, 1, 4, dtype=tidx), ints(0, 0, 1, dtype=tseg), scalar(6)], {}
            yield [m(dtype, (3, 2, 2)), ints(0, 1, 0, 1, dtype=tidx), ints(0, 0, 2, 2, dtype=tseg), scalar(2)], {}
    for indices, ids, rows in (([4, 1, 7], [0, 0, 1], 6), ([4, 1, -1], [0, 0, 1], 6), ([4, 1, 1], [0, 0, 5], 6), ([4, 1], [0], 6)):
        yield [m(F, (2, 2)), ints(*indices), ints(*ids), scalar(rows)], {}
    yield [m(F, (2, 2)), ints(), ints(), scalar(6)], {}


def ragged_fill(m):
    for dtype in (F, I, S):
        for ids, rows in (([0, 2, 2], 4), ([1], 2), ([], 2), ([0, 1], 2), ([0, 2, 1], 4)):
            yield [ints(*ids, dtype=L), m(dtype, (len(ids),)), scalar(rows, L), m(dtype, ())], {}
    for ids, rows in (([0, 9], 4), ([-1], 4), ([0], -1), ([0], 0)):
        yield [ints(*ids, dtype=L), m(F, (len(ids),)), scalar(rows, L), m(F, ())], {}
    yield [ints(0, 1, dtype=L), m(F, (3,)), scalar(2, L), m(F, ())], {}
    yield [ints(0, dtype=L), m(F, (1,)), scalar(2, L), m(F, (1,))], {}


def ragged_fill_grad(m):
    for dtype in FLOATS:
        yield [ints(1, 0, 3, dtype=L), m(dtype, (5,))], {}
        yield [ints(dtype=L), m(dtype, (2,))], {}
        yield [ints(1, 5, dtype=L), m(dtype, (5,))], {}
        yield [ints(-1, dtype=L), m(dtype, (5,))], {}


def special(points, low, high):
    def cases(m):
        for dtype in FLOATS:
            for shape in ((), (0,), (7,), (2, 3)):
                yield [m(dtype, shape, low, high)], {}
            yield [arr(dtype, points)], {}
    return cases


NOT_POSITIVE = [np.nan, 0., -0., -1., 1e-3, .5, 1., 2., 10., 50.]
# the slopes at 0 are NaN or infinite, depending on the type
POSITIVE = [np.nan, 1e-3, .5, 1., 2., 10., 50.]
ANY = [np.nan, 0., 1e-3, -1e-3, .5, -.5, 1., -1., 2., -3., 10., -10., 30.]


def gamma_grad(m):
    for dtype in FLOATS:
        for a, b in (((3,), (3,)), ((), (4,)), ((2, 1), (1, 3)), ((0,), (1,))):
            yield [m(dtype, a, .2, 12), m(dtype, b, .05, 12)], {}
    yield [m(F, (2,), 1, 2), m(F, (3,), 1, 2)], {}


def multinomial(m):
    for dtype in FLOATS:
        for seed in (ints(1, 2), ints(-7, 0, dtype=L)):
            for out in (I, L):
                yield [m(dtype, (2, 3), -2, 2), scalar(8), seed], {'output_dtype': out}
    yield [m(F, (0, 3)), scalar(8), ints(1, 2)], {}
    yield [m(F, (2, 3)), scalar(0), ints(1, 2)], {}
    for bad in ([m(F, (3,)), scalar(8), ints(1, 2)], [m(F, (2, 0)), scalar(8), ints(1, 2)], [m(F, (2, 3)), scalar(-1), ints(1, 2)],
                [m(F, (2, 3)), ints(8), ints(1, 2)], [m(F, (2, 3)), scalar(8), ints(1, 2, 3)]):
        yield bad, {}


def truncated(m):
    one = {'seed': 3, 'seed2': 4}
    for dtype in FLOATS:
        def p(*values):
            return arr(dtype, list(values)) if len(values) > 1 else arr(dtype, list(values)).reshape(())
        yield [ints(7), p(0), p(1), p(-1), p(2)], one, 2
        yield [ints(3, 2), p(0), p(1), p(3), p(9)], one
        yield [ints(3, 2), p(0), p(1), p(.2), p(.4)], one
        yield [ints(3, 2), p(5), p(2), p(-np.inf), p(2)], one
        yield [ints(2, 5), p(0, 2), p(1), p(-1, 2.5), p(2, 9)], one
        yield [ints(150, dtype=L), p(0), p(1), p(-2), p(2)], one
        yield [ints(0), p(0), p(1), p(-1), p(2)], one
        for shape in ((4,), (2, 2), (1, 9)):
            low = float(m.r.uniform(-3, 1))
            yield [ints(*shape), p(float(m.r.uniform(-2, 2))), p(float(m.r.uniform(.1, 3))), p(low), p(low + float(m.r.uniform(.1, 6)))], one
        for bad in ([ints(5), p(0), p(1), p(1), p(-2)], [ints(5), p(0), p(0), p(-1), p(1)], [ints(2, 2), p(1, 2, 3), p(1), p(-1), p(1)],
                    [ints(5), p(0), p(1), p(-np.inf), p(np.inf)], [ints(-1), p(0), p(1), p(-1), p(1)]):
            yield bad, one


PRODUCTS = {
    'Einsum': einsum, 'DenseBincount': dense_bincount, 'TensorStridedSliceUpdate': slice_update,
    'SparseSegmentSumGradV2': sparse_segment_grad_v2, 'SparseSegmentMeanGradV2': sparse_segment_grad_v2,
    'SparseSegmentSqrtNGradV2': sparse_segment_grad_v2, 'RaggedFillEmptyRows': ragged_fill,
    'RaggedFillEmptyRowsGrad': ragged_fill_grad, 'RandomGammaGrad': gamma_grad, 'StatelessMultinomial': multinomial,
    'ParameterizedTruncatedNormal': truncated,
    'BesselI0': special(ANY, -8, 8), 'BesselI1': special(ANY, -8, 8), 'BesselJ0': special(ANY, -20, 20),
    'BesselJ1': special(ANY, -20, 20), 'BesselK0': special(NOT_POSITIVE, .01, 9), 'BesselK0e': special(NOT_POSITIVE, .01, 40),
    'BesselK1': special(NOT_POSITIVE, .1, 9), 'BesselK1e': special(NOT_POSITIVE, .1, 40), 'BesselY0': special(POSITIVE, .05, 20),
    'BesselY1': special(POSITIVE, .1, 20), 'Dawsn': special(ANY, -9, 9), 'Expint': special(NOT_POSITIVE, .02, 12),
    'FresnelCos': special(ANY, -6, 6), 'FresnelSin': special(ANY, -6, 6), 'Spence': special(NOT_POSITIVE, .01, 12),
}
