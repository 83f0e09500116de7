"""tf.keras.layers: convolutions, pooling, padding and enlarging."""
from _library.tfk_base import Layer
from _library.layers import InputSpec
from _library.layers_convolution import _tuple, _padding, _layout
from _library import tfk_backend, tfk_state


def _format(value):
    value = value or tfk_state.image_data_format()
    if value not in ('channels_first', 'channels_last'):
        raise ValueError('The `data_format` argument must be one of "channels_first", "channels_last". Received: ' +
                         str(value))
    return value


class Conv(Layer):
    """The base class of convolutions."""
    rank = 2

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None, dilation_rate=1,
                 activation=None, use_bias=True, kernel_initializer='glorot_uniform', bias_initializer='zeros',
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, **kwargs):
        super(Conv, self).__init__(**kwargs)
        n = self.rank
        self._set(filters=int(filters) if isinstance(filters, float) else filters, kernel_size=_tuple(kernel_size, n, 'kernel_size'),
                  strides=_tuple(strides, n, 'strides'), padding=_padding(padding), data_format=_format(data_format),
                  dilation_rate=_tuple(dilation_rate, n, 'dilation_rate'), activation=activation, use_bias=use_bias,
                  kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                  kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                  activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint,
                  bias_constraint=bias_constraint)
        self.input_spec = InputSpec(ndim=n + 2)
        if padding == 'causal' and n != 1:
            raise ValueError('Causal padding is only supported for `Conv1D` and `SeparableConv1D`.')

    def _channels(self, input_shape):
        axis = 1 if self.data_format == 'channels_first' else -1
        channels = input_shape.as_list()[axis]
        if channels is None:
            raise ValueError('The channel dimension of the inputs should be defined. Found `None`.')
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _kernel_shape(self, channels):
        return list(self.kernel_size) + [channels, self.filters]

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.kernel = self.add_weight('kernel', self._kernel_shape(channels), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self._add_bias(self.filters)
        self.built = True

    def _add_bias(self, size):
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', [size], initializer=self.bias_initializer,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)

    def _causal(self, inputs):
        left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        where = [[0, 0], [0, 0], [left, 0]] if self.data_format == 'channels_first' else [[0, 0], [left, 0], [0, 0]]
        return tf.pad(inputs, where)

    def _around(self, sizes):
        return [1, 1] + list(sizes) if self.data_format == 'channels_first' else [1] + list(sizes) + [1]

    def _convolve(self, inputs):
        padding = self.padding
        if padding == 'causal':
            inputs, padding = self._causal(inputs), 'valid'
        if self.rank == 2:
            return tf.nn.conv2d(inputs, self.kernel, self._around(self.strides), padding.upper(),
                                data_format=_layout(self.data_format, 2), dilations=self._around(self.dilation_rate))
        return tf.nn.convolution(inputs, self.kernel, padding.upper(), strides=list(self.strides),
                                 dilation_rate=list(self.dilation_rate), data_format=_layout(self.data_format, self.rank))

    def _finish(self, outputs):
        if self.use_bias:
            layout = 'NHWC' if self.data_format == 'channels_last' else 'NCHW'
            outputs = tf.nn.bias_add(outputs, self.bias, data_format=layout)
        return self.activation(outputs)

    def call(self, inputs):
        return self._finish(self._convolve(inputs))


class Conv1D(Conv):
    """A convolution along one dimension."""
    rank = 1


class Conv2D(Conv):
    """A convolution of images."""


class Conv3D(Conv):
    """A convolution of volumes."""
    rank = 3


class Conv2DTranspose(Conv):
    """The transpose of a convolution of images."""

    def __init__(self, filters, kernel_size, strides=1, padding='valid', output_padding=None, **kwargs):
        super(Conv2DTranspose, self).__init__(filters, kernel_size, strides, padding, **kwargs)
        self._set(output_padding=None if output_padding is None else _tuple(output_padding, self.rank, 'output_padding'))

    def _kernel_shape(self, channels):
        return list(self.kernel_size) + [self.filters, channels]

    def _length(self, size, i):
        if size is None:
            return None
        kernel, stride = self.dilation_rate[i] * (self.kernel_size[i] - 1) + 1, self.strides[i]
        if self.output_padding is None:
            return size * stride + (max(kernel - stride, 0) if self.padding == 'valid' else 0)
        pad = kernel // 2 if self.padding == 'same' else 0
        return (size - 1) * stride + kernel - 2 * pad + self.output_padding[i]

    def call(self, inputs):
        first, n = self.data_format == 'channels_first', self.rank
        sizes, known = tf.shape(inputs), inputs.get_shape().as_list()
        at = 2 if first else 1
        static = [self._length(d, i) for i, d in enumerate(known[at:at + n])]
        lengths = [self._length(sizes[at + i], i) if d is None else d for i, d in enumerate(static)]
        shape = [sizes[0], self.filters] + lengths if first else [sizes[0]] + lengths + [self.filters]
        run = tf.nn.conv2d_transpose if n == 2 else tf.nn.conv3d_transpose
        outputs = run(inputs, self.kernel, tf.stack(shape), self._around(self.strides), padding=self.padding.upper(),
                      data_format=_layout(self.data_format, n))
        outputs.set_shape([known[0], self.filters] + static if first else [known[0]] + static + [self.filters])
        return self._finish(outputs)


class Conv3DTranspose(Conv2DTranspose):
    """The transpose of a convolution of volumes."""
    rank = 3


class SeparableConv2D(Conv):
    """A convolution of each channel, and then one that joins the channels."""

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None, dilation_rate=1,
                 depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer='glorot_uniform',
                 pointwise_initializer='glorot_uniform', bias_initializer='zeros', depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                 pointwise_constraint=None, bias_constraint=None, **kwargs):
        super(SeparableConv2D, self).__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs)
        self._keys[:] = [k for k in self._keys if not k.startswith('kernel_') or k == 'kernel_size']
        self._set(depth_multiplier=depth_multiplier, depthwise_initializer=depthwise_initializer,
                  pointwise_initializer=pointwise_initializer, depthwise_regularizer=depthwise_regularizer,
                  pointwise_regularizer=pointwise_regularizer, depthwise_constraint=depthwise_constraint,
                  pointwise_constraint=pointwise_constraint)

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', list(self.kernel_size) + [channels, self.depth_multiplier],
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint)
        self.pointwise_kernel = self.add_weight(
            'pointwise_kernel', [1] * self.rank + [channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint)
        self._add_bias(self.filters)
        self.built = True

    def call(self, inputs):
        if self.rank == 2:
            return self._finish(self._separable(inputs, self.depthwise_kernel, self.pointwise_kernel, self.strides,
                                                self.dilation_rate, self.padding))
        padding = self.padding
        if padding == 'causal':
            inputs, padding = self._causal(inputs), 'valid'
        axis = 2 if self.data_format == 'channels_first' else 1
        outputs = self._separable(tf.expand_dims(inputs, axis), tf.expand_dims(self.depthwise_kernel, 0),
                                  tf.expand_dims(self.pointwise_kernel, 0), self.strides * 2,
                                  (1,) + self.dilation_rate, padding)
        outputs = tf.squeeze(outputs, [axis])
        return self._finish(outputs)

    def _separable(self, inputs, depthwise, pointwise, strides, rate, padding):
        return tf.nn.separable_conv2d(inputs, depthwise, pointwise, strides=self._around(strides), padding=padding.upper(),
                                      rate=list(rate), data_format=_layout(self.data_format, 2))


class SeparableConv1D(SeparableConv2D):
    """The same along one dimension."""
    rank = 1


class DepthwiseConv2D(Conv):
    """A convolution of each channel."""

    def __init__(self, kernel_size, strides=(1, 1), padding='valid', depth_multiplier=1, data_format=None,
                 activation=None, use_bias=True, depthwise_initializer='glorot_uniform', bias_initializer='zeros',
                 depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                 bias_constraint=None, dilation_rate=(1, 1), **kwargs):
        super(DepthwiseConv2D, self).__init__(
            None, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs)
        self._keys[:] = [k for k in self._keys if k != 'filters' and (not k.startswith('kernel_') or k == 'kernel_size')]
        self._set(depth_multiplier=depth_multiplier, depthwise_initializer=depthwise_initializer,
                  depthwise_regularizer=depthwise_regularizer, depthwise_constraint=depthwise_constraint)

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', list(self.kernel_size) + [channels, self.depth_multiplier],
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint)
        self._add_bias(channels * self.depth_multiplier)
        self.built = True

    def call(self, inputs):
        outputs = tf.nn.depthwise_conv2d(inputs, self.depthwise_kernel, self._around(self.strides), self.padding.upper(),
                                         rate=list(self.dilation_rate), data_format=_layout(self.data_format, 2))
        return self._finish(outputs)


