"""tf.keras.losses: functions of labels and predictions, and classes that reduce their values to a number."""
from _library.layers import _snake_case
from _library.tfk_state import floatx, epsilon
from _library import tfk_backend, tfk_named


class ReductionV2(object):
    """Ways to reduce the losses of a batch."""
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = 'auto', 'none', 'sum', 'sum_over_batch_size'

    @classmethod
    def all(cls):
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)


def _pair(y_true, y_pred):
    y_pred = tf.convert_to_tensor(y_pred)
    return tf.cast(y_true, y_pred.dtype), y_pred


def mean_squared_error(y_true, y_pred):
    """The mean of the squared differences."""
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.squared_difference(y_pred, y_true), axis=-1)


def mean_absolute_error(y_true, y_pred):
    """The mean of the absolute differences."""
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true, y_pred):
    """The mean of the absolute differences, in percent of the labels."""
    y_true, y_pred = _pair(y_true, y_pred)
    size = tf.clip_by_value(tf.abs(y_true), epsilon(), float('inf'))
    return 100. * tf.reduce_mean(tf.abs((y_true - y_pred) / size), axis=-1)


def mean_squared_logarithmic_error(y_true, y_pred):
    """The mean of the squared differences of the logarithms."""
    y_true, y_pred = _pair(y_true, y_pred)
    p = tf.log(tf.clip_by_value(y_pred, epsilon(), float('inf')) + 1.)
    t = tf.log(tf.clip_by_value(y_true, epsilon(), float('inf')) + 1.)
    return tf.reduce_mean(tf.squared_difference(p, t), axis=-1)


def _signs(y_true):
    """Converts labels of 0 and 1 to -1 and 1."""
    binary = tf.reduce_all(tf.logical_or(tf.equal(y_true, 0), tf.equal(y_true, 1)))
    return tf.cond(binary, lambda: 2. * y_true - 1., lambda: tf.identity(y_true))


def hinge(y_true, y_pred):
    """The mean of max(1 - y_true * y_pred, 0)."""
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.maximum(1. - _signs(y_true) * y_pred, 0.), axis=-1)


def squared_hinge(y_true, y_pred):
    """The mean of the squares of max(1 - y_true * y_pred, 0)."""
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.square(tf.maximum(1. - _signs(y_true) * y_pred, 0.)), axis=-1)


def categorical_hinge(y_true, y_pred):
    """The distance between the right class and the best wrong one, plus 1."""
    y_true, y_pred = _pair(y_true, y_pred)
    right = tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = tf.reduce_max((1. - y_true) * y_pred, axis=-1)
    return tf.maximum(0., wrong - right + 1.)


def huber_loss(y_true, y_pred, delta=1.0):
    """Squares near 0, absolute values beyond delta."""
    y_true, y_pred = _pair(y_true, y_pred)
    size = tf.abs(y_pred - y_true)
    near = tf.minimum(size, delta)
    return 0.5 * near * near + delta * (size - near)


