"""Oracle cases for windows of images, and for boxes on images (see cases.py)."""
import numpy as np

from cases import D, DTYPES, F, I, L

IMAGES = [(1, 4, 4, 1), (2, 5, 6, 3), (1, 7, 5, 2), (2, 3, 3, 4), (0, 4, 4, 1), (1, 1, 1, 2), (1, 2, 9, 1)]


def one_of(m, *values):
    return values[m.r.randint(len(values))]


def image_patches(m):
    for dtype in (F, D, I, L):
        for image in IMAGES:
            size, stride, rate = [[1, *(int(v) for v in m.r.randint(1, 4, 2)), 1] for _ in range(3)]
            yield [m(dtype, image)], {'ksizes': size, 'strides': stride, 'rates': rate, 'padding': one_of(m, 'SAME', 'VALID')}
    ones = [1, 1, 1, 1]
    for bad in ({'ksizes': [1, 2, 2, 2]}, {'strides': [2, 1, 1, 1]}, {'rates': [1, 1, 1]}, {'ksizes': [1, 0, 1, 1]},
                {'strides': [1, -1, 1, 1]}, {'ksizes': [1, 9, 9, 1]}):
        yield [m(F, (1, 4, 4, 1))], {'ksizes': ones, 'strides': ones, 'rates': ones, 'padding': 'VALID', **bad}
    yield [m(F, (4, 4, 1))], {'ksizes': ones, 'strides': ones, 'rates': ones, 'padding': 'VALID'}


def volume_patches(m):
    for dtype in (F, D, I, L):
        for volume in ((1, 3, 4, 4, 1), (2, 2, 3, 5, 2), (1, 1, 1, 1, 3), (0, 2, 2, 2, 1), (1, 5, 4, 3, 2)):
            for padding in ('SAME', 'VALID'):
                size, stride = [[1, *(int(v) for v in m.r.randint(1, 3, 3)), 1] for _ in range(2)]
                yield [m(dtype, volume)], {'ksizes': size, 'strides': stride, 'padding': padding}
    ones = [1] * 5
    for bad in ({'ksizes': [1, 1, 1, 1, 2]}, {'strides': [1, 1, 0, 1, 1]}, {'ksizes': [1, 9, 1, 1, 1]}):
        yield [m(F, (1, 3, 4, 4, 1))], {'ksizes': ones, 'strides': ones, 'padding': 'VALID', **bad}
    yield [m(F, (3, 4, 4, 1))], {'ksizes': ones, 'strides': ones, 'padding': 'VALID'}


def glimpse(m):
    """Without noise if a window extends beyond the image, because TensorFlow's noise differs in every run."""
    for _ in range(40):
        image = one_of(m, *IMAGES)
        size = m.r.randint(0, 6, 2).astype(np.int32)
        normalized = bool(m.r.randint(2))
        reach = 1.3 if normalized else 4
        yield [m(F, image), size, m(F, (image[0], 2), -reach, reach)], {
            'centered': bool(m.r.randint(2)), 'normalized': normalized, 'uniform_noise': False, 'noise': 'zero'}
    whole = {'centered': True, 'normalized': True, 'uniform_noise': True}
    yield [m(F, (2, 5, 5, 1)), np.array([3, 3], np.int32), np.zeros((2, 2), np.float32)], whole
    for size, offsets in (([-1, 2], (1, 2)), ([2, 2], (2, 2)), ([2], (1, 2)), ([2, 2], (1, 3)), ([2, 2], (2,))):
        yield [m(F, (1, 4, 4, 1)), np.array(size, np.int32), m(F, offsets, -1, 1)], {'uniform_noise': False, 'noise': 'zero'}
    yield [m(F, (1, 4, 4, 1)), np.array([2, 2], np.int32), m(F, (1, 2), -1, 1)], {'noise': 'zero'}
    yield [m(F, (1, 4, 4, 1)), np.array([2, 2], np.int32), m(F, (1, 2), -1, 1)], {'noise': 'loud', 'uniform_noise': False}


