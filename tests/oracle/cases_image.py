"""Oracle cases for convolutions, pools and the other image ops (see cases.py)."""
import numpy as np

from cases import ALL, D, DTYPES, F, FLOATS, I, INTS, L, NUMBERS, SPECIAL, arr, ints, like_pair, unary

CONVS = [  # image, filter, strides, padding, more attributes
    ((1, 4, 4, 1), (2, 2, 1, 1), 1, 'VALID', {}), ((2, 5, 6, 3), (3, 3, 3, 4), 1, 'SAME', {}),
    ((1, 7, 5, 2), (3, 2, 2, 3), 2, 'SAME', {}), ((1, 7, 5, 2), (3, 2, 2, 3), 2, 'VALID', {}),
    ((2, 3, 3, 4), (1, 1, 4, 5), 1, 'SAME', {}), ((2, 4, 4, 4), (1, 1, 4, 5), 2, 'VALID', {}),
    ((1, 8, 8, 1), (3, 3, 1, 2), 1, 'VALID', {'dilations': [1, 2, 3, 1]}),
    ((1, 8, 8, 1), (3, 3, 1, 2), 1, 'SAME', {'dilations': [1, 2, 2, 1]}),
    ((1, 4, 4, 2), (2, 2, 2, 1), 1, 'EXPLICIT', {'explicit_paddings': [0, 0, 1, 2, 3, 0, 0, 0]}),
    ((0, 4, 4, 1), (2, 2, 1, 1), 1, 'SAME', {}), ((1, 4, 4, 1), (2, 2, 1, 0), 1, 'SAME', {}),
    ((1, 2, 2, 1), (3, 3, 1, 1), 1, 'SAME', {}),
    ((3, 9, 9, 8), (5, 5, 8, 16), 3, 'SAME', {}),
]


# TensorFlow's CPU has no kernel for channels first, and none for the gradients of grouped
# convolutions.
FIRST = {'data_format': 'NCHW'}


def conv_attrs(stride, padding, more):
    return {'strides': [1, stride, stride, 1], 'padding': padding, **more}


def conv2d(m):
    for dtype in (F, D, I):
        for image, kernel, stride, padding, more in CONVS:
            yield [m(dtype, image, -3, 3), m(dtype, kernel, -3, 3)], conv_attrs(stride, padding, more)
    for image, kernel, attrs in [
            ((1, 4, 4, 2), (2, 2, 1, 2), {}), ((1, 4, 4, 4), (2, 2, 2, 6), {}), ((1, 4, 4, 3), (2, 2, 2, 1), {}),
            ((4, 4, 1), (2, 2, 1, 1), {}), ((1, 4, 4, 1), (2, 2, 1), {}), ((1, 1, 1, 1), (3, 3, 1, 1), {}),
            ((1, 4, 4, 1), (2, 2, 1, 1), {'strides': [2, 1, 1, 1]}), ((1, 4, 4, 1), (2, 2, 1, 1), {'strides': [1, 1, 1]}),
            ((1, 4, 4, 1), (2, 2, 1, 1), {'dilations': [1, 1, 1, 2]}), ((1, 4, 4, 1), (2, 2, 1, 1), {'strides': [1, 0, 1, 1]}),
            ((1, 4, 4, 1), (2, 2, 1, 1), {'explicit_paddings': [0, 0, 1, 1, 1, 1, 0, 0]}),
            ((1, 4, 4, 1), (2, 2, 1, 1), {'padding': 'EXPLICIT'})]:
        yield [m(F, image), m(F, kernel)], {**conv_attrs(1, 'VALID', {}), **attrs}
    yield [m(F, (1, 2, 4, 4)), m(F, (2, 2, 2, 1))], conv_attrs(1, 'VALID', FIRST)


