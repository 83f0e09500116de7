"""tf.metrics: metrics over many steps, each as (value, update_op). Their variables are local."""
from _library.losses import _same_ranks, _broadcast_weights


def _variable(shape, dtype, name):
    return tf.Variable(lambda: tf.zeros(shape, dtype), trainable=False, name=name,
                       collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES])


def _adapt(predictions, labels, weights):
    predictions = tf.convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = _same_ranks(labels, predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if weights is None:
        return predictions, labels, None
    weights = tf.convert_to_tensor(weights)
    have, wanted = weights.get_shape().ndims, predictions.get_shape().ndims
    if have and wanted is not None:
        if have - wanted == 1:
            weights = tf.squeeze(weights, [-1])
        elif wanted - have == 1:
            weights = tf.expand_dims(weights, [-1])
    return predictions, labels, weights


def _collect(collections, value):
    if collections:
        tf.add_to_collections(collections, value)
    return value


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of all values so far."""
    with tf.variable_scope(name, 'mean'):
        values = tf.to_float(values)
        total = _variable([], tf.float32, 'total')
        count = _variable([], tf.float32, 'count')
        if weights is None:
            number = tf.to_float(tf.size(values))
        else:
            values, _, weights = _adapt(values, None, weights)
            weights = _broadcast_weights(tf.to_float(weights), values)
            values = tf.multiply(values, weights)
            number = tf.reduce_sum(weights)
        total_update = tf.assign_add(total, tf.reduce_sum(values))
        with tf.control_dependencies([values]):
            count_update = tf.assign_add(count, number)
        value = tf.div_no_nan(total, tf.maximum(count, 0), name='value')
        update = tf.div_no_nan(total_update, tf.maximum(count_update, 0), name='update_op')
        return _collect(metrics_collections, value), _collect(updates_collections, update)


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The fraction of predictions that equal their labels."""
    predictions, labels, weights = _adapt(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = tf.cast(predictions, labels.dtype)
    correct = tf.to_float(tf.equal(predictions, labels))
    return mean(correct, weights, metrics_collections, updates_collections, name or 'accuracy')


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
                        name=None):
    """The mean of |predictions - labels|."""
    predictions, labels, weights = _adapt(predictions, labels, weights)
    return mean(tf.abs(predictions - labels), weights, metrics_collections, updates_collections,
                name or 'mean_absolute_error')


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
                       name=None):
    """The mean of (predictions - labels) ** 2."""
    predictions, labels, weights = _adapt(predictions, labels, weights)
    return mean(tf.squared_difference(labels, predictions), weights, metrics_collections, updates_collections,
                name or 'mean_squared_error')


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
                            name=None):
    """The root of the mean squared error."""
    predictions, labels, weights = _adapt(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or 'root_mean_squared_error')
    return _collect(metrics_collections, tf.sqrt(value)), _collect(updates_collections, tf.sqrt(update))


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |predictions - labels| / normalizer."""
    predictions, labels, weights = _adapt(predictions, labels, weights)
    normalizer, predictions = _same_ranks(normalizer, predictions)
    errors = tf.where(tf.equal(normalizer, 0.0), tf.zeros_like(labels),
                      tf.div(tf.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or 'mean_relative_error')


def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None,
                         name=None):
    """The mean of 1 - cosine of unit vectors."""
    predictions, labels, weights = _adapt(predictions, labels, weights)
    cosine = tf.reduce_sum(tf.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(cosine, weights, None, None, name or 'mean_cosine_distance')
    return (_collect(metrics_collections, tf.subtract(1.0, value)),
            _collect(updates_collections, tf.subtract(1.0, update)))


def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of each element so far."""
    with tf.variable_scope(name, 'mean'):
        values = tf.to_float(values)
        shape = values.get_shape()
        total = _variable(shape, tf.float32, 'total_tensor')
        count = _variable(shape, tf.float32, 'count_tensor')
        number = tf.ones_like(values)
        if weights is not None:
            values, _, weights = _adapt(values, None, weights)
            weights = _broadcast_weights(tf.to_float(weights), values)
            values = tf.multiply(values, weights)
            number = tf.multiply(number, weights)
        total_update = tf.assign_add(total, values)
        with tf.control_dependencies([values]):
            count_update = tf.assign_add(count, number)
        value = tf.div_no_nan(total, tf.maximum(count, 0), name='value')
        update = tf.div_no_nan(total_update, tf.maximum(count_update, 0), name='update_op')
        return _collect(metrics_collections, value), _collect(updates_collections, update)


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The fraction of values below threshold."""
    below = tf.to_float(tf.less(values, threshold))
    return mean(below, weights, metrics_collections, updates_collections, name or 'percentage_below_threshold')


def _count(values, weights, metrics_collections, updates_collections):
    count = _variable([], tf.float32, 'count')
    values = tf.to_float(values)
    if weights is not None:
        values = tf.multiply(values, tf.to_float(weights))
    value = _collect(metrics_collections, tf.identity(count))
    update = tf.assign_add(count, tf.reduce_sum(values))
    return value, _collect(updates_collections, update)


def _count_pairs(name, default, label, prediction, labels, predictions, weights, metrics_collections,
                 updates_collections):
    with tf.variable_scope(name, default):
        predictions, labels, weights = _adapt(tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights)
        both = tf.logical_and(tf.equal(labels, label), tf.equal(predictions, prediction))
        return _count(both, weights, metrics_collections, updates_collections)


def true_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The number of true positives."""
    return _count_pairs(name, 'true_positives', True, True, labels, predictions, weights, metrics_collections,
                        updates_collections)


