"""Oracle cases of the array and shape ops (see cases.py)."""
import numpy as np

from cases import ALL, B, D, DTYPES, F, FLOATS, I, INTS, L, NUMBERS, S, SPECIAL, SHAPES, arr, ints, unary


def scalar(value, dtype=I):
    return np.array(value, DTYPES[dtype])


def shape_of(m, op):
    for dtype in ALL:
        for shape in SHAPES:
            attrs = {} if op == 'Rank' or len(shape) % 2 else {'out_type': L}
            yield [m(dtype, shape)], attrs


def shape_n(m):
    for out in (I, L):
        yield [[m(F, (2, 3)), m(F, ())]], {'out_type': out}
        yield [[m(S, (0, 2))]], {'out_type': out}
        yield [[m(I, (1,)), m(I, (7,)), m(I, (2, 2, 2, 2))]], {'out_type': out}


def reshape(m):
    for dtype in ALL:
        for shape, to in [((2, 3), [3, 2]), ((2, 3), [-1]), ((2, 3), [6]), ((2, 3), [1, -1, 2]), ((), []), ((), [1]),
                          ((1,), []), ((0,), [0, 7]), ((2, 0, 3), [-1, 3]), ((7,), [7])]:
            yield [m(dtype, shape), np.array(to, np.int32)], {}
    for to in ([4, 2], [-1, -1], [-2, 3], [-1, 4], [0, -1], [7]):
        yield [m(F, (2, 3)), np.array(to, np.int32)], {}
        yield [m(F, (2, 3)), np.array(to, np.int64)], {}
    yield [m(F, (0, 3)), ints(-1, 0)], {}
    yield [m(F, (2, 3)), np.array([[6]], np.int32)], {}
    yield [m(F, (6,)), np.array([2**31 - 1, 2**31 - 1, 2**31 - 1], np.int32)], {}


def expand_dims(m):
    for dtype in ALL:
        for shape, dim in [((), 0), ((), -1), ((3,), 0), ((3,), 1), ((3,), -1), ((2, 3), 1), ((2, 0, 3), -2)]:
            yield [m(dtype, shape), scalar(dim)], {}
    for shape, dim in [((3,), 2), ((3,), -3), ((), 1)]:
        yield [m(F, shape), scalar(dim)], {}
    yield [m(F, (2, 3)), scalar(1, L)], {}
    yield [m(F, (2, 3)), ints(1)], {}
    yield [m(F, (2, 3)), ints(1, 0)], {}


def squeeze(m):
    for dtype in ALL:
        for shape, dims in [((1, 2, 1, 3), []), ((1, 2, 1, 3), [0]), ((1, 2, 1, 3), [-2]), ((1, 2, 1, 3), [0, 2]),
                            ((), []), ((1,), []), ((1, 0, 1), [])]:
            yield [m(dtype, shape)], {'squeeze_dims': dims}
    for shape, dims in [((2, 3), [0]), ((1, 3), [2]), ((1, 3), [-3])]:
        yield [m(F, shape)], {'squeeze_dims': dims}


def transpose(m):
    for dtype in ALL:
        for shape, perm in [((), []), ((3,), [0]), ((2, 3), [1, 0]), ((2, 3), [0, 1]), ((2, 3, 7), [2, 0, 1]),
                            ((2, 3, 7), [0, 2, 1]), ((2, 0, 3), [1, 2, 0]), ((2, 1, 3, 2), [3, 2, 1, 0])]:
            yield [m(dtype, shape), np.array(perm, np.int32)], {}
    yield [m(F, (2, 3, 2, 3, 2)), ints(4, 1, 3, 0, 2, dtype=L)], {}
    for perm in ([0], [0, 0], [0, 2], [-1, 0], [1, 0, 2]):
        yield [m(F, (2, 3)), np.array(perm, np.int32)], {}


