"""tf.contrib.metrics and slim.metrics: tf.metrics with the older order of arguments, predictions first."""


def aggregate_metrics(*value_update_tuples):
    """Returns the values of several metrics and their updates as two lists."""
    if not value_update_tuples:
        raise ValueError('Expected at least one value_tensor/update_op pair')
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """Splits {name: (value, update)} into {name: value} and {name: update}."""
    return ({name: value for name, (value, _) in names_to_tuples.items()},
            {name: update for name, (_, update) in names_to_tuples.items()})


def accuracy(predictions, labels, weights=None, name=None):
    """The fraction of correct predictions in this batch."""
    if not (labels.dtype.is_integer or labels.dtype in (tf.bool, tf.string)):
        raise ValueError('Labels should have bool, integer, or string dtype, but are %s.' % labels.dtype)
    if labels.dtype != predictions.dtype:
        raise ValueError('Dtypes of predictions and labels should match. Given: predictions (%r) and labels (%r)'
                         % (predictions.dtype, labels.dtype))
    with tf.name_scope(name, 'accuracy', values=[predictions, labels]):
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(right)
        right = tf.multiply(right, weights)
        return tf.div(tf.reduce_sum(right), tf.reduce_sum(tf.add(tf.zeros_like(right), weights)))


def _predictions_first(metric):
    def streaming(predictions, labels, *args, **kwargs):
        return metric(labels, predictions, *args, **kwargs)
    streaming.__doc__ = metric.__doc__
    return streaming


streaming_mean = tf.metrics.mean
streaming_mean_tensor = tf.metrics.mean_tensor
streaming_percentage_less = tf.metrics.percentage_below
streaming_accuracy = _predictions_first(tf.metrics.accuracy)
streaming_auc = _predictions_first(tf.metrics.auc)
streaming_false_negatives = _predictions_first(tf.metrics.false_negatives)
streaming_false_positives = _predictions_first(tf.metrics.false_positives)
streaming_mean_absolute_error = _predictions_first(tf.metrics.mean_absolute_error)
streaming_mean_cosine_distance = _predictions_first(tf.metrics.mean_cosine_distance)
streaming_mean_iou = _predictions_first(tf.metrics.mean_iou)
streaming_mean_relative_error = _predictions_first(tf.metrics.mean_relative_error)
streaming_mean_squared_error = _predictions_first(tf.metrics.mean_squared_error)
streaming_precision = _predictions_first(tf.metrics.precision)
streaming_precision_at_thresholds = _predictions_first(tf.metrics.precision_at_thresholds)
streaming_recall = _predictions_first(tf.metrics.recall)
streaming_recall_at_thresholds = _predictions_first(tf.metrics.recall_at_thresholds)
streaming_root_mean_squared_error = _predictions_first(tf.metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = _predictions_first(tf.metrics.sensitivity_at_specificity)
streaming_specificity_at_sensitivity = _predictions_first(tf.metrics.specificity_at_sensitivity)
streaming_true_negatives = _predictions_first(tf.metrics.true_negatives)
streaming_true_positives = _predictions_first(tf.metrics.true_positives)


def streaming_recall_at_k(predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None,
                          name=None):
    """The fraction of labels that are among the k most likely classes."""
    in_top_k = tf.cast(tf.nn.in_top_k(predictions, labels, k), tf.float32)
    return tf.metrics.mean(in_top_k, weights, metrics_collections, updates_collections, name or 'recall_at_%d' % k)
