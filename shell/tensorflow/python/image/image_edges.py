"""tf.image: rotation, central crops, edges and differences."""


from tensorflow.image import checked as _checked


def _turn(image, k, scope, batch):
    rows, columns = batch, batch + 1
    order = [1, 0, 2] if batch == 0 else [0, 2, 1, 3]

    def once():
        return tf.transpose(tf.reverse(image, [columns]), order)

    def twice():
        return tf.reverse(image, [rows, columns])

    def thrice():
        return tf.reverse(tf.transpose(image, order), [columns])

    cases = [(tf.equal(k, 1), once), (tf.equal(k, 2), twice), (tf.equal(k, 3), thrice)]
    turned = tf.case(cases, default=lambda: image, exclusive=True, name=scope)
    shape = image.get_shape().as_list()
    turned.set_shape(shape[:batch] + [None, None] + shape[-1:])
    return turned


def rot90(image, k=1, name=None):
    """Rotates images counterclockwise by k right angles."""
    with tf.name_scope(name, 'rot90', [image, k]) as scope:
        image = tf.convert_to_tensor(image, name='image')
        rank = image.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError("'image' (shape %s) must have either 3 or 4 dimensions." % image.get_shape())
        image = _checked(image)
        k = tf.convert_to_tensor(k, dtype=tf.int32, name='k')
        k.get_shape().assert_has_rank(0)
        return _turn(image, tf.mod(k, 4), scope, rank - 3)


def central_crop(image, central_fraction):
    """Cuts out the middle of an image."""
    with tf.name_scope(None, 'central_crop', [image]):
        image = tf.convert_to_tensor(image, name='image')
        fraction = tf.get_static_value(central_fraction) if isinstance(central_fraction, tf.Tensor) \
            else central_fraction
        if fraction is not None:
            if fraction <= 0.0 or fraction > 1.0:
                raise ValueError('central_fraction must be within (0, 1]')
            if fraction == 1.0:
                return image
        rank = image.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError('`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = %s.' % rank)
        _checked(image)  # like TensorFlow, which continues with the original image
        known = image.get_shape().as_list()
        begins, sizes, shape = [], [], []
        lengths = [known[axis] if known[axis] is not None else tf.shape(image)[axis] for axis in (rank - 3, rank - 2)]
        for length in lengths:
            if fraction is None or isinstance(length, tf.Tensor):
                whole = tf.cast(length, tf.float64)
                begins.append(tf.cast((whole - whole * tf.cast(central_fraction, tf.float64)) / 2, tf.int32))
            else:
                begins.append(int((length - length * float(fraction)) / 2))
        for length, begin in zip(lengths, begins):
            sizes.append(length - begin * 2)
            shape.append(None if isinstance(sizes[-1], tf.Tensor) else sizes[-1])
        around = ([], []) if rank == 3 else ([0], [-1])
        image = tf.slice(image, tf.stack(around[0] + begins + [0]), tf.stack(around[1] + sizes + [-1]))
        image.set_shape(known[:rank - 3] + shape + known[-1:])
        return image


def image_gradients(image):
    """Returns (dy, dx): the differences to the neighbors below and on the right."""
    if image.get_shape().ndims != 4:
        raise ValueError('image_gradients expects a 4D tensor [batch_size, h, w, d], not {}.'.format(
            image.get_shape()))
    shape = tf.shape(image)
    batch, height, width, depth = tf.unstack(shape)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    row = tf.stack([batch, 1, width, depth])
    dy = tf.reshape(tf.concat([dy, tf.zeros(row, image.dtype)], 1), shape)
    column = tf.stack([batch, height, 1, depth])
    dx = tf.reshape(tf.concat([dx, tf.zeros(column, image.dtype)], 2), shape)
    return dy, dx


def sobel_edges(image):
    """Sobel's two filters over each channel."""
    known = image.get_shape()
    shape = tf.shape(image)
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    kernels = np.expand_dims(np.transpose(kernels, (1, 2, 0)), -2)
    filters = tf.tile(tf.constant(kernels, dtype=image.dtype), [1, 1, shape[-1], 1], name='sobel_filters')
    padded = tf.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    edges = tf.nn.depthwise_conv2d(padded, filters, [1, 1, 1, 1], 'VALID')
    edges = tf.reshape(edges, shape=tf.concat([shape, [2]], 0))
    edges.set_shape(known.concatenate([2]))
    return edges


def psnr(a, b, max_val, name=None):
    """The peak signal-to-noise ratio of images, in decibels."""
    with tf.name_scope(name, 'PSNR', [a, b]):
        a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
        a.get_shape()[-3:].assert_is_compatible_with(b.get_shape()[-3:])
        max_val = tf.image.convert_image_dtype(tf.cast(max_val, a.dtype), tf.float32)
        a = tf.image.convert_image_dtype(a, tf.float32)
        b = tf.image.convert_image_dtype(b, tf.float32)
        mse = tf.reduce_mean(tf.squared_difference(a, b), [-3, -2, -1])
        return tf.identity(tf.subtract(20 * tf.log(max_val) / tf.log(10.0),
                                       np.float32(10 / np.log(10)) * tf.log(mse), name='psnr'))


def random_crop(value, size, seed=None, name=None):
    """Cuts out a random part of a tensor."""
    return tf.random_crop(value, size, seed=seed, name=name)
