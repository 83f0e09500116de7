"""The cases of the oracle: the inputs and attributes to record for each op. A function in the tables of this module
yields (inputs, attrs) or (inputs, attrs, runs). Inputs are arrays, lists of arrays or Refs."""
import zlib

import numpy as np

from tensor_text import DTYPES, Ref

F, D, I, L, B, S = 'float', 'double', 'int32', 'int64', 'bool', 'string'
FLOATS, INTS, NUMBERS = (F, D), (I, L), (F, D, I, L)
ALL = NUMBERS + (B, S)
SHAPES = [(), (0,), (1,), (3,), (7,), (2, 3), (2, 0, 3), (1, 2, 1, 3)]
SPECIAL = {
    F: [np.nan, np.inf, -np.inf, 0., -0., 1., -1., 1e-45, -1e-45, 1.17549435e-38, 3.4028235e38,
        -3.4028235e38, .5, 1.5, 2.5, -.5, -1.5, -2.5, 88.8, -104., 1e-7, 1.5707964, 3., 1e10, -33.3],
    D: [np.nan, np.inf, -np.inf, 0., -0., 1., -1., 5e-324, -5e-324, 2.2250738585072014e-308,
        1.7976931348623157e308, .5, 1.5, 2.5, -.5, -1.5, -2.5, 709.8, -746., 1e-16, 1.5707963267948966,
        3., 1e20, -33.3],
    I: [0, 1, -1, 2, -7, 2147483647, -2147483648, 46341, 1000],
    L: [0, 1, -1, 2, -7, 2**63 - 1, -2**63, 3037000500, 2**31],
    B: [False, True],
    S: [b'', b'a', b'b c', b'\xff\x00\n', 'é'.encode(), b'a'],
}


class Maker:
    """Random arrays, reproducible for each op."""

    def __init__(self, op, seed=0):
        self.r = np.random.RandomState(zlib.crc32(op.encode()) ^ seed)

    def __call__(self, dtype, shape, low=-10, high=10):
        n = int(np.prod(shape))
        if dtype == S:
            out = np.empty(n, object)
            out[:] = [(b'', b'a', b'xy', b'tensor', b'\xc3\xa9')[i] for i in self.r.randint(0, 5, n)]
            return out.reshape(shape)
        if dtype == B:
            return np.asarray(self.r.randint(0, 2, n), bool).reshape(shape)
        if dtype in INTS:
            return self.r.randint(low, high, n).astype(DTYPES[dtype]).reshape(shape)
        return (self.r.uniform(low, high, n)).round(3).astype(DTYPES[dtype]).reshape(shape)

    def wide(self, dtype, n):
        """Floats of many magnitudes."""
        x = self.r.standard_normal(n) * np.exp2(self.r.uniform(-20, 20, n))
        return x.astype(DTYPES[dtype])


def arr(dtype, values):
    if dtype == S:
        out = np.empty(len(values), object)
        out[:] = values
        return out
    return np.array(values, DTYPES[dtype])


def ints(*values, dtype=I):
    return np.array(values, DTYPES[dtype])


def without_denormals(dtype):
    """In functions that look at bits, TensorFlow flushes denormals depending on the vector lane."""
    return [v for v in SPECIAL[dtype] if dtype not in FLOATS or not 0 < abs(v) < np.finfo(DTYPES[dtype]).tiny]


def unary(m, dtypes, low=-10, high=10, denormals=True, **attrs):
    for dtype in dtypes:
        for shape in SHAPES:
            yield [m(dtype, shape, low, high)], attrs
        yield [arr(dtype, SPECIAL[dtype] if denormals else without_denormals(dtype))], attrs
        if dtype in FLOATS:
            yield [m.wide(dtype, 40)], attrs
            yield [m(dtype, (33,), -1.5, 1.5)], attrs


PAIRS = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (7,)), ((7,), ()), ((0,), (1,)),
         ((2, 0), (1,)), ((2, 1, 3), (7, 1)), ((1, 2, 1, 3), (7, 1, 1)), ((2, 3), (2, 3)), ((2, 3, 1), (2, 1, 7)),
         ((2, 2, 2, 2, 2), (2, 1, 2, 1, 2)), ((2,), (3,)), ((2, 3), (2,))]


def crossed(dtype, skip=lambda x, y: False, denormals=True):
    v = SPECIAL[dtype] if denormals else without_denormals(dtype)
    pairs = [(x, y) for x in v for y in v if not skip(x, y)]
    return [arr(dtype, [p[0] for p in pairs]), arr(dtype, [p[1] for p in pairs])]


def binary(m, dtypes, special=True, avoid_zero=False, pairs=PAIRS, skip=None, **attrs):
    for dtype in dtypes:
        for a, b in pairs:
            y = m(dtype, b)
            if avoid_zero and dtype in INTS:
                y = np.where(y == 0, 3, y).astype(y.dtype)
            yield [m(dtype, a), y], attrs
        if special:
            yield crossed(dtype, skip or (lambda x, y: False)), attrs


