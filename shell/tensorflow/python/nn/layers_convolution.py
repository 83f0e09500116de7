"""tf.layers: convolutions and pooling."""
from _library.layers import Layer, InputSpec, _activation, _known


def _tuple(value, n, what):
    if isinstance(value, int):
        return (value,) * n
    values = tuple(value)
    if len(values) != n or not all(isinstance(v, int) for v in values):
        raise ValueError('The `%s` argument must be a tuple of %d integers. Received: %s' % (what, n, value))
    return values


def _data_format(value):
    value = (value or 'channels_last').lower()
    if value not in ('channels_first', 'channels_last'):
        raise ValueError('The `data_format` argument must be one of "channels_first", "channels_last". '
                         'Received: ' + str(value))
    return value


def _padding(value):
    value = value.lower()
    if value not in ('valid', 'same', 'causal'):
        raise ValueError('The `padding` argument must be a list/tuple or one of "valid", "same" '
                         '(or "causal", only for `Conv1D). Received: ' + str(value))
    return value


def _layout(data_format, rank):
    letters = {1: 'W', 2: 'HW', 3: 'DHW'}[rank]
    return 'N' + letters + 'C' if data_format == 'channels_last' else 'NC' + letters


class _Conv(Layer):
    rank = 2

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1,
                 activation=None, use_bias=True, kernel_initializer=None, bias_initializer=tf.zeros_initializer(),
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super(_Conv, self).__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = int(filters) if isinstance(filters, float) else filters  # n / 2, as in Python 2
        self.kernel_size = _tuple(kernel_size, self.rank, 'kernel_size')
        self.strides = _tuple(strides, self.rank, 'strides')
        self.padding = _padding(padding)
        self.data_format = _data_format(data_format)
        self.dilation_rate = _tuple(dilation_rate, self.rank, 'dilation_rate')
        self.activation, self.use_bias = _activation(activation), use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(ndim=self.rank + 2)

    channel_axis = property(lambda self: 1 if self.data_format == 'channels_first' else -1)

    def _channels(self, input_shape):
        return _known(input_shape[self.channel_axis],
                      'The channel dimension of the inputs should be defined. Found `None`.')

    def _kernel_shape(self, channels):
        return list(self.kernel_size) + [channels, self.filters]

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.kernel = self.add_weight('kernel', self._kernel_shape(channels), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', [self.filters], initializer=self.bias_initializer,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self.channel_axis: channels})
        if type(self) in (Conv1D, Conv2D, Conv3D):
            # As in TensorFlow, a constant that nothing reads, but that changes the number of nodes.
            tf.convert_to_tensor(list(self.dilation_rate), tf.int32, name='dilation_rate')

    def _convolve(self, inputs):
        return tf.nn.convolution(inputs, self.kernel, self.padding.upper(), strides=list(self.strides),
                                 dilation_rate=list(self.dilation_rate), name='',
                                 data_format=_layout(self.data_format, self.rank))

    def _finish(self, outputs):
        if self.use_bias:
            layout = 'NHWC' if self.data_format == 'channels_last' else 'NCHW'
            outputs = tf.nn.bias_add(outputs, self.bias, data_format=layout)
        return outputs if self.activation is None else self.activation(outputs)

    def call(self, inputs):
        return self._finish(self._convolve(inputs))


class Conv1D(_Conv):
    rank = 1

    def _convolve(self, inputs):
        return tf.nn.conv1d(inputs, self.kernel, self.strides[0], self.padding.upper(), name='conv1d')


class Conv2D(_Conv):
    rank = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                 dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=tf.zeros_initializer(), kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super(Conv2D, self).__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
                                     use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                                     bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                                     trainable, name, **kwargs)

    def _convolve(self, inputs):
        first = self.data_format == 'channels_first'
        around = (lambda pair: [1, 1] + list(pair)) if first else (lambda pair: [1] + list(pair) + [1])
        return tf.nn.conv2d(inputs, self.kernel, around(self.strides), self.padding.upper(),
                            data_format=_layout(self.data_format, 2), dilations=around(self.dilation_rate))


class Conv3D(_Conv):
    rank = 3

    def _convolve(self, inputs):
        first = self.data_format == 'channels_first'
        around = (lambda sizes: [1, 1] + list(sizes)) if first else (lambda sizes: [1] + list(sizes) + [1])
        return tf.nn.conv3d(inputs, self.kernel, around(self.strides), self.padding.upper(),
                            data_format=_layout(self.data_format, 3), dilations=around(self.dilation_rate))


class Conv2DTranspose(_Conv):
    rank = 2

    def _kernel_shape(self, channels):
        return list(self.kernel_size) + [self.filters, channels]

    def call(self, inputs):
        first = self.data_format == 'channels_first'
        size = tf.shape(inputs)
        batch = size[0]
        h_axis, w_axis = (2, 3) if first else (1, 2)
        lengths = []
        for axis, kernel, stride in zip((h_axis, w_axis), self.kernel_size, self.strides):
            length = size[axis]
            known = inputs.get_shape()[axis].value
            out = (known if known is not None else length) * stride
            if self.padding == 'valid':
                out = out + max(kernel - stride, 0)
            lengths.append(out)
        shape = [batch, self.filters] + lengths if first else [batch] + lengths + [self.filters]
        strides = [1, 1] + list(self.strides) if first else [1] + list(self.strides) + [1]
        outputs = tf.nn.conv2d_transpose(inputs, self.kernel, tf.stack(shape), strides, padding=self.padding.upper(),
                                         data_format=_layout(self.data_format, 2))
        known = [d if isinstance(d, int) else None for d in lengths]
        batch = inputs.get_shape()[0].value
        outputs.set_shape([batch, self.filters] + known if first else [batch] + known + [self.filters])
        return self._finish(outputs)