class Pooling(Layer):
    """The base class of pooling layers."""
    rank, kind = 2, 'max'

    def __init__(self, pool_size=2, strides=None, padding='valid', data_format=None, **kwargs):
        super(Pooling, self).__init__(**kwargs)
        n = self.rank
        self._set(pool_size=_tuple(pool_size, n, 'pool_size'), padding=_padding(padding),
                  strides=_tuple(pool_size if strides is None else strides, n, 'strides'), data_format=_format(data_format))
        self.input_spec = InputSpec(ndim=n + 2)

    def call(self, inputs):
        first = self.data_format == 'channels_first'
        size, step = list(self.pool_size), list(self.strides)
        axis = 3 if first else 2
        if self.rank == 1:
            inputs, size, step = tf.expand_dims(inputs, axis), size + [1], step + [1]
        around = (lambda v: [1, 1] + v) if first else (lambda v: [1] + v + [1])
        if self.rank == 3:
            pool = tf.nn.max_pool3d if self.kind == 'max' else tf.nn.avg_pool3d
        else:
            pool = tf.nn.max_pool if self.kind == 'max' else tf.nn.avg_pool
        outputs = pool(inputs, around(size), around(step), self.padding.upper(),
                       data_format=_layout(self.data_format, 3 if self.rank == 3 else 2))
        return tf.squeeze(outputs, [axis]) if self.rank == 1 else outputs