def concat(m):
    for dtype in ALL:
        for shapes, axis in [([(1,), (2,)], 0), ([(2, 3), (2, 1)], 1), ([(2, 3), (1, 3), (0, 3)], 0),
                             ([(2, 3), (2, 3)], -1), ([(2, 1, 3), (2, 7, 3)], -2), ([(0,), (0,)], 0)]:
            yield [[m(dtype, s) for s in shapes], scalar(axis)], {}
    for shapes, axis in [([(2, 3), (2, 2)], 0), ([(2,), (2, 3)], 0), ([(2,), (2,)], 1), ([(), ()], 0), ([(2,), (2,)], -2)]:
        yield [[m(F, s) for s in shapes], scalar(axis)], {}
    yield [[m(F, (2,)), m(F, (3,))], scalar(0, L)], {}
    yield [[m(F, (2,)), m(F, (3,))], ints(0, 1)], {}


def first_concat(m):
    for (values, axis), attrs in concat(m):
        if axis.dtype == np.int32:
            yield [axis, values], attrs


def concat_offset(m):
    for axis, shapes in [(0, [[2, 3], [4, 3]]), (1, [[2, 3], [2, 5], [2, 1]]), (-1, [[2, 2, 5], [2, 2, 6]]), (2, [[2, 3], [2, 3]]),
                         (0, [[2, 3], [2, 4]]), (0, [[2], [2, 3]]), (-3, [[2, 3], [2, 3]])]:
        yield [scalar(axis), [np.array(s, np.int32) for s in shapes]], {}


def pack(m):
    for dtype in ALL:
        for shape, n, axis in [((), 1, 0), ((), 3, 0), ((3,), 2, 0), ((3,), 2, 1), ((3,), 2, -1), ((2, 3), 2, 1), ((0,), 2, 0),
                               ((2, 3), 2, -3)]:
            yield [[m(dtype, shape) for _ in range(n)]], {'axis': axis}
    yield [[m(F, (2,)), m(F, (3,))]], {}
    yield [[m(F, (2,)), m(F, (2,))]], {'axis': 2}
    yield [[m(F, (2,)), m(F, (2,))]], {'axis': -3}


def unpack(m):
    for dtype in ALL:
        for shape, num, axis in [((3,), 3, 0), ((2, 3), 2, 0), ((2, 3), 3, 1), ((2, 3), 3, -1), ((2, 1, 3), 1, 1), ((0, 3), 0, 0),
                                 ((2, 0), 2, 0)]:
            yield [m(dtype, shape)], {'num': num, 'axis': axis}
    for shape, num, axis in [((3,), 2, 0), ((), 1, 0), ((3,), 3, 1), ((3,), 3, -2)]:
        yield [m(F, shape)], {'num': num, 'axis': axis}


def split(m):
    for dtype in ALL:
        for shape, num, axis in [((6,), 3, 0), ((2, 4), 2, 1), ((2, 4), 2, -1), ((2, 3), 1, 0), ((4, 3, 2), 2, 0), ((0, 2), 2, 1)]:
            yield [scalar(axis), m(dtype, shape)], {'num_split': num}
    for shape, num, axis in [((5,), 2, 0), ((4,), 2, 1), ((4,), 2, -2), ((), 1, 0)]:
        yield [scalar(axis), m(F, shape)], {'num_split': num}


def slice_(m):
    for dtype in ALL:
        for shape, begin, size in [((7,), [2], [3]), ((7,), [2], [-1]), ((2, 3), [0, 1], [2, 2]), ((2, 3), [1, 0], [1, -1]),
                                   ((2, 3), [0, 0], [2, 3]), ((2, 3, 7), [1, 0, 2], [1, 3, 5]), ((), [], []), ((3,), [3], [0])]:
            yield [m(dtype, shape), np.array(begin, np.int32), np.array(size, np.int32)], {}
    for begin, size in [([2], [9]), ([-1], [1]), ([8], [-1]), ([0, 0], [1, 1]), ([0], [-2]), ([0], [1, 1])]:
        yield [m(F, (7,)), np.array(begin, np.int64), np.array(size, np.int64)], {}


