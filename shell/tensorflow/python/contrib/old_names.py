"""Functions that TensorFlow had before 1.0 under other names or with other arguments."""


def _collected(made, collections):
    for key in [tf.GraphKeys.SUMMARIES] if collections is None else collections:
        tf.add_to_collection(key, made)
    return made


def scalar_summary(tags, values, collections=None, name=None):
    """Returns a summary of a scalar."""
    return _collected(tf.raw_ops.ScalarSummary(tags=tags, values=values, name=name or 'ScalarSummary'), collections)


def histogram_summary(tag, values, collections=None, name=None):
    """Returns a summary of the distribution of values."""
    return _collected(tf.raw_ops.HistogramSummary(tag=tag, values=values, name=name or 'HistogramSummary'), collections)


def image_summary(tag, tensor, max_images=3, collections=None, name=None):
    """Returns a summary of images."""
    return _collected(tf.raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_images,
                                              name=name or 'ImageSummary'), collections)


def audio_summary(tag, tensor, sample_rate, max_outputs=3, collections=None, name=None):
    """Returns a summary of sounds."""
    return _collected(tf.raw_ops.AudioSummary(tag=tag, tensor=tensor, sample_rate=sample_rate, max_outputs=max_outputs,
                                              name=name or 'AudioSummary'), collections)


def merge_summary(inputs, collections=None, name=None):
    """Returns a summary that contains all given ones."""
    made = tf.raw_ops.MergeSummary(inputs=inputs, name=name or 'MergeSummary')
    for key in collections or ():
        tf.add_to_collection(key, made)
    return made


def merge_all_summaries(key='summaries'):
    """Merges the summaries of the graph. Returns None if it has none."""
    return tf.summary.merge_all(key)


def batch_matrix_transpose(a, name='batch_matrix_transpose'):
    """Exchanges the last two dimensions."""
    return tf.matrix_transpose(a, name=name)
