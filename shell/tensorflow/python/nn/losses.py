"""tf.losses: weighted losses over a batch, which are added to the collection of losses."""


class Reduction(object):
    """The ways to reduce the losses of a batch."""

    NONE = 'none'
    SUM = 'weighted_sum'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    MEAN = 'weighted_mean'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS,
                cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise ValueError('Invalid ReductionKey %s.' % key)


def _assert_broadcastable(weights, values):
    with tf.name_scope(None, 'assert_broadcastable') as scope:
        with tf.name_scope(None, 'weights') as weights_scope:
            weights = tf.convert_to_tensor(weights, name=weights_scope)
            weights_shape = tf.shape(weights, name='shape')
            weights_rank = tf.rank(weights, name='rank')
        with tf.name_scope(None, 'values') as values_scope:
            values = tf.convert_to_tensor(values, name=values_scope)
            values_shape = tf.shape(values, name='shape')
            values_rank = tf.rank(values, name='rank')
        wanted, got = values.get_shape(), weights.get_shape()
        if wanted.ndims is not None and got.ndims is not None:
            if got.ndims == 0:
                return tf.no_op(name='static_scalar_check_success')
            if wanted.ndims != got.ndims:
                raise ValueError('weights can not be broadcast to values. values.rank=%s. weights.rank=%s. '
                                 'values.shape=%s. weights.shape=%s.' % (wanted.ndims, got.ndims, wanted, got))
            if wanted.is_fully_defined() and got.is_fully_defined():
                for i in range(wanted.ndims):
                    if got[i].value not in (1, wanted[i].value):
                        raise ValueError('weights can not be broadcast to values. Mismatch at dim %s. '
                                         'values.shape=%s. weights.shape=%s.' % (i, wanted, got))
                return tf.no_op(name='static_dims_check_success')
        same = tf.reduce_all(tf.logical_or(tf.equal(weights_shape, values_shape), tf.equal(weights_shape, 1))
                             if wanted.ndims is not None and wanted.ndims == got.ndims
                             else tf.equal(weights_rank * 0, 0))
        return tf.Assert(same, ['weights can not be broadcast to values.', 'weights.shape=', weights.name,
                                weights_shape, 'values.shape=', values.name, values_shape], name=scope)


def _broadcast_weights(weights, values):
    with tf.name_scope(None, 'broadcast_weights') as scope:
        values = tf.convert_to_tensor(values, name='values')
        weights = tf.convert_to_tensor(weights, dtype=values.dtype.base_dtype, name='weights')
        have, wanted = weights.get_shape(), values.get_shape()
        if have.is_fully_defined() and wanted.is_fully_defined() and have.is_compatible_with(wanted):
            return weights
        with tf.control_dependencies([_assert_broadcastable(weights, values)]):
            return tf.multiply(weights, tf.ones_like(values), name=scope)


def _safe_mean(losses, present):
    return tf.div_no_nan(tf.reduce_sum(losses), present, name='value')


def _num_elements(losses):
    with tf.name_scope(None, 'num_elements') as scope:
        return tf.cast(tf.size(losses, name=scope), losses.dtype)


def _num_present(losses, weights, per_batch=False):
    if isinstance(weights, float) and weights != 0.0:
        return _num_elements(losses)
    with tf.name_scope(None, 'num_present') as scope:
        weights = tf.cast(weights, tf.float32)
        present = tf.where(tf.equal(weights, 0.0), tf.zeros_like(weights), tf.ones_like(weights))
        present = _broadcast_weights(present, losses)
        if per_batch:
            return tf.reduce_sum(present, axis=tf.range(1, tf.rank(present)), keepdims=True, name=scope)
        return tf.reduce_sum(present, name=scope)


def add_loss(loss, loss_collection='losses'):
    """Adds a loss to the collection."""
    if loss_collection:
        tf.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection='losses'):
    """Returns the losses of the collection."""
    return tf.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """Returns the regularization losses."""
    return tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name='total_regularization_loss'):
    """Returns the sum of the regularization losses."""
    losses = get_regularization_losses(scope)
    return tf.add_n(losses, name=name) if losses else tf.constant(0.0)


def get_total_loss(add_regularization_losses=True, name='total_loss', scope=None):
    """Returns the sum of all losses."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return tf.add_n(losses, name=name)


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection='losses',
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Reduces losses times weights to one number."""
    Reduction.validate(reduction)
    with tf.name_scope(scope, 'weighted_loss'):
        with tf.control_dependencies([_assert_broadcastable(weights, losses)]):
            losses = tf.convert_to_tensor(losses)
            kind = losses.dtype
            losses = tf.cast(losses, tf.float32)
            weights = tf.cast(weights, tf.float32)
            loss = tf.multiply(losses, weights)
            if reduction != Reduction.NONE:
                loss = tf.reduce_sum(loss)
                if reduction == Reduction.MEAN:
                    loss = _safe_mean(loss, tf.reduce_sum(tf.ones_like(losses) * weights))
                elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                    loss = _safe_mean(loss, _num_present(losses, weights))
                elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                    loss = _safe_mean(loss, _num_elements(losses))
            loss = tf.cast(loss, kind)
            add_loss(loss, loss_collection)
            return loss