STRIDED = [  # shape, begin, end, strides, masks (begin end ellipsis new shrink)
    ((7,), [1], [5], [2], ()), ((7,), [5], [1], [-2], ()), ((7,), [0], [0], [1], (1, 1)), ((7,), [-3], [-1], [1], ()),
    ((7,), [-100], [100], [3], ()), ((7,), [0], [0], [-1], (1, 1)), ((7,), [2], [3], [1], (0, 0, 0, 0, 1)),
    ((7,), [-1], [0], [1], (0, 0, 0, 0, 1)), ((2, 3), [0, 1], [2, 3], [1, 1], ()), ((2, 3), [1, 0], [2, 0], [1, 1], (0, 2, 0, 0, 1)),
    ((2, 3), [0], [1], [1], ()), ((2, 3), [0, 2], [0, 3], [1, 1], (0, 0, 1, 0, 2)), ((2, 3, 7), [0, 1], [0, 4], [1, 1], (0, 0, 1)),
    ((2, 3), [0, 0, 0], [0, 2, 3], [1, 1, 1], (0, 0, 0, 1)), ((2, 3), [0, 0, 0], [2, 0, 3], [1, 1, 1], (0, 0, 0, 2)),
    ((2, 3), [0, 0], [0, 0], [1, 1], (0, 0, 1, 2)), ((2, 3, 7), [1, 2, 3], [2, 3, 4], [1, 1, 1], (0, 0, 0, 0, 7)),
    ((2, 3, 7), [1, 0, 6], [2, 0, 0], [1, 1, -3], (2, 6, 0, 0, 1)), ((0,), [0], [1], [1], ()), ((7,), [5], [2], [1], ()),
    ((), [], [], [], ()), ((), [0], [1], [1], (0, 0, 0, 1)), ((2, 3), [], [], [], ()), ((3,), [2], [-5], [-1], (0, 0)),
    ((2, 3), [-1, -1], [0, 0], [1, 1], (0, 0, 0, 0, 3)),
]
STRIDED_BAD = [((7,), [7], [8], [1], (0, 0, 0, 0, 1)), ((7,), [-8], [8], [1], (0, 0, 0, 0, 1)), ((7,), [1], [2], [0], ()),
               ((7,), [1, 1], [2, 2], [1, 1], ()), ((2, 3), [0, 0], [0, 0], [1, 1], (0, 0, 3)), ((7,), [1], [2], [1, 1], ()),
               ((7,), [2], [3], [-1], (0, 0, 0, 0, 1)), ((), [0], [1], [1], ())]
MASKS = ('begin_mask', 'end_mask', 'ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')


def masks(values):
    return {k: v for k, v in zip(MASKS, values) if v}


def strided_slice(m):
    for shape, b, e, s, mask in STRIDED:
        yield [m(F, shape)] + [np.array(x, np.int32) for x in (b, e, s)], masks(mask)
    for i, dtype in enumerate((D, I, L, B, S)):
        for shape, b, e, s, mask in STRIDED[i::4]:
            yield [m(dtype, shape)] + [np.array(x, np.int64) for x in (b, e, s)], masks(mask)
    for shape, b, e, s, mask in STRIDED_BAD:
        yield [m(F, shape)] + [np.array(x, np.int32) for x in (b, e, s)], masks(mask)


def strided_python_shape(shape, b, e, s, mask):
    """Returns the shape of a strided slice, computed with numpy's indexing."""
    begin, end, ellipsis, new, shrink = tuple(mask) + (0,) * (5 - len(mask))
    index = []
    for i in range(len(b)):
        bit = 1 << i
        if ellipsis & bit:
            index.append(Ellipsis)
        elif new & bit:
            index.append(None)
        elif shrink & bit:
            index.append(b[i])
        else:
            index.append(slice(None if begin & bit else b[i], None if end & bit else e[i], s[i]))
    return np.zeros(shape)[tuple(index)].shape