def false_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The number of false positives."""
    return _count_pairs(name, 'false_positives', False, True, labels, predictions, weights, metrics_collections,
                        updates_collections)


def true_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The number of true negatives."""
    return _count_pairs(name, 'true_negatives', False, False, labels, predictions, weights, metrics_collections,
                        updates_collections)


def false_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The number of false negatives."""
    return _count_pairs(name, 'false_negatives', True, False, labels, predictions, weights, metrics_collections,
                        updates_collections)


def _ratio(good, bad, name):
    total = good + bad
    return tf.where(tf.greater(good + bad, 0), tf.div(good, total), tf.zeros_like(total), name)


def _share(name, default, other, labels, predictions, weights, metrics_collections, updates_collections):
    with tf.variable_scope(name, default):
        predictions, labels, weights = _adapt(tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights)
        good, good_update = true_positives(labels, predictions, weights)
        bad, bad_update = other(labels, predictions, weights)
        value = _collect(metrics_collections, _ratio(good, bad, 'value'))
        return value, _collect(updates_collections, _ratio(good_update, bad_update, 'update_op'))


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The precision: the fraction of positive predictions that are correct."""
    return _share(name, 'precision', false_positives, labels, predictions, weights, metrics_collections,
                  updates_collections)


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The recall: the fraction of positive labels that are predicted."""
    return _share(name, 'recall', false_negatives, labels, predictions, weights, metrics_collections,
                  updates_collections)


def _counts_at(labels, predictions, thresholds, weights, wanted=('tp', 'fn', 'tn', 'fp')):
    """Returns the requested counts at each threshold: {'tp': (value, update), ...}"""
    predictions, labels, weights = _adapt(tf.to_float(predictions), tf.cast(labels, tf.bool), weights)
    n = len(thresholds)
    flat = tf.reshape(predictions, [-1, 1])
    labels = tf.reshape(tf.cast(labels, tf.bool), [1, -1])
    size = flat.get_shape()[0].value
    size = tf.shape(flat)[0] if size is None else size
    limits = tf.tile(tf.expand_dims(tf.constant(thresholds), [1]), tf.stack([1, size]))
    positive = tf.greater(tf.tile(tf.transpose(flat), [n, 1]), limits)
    negative = tf.logical_not(positive)
    is_so = tf.tile(labels, [n, 1])
    is_not = tf.logical_not(is_so)
    if weights is not None:
        weights = _broadcast_weights(tf.to_float(weights), predictions)
        weights = tf.tile(tf.reshape(weights, [1, -1]), [n, 1])
    counts = {}
    for key, name, label, prediction in [('tp', 'true_positives', is_so, positive),
                                         ('fn', 'false_negatives', is_so, negative),
                                         ('tn', 'true_negatives', is_not, negative),
                                         ('fp', 'false_positives', is_not, positive)]:
        if key not in wanted:
            continue
        v = _variable([n], tf.float32, name)
        both = tf.to_float(tf.logical_and(label, prediction))
        if weights is not None:
            both *= weights
        counts[key] = (v, tf.assign_add(v, tf.reduce_sum(both, 1)))
    return counts


def _interpolated_area(tp, fp, fn, name):
    """Returns the area under a curve of precision and recall. The true positives between two thresholds are taken as
    a linear function of all positives, as Davis and Goadrich propose."""
    positive = tp + fp
    step, change = tp[:-1] - tp[1:], positive[:-1] - positive[1:]
    slope = tf.div_no_nan(step, tf.maximum(change, 0))
    start = tp[1:] - slope * positive[1:]
    both = tf.logical_and(positive[:-1] > 0, positive[1:] > 0)
    ratio = tf.where(both, tf.div_no_nan(positive[:-1], tf.maximum(positive[1:], 0)), tf.ones_like(step))
    return tf.reduce_sum(tf.div_no_nan(slope * (step + start * tf.log(ratio)), tf.maximum(tp[1:] + fn[1:], 0)), name=name)


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None,
        curve='ROC', name=None, summation_method='trapezoidal', thresholds=None):
    """The area under the curve."""
    if curve not in ('ROC', 'PR'):
        raise ValueError('curve must be either ROC or PR, %s unknown' % curve)
    if summation_method not in ('trapezoidal', 'minoring', 'majoring', 'careful_interpolation'):
        raise ValueError('Invalid summation_method: %s' % summation_method)
    with tf.variable_scope(name, 'auc'):
        if thresholds is not None:
            limits = sorted(thresholds)
            num_thresholds = len(limits) + 2
        else:
            limits = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        counts = _counts_at(labels, predictions, [-1e-7] + limits + [1.0 + 1e-7], weights)
        small, n = 1.0e-6, num_thresholds

        def area(which, name):
            tp, fn, tn, fp = [counts[k][which] for k in ('tp', 'fn', 'tn', 'fp')]
            rec = tf.div(tp + small, tp + fn + small)
            if curve == 'ROC':
                x, y = tf.div(fp, fp + tn + small), rec
            else:
                x, y = rec, tf.div(tp + small, tp + fp + small)
            if summation_method == 'careful_interpolation' and curve == 'PR':
                return _interpolated_area(tp, fp, fn, name)
            if summation_method in ('trapezoidal', 'careful_interpolation'):
                height = (y[:n - 1] + y[1:]) / 2.
            else:
                height = (tf.minimum if summation_method == 'minoring' else tf.maximum)(y[:n - 1], y[1:])
            return tf.reduce_sum(tf.multiply(x[:n - 1] - x[1:], height), name=name)
        value = _collect(metrics_collections, area(0, 'value'))
        return value, _collect(updates_collections, area(1, 'update_op'))


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None,
             name=None):
    """The mean intersection over union of all classes."""
    with tf.variable_scope(name, 'mean_iou'):
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total = _variable([num_classes, num_classes], tf.float64, 'total_confusion_matrix')
        labels, predictions = [tf.reshape(tf.to_int64(x), [-1]) for x in (labels, predictions)]
        if weights is not None:
            weights = tf.reshape(weights, [-1])
        current = tf.confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=tf.float64)
        update = tf.assign_add(total, current)
        rows, columns = tf.to_float(tf.reduce_sum(total, 0)), tf.to_float(tf.reduce_sum(total, 1))
        diagonal = tf.to_float(tf.diag_part(total))
        union = rows + columns - diagonal
        valid = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), dtype=tf.float32))
        union = tf.where(tf.greater(union, 0), union, tf.ones_like(union))
        iou = tf.div(diagonal, union)
        value = tf.where(tf.greater(valid, 0), tf.reduce_sum(iou, name='mean_iou') / valid, tf.constant(0.0))
        return _collect(metrics_collections, value), _collect(updates_collections, update)


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """The mean over classes of the fraction of each class's labels that are predicted."""
    with tf.variable_scope(name, 'mean_accuracy'):
        labels = tf.to_int64(labels)
        if labels.get_shape().ndims > 1:
            labels = tf.reshape(labels, [-1])
        if predictions.get_shape().ndims > 1:
            predictions = tf.reshape(predictions, [-1])
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total = _variable([num_classes], tf.float32, 'total')
        count = _variable([num_classes], tf.float32, 'count')
        ones = tf.ones([tf.size(labels)], tf.float32)
        if labels.dtype != predictions.dtype:
            predictions = tf.cast(predictions, labels.dtype)
        correct = tf.to_float(tf.equal(predictions, labels))
        if weights is not None:
            if weights.get_shape().ndims > 1:
                weights = tf.reshape(weights, [-1])
            weights = tf.to_float(weights)
            correct *= weights
            ones *= weights
        total_update = tf.scatter_add(total, labels, ones)
        count_update = tf.scatter_add(count, labels, correct)
        value = tf.reduce_mean(tf.div_no_nan(count, tf.maximum(total, 0)), name='mean_accuracy')
        update = tf.div_no_nan(count_update, tf.maximum(total_update, 0), name='update_op')
        return _collect(metrics_collections, value), _collect(updates_collections, update)


