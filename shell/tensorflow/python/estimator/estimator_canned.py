"""tf.estimator: models that are ready to use: linear, deep, and both side by side."""
import math
from _library.estimator import Estimator, EstimatorSpec, ModeKeys, ClassificationOutput, PredictOutput, RegressionOutput
from _library import feature_column


def _optimizer(given, rate):
    names = {'Adagrad': tf.train.AdagradOptimizer, 'Adam': tf.train.AdamOptimizer, 'Ftrl': tf.train.FtrlOptimizer,
             'RMSProp': tf.train.RMSPropOptimizer, 'SGD': tf.train.GradientDescentOptimizer}
    if isinstance(given, str):
        if given not in names:
            raise ValueError('Unsupported optimizer name: %s. Supported names are: %s' % (given, tuple(sorted(names))))
        return names[given](learning_rate=rate)
    return given() if callable(given) and not hasattr(given, 'minimize') else given


def _matrix(labels):
    labels = labels if isinstance(labels, tf.Tensor) else tf.convert_to_tensor(labels)
    return tf.expand_dims(labels, -1) if labels.get_shape().ndims == 1 else labels


class _Head(object):
    """The base class of what follows the logits: the loss, the predictions and the metrics."""

    def __init__(self, weight_column=None, loss_reduction='weighted_sum'):
        self._weight, self._reduction = weight_column, loss_reduction

    def _weights(self, features):
        if self._weight is None:
            return 1.0
        key = self._weight if isinstance(self._weight, str) else self._weight.key
        return feature_column._rank2(features[key], tf.float32)

    def spec(self, features, mode, logits, labels, train):
        """Returns the EstimatorSpec. train(loss) returns the operation of a step."""
        predictions, outputs = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
        weights = self._weights(features)
        losses, labels = self.losses(_matrix(labels), logits)
        if self._reduction == 'weighted_sum':
            loss = tf.reduce_sum(losses * weights)
        else:
            loss = tf.losses.compute_weighted_loss(losses, weights, reduction=self._reduction)
        regularization = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        loss = tf.add_n([loss] + regularization) if regularization else loss
        if mode == ModeKeys.EVAL:
            keep = None if self._weight is None else weights
            metrics = dict(self.metrics(labels, predictions, logits, keep), average_loss=tf.metrics.mean(losses, keep))
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train(loss))


class _ClassHead(_Head):
    def __init__(self, n_classes, label_vocabulary=None, **kwargs):
        super(_ClassHead, self).__init__(**kwargs)
        self._n, self._vocabulary = n_classes, label_vocabulary
        self.size = 1 if n_classes == 2 else n_classes

    def _labels(self, labels):
        if self._vocabulary is not None:
            return tf.lookup.index_table_from_tensor(tf.constant(list(self._vocabulary))).lookup(labels)
        if labels.dtype == tf.string:
            raise ValueError('Labels are strings. Type: label_vocabulary=[...]')
        return labels

    def _checked(self, labels):
        labels = tf.cast(labels, tf.int64)
        with tf.control_dependencies([
                tf.assert_less(labels, tf.constant(self._n, tf.int64),
                               message='Labels must be smaller than n_classes=%d' % self._n),
                tf.assert_non_negative(labels, message='Labels must not be negative')]):
            return tf.identity(labels)

    def losses(self, labels, logits):
        labels = self._labels(labels)
        if self._n == 2:
            labels = tf.cast(labels, tf.float32)
            with tf.control_dependencies([tf.assert_less_equal(labels, 1., message='Labels must be <= n_classes - 1'),
                                          tf.assert_non_negative(labels, message='Labels must be >= 0')]):
                labels = tf.identity(labels)
            return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), labels
        labels = self._checked(labels)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.squeeze(labels, [-1]), logits=logits)
        return tf.expand_dims(losses, -1), labels

    def predictions(self, logits):
        two = tf.concat([tf.zeros_like(logits), logits], 1) if self._n == 2 else logits
        probabilities = tf.nn.softmax(two, name='probabilities')
        ids = tf.expand_dims(tf.argmax(two, axis=-1), -1, name='class_ids')
        if self._vocabulary is None:
            classes = tf.as_string(ids)
            names = tf.as_string(tf.range(self._n))
        else:
            names = tf.constant(list(self._vocabulary))
            classes = tf.gather(names, ids)
        made = {'logits': logits}
        if self._n == 2:
            made['logistic'] = tf.sigmoid(logits, name='logistic')
        made.update({'probabilities': probabilities, 'class_ids': ids, 'classes': classes})
        spread = [tf.shape(logits)[0], 1]
        made['all_class_ids'] = tf.tile(tf.expand_dims(tf.range(self._n), 0), spread)
        made['all_classes'] = tf.tile(tf.expand_dims(names, 0), spread)
        scores = ClassificationOutput(probabilities, made['all_classes'])
        return made, {'serving_default': scores, 'classification': scores, 'predict': PredictOutput(made)}

    def metrics(self, labels, predictions, logits, weights):
        ids = predictions['class_ids']
        made = {'accuracy': tf.metrics.accuracy(labels, ids, weights)}
        if self._n > 2:
            return made
        logistic = predictions['logistic']
        mean = tf.metrics.mean(labels, weights)
        baseline = tf.maximum(mean[0], 1. - mean[0])
        made.update({
            'precision': tf.metrics.precision(labels, ids, weights), 'recall': tf.metrics.recall(labels, ids, weights),
            'prediction/mean': tf.metrics.mean(logistic, weights), 'label/mean': mean,
            'accuracy_baseline': (baseline, tf.maximum(mean[1], 1. - mean[1])),
            'auc': tf.metrics.auc(labels, logistic, weights),
            'auc_precision_recall': tf.metrics.auc(labels, logistic, weights, curve='PR',
                                                   summation_method='careful_interpolation')})
        return made