class SeparableConv2D(_Conv):
    rank = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                 dilation_rate=(1, 1), depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=tf.zeros_initializer(), depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super(SeparableConv2D, self).__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, None,
            bias_initializer, None, bias_regularizer, activity_regularizer, None, bias_constraint, trainable, name,
            **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer, self.pointwise_initializer = depthwise_initializer, pointwise_initializer
        self.depthwise_regularizer, self.pointwise_regularizer = depthwise_regularizer, pointwise_regularizer
        self.depthwise_constraint, self.pointwise_constraint = depthwise_constraint, pointwise_constraint

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', list(self.kernel_size) + [channels, self.depth_multiplier],
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint)
        self.pointwise_kernel = self.add_weight(
            'pointwise_kernel', [1, 1, channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', [self.filters], initializer=self.bias_initializer,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)

    def call(self, inputs):
        strides = [1] + list(self.strides) + [1]
        if self.data_format == 'channels_first':
            strides = [1, 1] + list(self.strides)
        return self._finish(tf.nn.separable_conv2d(
            inputs, self.depthwise_kernel, self.pointwise_kernel, strides=strides, padding=self.padding.upper(),
            rate=list(self.dilation_rate), data_format=_layout(self.data_format, 2)))


class _Pooling(Layer):
    rank, kind = 2, 'max'

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super(_Pooling, self).__init__(name=name, **kwargs)
        self.pool_size = _tuple(pool_size, self.rank, 'pool_size')
        self.strides = _tuple(strides, self.rank, 'strides')
        self.padding = _padding(padding)
        self.data_format = _data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _around(self, sizes):
        return [1, 1] + list(sizes) if self.data_format == 'channels_first' else [1] + list(sizes) + [1]

    def call(self, inputs):
        if self.rank == 3:
            pool = tf.nn.max_pool3d if self.kind == 'max' else tf.nn.avg_pool3d
        else:
            pool = tf.nn.max_pool if self.kind == 'max' else tf.nn.avg_pool
        return pool(inputs, self._around(self.pool_size), self._around(self.strides), self.padding.upper(),
                    data_format=_layout(self.data_format, self.rank))


class MaxPooling2D(_Pooling):
    pass


class AveragePooling2D(_Pooling):
    kind = 'average'


class MaxPooling3D(_Pooling):
    rank = 3


class AveragePooling3D(_Pooling):
    rank, kind = 3, 'average'


class _Pooling1D(_Pooling):
    rank = 1

    def call(self, inputs):
        axis = 2 if self.data_format == 'channels_last' else 3
        inputs = tf.expand_dims(inputs, axis)
        pool = tf.nn.max_pool if self.kind == 'max' else tf.nn.avg_pool
        size, step = list(self.pool_size) + [1], list(self.strides) + [1]
        outputs = pool(inputs, self._around(size), self._around(step), self.padding.upper(),
                       data_format=_layout(self.data_format, 2))
        return tf.squeeze(outputs, axis)


class MaxPooling1D(_Pooling1D):
    pass


class AveragePooling1D(_Pooling1D):
    kind = 'average'


def conv1d(inputs, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1,
           activation=None, use_bias=True, kernel_initializer=None, bias_initializer=tf.zeros_initializer(),
           kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    """A convolution along one dimension."""
    return Conv1D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                  kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
                  kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name).apply(inputs)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
           dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer=None,
           bias_initializer=tf.zeros_initializer(), kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
           reuse=None):
    """A convolution of images."""
    return Conv2D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                  kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
                  kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name).apply(inputs)


def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding='valid', data_format='channels_last',
           dilation_rate=(1, 1, 1), activation=None, use_bias=True, kernel_initializer=None,
           bias_initializer=tf.zeros_initializer(), kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
           reuse=None):
    """A convolution of volumes."""
    return Conv3D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                  kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
                  kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name).apply(inputs)


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                     activation=None, use_bias=True, kernel_initializer=None,
                     bias_initializer=tf.zeros_initializer(), kernel_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True,
                     name=None, reuse=None):
    """A transposed convolution, which enlarges images."""
    return Conv2DTranspose(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
                           kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                           activity_regularizer, kernel_constraint, bias_constraint, trainable, name,
                           _reuse=reuse, _scope=name).apply(inputs)


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                     dilation_rate=(1, 1), depth_multiplier=1, activation=None, use_bias=True,
                     depthwise_initializer=None, pointwise_initializer=None, bias_initializer=tf.zeros_initializer(),
                     depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):
    """A convolution of each channel, followed by one across channels."""
    return SeparableConv2D(filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier,
                           activation, use_bias, depthwise_initializer, pointwise_initializer, bias_initializer,
                           depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer,
                           depthwise_constraint, pointwise_constraint, bias_constraint, trainable, name,
                           _reuse=reuse, _scope=name).apply(inputs)


def max_pooling1d(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
    """The maximum of each window of a sequence."""
    return MaxPooling1D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling1d(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
    """The mean of each window of a sequence."""
    return AveragePooling1D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling2d(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
    """The maximum of each window of an image."""
    return MaxPooling2D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling2d(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
    """The mean of each window of an image."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name).apply(inputs)


def max_pooling3d(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
    """The maximum of each window of a volume."""
    return MaxPooling3D(pool_size, strides, padding, data_format, name).apply(inputs)


def average_pooling3d(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
    """The mean of each window of a volume."""
    return AveragePooling3D(pool_size, strides, padding, data_format, name).apply(inputs)
