"""Oracle cases for the nn, state, random and training ops (see cases.py)."""
import numpy as np

from cases import ALL, B, D, DTYPES, F, FLOATS, I, INTS, L, NUMBERS, S, SPECIAL, SHAPES, arr, ints, unary
from cases_array import scalar
from tensor_text import Ref


def add_n(m):
    for dtype in NUMBERS:
        for shape in SHAPES:
            yield [[m(dtype, shape) for _ in range(1 + len(shape))]], {}
        yield [[m(dtype, (7,)) for _ in range(9)]], {}
    yield [[m(F, (2,)), m(F, (3,))]], {}
    yield [[m(F, (1,)), m(F, (3,))]], {}
    yield [[m(F, ()), m(F, (1,))]], {}


def bias_add(m):
    for dtype in NUMBERS:
        for shape in [(2, 3), (7, 3), (2, 2, 3), (1, 2, 1, 3), (0, 3), (2, 0)]:
            yield [m(dtype, shape), m(dtype, shape[-1:])], {}
        for shape in [(2, 3), (2, 3, 2), (2, 3, 2, 2)]:
            yield [m(dtype, shape), m(dtype, (3,))], {'data_format': 'NCHW'}
    for shape, bias in [((2, 3), (2,)), ((3,), (3,)), ((2, 3), (1, 3)), ((2, 3), (1,)), ((), (1,))]:
        yield [m(F, shape), m(F, bias)], {}


def bias_add_grad(m):
    for dtype in NUMBERS:
        for shape in [(2, 3), (7, 3), (2, 2, 3), (0, 3), (33, 5)]:
            yield [m(dtype, shape)], {}
        for shape in [(2, 3, 2), (2, 3, 2, 2)]:
            yield [m(dtype, shape)], {'data_format': 'NCHW'}
    yield [m(F, (3,))], {}
    yield [m(F, ())], {}


def softmax(m):
    for dtype in FLOATS:
        for shape in [(1,), (3,), (7,), (2, 3), (1, 1), (0, 3), (2, 3, 7), (5, 33), ()]:
            yield [m(dtype, shape)], {}
        yield [arr(dtype, [1000., 999., -1000.])], {}
        yield [np.array([[np.nan, 1, 2], [np.inf, 1, 2], [-np.inf, 1, 2], [-np.inf] * 3], DTYPES[dtype])], {}
        yield [m(dtype, (4, 3), -1e4, 1e4)], {}
        yield [m(dtype, (3, 0))], {}


def labels_like(m, dtype, shape):
    x = np.abs(m(dtype, shape)) + DTYPES[dtype](.1)
    return (x / x.sum(-1, keepdims=True)).astype(DTYPES[dtype]) if shape and shape[-1] else x


def cross_entropy(m):
    for dtype in FLOATS:
        for shape in [(1, 3), (2, 3), (7, 2), (5, 33), (3, 1), (0, 3)]:
            yield [m(dtype, shape), labels_like(m, dtype, shape)], {}
            yield [m(dtype, shape, -100, 100), np.eye(shape[1], dtype=DTYPES[dtype])[np.zeros(shape[0], int)]], {}
        yield [m(dtype, (3, 4)), labels_like(m, dtype, (1, 4))], {}
        yield [m(dtype, (1, 4)), labels_like(m, dtype, (3, 4))], {}
        yield [np.array([[np.inf, 1, 2], [-np.inf, 1, 2], [np.nan, 0, 1]], DTYPES[dtype]), labels_like(m, dtype, (3, 3))], {}
    yield [m(F, (2, 3)), m(F, (2, 4))], {}
    yield [m(F, (3,)), m(F, (3,))], {}


def sparse_cross_entropy(m):
    for dtype in FLOATS:
        for tl in INTS:
            for shape in [(1, 3), (2, 3), (7, 2), (5, 33), (3, 1)]:
                yield [m(dtype, shape), m(tl, shape[:1], 0, shape[1])], {}
            yield [m(dtype, (3, 4), -100, 100), m(tl, (3,), 0, 4)], {}
        yield [m(dtype, (0, 3)), ints()], {}
        yield [m(dtype, (2, 3)), ints(0, 3)], {}
        yield [m(dtype, (2, 3)), ints(-1, 2)], {}
    yield [m(F, (2, 3)), ints(0)], {}
    yield [m(F, (3,)), ints(0)], {}
    yield [m(F, (2, 3)), np.array([[0], [1]], np.int32)], {}