class _NumberHead(_Head):
    def __init__(self, label_dimension=1, **kwargs):
        super(_NumberHead, self).__init__(**kwargs)
        self.size = label_dimension

    def losses(self, labels, logits):
        labels = tf.cast(labels, tf.float32)
        if labels.get_shape().as_list()[-1] not in (None, self.size):
            raise ValueError('labels must have the shape [batch_size, %d], got %s. Type: label_dimension=%s' %
                             (self.size, labels.get_shape(), labels.get_shape().as_list()[-1]))
        return tf.squared_difference(labels, logits), labels

    def predictions(self, logits):
        value = RegressionOutput(logits)
        return {'predictions': logits}, {'serving_default': value, 'regression': value,
                                         'predict': PredictOutput({'predictions': logits})}

    def metrics(self, labels, predictions, logits, weights):
        return {'prediction/mean': tf.metrics.mean(predictions['predictions'], weights),
                'label/mean': tf.metrics.mean(labels, weights)}


def _dnn_logits(features, columns, hidden_units, size, mode, activation, dropout, batch_norm):
    training = mode == ModeKeys.TRAIN
    with tf.variable_scope('dnn'):
        with tf.variable_scope('input_from_feature_columns'):
            net = feature_column.input_layer(features, columns)
        for i, units in enumerate(hidden_units):
            with tf.variable_scope('hiddenlayer_%d' % i) as scope:
                net = tf.layers.dense(net, units, activation=activation, kernel_initializer=tf.glorot_uniform_initializer(),
                                      name=scope)
                if dropout is not None and training:
                    net = tf.layers.dropout(net, rate=dropout, training=True)
                if batch_norm:
                    net = tf.layers.batch_normalization(net, momentum=0.999, training=training,
                                                        name='batchnorm_%d' % i)
                tf.summary.scalar('fraction_of_zero_values', tf.nn.zero_fraction(net))
        with tf.variable_scope('logits') as scope:
            return tf.layers.dense(net, size, activation=None, kernel_initializer=tf.glorot_uniform_initializer(),
                                   name=scope)


def _linear_logits(features, columns, size, combiner='sum'):
    with tf.variable_scope('linear'):
        return feature_column.linear_model(features, columns, units=size, sparse_combiner=combiner)


def _training(parts):
    """Returns a function of the loss. parts: pairs of the scope of variables and its optimizer."""
    def train(loss):
        step, updates = tf.train.get_global_step(), []
        for scope, optimizer in parts:
            variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
            updates.append(optimizer.minimize(loss, var_list=variables, global_step=step if len(parts) == 1 else None))
        updates += tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        if len(parts) == 1:
            return tf.group(*updates)
        with tf.control_dependencies(updates):
            return tf.assign_add(step, 1).op
    return train


