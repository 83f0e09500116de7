"""tf.image."""


class ResizeMethod(object):
    """The interpolation methods of resize_images."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images with bilinear interpolation."""
    return tf.raw_ops.ResizeBilinear(images=images, size=size, align_corners=align_corners,
                                     half_pixel_centers=half_pixel_centers, name=name)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images with the nearest pixel."""
    return tf.raw_ops.ResizeNearestNeighbor(images=images, size=size, align_corners=align_corners,
                                            half_pixel_centers=half_pixel_centers, name=name)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images with cubic interpolation."""
    return tf.raw_ops.ResizeBicubic(images=images, size=size, align_corners=align_corners,
                                    half_pixel_centers=half_pixel_centers, name=name)


def resize_area(images, size, align_corners=False, name=None):
    """Resizes images with the mean of the area that each pixel covers."""
    return tf.raw_ops.ResizeArea(images=images, size=size, align_corners=align_corners, name=name)


_RESIZERS = [((ResizeMethod.BILINEAR, 'bilinear'), resize_bilinear),
             ((ResizeMethod.NEAREST_NEIGHBOR, 'nearest'), resize_nearest_neighbor),
             ((ResizeMethod.BICUBIC, 'bicubic'), resize_bicubic), ((ResizeMethod.AREA, 'area'), resize_area)]


def _dimensions(image):
    """Returns the dimensions of images, as numbers if they are known."""
    known = image.get_shape().as_list()
    if None not in known:
        return known
    return [d if d is not None else part for d, part in zip(known, tf.unstack(tf.shape(image), len(known)))]


def _known(*values):
    return [None if isinstance(v, tf.Tensor) else v for v in values]


def _keep_aspect(images, size):
    _, height, width, _ = _dimensions(images)
    by_height = tf.cast(size[0], tf.float32) / tf.cast(height, tf.float32)
    by_width = tf.cast(size[1], tf.float32) / tf.cast(width, tf.float32)
    scale = tf.minimum(by_height, by_width)
    scaled = [tf.cast(tf.round(scale * tf.cast(d, tf.float32)), tf.int32) for d in (height, width)]
    return tf.convert_to_tensor(scaled, tf.int32, name='size')


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False,
                  name=None):
    """Resizes images with one of the methods."""
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
        _, height, width, _ = images.get_shape().as_list()
        try:
            size = tf.convert_to_tensor(size, tf.int32, name='size')
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor")
        if not size.get_shape().is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _keep_aspect(images, size)
        value = tf.get_static_value(size)
        known = [None, None] if value is None else [int(v) for v in value]
        if known != [height, width] or None in known:
            resizer = [fn for names, fn in _RESIZERS if method in names]
            if not resizer:
                raise ValueError('Resize method is not implemented: %s' % method)
            images = resizer[0](images, size, align_corners=align_corners)
            images.set_shape([None, known[0], known[1], None])
        return tf.squeeze(images, axis=[0]) if single else images


resize = resize_images


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), name=None):
    """The indices of the best boxes that do not overlap much."""
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
    return checked(image), 1 if rank == 4 else 0


def _flip(image, axis, scope):
    with tf.name_scope(None, scope, [image]):
        image, batch = _image(image, scope)
        return tf.reverse(image, [axis + batch])


def flip_left_right(image):
    """Reverses the columns."""
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image):
    """Reverses the rows."""
    return _flip(image, 0, 'flip_up_down')


