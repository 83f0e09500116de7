"""tf.contrib.layers: layers without weights, and layers of layers."""
from tensorflow.contrib.framework import add_arg_scope, model_variable
from tensorflow.contrib.layers import utils
from _library.contrib_layers import _core_format, _own_names


@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC', outputs_collections=None,
               scope=None):
    """The maximum of each window of an image."""
    layout = _core_format(data_format)
    with tf.name_scope(scope, 'MaxPool2D', [inputs]) as opened:
        layer = tf.layers.MaxPooling2D(kernel_size, stride, padding, layout, _scope=opened)
        return utils.collect_named_outputs(outputs_collections, opened, layer.apply(tf.convert_to_tensor(inputs)))


@add_arg_scope
def avg_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC', outputs_collections=None,
               scope=None):
    """The mean of each window of an image."""
    layout = _core_format(data_format)
    with tf.name_scope(scope, 'AvgPool2D', [inputs]) as opened:
        layer = tf.layers.AveragePooling2D(kernel_size, stride, padding, layout, _scope=opened)
        return utils.collect_named_outputs(outputs_collections, opened, layer.apply(tf.convert_to_tensor(inputs)))


@add_arg_scope
def pool(inputs, kernel_size, pooling_type, padding='VALID', data_format=None, dilation_rate=1, stride=1,
         outputs_collections=None, scope=None):
    """The maximum ('MAX') or mean ('AVG') of each window, in any number of dimensions."""
    with tf.name_scope(scope, '%s_pool' % pooling_type.lower(), [inputs]) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError('Rank of inputs must be known')
        if rank < 3:
            raise ValueError('Rank of inputs must be >= 3')
        outputs = tf.nn.pool(inputs, utils.n_positive_integers(rank - 2, kernel_size), pooling_type, padding,
                             dilation_rate=utils.n_positive_integers(rank - 2, dilation_rate),
                             strides=utils.n_positive_integers(rank - 2, stride), name=opened,
                             data_format=data_format)
        return utils.collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None,
            seed=None):
    """During training, keeps a random part of the inputs."""
    with tf.variable_scope(scope, 'Dropout', [inputs], custom_getter=_own_names()) as opened:
        inputs = tf.convert_to_tensor(inputs)
        layer = tf.layers.Dropout(1 - keep_prob, noise_shape=noise_shape, seed=seed, name=opened.name,
                                  _scope=opened)
        return utils.collect_named_outputs(outputs_collections, opened.name,
                                           layer.apply(inputs, training=is_training))


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """Flattens all dimensions except the first into one."""
    with tf.name_scope(scope, 'Flatten', [inputs]) as opened:
        return utils.collect_named_outputs(outputs_collections, opened,
                                           tf.layers.flatten(tf.convert_to_tensor(inputs)))


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """One-hot vectors of class numbers."""
    with tf.name_scope(scope, 'OneHotEncoding', [labels, num_classes]) as opened:
        labels = tf.convert_to_tensor(labels)
        if labels.dtype == tf.int32:
            labels = tf.to_int64(labels)
        return utils.collect_named_outputs(outputs_collections, opened,
                                           tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value))


@add_arg_scope
def softmax(logits, scope=None):
    """Softmax over the last dimension, for any rank."""
    with tf.variable_scope(scope, 'softmax', [logits]):
        depth = utils.last_dimension(logits.get_shape(), min_rank=2)
        predictions = tf.nn.softmax(tf.reshape(logits, [-1, depth]))
        predictions = tf.reshape(predictions, tf.shape(logits))
        predictions.set_shape(logits.get_shape())
        return predictions


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Scales vectors to length 1 along a dimension."""
    with tf.variable_scope(scope, 'UnitNorm', [inputs]):
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError('The input rank must be known.')
        if dim < 0 or dim >= rank:
            raise ValueError('dim must be positive but smaller than the input rank.')
        lengths = tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, True))
        before = [tf.ones([dim], tf.int32)] if dim > 0 else []
        size = tf.strided_slice(tf.shape(inputs), [dim], [dim + 1])
        behind = [tf.ones([rank - 1 - dim], tf.int32)] if dim < rank - 1 else []
        return tf.div(inputs, tf.tile(lengths, tf.concat(before + [size] + behind, 0)))


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """The maximum of each of num_units groups of channels."""
    with tf.variable_scope(scope, 'MaxOut', [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        shape = inputs.get_shape().as_list()
        channels = shape[axis]
        if channels % num_units:
            raise ValueError('number of features({}) is not a multiple of num_units({})'.format(channels, num_units))
        shape[axis] = num_units
        shape.append(channels // num_units)
        for i, size in enumerate(shape):
            if size is None:
                shape[i] = tf.shape(inputs)[i]
        return tf.reduce_max(tf.reshape(inputs, shape), -1, keepdims=False)


@tf.custom_gradient
def scale_gradient(inputs, gradient_multiplier):
    """Returns the inputs, but multiplies their gradient by a factor."""
    return inputs, lambda dy: [dy * gradient_multiplier, None]


# ---- layers of layers ----

def _name_of(layer, other):
    return getattr(layer, '__name__', None) or getattr(getattr(layer, 'func', None), '__name__', other)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """Applies the same layer several times in sequence."""
    scope = kwargs.pop('scope', None)
    with tf.variable_scope(scope, 'Repeat', [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        name = scope or _name_of(layer, 'repeat')
        for i in range(repetitions):
            outputs = layer(outputs, *args, **dict(kwargs, scope='%s_%d' % (name, i + 1)))
        return outputs


def stack(inputs, layer, stack_args, **kwargs):
    """Applies a layer several times in sequence, each time with different arguments."""
    scope = kwargs.pop('scope', None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError('stack_args need to be a list or tuple')
    with tf.variable_scope(scope, 'Stack', [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        name = scope or _name_of(layer, 'stack')
        for i, args in enumerate(stack_args):
            args = args if isinstance(args, (list, tuple)) else [args]
            outputs = layer(outputs, *args, **dict(kwargs, scope='%s_%d' % (name, i + 1)))
        return outputs
