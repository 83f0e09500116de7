"""tf.contrib.slim.losses: tf.losses with the older order of arguments, predictions first."""
from tensorflow.contrib.framework import add_arg_scope


def _scale(losses, weights):
    rest = list(range(max(0, weights.get_shape().ndims), losses.get_shape().ndims))
    return tf.reduce_sum(tf.multiply(tf.reduce_sum(losses, axis=rest), weights))


def _num_present(losses, weights, per_batch=False):
    """The number of elements with a weight other than 0."""
    rank = weights.get_shape().ndims
    if rank == 0:
        batch = tf.reshape(tf.slice(tf.shape(losses), [0], [1]), [])
        present = tf.div(tf.cast(tf.size(losses), tf.float32), tf.cast(batch, tf.float32))
        present = tf.where(tf.equal(weights, 0), 0.0, present)
        present = tf.multiply(tf.ones(tf.reshape(batch, [1])), present)
    else:
        nonzero = tf.reduce_sum(tf.cast(tf.not_equal(weights, 0), tf.float32), axis=list(range(1, rank)))
        rest = tf.slice(tf.shape(losses), [rank], [-1])
        present = tf.multiply(nonzero, tf.cast(tf.reduce_prod(rest), tf.float32))
    return present if per_batch else tf.reduce_sum(present)


def compute_weighted_loss(losses, weights=1.0, scope=None):
    """Reduces losses times weights to one number."""
    with tf.name_scope(scope, 'weighted_loss', [losses, weights]):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        losses = tf.cast(losses, tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        if losses.get_shape().ndims is None:
            raise ValueError('losses.get_shape().ndims cannot be None')
        if weights.get_shape().ndims is None:
            raise ValueError('weights.get_shape().ndims cannot be None')
        if weights.get_shape().ndims > 1 and weights.get_shape()[-1].is_compatible_with(1):
            weights = tf.squeeze(weights, [-1])
        total = _scale(losses, weights)
        present = _num_present(losses, weights)
        mean = tf.cast(tf.div_no_nan(tf.reduce_sum(total), present, name='value'), dtype)
        add_loss(mean)
        return mean


@add_arg_scope
def add_loss(loss, loss_collection=tf.GraphKeys.LOSSES):
    """Adds a loss to the collection."""
    if loss_collection:
        tf.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=tf.GraphKeys.LOSSES):
    """Returns the losses of the collection."""
    return tf.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """Returns the regularization losses."""
    return tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(add_regularization_losses=True, name='total_loss'):
    """Returns the sum of all losses."""
    return tf.add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []), name=name)


def _floats(predictions, labels):
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """|predictions - labels|"""
    with tf.name_scope(scope, 'absolute_difference', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.abs(tf.subtract(predictions, labels)), weights, scope=scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """(predictions - labels)²"""
    with tf.name_scope(scope, 'mean_squared_error', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(tf.squared_difference(predictions, labels), weights, scope=scope)


def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The squared errors of the differences between pairs of elements."""
    with tf.name_scope(scope, 'mean_pairwise_squared_error', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        diffs = tf.subtract(predictions, labels)
        rest = list(range(1, diffs.get_shape().ndims))
        squares = tf.reduce_sum(tf.square(diffs), axis=rest)
        present = _num_present(diffs, weights, per_batch=True)
        first = 2.0 * tf.div_no_nan(squares, present, name='value')
        total = tf.reduce_sum(diffs, axis=rest)
        second = 2.0 * tf.div_no_nan(tf.square(total), tf.square(present), name='value')
        loss = _scale(first - second, weights)
        mean = tf.where(tf.reduce_sum(present) > 0, loss, tf.zeros_like(loss), name='value')
        add_loss(mean)
        return mean


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """-labels log(predictions) - (1 - labels) log(1 - predictions)"""
    with tf.name_scope(scope, 'log_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = -tf.multiply(labels, tf.log(predictions + epsilon)) - tf.multiply(
            1 - labels, tf.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope=scope)


def hinge_loss(logits, labels=None, scope=None):
    """The hinge loss max(0, 1 - logits·labels) of each element, with labels 0 and 1 converted to -1 and 1."""
    with tf.name_scope(scope, 'hinge_loss', [logits, labels]) as scope:
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        labels = tf.cast(labels, tf.float32)
        ones = tf.ones_like(labels)
        labels = tf.subtract(2 * labels, ones)
        return tf.nn.relu(tf.subtract(ones, tf.multiply(labels, logits)))


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """1 - predictions·labels, where both have length 1 along the axis."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with tf.name_scope(scope, 'cosine_distance_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - tf.reduce_sum(tf.multiply(predictions, labels), axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """The cross entropy of independent classes."""
    with tf.name_scope(scope, 'sigmoid_cross_entropy_loss', [logits, multi_class_labels, weights]) as scope:
        logits.get_shape().assert_is_compatible_with(multi_class_labels.get_shape())
        labels = tf.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """The cross entropy of exclusive classes, with one-hot labels."""
    with tf.name_scope(scope, 'softmax_cross_entropy_loss', [logits, onehot_labels, weights]) as scope:
        logits.get_shape().assert_is_compatible_with(onehot_labels.get_shape())
        labels = tf.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """The cross entropy of exclusive classes, with class numbers."""
    with tf.name_scope(scope, 'sparse_softmax_cross_entropy_loss', [logits, labels, weights]) as scope:
        labels = tf.reshape(labels, shape=[tf.shape(labels)[0]])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)
