"""tf.math: cumulative functions along a dimension."""


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """The logarithms of cumulative sums of exponentials."""
    with tf.name_scope(name, 'CumulativeLogsumexp', [x]) as name:
        x = tf.convert_to_tensor(x, name='x')
        return tf.raw_ops.CumulativeLogsumexp(x=x, axis=axis, exclusive=exclusive, reverse=reverse, name=name)
