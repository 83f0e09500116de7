"""Oracle cases for additive and fractional pools, and for candidate samplers (see cases.py)."""
import numpy as np

from cases import D, F, I, L, ints

IMAGES = [(1, 4, 4, 1), (2, 5, 6, 3), (1, 7, 5, 2), (2, 3, 3, 4), (0, 4, 4, 1), (1, 9, 3, 1)]


def one_of(m, *values):
    return values[m.r.randint(len(values))]


def dilation_window(m, dtype, image):
    """Yields (filter, attributes, shape of the output)."""
    rows, columns = (int(v) for v in m.r.randint(1, 4, 2))
    strides, rates = ([1, *(int(v) for v in m.r.randint(1, 3, 2)), 1] for _ in range(2))
    padding, out = one_of(m, 'SAME', 'VALID'), []
    for n, k, stride, rate in zip(image[1:3], (rows, columns), strides[1:3], rates[1:3]):
        out.append(-(-n // stride) if padding == 'SAME' else max(0, (n - (k - 1) * rate - 1) // stride + 1))
    attrs = {'strides': strides, 'rates': rates, 'padding': padding}
    return m(dtype, (rows, columns, image[3])), attrs, (image[0], *out, image[3])


def dilation(m):
    for dtype in (F, D, I, L):
        for image in IMAGES:
            window, attrs, _ = dilation_window(m, dtype, image)
            yield [m(dtype, image), window], attrs
    yield from bad_dilations(m, [])
    odd = m(F, (1, 4, 4, 1))
    odd[0, 1, 1:3, 0] = np.nan, np.inf
    yield [odd, m(F, (2, 2, 1))], {'strides': [1, 1, 1, 1], 'rates': [1, 1, 1, 1], 'padding': 'SAME'}
    edge = np.array([2**31 - 1, -2**31, 5, -1], np.int32).reshape(1, 2, 2, 1)
    yield [edge, edge.reshape(2, 2, 1)], {'strides': [1, 1, 1, 1], 'rates': [1, 1, 1, 1], 'padding': 'SAME'}


def bad_dilations(m, more):
    good = {'strides': [1, 1, 1, 1], 'rates': [1, 1, 1, 1], 'padding': 'VALID'}
    for bad in ({'strides': [2, 1, 1, 1]}, {'rates': [1, 1, 1, 2]}, {'rates': [1, 0, 1, 1]}, {'strides': [1, -1, 1, 1]},
                {'strides': [1, 1, 1, 1, 1]}, {'rates': [1, 9, 9, 1]}):
        yield [m(F, (1, 4, 4, 1)), m(F, (2, 2, 1)), *more], {**good, **bad}
    for image, window in (((1, 4, 4, 2), (2, 2, 1)), ((4, 4, 1), (2, 2, 1)), ((1, 4, 4, 1), (2, 2, 1, 1)), ((1, 4, 4, 1), (9, 9, 1))):
        yield [m(F, image), m(F, window), *more], good


def dilation_gradient(m):
    for dtype in (F, D, I, L):
        for image in IMAGES:
            window, attrs, out = dilation_window(m, dtype, image)
            yield [m(dtype, image), window, m(dtype, out)], attrs
    yield from bad_dilations(m, [m(F, (1, 3, 3, 1))])
    yield [m(F, (1, 4, 4, 1)), m(F, (2, 2, 1)), m(F, (1, 4, 4, 1))], {'strides': [1, 1, 1, 1], 'rates': [1, 1, 1, 1], 'padding': 'VALID'}


# ---- pools over regions of random size ----

def fractional(m):
    for dtype in (F, D, I, L):
        for image in ((1, 6, 7, 1), (2, 9, 5, 3), (1, 12, 4, 2), (0, 5, 5, 1), (1, 3, 3, 1), (1, 20, 17, 1), (1, 8, 8, 2)):
            ratio = [1., *(float(v) for v in m.r.uniform(1, 2.9, 2).round(2)), 1.]
            yield [m(dtype, image)], {'pooling_ratio': ratio, 'pseudo_random': bool(m.r.randint(2)), 'overlapping': bool(m.r.randint(2)),
                                      'deterministic': True, 'seed': int(m.r.randint(1, 1000)), 'seed2': int(m.r.randint(0, 3))}
    fixed = {'deterministic': True, 'seed': 1, 'seed2': 2}
    yield [m(F, (1, 4, 6, 1))], {'pooling_ratio': [1., 2., 3., 1.], 'pseudo_random': True, **fixed}
    for bad in ([1., .5, 2., 1.], [2., 1., 1., 1.], [1., 1., 1., 1.5], [1., 2., 2.], [1., 9., 2., 1.]):
        yield [m(F, (1, 4, 4, 1))], {'pooling_ratio': bad, **fixed}
    yield [m(F, (4, 4, 1))], {'pooling_ratio': [1., 2., 2., 1.], **fixed}
    yield [m(F, (1, 4, 4, 1))], {'pooling_ratio': [1., 2., 2., 1.], 'seed': 3}


def regions(m, extent):
    """Returns the beginnings of regions with one to three elements, followed by the end."""
    begins = [0]
    while begins[-1] < extent:
        begins.append(min(extent, begins[-1] + int(m.r.randint(1, 4))))
    return ints(*begins, dtype=L)


def pooled(x, rows, columns, overlapping):
    out = np.zeros((x.shape[0], len(rows) - 1, len(columns) - 1, x.shape[3]), x.dtype)
    for i in range(len(rows) - 1):
        for j in range(len(columns) - 1):
            more = int(overlapping)
            out[:, i, j] = x[:, rows[i]:rows[i + 1] + more, columns[j]:columns[j + 1] + more].max((1, 2))
    return out


def max_gradient(m):
    for dtype in (F, D, I, L):
        for image in ((1, 6, 7, 1), (2, 4, 5, 3), (1, 3, 3, 2), (1, 1, 8, 1)):
            for overlapping in (False, True):
                x, rows, columns = m(dtype, image), regions(m, image[1]), regions(m, image[2])
                out = pooled(x, rows, columns, overlapping)
                yield [x, out, m(dtype, out.shape), rows, columns], {'overlapping': overlapping}
    x = m(F, (1, 4, 4, 1))
    rows = ints(0, 2, 4, dtype=L)
    out = pooled(x, rows, rows, False)
    yield [x, out + 1, out, rows, rows], {}
    yield [x, out, m(F, (1, 3, 2, 1)), rows, rows], {}
    yield [x, out, out, ints(0, 2, dtype=L), rows], {}
    yield [x, out, out, ints(0, 5, 9, dtype=L), rows], {}
    yield [x[0], out, out, rows, rows], {}


def mean_gradient(m):
    for dtype in (F, D, I, L):
        for image in ((1, 6, 7, 1), (2, 4, 5, 3), (1, 3, 3, 2), (1, 1, 8, 1)):
            for overlapping in (False, True):
                rows, columns = regions(m, image[1]), regions(m, image[2])
                out = (image[0], len(rows) - 1, len(columns) - 1, image[3])
                yield [ints(*image, dtype=L), m(dtype, out), rows, columns], {'overlapping': overlapping}
    rows = ints(0, 2, 4, dtype=L)
    yield [ints(1, 4, 4, dtype=L), m(F, (1, 2, 2, 1)), rows, rows], {}
    yield [ints(1, 4, 4, 1, dtype=L), m(F, (2, 2, 1)), rows, rows], {}
    yield [ints(1, 4, 4, 1, dtype=L), m(F, (1, 2, 2, 1)), ints(0, -1, 4, dtype=L), rows], {}


# ---- classes ----

def drawn(m, attrs, most=3):
    """Yields (inputs, attributes, runs). Each run continues the random stream."""
    num_true = int(m.r.randint(1, 4))
    rows = int(m.r.randint(0, 4))
    classes = m.r.randint(0, attrs.get('range_max', attrs['num_sampled']), (rows, num_true)).astype(np.int64)
    return [classes], {'num_true': num_true, 'seed': int(m.r.randint(1, 100)), 'seed2': int(m.r.randint(0, 3)), **attrs}, most


def mistakes(m, more):
    common = {'num_true': 1, 'num_sampled': 3, 'unique': True, 'seed': 1, **more}
    yield [np.zeros((2,), np.int64)], common
    yield [np.zeros((2, 2), np.int64)], common
    yield [np.zeros((2, 1), np.int64)], {**common, 'num_sampled': 0}
    for outside in (-1, more.get('range_max', 3)):
        yield [np.full((2, 1), outside, np.int64)], common
    if 'range_max' in more:
        yield [np.zeros((2, 1), np.int64)], {**common, 'num_sampled': 9}


def learned(m):
    for n in (4, 7, 16, 1000):
        for unique in (False, True):
            for _ in range(5):
                yield drawn(m, {'num_sampled': int(m.r.randint(1, 5)), 'unique': unique, 'range_max': n}, 4)
    yield from mistakes(m, {'range_max': 4})


def fixed(m):
    for n in (1, 4, 7, 100):
        for unique in (False, True):
            for _ in range(5):
                reserved, shards = int(m.r.randint(0, 3)), int(m.r.randint(1, 4))
                shard = int(m.r.randint(shards))
                weights = [float(v) for v in m.r.uniform(.1, 9, n * shards).round(2)]
                mine = len([i for i in range(reserved) if i % shards == shard])
                yield drawn(m, {'num_sampled': int(m.r.randint(1, min(n, 4) + 1)), 'unique': unique, 'range_max': n + mine,
                                'unigrams': weights, 'distortion': one_of(m, 1., .75, 0.), 'num_reserved_ids': reserved,
                                'num_shards': shards, 'shard': shard})
    yield from mistakes(m, {'range_max': 3, 'unigrams': [1., 2., 3.]})
    yield from mistakes(m, {'range_max': 3, 'unigrams': [1., 2.]})
    yield [np.zeros((2, 1), np.int64)], {'num_true': 1, 'num_sampled': 1, 'unique': False, 'range_max': 2, 'seed': 1}


def all_classes(m):
    for n in (1, 4, 7):
        for unique in (False, True):
            for _ in range(6):
                yield drawn(m, {'num_sampled': n, 'unique': unique}, 2)
    yield from mistakes(m, {})


POOLS = {'Dilation2D': dilation, 'Dilation2DBackpropInput': dilation_gradient, 'Dilation2DBackpropFilter': dilation_gradient,
         'FractionalMaxPool': fractional, 'FractionalAvgPool': fractional, 'FractionalMaxPoolGrad': max_gradient,
         'FractionalAvgPoolGrad': mean_gradient, 'LearnedUnigramCandidateSampler': learned,
         'ThreadUnsafeUnigramCandidateSampler': learned, 'FixedUnigramCandidateSampler': fixed, 'AllCandidateSampler': all_classes}
