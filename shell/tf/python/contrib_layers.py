"""The names of tf.contrib.layers that scripts use most, as what the core has for them."""
import functools
from tensorflow.contrib.layers.regularizers import (l1_regularizer, l2_regularizer, l1_l2_regularizer,
                                                    sum_regularizer, apply_regularization)

def xavier_initializer(uniform=True, seed=None, dtype=tf.float32):
    """Glorot's (Xavier's) initializer."""
    return variance_scaling_initializer(factor=1.0, mode='FAN_AVG', uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(factor=2.0, mode='FAN_IN', uniform=False, seed=None, dtype=tf.float32):
    """Fills with a spread that follows the shape."""
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise TypeError('Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]' % mode)

    def initialize(shape, dtype=dtype, partition_info=None):
        shape = tf.TensorShape(shape).as_list()
        fan_in = float(shape[-2]) if len(shape) > 1 else float(shape[-1]) if shape else 1.0
        fan_out = float(shape[-1]) if shape else 1.0
        for d in shape[:-2]:
            fan_in *= float(d)
            fan_out *= float(d)
        n = {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = np.sqrt(3.0 * factor / n)
            return tf.random_uniform(shape, -limit, limit, dtype, seed=seed)
        return tf.truncated_normal(shape, 0.0, np.sqrt(1.3 * factor / n), dtype, seed=seed)
    return initialize


def fully_connected(inputs, num_outputs, activation_fn=tf.nn.relu, normalizer_fn=None, normalizer_params=None,
                    weights_initializer=xavier_initializer(), weights_regularizer=None,
                    biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
                    variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """A layer of num_outputs neurons, each connected to all inputs."""
    with tf.variable_scope(scope, 'fully_connected', reuse=reuse) as current:
        inputs = tf.convert_to_tensor(inputs)
        depth = inputs.get_shape()[-1].value
        weights = tf.get_variable('weights', [depth, num_outputs], initializer=weights_initializer,
                                  regularizer=weights_regularizer, trainable=trainable)
        outputs = (tf.matmul(inputs, weights) if inputs.get_shape().ndims == 2 else
                   tf.tensordot(inputs, weights, [[inputs.get_shape().ndims - 1], [0]]))
        if normalizer_fn is None and biases_initializer is not None:
            biases = tf.get_variable('biases', [num_outputs], initializer=biases_initializer,
                                     regularizer=biases_regularizer, trainable=trainable)
            outputs = tf.nn.bias_add(outputs, biases)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        if outputs_collections:
            tf.add_to_collections(outputs_collections, outputs)
        return outputs


linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)


def flatten(inputs, outputs_collections=None, scope=None):
    """All dimensions but the first as one."""
    return tf.layers.flatten(inputs, name=scope)


def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None,
            seed=None):
    """While training, keeps a random part of the inputs."""
    return tf.layers.dropout(inputs, 1 - keep_prob, noise_shape, seed, is_training, name=scope)


def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """Class numbers as vectors."""
    with tf.name_scope(scope, 'OneHotEncoding'):
        return tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)


def conv2d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None, rate=1,
           activation_fn=tf.nn.relu, normalizer_fn=None, normalizer_params=None,
           weights_initializer=xavier_initializer(), weights_regularizer=None,
           biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
           variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """A convolution of images."""
    with tf.variable_scope(scope, 'Conv', reuse=reuse):
        kernel = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
        strides = [stride] * 2 if isinstance(stride, int) else list(stride)
        weights = tf.get_variable('weights', kernel + [inputs.get_shape()[-1].value, num_outputs],
                                  initializer=weights_initializer, regularizer=weights_regularizer,
                                  trainable=trainable)
        outputs = tf.nn.conv2d(inputs, weights, [1] + strides + [1], padding, dilations=[1, rate, rate, 1])
        if normalizer_fn is None and biases_initializer is not None:
            biases = tf.get_variable('biases', [num_outputs], initializer=biases_initializer,
                                     regularizer=biases_regularizer, trainable=trainable)
            outputs = tf.nn.bias_add(outputs, biases)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        return outputs if activation_fn is None else activation_fn(outputs)


convolution2d = conv2d


def max_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC', outputs_collections=None,
               scope=None):
    """The largest of each window of an image."""
    return tf.layers.max_pooling2d(inputs, kernel_size, stride, padding, name=scope or 'MaxPool2D')


def avg_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC', outputs_collections=None,
               scope=None):
    """The mean of each window of an image."""
    return tf.layers.average_pooling2d(inputs, kernel_size, stride, padding, name=scope or 'AvgPool2D')


def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None,
               param_initializers=None, param_regularizers=None, updates_collections='update_ops', is_training=True,
               reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format='NHWC', zero_debias_moving_mean=False, scope=None):
    """Gives each channel mean 0 and deviation 1, then shifts it as learnt."""
    with tf.variable_scope(scope, 'BatchNorm', reuse=reuse) as current:
        layer = tf.layers.BatchNormalization(momentum=decay, epsilon=epsilon, center=center, scale=scale,
                                             trainable=trainable, fused=fused, name=current, _scope=current,
                                             _reuse=reuse)
        outputs = layer.apply(inputs, training=is_training)
        return outputs if activation_fn is None else activation_fn(outputs)