def _counted_at(key, name, labels, predictions, thresholds, weights, metrics_collections, updates_collections,
                default):
    with tf.variable_scope(name, default):
        value, update = _counts_at(labels, predictions, thresholds, weights, (key,))[key]
        return _collect(metrics_collections, value), _collect(updates_collections, update)


def true_positives_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                                 updates_collections=None, name=None):
    """The number of true positives at each threshold."""
    return _counted_at('tp', name, labels, predictions, thresholds, weights, metrics_collections,
                       updates_collections, 'true_positives')


def true_negatives_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                                 updates_collections=None, name=None):
    """The number of true negatives at each threshold."""
    return _counted_at('tn', name, labels, predictions, thresholds, weights, metrics_collections,
                       updates_collections, 'true_negatives')


def false_positives_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """The number of false positives at each threshold."""
    return _counted_at('fp', name, labels, predictions, thresholds, weights, metrics_collections,
                       updates_collections, 'false_positives')


def false_negatives_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """The number of false negatives at each threshold."""
    return _counted_at('fn', name, labels, predictions, thresholds, weights, metrics_collections,
                       updates_collections, 'false_negatives')


def _share_at(other, default, labels, predictions, thresholds, weights, metrics_collections, updates_collections,
              name):
    with tf.variable_scope(name, default):
        counts = _counts_at(labels, predictions, thresholds, weights, ('tp', other))
        value, update = [tf.div(counts['tp'][i], 1e-7 + counts['tp'][i] + counts[other][i],
                                name='%s_%s' % (default.split('_')[0], end))
                         for i, end in enumerate(('value', 'update_op'))]
        return _collect(metrics_collections, value), _collect(updates_collections, update)


