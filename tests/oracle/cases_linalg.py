"""Oracle cases for triangular factors, functions of matrices, tridiagonal matrices, and the first version of Reverse
(see cases.py)."""
import numpy as np

from cases import D, F

BATCHES = ((1, 1), (2, 2), (3, 3), (5, 5), (2, 3, 3), (2, 1, 2, 2), (0, 0), (0, 2, 2), (2, 0, 0), (9, 9))
COMPLEX = ('complex64', 'complex128')
NUMPY = {'complex64': np.complex64, 'complex128': np.complex128, F: np.float32, D: np.float64}


def matrix(m, d, shape, spread=3.):
    """Returns well-conditioned matrices with a dominant diagonal."""
    n = shape[-1]
    values = m.r.uniform(-1, 1, shape) + (1j * m.r.uniform(-1, 1, shape) if d in COMPLEX else 0)
    return (values + spread * np.eye(n) * (1 + np.arange(n) / 4)).round(3).astype(NUMPY[d])


def bad(m, d):
    yield np.asarray(m.r.uniform(-1, 1, (3,)), NUMPY[d])
    yield np.asarray(m.r.uniform(-1, 1, (2, 3)), NUMPY[d])
    yield np.asarray(m.r.uniform(-1, 1, ()), NUMPY[d])


def triangles(m):
    for d in (F, D) + COMPLEX:
        for shape in BATCHES:
            for kind in ('int32', 'int64'):
                yield [matrix(m, d, shape, 0. if m.r.rand() < .3 and shape[-1] > 1 else 3.)], {'output_idx_type': kind}
    yield [np.ones((3, 3), np.float32)], {}
    yield [np.zeros((2, 2), np.float32)], {}
    for value in bad(m, F):
        yield [value], {}


def roots(m):
    for d in (F, D) + COMPLEX:
        for shape in BATCHES:
            yield [matrix(m, d, shape, 4.)], {}
        yield [np.array([[np.nan, 1], [0, 1]], NUMPY[d])], {}
    for value in bad(m, F):
        yield [value], {}
    yield [np.array([[-1, 0], [0, 4]], np.float32)], {}
    yield [np.array([[0, -4], [4, 0]], np.float32)], {}


def logarithms(m):
    for d in COMPLEX:
        for spread in (2., 4., 40.):
            for shape in BATCHES[:9]:
                yield [matrix(m, d, shape, spread)], {}
        yield [np.array([[np.nan, 1], [0, 1]], NUMPY[d])], {}
        for value in bad(m, d):
            yield [value], {}


SIZES = ((1, 1), (2, 1), (3, 2), (7, 3), (0, 2), (3, 0))


def some(m, d, shape):
    values = m.r.uniform(-2, 2, shape) + (1j * m.r.uniform(-2, 2, shape) if d in COMPLEX else 0)
    return values.round(3).astype(NUMPY[d])


def equations(m):
    for d in (F, D) + COMPLEX:
        for n, k in SIZES:
            for batch in ((), (2,), (2, 1)):
                a = some(m, d, batch + (3, n))
                heavy = m.r.rand() < .5
                a[..., 1, :] += NUMPY[d](7 if heavy else 0)
                yield [a, some(m, d, batch + (n, k))], {'partial_pivoting': not heavy or bool(m.r.randint(2))}
    for a in ([[1, 1, 9], [0, 0, 0], [9, 0, 1]], [[1, 1, 9], [1, 1, 0], [9, 1, 1]], [[0], [0], [0]]):
        for pivots in (True, False):
            a = np.array(a, np.float32)
            yield [a, some(m, F, (a.shape[1], 2))], {'partial_pivoting': pivots}
    for a, rhs in (((2, 3), (3, 1)), ((3, 3), (2, 1)), ((3,), (3, 1)), ((3, 3), (3,)), ((2, 3, 3), (3, 3, 1)), ((1, 3, 3), (3, 1))):
        yield [some(m, F, a), some(m, F, rhs)], {}


def products(m):
    for d in (F, D) + COMPLEX:
        for n, k in SIZES:
            for batch in ((), (2,), (2, 1)):
                yield [some(m, d, batch + (1, n)) for _ in range(3)] + [some(m, d, batch + (n, k))], {}
    good = [(1, 3)] * 3 + [(3, 2)]
    for i, shape in ((0, (1, 2)), (1, (2, 3)), (2, (3,)), (3, (2, 2)), (3, (3,)), (0, (2, 1, 3)), (3, (1, 3, 2))):
        yield [some(m, F, shape if k == i else s) for k, s in enumerate(good)], {}
    yield [some(m, F, (2, 3)) for _ in range(3)] + [some(m, F, (3, 2))], {}


def reversed_by_flags(m):
    for d in (F, D, 'int32', 'int64', 'bool', 'string'):
        for shape in ((), (3,), (2, 3), (2, 0, 3), (2, 1, 3, 2)):
            for _ in range(2):
                yield [m(d, shape), m('bool', (len(shape),))], {}
    for shape, flags in (((2, 3), (1,)), ((3,), (2,)), ((), (1,)), ((2, 2), (2, 1)), ((2,), ())):
        yield [m(F, shape), m('bool', flags)], {}


LINALG = {'Reverse': reversed_by_flags,
          'Lu': triangles, 'MatrixSquareRoot': roots, 'MatrixLogarithm': logarithms,
          'TridiagonalSolve': equations, 'TridiagonalMatMul': products}
