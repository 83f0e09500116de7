"""Inputs for random ops whose inputs give the place in a stream, and for checks of numbers."""
import numpy as np

from cases import D, F, FLOATS, I, L, arr
from tensor_text import DTYPES

WORDS = (I, L, 'uint32', 'uint64')
SEEDS = ([1, 2], [-5, 2**40], [0, 0])


def sizes(*dims):
    return np.array(dims, np.int32)


def full(m):
    for d in WORDS:
        for shape in ((3,), (2, 5), (0,), ()):
            for seed in SEEDS:
                yield [sizes(*shape), np.array(seed, np.int64)], {'dtype': d}
    yield [sizes(2), np.array([1], np.int64)], {'dtype': I}


SHAPES = (((), (5,)), ((2,), (3, 2)), ((2, 2), (3, 2, 2)), ((2,), (2,)), ((0,), (3, 0)), ((2,), (3,)), ((2, 1), (1,)))


def gamma(m, place):
    for d in ('half', F, D):
        for alphas in ((.3, 1, 5, 20), (.9, 1.1, 100, .01)):
            for shape, dims in SHAPES:
                yield [sizes(*dims)] + place(m) + [np.resize(np.array(alphas), shape).astype(DTYPES[d])], {}


def poisson(m):
    for d in ('half', F, D, I, L):
        for shape, dims in SHAPES:
            for out in (F, I, L):
                yield [sizes(*dims)] + seed(m) + [np.resize(np.array((3, 40, 9, 11)), shape).astype(DTYPES[d])], {'dtype': out}


def seed(m):
    return [np.array(SEEDS[m.r.randint(3)], np.int64)]


def key(m):
    return [np.array([m.r.randint(1, 99)], np.uint64), np.array([m.r.randint(99), 2**63], np.uint64), np.array(1, np.int32)]


def check_numerics(m):
    for d in FLOATS:
        for shape in ((), (3,), (0,), (2, 3), (2, 0, 3)):
            yield [m(d, shape)], {'message': 'x'}
        for bad in ([1, np.nan], [1, np.inf], [-np.inf, 1], [np.inf, -np.inf], [np.nan, np.inf], [np.nan, -np.inf], [np.nan, np.inf, -np.inf]):
            yield [arr(d, bad)], {'message': 'x'}


def nearly(m):
    for d in FLOATS:
        for shape in ((), (3,), (0,), (2, 3), (2, 0, 3)):
            x = m(d, shape)
            for apart in (0, 1e-6, 1e-4, .5):
                yield [x, (x + apart).astype(x.dtype)], {}
        x = arr(d, [1, 2, np.nan, np.inf, -np.inf])
        yield [x, x], {}
        for tolerance in (.5, 0., 1e9):
            yield [arr(d, [1, 2, 3]), arr(d, [1.5, 2.25, 4])], {'tolerance': tolerance}
        yield [m(d, (2,)), m(d, (2, 1))], {}
        yield [m(d, (2,)), m(d, ())], {}


STREAMS = {'CheckNumericsV2': check_numerics, 'ApproximateEqual': nearly,
           'StatelessRandomUniformFullInt': full, 'StatelessRandomGammaV2': lambda m: gamma(m, seed),
           'StatelessRandomGammaV3': lambda m: gamma(m, key), 'StatelessRandomPoisson': poisson}