def strided_slice_grad(m):
    for k, (shape, b, e, s, mask) in enumerate(STRIDED):
        for dtype in (F,) if k % 3 else (F, D, I, L, B):
            dy = m(dtype, strided_python_shape(shape, b, e, s, mask))
            yield [np.array(x, np.int32) for x in (shape, b, e, s)] + [dy], masks(mask)
    yield [ints(7), ints(1), ints(5), ints(2), m(F, (3,))], {}


def gather(m):
    for dtype in ALL:
        for shape, indices, axis in [((7,), [0, 6, 3], 0), ((7,), 2, 0), ((2, 3), [1, 0, 1], 0), ((2, 3), [2, 0], 1),
                                     ((2, 3), [[0, 1], [1, 1]], -1), ((2, 3, 7), [1], 1), ((3,), [], 0), ((2, 0), [1], 0)]:
            yield [m(dtype, shape), np.array(indices, np.int32), scalar(axis)], {}
    for shape, indices, axis in [((7,), [7], 0), ((7,), [-1], 0), ((7,), [0], 1), ((), [0], 0), ((0,), [0], 0), ((2, 3), [0], -3)]:
        yield [m(F, shape), np.array(indices, np.int64), scalar(axis)], {}
    for shape, indices, axis, batch in [((2, 3), [[0, 2], [1, 1]], 1, 1), ((2, 3, 7), [[[1], [0], [6]], [[2], [2], [2]]], 2, 2),
                                        ((2, 3), [[0], [1], [1]], 1, 1), ((2, 3, 7), [[0, 2], [1, 1]], 2, 1),
                                        ((2, 3), [[0, 2], [1, 1]], 1, -1)]:
        yield [m(F, shape), np.array(indices, np.int64), scalar(axis, L)], {'batch_dims': batch}


def tile(m):
    for dtype in ALL:
        for shape, by in [((3,), [2]), ((2, 3), [1, 2]), ((2, 3), [3, 1]), ((2, 3), [0, 2]), ((), []), ((1, 2, 1, 3), [2, 1, 3, 1]),
                          ((0,), [2])]:
            yield [m(dtype, shape), np.array(by, np.int32)], {}
    for by in ([-1], [1, 1], []):
        yield [m(F, (3,)), np.array(by, np.int64)], {}


def fill(m):
    for dtype in ALL:
        for dims in ([], [0], [1], [3], [2, 3], [2, 0, 3], [1, 2, 1, 3]):
            yield [np.array(dims, np.int32), m(dtype, ())], {}
    for dims in ([-1], [2, -3]):
        yield [np.array(dims, np.int64), m(F, ())], {}
    yield [ints(2), m(F, (1,))], {}
    yield [np.array([[2]], np.int32), m(F, ())], {}


def range_(m):
    for dtype in NUMBERS:
        for start, limit, delta in [(0, 5, 1), (0, 5, 2), (5, 0, -1), (5, 0, -2), (0, 0, 1), (3, 1, 1), (1, 3, -1), (0, 5, 0), (-7, 7, 3)]:
            yield [scalar(v, dtype) for v in (start, limit, delta)], {}
    for dtype in FLOATS:
        for start, limit, delta in [(0, 1, .1), (0, 1, .3), (1, 0, -.25), (0, .5, 1), (np.nan, 1, 1), (0, 2.1, .7)]:
            yield [scalar(v, dtype) for v in (start, limit, delta)], {}
    yield [ints(0), ints(5), ints(1)], {}
    yield [ints(0, 1), scalar(5), scalar(1)], {}
    yield [scalar(-2**63, L), scalar(2**63 - 1, L), scalar(2**62, L)], {}


