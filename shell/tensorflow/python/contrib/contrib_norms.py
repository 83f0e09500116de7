"""tf.contrib.layers: normalization layers and biases."""
from tensorflow.contrib.framework import add_arg_scope, model_variable
from tensorflow.contrib.layers import utils
from _library.contrib_layers import _collect, _core_format, _own_names
from tensorflow.python.training import moving_averages


def _channel_variables(names, shape, dtype, trainable, collections, initializers, regularizers={}):
    """Creates model variables with TensorFlow's initial values."""
    first = {'beta': tf.zeros_initializer, 'gamma': tf.ones_initializer, 'moving_mean': tf.zeros_initializer,
             'moving_variance': tf.ones_initializer}
    return [model_variable(name, shape=shape, dtype=dtype, initializer=initializers.get(name, first[name]()),
                           regularizer=regularizers.get(name), trainable=trainable,
                           collections=utils.get_variable_collections(collections, name)) for name in names]


def _averages(shape, dtype, collections, initializers):
    # TensorFlow re-enters the scope here to disable its partitioner, which affects the numbering of
    # names.
    with tf.variable_scope(tf.get_variable_scope()):
        return tuple(_channel_variables(['moving_mean', 'moving_variance'], shape, dtype, False, collections,
                                        initializers))


def _moved(averages, values, decay, zero_debias):
    return [moving_averages.assign_moving_average(averages[0], values[0], decay, zero_debias=zero_debias),
            moving_averages.assign_moving_average(averages[1], values[1], decay, zero_debias=False)]


def _update_later(is_training, averages, values, decay, zero_debias, collections):
    """Adds the updates of the moving averages to the collections."""
    for update in utils.smart_cond(is_training, lambda: tuple(_moved(averages, values, decay, zero_debias)),
                                   lambda: averages):
        tf.add_to_collections(collections, update)


def _fused_batch_norm(inputs, decay, center, scale, epsilon, param_initializers, param_regularizers,
                      updates_collections, is_training, variables_collections, trainable, data_format, zero_debias):
    """Normalizes images with the fused kernel, and rows as images of one pixel."""
    original = inputs
    rank = inputs.get_shape().ndims
    if rank == 2:
        channels = inputs.get_shape()[-1].value
        if channels is None:
            raise ValueError('`C` dimension must be known but is None')
        inputs = tf.reshape(inputs, [-1, channels, 1, 1] if data_format == 'NCHW' else [-1, 1, 1, channels])
    shape = inputs.get_shape()
    channels = shape[1:2] if data_format == 'NCHW' else shape[-1:]
    if not channels.is_fully_defined():
        raise ValueError('Inputs %s has undefined `C` dimension %s.' % (inputs.name, channels))

    def parameter(name, wanted, constant):
        if not wanted:
            return tf.constant(constant, dtype=tf.float32, shape=channels)
        return _channel_variables([name], channels, tf.float32, trainable, variables_collections,
                                  param_initializers, param_regularizers)[0]
    beta, gamma = parameter('beta', center, 0.0), parameter('gamma', scale, 1.0)
    averages = _averages(channels, tf.float32, variables_collections, param_initializers)
    outputs, mean, variance = utils.smart_cond(
        is_training,
        lambda: tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=epsilon, data_format=data_format),
        lambda: tf.nn.fused_batch_norm(inputs, gamma, beta, mean=averages[0], variance=averages[1], epsilon=epsilon,
                                       is_training=False, data_format=data_format))
    known = utils.constant_value(is_training)
    if known is None or known:
        if updates_collections is None:
            def updated():
                with tf.control_dependencies(_moved(averages, [mean, variance], decay, zero_debias)):
                    return tf.identity(outputs)
            outputs = utils.smart_cond(is_training, updated, lambda: outputs)
        else:
            _update_later(is_training, averages, [mean, variance], decay, zero_debias, updates_collections)
    outputs.set_shape(shape)
    if rank == 2:
        rows = original.get_shape().as_list()
        outputs = tf.reshape(outputs, [-1 if d is None else d for d in rows])
    return outputs