class MaxPooling1D(Pooling):
    """The maxima of windows of sequences."""
    rank = 1


class MaxPooling2D(Pooling):
    """The maxima of windows of images."""


class MaxPooling3D(Pooling):
    """The maxima of windows of volumes."""
    rank = 3


class AveragePooling1D(Pooling):
    """The means of windows of sequences."""
    rank, kind = 1, 'average'


class AveragePooling2D(Pooling):
    """The means of windows of images."""
    kind = 'average'


class AveragePooling3D(Pooling):
    """The means of windows of volumes."""
    rank, kind = 3, 'average'


class GlobalPooling(Layer):
    """The base class of pooling layers over all positions."""
    rank, kind = 2, 'max'

    def __init__(self, data_format=None, **kwargs):
        super(GlobalPooling, self).__init__(**kwargs)
        self._set(data_format=_format(data_format))
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.supports_masking = self.rank == 1 and self.kind == 'average'

    def compute_mask(self, inputs, mask=None):
        return None

    def call(self, inputs, mask=None):
        start = 2 if self.data_format == 'channels_first' else 1
        axes = list(range(start, start + self.rank))
        if mask is not None and self.supports_masking:
            weights = tf.expand_dims(tf.cast(mask, inputs.dtype), 2)
            return tf.reduce_sum(inputs * weights, axis=axes) / tf.reduce_sum(weights, axis=axes)
        return (tf.reduce_max if self.kind == 'max' else tf.reduce_mean)(inputs, axis=axes)


class GlobalMaxPooling1D(GlobalPooling):
    """The maximum of each channel of sequences."""
    rank = 1


class GlobalMaxPooling2D(GlobalPooling):
    """The maximum of each channel of images."""


class GlobalMaxPooling3D(GlobalPooling):
    """The maximum of each channel of volumes."""
    rank = 3


