"""Functions of tf.nn that are composed of others."""


def swish(features):
    """x * sigmoid(x)"""
    features = tf.convert_to_tensor(features, name='features')
    return features * tf.nn.sigmoid(features)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """The Poisson loss, given the logarithm of the mean."""
    with tf.name_scope(name, 'log_poisson_loss'):
        log_input = tf.convert_to_tensor(log_input, name='log_input')
        targets = tf.convert_to_tensor(targets, name='targets')
        targets.get_shape().assert_is_compatible_with(log_input.get_shape())
        result = tf.exp(log_input) - log_input * targets
        if compute_full_loss:
            half_log = tf.constant(0.5, targets.dtype)
            stirling = (targets * tf.log(targets)) - targets + half_log * tf.log(
                tf.constant(2 * np.pi, targets.dtype) * targets)
            result += tf.where(tf.logical_and(targets >= 0, targets <= 1), tf.zeros_like(targets), stirling)
        return result


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """Returns (count, sum, sum of squares, shift) along axes."""
    keep = bool(keep_dims if keepdims is None else keepdims)
    axes = list(set(axes))
    with tf.name_scope(name, 'sufficient_statistics'):
        x = tf.convert_to_tensor(x, name='x')
        shape = x.get_shape()
        if shape.ndims is not None and all(shape[d].value is not None for d in axes):
            counts = 1
            for d in axes:
                counts *= shape[d].value
            counts = tf.constant(counts, dtype=x.dtype)
        else:
            counts = tf.reduce_prod(tf.cast(tf.gather(tf.shape(x), axes), x.dtype), name='count')
        if shift is not None:
            shift = tf.convert_to_tensor(shift, name='shift')
            total, squares = tf.subtract(x, shift), tf.squared_difference(x, shift)
        else:
            total, squares = x, tf.square(x)
        return (counts, tf.reduce_sum(total, axes, keepdims=keep, name='mean_ss'),
                tf.reduce_sum(squares, axes, keepdims=keep, name='var_ss'), shift)


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Returns (mean, variance) from sufficient_statistics."""
    with tf.name_scope(name, 'normalize'):
        divisor = tf.reciprocal(counts, name='divisor')
        if shift is not None:
            shifted = tf.multiply(mean_ss, divisor, name='shifted_mean')
            mean = tf.add(shifted, shift, name='mean')
        else:
            shifted = mean = tf.multiply(mean_ss, divisor, name='mean')
        return mean, tf.subtract(tf.multiply(variance_ss, divisor), tf.square(shifted), name='variance')


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """Returns the weighted (mean, variance) along axes."""
    keep = bool(keep_dims if keepdims is None else keepdims)
    with tf.name_scope(name, 'weighted_moments'):
        x = tf.convert_to_tensor(x, name='x')
        weights = tf.cast(tf.convert_to_tensor(frequency_weights, name='frequency_weights'), x.dtype)
        broadcast = weights + tf.zeros_like(x)
        total = tf.reduce_sum(broadcast, axes, keepdims=True, name='sum_of_weights')
        divisor = tf.reciprocal(total, name='inv_weight_sum')
        mean = tf.multiply(tf.reduce_sum(weights * x, axes, keepdims=True), divisor)
        variance = tf.multiply(tf.reduce_sum(weights * tf.squared_difference(x, mean), axes, keepdims=True), divisor)
        return (mean, variance) if keep else (tf.squeeze(mean, axes), tf.squeeze(variance, axes))


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
                                         scale_after_normalization=None, name=None, input=None, mean=None, variance=None):
    """tf.nn.batch_normalization with its older arguments."""
    t, m, v = (input if t is None else t), (mean if m is None else m), (variance if v is None else v)
    return tf.nn.batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon,
                                     name)


def zero_fraction(value, name=None):
    """The fraction of zeros."""
    def others(dtype):
        with tf.name_scope('count_nonzero'):
            zero = tf.zeros([], value.dtype)
            return tf.reduce_sum(tf.cast(tf.not_equal(value, zero), dtype), name='nonzero_count')
    with tf.name_scope(name, 'zero_fraction', [value]):
        value = tf.convert_to_tensor(value, name='value')
        size = tf.size(value, out_type=tf.int64)
        # A small tensor is counted with int32, which takes half the memory.
        found = tf.cond(size <= tf.int32.max, lambda: tf.cast(others(tf.int32), tf.int64), lambda: others(tf.int64))
        with tf.name_scope('counts_to_fraction'):
            zeros = tf.cast(size - found, tf.float32)
            share = zeros / tf.cast(size, tf.float32)
        return tf.identity(share, 'fraction')