def lin_space(m):
    for dtype in FLOATS:
        for start, stop, num in [(0, 1, 5), (0, 1, 1), (10, -10, 7), (3, 3, 3), (0, 1, 2), (-1.5, 2.25, 33), (0, 1, 0), (0, 1, -1),
                                 (np.nan, 1, 3), (0, np.inf, 3)]:
            yield [scalar(start, dtype), scalar(stop, dtype), scalar(num)], {}
    yield [scalar(0, F), scalar(1, F), scalar(3, L)], {}
    yield [m(F, (2,)), scalar(1, F), scalar(3)], {}


def cast(m):
    for src in NUMBERS + (B,):
        for dst in NUMBERS + (B,):
            yield [m(src, (7,))], {'DstT': dst}
            yield [m(src, ())], {'DstT': dst}
            if src in FLOATS and dst in INTS:  # out-of-range conversions are undefined in C++
                yield [arr(src, [.5, -.5, 1.9999999, -1.9999999, 2.5, 1e-45, -0.])], {'DstT': dst}
            else:
                yield [arr(src, SPECIAL[src])], {'DstT': dst}
            yield [m(src, (2, 0))], {'DstT': dst}
    yield [m(S, (2,))], {'DstT': S}
    yield [m(S, (2,))], {'DstT': F}
    yield [m(F, (2,))], {'DstT': S}


def one_hot(m):
    for dtype in ALL:
        for indices, depth, axis in [([0, 2, 1], 3, -1), ([0, 2, 1], 3, 0), ([[0, 1], [5, -1]], 3, 1), (1, 3, -1), ([], 3, -1), ([0], 0, -1)]:
            yield [np.array(indices, np.int32), scalar(depth), m(dtype, ()), m(dtype, ())], {'axis': axis}
    for indices, depth, axis in [([0], -1, -1), ([0], 3, 2), ([0], 3, -2)]:
        yield [np.array(indices, np.int64), scalar(depth), m(F, ()), m(F, ())], {'axis': axis}
    yield [ints(0), ints(3, 3), m(F, ()), m(F, ())], {}
    yield [ints(0), scalar(3), m(F, (1,)), m(F, ())], {}


def pad(m, value):
    for dtype in ALL:
        for shape, pads in [((3,), [[1, 2]]), ((2, 3), [[0, 1], [2, 0]]), ((2, 3), [[0, 0], [0, 0]]), ((), np.zeros((0, 2))),
                            ((2, 0), [[1, 0], [0, 2]]), ((1, 2, 1, 3), [[1, 0], [0, 0], [2, 1], [0, 1]])]:
            yield [m(dtype, shape), np.array(pads, np.int32)] + ([m(dtype, ())] if value else []), {}
    for pads in ([[-1, 0]], [[1, 1], [1, 1]], [[1, 1, 1]], [1, 1]):
        yield [m(F, (3,)), np.array(pads, np.int64)] + ([m(F, ())] if value else []), {}
    if value:
        yield [m(F, (3,)), np.array([[1, 1]], np.int32), m(F, (1,))], {}


def where(m):
    for dtype in (B,) + NUMBERS:
        for shape in SHAPES + [(2, 2, 2, 2)]:
            yield [m(dtype, shape, -1, 2)], {}
        yield [arr(dtype, SPECIAL[dtype])], {}


def broadcast_to(m):
    for dtype in ALL:
        for shape, to in [((), [3]), ((3,), [2, 3]), ((2, 1), [2, 3]), ((1, 3), [2, 3]), ((), []), ((2, 3), [2, 3]), ((1,), [0]),
                          ((2, 1, 3), [7, 2, 2, 3])]:
            yield [m(dtype, shape), np.array(to, np.int32)], {}
    for shape, to in [((2,), [3]), ((2, 3), [3]), ((2,), [-1]), ((3,), [3, 1])]:
        yield [m(F, shape), np.array(to, np.int64)], {}


