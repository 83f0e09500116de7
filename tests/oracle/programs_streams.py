"""Programs with generators whose state is a variable."""
import numpy as np

from cases import D, F, I, L
from program import Program
from programs_train import read, variable
from tensor_text import DTYPES

STATES = ([5, 7, 9], [-1, -1, -3], [2**62, 0, 1, 4])


def drawn(op, types, bounds=False):
    """Runs the op twice on a generator, and reads its state."""
    def programs(m):
        for d in types:
            for state in STATES:
                for shape in ((3,), (2, 5), (0,), ()):
                    yield one(op, np.array(state, np.int64), L, 1, shape, d, bounds)
        for state, held, algorithm in (([1, 2], L, 1), ([1, 2, 3], I, 1), ([[1, 2, 3]], L, 1), ([1, 2, 3], L, 2), ([1, 2, 3], L, 3), ([1, 2, 3], L, 9)):
            yield one(op, np.array(state, DTYPES[held]), held, algorithm, (2,), types[0], bounds)
        yield one(op, np.array([1, 2, 3], np.int64), L, [1], (2,), types[0], bounds)
        if bounds:
            yield one(op, np.array([1, 2, 3], np.int64), L, 1, (2,), types[0], bounds, 5, 5)
    return programs


def one(op, state, held, algorithm, shape, dtype, bounds, low=-3, high=1000):
    p = Program()
    v = variable(p, state, held, False)
    more = [np.array(b, DTYPES[dtype]) for b in (low, high)] if bounds else []
    node = p.add(op, v, np.array(algorithm, np.int64), np.array(shape, np.int32), *more, **({} if bounds else {'dtype': dtype}))
    p.run(node)
    p.run(node)
    read(p, v, held, False)
    return p


def skipped(op):
    def programs(m):
        reads = op == 'RngReadAndSkip'
        types = (np.int32, np.uint64) if reads else (np.int64, np.int64)
        for state in STATES[:2] if reads else STATES:  # TensorFlow crashes if RngReadAndSkip reads more than three words
            for delta in (0, 1, 2, 3, 77, 2**40, 2**55, 2**62):
                for algorithm in (1, 3):
                    yield skip(op, np.array(state, np.int64), L, types[0](algorithm), types[1](delta))
        for state, held, algorithm in (([1, 2], L, 1), ([1, 2, 3], I, 1), ([[1, 2, 3]], L, 1), ([1, 2, 3], L, 2), ([1, 2, 3], L, 9)):
            yield skip(op, np.array(state, DTYPES[held]), held, types[0](algorithm), types[1](1))
    return programs


def skip(op, state, held, algorithm, delta):
    p = Program()
    v = variable(p, state, held, False)
    p.run(p.add(op, v, np.array(algorithm), np.array(delta)))
    read(p, v, held, False)
    return p


STREAM_PROGRAMS = {
    'StatefulUniform': drawn('StatefulUniform', (F, D, 'half', 'bfloat16')), 'StatefulStandardNormalV2': drawn('StatefulStandardNormalV2', (F, D)),
    'StatefulTruncatedNormal': drawn('StatefulTruncatedNormal', (F, D)), 'StatefulUniformInt': drawn('StatefulUniformInt', (L, I), True),
    'StatefulUniformFullInt': drawn('StatefulUniformFullInt', (L, I, 'uint32', 'uint64')), 'RngSkip': skipped('RngSkip'),
    'RngReadAndSkip': skipped('RngReadAndSkip'),
}