def transpose_image(image, name=None):
    """Swaps rows and columns."""
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
    """Reverses the columns at random."""
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def random_flip_up_down(image, seed=None):
    """Reverses the rows at random."""
    return _random_flip(image, 0, seed, 'random_flip_up_down')


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Converts the type. Integers use their whole range, and floats use [0, 1)."""
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
    """Converts three color channels to one gray channel."""
    with tf.name_scope(name, 'rgb_to_grayscale', [images]) as scope:
        images = tf.convert_to_tensor(images, name='images')
        floats = convert_image_dtype(images, tf.float32)
        gray = tf.tensordot(floats, [0.2989, 0.5870, 0.1140], [-1, -1])
        return convert_image_dtype(tf.expand_dims(gray, -1), images.dtype, name=scope)


def grayscale_to_rgb(images, name=None):
    """Converts one gray channel to three equal channels."""
    with tf.name_scope(name, 'grayscale_to_rgb', [images]) as scope:
        images = tf.convert_to_tensor(images, name='images')
        ones = [tf.ones(tf.expand_dims(tf.rank(images) - 1, 0), tf.int32)]
        rgb = tf.tile(images, tf.concat(ones + [tf.expand_dims(3, 0)], 0), name=scope)
        rgb.set_shape(images.get_shape()[:-1].concatenate([3]))
        return rgb


def adjust_brightness(image, delta):
    """Adds delta to every pixel."""
    with tf.name_scope(None, 'adjust_brightness', [image, delta]) as scope:
        image = tf.convert_to_tensor(image, name='image')
        floats = tf.cast(image, tf.float32) if image.dtype in (tf.float16, tf.float32) else \
            convert_image_dtype(image, tf.float32)
        return convert_image_dtype(tf.add(floats, tf.cast(delta, tf.float32), name=scope), image.dtype, saturate=True)


def per_image_standardization(image):
    """Normalizes each image to mean 0 and standard deviation 1."""
    with tf.name_scope(None, 'per_image_standardization', [image]) as scope:
        image = tf.cast(tf.convert_to_tensor(image, name='image'), tf.float32)
        pixels = tf.reduce_prod(tf.shape(image)[-3:])
        mean = tf.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        variance = tf.reduce_mean(tf.square(image), axis=[-1, -2, -3], keepdims=True) - tf.square(mean)
        deviation = tf.sqrt(tf.nn.relu(variance))
        least = tf.rsqrt(tf.cast(pixels, tf.float32))
        return tf.div(image - mean, tf.maximum(deviation, least), name=scope)


def crop_and_resize(image, boxes, box_ind=None, crop_size=None, method='bilinear', extrapolation_value=0, name=None,
                    box_indices=None):
    """Cuts boxes out of images and resizes them to one size."""
    if box_ind is not None and box_indices is not None:
        raise ValueError("Cannot specify both 'box_ind' and 'box_indices'")
    return tf.raw_ops.CropAndResize(image=image, boxes=boxes, box_ind=box_ind if box_indices is None else box_indices,
                                    crop_size=crop_size, method=method, extrapolation_value=extrapolation_value,
                                    name=name)


def _batched(image):
    """Returns (images as a batch, whether they were one)."""
    image = tf.convert_to_tensor(image, name='image')
    rank = image.get_shape().ndims
    if rank == 4:
        return image, True
    if rank not in (3, None):
        raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.get_shape())
    image = tf.expand_dims(image, 0)
    if rank is None:
        image.set_shape([None] * 4)
    return image, False


def _require(condition, message):
    """Returns nothing for a condition that is true now, and an assertion for one that only a step can check."""
    if isinstance(condition, tf.Tensor):
        return [tf.Assert(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def _check_image(image):
    known = image.get_shape().as_list()[-3:]
    if 0 in known:
        raise ValueError("inner 3 dims of 'image.shape' must be > 0: %s" % image.get_shape())
    if None not in known:
        return []
    return [tf.assert_positive(tf.shape(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."])]


def _after(checks, value):
    """Returns the value, after the checks have passed. As in TensorFlow, it is a node even without checks."""
    with tf.control_dependencies(checks):
        return tf.identity(value, name='control_dependency')


def checked(image):
    """Checks that an image has pixels."""
    return _after([] if image.get_shape().ndims is None else _check_image(image), image)


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Cuts out a part of an image."""
    with tf.name_scope(None, 'crop_to_bounding_box', [image]):
        image, batched = _batched(image)
        checks = _check_image(image)
        batch, height, width, depth = _dimensions(image)
        checks += _require(offset_width >= 0, 'offset_width must be >= 0.')
        checks += _require(offset_height >= 0, 'offset_height must be >= 0.')
        checks += _require(target_width > 0, 'target_width must be > 0.')
        checks += _require(target_height > 0, 'target_height must be > 0.')
        checks += _require(width >= (target_width + offset_width), 'width must be >= target + offset.')
        checks += _require(height >= (target_height + offset_height), 'height must be >= target + offset.')
        image = _after(checks, image)
        begin = tf.stack([0, offset_height, offset_width, 0])
        cropped = tf.slice(image, begin, tf.stack([tf.shape(image)[0], target_height, target_width,
                                                   tf.shape(image)[3]]))
        cropped.set_shape(_known(batch, target_height, target_width, depth))
        return cropped if batched else tf.squeeze(cropped, axis=[0])


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Pads an image with zeros."""
    with tf.name_scope(None, 'pad_to_bounding_box', [image]):
        image, batched = _batched(image)
        batch, height, width, depth = _dimensions(image)
        after_width = target_width - offset_width - width
        after_height = target_height - offset_height - height
        checks = _check_image(image)
        checks += _require(offset_height >= 0, 'offset_height must be >= 0')
        checks += _require(offset_width >= 0, 'offset_width must be >= 0')
        checks += _require(after_width >= 0, 'width must be <= target - offset')
        checks += _require(after_height >= 0, 'height must be <= target - offset')
        image = _after(checks, image)
        pads = tf.stack([0, 0, offset_height, after_height, offset_width, after_width, 0, 0])
        padded = tf.pad(image, tf.reshape(pads, [4, 2]))
        padded.set_shape(_known(batch, target_height, target_width, depth))
        return padded if batched else tf.squeeze(padded, axis=[0])


def _largest(x, y):
    return tf.maximum(x, y) if isinstance(x, tf.Tensor) or isinstance(y, tf.Tensor) else max(x, y)


def _least(x, y):
    return tf.minimum(x, y) if isinstance(x, tf.Tensor) or isinstance(y, tf.Tensor) else min(x, y)


def _same(x, y):
    return tf.equal(x, y) if isinstance(x, tf.Tensor) or isinstance(y, tf.Tensor) else x == y


def _check_target(image, target_height, target_width):
    checks = _check_image(image)
    checks += _require(target_width > 0, 'target_width must be > 0.')
    return checks + _require(target_height > 0, 'target_height must be > 0.')


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """Cuts out the middle of an image, or pads it with zeros on all sides."""
    with tf.name_scope(None, 'resize_image_with_crop_or_pad', [image]):
        image, batched = _batched(image)
        checks = _check_target(image, target_height, target_width)
        image = _after(checks, image)
        if isinstance(target_height, tf.Tensor):
            target_height = _after(checks, target_height)
        if isinstance(target_width, tf.Tensor):
            target_width = _after(checks, target_width)
        _, height, width, _ = _dimensions(image)
        wider = target_width - width
        crop_width, pad_width = _largest(-wider // 2, 0), _largest(wider // 2, 0)
        higher = target_height - height
        crop_height, pad_height = _largest(-higher // 2, 0), _largest(higher // 2, 0)
        cropped = crop_to_bounding_box(image, crop_height, crop_width, _least(target_height, height),
                                       _least(target_width, width))
        resized = pad_to_bounding_box(cropped, pad_height, pad_width, target_height, target_width)
        _, height, width, _ = _dimensions(resized)
        checks = _require(_same(height, target_height), 'resized height is not correct.')
        checks += _require(_same(width, target_width), 'resized width is not correct.')
        resized = _after(checks, resized)
        return resized if batched else tf.squeeze(resized, axis=[0])


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, align_corners=False):
    """Resizes an image to the largest size that fits, and pads it with zeros."""
    with tf.name_scope(None, 'resize_image_with_pad', [image]):
        image, batched = _batched(image)
        image = _after(_check_target(image, target_height, target_width), image)
        _, height, width, _ = _dimensions(image)
        height, width = tf.cast(height, tf.float32), tf.cast(width, tf.float32)
        wanted_height, wanted_width = tf.cast(target_height, tf.float32), tf.cast(target_width, tf.float32)
        ratio = _largest(width / wanted_width, height / wanted_height)
        new_height, new_width = height / ratio, width / ratio
        size = [tf.cast(tf.floor(new_height), tf.int32), tf.cast(tf.floor(new_width), tf.int32)]
        pad_height, pad_width = (wanted_height - new_height) / 2, (wanted_width - new_width) / 2
        pad_height, pad_width = tf.floor(pad_height), tf.floor(pad_width)
        pad_height = _largest(0, tf.cast(pad_height, tf.int32))
        pad_width = _largest(0, tf.cast(pad_width, tf.int32))
        resized = resize_images(image, size, method, align_corners=align_corners)
        padded = pad_to_bounding_box(resized, pad_height, pad_width, target_height, target_width)
        _dimensions(padded)
        return padded if batched else tf.squeeze(padded, axis=[0])


def total_variation(images, name=None):
    """The total variation: the sum of differences between neighboring pixels."""
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
