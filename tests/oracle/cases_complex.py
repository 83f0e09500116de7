"""Oracle cases for complex numbers, Fourier transforms, stateless random numbers and resized images (see cases.py)."""
import numpy as np

from cases import D, DTYPES, F, FLOATS, I, L, PAIRS, SHAPES

C, Z = 'complex64', 'complex128'
PLANES = ((C, F), (Z, D))


def number(m, dtype, shape):
    real = F if dtype == C else D
    return (m(real, shape, -3, 3) + 1j * m(real, shape, -3, 3)).astype(DTYPES[dtype])


def parts(m, out=True):
    for dtype, real in PLANES:
        for shape in SHAPES:
            yield [number(m, dtype, shape)], {'Tout': real} if out else {}


def join(m):
    for dtype, real in PLANES:
        for a, b in PAIRS:
            yield [m(real, a), m(real, b)], {'Tout': dtype}


def transposed(m):
    for dtype in (C, Z):
        for shape, perm in [((2, 3), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((3,), [0]), ((2, 3), [0, 1]), ((0, 2), [1, 0])]:
            yield [number(m, dtype, shape), np.array(perm, np.int32)], {}
    yield [m(F, (2, 3)), np.array([1, 0], np.int32)], {}
    yield [number(m, C, (2, 3)), np.array([0, 0], np.int32)], {}


BOXES = {1: [(1,), (2,), (8,), (7,), (3, 5), (2, 3, 12), (37,), (0,), (2, 0)],
         2: [(1, 1), (2, 3), (2, 4, 4), (5, 7), (0, 2)], 3: [(1, 2, 3), (2, 2, 3, 4), (0, 1, 2)]}


def fft(m, rank):
    for dtype in (C, Z):
        for shape in BOXES[rank]:
            yield [number(m, dtype, shape)], {}
    yield [number(m, C, (2,) * (rank - 1))], {}


def lengths(shape, rank, change=0):
    return np.array([max(0, n + change) for n in shape[-rank:]], np.int32)


def rfft(m, rank):
    for dtype, real in PLANES:
        for shape in BOXES[rank]:
            if 0 not in shape:
                for change in (0, -1):
                    if all(n + change > 0 for n in shape[-rank:]) and shape[-1] + change > 1:
                        yield [m(real, shape), lengths(shape, rank, change)], {'Tcomplex': dtype}
    yield [m(F, BOXES[rank][1]), np.array([9] * rank, np.int32)], {'Tcomplex': C}
    yield [m(F, BOXES[rank][1]), np.array([1] * (rank + 1), np.int32)], {'Tcomplex': C}


def irfft(m, rank):
    for dtype, real in PLANES:
        for shape in BOXES[rank]:
            if 0 not in shape:
                for odd in (0, 1):
                    n = lengths(shape, rank)
                    n[-1] = 2 * (shape[-1] - 1) + odd
                    if n[-1] > 0:
                        yield [number(m, dtype, shape), n], {'Treal': real}
    yield [number(m, C, BOXES[rank][1]), np.array([9] * rank, np.int32)], {'Treal': F}


def shape_of(*dims):
    return np.array(dims, np.int32)


def seeded(m, kind=None):
    types = (I, L) if kind == 'int' else ('half', 'bfloat16', F, D)
    for dtype in types:
        for shape in [(3,), (2, 5), (0,), ()]:
            for seed in ([1, 2], [-5, 2**40]):
                bounds = [np.array(b, DTYPES[dtype]) for b in (-3, 1000)] if kind == 'int' else []
                yield [shape_of(*shape), np.array(seed, np.int64)] + bounds, {} if kind == 'int' else {'dtype': dtype}
    yield [shape_of(2), np.array([1], np.int64)] + [np.array(b, np.int32) for b in ((0, 4) if kind == 'int' else ())], \
        {} if kind == 'int' else {'dtype': F}


def keyed(m, kind=None):
    types = (I, L) if kind == 'int' else (I, L, 'uint32', 'uint64') if kind else ('half', 'bfloat16', F, D)
    for dtype in types:
        for shape in [(3,), (2, 5), (0,)]:
            bounds = [np.array(b, DTYPES[dtype]) for b in (3, 1000)] if kind == 'int' else []
            yield [shape_of(*shape), np.array([12345678901], np.uint64), np.array([5, 2**63], np.uint64),
                   np.array(1, np.int32)] + bounds, {} if kind == 'int' else {'dtype': dtype}


def keys(m):
    for seed in ([0, 0], [1, 2], [-5, 2**40]):
        yield [np.array(seed, np.int64)], {}
    yield [np.array([3, 4], np.int32)], {}
    yield [np.array([3], np.int32)], {}


def gamma(m):
    for dtype in ('half', F, D):
        for alpha in (.3, 1., 5., [.1, 20.]):
            yield [shape_of(4), np.array(alpha, DTYPES[dtype])], {'seed': 3, 'seed2': 7}, 2
    yield [shape_of(2, 2), np.zeros((0,), np.float32)], {'seed': 3, 'seed2': 7}


def poisson(m):
    for rate in (F, D, 'half', I, L):
        for out in (L, F, I, D, 'half'):
            yield [shape_of(5), np.array([1, 40], DTYPES[rate])], {'dtype': out, 'seed': 3, 'seed2': 7}, 2
    yield [shape_of(5), np.array([.5, 9.5, 10.5], np.float64)], {'dtype': L, 'seed': 1, 'seed2': 1}


SIZES = [((1, 2, 2, 1), (3, 4)), ((2, 5, 4, 3), (2, 3)), ((1, 3, 3, 2), (3, 3)), ((1, 1, 1, 1), (4, 1)), ((0, 2, 2, 1), (3, 3)),
         ((1, 7, 5, 1), (4, 9))]
MODES = [{}, {'align_corners': True}, {'half_pixel_centers': True}]


def resize(m, types):
    for dtype in types:
        for shape, size in SIZES:
            for mode in MODES:
                yield [m(dtype, shape) if dtype in DTYPES else None, shape_of(*size)], mode
    yield [m(F, (2, 2, 1)), shape_of(2, 2)], {}
    yield [m(F, (1, 2, 2, 1)), shape_of(0, 2)], {}
    yield [m(F, (1, 2, 2, 1)), shape_of(2)], {}
    yield [m(F, (1, 0, 2, 1)), shape_of(2, 2)], {}


def bilinear_grad(m):
    for dtype in (F,):
        for shape, size in SIZES:
            if 0 not in shape:
                for mode in MODES:
                    yield [m(F, (shape[0],) + size + shape[3:]), m(dtype, shape)], mode


def nearest_grad(m):
    for dtype in FLOATS:
        for shape, size in SIZES:
            if 0 not in shape:
                for mode in MODES:
                    yield [m(dtype, (shape[0],) + size + shape[3:]), shape_of(*shape[1:3])], mode


def suppress(m, version):
    def more(iou, score):
        return [np.array(v, np.float32) for v in (iou, score)][:version - 1]
    for n in (0, 1, 6, 20):
        for most in (0, 3, 30):
            for iou, score in ((.5, -1.), (.1, .3), (0., 0.)):
                corner = np.abs(m(F, (n, 2), 0, 3))
                boxes = np.concatenate([corner, corner + np.abs(m(F, (n, 2), 0, 4))], 1)
                yield [boxes, m(F, (n,), 0, 1), np.array(most, np.int32)] + more(iou, score), {}
    yield [m(F, (3, 3)), m(F, (3,)), np.array(1, np.int32)] + more(.5, 0), {}
    yield [m(F, (3, 4)), m(F, (2,)), np.array(1, np.int32)] + more(.5, 0), {}
    yield [m(F, (3, 4)), m(F, (3,)), np.array(-1, np.int32)] + more(.5, 0), {}
    if version > 1:
        yield [m(F, (3, 4)), m(F, (3,)), np.array(1, np.int32)] + more(1.5, 0), {}


COMPLEX = {
    'Complex': join, 'Real': parts, 'Imag': parts, 'Angle': parts, 'ComplexAbs': parts,
    'Conj': lambda m: parts(m, False), 'ConjugateTranspose': transposed,
    'FFT': lambda m: fft(m, 1), 'IFFT': lambda m: fft(m, 1), 'FFT2D': lambda m: fft(m, 2), 'IFFT2D': lambda m: fft(m, 2),
    'FFT3D': lambda m: fft(m, 3), 'IFFT3D': lambda m: fft(m, 3), 'RFFT': lambda m: rfft(m, 1), 'IRFFT': lambda m: irfft(m, 1),
    'RFFT2D': lambda m: rfft(m, 2), 'IRFFT2D': lambda m: irfft(m, 2), 'RFFT3D': lambda m: rfft(m, 3),
    'IRFFT3D': lambda m: irfft(m, 3),
    'StatelessRandomUniform': seeded, 'StatelessRandomNormal': seeded, 'StatelessTruncatedNormal': seeded,
    'StatelessRandomUniformInt': lambda m: seeded(m, 'int'), 'StatelessRandomUniformV2': keyed,
    'StatelessRandomNormalV2': keyed, 'StatelessTruncatedNormalV2': keyed,
    'StatelessRandomUniformIntV2': lambda m: keyed(m, 'int'), 'StatelessRandomUniformFullIntV2': lambda m: keyed(m, 'full'),
    'StatelessRandomGetKeyCounter': keys, 'StatelessRandomGetKeyCounterAlg': keys, 'RandomGamma': gamma,
    'RandomPoissonV2': poisson, 'ResizeBilinear': lambda m: resize(m, (F, D, I)),
    'ResizeNearestNeighbor': lambda m: resize(m, (F, D, I)), 'ResizeBilinearGrad': bilinear_grad,
    'ResizeNearestNeighborGrad': nearest_grad, 'NonMaxSuppression': lambda m: suppress(m, 1),
    'NonMaxSuppressionV2': lambda m: suppress(m, 2), 'NonMaxSuppressionV3': lambda m: suppress(m, 3),
}
