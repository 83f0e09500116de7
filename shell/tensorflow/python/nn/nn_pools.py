"""tf.nn: dilation, erosion, and fractional pools, whose regions have random sizes."""


def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None):
    """The maximum of each window plus a filter."""
    return tf.raw_ops.Dilation2D(input=input, filter=_either('filter', filter, 'filters', filters), strides=strides,
                                 rates=_either('rates', rates, 'dilations', dilations), padding=padding, name=name)


def _either(old, old_value, new, new_value):
    if old_value is not None and new_value is not None:
        raise ValueError("Cannot specify both '%s' and '%s'." % (old, new))
    return old_value if new_value is None else new_value


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """The minimum of each window minus a kernel."""
    with tf.name_scope(name, 'erosion2d', [value, kernel]) as name:
        return tf.negative(tf.raw_ops.Dilation2D(input=tf.negative(value), filter=tf.reverse(kernel, [0, 1]),
                                                 strides=strides, rates=rates, padding=padding, name=name))


def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
                        seed2=0, name=None):
    """Returns (the maximum of each region, row boundaries, column boundaries)."""
    return tf.raw_ops.FractionalMaxPool(value=value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random,
                                        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
                                        name=name)


def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
                        seed2=0, name=None):
    """Returns (the mean of each region, row boundaries, column boundaries)."""
    return tf.raw_ops.FractionalAvgPool(value=value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random,
                                        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
                                        name=name)