RANDOM_SHAPES = [[], [1], [3], [7], [2, 3], [0], [300]]
SEEDS = [(1, 0), (0, 1), (87654321, 42), (1, 2**31 - 1), (-5, 7)]


def random_float(m):
    for dtype in FLOATS:
        for seed, seed2 in SEEDS:
            for shape in RANDOM_SHAPES[1:5] if seed != 1 or seed2 else RANDOM_SHAPES:
                yield [np.array(shape, np.int32)], {'dtype': dtype, 'seed': seed, 'seed2': seed2}, 3
        yield [np.array([2, 3], np.int64)], {'dtype': dtype, 'seed': 3, 'seed2': 4}, 2
        yield [np.array([-1], np.int32)], {'dtype': dtype, 'seed': 3}
        yield [np.array(3, np.int32)], {'dtype': dtype, 'seed': 3}


def random_int(m):
    for dtype in INTS:
        for seed, seed2 in SEEDS:
            for shape in RANDOM_SHAPES[:5]:
                yield [np.array(shape, np.int32), scalar(-3, dtype), scalar(100, dtype)], {'seed': seed, 'seed2': seed2}, 3
        yield [ints(70), scalar(0, dtype), scalar(2**31 - 1, dtype)], {'seed': 9, 'seed2': 1}, 2
        yield [ints(3), scalar(5, dtype), scalar(5, dtype)], {'seed': 9}
        yield [ints(3), scalar(5, dtype), scalar(2, dtype)], {'seed': 9}
        yield [ints(0), scalar(5, dtype), scalar(5, dtype)], {'seed': 9}
        yield [ints(3), ints(5, dtype=dtype), scalar(9, dtype)], {'seed': 9}
    yield [ints(7), scalar(-2**63, L), scalar(2**63 - 1, L)], {'seed': 9}
    yield [ints(7), scalar(-2**31), scalar(2**31 - 1)], {'seed': 9}


def random_shuffle(m):
    for dtype in ALL:
        for shape in [(), (1,), (3,), (7,), (7, 2), (0,), (4, 2, 2)]:
            yield [m(dtype, shape)], {'seed': 5, 'seed2': 6}, 3
    for seed, seed2 in SEEDS:
        yield [np.arange(33, dtype=np.int32)], {'seed': seed, 'seed2': seed2}, 3


def assign(m):
    for dtype in ALL:
        for shape in SHAPES:
            yield [Ref(m(dtype, shape)), m(dtype, shape)], {}
        yield [Ref(m(dtype, (3,)), False), m(dtype, (3,))], {}
    yield [Ref(m(F, (3,))), m(F, (2,))], {}
    yield [Ref(m(F, (3,))), m(F, (2,))], {'validate_shape': False}
    yield [Ref(m(F, (3,)), False), m(F, (2,))], {'validate_shape': False}
    yield [Ref(m(F, (3,))), m(F, ())], {}


def assign_update(m):
    for dtype in NUMBERS:
        for shape in SHAPES:
            yield [Ref(m(dtype, shape)), m(dtype, shape)], {}, 3
        yield [Ref(m(dtype, (2,)), False), m(dtype, (2,))], {}
    yield [Ref(m(F, (3,))), m(F, (2,))], {}
    yield [Ref(m(F, (3,))), m(F, ())], {}


def initialized(m):
    for dtype in ALL:
        yield [Ref(m(dtype, (2,)))], {}
        yield [Ref(m(dtype, (2,)), False)], {}


def variable(m):
    for dtype in ALL:
        yield [], {'shape': [2, 3], 'dtype': dtype}
        yield [], {'shape': [], 'dtype': dtype}


def const(m):
    for dtype in ALL:
        for shape in SHAPES:
            yield [], {'value': m(dtype, shape), 'dtype': dtype}
        yield [], {'value': arr(dtype, SPECIAL[dtype]), 'dtype': dtype}
    yield [], {'value': m(F, (2,)), 'dtype': I}