class _Canned(Estimator):
    """An Estimator whose model_fn is the sum of a linear model and a deep one."""

    def _start(self, head, model_dir, config, warm_start_from, linear=None, deep=None, linear_rate=0.2):
        def model_fn(features, labels, mode, config):
            if not isinstance(features, dict):
                raise ValueError('features should be a dictionary of `Tensor`s. Given type: %s. Type: '
                                 'numpy_input_fn(x={"x": x}, ...)' % type(features))
            logits, parts = None, []
            if deep is not None:
                columns, units, optimizer, activation, dropout, batch_norm = deep
                logits = _dnn_logits(features, columns, units, head.size, mode, activation, dropout, batch_norm)
                parts.append(('dnn', optimizer, 0.05))
            if linear is not None:
                columns, optimizer, combiner = linear
                made = _linear_logits(features, columns, head.size, combiner)
                logits = made if logits is None else logits + made
                parts.append(('linear', optimizer, min(linear_rate, 1. / math.sqrt(len(columns)))))
            made = [(scope, _optimizer(o, rate)) for scope, o, rate in parts] if mode == ModeKeys.TRAIN else []
            return head.spec(features, mode, logits, labels, _training(made))
        Estimator.__init__(self, model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


def _list(columns):
    return [columns] if isinstance(columns, feature_column._Column) else list(columns)


class DNNClassifier(_Canned):
    """A network of hidden layers that chooses a class."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column=None,
                 label_vocabulary=None, optimizer='Adagrad', activation_fn=tf.nn.relu, dropout=None,
                 input_layer_partitioner=None, config=None, warm_start_from=None, loss_reduction='weighted_sum',
                 batch_norm=False):
        head = _ClassHead(n_classes, label_vocabulary, weight_column=weight_column, loss_reduction=loss_reduction)
        self._start(head, model_dir, config, warm_start_from,
                    deep=(_list(feature_columns), hidden_units, optimizer, activation_fn, dropout, batch_norm))


class DNNRegressor(_Canned):
    """A network of hidden layers that estimates a number."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer='Adagrad', activation_fn=tf.nn.relu, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction='weighted_sum', batch_norm=False):
        head = _NumberHead(label_dimension, weight_column=weight_column, loss_reduction=loss_reduction)
        self._start(head, model_dir, config, warm_start_from,
                    deep=(_list(feature_columns), hidden_units, optimizer, activation_fn, dropout, batch_norm))


class LinearClassifier(_Canned):
    """A weighted sum of the features that chooses a class."""

    def __init__(self, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer='Ftrl', config=None, partitioner=None, warm_start_from=None, loss_reduction='weighted_sum',
                 sparse_combiner='sum'):
        head = _ClassHead(n_classes, label_vocabulary, weight_column=weight_column, loss_reduction=loss_reduction)
        self._start(head, model_dir, config, warm_start_from, linear=(_list(feature_columns), optimizer, sparse_combiner))


class LinearRegressor(_Canned):
    """A weighted sum of the features that estimates a number."""

    def __init__(self, feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer='Ftrl',
                 config=None, partitioner=None, warm_start_from=None, loss_reduction='weighted_sum',
                 sparse_combiner='sum'):
        head = _NumberHead(label_dimension, weight_column=weight_column, loss_reduction=loss_reduction)
        self._start(head, model_dir, config, warm_start_from, linear=(_list(feature_columns), optimizer, sparse_combiner))


class DNNLinearCombinedClassifier(_Canned):
    """A linear model and a network, added up, that choose a class."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', dnn_feature_columns=None,
                 dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn=tf.nn.relu, dnn_dropout=None, n_classes=2,
                 weight_column=None, label_vocabulary=None, input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction='weighted_sum', batch_norm=False, linear_sparse_combiner='sum'):
        head = _ClassHead(n_classes, label_vocabulary, weight_column=weight_column, loss_reduction=loss_reduction)
        self._start(head, model_dir, config, warm_start_from, **_both(
            linear_feature_columns, linear_optimizer, linear_sparse_combiner, dnn_feature_columns, dnn_hidden_units,
            dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm))


class DNNLinearCombinedRegressor(_Canned):
    """A linear model and a network, added up, that estimate a number."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', dnn_feature_columns=None,
                 dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn=tf.nn.relu, dnn_dropout=None,
                 label_dimension=1, weight_column=None, input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction='weighted_sum', batch_norm=False, linear_sparse_combiner='sum'):
        head = _NumberHead(label_dimension, weight_column=weight_column, loss_reduction=loss_reduction)
        self._start(head, model_dir, config, warm_start_from, **_both(
            linear_feature_columns, linear_optimizer, linear_sparse_combiner, dnn_feature_columns, dnn_hidden_units,
            dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm))


def _both(linear, linear_optimizer, combiner, deep, units, optimizer, activation, dropout, batch_norm):
    if not linear and not deep:
        raise ValueError('Either linear_feature_columns or dnn_feature_columns must be defined.')
    if deep and not units:
        raise ValueError('dnn_hidden_units must be defined when dnn_feature_columns is specified.')
    return {'linear_rate': 0.005, 'linear': (_list(linear), linear_optimizer, combiner) if linear else None,
            'deep': (_list(deep), units, optimizer, activation, dropout, batch_norm) if deep else None}
