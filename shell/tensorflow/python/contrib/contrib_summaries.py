"""tf.contrib.layers: summaries of tensors, activations and whole collections."""
import re


def summarize_tensor(tensor, tag=None):
    """Adds a scalar summary of a number, or a histogram of any other tensor."""
    kind = tf.summary.scalar if tensor.get_shape().ndims == 0 else tf.summary.histogram
    return kind(tag or tensor.op.name + '_summary', tensor)


def summarize_activation(op):
    """Adds a histogram of an activation, and the fractions of it that a rectifier cut off."""
    def fraction(relation, bound, tag):
        where = relation(op, tf.cast(bound, op.dtype))
        summarize_tensor(tf.reduce_mean(tf.to_float(where)), '%s/%s' % (op.op.name, tag))
    if op.op.type in ('Relu', 'Softplus', 'Relu6'):
        fraction(tf.less_equal, 0., 'zeros')
    if op.op.type == 'Relu6':
        fraction(tf.greater, 6., 'sixes')
    return tf.summary.histogram(op.op.name + '/activation', op)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    """Adds a summary for each tensor."""
    return [summarizer(t) for t in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Adds a summary for each tensor of a collection whose name matches."""
    return summarize_tensors([t for t in tf.get_collection(collection) if name_filter is None or re.match(name_filter, t.op.name)],
                             summarizer)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    """Adds a summary for each tensor of the collection of activations."""
    return summarize_collection(tf.GraphKeys.ACTIVATIONS, name_filter, summarizer)
