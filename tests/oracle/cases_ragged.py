"""Oracle cases for counts and bins of sparse and ragged rows, resampled images, fused convolutions and rows changed in place (see
cases.py)."""
import numpy as np

from cases import D, F, I, L, NUMBERS, arr, ints
from tensor_text import DTYPES


def one_of(m, *values):
    return values[m.r.randint(len(values))]


def weights(m, d, shape):
    """Mostly none, sometimes as many as numbers, and rarely another number of them."""
    kind = m.r.rand()
    return m(d, (0,)) if kind < .5 else m(d, shape) if kind < .95 else m(d, (2,))


def splits(m, rows):
    return np.concatenate([[0], np.cumsum(m.r.randint(0, 4, rows))]).astype(np.int64)


def sparse(m, t):
    """The indices, values and shape of a sparse vector or matrix, sometimes with a wrong index."""
    rank, n = one_of(m, 1, 2, 2, 2), m.r.randint(0, 6)
    dims = [int(d) for d in m.r.randint(1, 5, rank)]
    indices = np.stack([m.r.randint(0, d + (m.r.rand() < .03), n) for d in dims], 1).astype(np.int64)
    return indices, m(t, (n,), -1 if m.r.rand() < .1 else 0, 7), np.array(dims, np.int64)


def lengths(m):
    return {'minlength': int(one_of(m, -1, 0, 3, 9)), 'maxlength': int(one_of(m, -1, -1, 2, 5, 9)), 'binary_output': bool(m.r.rand() < .3)}


def dense_count(m):
    for _ in range(60):
        t, d = one_of(m, I, L), one_of(m, *NUMBERS)
        shape = tuple(m.r.randint(0, 5, one_of(m, 1, 2, 2, 2)))
        yield [m(t, shape, -1, 8), weights(m, d, shape)], lengths(m)
    yield [m(I, ()), m(F, (0,))], {'binary_output': False}
    yield [m(I, (2, 2, 2)), m(F, (0,))], {'binary_output': False}


def sparse_count(m):
    for _ in range(60):
        t, d = one_of(m, I, L), one_of(m, *NUMBERS)
        indices, values, shape = sparse(m, t)
        yield [indices, values, shape, weights(m, d, values.shape)], lengths(m)


def ragged_count(m):
    for _ in range(60):
        t, d = one_of(m, I, L), one_of(m, *NUMBERS)
        s = splits(m, m.r.randint(0, 5))
        values = m(t, (int(s[-1]) + int(m.r.rand() < .05),), -1, 8)
        yield [s, values, weights(m, d, values.shape)], lengths(m)


def sparse_bincount(m):
    for _ in range(60):
        t, d = one_of(m, I, L), one_of(m, *NUMBERS)
        indices, values, shape = sparse(m, t)
        size, w = np.array(one_of(m, 7, 8, 9, 4), DTYPES[t]), weights(m, d, values.shape)
        if len(shape) > 1 and values.size and (indices[:, 0].max() >= shape[0] or values.min() < 0 or w.size not in (0, values.size)):
            continue  # TensorFlow reads or writes outside of its arrays
        yield [indices, values, shape, size, w], {'binary_output': bool(m.r.rand() < .3)}


def ragged_bincount(m):
    for _ in range(60):
        t, d = one_of(m, I, L), one_of(m, *NUMBERS)
        s = splits(m, m.r.randint(0, 5))
        values = m(t, (int(s[-1]) + int(m.r.rand() < .05),), -1 if m.r.rand() < .1 else 0, 8)
        w = weights(m, d, values.shape)
        if w.size not in (0, values.size):
            continue  # TensorFlow reads past the weights
        yield [s, values, np.array(one_of(m, 0, 4, 9), DTYPES[t]), w], {'binary_output': bool(m.r.rand() < .3)}


FILTERS = ('lanczos1', 'lanczos3', 'lanczos5', 'gaussian', 'box', 'triangle', 'keyscubic', 'mitchellcubic')


def sampling(m):
    """The scale and translation of both dimensions, and the attributes."""
    even = m.r.rand() < .6
    scale = [one_of(m, .5, 1., 2., .7, 3.3)] * 2 if even else m.r.uniform(.2, 3, 2).round(2)
    move = [0., 0.] if even else m.r.uniform(-3, 3, 2).round(1)
    return [arr(F, scale), arr(F, move)], {'kernel_type': one_of(m, *FILTERS), 'antialias': bool(m.r.rand() < .6)}


