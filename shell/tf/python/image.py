"""tf.image."""


class ResizeMethod(object):
    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images of another size, bilinearly interpolated."""
    return tf.raw_ops.ResizeBilinear(images=images, size=size, align_corners=align_corners,
                                     half_pixel_centers=half_pixel_centers, name=name)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images of another size: the nearest pixel."""
    return tf.raw_ops.ResizeNearestNeighbor(images=images, size=size, align_corners=align_corners,
                                            half_pixel_centers=half_pixel_centers, name=name)


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False,
                  name=None):
    """Images of another size, by one of the methods."""
    with tf.name_scope(name, 'resize', [images, size]):
        images = tf.convert_to_tensor(images, name='images')
        rank = images.get_shape().ndims
        if rank is None:
            raise ValueError("'images' contains no shape.")
        single = rank == 3
        if single:
            images = tf.expand_dims(images, 0)
        elif rank != 4:
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        batch, height, width, _ = images.get_shape().as_list()
        try:
            size = tf.convert_to_tensor(size, tf.int32, name='size')
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor")
        if not size.get_shape().is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            given = tf.shape(images)[1:3]
            scale = tf.reduce_min(tf.cast(size, tf.float32) / tf.cast(given, tf.float32))
            size = tf.cast(tf.round(tf.cast(given, tf.float32) * scale), tf.int32)
        if method == ResizeMethod.BILINEAR:
            images = resize_bilinear(images, size, align_corners=align_corners)
        elif method == ResizeMethod.NEAREST_NEIGHBOR:
            images = resize_nearest_neighbor(images, size, align_corners=align_corners)
        else:
            raise ValueError('Resize method is not implemented: %s' % method)
        return tf.squeeze(images, axis=[0]) if single else images


resize = resize_images


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), name=None):
    """The indices of the best boxes of which no two overlap much."""
    with tf.name_scope(name, 'non_max_suppression'):
        iou = tf.convert_to_tensor(iou_threshold, name='iou_threshold', dtype=tf.float32)
        least = tf.convert_to_tensor(score_threshold, name='score_threshold', dtype=tf.float32)
        return tf.raw_ops.NonMaxSuppressionV3(boxes=boxes, scores=scores, max_output_size=max_output_size,
                                              iou_threshold=iou, score_threshold=least)


def _image(image, default):
    image = tf.convert_to_tensor(image, name='image')
    rank = image.get_shape().ndims
    if rank is not None and rank not in (3, 4):
        raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.get_shape())
    return image, 1 if rank == 4 else 0


def _flip(image, axis, scope):
    with tf.name_scope(None, scope, [image]):
        image, batch = _image(image, scope)
        return tf.reverse(image, [axis + batch])


def flip_left_right(image):
    """Columns in the other order."""
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image):
    """Rows in the other order."""
    return _flip(image, 0, 'flip_up_down')


def transpose_image(image, name=None):
    """Rows as columns."""
    with tf.name_scope(name, 'transpose', [image]):
        image, batch = _image(image, 'transpose')
        return tf.transpose(image, [0, 2, 1, 3] if batch else [1, 0, 2])


transpose = transpose_image


def _random_flip(image, axis, seed, scope):
    with tf.name_scope(None, scope, [image]) as name:
        image, batch = _image(image, scope)
        if not batch:
            toss = tf.random_uniform([], 0, 1.0, seed=seed)
            return tf.cond(tf.less(toss, .5), lambda: tf.reverse(image, [axis]), lambda: image, name=name)
        tosses = tf.random_uniform([tf.shape(image)[0]], 0, 1.0, seed=seed)
        flips = tf.cast(tf.round(tf.reshape(tosses, [tf.shape(image)[0], 1, 1, 1])), image.dtype)
        return flips * tf.reverse(image, [axis + 1]) + (1 - flips) * image