def _floats(labels, predictions, names=('labels', 'predictions')):
    for name, value in zip(names, (labels, predictions)):
        if value is None:
            raise ValueError(name + ' must not be None.')
    predictions = tf.cast(predictions, tf.float32)
    labels = tf.cast(labels, tf.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, predictions


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection='losses',
                        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The mean of |predictions - labels|."""
    with tf.name_scope(scope, 'absolute_difference') as scope:
        labels, predictions = _floats(labels, predictions)
        losses = tf.abs(tf.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection='losses',
                    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS, dim=None):
    """1 minus the cosine between unit vectors."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError('You must specify `axis`.')
    with tf.name_scope(scope, 'cosine_distance_loss') as scope:
        labels, predictions = _floats(labels, predictions)
        radial = tf.multiply(predictions, labels)
        losses = 1 - tf.reduce_sum(radial, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection='losses',
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The hinge loss max(0, 1 - logits * label) for labels 0 and 1, converted to -1 and 1."""
    with tf.name_scope(scope, 'hinge_loss') as scope:
        labels, logits = _floats(labels, logits, ('labels', 'logits'))
        ones = tf.ones_like(labels)
        labels = tf.subtract(2 * labels, ones)
        losses = tf.nn.relu(tf.subtract(ones, tf.multiply(labels, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection='losses',
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The Huber loss: squares near 0, absolute values beyond delta."""
    with tf.name_scope(scope, 'huber_loss') as scope:
        labels, predictions = _floats(labels, predictions)
        size = tf.abs(tf.subtract(predictions, labels))
        near = tf.minimum(size, delta)
        far = tf.subtract(size, near)
        half = tf.convert_to_tensor(0.5, dtype=near.dtype)
        losses = tf.add(tf.multiply(half, tf.multiply(near, near)), tf.multiply(delta, far))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection='losses',
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The log loss of probabilities."""
    with tf.name_scope(scope, 'log_loss') as scope:
        labels, predictions = _floats(labels, predictions)
        losses = (-tf.multiply(labels, tf.log(predictions + epsilon)) -
                  tf.multiply((1 - labels), tf.log(1 - predictions + epsilon)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection='losses'):
    """The mean squared error of the differences between pairs of elements."""
    with tf.name_scope(scope, 'mean_pairwise_squared_error') as scope:
        weights = tf.cast(weights, tf.float32)
        labels = tf.cast(labels, tf.float32)
        with tf.control_dependencies([_assert_broadcastable(weights, labels)]):
            predictions = tf.cast(predictions, tf.float32)
            predictions.get_shape().assert_is_compatible_with(labels.get_shape())
            diffs = tf.subtract(predictions, labels)
            axis = tf.range(1, tf.rank(diffs))
            squares = tf.reduce_sum(tf.square(diffs), axis=axis, keepdims=True)
            present = _num_present(diffs, weights, per_batch=True)
            term1 = 2.0 * tf.div_no_nan(squares, tf.maximum(present - 1, 0), name='value')
            total = tf.reduce_sum(diffs, axis=axis, keepdims=True)
            term2 = 2.0 * tf.div_no_nan(tf.square(total), tf.maximum(tf.multiply(present, present - 1), 0),
                                        name='value')
            loss = tf.reduce_sum(tf.multiply(term1 - term2, weights))
            mean = tf.where(tf.reduce_sum(present) > 0, loss, tf.zeros_like(loss), name='value')
            add_loss(mean, loss_collection)
            return mean


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection='losses',
                       reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The mean of (predictions - labels) ** 2."""
    with tf.name_scope(scope, 'mean_squared_error') as scope:
        labels, predictions = _floats(labels, predictions)
        losses = tf.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection='losses', reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The mean cross entropy of sigmoids."""
    if multi_class_labels is None:
        raise ValueError('multi_class_labels must not be None.')
    if logits is None:
        raise ValueError('logits must not be None.')
    with tf.name_scope(scope, 'sigmoid_cross_entropy_loss') as scope:
        logits = tf.convert_to_tensor(logits)
        labels = tf.cast(multi_class_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection='losses', reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The mean softmax cross entropy with one-hot labels."""
    if onehot_labels is None:
        raise ValueError('onehot_labels must not be None.')
    if logits is None:
        raise ValueError('logits must not be None.')
    with tf.name_scope(scope, 'softmax_cross_entropy_loss') as scope:
        logits = tf.convert_to_tensor(logits)
        labels = tf.cast(onehot_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[-1], logits.dtype)
            positives = 1.0 - label_smoothing
            negatives = label_smoothing / classes
            labels = labels * positives + negatives
        labels = tf.stop_gradient(labels, name='labels_stop_gradient')
        losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def _same_ranks(labels, predictions, difference=0):
    """Removes a superfluous last dimension of size 1 from one of the two."""
    with tf.name_scope(None, 'remove_squeezable_dimensions'):
        predictions = tf.convert_to_tensor(predictions)
        labels = tf.convert_to_tensor(labels)
        p, l = predictions.get_shape(), labels.get_shape()
        if p.ndims is not None and l.ndims is not None:
            more = p.ndims - l.ndims
            if more == difference + 1 and p[-1].is_compatible_with(1):
                predictions = tf.squeeze(predictions, [-1])
            elif more == difference - 1 and l[-1].is_compatible_with(1):
                labels = tf.squeeze(labels, [-1])
    return labels, predictions


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection='losses',
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The mean softmax cross entropy with class numbers."""
    if labels is None:
        raise ValueError('labels must not be None.')
    if logits is None:
        raise ValueError('logits must not be None.')
    with tf.name_scope(scope, 'sparse_softmax_cross_entropy_loss') as scope:
        labels, logits = _same_ranks(labels, logits, difference=1)
        weights = tf.convert_to_tensor(weights)
        have, wanted = weights.get_shape(), labels.get_shape()
        if have.ndims is not None and wanted.ndims is not None and have.ndims - wanted.ndims == 1:
            weights = tf.squeeze(weights, [-1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)
