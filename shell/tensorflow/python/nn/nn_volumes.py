"""tf.nn: convolutions and pools of volumes and sequences, and pools with indices."""


def _around(value, n, data_format, name):
    """TensorFlow's _get_sequence: one number for all spatial dimensions, one number for each, or one for all
    dimensions."""
    values = [1] if value is None else [value] if isinstance(value, int) else list(value)
    if len(values) == n + 2:
        return values
    if len(values) not in (1, n):
        raise ValueError('%s should be of length 1, %d or %d but was %d' % (name, n, n + 2, len(values)))
    if len(values) == 1:
        values = values * n
    return [1, 1] + values if data_format.startswith('NC') else [1] + values + [1]


def _either(new_name, new, old_name, old):
    if new is not None and old is not None:
        raise ValueError("Cannot specify both '%s' and '%s'" % (old_name, new_name))
    return old if new is None else new


def conv3d(input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None,
           filters=None):
    """The convolution of volumes with a filter."""
    return tf.raw_ops.Conv3D(input=input, filter=_either('filters', filters, 'filter', filter), strides=strides,
                             padding=padding, data_format=data_format, dilations=dilations, name=name)


def conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC',
                     name=None, input=None, filters=None, dilations=None):
    """The transpose of conv3d."""
    filter = _either('filters', filters, 'filter', filter)
    value = _either('input', input, 'value', value)
    with tf.name_scope(name, 'conv3d_transpose', [value, filter, output_shape]) as scope:
        data_format = data_format or 'NDHWC'
        return tf.raw_ops.Conv3DBackpropInputV2(
            input_sizes=output_shape, filter=filter, out_backprop=value,
            strides=_around(strides, 3, data_format, 'strides'), padding=padding, data_format=data_format,
            dilations=_around(dilations, 3, data_format, 'dilations'), name=scope)


def conv3d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, data_format='NDHWC',
                           dilations=[1, 1, 1, 1, 1], name=None):
    """The gradient of conv3d with respect to its filter."""
    return tf.raw_ops.Conv3DBackpropFilterV2(input=input, filter_sizes=filter_sizes, out_backprop=out_backprop,
                                             strides=strides, padding=padding, data_format=data_format,
                                             dilations=dilations, name=name)


conv3d_backprop_filter_v2 = conv3d_backprop_filter


def _pool3d(op, default, input, ksize, strides, padding, data_format, name):
    with tf.name_scope(name, default, [input]) as scope:
        data_format = data_format or 'NDHWC'
        return op(input=input, ksize=_around(ksize, 3, data_format, 'ksize'),
                  strides=_around(strides, 3, data_format, 'strides'), padding=padding, data_format=data_format,
                  name=scope)


def max_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    """The maximum of each window of volumes."""
    return _pool3d(tf.raw_ops.MaxPool3D, 'MaxPool3D', input, ksize, strides, padding, data_format, name)


def avg_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    """The mean of each window of volumes."""
    return _pool3d(tf.raw_ops.AvgPool3D, 'AvgPool3D', input, ksize, strides, padding, data_format, name)


def _pool1d(op, argument, default, input, ksize, strides, padding, data_format, name):
    with tf.name_scope(name, default, [input]) as scope:
        data_format = data_format or 'NWC'
        axis = 1 if data_format == 'NWC' else 2
        sizes = [1] + _around(ksize, 1, data_format, 'ksize')
        steps = [1] + _around(strides, 1, data_format, 'strides')
        images = tf.expand_dims(input, axis)
        made = op(ksize=sizes, strides=steps, padding=padding, data_format='NHWC' if axis == 1 else 'NCHW', name=scope,
                  **{argument: images})
        return tf.squeeze(made, axis)


def max_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    """The maximum of each window of sequences."""
    return _pool1d(tf.raw_ops.MaxPool, 'input', 'MaxPool1d', input, ksize, strides, padding, data_format, name)


def avg_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    """The mean of each window of sequences."""
    return _pool1d(tf.raw_ops.AvgPool, 'value', 'AvgPool1D', input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None,
                         output_dtype=None, include_batch_in_index=False):
    """The maximum of each window, and its position."""
    if data_format != 'NHWC':
        raise ValueError("`data_format` values other than 'NHWC' are not supported. Received: data_format=%s" %
                         data_format)
    Targmax = _either('output_dtype', output_dtype, 'Targmax', Targmax)
    return tf.raw_ops.MaxPoolWithArgmax(input=input, ksize=ksize, strides=strides, padding=padding,
                                        Targmax=tf.int64 if Targmax is None else Targmax,
                                        include_batch_in_index=include_batch_in_index, name=name)


def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None,
         dilations=None):
    """The maximum or mean of each window, with up to three spatial dimensions."""
    rate = _either('dilations', dilations, 'dilation_rate', dilation_rate)
    n = len(window_shape)
    if n not in (1, 2, 3):
        raise ValueError('`window_shape` must have 1, 2 or 3 elements. Received: window_shape=%s' % (window_shape,))
    if rate is not None and any(r != 1 for r in ([rate] if isinstance(rate, int) else rate)):
        raise NotImplementedError('tf.nn.pool takes windows without holes (dilation_rate=1) here.')
    if pooling_type not in ('MAX', 'AVG'):
        raise ValueError('`pooling_type` must be one of MAX, AVG. Received: pooling_type=%s' % pooling_type)
    op = {('MAX', 3): max_pool3d, ('AVG', 3): avg_pool3d, ('MAX', 2): tf.nn.max_pool, ('AVG', 2): tf.nn.avg_pool,
          ('MAX', 1): max_pool1d, ('AVG', 1): avg_pool1d}[pooling_type, n]
    with tf.name_scope(name, pooling_type.lower() + '_pool', [input]) as scope:
        data_format = data_format or {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}[n]
        sizes = _around(list(window_shape), n, data_format, 'ksize')
        return op(input, sizes, _around(strides, n, data_format, 'strides'), padding, data_format=data_format,
                  name=scope)


def space_to_depth(input, block_size, name=None, data_format='NHWC'):
    """Moves blocks of pixels to channels."""
    return tf.space_to_depth(input, block_size, name=name, data_format=data_format)


def depth_to_space(input, block_size, name=None, data_format='NHWC'):
    """Moves channels to blocks of pixels."""
    return tf.depth_to_space(input, block_size, name=name, data_format=data_format)
