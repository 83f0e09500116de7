"""tf.nn: dilation, erosion, and pools over regions of random size."""


def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None):
    """The greatest sum of a window and a filter."""
    return tf.raw_ops.Dilation2D(input=input, filter=_either('filter', filter, 'filters', filters), strides=strides,
                                 rates=_either('rates', rates, 'dilations', dilations), padding=padding, name=name)


def _either(old, old_value, new, new_value):
    if old_value is not None and new_value is not None:
        raise ValueError("Cannot specify both '%s' and '%s'." % (old, new))
    return old_value if new_value is None else new_value


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """The least difference of a window and a kernel."""
    with tf.name_scope(name, 'erosion2d', [value, kernel]) as name:
        return tf.negative(tf.raw_ops.Dilation2D(input=tf.negative(value), filter=tf.reverse(kernel, [0, 1]),
                                                 strides=strides, rates=rates, padding=padding, name=name))


def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
                        seed2=0, name=None):
    """(the greatest of each region, where the regions begin in rows, in columns)."""
    return tf.raw_ops.FractionalMaxPool(value=value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random,
                                        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
                                        name=name)


def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
                        seed2=0, name=None):
    """(the mean of each region, where the regions begin in rows, in columns)."""
    return tf.raw_ops.FractionalAvgPool(value=value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random,
                                        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
                                        name=name)