def some_boxes(m, shape, low=-.3, high=1.3):
    boxes = m(F, shape + (4,), low, high)
    if m.r.rand() < .8:
        boxes[..., :2], boxes[..., 2:] = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    return boxes


def draw(m, colours):
    for _ in range(30):
        image = (int(m.r.randint(0, 3)), int(m.r.randint(1, 7)), int(m.r.randint(1, 7)), one_of(m, 1, 3, 4))
        inputs = [m(F, image, 0, 1), some_boxes(m, (image[0], int(m.r.randint(0, 13))))]
        yield inputs + ([m(F, (int(m.r.randint(0, 4)), 4), 0, 1)] if colours else []), {}
    more = [m(F, (2, 4), 0, 1)] if colours else []
    for image, boxes in (((1, 3, 3, 2), (1, 1, 4)), ((3, 3, 1), (1, 1, 4)), ((1, 3, 3, 1), (1, 1, 3)), ((1, 3, 3, 1), (2, 1, 4)),
                         ((1, 3, 3, 1), (1, 4))):
        yield [m(F, image, 0, 1), m(F, boxes, 0, 1)] + more, {}
    if colours:
        yield [m(F, (1, 3, 3, 3), 0, 1), some_boxes(m, (1, 2)), m(F, (2, 2), 0, 1)], {}
        yield [m(F, (1, 3, 3, 3), 0, 1), some_boxes(m, (1, 2)), m(F, (2,), 0, 1)], {}
    odd = np.array([[[np.nan, 0, 1, 1], [0, 0, 1e30, 1], [-5, -5, 5, 5], [1, 1, 0, 0], [2, 2, 3, 3]]], np.float32)
    yield [m(F, (1, 4, 4, 1), 0, 1), odd] + more, {}


def scalar(value, dtype=F):
    return np.array(value, DTYPES[dtype])


def suppress(m, version):
    for _ in range(40):
        n = int(m.r.randint(0, 9))
        scores = m(F, (n,), 0, 1) if m.r.rand() < .7 else np.array(m.r.randint(0, 3, n) / 2, np.float32)
        inputs = [some_boxes(m, (n,), 0, 1), scores, scalar(m.r.randint(0, 6), I), scalar(one_of(m, 0., .1, .5, 1.)),
                  scalar(one_of(m, -np.inf, 0., .3, .9))]
        yield inputs + ([scalar(one_of(m, 0., 0., .3, 1.))] if version == 5 else []), {'pad_to_max_output_size': bool(m.r.randint(2))}
    more = [scalar(0.)] if version == 5 else []
    fine = [some_boxes(m, (3,), 0, 1), m(F, (3,), 0, 1), scalar(2, I), scalar(.5), scalar(0.)] + more
    for at, bad in ((0, m(F, (3, 5), 0, 1)), (0, m(F, (2, 4), 0, 1)), (1, m(F, (3, 1), 0, 1)), (2, scalar(-1, I)),
                    (2, np.array([2], np.int32)), (3, scalar(1.5)), (3, scalar(-.5)), (4, m(F, (1,), 0, 1))):
        yield fine[:at] + [bad] + fine[at + 1:], {}
    if version == 5:
        yield fine[:5] + [scalar(-1.)], {}


def suppress_overlaps(m):
    for _ in range(40):
        n = int(m.r.randint(0, 9))
        yield [m(F, (n, n), 0, 1), m(F, (n,), 0, 1), scalar(m.r.randint(0, 6), I), scalar(one_of(m, 0., .5, 1., 2.)),
               scalar(one_of(m, -np.inf, 0., .3))], {}
    fine = [m(F, (3, 3), 0, 1), m(F, (3,), 0, 1), scalar(2, I), scalar(.5), scalar(0.)]
    for at, bad in ((0, m(F, (3, 2), 0, 1)), (0, m(F, (2, 2), 0, 1)), (0, m(F, (9,), 0, 1)), (1, m(F, (3, 1), 0, 1)), (2, scalar(-1, I))):
        yield fine[:at] + [bad] + fine[at + 1:], {}