def placeholder(m):
    for dtype in ALL:
        for shape in ('<unknown>', [], [2, -1], [0]):
            yield [], {'dtype': dtype, 'shape': shape}


def placeholder_with_default(m):
    for dtype in ALL:
        for value, shape in [((2, 3), [2, 3]), ((2, 3), [-1, 3]), ((2, 3), '<unknown>'), ((), [])]:
            yield [m(dtype, value)], {'shape': shape}
    yield [m(F, (2, 3))], {'shape': [2, 2]}
    yield [m(F, (2, 3))], {'shape': [-1]}


def train(m, slots, scalars, positive_slot=(), uninitialised=True):
    """Cases of an Apply op: var and slots, followed by the scalars and the gradient in the order of the op."""
    for dtype in FLOATS:
        for shape in SHAPES:
            refs = [Ref(np.abs(m(dtype, shape)) if i in positive_slot else m(dtype, shape)) for i in range(1 + slots)]
            yield refs + scalars(m, dtype, shape), {}, 3
        yield [Ref(m(dtype, (3,))) for _ in range(1 + slots)] + scalars(m, dtype, (2,)), {}
        yield [Ref(m(dtype, (3,)), False) for _ in range(1 + slots)] + scalars(m, dtype, (3,)), {}


def gradient_descent(m):
    yield from train(m, 0, lambda m, d, s: [scalar(.1, d), m(d, s)])
    yield [Ref(m(F, (2,))), ints(1, 2).astype(np.float32), m(F, (2,))], {}


def momentum(m):
    def rest(m, d, s):
        return [scalar(.1, d), m(d, s), scalar(.9, d)]
    yield from train(m, 1, rest)
    for shape in ((3,), (2, 3)):
        yield [Ref(m(F, shape)), Ref(m(F, shape))] + rest(m, F, shape), {'use_nesterov': True}, 3


def adam(m):
    def rest(m, d, s):
        return [scalar(v, d) for v in (.9, .999, .01, .9, .999, 1e-8)] + [m(d, s)]
    yield from train(m, 2, rest, (2,))
    for shape in ((3,), (33,)):
        yield [Ref(m(F, shape)), Ref(m(F, shape)), Ref(np.abs(m(F, shape)))] + rest(m, F, shape), {'use_nesterov': True}, 3


def adagrad(m):
    def rest(m, d, s):
        return [scalar(.1, d), m(d, s)]
    yield from train(m, 1, rest, (1,))
    for shape in ((3,), (2, 3)):
        yield [Ref(m(F, shape)), Ref(np.abs(m(F, shape)))] + rest(m, F, shape), {'update_slots': False}, 3


def print_(m):
    for dtype in ALL:
        yield [m(dtype, (3,)), [m(F, (2,)), m(I, ()), m(S, (2,)), m(B, (2, 2))]], {'message': 'm', 'first_n': 0}


NN = {
    'AddN': add_n, 'BiasAdd': bias_add, 'BiasAddGrad': bias_add_grad, 'Softmax': softmax, 'LogSoftmax': softmax,
    'SoftmaxCrossEntropyWithLogits': cross_entropy, 'SparseSoftmaxCrossEntropyWithLogits': sparse_cross_entropy,
    'L2Loss': lambda m: unary(m, FLOATS), 'RandomUniform': random_float, 'RandomStandardNormal': random_float,
    'TruncatedNormal': random_float, 'RandomUniformInt': random_int, 'RandomShuffle': random_shuffle,
    'Assign': assign, 'AssignAdd': assign_update, 'AssignSub': assign_update, 'IsVariableInitialized': initialized,
    'VariableV2': variable, 'Const': const, 'Placeholder': placeholder,
    'PlaceholderWithDefault': placeholder_with_default, 'NoOp': lambda m: [([], {})],
    'ApplyGradientDescent': gradient_descent, 'ApplyMomentum': momentum, 'ApplyAdam': adam, 'ApplyAdagrad': adagrad,
    'Print': print_,
}
