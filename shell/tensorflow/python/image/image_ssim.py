"""tf.image: the structural similarity of images (Wang et al., 2004), at one scale and at several."""


def _window(size, sigma):
    distance = tf.cast(tf.range(size), tf.float32) - (size - 1) / 2.0
    exponents = tf.square(distance) * (-0.5 / (sigma * sigma))
    exponents = tf.reshape(exponents, [1, -1]) + tf.reshape(exponents, [-1, 1])
    return tf.reshape(tf.nn.softmax(tf.reshape(exponents, [1, -1])), [size, size, 1, 1])


def _per_channel(a, b, max_val, size, sigma, k1, k2):
    """Returns maps of the similarity of each channel of each image, and of its part for contrast and structure."""
    window = tf.tile(_window(size, sigma), [1, 1, tf.shape(a)[-1], 1])

    def mean(x):
        shape = tf.shape(x)
        flat = tf.nn.depthwise_conv2d(tf.reshape(x, tf.concat([[-1], shape[-3:]], 0)), window, [1, 1, 1, 1], 'VALID')
        return tf.reshape(flat, tf.concat([shape[:-3], tf.shape(flat)[1:]], 0))

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean_a, mean_b = mean(a), mean(b)
    product, squares = mean_a * mean_b * 2.0, tf.square(mean_a) + tf.square(mean_b)
    luminance = (product + c1) / (squares + c1)
    contrast = (mean(a * b) * 2.0 - product + c2) / (mean(tf.square(a) + tf.square(b)) - squares + c2)
    return luminance * contrast, contrast


def _prepared(a, b, max_val):
    a, b = tf.convert_to_tensor(a, name='img1'), tf.convert_to_tensor(b, name='img2')
    a.get_shape().with_rank_at_least(3)
    b.get_shape().with_rank_at_least(3)
    a.get_shape()[-3:].assert_is_compatible_with(b.get_shape()[-3:])
    max_val = tf.image.convert_image_dtype(tf.cast(max_val, a.dtype), tf.float32)
    return tf.image.convert_image_dtype(a, tf.float32), tf.image.convert_image_dtype(b, tf.float32), max_val


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    """The structural similarity of two batches of images, at most 1."""
    with tf.name_scope(None, 'SSIM', [img1, img2]):
        a, b, max_val = _prepared(img1, img2, max_val)
        similarity, _ = _per_channel(a, b, max_val, filter_size, filter_sigma, k1, k2)
        if not return_index_map:
            similarity = tf.reduce_mean(similarity, [-3, -2])
        return tf.reduce_mean(similarity, [-1])


def ssim_multiscale(img1, img2, max_val, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11,
                    filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity at several scales, each half as large as the one before."""
    with tf.name_scope(None, 'MS-SSIM', [img1, img2]):
        a, b, max_val = _prepared(img1, img2, max_val)
        outer = tf.shape(a)[:-3]
        a, b = [tf.reshape(x, tf.concat([[-1], tf.shape(x)[-3:]], 0)) for x in (a, b)]
        parts = []
        for level in range(len(power_factors)):
            if level:
                a, b = [_halved(x) for x in (a, b)]
            similarity, contrast = _per_channel(a, b, max_val, filter_size, filter_sigma, k1, k2)
            last = level == len(power_factors) - 1
            parts.append(tf.nn.relu(tf.reduce_mean(similarity if last else contrast, [-3, -2])))
        product = tf.reduce_prod(tf.pow(tf.stack(parts, axis=-1), power_factors), [-1])
        return tf.reshape(tf.reduce_mean(product, [-1]), outer)


def _halved(x):
    odd = tf.shape(x)[1:3] % 2
    x = tf.pad(x, tf.concat([[[0, 0]], tf.stack([tf.zeros_like(odd), odd], 1), [[0, 0]]], 0), 'SYMMETRIC')
    return tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
