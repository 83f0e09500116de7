"""Oracle cases for volumes, cropped and recoloured images, quantization, and CTC labels (see cases.py)."""
import numpy as np

from cases import D, DTYPES, F, FLOATS, I, INTS, L, NUMBERS, arr, ints
from cases_array import scalar

VOLUMES = [  # volume, filter, strides, padding
    ((1, 3, 3, 3, 1), (2, 2, 2, 1, 1), 1, 'VALID'), ((2, 3, 4, 5, 2), (3, 2, 3, 2, 3), 1, 'SAME'),
    ((1, 4, 5, 3, 2), (2, 3, 2, 2, 2), 2, 'SAME'), ((1, 5, 4, 6, 1), (2, 2, 3, 1, 2), 2, 'VALID'),
    ((2, 2, 2, 2, 3), (1, 1, 1, 3, 4), 1, 'SAME'), ((0, 3, 3, 3, 1), (2, 2, 2, 1, 1), 1, 'SAME'),
    # strides above the filter's size are excluded, because TensorFlow's
    ((1, 2, 2, 2, 1), (3, 3, 3, 1, 1), 1, 'SAME'),
    # Conv3D then uses a negative padding, and its gradients do not
]


def conv3d_attrs(stride, padding, **more):
    return {'strides': [1, stride, stride, stride, 1], 'padding': padding, **more}


def conv3d(m):
    for dtype in FLOATS:
        for volume, kernel, stride, padding in VOLUMES:
            yield [m(dtype, volume, -3, 3), m(dtype, kernel, -3, 3)], conv3d_attrs(stride, padding)
    for volume, kernel, attrs in [
            ((3, 3, 3, 1), (2, 2, 2, 1, 1), {}), ((1, 3, 3, 3, 1), (2, 2, 1, 1), {}),
            ((1, 3, 3, 3, 3), (2, 2, 2, 2, 1), {}), ((1, 1, 1, 1, 1), (3, 3, 3, 1, 1), {}),
            ((1, 3, 3, 3, 1), (2, 2, 2, 1, 1), {'strides': [2, 1, 1, 1, 1]}),
            ((1, 3, 3, 3, 1), (2, 2, 2, 1, 1), {'strides': [1, 1, 1, 1]}),
            ((1, 3, 3, 3, 0), (2, 2, 2, 0, 1), {}), ((1, 3, 3, 3, 4), (2, 2, 2, 2, 4), {})]:
        yield [m(F, volume), m(F, kernel)], {**conv3d_attrs(1, 'VALID'), **attrs}