def _plain_batch_norm(inputs, decay, center, scale, epsilon, param_initializers, updates_collections, is_training,
                      variables_collections, trainable, batch_weights, data_format, zero_debias):
    """Normalizes with ordinary operations, for weighted batches and immediate updates of the averages."""
    shape = inputs.get_shape()
    rank, dtype = shape.ndims, inputs.dtype.base_dtype
    if rank is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    if batch_weights is not None:
        batch_weights = tf.convert_to_tensor(batch_weights)
        shape[0:1].assert_is_compatible_with(batch_weights.get_shape())
        batch_weights = tf.reshape(batch_weights, [-1] + [1] * (rank - 1))
    first = data_format == 'NCHW'
    axes = [0] + list(range(2, rank)) if first else list(range(rank - 1))
    channels = shape[1:2] if first else shape[-1:]
    if not channels.is_fully_defined():
        raise ValueError('Inputs %s has undefined channels dimension %s.' % (inputs.name, channels))

    def parameter(name, wanted):
        return _channel_variables([name], channels, dtype, trainable, variables_collections,
                                  param_initializers)[0] if wanted else None
    beta, gamma = parameter('beta', center), parameter('gamma', scale)
    averages = _averages(channels, dtype, variables_collections, param_initializers)
    mean, variance = averages
    known = utils.constant_value(is_training)
    if known is None or known:
        if batch_weights is None:
            moments = tf.nn.moments(inputs, axes, keep_dims=True) if first else tf.nn.moments(inputs, axes)
        else:
            moments = tf.nn.weighted_moments(inputs, axes, batch_weights, keep_dims=first)
        if first:
            moments = [tf.reshape(moment, [-1]) for moment in moments]
        if updates_collections is None:
            def updated():
                with tf.control_dependencies(_moved(averages, moments, decay, zero_debias)):
                    return tf.identity(moments[0]), tf.identity(moments[1])
            mean, variance = utils.smart_cond(is_training, updated, lambda: averages)
        else:
            _update_later(is_training, averages, moments, decay, zero_debias, updates_collections)
            mean, variance = utils.smart_cond(is_training, lambda: tuple(moments), lambda: averages)
    if first:
        spread = [1, channels[0].value] + [1] * (rank - 2)
        mean, variance, beta, gamma = [None if v is None else tf.reshape(v, spread)
                                       for v in (mean, variance, beta, gamma)]
    outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
    outputs.set_shape(shape)
    return outputs


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None,
               param_initializers=None, param_regularizers=None, updates_collections=tf.GraphKeys.UPDATE_OPS,
               is_training=True, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format='NHWC', zero_debias_moving_mean=False, scope=None,
               renorm=False, renorm_clipping=None, renorm_decay=0.99, adjustment=None):
    """Normalizes each channel to mean 0 and standard deviation 1, and then adds a learned offset."""
    layout = _core_format(data_format)
    fused = True if fused is None else fused
    first_values, regularizers = param_initializers or {}, param_regularizers or {}
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    later = updates_collections == tf.GraphKeys.UPDATE_OPS
    fusable = batch_weights is None and not renorm and rank in (2, 4) and adjustment is None
    by_hand = fused and fusable and (zero_debias_moving_mean or rank == 2 or not later)
    with tf.variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse,
                           custom_getter=None if by_hand else _own_names()) as opened:
        if by_hand:
            outputs = _fused_batch_norm(inputs, decay, center, scale, epsilon, first_values, regularizers,
                                        updates_collections, is_training, variables_collections, trainable,
                                        data_format, zero_debias_moving_mean)
        elif batch_weights is None and later and not zero_debias_moving_mean:
            layer = tf.layers.BatchNormalization(
                axis=1 if layout == 'channels_first' else -1, momentum=decay, epsilon=epsilon, center=center,
                scale=scale, beta_initializer=first_values.get('beta', tf.zeros_initializer()),
                gamma_initializer=first_values.get('gamma', tf.ones_initializer()),
                moving_mean_initializer=first_values.get('moving_mean', tf.zeros_initializer()),
                moving_variance_initializer=first_values.get('moving_variance', tf.ones_initializer()),
                beta_regularizer=regularizers.get('beta'), gamma_regularizer=regularizers.get('gamma'),
                trainable=trainable, renorm=renorm, renorm_clipping=renorm_clipping, renorm_momentum=renorm_decay,
                adjustment=adjustment, fused=fused, name=opened.name, _scope=opened, _reuse=reuse)
            outputs = layer.apply(inputs, training=is_training)
            for name in ('moving_mean', 'moving_variance', 'beta', 'gamma'):
                if getattr(layer, name) is not None:
                    _collect(getattr(layer, name), variables_collections, name)
        elif renorm:
            raise ValueError('renorm is not supported with batch_weights, updates_collections or '
                             'zero_debias_moving_mean')
        else:
            outputs = _plain_batch_norm(inputs, decay, center, scale, epsilon, first_values, updates_collections,
                                        is_training, variables_collections, trainable, batch_weights, data_format,
                                        zero_debias_moving_mean)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None,
               outputs_collections=None, trainable=True, begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """Normalizes each example to mean 0 and standard deviation 1, and then applies a learned scale and offset."""
    with tf.variable_scope(scope, 'LayerNorm', [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        shape, dtype = inputs.get_shape(), inputs.dtype.base_dtype
        if shape.ndims is None:
            raise ValueError('Inputs %s has undefined rank.' % inputs.name)
        if begin_norm_axis < 0:
            begin_norm_axis += shape.ndims
        if begin_params_axis >= shape.ndims or begin_norm_axis >= shape.ndims:
            raise ValueError('begin_params_axis (%d) and begin_norm_axis (%d) must be < rank(inputs) (%d)'
                             % (begin_params_axis, begin_norm_axis, shape.ndims))
        sizes = shape[begin_params_axis:]
        if not sizes.is_fully_defined():
            raise ValueError('Inputs %s: shape(inputs)[%s:] is not fully defined: %s'
                             % (inputs.name, begin_params_axis, shape))

        def parameter(name, wanted):
            return _channel_variables([name], sizes, dtype, trainable, variables_collections, {})[0] if wanted else None
        beta, gamma = parameter('beta', center), parameter('gamma', scale)
        mean, variance = tf.nn.moments(inputs, list(range(begin_norm_axis, shape.ndims)), keep_dims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, offset=beta, scale=gamma,
                                            variance_epsilon=1e-3 if dtype == tf.float16 else 1e-12)
        outputs.set_shape(shape)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=tf.zeros_initializer(), regularizer=None, reuse=None,
             variables_collections=None, outputs_collections=None, trainable=True, data_format='NHWC', scope=None):
    """Adds a learned bias to each channel."""
    first = _core_format(data_format) == 'channels_first'
    with tf.variable_scope(scope, 'BiasAdd', [inputs], reuse=reuse) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError('Dims of shape must be known but is None')
        if first and rank != 4:
            raise ValueError('Data format NCHW only supports 4D Tensor')
        channels = inputs.get_shape()[1 if first else -1].value
        if channels is None:
            raise ValueError('`C` dimension must be known but is None')
        biases = model_variable('biases', [channels], inputs.dtype.base_dtype, initializer, regularizer, trainable,
                                utils.get_variable_collections(variables_collections, 'biases'))
        outputs = tf.nn.bias_add(inputs, biases, data_format=data_format)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, opened.name, outputs)