def logcosh(y_true, y_pred):
    """The mean of log(cosh(y_pred - y_true))."""
    y_true, y_pred = _pair(y_true, y_pred)
    x = y_pred - y_true
    return tf.reduce_mean(x + tf.nn.softplus(-2. * x) - tf.log(2.), axis=-1)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    """The cross entropy of one-hot labels."""
    y_true, y_pred = _pair(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / tf.cast(tf.shape(y_true)[1], y_pred.dtype)
    return tfk_backend.categorical_crossentropy(y_true, y_pred, from_logits=from_logits)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    """The cross entropy of class numbers."""
    return tfk_backend.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    """The mean cross entropy of labels of 0 and 1."""
    y_true, y_pred = _pair(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return tf.reduce_mean(tfk_backend.binary_crossentropy(y_true, y_pred, from_logits=from_logits), axis=-1)


def kullback_leibler_divergence(y_true, y_pred):
    """The divergence of the predicted distribution from the true one."""
    y_true, y_pred = _pair(y_true, y_pred)
    y_true, y_pred = tf.clip_by_value(y_true, epsilon(), 1), tf.clip_by_value(y_pred, epsilon(), 1)
    return tf.reduce_sum(y_true * tf.log(y_true / y_pred), axis=-1)


def poisson(y_true, y_pred):
    """The mean of y_pred - y_true * log(y_pred)."""
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(y_pred - y_true * tf.log(y_pred + epsilon()), axis=-1)


def cosine_similarity(y_true, y_pred, axis=-1):
    """The cosine of the angle, with the opposite sign."""
    y_true, y_pred = _pair(y_true, y_pred)
    return -tf.reduce_sum(tf.nn.l2_normalize(y_true, axis=axis) * tf.nn.l2_normalize(y_pred, axis=axis), axis=axis)


def _aligned(losses, weights):
    """Gives weights the rank of the losses."""
    have, wanted = weights.get_shape().ndims, losses.get_shape().ndims
    if have is not None and wanted is not None:
        if have - wanted == 1:
            return tf.squeeze(weights, [-1])
        for _ in range(wanted - have):
            weights = tf.expand_dims(weights, -1)
    return weights


class Loss(object):
    """The base class of losses. A loss of your own overrides call(y_true, y_pred)."""

    def __init__(self, reduction=ReductionV2.AUTO, name=None):
        if reduction not in ReductionV2.all():
            raise ValueError('Invalid Reduction Key %s. Expected keys are "%s"' % (reduction, ReductionV2.all()))
        self.reduction, self.name = reduction, name

    def call(self, y_true, y_pred):
        raise NotImplementedError('The loss %s has no call(self, y_true, y_pred).' % type(self).__name__)

    def __call__(self, y_true, y_pred, sample_weight=None):
        name = self.name or _snake_case(type(self).__name__)
        with tf.name_scope('lambda' if name == '<lambda>' else name):
            losses = tf.convert_to_tensor(self.call(y_true, y_pred))
            if sample_weight is not None:
                weights = tf.cast(sample_weight, losses.dtype)
                losses = losses * _aligned(losses, weights)
            if self.reduction == ReductionV2.NONE:
                return losses
            total = tf.reduce_sum(losses)
            if self.reduction == ReductionV2.SUM:
                return total
            return tf.div_no_nan(total, tf.cast(tf.size(losses), losses.dtype), name='value')

    def get_config(self):
        return {'reduction': self.reduction, 'name': self.name}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A loss that a function computes."""

    def __init__(self, fn, reduction=ReductionV2.AUTO, name=None, **kwargs):
        super(LossFunctionWrapper, self).__init__(reduction=reduction, name=name)
        self.fn, self._kwargs = fn, kwargs

    def call(self, y_true, y_pred):
        return self.fn(y_true, y_pred, **self._kwargs)

    def get_config(self):
        config = super(LossFunctionWrapper, self).get_config()
        config.update(self._kwargs)
        return config


def _take(options, order, args, kwargs):
    """Replaces options, which have this order, by the arguments of a constructor."""
    options.update(zip(order, args))
    for key in kwargs:
        if key not in options:
            raise TypeError("__init__() got an unexpected keyword argument '%s'" % key)
    options.update(kwargs)


class _OfFunction(LossFunctionWrapper):
    """The base class of losses that have the name of a function."""

    def __init__(self, *args, **kwargs):
        order, options = list(self.defaults) + ['reduction', 'name'], dict(self.defaults)
        options.update(reduction=ReductionV2.AUTO, name=self.function.__name__)
        _take(options, order, args, kwargs)
        super(_OfFunction, self).__init__(self.function, **options)


def _class(title, fn, **defaults):
    return type(title, (_OfFunction,), {'function': staticmethod(fn), 'defaults': defaults, '__doc__': fn.__doc__})


MeanSquaredError = _class('MeanSquaredError', mean_squared_error)
MeanAbsoluteError = _class('MeanAbsoluteError', mean_absolute_error)
MeanAbsolutePercentageError = _class('MeanAbsolutePercentageError', mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _class('MeanSquaredLogarithmicError', mean_squared_logarithmic_error)
BinaryCrossentropy = _class('BinaryCrossentropy', binary_crossentropy, from_logits=False, label_smoothing=0)
CategoricalCrossentropy = _class('CategoricalCrossentropy', categorical_crossentropy, from_logits=False,
                                 label_smoothing=0)
SparseCategoricalCrossentropy = _class('SparseCategoricalCrossentropy', sparse_categorical_crossentropy,
                                       from_logits=False)
Hinge = _class('Hinge', hinge)
SquaredHinge = _class('SquaredHinge', squared_hinge)
CategoricalHinge = _class('CategoricalHinge', categorical_hinge)
Poisson = _class('Poisson', poisson)
LogCosh = _class('LogCosh', logcosh)
KLDivergence = _class('KLDivergence', kullback_leibler_divergence)
Huber = _class('Huber', huber_loss, delta=1.0)
CosineSimilarity = _class('CosineSimilarity', cosine_similarity, axis=-1)

known = {f.__name__: f for f in (
    mean_squared_error, mean_absolute_error, mean_absolute_percentage_error, mean_squared_logarithmic_error, hinge,
    squared_hinge, categorical_hinge, logcosh, categorical_crossentropy, sparse_categorical_crossentropy, huber_loss,
    binary_crossentropy, kullback_leibler_divergence, poisson, cosine_similarity)}
known.update({'mse': mean_squared_error, 'MSE': mean_squared_error, 'mae': mean_absolute_error,
              'MAE': mean_absolute_error, 'mape': mean_absolute_percentage_error, 'MAPE': mean_absolute_percentage_error,
              'msle': mean_squared_logarithmic_error, 'MSLE': mean_squared_logarithmic_error,
              'kld': kullback_leibler_divergence, 'KLD': kullback_leibler_divergence, 'cosine': cosine_similarity,
              'cosine_proximity': cosine_similarity})
known.update({c.__name__: c for c in (
    MeanSquaredError, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredLogarithmicError, BinaryCrossentropy,
    CategoricalCrossentropy, SparseCategoricalCrossentropy, Hinge, SquaredHinge, CategoricalHinge, Poisson, LogCosh,
    KLDivergence, Huber, CosineSimilarity)})


def get(identifier):
    """Returns the loss of a name, a config or a function."""
    if isinstance(identifier, (str, dict)):
        return tfk_named.find('loss function', known, identifier)
    if identifier is None or callable(identifier):
        return identifier
    raise ValueError('Could not interpret loss function identifier: %r' % (identifier,))


def loss_object(identifier):
    """Returns the object of a loss."""
    found = get(identifier)
    if isinstance(found, Loss):
        return found
    return LossFunctionWrapper(found, name=getattr(found, '__name__', 'loss'))


def is_sparse(loss):
    """Returns True if the labels of a loss are class numbers."""
    return getattr(loss, 'fn', None) is sparse_categorical_crossentropy


def is_binary(loss):
    """Returns True if the labels of a loss are 0 and 1."""
    return getattr(loss, 'fn', None) is binary_crossentropy