def precision_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """The precision at each threshold."""
    return _share_at('fp', 'precision_at_thresholds', labels, predictions, thresholds, weights, metrics_collections,
                     updates_collections, name)


def recall_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """The recall at each threshold."""
    return _share_at('fn', 'recall_at_thresholds', labels, predictions, thresholds, weights, metrics_collections,
                     updates_collections, name)


def _last_closest(rates, wanted):
    least = tf.reduce_min(tf.abs(rates - wanted))
    closest = tf.cast(tf.equal(tf.abs(rates - wanted), least), tf.int64)
    return tf.argmax(tf.cumsum(closest), 0)


def _best_at(labels, predictions, wanted, weights, num_thresholds, metrics_collections, updates_collections, name,
             default, held, other, closest):
    """The value of `other` at the threshold where `held` is closest to `wanted`; each is a pair of counts."""
    if not 0 <= wanted <= 1:
        raise ValueError('`%s` must be in the range [0, 1].' % default.split('_')[-1])
    with tf.variable_scope(name, default):
        limits = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        counts = _counts_at(labels, predictions, [-1e-7] + limits + [1.0 + 1e-7], weights)
        small = 1e-7

        def at(which, name):
            first, second = [counts[k][which] for k in held]
            rates = tf.div(first, first + second + small)
            best = tf.cast(closest(rates, wanted), tf.int32)
            good, bad = [counts[k][which] for k in other]
            return tf.div(good[best], good[best] + bad[best] + small, name)
        value = _collect(metrics_collections, at(0, 'value'))
        return value, _collect(updates_collections, at(1, 'update_op'))


