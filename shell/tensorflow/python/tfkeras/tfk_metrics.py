"""tf.keras.metrics: measures that accumulate over the batches of an epoch, in variables."""
from _library.layers import _snake_case
from _library.tfk_base import Layer
from _library.tfk_state import floatx
from _library import tfk_backend, tfk_losses, tfk_named


class Metric(Layer):
    """The base class of metrics. A metric of your own overrides update_state() and result()."""

    def __init__(self, name=None, dtype=None, **kwargs):
        super(Metric, self).__init__(name=name, dtype=dtype, **kwargs)
        self.stateful, self.built = True, True
        self._dtype = floatx() if dtype is None else tf.as_dtype(dtype).name

    def _unique_name(self):
        return _snake_case(type(self).__name__)

    def add_weight(self, name, shape=(), aggregation=None, synchronization=None, initializer=None, dtype=None):
        with tf.control_dependencies(None), tf.name_scope(None), tf.name_scope('metrics/' + self.name):
            return super(Metric, self).add_weight(name, shape, dtype, initializer or 'zeros', trainable=False)

    def update_state(self, *args, **kwargs):
        raise NotImplementedError('The metric %s has no update_state(self, y_true, y_pred, sample_weight=None).' %
                                  type(self).__name__)

    def result(self):
        raise NotImplementedError('The metric %s has no result(self).' % type(self).__name__)

    def reset_states(self):
        tfk_backend.batch_set_value([(v, np.zeros(v.get_shape().as_list())) for v in self.variables])

    def __call__(self, *args, **kwargs):
        """Returns the result after an update."""
        graph = tf.get_default_graph()
        before = len(graph.get_operations())
        with tf.name_scope('metrics/' + self.name):
            update = self.update_state(*args, **kwargs)
            made = [op for op in graph.get_operations()[before:] if op.type.startswith('Assign')]
            with tf.control_dependencies(made):
                result = tf.identity(self.result())
        self.updates_made = made if update is None else [update]
        return result

    @property
    def updates(self):
        return []

    def get_config(self):
        return {'name': self.name, 'dtype': self._dtype}


class Reduce(Metric):
    """The base class of sums and means."""
    counts = True

    def __init__(self, name=None, dtype=None):
        super(Reduce, self).__init__(name=name, dtype=dtype)
        self.total = self.add_weight('total')
        if self.counts:
            self.count = self.add_weight('count')

    def update_state(self, values, sample_weight=None):
        values = tf.cast(values, self._dtype)
        if sample_weight is not None:
            weights = tfk_losses._aligned(values, tf.cast(sample_weight, self._dtype))
            weights = weights * tf.ones_like(values)
            values = values * weights
        updates = [tf.assign_add(self.total, tf.reduce_sum(values))]
        if self.counts:
            number = tf.cast(tf.size(values), self._dtype) if sample_weight is None else tf.reduce_sum(weights)
            updates.append(tf.assign_add(self.count, number))
        return tf.group(*updates)

    def result(self):
        return tf.div_no_nan(self.total, self.count) if self.counts else tf.identity(self.total)


class Mean(Reduce):
    """The mean of all values."""

    def __init__(self, name='mean', dtype=None):
        super(Mean, self).__init__(name=name, dtype=dtype)


class Sum(Reduce):
    """The sum of all values."""
    counts = False

    def __init__(self, name='sum', dtype=None):
        super(Sum, self).__init__(name=name, dtype=dtype)