def broadcast_gradient_args(m):
    for dtype in INTS:
        for a, b in [([], []), ([2, 3], [3]), ([3], [2, 3]), ([2, 1], [1, 3]), ([2, 3], [2, 3]), ([], [2, 3]), ([1, 1], [1]), ([2, 1, 3], [7, 1]),
                     ([1], []), ([0], [1]), ([2, 0], [1, 1]), ([2], [3]), ([1, 2, 1, 3], [7, 1, 1])]:
            yield [np.array(a, DTYPES[dtype]), np.array(b, DTYPES[dtype])], {}
    yield [np.array([[1]], np.int32), ints(1)], {}


def dynamic_stitch(m):
    for dtype in ALL:
        yield [[ints(0, 2), ints(1, 3)], [m(dtype, (2,)), m(dtype, (2,))]], {}
        yield [[scalar(1), np.array([[0, 3], [2, 1]], np.int32)], [m(dtype, (3,)), m(dtype, (2, 2, 3))]], {}
        yield [[np.array([], np.int32)], [m(dtype, (0, 2))]], {}
    yield [[ints(0), ints(2)], [m(F, (1,)), m(F, (1,))]], {}
    yield [[ints(-1)], [m(F, (1,))]], {}
    yield [[ints(0, 1)], [m(F, (3,))]], {}
    yield [[ints(0), ints(1)], [m(F, (1, 2)), m(F, (1, 3))]], {}


def invert_permutation(m):
    for dtype in INTS:
        for perm in ([0], [1, 0], [2, 0, 1], [], [6, 5, 4, 3, 2, 1, 0], [0, 0], [0, 2], [-1, 0]):
            yield [np.array(perm, DTYPES[dtype])], {}
    yield [np.array([[0]], np.int32)], {}


def select(m, v2):
    for dtype in ALL:
        for shape in SHAPES:
            yield [m(B, shape), m(dtype, shape), m(dtype, shape)], {}
        for c, t, e in [((2,), (2, 3), (2, 3)), ((), (2, 3), (2, 3)), ((2, 3), (2, 3), (3,)), ((3,), (2, 3), (2, 3)), ((2, 1), (1, 3), ())]:
            yield [m(B, c), m(dtype, t), m(dtype, e)], {}
    yield [m(B, (2,)), m(F, (3,)), m(F, (3,))], {}


ARRAY = {
    'Identity': lambda m: unary(m, ALL), 'StopGradient': lambda m: unary(m, ALL), 'ZerosLike': lambda m: unary(m, ALL),
    'OnesLike': lambda m: unary(m, NUMBERS + (B,)), 'Shape': lambda m: shape_of(m, 'Shape'),
    'Size': lambda m: shape_of(m, 'Size'), 'Rank': lambda m: shape_of(m, 'Rank'), 'ShapeN': shape_n,
    'Reshape': reshape, 'ExpandDims': expand_dims, 'Squeeze': squeeze, 'Transpose': transpose, 'ConcatV2': concat, 'Concat': first_concat,
    'ConcatOffset': concat_offset, 'Pack': pack, 'Unpack': unpack, 'Split': split, 'Slice': slice_,
    'StridedSlice': strided_slice, 'StridedSliceGrad': strided_slice_grad, 'GatherV2': gather, 'Tile': tile,
    'Fill': fill, 'Range': range_, 'LinSpace': lin_space, 'Cast': cast, 'OneHot': one_hot,
    'Pad': lambda m: pad(m, False), 'PadV2': lambda m: pad(m, True), 'Where': where, 'BroadcastTo': broadcast_to,
    'BroadcastGradientArgs': broadcast_gradient_args, 'DynamicStitch': dynamic_stitch,
    'InvertPermutation': invert_permutation, 'Select': lambda m: select(m, False), 'SelectV2': lambda m: select(m, True),
}