def out_shape(image, kernel, stride, padding, more, multiplier=False):
    """Returns the shape of the convolution, or None if it is invalid."""
    size = []
    for d in (1, 2):
        reach = (kernel[d - 1] - 1) * more.get('dilations', [1] * 4)[d] + 1
        pads = sum(more.get('explicit_paddings', [0] * 8)[2 * d:2 * d + 2])
        size.append(-(-image[d] // stride) if padding == 'SAME' else (image[d] + pads - reach + stride) // stride)
    if min(size) < 0:
        return None
    return (image[0], *size, kernel[3] * (kernel[2] if multiplier else 1))


def conv_grad(m, which, cases=CONVS, dtypes=(F, D), multiplier=False):
    for dtype in dtypes:
        for case in cases:
            image, kernel, stride, padding, more = case
            out = out_shape(*case, multiplier=multiplier)
            if out is None or 0 in kernel or 0 in out[1:3] or 'dilations' in more:
                continue  # TensorFlow's CPU has no gradients of dilated convolutions
            sizes = np.array(image if which == 'input' else kernel, np.int32)
            other = m(dtype, kernel if which == 'input' else image, -3, 3)
            pair = [sizes, other] if which == 'input' else [other, sizes]
            yield pair + [m(dtype, out, -3, 3)], conv_attrs(stride, padding, more)
    image, kernel, dy = (1, 4, 4, 1), (2, 2, 1, 1), (1, 4, 3, 1)
    sizes = np.array(image if which == 'input' else kernel, np.int32)
    other = m(F, kernel if which == 'input' else image)
    pair = [sizes, other] if which == 'input' else [other, sizes]
    yield pair + [m(F, dy)], conv_attrs(1, 'SAME', {})
    yield pair + [m(F, (4, 3, 1))], conv_attrs(1, 'SAME', {})
    pair = [sizes[:3], other] if which == 'input' else [other, sizes[:3]]
    yield pair + [m(F, (1, 4, 4, 1))], conv_attrs(1, 'SAME', {})
    for image, kernel, more in (((1, 1, 4, 4), (2, 2, 1, 1), FIRST), ((1, 4, 4, 4), (2, 2, 2, 4), {})):
        sizes = np.array(image if which == 'input' else kernel, np.int32)
        other = m(F, kernel if which == 'input' else image)
        pair = [sizes, other] if which == 'input' else [other, sizes]
        yield pair + [m(F, (1, 1, 4, 4) if more else (1, 4, 4, 4))], conv_attrs(1, 'SAME', more)


DEPTHWISE = [
    ((1, 4, 4, 1), (2, 2, 1, 1), 1, 'VALID', {}), ((2, 5, 6, 3), (3, 3, 3, 2), 1, 'SAME', {}),
    ((1, 7, 5, 2), (3, 2, 2, 3), 2, 'SAME', {}), ((1, 7, 5, 2), (3, 2, 2, 1), 2, 'VALID', {}),
    ((1, 4, 4, 2), (2, 2, 2, 1), 1, 'EXPLICIT', {'explicit_paddings': [0, 0, 1, 2, 3, 0, 0, 0]}),
]


def depthwise(m):
    for dtype in FLOATS:
        for image, kernel, stride, padding, more in DEPTHWISE:
            yield [m(dtype, image, -3, 3), m(dtype, kernel, -3, 3)], conv_attrs(stride, padding, more)
    yield [m(F, (1, 4, 4, 3)), m(F, (2, 2, 2, 1))], conv_attrs(1, 'SAME', {})
    yield [m(F, (4, 4, 3)), m(F, (2, 2, 3, 1))], conv_attrs(1, 'SAME', {})


POOLS = [  # image, ksize, strides, padding
    ((1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'), ((2, 5, 5, 3), [1, 3, 3, 1], [1, 2, 2, 1], 'SAME'),
    ((1, 5, 4, 2), [1, 2, 3, 1], [1, 1, 2, 1], 'SAME'), ((1, 7, 7, 2), [1, 2, 2, 1], [1, 3, 3, 1], 'VALID'),
    ((0, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'), ((1, 2, 2, 1), [1, 5, 5, 1], [1, 1, 1, 1], 'SAME'),
    ((1, 33, 3, 5), [1, 4, 1, 1], [1, 1, 1, 1], 'VALID'),
]
BAD_POOLS = [((4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'), ((1, 4, 4, 1), [1, 2, 2], [1, 2, 2, 1], 'VALID'),
             ((1, 4, 4, 1), [2, 1, 1, 1], [1, 1, 1, 1], 'VALID'), ((1, 4, 4, 1), [1, 0, 1, 1], [1, 1, 1, 1], 'VALID')]


def pool_attrs(ksize, strides, padding):
    return {'ksize': ksize, 'strides': strides, 'padding': padding}


def max_pool(m):
    for dtype in (F, D, I, L):
        for image, *rest in POOLS:
            yield [m(dtype, image)], pool_attrs(*rest)
    yield [m(F, (1, 3, 3, 4))], pool_attrs([1, 1, 1, 2], [1, 1, 1, 2], 'SAME')
    yield [m(F, (1, 3, 3, 3))], pool_attrs([1, 1, 1, 2], [1, 1, 1, 2], 'SAME')
    yield [m(F, (1, 3, 3, 4))], pool_attrs([1, 2, 1, 2], [1, 1, 1, 2], 'SAME')
    yield [m(F, (1, 4, 4, 2))], {**pool_attrs([1, 2, 2, 1], [1, 1, 1, 1], 'EXPLICIT'),
                                 'explicit_paddings': [0, 0, 1, 0, 0, 1, 0, 0]}
    for image, *rest in BAD_POOLS:
        yield [m(F, image)], pool_attrs(*rest)
    yield [m(F, (1, 2, 3, 3))], {**pool_attrs([1, 1, 2, 2], [1, 1, 1, 1], 'VALID'), **FIRST}


def avg_pool(m):
    for dtype in FLOATS:
        for image, *rest in POOLS:
            yield [m(dtype, image)], pool_attrs(*rest)
    for image, *rest in BAD_POOLS:
        yield [m(F, image)], pool_attrs(*rest)
    yield [m(F, (1, 3, 3, 4))], pool_attrs([1, 1, 1, 2], [1, 1, 1, 2], 'SAME')
    yield [m(F, (1, 2, 3, 3))], {**pool_attrs([1, 1, 2, 2], [1, 1, 1, 1], 'VALID'), **FIRST}


def pooled(x, ksize, strides, padding):
    import runner_tf  # the inputs of the gradient follow from the forward op
    case = runner_tf.Case('MaxPool', [x], pool_attrs(ksize, strides, padding))
    from tensor_text import decode
    return decode(runner_tf.run_values(case)['out'][0])


def max_pool_grad(m, second):
    for dtype in FLOATS:
        for image, *rest in POOLS:
            x = m(dtype, image)
            y = pooled(x, *rest)
            yield [x, y, m(dtype, image if second else y.shape)], pool_attrs(*rest)
        x = np.ones((1, 3, 3, 1), DTYPES[dtype])
        rest = ([1, 2, 2, 1], [1, 1, 1, 1], 'VALID')
        yield [x, pooled(x, *rest), m(dtype, (1, 3, 3, 1) if second else (1, 2, 2, 1))], pool_attrs(*rest)
        yield [x, x, m(dtype, (1, 2, 2, 1))], pool_attrs(*rest)
    x, y = m(F, (1, 2, 3, 3)), m(F, (1, 2, 2, 2))
    yield [x, y, x if second else y], {**pool_attrs([1, 1, 2, 2], [1, 1, 1, 1], 'VALID'), **FIRST}


def avg_pool_grad(m):
    for dtype in FLOATS:
        for image, *rest in POOLS:
            y = pooled(np.zeros(image, np.float32), *rest)
            yield [np.array(image, np.int32), m(dtype, y.shape)], pool_attrs(*rest)
    yield [ints(4, 4, 1), m(F, (1, 4, 4, 1))], pool_attrs([1, 2, 2, 1], [1, 1, 1, 1], 'SAME')
    yield [ints(1, 2, 3, 3), m(F, (1, 2, 2, 2))], {**pool_attrs([1, 1, 2, 2], [1, 1, 1, 1], 'VALID'), **FIRST}


def lrn(m, grad):
    for shape in [(1, 1, 1, 1), (2, 2, 3, 7), (1, 2, 2, 20), (0, 1, 1, 3)]:
        for attrs in ({}, {'depth_radius': 2, 'bias': 2., 'alpha': .1, 'beta': .75}, {'depth_radius': 0}):
            yield [m(F, shape, -2, 2) for _ in range(3 if grad else 1)], attrs
    yield [m(F, (2, 2, 3)) for _ in range(3 if grad else 1)], {}


def batch_norm(m):
    none = np.zeros(0, np.float32)
    for shape in [(2, 3, 3, 4), (1, 1, 2, 1), (5, 2, 2, 3)]:
        n = shape[3]
        scale, offset = m(F, (n,)), m(F, (n,))
        mean, variance = m(F, (n,)), np.abs(m(F, (n,)))
        yield [m(F, shape), scale, offset, none, none], {}
        yield [m(F, shape), scale, offset, none, none], {'epsilon': .01}
        yield [m(F, shape), scale, offset, mean, variance], {'exponential_avg_factor': .25}
    yield [m(F, (2, 3, 4)), m(F, (4,)), m(F, (4,)), none, none], {}
    yield [m(F, (2, 3, 4, 4)), m(F, (3,)), m(F, (4,)), none, none], {}


def batch_norm_grad(m, version):
    for shape in [(2, 3, 3, 4), (5, 2, 2, 3)]:
        n = shape[3]
        for training in (True, False):
            row = [m(F, shape), m(F, shape), m(F, (n,)), m(F, (n,)), np.abs(m(F, (n,))) + np.float32(.5)]
            yield row + ([np.zeros(1, np.float32)] if version == 3 else []), {'is_training': training}
    row = [m(F, (2, 3, 3, 4)), m(F, (2, 3, 3, 3)), m(F, (4,)), m(F, (4,)), m(F, (4,))]
    yield row + ([np.zeros(1, np.float32)] if version == 3 else []), {}


def top_k(m):
    for dtype in NUMBERS:
        for shape, k in [((3,), 2), ((7,), 7), ((2, 5), 3), ((2, 3, 4), 1), ((4,), 0), ((0, 3), 2), ((2, 0), 0), ((3, 40), 10)]:
            yield [m(dtype, shape, -4, 4), np.array(k, np.int32)], {}
        yield [m(dtype, (3,)), np.array(4, np.int32)], {}
        yield [m(dtype, (3,)), np.array(-1, np.int32)], {}
    yield [m(F, ()), np.array(1, np.int32)], {}
    yield [m(F, (4,)), ints(1)], {}


def in_top_k(m):
    for dtype in INTS:
        for rows, classes, k in [(3, 4, 1), (5, 3, 2), (0, 3, 1), (2, 3, 5), (2, 3, 0), (2, 3, -1)]:
            yield [m(F, (rows, classes)), m(dtype, (rows,), 0, classes), np.array(k, DTYPES[dtype])], {}
        yield [np.array([[1, 2, np.nan], [np.inf, 2, 3], [2, 2, 1], [1, 2, 3]], np.float32),
               np.array([1, 1, 1, 7], DTYPES[dtype]), np.array(2, DTYPES[dtype])], {}
    yield [m(F, (3,)), ints(0, 1, 2), np.array(1, np.int32)], {}
    yield [m(F, (3, 2)), ints(0, 1), np.array(1, np.int32)], {}


def leaky(m, grad):
    for alpha in (.2, 0., -1., 2.):
        for row, attrs in (like_pair(m, FLOATS) if grad else unary(m, FLOATS)):
            yield row, {'alpha': alpha}


IMAGE = {
    'Conv2D': conv2d, 'Conv2DBackpropInput': lambda m: conv_grad(m, 'input'),
    'Conv2DBackpropFilter': lambda m: conv_grad(m, 'filter'), 'DepthwiseConv2dNative': depthwise,
    'DepthwiseConv2dNativeBackpropInput': lambda m: conv_grad(m, 'input', DEPTHWISE, multiplier=True),
    'DepthwiseConv2dNativeBackpropFilter': lambda m: conv_grad(m, 'filter', DEPTHWISE, multiplier=True),
    'MaxPool': max_pool, 'AvgPool': avg_pool, 'AvgPoolGrad': avg_pool_grad,
    'MaxPoolGrad': lambda m: max_pool_grad(m, False), 'MaxPoolGradGrad': lambda m: max_pool_grad(m, True),
    'LRN': lambda m: lrn(m, False), 'LRNGrad': lambda m: lrn(m, True),
    'FusedBatchNorm': batch_norm, 'FusedBatchNormV3': batch_norm,
    'FusedBatchNormGrad': lambda m: batch_norm_grad(m, 1), 'FusedBatchNormGradV3': lambda m: batch_norm_grad(m, 3),
    'TopKV2': top_k, 'InTopKV2': in_top_k, 'Elu': lambda m: unary(m, FLOATS), 'EluGrad': lambda m: like_pair(m, FLOATS),
    'Selu': lambda m: unary(m, FLOATS), 'SeluGrad': lambda m: like_pair(m, FLOATS),
    'Softplus': lambda m: unary(m, FLOATS, -40, 40), 'SoftplusGrad': lambda m: like_pair(m, FLOATS),
    'Softsign': lambda m: unary(m, FLOATS), 'SoftsignGrad': lambda m: like_pair(m, FLOATS),
    'Relu6': lambda m: unary(m, NUMBERS), 'Relu6Grad': lambda m: like_pair(m, NUMBERS),
    'LeakyRelu': lambda m: leaky(m, False), 'LeakyReluGrad': lambda m: leaky(m, True),
}