def int_division(m, dtypes):
    """Division by zero fails. INT_MIN / -1 is left out, because it crashes TensorFlow."""
    def skip(x, y):
        return isinstance(x, int) and (y == 0 or (y == -1 and x < -2**30))
    yield from binary(m, dtypes, avoid_zero=True, skip=skip)
    for dtype in INTS:
        if dtype in dtypes:
            yield [ints(1, 2, dtype=dtype), ints(1, 0, dtype=dtype)], {}
    for dtype in FLOATS:
        yield [m.wide(dtype, 30), m.wide(dtype, 30)], {}


def power(m):
    yield from binary(m, FLOATS, special=False)
    for dtype in FLOATS:
        yield crossed(dtype, denormals=False), {}
        yield [np.abs(m.wide(dtype, 30)), m(dtype, (30,), -3, 3)], {}
        yield [m(dtype, (7,)), np.array(2, DTYPES[dtype])], {}
    for dtype in INTS:
        for a, b in PAIRS:
            yield [m(dtype, a, -5, 6), m(dtype, b, 0, 7)], {}
        yield [ints(2, 3, -2, dtype=dtype), ints(70, 41, 31, dtype=dtype)], {}
        yield [ints(2, 1, dtype=dtype), ints(-1, 2, dtype=dtype)], {}


def like_pair(m, dtypes):
    """Two inputs of the same shape (gradients of activations)."""
    for dtype in dtypes:
        for shape in SHAPES:
            yield [m(dtype, shape, -2, 2), m(dtype, shape, -2, 2)], {}
        yield crossed(dtype), {}
        yield [m(dtype, (3,)), m(dtype, (2,))], {}


def comparison(m, dtypes):
    yield from binary(m, dtypes)
    if S in dtypes:
        for flag in (True, False):
            yield [m(F, (2,)), m(F, (3,))], {'incompatible_shape_error': flag}
            yield [m(I, (3,)), m(I, (3,))], {'incompatible_shape_error': flag}


def reduction(m, dtypes):
    shapes_axes = [((), []), ((3,), [0]), ((3,), []), ((7,), [-1]), ((2, 3), [0]), ((2, 3), [1]), ((2, 3), [0, 1]),
                   ((2, 3), [-2, 1]), ((2, 3, 7), [1]), ((2, 3, 7), [0, 2]), ((2, 3, 7), [2]), ((2, 3, 7), [0]),
                   ((2, 3, 7), [1, 2]), ((0,), [0]), ((2, 0, 3), [1]), ((2, 0, 3), [0]), ((1, 2, 1, 3), [0, 2]),
                   ((1, 2, 1, 3), [3]), ((2, 3), [2]), ((2, 3), [-3]), ((3,), [0, 0]), ((2, 2, 2, 2), [1, 3]),
                   ((33,), [0]), ((17, 5), [0]), ((5, 17), [1])]
    for dtype in dtypes:
        for shape, axes in shapes_axes:
            low, high = (-3, 4) if dtype in INTS else (-2, 2)
            yield [m(dtype, shape, low, high), np.array(axes, np.int32)], {}
        for shape, axes in shapes_axes[4:9] + shapes_axes[14:15]:
            yield [m(dtype, shape), np.array(axes, np.int64)], {'keep_dims': True}
        yield [m(dtype, (3, 2)), np.array(1, np.int32)], {}
        yield [arr(dtype, SPECIAL[dtype]), ints(0)], {}
        if dtype in FLOATS:
            yield [np.array([[1, np.nan, 3], [np.inf, 2, -np.inf], [-0., 0., -0.]], DTYPES[dtype]), ints(1)], {}


def arg_reduction(m, dtypes):
    cases = [((3,), 0), ((7,), -1), ((2, 3), 0), ((2, 3), 1), ((2, 3, 7), 1), ((2, 3, 7), -1), ((1,), 0),
             ((2, 0), 0), ((0,), 0), ((2, 0), 1), ((), 0), ((3,), 1), ((3,), -2), ((1, 2, 1, 3), 3)]
    for dtype in dtypes:
        for shape, axis in cases:
            yield [m(dtype, shape, -3, 3), np.array(axis, np.int32)], {}
        yield [m(dtype, (3, 4)), np.array(1, np.int64)], {'output_type': I}
        yield [arr(dtype, [1, 1, 0, 0, 1]), np.array(0, np.int32)], {}
    for dtype in FLOATS:
        yield [np.array([[1, np.nan, 3], [np.inf, 2, -np.inf], [np.nan, np.nan, 1]], DTYPES[dtype]),
               np.array(1, np.int32)], {}


