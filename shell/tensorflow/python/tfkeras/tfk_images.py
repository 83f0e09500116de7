"""tf.keras.preprocessing.image: image files as arrays, and batches of images that are changed at random."""


def _run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def load_img(path, grayscale=False, color_mode='rgb', target_size=None, interpolation='nearest'):
    """Returns the image of a file as an array of uint8, which img_to_array() accepts."""
    channels = 1 if grayscale else {'grayscale': 1, 'rgb': 3, 'rgba': 4}[color_mode]

    def make():
        image = tf.image.decode_image(tf.read_file(path), channels=channels)
        image.set_shape([None, None, channels])
        if target_size is None:
            return image
        if interpolation == 'nearest':
            return tf.image.resize_nearest_neighbor(image[tf.newaxis], list(target_size))[0]
        return tf.cast(tf.image.resize_bilinear(image[tf.newaxis], list(target_size))[0], tf.uint8)
    return _run(make)


def img_to_array(img, data_format=None, dtype='float32'):
    """Returns an image as an array of floats."""
    x = np.asarray(img, dtype=dtype or 'float32')
    if x.ndim not in (2, 3):
        raise ValueError('Unsupported image shape: %s' % (x.shape,))
    x = x.reshape(x.shape + (1,)) if x.ndim == 2 else x
    return x.transpose(2, 0, 1) if data_format == 'channels_first' else x


def array_to_img(x, data_format=None, scale=True, dtype='float32'):
    """Returns an array as an image of uint8."""
    x = np.asarray(x, dtype='float32')
    if x.ndim != 3:
        raise ValueError('Expected image array to have rank 3 (single image). Got array with shape: %s' % (x.shape,))
    x = x.transpose(1, 2, 0) if data_format == 'channels_first' else x
    if scale:
        x = x - np.min(x)
        x = x / np.max(x) * 255 if np.max(x) != 0 else x
    return x.astype('uint8')


def save_img(path, x, data_format=None, file_format=None, scale=True, **kwargs):
    """Writes an image as PNG or JPEG."""
    image = array_to_img(x, data_format, scale)
    encode = tf.image.encode_jpeg if str(path).lower().endswith(('.jpg', '.jpeg')) else tf.image.encode_png
    data = _run(lambda: encode(tf.constant(image)))
    with open(path, 'wb') as f:
        f.write(data)


class ImageDataGenerator(object):
    """Batches of images that are shifted, flipped and scaled at random."""

    def __init__(self, featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False,
                 samplewise_std_normalization=False, zca_whitening=False, zca_epsilon=1e-6, rotation_range=0,
                 width_shift_range=0., height_shift_range=0., brightness_range=None, shear_range=0., zoom_range=0.,
                 channel_shift_range=0., fill_mode='nearest', cval=0., horizontal_flip=False, vertical_flip=False,
                 rescale=None, preprocessing_function=None, data_format=None, validation_split=0.0, dtype='float32'):
        refused = {'rotation_range': rotation_range, 'shear_range': shear_range, 'zoom_range': zoom_range,
                   'zca_whitening': zca_whitening, 'brightness_range': brightness_range}
        for name, value in refused.items():
            if value:
                raise NotImplementedError('ImageDataGenerator: %s is not part of tensh. Shifts, flips, rescale and '
                                          'preprocessing_function are.' % name)
        self.center, self.std = featurewise_center, featurewise_std_normalization
        self.own_center, self.own_std = samplewise_center, samplewise_std_normalization
        self.shifts, self.channel_shift = (height_shift_range, width_shift_range), channel_shift_range
        self.flips, self.rescale, self.function = (vertical_flip, horizontal_flip), rescale, preprocessing_function
        self.validation_split, self.mean, self.spread = validation_split, None, None

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Computes the mean and the standard deviation of images."""
        x = np.asarray(x, 'float32')
        self.mean = x.mean(axis=(0, 1, 2))
        self.spread = (x - self.mean).std(axis=(0, 1, 2))

    def standardize(self, x):
        """Returns an image that is scaled as the options say."""
        x = self.function(x) if self.function else x
        x = x * self.rescale if self.rescale else x
        x = x - x.mean(keepdims=True) if self.own_center else x
        x = x / (x.std(keepdims=True) + 1e-6) if self.own_std else x
        if (self.center or self.std) and self.mean is None:
            raise ValueError('This ImageDataGenerator needs the mean of the data. Type: datagen.fit(x)')
        x = x - self.mean if self.center else x
        return x / (self.spread + 1e-6) if self.std else x

    def random_transform(self, x, seed=None):
        """Returns an image that is changed at random."""
        if seed is not None:
            np.random.seed(seed)
        for axis in (0, 1):
            if self.shifts[axis]:
                limit = self.shifts[axis] * (x.shape[axis] if self.shifts[axis] < 1 else 1)
                by = int(round(np.random.uniform(-limit, limit)))
                at = np.clip(np.arange(x.shape[axis]) + by, 0, x.shape[axis] - 1)
                x = x[at] if axis == 0 else x[:, at]
        if self.channel_shift:
            x = np.clip(x + np.random.uniform(-self.channel_shift, self.channel_shift), x.min(), x.max())
        if self.flips[1] and np.random.random() < 0.5:
            x = x[:, ::-1]
        if self.flips[0] and np.random.random() < 0.5:
            x = x[::-1]
        return x

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, subset=None, **kwargs):
        """Returns endless batches of changed images."""
        x = np.asarray(x, 'float32')
        if x.ndim != 4:
            raise ValueError('Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape %s' %
                             (x.shape,))
        cut = int(len(x) * self.validation_split)
        if subset is not None:
            part = slice(0, cut) if subset == 'validation' else slice(cut, None)
            x, y = x[part], None if y is None else np.asarray(y)[part]
        return _Flow(self, x, None if y is None else np.asarray(y), batch_size, shuffle, seed)

    def flow_from_directory(self, *args, **kwargs):
        """Refused: reads no folders of images."""
        raise NotImplementedError('ImageDataGenerator.flow_from_directory is not part of tensh. Read the files with '
                                  'tf.keras.preprocessing.image.load_img, and pass the arrays to flow().')


class _Flow(object):
    def __init__(self, generator, x, y, batch_size, shuffle, seed):
        self.generator, self.x, self.y, self.batch_size, self.shuffle = generator, x, y, batch_size, shuffle
        self.n, self._at, self._order = len(x), 0, None
        if seed is not None:
            np.random.seed(seed)

    def __len__(self):
        return -(-self.n // self.batch_size)

    def on_epoch_end(self):
        self._order = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def __getitem__(self, index):
        if self._order is None:
            self.on_epoch_end()
        ids = self._order[index * self.batch_size:(index + 1) * self.batch_size]
        g = self.generator
        images = np.stack([g.standardize(g.random_transform(self.x[i])) for i in ids]).astype('float32')
        return images if self.y is None else (images, self.y[ids])

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= len(self):
            self._at = 0
            self.on_epoch_end()
        self._at += 1
        return self[self._at - 1]

    next = __next__
