"""Oracle cases for Conv, the convolution of both images and volumes (see cases.py)."""
from cases import D, F, I


def conv(m):
    two = [((1, 4, 4, 1), (2, 2, 1, 1)), ((2, 5, 3, 2), (2, 3, 2, 3)), ((1, 7, 7, 3), (3, 3, 3, 2)), ((0, 4, 4, 1), (2, 2, 1, 1)),
           ((1, 3, 3, 2), (3, 3, 2, 0)), ((1, 2, 2, 2), (3, 3, 2, 1)), ((1, 4, 4, 2), (2, 2, 1, 1)), ((1, 4, 4), (2, 2, 1))]
    three = [((1, 3, 4, 4, 1), (2, 2, 2, 1, 1)), ((2, 3, 3, 2, 2), (1, 2, 1, 2, 2)), ((0, 2, 2, 2, 1), (1, 1, 1, 1, 1))]
    for pairs, rank in ((two, 4), (three, 5)):
        ones = [1] * rank
        for x, f in pairs:
            for padding in ('VALID', 'SAME'):
                for d in (F, D, I) if (x, f) == two[0] else (F,):
                    yield [m(d, x), m(d, f)], {'strides': ones, 'padding': padding}
            if len(x) == rank:
                yield [m(F, x), m(F, f)], {'strides': [1, 2] + [1] * (rank - 3) + [1], 'padding': 'SAME'}
                if x[0]:  # TensorFlow returns the wrong rank for an empty batch of two dimensions
                    yield [m(F, (2,) + x), m(F, f)], {'strides': ones, 'padding': 'SAME', 'batch_dims': 2}
                yield [m(F, x[1:]), m(F, f)], {'strides': ones, 'padding': 'SAME', 'batch_dims': 0}
    x, f = m(F, (1, 5, 5, 2)), m(F, (2, 2, 2, 3))
    ones = [1, 1, 1, 1]
    yield [x, f], {'strides': ones, 'padding': 'VALID', 'dilations': [1, 2, 2, 1]}
    yield [x, f], {'strides': ones, 'padding': 'EXPLICIT', 'explicit_paddings': [0, 0, 1, 2, 0, 1, 0, 0]}
    yield [x, f], {'strides': ones, 'padding': 'EXPLICIT', 'explicit_paddings': [0, 0, 1, 2]}
    yield [x, f], {'strides': [1, 1], 'padding': 'VALID'}
    yield [x, f], {'strides': [1, 0, 1, 1], 'padding': 'VALID'}
    yield [x, f], {'strides': ones, 'padding': 'VALID', 'batch_dims': -1}
    # TensorFlow's CPU kernels support neither.
    yield [m(F, (1, 5, 5, 4)), m(F, (2, 2, 2, 4))], {'strides': ones, 'padding': 'VALID', 'groups': 2}
    yield [m(F, (1, 5, 5, 4)), m(F, (2, 2, 2, 4))], {'strides': ones, 'padding': 'VALID'}
    yield [m(F, (1, 2, 5, 5)), f], {'strides': ones, 'padding': 'VALID', 'data_format': 'CHANNELS_FIRST'}


CONV = {'Conv': conv}