def matmul(m, batch):
    a, b = ('adj_x', 'adj_y') if batch else ('transpose_a', 'transpose_b')
    for dtype in NUMBERS:
        for n, k, p in [(1, 1, 1), (2, 3, 4), (3, 7, 1), (1, 7, 3), (0, 2, 3), (2, 0, 3), (2, 3, 0), (17, 9, 5)]:
            yield [m(dtype, (n, k)), m(dtype, (k, p))], {}
        for ta, tb in ((True, False), (False, True), (True, True)):
            yield [m(dtype, (3, 2) if ta else (2, 3)), m(dtype, (4, 3) if tb else (3, 4))], {a: ta, b: tb}
        yield [m(dtype, (2, 3)), m(dtype, (2, 3))], {}
        yield [m(dtype, (3,)), m(dtype, (3, 1))], {}
    yield [m(F, (2, 2, 2)), m(F, (2, 2, 2))], {}
    yield [np.array([[np.nan, 1], [np.inf, 0]], np.float32), np.array([[0, 1], [1, 0]], np.float32)], {}
    if batch:
        for s, t in [((2, 2, 3), (2, 3, 2)), ((2, 3), (4, 3, 1)), ((2, 1, 2, 3), (3, 3, 2)), ((0, 2, 3), (0, 3, 2)),
                     ((2, 2, 3), (3, 3, 2)), ((5, 1, 2), (1, 2, 7))]:
            for dtype in (F, D, I):
                yield [m(dtype, s), m(dtype, t)], {}
        yield [m(F, (2, 3, 2)), m(F, (2, 4, 3))], {a: True, b: True}


MATH = {
    'Neg': lambda m: unary(m, NUMBERS), 'Abs': lambda m: unary(m, NUMBERS), 'Square': lambda m: unary(m, NUMBERS),
    'Sqrt': lambda m: unary(m, FLOATS, 0, 50), 'Rsqrt': lambda m: unary(m, FLOATS, 0, 50),
    'Exp': lambda m: unary(m, FLOATS, -30, 30), 'Log': lambda m: unary(m, FLOATS, 0, 50, denormals=False),
    'Log1p': lambda m: unary(m, FLOATS, -1, 20), 'Sin': lambda m: unary(m, FLOATS), 'Cos': lambda m: unary(m, FLOATS),
    'Sigmoid': lambda m: unary(m, FLOATS), 'Tanh': lambda m: unary(m, FLOATS, -5, 5),
    'Relu': lambda m: unary(m, NUMBERS), 'Floor': lambda m: unary(m, FLOATS), 'Ceil': lambda m: unary(m, FLOATS),
    # In TensorFlow 2.21, Round returns 0 for every integer; tf.round does not use it for integers.
    'Round': lambda m: unary(m, FLOATS), 'Sign': lambda m: unary(m, NUMBERS, denormals=False),
    'Reciprocal': lambda m: unary(m, FLOATS),
    'LogicalNot': lambda m: unary(m, (B,)),
    'AddV2': lambda m: binary(m, NUMBERS), 'Sub': lambda m: binary(m, NUMBERS), 'Mul': lambda m: binary(m, NUMBERS),
    'RealDiv': lambda m: int_division(m, FLOATS), 'Div': lambda m: int_division(m, NUMBERS),
    'FloorDiv': lambda m: int_division(m, NUMBERS), 'FloorMod': lambda m: int_division(m, NUMBERS),
    'Pow': power, 'Maximum': lambda m: binary(m, NUMBERS), 'Minimum': lambda m: binary(m, NUMBERS),
    'SquaredDifference': lambda m: binary(m, NUMBERS),
    'SigmoidGrad': lambda m: like_pair(m, FLOATS), 'TanhGrad': lambda m: like_pair(m, FLOATS),
    'ReluGrad': lambda m: like_pair(m, NUMBERS),
    'Greater': lambda m: comparison(m, NUMBERS), 'GreaterEqual': lambda m: comparison(m, NUMBERS),
    'Less': lambda m: comparison(m, NUMBERS), 'LessEqual': lambda m: comparison(m, NUMBERS),
    'Equal': lambda m: comparison(m, ALL), 'NotEqual': lambda m: comparison(m, ALL),
    'LogicalAnd': lambda m: binary(m, (B,)), 'LogicalOr': lambda m: binary(m, (B,)),
    'MatMul': lambda m: matmul(m, False), 'BatchMatMulV2': lambda m: matmul(m, True),
    'Sum': lambda m: reduction(m, NUMBERS), 'Mean': lambda m: reduction(m, NUMBERS),
    'Prod': lambda m: reduction(m, NUMBERS), 'Max': lambda m: reduction(m, NUMBERS),
    'Min': lambda m: reduction(m, NUMBERS), 'Any': lambda m: reduction(m, (B,)), 'All': lambda m: reduction(m, (B,)),
    'ArgMax': lambda m: arg_reduction(m, NUMBERS + (B,)), 'ArgMin': lambda m: arg_reduction(m, NUMBERS),
}