def suppress_classes(m):
    for _ in range(40):
        batch, n, classes = int(m.r.randint(1, 3)), int(m.r.randint(1, 6)), int(m.r.randint(1, 4))
        # equal scores may come in any order
        scores = m.r.permutation(batch * n * classes).reshape(batch, n, classes) / 100
        yield [some_boxes(m, (batch, n, one_of(m, 1, classes))), scores.astype(np.float32), scalar(m.r.randint(1, 5), I),
               scalar(m.r.randint(1, 9), I), scalar(one_of(m, 0., .3, 1.)), scalar(one_of(m, 0., .02, .1))], {
                   'pad_per_class': bool(m.r.randint(2)), 'clip_boxes': bool(m.r.randint(2))}
    fine = [some_boxes(m, (1, 3, 1)), m(F, (1, 3, 2), 0, 1), scalar(2, I), scalar(3, I), scalar(.5), scalar(0.)]
    for at, bad in ((0, some_boxes(m, (1, 3))), (0, some_boxes(m, (1, 3, 3))), (0, m(F, (1, 3, 1, 5), 0, 1)), (0, some_boxes(m, (2, 3, 1))),
                    (1, m(F, (1, 4, 2), 0, 1)), (1, m(F, (3, 2), 0, 1)), (2, scalar(0, I)), (3, scalar(0, I)), (3, scalar(-1, I)),
                    (4, scalar(1.5))):
        yield fine[:at] + [bad] + fine[at + 1:], {}


def sample(m, version):
    for i in range(40):
        size = np.array([*m.r.randint(1, 60, 2), 3], DTYPES[one_of(m, I, L)])
        boxes = np.sort(m(F, (1, int(m.r.randint(1, 4)), 2, 2), 0, 1), axis=2).reshape(1, -1, 4)
        covered = one_of(m, 0., .1, .5, 1.)
        attrs = {'seed': 1 + i, 'seed2': int(m.r.randint(99)), 'max_attempts': one_of(m, 1, 5, 100),
                 'aspect_ratio_range': one_of(m, [.75, 1.33], [.1, 5.], [1., 1.]),
                 'area_range': one_of(m, [.05, 1.], [.5, .6], [.9, 1.]), 'use_image_if_no_bounding_boxes': bool(m.r.randint(2))}
        if version == 1:
            yield [size, boxes], {**attrs, 'min_object_covered': covered}, 2
        else:
            yield [size, boxes, scalar(covered)], attrs, 2
    size, boxes, more = np.array([9, 7, 3], np.int32), np.array([[[.1, .2, .6, .7]]], np.float32), [scalar(.1)] if version == 2 else []
    for bad in ({'aspect_ratio_range': [0., 1.]}, {'aspect_ratio_range': [1.]}, {'area_range': [.1, 2.]}, {'area_range': [.5, .1]},
                {'max_attempts': 0}):
        yield [size, boxes] + more, {'seed': 3, 'seed2': 4, **bad}
    for one, other in ((size[:2], boxes), (size, boxes[0]), (size, boxes[..., :3]), (size, boxes * 2), (size, boxes[:, :0]),
                       (size * 0, boxes), (-size, boxes)):
        yield [one, other] + more, {'seed': 3, 'seed2': 4}
    yield [size, boxes[:, :0]] + more, {'seed': 3, 'seed2': 4, 'use_image_if_no_bounding_boxes': True}


BOXES = {'ExtractImagePatches': image_patches, 'ExtractVolumePatches': volume_patches, 'ExtractGlimpse': glimpse, 'ExtractGlimpseV2': glimpse,
         'DrawBoundingBoxes': lambda m: draw(m, False), 'DrawBoundingBoxesV2': lambda m: draw(m, True),
         'NonMaxSuppressionV4': lambda m: suppress(m, 4), 'NonMaxSuppressionV5': lambda m: suppress(m, 5),
         'NonMaxSuppressionWithOverlaps': suppress_overlaps, 'CombinedNonMaxSuppression': suppress_classes,
         'SampleDistortedBoundingBox': lambda m: sample(m, 1), 'SampleDistortedBoundingBoxV2': lambda m: sample(m, 2)}