def scale_and_translate(m):
    for k in range(80):
        d = one_of(m, F, F, I, L, D, 'uint8', 'half')
        shape = (m.r.randint(1, 3), m.r.randint(1, 9), m.r.randint(1, 9), m.r.randint(1, 4))
        x = m.r.randint(0, 200, shape).astype(DTYPES[d]) if d not in (F, D) else m(d, shape)
        inputs, attrs = sampling(m)
        yield [x, ints(*m.r.randint(1, 10, 2))] + inputs, attrs
    x = m(F, (1, 3, 3, 1))
    for scale, size in (((0., 1.), (2, 2)), ((-1., 1.), (2, 2)), ((1., 1.), (0, 2))):
        yield [x, ints(*size), arr(F, scale), arr(F, [0., 0.])], {}
    yield [x, ints(2, 2), arr(F, [1., 1.]), arr(F, [0., 0.])], {'kernel_type': 'bicubic'}


def scale_and_translate_grad(m):
    for k in range(60):
        batch, depth = m.r.randint(1, 3), m.r.randint(1, 4)
        dy = m(F, (batch, m.r.randint(1, 9), m.r.randint(1, 9), depth))
        x = m(F, (batch, m.r.randint(1, 9), m.r.randint(1, 9), depth))
        inputs, attrs = sampling(m)
        yield [dy, x] + inputs, attrs


def fused_conv(m, resize):
    for k in range(70):
        d = one_of(m, F, F, D)
        depth, rows, columns = m.r.randint(1, 4), m.r.randint(2, 8), m.r.randint(2, 8)
        x = m(d, (1, rows, columns, depth))  # for further images, TensorFlow repeats rows of the first one
        if resize:
            rows, columns = m.r.randint(2, 8, 2)
        pads = np.zeros([4, 2], np.int32)
        pads[1], pads[2] = m.r.randint(0, rows, 2), m.r.randint(0, columns, 2)
        if m.r.rand() < .06:
            pads[m.r.randint(4), m.r.randint(2)] = one_of(m, 1, 9, -1)
        stride = m.r.randint(1, 3)
        f = m(d, (m.r.randint(1, 4), m.r.randint(1, 4), depth + (m.r.rand() < .03), m.r.randint(1, 4)))
        attrs = {'mode': one_of(m, 'REFLECT', 'SYMMETRIC'), 'strides': [1, int(stride), int(stride), 1], 'padding': one_of(m, 'SAME', 'VALID')}
        if resize:
            attrs['resize_align_corners'] = bool(m.r.rand() < .5)
        yield [x] + ([ints(rows, columns)] if resize else []) + [pads, f], attrs


def empty(m):
    for d in NUMBERS + ('bool', 'string', 'half', 'complex64'):
        for shape in ((), (0,), (3,), (2, 0, 3), (2, 3)):
            yield [ints(*shape)], {'dtype': d, 'init': True}
    yield [ints(-1)], {'dtype': F, 'init': True}


def inplace(m):
    for _ in range(60):
        d = one_of(m, *NUMBERS)
        inner = tuple(m.r.randint(0 if m.r.rand() < .1 else 1, 4, m.r.randint(0, 3)))
        rows, n = m.r.randint(0 if m.r.rand() < .1 else 1, 5), m.r.randint(0, 4)
        v = m(d, (n + (m.r.rand() < .05),) + inner)
        yield [m(d, (rows,) + inner), m(I, (n,), -2, 6), v], {}
    yield [m(F, (3, 2)), ints(1), m(F, (1, 3))], {}
    yield [m(F, (3, 2)), ints(1), m(F, (1,))], {}


def resize_float(m):
    for _ in range(40):
        x = m(F, (m.r.randint(1, 3), m.r.randint(1, 9), m.r.randint(1, 9), m.r.randint(1, 4)))
        attrs = one_of(m, {}, {'align_corners': True}, {'half_pixel_centers': True})
        yield [x, ints(*m.r.randint(1, 10, 2)), arr(F, -1.), arr(F, 1.)], attrs


RAGGED = {'DenseCountSparseOutput': dense_count, 'SparseCountSparseOutput': sparse_count, 'RaggedCountSparseOutput': ragged_count,
          'SparseBincount': sparse_bincount, 'RaggedBincount': ragged_bincount, 'ScaleAndTranslate': scale_and_translate,
          'ScaleAndTranslateGrad': scale_and_translate_grad, 'FusedPadConv2D': lambda m: fused_conv(m, False),
          'FusedResizeAndPadConv2D': lambda m: fused_conv(m, True), 'Empty': empty, 'InplaceUpdate': inplace, 'InplaceAdd': inplace,
          'InplaceSub': inplace, 'QuantizedResizeBilinear': resize_float}