class GlobalAveragePooling1D(GlobalPooling):
    """The mean of each channel of sequences."""
    rank, kind = 1, 'average'


class GlobalAveragePooling2D(GlobalPooling):
    """The mean of each channel of images."""
    kind = 'average'


class GlobalAveragePooling3D(GlobalPooling):
    """The mean of each channel of volumes."""
    rank, kind = 3, 'average'


def _pairs(value, n, what):
    """Returns the sizes before and after each dimension."""
    if isinstance(value, int):
        return ((value, value),) * n
    value = tuple(value)
    if n == 1 and len(value) == 2 and isinstance(value[0], int):
        return (value,)
    if len(value) != n:
        raise ValueError('`%s` should have %d elements. Found: %s' % (what, n, value))
    return tuple((v, v) if isinstance(v, int) else tuple(v) for v in value)


class ZeroPadding2D(Layer):
    """Puts zeros around images."""
    rank = 2

    def __init__(self, padding=1, data_format=None, **kwargs):
        super(ZeroPadding2D, self).__init__(**kwargs)
        self._set(padding=_pairs(padding, self.rank, 'padding'))
        self._set(data_format=_format(data_format))
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs):
        around = [list(p) for p in self.padding]
        return tf.pad(inputs, [[0, 0], [0, 0]] + around if self.data_format == 'channels_first' and self.rank > 1
                      else [[0, 0]] + around + [[0, 0]])


class ZeroPadding1D(ZeroPadding2D):
    """Puts zeros around sequences."""
    rank = 1


class ZeroPadding3D(ZeroPadding2D):
    """Puts zeros around volumes."""
    rank = 3


class Cropping2D(Layer):
    """Removes the borders of images."""
    rank = 2

    def __init__(self, cropping=0, data_format=None, **kwargs):
        super(Cropping2D, self).__init__(**kwargs)
        self._set(cropping=_pairs(cropping, self.rank, 'cropping'))
        self._set(data_format=_format(data_format))
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs):
        cuts = [slice(a, -b if b else None) for a, b in self.cropping]
        if self.data_format == 'channels_first' and self.rank > 1:
            return inputs[tuple([slice(None), slice(None)] + cuts)]
        return inputs[tuple([slice(None)] + cuts)]


class Cropping1D(Cropping2D):
    """Removes the ends of sequences."""
    rank = 1

    def __init__(self, cropping=(1, 1), **kwargs):
        super(Cropping1D, self).__init__(cropping, **kwargs)


class Cropping3D(Cropping2D):
    """Removes the borders of volumes."""
    rank = 3

    def __init__(self, cropping=1, data_format=None, **kwargs):
        super(Cropping3D, self).__init__(cropping, data_format, **kwargs)


class UpSampling1D(Layer):
    """Repeats each step of sequences."""

    def __init__(self, size=2, **kwargs):
        super(UpSampling1D, self).__init__(**kwargs)
        self._set(size=int(size))
        self.input_spec = InputSpec(ndim=3)

    def call(self, inputs):
        return tfk_backend.repeat_elements(inputs, self.size, 1)


class UpSampling2D(Layer):
    """Enlarges images by whole factors."""

    def __init__(self, size=(2, 2), data_format=None, interpolation='nearest', **kwargs):
        super(UpSampling2D, self).__init__(**kwargs)
        self._set(size=_tuple(size, 2, 'size'), data_format=_format(data_format), interpolation=interpolation)
        self.input_spec = InputSpec(ndim=4)

    def call(self, inputs):
        return tfk_backend.resize_images(inputs, self.size[0], self.size[1], self.data_format, self.interpolation)


class UpSampling3D(Layer):
    """Repeats the elements of volumes."""

    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs):
        super(UpSampling3D, self).__init__(**kwargs)
        self._set(size=_tuple(size, 3, 'size'), data_format=_format(data_format))
        self.input_spec = InputSpec(ndim=5)

    def call(self, inputs):
        start = 2 if self.data_format == 'channels_first' else 1
        for i, n in enumerate(self.size):
            inputs = tfk_backend.repeat_elements(inputs, n, start + i)
        return inputs