def random_flip_left_right(image, seed=None):
    """Columns in the other order, or not."""
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def random_flip_up_down(image, seed=None):
    """Rows in the other order, or not."""
    return _random_flip(image, 0, seed, 'random_flip_up_down')


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Another type; integers span their range, floats [0, 1)."""
    image, dtype = tf.convert_to_tensor(image, name='image'), tf.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError('dtype must be either floating point or integer')
    if dtype == image.dtype:
        return tf.identity(image, name=name)
    cast = tf.saturate_cast if saturate else tf.cast
    with tf.name_scope(name, 'convert_image', [image]) as scope:
        if image.dtype.is_integer and dtype.is_integer:
            given, wanted = image.dtype.max, dtype.max
            if given > wanted:
                return cast(tf.div(image, (given + 1) // (wanted + 1)), dtype, name=scope)
            return tf.multiply(cast(image, dtype), (wanted + 1) // (given + 1), name=scope)
        if image.dtype.is_floating and dtype.is_floating:
            return tf.cast(image, dtype, name=scope)
        if image.dtype.is_integer:
            return tf.multiply(tf.cast(image, dtype), 1. / image.dtype.max, name=scope)
        return cast(tf.multiply(image, dtype.max + 0.5), dtype, name=scope)


def rgb_to_grayscale(images, name=None):
    """One channel from three."""
    with tf.name_scope(name, 'rgb_to_grayscale', [images]) as scope:
        images = tf.convert_to_tensor(images, name='images')
        floats = convert_image_dtype(images, tf.float32)
        gray = tf.tensordot(floats, [0.2989, 0.5870, 0.1140], [-1, -1])
        return convert_image_dtype(tf.expand_dims(gray, -1), images.dtype, name=scope)


def grayscale_to_rgb(images, name=None):
    """Three equal channels."""
    with tf.name_scope(name, 'grayscale_to_rgb', [images]) as scope:
        images = tf.convert_to_tensor(images, name='images')
        ones = [tf.ones([1], tf.int32)] * (images.get_shape().ndims - 1)
        return tf.tile(images, tf.concat(ones + [tf.expand_dims(3, 0)], 0), name=scope)


def adjust_brightness(image, delta):
    """Every pixel plus delta."""
    with tf.name_scope(None, 'adjust_brightness', [image, delta]) as scope:
        image = tf.convert_to_tensor(image, name='image')
        floats = tf.cast(image, tf.float32) if image.dtype in (tf.float16, tf.float32) else \
            convert_image_dtype(image, tf.float32)
        return convert_image_dtype(tf.add(floats, tf.cast(delta, tf.float32), name=scope), image.dtype, saturate=True)


def per_image_standardization(image):
    """Mean 0 and deviation 1, each image for itself."""
    with tf.name_scope(None, 'per_image_standardization', [image]) as scope:
        image = tf.cast(tf.convert_to_tensor(image, name='image'), tf.float32)
        pixels = tf.reduce_prod(tf.shape(image)[-3:])
        mean = tf.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        variance = tf.reduce_mean(tf.square(image), axis=[-1, -2, -3], keepdims=True) - tf.square(mean)
        deviation = tf.sqrt(tf.nn.relu(variance))
        least = tf.rsqrt(tf.cast(pixels, tf.float32))
        return tf.div(image - mean, tf.maximum(deviation, least), name=scope)


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Part of an image."""
    with tf.name_scope(None, 'crop_to_bounding_box', [image]):
        image, batch = _image(image, 'crop')
        begin = [offset_height, offset_width, 0]
        size = [target_height, target_width, -1]
        return tf.slice(image, [0] * batch + begin, [-1] * batch + size)


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """An image with zeros around it."""
    with tf.name_scope(None, 'pad_to_bounding_box', [image]):
        image, batch = _image(image, 'pad')
        height, width = image.get_shape().as_list()[batch:batch + 2]
        after_height, after_width = target_height - offset_height - height, target_width - offset_width - width
        if offset_height < 0 or offset_width < 0:
            raise ValueError('offset_height must be >= 0' if offset_height < 0 else 'offset_width must be >= 0')
        if after_height < 0 or after_width < 0:
            raise ValueError('%s must be <= target - offset' % ('height' if after_height < 0 else 'width'))
        pads = [[offset_height, after_height], [offset_width, after_width], [0, 0]]
        return tf.pad(image, [[0, 0]] * batch + pads)


def total_variation(images, name=None):
    """How much neighbouring pixels differ, summed."""
    with tf.name_scope(name, 'total_variation'):
        rank = images.get_shape().ndims
        if rank == 3:
            rows, columns, axes = images[1:, :, :] - images[:-1, :, :], images[:, 1:, :] - images[:, :-1, :], None
        elif rank == 4:
            rows = images[:, 1:, :, :] - images[:, :-1, :, :]
            columns, axes = images[:, :, 1:, :] - images[:, :, :-1, :], [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        return tf.reduce_sum(tf.abs(rows), axis=axes) + tf.reduce_sum(tf.abs(columns), axis=axes)
