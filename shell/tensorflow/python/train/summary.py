"""tf.summary: ops whose results are stored in event files."""


def _clean(name):
    if name is None:
        return None
    return ''.join(c if c.isalnum() or c in '-/_.' else '_' for c in name).lstrip('/')


def _collect(value, collections, default):
    for key in default if collections is None else collections:
        tf.add_to_collection(key, value)
    return value


def _add(make, name, family, default_name, tensor, collections):
    """Adds the op in a scope, whose name becomes the tag."""
    name, family = _clean(name), _clean(family)
    base = name if family is None else family + '/' + name
    with tf.name_scope(base, default_name, [tensor]) as scope:
        tag = scope.rstrip('/')
        if family is not None:
            tag = family + '/' + tag
        return _collect(make(tag, scope), collections, [tf.GraphKeys.SUMMARIES])


def scalar(name, tensor, collections=None, family=None):
    """A scalar, shown as a curve."""
    return _add(lambda tag, scope: tf.raw_ops.ScalarSummary(tags=tag, values=tensor, name=scope), name, family, None,
                tensor, collections)


def histogram(name, values, collections=None, family=None):
    """The distribution of values."""
    return _add(lambda tag, scope: tf.raw_ops.HistogramSummary(tag=tag, values=values, name=scope), name, family,
                'HistogramSummary', values, collections)


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Images of the form [batch, height, width, channels]."""
    return _add(lambda tag, scope: tf.raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs, name=scope),
                name, family, None, tensor, collections)


def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """Sounds of the form [batch, frames, channels] or [batch, frames], with numbers in [-1, 1]."""
    def make(tag, scope):
        rate = tf.convert_to_tensor(sample_rate, dtype=tf.float32, name='sample_rate')
        return tf.raw_ops.AudioSummaryV2(tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope)
    return _add(make, name, family, None, tensor, collections)


def tensor_summary(name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None,
                   display_name=None):
    """Any tensor, for TensorBoard plug-ins."""
    message = tf.SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        message.summary_description = summary_description
    if display_name is not None:
        message.display_name = display_name
    metadata = message.SerializeToString()
    return _add(lambda tag, scope: tf.raw_ops.TensorSummaryV2(tag=tag, tensor=tensor, name=scope,
                                                              serialized_summary_metadata=metadata),
                name, family, None, tensor, collections)


def text(name, tensor, collections=None):
    """Strings, shown as text."""
    if tensor.dtype != tf.string:
        raise ValueError('Expected tensor %s to have dtype string, got %s' % (tensor.name, tensor.dtype))
    metadata = tf.SummaryMetadata(plugin_data=tf.SummaryMetadata.PluginData(plugin_name='text'))
    return tensor_summary(name=name, tensor=tensor, summary_metadata=metadata, collections=collections)


def merge(inputs, collections=None, name=None):
    """Merges several summaries."""
    name = _clean(name)
    with tf.name_scope(name, 'Merge', inputs):
        value = tf.raw_ops.MergeSummary(inputs=inputs, name=name)
        return _collect(value, collections, [])


def merge_all(key=None, scope=None, name=None):
    """Merges all summaries of a collection. Returns None if it is empty."""
    ops = tf.get_collection(tf.GraphKeys.SUMMARIES if key is None else key, scope=scope)
    return merge(ops, name=name) if ops else None


def initialize(*args, **kwargs):
    """Accepted without effect."""


def summary_iterator(path):
    """Iterates over the events of an event file."""
    for record in tf.python_io.tf_record_iterator(path):
        yield tf.Event.FromString(record)
