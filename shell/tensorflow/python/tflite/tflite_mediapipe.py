"""Rules of TensorFlow Lite: the custom operators of MediaPipe's models."""
import struct
import numpy as np
from _library.tflite_rules import customs, Refused, activated


def _windows(n, x):
    """The size of the windows of a pool, and its activation. Its options are {padding, step x, step y, width, height, activation}.
    Windows must lie side by side."""
    data = n.operator.custom()
    if len(data) < 24:
        raise Refused('its options are damaged')
    _, step_x, step_y, width, height, activation = struct.unpack('<6i', data[:24])
    if (step_x, step_y) != (width, height) or min(width, height) < 1:
        raise Refused('its windows of %dx%d do not lie side by side' % (height, width))
    return height, width, activation


@customs('MaxPoolingWithArgmax2D')
def _pool(n, options, x):
    """The largest element of each window, and its number in the window as a float."""
    height, width, activation = _windows(n, x)
    batch, rows, columns, channels = x.shape.as_list()
    if rows % height or columns % width:
        raise Refused('its windows of %dx%d do not fit %dx%d' % (height, width, rows, columns))
    parts = tf.transpose(tf.reshape(x, [batch, rows // height, height, columns // width, width, channels]), [0, 1, 3, 2, 4, 5])
    parts = tf.reshape(parts, [batch, rows // height, columns // width, height * width, channels])
    number = tf.cast(tf.argmax(parts, 3), tf.float32) + .1
    return [activated(tf.reduce_max(parts, 3), activation), number]


@customs('MaxUnpooling2D')
def _unpool(n, options, x, number):
    """Puts each element to its place in the window; the others are 0."""
    height, width, _ = _windows(n, x)
    batch, rows, columns, channels = x.shape.as_list()
    parts = tf.one_hot(tf.cast(number, tf.int32), height * width, axis=3) * tf.expand_dims(x, 3)
    parts = tf.transpose(tf.reshape(parts, [batch, rows, columns, height, width, channels]), [0, 1, 3, 2, 4, 5])
    return tf.reshape(parts, [batch, rows * height, columns * width, channels])


def _second_version(n):
    if n.version != 2:
        raise Refused('this version is not supported')


def _matrix(rows):
    return tf.stack([tf.stack([tf.convert_to_tensor(v, tf.float32) for v in row]) for row in rows])


@customs('Landmarks2TransformMatrix')
def _to_matrix(n, options, points):
    """The matrix that takes pixels of a crop to those of the image. The crop contains some points, and a line between two of
    them has the given direction in it."""
    _second_version(n)
    points = tf.reshape(points, [-1, 3])[:, :2]
    left, right = points[int(options['left_rotation_idx'])], points[int(options['right_rotation_idx'])]
    turn = float(options.get('target_rotation_radians', 0.)) - tf.atan2(right[1] - left[1], right[0] - left[0])
    c, s = tf.cos(turn), tf.sin(turn)
    inside = tf.gather(points, [int(i) for i in options['subset_idxs']])
    turned = tf.matmul(inside, _matrix([[c, -s], [s, c]]), transpose_b=True)
    low, high = tf.reduce_min(turned, 0), tf.reduce_max(turned, 0)
    back = _matrix([[c, s], [-s, c]])
    center = tf.matmul(back, tf.reshape((low + high) / 2., [2, 1]))
    size = np.array([options['output_width'], options['output_height']], np.float32)
    scale = (high - low) * (np.array([options['scale_x'], options['scale_y']], np.float32) / size)
    linear = back * scale
    moved = center + tf.matmul(linear, (-size / 2.).reshape(2, 1))
    first = tf.concat([linear, tf.zeros([2, 1]), moved], 1)
    return tf.expand_dims(tf.concat([first, [[0., 0., 1., 0.], [0., 0., 0., 1.]]], 0), 0)


@customs('TransformLandmarks')
def _transform_points(n, options, points, matrix):
    """The first two coordinates of each point are transformed."""
    _second_version(n)
    linear, moved = matrix[0, :2, :2], matrix[0, :2, 3]
    plane = tf.reshape(points[:, :, :2], [-1, 2])
    made = tf.reshape(tf.matmul(plane, linear, transpose_b=True) + moved, tf.concat([tf.shape(points)[:2], [2]], 0))
    return made if points.shape.as_list()[2] == 2 else tf.concat([made, points[:, :, 2:]], 2)


@customs('TransformTensorBilinear')
def _transform_image(n, options, image, matrix):
    """Pixels of the image at transformed places, between which they are interpolated. Outside of the image they are 0."""
    _second_version(n)
    height, width = int(options['output_height']), int(options['output_width'])
    rows, columns, channels = image.shape.as_list()[1:]
    at = np.stack(np.meshgrid(np.arange(width) + .5, np.arange(height) + .5), 2).reshape(-1, 2).astype(np.float32)
    at = tf.matmul(at, matrix[0, :2, :2], transpose_b=True) + (matrix[0, :2, 3] - .5)
    last = np.array([columns - 1, rows - 1], np.float32)
    outside = tf.reduce_any(tf.logical_or(at < 0., at > last), 1)
    base = tf.floor(at)
    part = at - base
    pixels = tf.reshape(image, [rows * columns, channels])

    def corner(dx, dy):
        place = tf.cast(tf.minimum(tf.maximum(base + np.array([dx, dy], np.float32), 0.), last), tf.int32)
        weight = (part[:, 0] if dx else 1. - part[:, 0]) * (part[:, 1] if dy else 1. - part[:, 1])
        return tf.gather(pixels, place[:, 1] * columns + place[:, 0]) * tf.expand_dims(weight, 1)

    y = corner(0, 0) + corner(1, 0) + corner(0, 1) + corner(1, 1)
    y = tf.where(outside, tf.zeros_like(y), y)
    return tf.reshape(y, [1, height, width, channels])
