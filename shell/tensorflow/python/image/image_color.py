"""tf.image: colors."""


def rgb_to_hsv(images, name=None):
    """Converts RGB to hue, saturation and value."""
    return tf.raw_ops.RGBToHSV(images=images, name=name)


def hsv_to_rgb(images, name=None):
    """Converts HSV to red, green and blue."""
    return tf.raw_ops.HSVToRGB(images=images, name=name)


def _floats(image):
    return image if image.dtype in (tf.float16, tf.float32) else tf.image.convert_image_dtype(image, tf.float32)


def adjust_hue(image, delta, name=None):
    """Rotates the hue of each pixel."""
    with tf.name_scope(name, 'adjust_hue', [image]):
        image = tf.convert_to_tensor(image, name='image')
        made = tf.raw_ops.AdjustHue(images=_floats(image), delta=delta)
        return tf.image.convert_image_dtype(made, image.dtype)


def adjust_saturation(image, saturation_factor, name=None):
    """Multiplies the saturation of each pixel."""
    with tf.name_scope(name, 'adjust_saturation', [image]):
        image = tf.convert_to_tensor(image, name='image')
        made = tf.raw_ops.AdjustSaturation(images=_floats(image), scale=saturation_factor)
        return tf.image.convert_image_dtype(made, image.dtype)


def adjust_contrast(images, contrast_factor):
    """Multiplies the distance of each pixel from its channel's mean."""
    with tf.name_scope(None, 'adjust_contrast', [images, contrast_factor]) as scope:
        images = tf.convert_to_tensor(images, name='images')
        made = tf.raw_ops.AdjustContrastv2(images=_floats(images), contrast_factor=contrast_factor, name=scope)
        return tf.image.convert_image_dtype(made, images.dtype, saturate=True)


def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma"""
    with tf.name_scope(None, 'adjust_gamma', [image, gamma, gain]):
        image = tf.convert_to_tensor(image, name='image')
        floats = _floats(image)
        message = 'Gamma should be a non-negative real number.'
        if isinstance(gamma, tf.Tensor):
            with tf.control_dependencies([tf.Assert(gamma >= 0, [message])]):
                gamma = tf.identity(gamma)
        elif gamma < 0:
            raise ValueError(message)
        return tf.image.convert_image_dtype(gain * floats ** gamma, image.dtype, saturate=True)


def random_brightness(image, max_delta, seed=None):
    """adjust_brightness with a random delta."""
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    return tf.image.adjust_brightness(image, tf.random_uniform([], -max_delta, max_delta, seed=seed))


def random_hue(image, max_delta, seed=None):
    """adjust_hue with a random delta."""
    if max_delta > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    return adjust_hue(image, tf.random_uniform([], -max_delta, max_delta, seed=seed))


def _drawn(lower, upper, seed):
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')
    return tf.random_uniform([], lower, upper, seed=seed)


def random_saturation(image, lower, upper, seed=None):
    """adjust_saturation with a random factor."""
    return adjust_saturation(image, _drawn(lower, upper, seed))


def random_contrast(image, lower, upper, seed=None):
    """adjust_contrast with a random factor."""
    return adjust_contrast(image, _drawn(lower, upper, seed))


def _by_matrix(images, matrix):
    images = tf.convert_to_tensor(images, name='images')
    kernel = tf.convert_to_tensor(matrix, dtype=images.dtype, name='kernel')
    return tf.tensordot(images, kernel, axes=[[images.get_shape().ndims - 1], [0]])


def rgb_to_yiq(images):
    """Converts RGB to luma and two chrominances (YIQ)."""
    return _by_matrix(images, [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617],
                               [0.114, -0.32134392, 0.31119955]])


def yiq_to_rgb(images):
    """Converts YIQ to red, green and blue."""
    return _by_matrix(images, [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021],
                               [0.6208248, -0.64720424, 1.70423049]])


def rgb_to_yuv(images):
    """Converts RGB to luma and two differences (YUV)."""
    return _by_matrix(images, [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
                               [0.114, 0.43601035, -0.10001026]])


def yuv_to_rgb(images):
    """Converts YUV to red, green and blue."""
    return _by_matrix(images, [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])