class MeanMetricWrapper(Mean):
    """The mean of the values of a function of labels and predictions."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super(MeanMetricWrapper, self).__init__(name=name or fn.__name__, dtype=dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super(MeanMetricWrapper, self).update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight)

    def get_config(self):
        return dict(super(MeanMetricWrapper, self).get_config(), **self._fn_kwargs)


def binary_accuracy(y_true, y_pred, threshold=0.5):
    """Whether predictions beyond the threshold are labels of 1."""
    y_pred = tf.cast(tf.greater(y_pred, threshold), y_pred.dtype)
    return tf.reduce_mean(tf.cast(tf.equal(tf.cast(y_true, y_pred.dtype), y_pred), tf.float32), axis=-1)


def categorical_accuracy(y_true, y_pred):
    """Whether the largest prediction is that of the class."""
    return tf.cast(tf.equal(tf.argmax(y_true, axis=-1), tf.argmax(y_pred, axis=-1)), floatx())


def sparse_categorical_accuracy(y_true, y_pred):
    """Whether the largest prediction has the number of the class."""
    if y_true.get_shape().ndims == y_pred.get_shape().ndims:
        y_true = tf.squeeze(y_true, [-1])
    return tf.cast(tf.equal(tf.cast(y_true, tf.int64), tf.argmax(y_pred, axis=-1)), floatx())


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """Whether the class is among the k largest predictions."""
    return tf.cast(tf.nn.in_top_k(y_pred, tf.argmax(y_true, axis=-1), k), floatx())


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """Whether the class number is among the k largest predictions."""
    return tf.cast(tf.nn.in_top_k(y_pred, tf.cast(tf.reshape(y_true, [-1]), tf.int32), k), floatx())


def accuracy(y_true, y_pred):
    """Whether predictions and labels are equal."""
    return tf.cast(tf.equal(tf.cast(y_true, y_pred.dtype), y_pred), floatx())


def cosine_proximity(y_true, y_pred, axis=-1):
    """The cosine of the angle between labels and predictions."""
    return -tfk_losses.cosine_similarity(y_true, y_pred, axis)


class _OfFunction(MeanMetricWrapper):
    """The base class of metrics that have the name of a function."""

    def __init__(self, *args, **kwargs):
        names = list(self.defaults)
        order = names + ['name', 'dtype'] if names == ['k'] else ['name', 'dtype'] + names
        options = dict(self.defaults, name=self.title, dtype=None)
        tfk_losses._take(options, order, args, kwargs)
        super(_OfFunction, self).__init__(self.function, **options)


def _wrapper(title, fn, default_name=None, **defaults):
    return type(title, (_OfFunction,), {'function': staticmethod(fn), 'title': default_name or fn.__name__,
                                        'defaults': defaults, '__doc__': fn.__doc__})


Accuracy = _wrapper('Accuracy', accuracy)
BinaryAccuracy = _wrapper('BinaryAccuracy', binary_accuracy, threshold=0.5)
CategoricalAccuracy = _wrapper('CategoricalAccuracy', categorical_accuracy)
SparseCategoricalAccuracy = _wrapper('SparseCategoricalAccuracy', sparse_categorical_accuracy)
TopKCategoricalAccuracy = _wrapper('TopKCategoricalAccuracy', top_k_categorical_accuracy, k=5)
SparseTopKCategoricalAccuracy = _wrapper('SparseTopKCategoricalAccuracy', sparse_top_k_categorical_accuracy, k=5)
MeanSquaredError = _wrapper('MeanSquaredError', tfk_losses.mean_squared_error)
MeanAbsoluteError = _wrapper('MeanAbsoluteError', tfk_losses.mean_absolute_error)
MeanAbsolutePercentageError = _wrapper('MeanAbsolutePercentageError', tfk_losses.mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _wrapper('MeanSquaredLogarithmicError', tfk_losses.mean_squared_logarithmic_error)
BinaryCrossentropy = _wrapper('BinaryCrossentropy', tfk_losses.binary_crossentropy, from_logits=False, label_smoothing=0)
CategoricalCrossentropy = _wrapper('CategoricalCrossentropy', tfk_losses.categorical_crossentropy, from_logits=False,
                                   label_smoothing=0)
SparseCategoricalCrossentropy = _wrapper('SparseCategoricalCrossentropy', tfk_losses.sparse_categorical_crossentropy,
                                         from_logits=False)
Hinge = _wrapper('Hinge', tfk_losses.hinge)
SquaredHinge = _wrapper('SquaredHinge', tfk_losses.squared_hinge)
CategoricalHinge = _wrapper('CategoricalHinge', tfk_losses.categorical_hinge)
Poisson = _wrapper('Poisson', tfk_losses.poisson)
KLDivergence = _wrapper('KLDivergence', tfk_losses.kullback_leibler_divergence)
LogCoshError = _wrapper('LogCoshError', tfk_losses.logcosh)
CosineSimilarity = _wrapper('CosineSimilarity', cosine_proximity, 'cosine_similarity', axis=-1)


class RootMeanSquaredError(Mean):
    """The root of the mean squared difference."""

    def __init__(self, name='root_mean_squared_error', dtype=None):
        super(RootMeanSquaredError, self).__init__(name, dtype=dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        squares = tf.squared_difference(tf.cast(y_pred, self._dtype), tf.cast(y_true, self._dtype))
        return super(RootMeanSquaredError, self).update_state(squares, sample_weight)

    def result(self):
        return tf.sqrt(tf.div_no_nan(self.total, self.count))


class _Confusion(Metric):
    """The base class of metrics of the four cells of a confusion matrix, at one or more thresholds."""
    cells = ()

    def __init__(self, thresholds=None, name=None, dtype=None):
        super(_Confusion, self).__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = [0.5] if thresholds is None else list(np.reshape(thresholds, [-1]))
        self._totals = {cell: self.add_weight(cell, (len(self.thresholds),)) for cell in self.cells}

    def update_state(self, y_true, y_pred, sample_weight=None):
        p = tf.reshape(tf.cast(y_pred, tf.float32), [1, -1])
        t = tf.reshape(tf.cast(y_true, tf.bool), [1, -1])
        yes = tf.greater(p, tf.reshape(tf.constant(self.thresholds, tf.float32), [-1, 1]))
        t = tf.logical_and(t, tf.ones_like(yes))
        both = {'true_positives': (t, yes), 'false_positives': (tf.logical_not(t), yes),
                'false_negatives': (t, tf.logical_not(yes)), 'true_negatives': (tf.logical_not(t), tf.logical_not(yes))}
        updates = []
        for cell in self.cells:
            hits = tf.cast(tf.logical_and(*both[cell]), tf.float32)
            if sample_weight is not None:
                w = tfk_losses._aligned(y_pred, tf.cast(sample_weight, tf.float32)) * tf.ones_like(y_pred)
                hits = hits * tf.reshape(w, [1, -1])
            updates.append(tf.assign_add(self._totals[cell], tf.reduce_sum(hits, 1)))
        return tf.group(*updates)

    def _ratio(self, part, whole):
        result = tf.div_no_nan(part, whole)
        return result[0] if len(self.thresholds) == 1 else result

    def result(self):
        total = self._totals[self.cells[0]]
        return total[0] if len(self.thresholds) == 1 else tf.identity(total)

    def get_config(self):
        return dict(super(_Confusion, self).get_config(), thresholds=self.init_thresholds)


class TruePositives(_Confusion):
    """The number of true positives."""
    cells = ('true_positives',)


class TrueNegatives(_Confusion):
    """The number of true negatives."""
    cells = ('true_negatives',)


class FalsePositives(_Confusion):
    """The number of false positives."""
    cells = ('false_positives',)


class FalseNegatives(_Confusion):
    """The number of false negatives."""
    cells = ('false_negatives',)


class Precision(_Confusion):
    """The fraction of the positive predictions that are right."""
    cells = ('true_positives', 'false_positives')

    def result(self):
        tp = self._totals['true_positives']
        return self._ratio(tp, tp + self._totals['false_positives'])


class Recall(_Confusion):
    """The fraction of the positive labels that are found."""
    cells = ('true_positives', 'false_negatives')

    def result(self):
        tp = self._totals['true_positives']
        return self._ratio(tp, tp + self._totals['false_negatives'])


class AUC(_Confusion):
    """The area under the curve of the true positives over the false positives."""
    cells = ('true_positives', 'true_negatives', 'false_positives', 'false_negatives')

    def __init__(self, num_thresholds=200, curve='ROC', name='auc', dtype=None):
        inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        if curve != 'ROC':
            raise NotImplementedError("tf.keras.metrics.AUC: the curve %r is not part of tensh; use curve='ROC'." % (curve,))
        super(AUC, self).__init__([-1e-7] + inner + [1 + 1e-7], name, dtype)
        self.num_thresholds, self.curve = num_thresholds, curve

    def result(self):
        t = self._totals
        recall = tf.div_no_nan(t['true_positives'], t['true_positives'] + t['false_negatives'])
        fallout = tf.div_no_nan(t['false_positives'], t['false_positives'] + t['true_negatives'])
        return tf.reduce_sum((fallout[:-1] - fallout[1:]) * (recall[:-1] + recall[1:]) / 2.)

    def get_config(self):
        return {'name': self.name, 'dtype': self._dtype, 'num_thresholds': self.num_thresholds, 'curve': self.curve}


known = dict(tfk_losses.known)
known.update({f.__name__: f for f in (binary_accuracy, categorical_accuracy, sparse_categorical_accuracy,
                                      top_k_categorical_accuracy, sparse_top_k_categorical_accuracy)})
known.update({'cosine_proximity': cosine_proximity, 'cosine_similarity': cosine_proximity})
known.update({c.__name__: c for c in (
    Mean, Sum, Accuracy, BinaryAccuracy, CategoricalAccuracy, SparseCategoricalAccuracy, TopKCategoricalAccuracy,
    SparseTopKCategoricalAccuracy, MeanSquaredError, MeanAbsoluteError, MeanAbsolutePercentageError,
    MeanSquaredLogarithmicError, BinaryCrossentropy, CategoricalCrossentropy, SparseCategoricalCrossentropy, Hinge,
    SquaredHinge, CategoricalHinge, Poisson, KLDivergence, LogCoshError, CosineSimilarity, RootMeanSquaredError,
    TruePositives, TrueNegatives, FalsePositives, FalseNegatives, Precision, Recall, AUC)})


def get(identifier):
    """Returns the metric of a name, a config or a function."""
    if isinstance(identifier, (str, dict)):
        return tfk_named.find('metric function', known, identifier)
    if callable(identifier):
        return identifier
    raise ValueError('Could not interpret metric function identifier: %r' % (identifier,))


def _fitting(kind, loss, output):
    """Returns the accuracy or cross entropy that fits a loss and the shape of an output."""
    last = output.get_shape().as_list()[-1]
    if last == 1 or tfk_losses.is_binary(loss):
        return binary_accuracy if kind == 'acc' else tfk_losses.binary_crossentropy
    if tfk_losses.is_sparse(loss):
        return sparse_categorical_accuracy if kind == 'acc' else tfk_losses.sparse_categorical_crossentropy
    return categorical_accuracy if kind == 'acc' else tfk_losses.categorical_crossentropy


def metric_object(identifier, loss, output, prefix=''):
    """Returns the object of a metric in compile()."""
    if isinstance(identifier, Metric):
        return identifier
    if identifier in ('accuracy', 'acc', 'crossentropy', 'ce'):
        kind = 'acc' if identifier in ('accuracy', 'acc') else 'ce'
        return MeanMetricWrapper(_fitting(kind, loss, output), name=prefix + kind)
    found = get(identifier)
    if isinstance(found, Metric):
        return found
    name = getattr(found, '__name__', None) or getattr(found, 'name', None) or type(found).__name__
    return MeanMetricWrapper(found, name=prefix + name)
