"""The regularizers of tf.contrib.layers and tf.keras.regularizers."""


def l1_regularizer(scale, scope=None):
    """scale times the sum of absolute weights."""
    if isinstance(scale, int) and not isinstance(scale, bool):
        raise ValueError('scale cannot be an integer: %s' % scale)
    if scale < 0.:
        raise ValueError('Setting a scale less than 0 on a regularizer: %g' % scale)
    if scale == 0.:
        return lambda _: None

    def l1(weights, name=None):
        with tf.name_scope(scope, 'l1_regularizer') as name:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=name)
    return l1


def l2_regularizer(scale, scope=None):
    """scale times half the sum of squared weights."""
    if isinstance(scale, int) and not isinstance(scale, bool):
        raise ValueError('scale cannot be an integer: %s' % (scale,))
    if scale < 0.:
        raise ValueError('Setting a scale less than 0 on a regularizer: %g.' % scale)
    if scale == 0.:
        return lambda _: None

    def l2(weights):
        with tf.name_scope(scope, 'l2_regularizer') as name:
            factor = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return tf.multiply(factor, tf.nn.l2_loss(weights), name=name)
    return l2


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """The sum of the L1 and L2 regularizers."""
    scope = scope or 'l1_l2_regularizer'
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
    """The sum of several regularizers."""
    used = [r for r in regularizer_list if r is not None]

    def total(weights):
        with tf.name_scope(scope, 'sum_regularizer') as name:
            parts = [t for t in [r(weights) for r in used] if t is not None]
            return tf.add_n(parts, name=name) if len(parts) > 1 else parts[0] if parts else None
    return total


def apply_regularization(regularizer, weights_list=None):
    """The sum of a regularizer over weights, which is added to the collection of losses."""
    if weights_list is None:
        weights_list = tf.get_collection(tf.GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError('No weights to regularize.')
    with tf.name_scope('get_regularization_penalty') as scope:
        penalties = [p if p is not None else tf.constant(0.0) for p in [regularizer(w) for w in weights_list]]
        total = tf.add_n(penalties, name=scope)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, total)
        return total