def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None, num_thresholds=200,
                               metrics_collections=None, updates_collections=None, name=None):
    """The specificity at a given sensitivity."""
    return _best_at(labels, predictions, sensitivity, weights, num_thresholds, metrics_collections,
                    updates_collections, name, 'specificity_at_sensitivity', ('tp', 'fn'), ('tn', 'fp'), _last_closest)


def sensitivity_at_specificity(labels, predictions, specificity, weights=None, num_thresholds=200,
                               metrics_collections=None, updates_collections=None, name=None):
    """The sensitivity at a given specificity."""
    return _best_at(labels, predictions, specificity, weights, num_thresholds, metrics_collections,
                    updates_collections, name, 'sensitivity_at_specificity', ('tn', 'fp'), ('tp', 'fn'),
                    lambda rates, wanted: tf.argmin(tf.abs(rates - wanted), 0))


def _among_k(labels, top):
    """Returns for each of the k classes in […, k] whether it is one of the labels in [… or …, n]."""
    labels = tf.to_int64(labels)
    if labels.get_shape().ndims < top.get_shape().ndims:
        labels = tf.expand_dims(labels, -1)
    return tf.equal(tf.expand_dims(labels, -1), tf.expand_dims(tf.to_int64(top), -2)), labels


def _hits(labels, top, class_id):
    """Returns (hits, labels, predictions) of each row, for one class or for all."""
    same, labels = _among_k(labels, top)
    if class_id is None:
        found = tf.reduce_any(same, -2)
        return (tf.reduce_sum(tf.to_float(found), -1), tf.to_float(tf.ones_like(labels)),
                tf.to_float(tf.ones_like(top)))
    asked, given = tf.equal(labels, class_id), tf.equal(tf.to_int64(top), class_id)
    hit = tf.logical_and(tf.reduce_any(asked, -1), tf.reduce_any(given, -1))
    return tf.to_float(hit), tf.to_float(asked), tf.to_float(given)


def _at_top_k(default, part, labels, top, class_id, weights, metrics_collections, updates_collections, name):
    with tf.name_scope(name, default) as scope:
        hits, asked, given = _hits(labels, top, class_id)
        of = tf.reduce_sum((asked, given)[part], -1)
        if weights is not None:
            hits, of = hits * weights, of * weights
        good, good_update = _count(hits, None, None, None)
        total, total_update = _count(of, None, None, None)
        value = _collect(metrics_collections, tf.div(good, total, name=scope))
        return value, _collect(updates_collections, tf.div(good_update, total_update, name='update'))


def recall_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """The fraction of labels that are among the given classes."""
    return _at_top_k('recall_at_%s' % (k or 'k'), 0, labels, predictions_idx, class_id, weights, metrics_collections,
                     updates_collections, name)


def recall_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                updates_collections=None, name=None):
    """The fraction of labels that are among the k best classes."""
    return recall_at_top_k(labels, tf.nn.top_k(predictions, k)[1], k, class_id, weights, metrics_collections,
                           updates_collections, name)


def precision_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """The fraction of the given classes that are labels."""
    return _at_top_k('precision_at_%s' % (k or 'k'), 1, labels, predictions_idx, class_id, weights,
                     metrics_collections, updates_collections, name)


def precision_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """The fraction of the k best classes that are labels."""
    return precision_at_top_k(labels, tf.nn.top_k(predictions, k)[1], k, class_id, weights, metrics_collections,
                              updates_collections, name)


sparse_precision_at_k = precision_at_k