def conv3d_out(volume, kernel, stride, padding):
    size = [-(-n // stride) if padding == 'SAME' else (n - k + stride) // stride
            for n, k in zip(volume[1:4], kernel[:3])]
    return (volume[0], *size, kernel[4])


def conv3d_grad(m, which):
    for dtype in FLOATS:
        for case in VOLUMES:
            volume, kernel, stride, padding = case
            dy = m(dtype, conv3d_out(*case), -3, 3)
            x, f = m(dtype, volume, -3, 3), m(dtype, kernel, -3, 3)
            if which == 'input':
                x = np.array(volume, np.int32)
            if which == 'filter':
                f = np.array(kernel, np.int32)
            yield [x, f, dy], conv3d_attrs(stride, padding)
    volume, kernel = (1, 3, 3, 3, 1), (2, 2, 2, 1, 1)
    told = np.array(volume if which == 'input' else kernel, np.int32)
    other = m(F, kernel if which == 'input' else volume)
    for given, dy in [(told, (1, 3, 3, 2, 1)), (told, (3, 3, 3, 1)), (told[:4], (1, 3, 3, 3, 1))]:
        yield [given, other, m(F, dy)] if which == 'input' else [other, given, m(F, dy)], conv3d_attrs(1, 'SAME')


POOLS3D = [
    ((1, 4, 4, 4, 1), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], 'VALID'), ((2, 3, 5, 4, 2), [1, 2, 3, 2, 1], [1, 1, 2, 1, 1], 'SAME'),
    ((1, 5, 3, 3, 3), [1, 3, 1, 2, 1], [1, 2, 1, 1, 1], 'SAME'), ((1, 2, 2, 2, 1), [1, 5, 5, 5, 1], [1, 1, 1, 1, 1], 'SAME'),
    ((0, 3, 3, 3, 1), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID'),
]
BAD_POOLS3D = [((4, 4, 4, 1), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID'), ((1, 3, 3, 3, 1), [1, 2, 2, 2], [1, 1, 1, 1, 1], 'VALID'),
               ((1, 3, 3, 3, 1), [2, 1, 1, 1, 1], [1, 1, 1, 1, 1], 'VALID'),
               ((1, 3, 3, 3, 2), [1, 1, 1, 1, 2], [1, 1, 1, 1, 2], 'VALID')]


def pool_attrs(ksize, strides, padding, **more):
    return {'ksize': ksize, 'strides': strides, 'padding': padding, **more}


def pool3d(m):
    for volume, *rest in POOLS3D + BAD_POOLS3D:
        yield [m(F, volume)], pool_attrs(*rest)
    yield [m(F, (1, 1, 3, 3, 3))], pool_attrs([1, 1, 2, 2, 2], [1, 1, 1, 1, 1], 'VALID', data_format='NCDHW')


def pooled(op, x, attrs):
    import runner_tf  # the inputs of the gradient follow from the forward op
    from tensor_text import decode
    return [decode(v) for v in runner_tf.run_values(runner_tf.Case(op, [x], attrs))['out']]


def max_pool3d_grad(m, second):
    for volume, *rest in POOLS3D[:4] if second else POOLS3D:  # TensorFlow refuses empty inputs
        for x in (m(F, volume), np.ones(volume, np.float32)):
            y, = pooled('MaxPool3D', x, pool_attrs(*rest))
            yield [x, y, m(F, volume if second else y.shape)], pool_attrs(*rest)
    x = m(F, (1, 3, 3, 3, 1))
    attrs = pool_attrs([1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID')
    yield [x, m(F, (1, 3, 2, 2, 1)), m(F, (1, 2, 2, 2, 1))], attrs


def avg_pool3d_grad(m):
    for volume, *rest in POOLS3D:
        y, = pooled('MaxPool3D', np.zeros(volume, np.float32), pool_attrs(*rest))
        yield [np.array(volume, np.int32), m(F, y.shape)], pool_attrs(*rest)
    attrs = pool_attrs([1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'SAME')
    yield [ints(3, 3, 3, 1), m(F, (1, 3, 3, 3, 1))], attrs


POOLS = [((1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'), ((2, 5, 5, 3), [1, 3, 3, 1], [1, 2, 2, 1], 'SAME'),
         ((2, 5, 4, 2), [1, 2, 3, 1], [1, 1, 2, 1], 'SAME'), ((0, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')]


def max_pool_argmax(m):
    for dtype in (F, D, I, L):
        for image, *rest in POOLS[:3]:  # TensorFlow refuses empty inputs
            for batch in (False, True):
                yield [m(dtype, image)], pool_attrs(*rest, include_batch_in_index=batch)
    yield [m(F, (1, 3, 3, 1))], pool_attrs(*POOLS[0][1:], Targmax=I)
    yield [np.ones((1, 3, 3, 1), np.float32)], pool_attrs([1, 2, 2, 1], [1, 1, 1, 1], 'SAME')
    yield [m(F, (3, 3, 1))], pool_attrs(*POOLS[0][1:])


def max_pool_argmax_grad(m):
    for dtype in FLOATS:
        for image, *rest in POOLS[:3]:
            for batch in (False, True):
                attrs = pool_attrs(*rest, include_batch_in_index=batch)
                x = m(dtype, image)
                y, places = pooled('MaxPoolWithArgmax', x, attrs)
                yield [x, m(dtype, y.shape), places], attrs


BOXES = [[0, 0, 1, 1], [.2, .1, .7, .9], [1, 1, 0, 0], [-.5, -.5, .5, .5], [.5, .5, 1.5, 2.], [.3, .3, .3, .3]]


def crop(m):
    boxes = np.array(BOXES, np.float32)
    for dtype in NUMBERS:
        for image in [(2, 4, 5, 3), (1, 1, 1, 1), (2, 3, 2, 1)]:
            index = np.arange(len(BOXES), dtype=np.int32) % image[0]
            for size in ((3, 4), (1, 1), (5, 2)):
                for method in ('bilinear', 'nearest'):
                    yield [m(dtype, image), boxes, index, ints(*size)], {'method': method, 'extrapolation_value': 2.5}
    image = m(F, (1, 3, 3, 1))
    yield [image, boxes[:0], ints(), ints(2, 2)], {}
    for index, size, b in [(ints(1), ints(2, 2), boxes[:1]), (ints(-1), ints(2, 2), boxes[:1]), (ints(0), ints(0, 2), boxes[:1]),
                           (ints(0), ints(2), boxes[:1]), (ints(0, 0), ints(2, 2), boxes[:1]), (ints(0), ints(2, 2), boxes[:1, :3]),
                           (ints(0), ints(-1, 2), boxes[:1])]:
        yield [image, b, index, size], {}
    yield [m(F, (3, 3, 1)), boxes[:1], ints(0), ints(2, 2)], {}
    yield [m(F, (1, 0, 3, 1)), boxes[:1], ints(0), ints(2, 2)], {}


def crop_grad_image(m):
    boxes = np.array(BOXES, np.float32)
    for size in ((3, 4), (1, 1)):
        for image in [(2, 4, 5, 3), (1, 1, 1, 1)]:
            for method in ('bilinear', 'nearest'):
                index = np.arange(len(BOXES), dtype=np.int32) % image[0]
                for dtype in FLOATS:
                    yield [m(F, (len(BOXES), *size, image[3])), boxes, index, ints(*image)], {'T': dtype, 'method': method}
    grads = m(F, (1, 2, 2, 1))
    for index, image in [(ints(1), ints(1, 3, 3, 1)), (ints(0), ints(1, 3, 3, 2)), (ints(0), ints(1, 3, 3)), (ints(0), ints(1, 0, 3, 1))]:
        yield [grads, boxes[:1], index, image], {'T': F}


def crop_grad_boxes(m):
    boxes = np.array(BOXES, np.float32)
    for dtype in NUMBERS:
        for size in ((3, 4), (1, 1)):
            for image in [(2, 4, 5, 3), (1, 3, 3, 1)]:
                index = np.arange(len(BOXES), dtype=np.int32) % image[0]
                yield [m(F, (len(BOXES), *size, image[3])), m(dtype, image), boxes, index], {}
    yield [m(F, (1, 2, 2, 1)), m(F, (1, 3, 3, 1)), boxes[:1], ints(4)], {}
    yield [m(F, (2, 2, 2, 1)), m(F, (1, 3, 3, 1)), boxes[:1], ints(0)], {}


RESIZES = [((1, 2, 3, 1), (4, 6)), ((2, 5, 4, 3), (3, 2)), ((1, 4, 4, 2), (4, 4)), ((1, 1, 1, 1), (3, 3)), ((1, 7, 5, 1), (2, 9)),
           ((0, 2, 2, 1), (3, 3)), ((1, 3, 3, 1), (1, 1))]


def resize(m, half=True):
    for dtype in NUMBERS:
        for image, size in RESIZES:
            yield [m(dtype, image), ints(*size)], {}
            if image[1:3] != (1, 1):
                yield [m(dtype, image), ints(*size)], {'align_corners': True}
            if half:
                yield [m(dtype, image), ints(*size)], {'half_pixel_centers': True}
    for image, size in [((2, 3, 1), ints(2, 2)), ((1, 2, 3, 1), ints(2)), ((1, 2, 3, 1), ints(0, 2)), ((1, 0, 3, 1), ints(2, 2))]:
        yield [m(F, image), size], {}


def bicubic_grad(m):
    for dtype in FLOATS:
        for image, size in RESIZES:
            for attrs in ({}, {'align_corners': True}, {'half_pixel_centers': True}):
                yield [m(F, (image[0], *size, image[3])), m(dtype, image)], attrs


def colors(m, low, high):
    for dtype in FLOATS:
        for shape in [(3,), (4, 3), (2, 3, 3), (2, 2, 2, 3), (0, 3)]:
            yield [m(dtype, shape, low, high)], {}
        yield [arr(dtype, [[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]])], {}
    yield [m(F, ())], {}


def adjust(m, values):
    for shape in [(2, 2, 3), (1, 3, 2, 3), (0, 2, 3), (2, 1, 2, 2, 3)]:
        for value in values:
            yield [m(F, shape, 0, 1), scalar(value, F)], {}
    yield [m(F, (2, 3)), scalar(.5, F)], {}
    yield [m(F, (2, 2, 3)), m(F, (1,))], {}


def adjust_contrast(m):
    yield from adjust(m, (0., .5, 2., -1.))
    yield [m(F, (2, 3, 4), -5, 5), scalar(3., F)], {}
    yield [m(F, (3, 2, 3, 1), -5, 5), scalar(3., F)], {}


def adjust_hue(m):
    yield from adjust(m, (0., .3, -.7, 1., 5.25))
    yield [m(F, (2, 2, 4)), scalar(.5, F)], {}


RANGES = [(-6., 6.), (0., 3.), (-.1, .5), (2., 5.), (-7., -1.), (0., 0.), (-1., 0.)]


def fake_args(m, grad):
    for low, high in RANGES:
        for bits, narrow in ((8, False), (8, True), (2, False), (16, True)):
            attrs = {'min': low, 'max': high, 'num_bits': bits, 'narrow_range': narrow}
            yield [m(F, (2, 9)) for _ in range(1 + grad)], attrs
    for bits in (1, 17):
        yield [m(F, (2,)) for _ in range(1 + grad)], {'num_bits': bits}
    yield [m(F, ()) for _ in range(1 + grad)], {}
    yield [m(F, (0,)) for _ in range(1 + grad)], {}
    if grad:
        yield [m(F, (2,)), m(F, (3,))], {}


def fake_vars(m, grad):
    for low, high in RANGES:
        for bits, narrow in ((8, False), (8, True), (4, False)):
            attrs = {'num_bits': bits, 'narrow_range': narrow}
            yield [m(F, (2, 9)) for _ in range(1 + grad)] + [scalar(low, F), scalar(high, F)], attrs
    yield [m(F, ()) for _ in range(1 + grad)] + [scalar(-1., F), scalar(1., F)], {}
    yield [m(F, (0, 2)) for _ in range(1 + grad)] + [scalar(-1., F), scalar(1., F)], {}
    yield [m(F, (3,)) for _ in range(1 + grad)] + [m(F, (1,)), scalar(1., F)], {}
    yield [m(F, (3,)) for _ in range(1 + grad)] + [scalar(-1., F), scalar(1., F)], {'num_bits': 99}


def fake_channels(m, grad):
    low, high = np.array([r[0] for r in RANGES], np.float32), np.array([r[1] for r in RANGES], np.float32)
    for shape in [(7,), (3, 7), (2, 2, 7), (2, 1, 3, 7), (0, 7)]:
        for bits, narrow in ((8, False), (3, True)):
            yield [m(F, shape) for _ in range(1 + grad)] + [low, high], {'num_bits': bits, 'narrow_range': narrow}
    yield [m(F, (2, 3)) for _ in range(1 + grad)] + [low, high], {}
    yield [m(F, (2, 7)) for _ in range(1 + grad)] + [low, high[:3]], {}


def quantize(m, version):
    for dtype in FLOATS:
        for signed in (True, False):
            for given in (True, False):
                for bits, more in ((8, {}), (4, {'narrow_range': True}), (3, {'round_mode': 'HALF_UP'})):
                    x = m(dtype, (3, 5), -4, 4)
                    attrs = {'signed_input': signed, 'range_given': given, **more}
                    rest = [scalar(-2., dtype), scalar(3., dtype)]
                    if version == 3:
                        attrs.pop('round_mode', None)
                        yield [x] + rest + [scalar(bits)], attrs
                    else:
                        yield [x] + rest, {**attrs, 'num_bits': bits}
    if version in (2, 4):
        for axis in (0, 1):
            n = (3, 5)[axis]
            low, high = -np.abs(m(F, (n,))), np.abs(m(F, (n,)))
            yield [m(F, (3, 5)), low, high], {'axis': axis}
        yield [m(F, (3, 5)), scalar(3., F), scalar(-3., F)], {'range_given': True}
        yield [m(F, (3,)), scalar(-3., F), scalar(3., F)], {'num_bits': 0}
        yield [m(F, (3,)), scalar(-3., F), scalar(3., F)], {'num_bits': 64}
        yield [m(F, (3,)), scalar(-3., F), scalar(3., F)], {'axis': -2}
        yield [m(F, (3, 5)), m(F, (5,)), m(F, (5,))], {'axis': 0, 'range_given': True}
        yield [m(F, (0,)), scalar(-3., F), scalar(3., F)], {}


def quantize_grad(m):
    for dtype in FLOATS:
        for shape in [(7,), (3, 5), (0,)]:
            yield [m(dtype, shape), m(dtype, shape), scalar(-3., dtype), scalar(4., dtype)], {}
        for axis in (0, 1):
            n = (3, 5)[axis]
            yield [m(dtype, (3, 5)), m(dtype, (3, 5)), -np.abs(m(dtype, (n,))), np.abs(m(dtype, (n,)))], {'axis': axis}
    yield [m(F, (3,)), m(F, (4,)), scalar(-3., F), scalar(4., F)], {}


def labels_of(rows):
    indices = [[b, i] for b, row in enumerate(rows) for i in range(len(row))]
    return np.array(indices, np.int64).reshape(-1, 2), np.array([v for row in rows for v in row], np.int32)


def ctc_loss(m):
    for dtype in FLOATS:
        for steps, classes, rows, lengths in [
                (4, 3, [[0, 1]], [4]), (5, 4, [[0, 1], [2]], [5, 3]), (6, 4, [[0, 0], [2, 1, 0], []], [6, 6, 2]),
                (3, 2, [[0], [0]], [3, 0]), (12, 6, [[1, 2, 3, 4], [0, 0, 0]], [12, 10]), (2, 1, [[]], [2])]:
            indices, values = labels_of(rows)
            case = [m(dtype, (steps, len(rows), classes), -3, 3), indices, values, np.array(lengths, np.int32)]
            yield case, {}
            yield case, {'ctc_merge_repeated': False}
            yield case, {'preprocess_collapse_repeated': True}
    indices, values = labels_of([[0, 1, 0, 1]])
    short = [m(F, (2, 1, 3)), indices, values, ints(2)]
    yield short, {}
    yield short, {'ignore_longer_outputs_than_inputs': True}
    indices, values = labels_of([[0, 0]])
    yield [m(F, (2, 1, 3)), indices, values, ints(2)], {}
    yield [m(F, (2, 1, 3)), indices, values, ints(2)], {'ignore_longer_outputs_than_inputs': True}
    indices, values = labels_of([[0, 1]])
    x = m(F, (4, 1, 3))
    yield [x, indices, ints(0, -1), ints(4)], {}
    yield [x, indices, ints(2, 0), ints(4)], {}
    yield [x, indices, ints(0, 7), ints(4)], {}
    yield [x, indices, values, ints(4, 4)], {}
    yield [x, indices, values, ints(5)], {}
    yield [x, indices, ints(0), ints(4)], {}
    yield [x, np.array([[0, 1], [0, 0]], np.int64), values, ints(4)], {}
    yield [x, np.array([[0, 0], [3, 0]], np.int64), values, ints(4)], {}
    yield [m(F, (4, 3)), indices, values, ints(4)], {}
    yield [m(F, (4, 0, 3)), indices[:0], values[:0], ints()], {}


def ctc_greedy(m):
    for dtype in FLOATS:
        for steps, batch, classes, lengths in [(5, 1, 3, [5]), (9, 2, 3, [9, 4]), (4, 3, 2, [4, 0, 1]), (1, 1, 1, [1])]:
            x = m(dtype, (steps, batch, classes), -3, 3)
            for attrs in ({}, {'merge_repeated': True}, {'blank_index': 0}, {'blank_index': -1, 'merge_repeated': True}):
                yield [x, np.array(lengths, np.int32)], attrs
    x = m(F, (5, 2, 3))
    for lengths, attrs in [((6, 5), {}), ((5, 5), {'blank_index': 3}), ((5, 5), {'blank_index': -4})]:
        yield [x, ints(*lengths)], attrs
    yield [m(F, (5, 3)), ints(5)], {}


def ctc_beam(m):
    for dtype in FLOATS:
        for steps, batch, classes, lengths in [(5, 1, 3, [5]), (8, 2, 4, [8, 4]), (4, 2, 2, [4, 3])]:
            x = m(dtype, (steps, batch, classes), -3, 3)
            for beam, paths in ((1, 1), (3, 2), (10, 3)):
                if paths > 1 and classes == 2:
                    continue
                for merge in (False, True):
                    yield [x, np.array(lengths, np.int32)], {'beam_width': beam, 'top_paths': paths, 'merge_repeated': merge}
    yield [m(F, (5, 1, 3)), ints(6)], {'beam_width': 2, 'top_paths': 1}
    yield [m(F, (1, 1, 2)), ints(1)], {'beam_width': 9, 'top_paths': 9}
    yield [m(F, (1, 1, 2)), ints(1)], {'beam_width': 1, 'top_paths': 2}


FORMATS = [('NHWC', 'NCHW'), ('NCHW', 'NHWC'), ('NHWC', 'HWNC'), ('NDHWC', 'NCDHW')]


def dim_map(m):
    for dtype in INTS:
        for source, to in FORMATS:
            n = len(source)
            for shape in [(), (3,), (2, 2), (0,)]:
                yield [m(dtype, shape, -n, n)], {'src_format': source, 'dst_format': to}
    for source, to in [('NHW', 'NWH'), ('NHWC', 'NDHWC'), ('NHWC', 'NHWX'), ('NNHW', 'NHWN')]:
        yield [ints(1)], {'src_format': source, 'dst_format': to}


def vec_permute(m):
    for dtype in INTS:
        for source, to in FORMATS:
            n = len(source)
            for shape in [(n,), (n, 2)] + [(n - 2,), (n - 2, 2)] * (to != 'HWNC'):
                yield [m(dtype, shape)], {'src_format': source, 'dst_format': to}
    for shape in [(3,), (4, 3), (), (4, 2, 1), (6,)]:
        yield [m(I, shape)], {}


def isotonic(m):
    for dtype, out in ((F, F), (D, D), (I, D), (L, D)):
        for shape in [(1,), (7,), (2, 5), (2, 2, 4), (0, 3)]:
            yield [m(dtype, shape)], {'output_dtype': out}
        yield [arr(dtype, [[3, 2, 1, 0], [0, 1, 2, 3], [2, 2, 2, 2]])], {'output_dtype': out}


def batch_matmul3(m):
    for dtype in (F, D, I, L):
        for a, b in [((2, 3), (3, 4)), ((2, 2, 3), (2, 3, 2)), ((2, 3), (4, 3, 1)), ((0, 2, 3), (0, 3, 2)), ((5, 1, 2), (1, 2, 7)),
                     ((2, 3), (2, 3)), ((3,), (3, 1))]:
            yield [m(dtype, a), m(dtype, b)], {'Tout': dtype}
        yield [m(dtype, (2, 3, 2)), m(dtype, (2, 4, 3))], {'adj_x': True, 'adj_y': True, 'Tout': dtype}
    for a in (np.int8, np.uint8):
        for b in (np.int8, np.uint8):
            yield [m(I, (2, 3), 0, 100).astype(a), m(I, (3, 4), 0, 100).astype(b)], {'Tout': I}


VISION = {
    'Conv3D': conv3d, 'Conv3DBackpropInputV2': lambda m: conv3d_grad(m, 'input'),
    'Conv3DBackpropFilterV2': lambda m: conv3d_grad(m, 'filter'),
    'MaxPool3D': pool3d, 'AvgPool3D': pool3d, 'AvgPool3DGrad': avg_pool3d_grad,
    'MaxPool3DGrad': lambda m: max_pool3d_grad(m, False), 'MaxPool3DGradGrad': lambda m: max_pool3d_grad(m, True),
    'MaxPoolWithArgmax': max_pool_argmax, 'MaxPoolGradWithArgmax': max_pool_argmax_grad,
    'CropAndResize': crop, 'CropAndResizeGradImage': crop_grad_image, 'CropAndResizeGradBoxes': crop_grad_boxes,
    'ResizeBicubic': resize, 'ResizeBicubicGrad': bicubic_grad, 'ResizeArea': lambda m: resize(m, False),
    'RGBToHSV': lambda m: colors(m, 0, 1), 'HSVToRGB': lambda m: colors(m, 0, 1), 'AdjustHue': adjust_hue,
    'AdjustSaturation': lambda m: adjust(m, (0., .5, 1., 3.)), 'AdjustContrastv2': adjust_contrast,
    'FakeQuantWithMinMaxArgs': lambda m: fake_args(m, 0), 'FakeQuantWithMinMaxArgsGradient': lambda m: fake_args(m, 1),
    'FakeQuantWithMinMaxVars': lambda m: fake_vars(m, 0), 'FakeQuantWithMinMaxVarsGradient': lambda m: fake_vars(m, 1),
    'FakeQuantWithMinMaxVarsPerChannel': lambda m: fake_channels(m, 0),
    'FakeQuantWithMinMaxVarsPerChannelGradient': lambda m: fake_channels(m, 1),
    'QuantizeAndDequantizeV2': lambda m: quantize(m, 2),
    'QuantizeAndDequantizeV3': lambda m: quantize(m, 3), 'QuantizeAndDequantizeV4': lambda m: quantize(m, 4),
    'QuantizeAndDequantizeV4Grad': quantize_grad, 'CTCLoss': ctc_loss, 'CTCGreedyDecoder': ctc_greedy,
    'CTCBeamSearchDecoder': ctc_beam, 'DataFormatDimMap': dim_map, 'DataFormatVecPermute': vec_permute,
    'IsotonicRegression': isotonic, 'BatchMatMulV3': batch_matmul3,
}
