"""tf.distributions: the distributions that models of variables use most."""
import math


class Distribution(object):
    """The interface of distributions."""

    def __init__(self, name, parameters):
        self.name, self.parameters = name, parameters

    def _shape(self):
        return tf.shape(self._like())

    def batch_shape_tensor(self):
        return self._shape()

    @property
    def batch_shape(self):
        return self._like().get_shape()

    @property
    def dtype(self):
        return self._like().dtype

    def sample(self, sample_shape=(), seed=None, name='sample'):
        with tf.name_scope(self.name + '/' + name):
            shape = tf.convert_to_tensor(sample_shape, dtype=tf.int32)
            flat = tf.reshape(shape, [-1])
            return self._sample(flat, seed, tf.get_static_value(flat))

    def _event(self):
        return self.batch_shape.concatenate(self.event_shape)

    event_shape = property(lambda self: tf.TensorShape([]))

    def event_shape_tensor(self):
        return tf.constant(self.event_shape.as_list(), tf.int32)

    def prob(self, value, name='prob'):
        return tf.exp(self.log_prob(value))

    def _absent(self, name):
        raise NotImplementedError('%s is not implemented: %s' % (name, type(self).__name__))

    def cdf(self, value, name='cdf'):
        self._absent('cdf')

    def log_cdf(self, value, name='log_cdf'):
        return tf.log(self.cdf(value))

    def survival_function(self, value, name='survival_function'):
        return 1. - self.cdf(value)

    def log_survival_function(self, value, name='log_survival_function'):
        return tf.log1p(-self.cdf(value))

    def quantile(self, value, name='quantile'):
        self._absent('quantile')

    def mode(self, name='mode'):
        self._absent('mode')

    def entropy(self, name='entropy'):
        self._absent('entropy')

    def covariance(self, name='covariance'):
        self._absent('covariance')

    def cross_entropy(self, other, name='cross_entropy'):
        return kl_divergence(self, other) + self.entropy()

    def mean(self, name='mean'):
        self._absent('mean')

    # A class defines one of the two.
    def variance(self, name='variance'):
        return self._absent('variance') if type(self).stddev is Distribution.stddev else tf.square(self.stddev())

    def stddev(self, name='stddev'):
        return tf.sqrt(self.variance())

    def kl_divergence(self, other, name='kl_divergence'):
        return kl_divergence(self, other)


_DIVERGENCES = {}


class RegisterKL(object):
    """A decorator for the function that computes kl_divergence for two classes."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn):
        if self._key in _DIVERGENCES:
            raise ValueError('KL(%s || %s) has already been registered' % tuple(cls.__name__ for cls in self._key))
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def _registered(a, b):
    for left in type(a).__mro__:
        for right in type(b).__mro__:
            if (left, right) in _DIVERGENCES:
                return _DIVERGENCES[left, right]


def _shaped(x, known, like):
    if known is not None:
        x.set_shape(tf.TensorShape([int(n) for n in known]).concatenate(like))
    return x


class Normal(Distribution):
    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Normal'):
        Distribution.__init__(self, name, {'loc': loc, 'scale': scale})
        with tf.name_scope(name):
            self.loc, self.scale = tf.convert_to_tensor(loc, name='loc'), tf.convert_to_tensor(scale, name='scale')

    def _like(self):
        return self.loc + self.scale

    def _sample(self, shape, seed, known):
        drawn = tf.random_normal(tf.concat([shape, self._shape()], 0), dtype=self.loc.dtype, seed=seed)
        return _shaped(drawn * self.scale + self.loc, known, self._event())

    def log_prob(self, value, name='log_prob'):
        z = (value - self.loc) / self.scale
        return -0.5 * tf.square(z) - (0.5 * math.log(2. * math.pi) + tf.log(self.scale))

    def cdf(self, value, name='cdf'):
        return 0.5 * tf.erfc((self.loc - value) / (self.scale * math.sqrt(2.)))

    def survival_function(self, value, name='survival_function'):
        return 0.5 * tf.erfc((value - self.loc) / (self.scale * math.sqrt(2.)))

    def quantile(self, value, name='quantile'):
        return tf.math.ndtri(value) * self.scale + self.loc

    def entropy(self, name='entropy'):
        return (0.5 + 0.5 * math.log(2. * math.pi)) + tf.log(self.scale * tf.ones_like(self.loc))

    def mean(self, name='mean'):
        return self.loc * tf.ones_like(self.scale)

    def mode(self, name='mode'):
        return self.mean()

    def stddev(self, name='stddev'):
        return self.scale * tf.ones_like(self.loc)


class Uniform(Distribution):
    def __init__(self, low=0., high=1., validate_args=False, allow_nan_stats=True, name='Uniform'):
        Distribution.__init__(self, name, {'low': low, 'high': high})
        self.low, self.high = tf.convert_to_tensor(low), tf.convert_to_tensor(high)

    def _like(self):
        return self.low + self.high

    def _sample(self, shape, seed, known):
        drawn = tf.random_uniform(tf.concat([shape, self._shape()], 0), dtype=self.low.dtype, seed=seed)
        return _shaped(self.low + (self.high - self.low) * drawn, known, self.batch_shape)

    def log_prob(self, value, name='log_prob'):
        return tf.log(self.prob(value))

    def prob(self, value, name='prob'):
        inside = tf.logical_and(value >= self.low, value < self.high)
        density = tf.ones_like(value * self._like()) / (self.high - self.low)
        return tf.where(tf.broadcast_to(inside, tf.shape(density)), density, tf.zeros_like(density))

    def cdf(self, value, name='cdf'):
        return tf.clip_by_value((value - self.low) / (self.high - self.low), 0., 1.)

    def entropy(self, name='entropy'):
        return tf.log(self.high - self.low)

    def mean(self, name='mean'):
        return (self.low + self.high) / 2.

    def stddev(self, name='stddev'):
        return (self.high - self.low) / math.sqrt(12.)


class _Logits(Distribution):
    def __init__(self, logits, probs, dtype, name):
        Distribution.__init__(self, name, {'logits': logits, 'probs': probs})
        if (logits is None) == (probs is None):
            raise ValueError('Must pass probs or logits, but not both.')
        self._dtype = dtype
        with tf.name_scope(name):
            if logits is not None:
                self.logits = tf.convert_to_tensor(logits, name='logits')
                self.probs = self._to_probs(self.logits)
            else:
                self.probs = tf.convert_to_tensor(probs, name='probs')
                self.logits = self._to_logits(self.probs)

    dtype = property(lambda self: self._dtype)


class Bernoulli(_Logits):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True, name='Bernoulli'):
        _Logits.__init__(self, logits, probs, dtype or tf.int32, name)

    def _to_probs(self, logits):
        return tf.nn.sigmoid(logits)

    def _to_logits(self, probs):
        return tf.log(probs) - tf.log1p(-1. * probs)

    def _like(self):
        return self.logits

    def _sample(self, shape, seed, known):
        drawn = tf.random_uniform(tf.concat([shape, self._shape()], 0), dtype=self.probs.dtype, seed=seed)
        return tf.cast(_shaped(tf.less(drawn, self.probs), known, self.batch_shape), self._dtype)

    def log_prob(self, value, name='log_prob'):
        value = tf.cast(value, self.logits.dtype)
        return -tf.nn.sigmoid_cross_entropy_with_logits(labels=value + tf.zeros_like(self.logits),
                                                        logits=self.logits + tf.zeros_like(value))

    def entropy(self, name='entropy'):
        return -self.logits * (tf.sigmoid(self.logits) - 1) + tf.nn.softplus(-self.logits)

    def mean(self, name='mean'):
        return tf.identity(self.probs)

    def mode(self, name='mode'):
        return tf.cast(self.probs > 0.5, self._dtype)

    def variance(self, name='variance'):
        return self.probs * (1. - self.probs)


class Categorical(_Logits):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True,
                 name='Categorical'):
        _Logits.__init__(self, logits, probs, dtype or tf.int32, name)

    def _to_probs(self, logits):
        return tf.nn.softmax(logits)

    def _to_logits(self, probs):
        return tf.log(probs)

    def _like(self):
        return self.logits[..., 0]

    def _sample(self, shape, seed, known):
        depth = tf.shape(self.logits)[-1]
        drawn = tf.multinomial(tf.reshape(self.logits, [-1, depth]), tf.reduce_prod(shape), seed=seed)
        drawn = tf.reshape(tf.transpose(drawn), tf.concat([shape, self._shape()], 0))
        return tf.cast(_shaped(drawn, known, self.batch_shape), self._dtype)

    def log_prob(self, value, name='log_prob'):
        value = tf.cast(value, tf.int32) + tf.zeros(self._shape(), tf.int32)
        logits = self.logits + tf.zeros_like(tf.expand_dims(tf.cast(value, self.logits.dtype), -1))
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=value, logits=logits)

    def cdf(self, value, name='cdf'):
        before = tf.sequence_mask(tf.cast(value, tf.int32), tf.shape(self.probs)[-1], dtype=self.probs.dtype)
        return tf.reduce_sum(self.probs * before, axis=-1)

    def entropy(self, name='entropy'):
        return -tf.reduce_sum(tf.nn.log_softmax(self.logits) * self.probs, axis=-1)

    def mode(self, name='mode'):
        return tf.cast(tf.argmax(self.logits, axis=-1), self._dtype)


class Exponential(Distribution):
    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name='Exponential'):
        Distribution.__init__(self, name, {'rate': rate})
        self.rate = tf.convert_to_tensor(rate)

    def _like(self):
        return self.rate

    def _sample(self, shape, seed, known):
        drawn = tf.random_uniform(tf.concat([shape, self._shape()], 0), minval=1e-38, maxval=1., seed=seed,
                                  dtype=self.rate.dtype)
        return _shaped(-tf.log(drawn) / self.rate, known, self.batch_shape)

    def log_prob(self, value, name='log_prob'):
        return tf.log(self.rate) - self.rate * value

    def cdf(self, value, name='cdf'):
        return 1. - self.survival_function(value)

    def survival_function(self, value, name='survival_function'):
        return tf.exp(-self.rate * value)

    def log_survival_function(self, value, name='log_survival_function'):
        return -self.rate * value

    def mode(self, name='mode'):
        return tf.fill(tf.shape(self.rate), float('nan'))  # as for a Gamma distribution, which TensorFlow's is

    def entropy(self, name='entropy'):
        return 1. - tf.log(self.rate)

    def mean(self, name='mean'):
        return 1. / self.rate

    def stddev(self, name='stddev'):
        return 1. / self.rate


@RegisterKL(Exponential, Exponential)
def _kl_exponential(p, q, name=None):
    return tf.log(p.rate) - tf.log(q.rate) + (q.rate / p.rate - 1.)


class MultivariateNormalDiag(Normal):
    def __init__(self, loc=None, scale_diag=None, scale_identity_multiplier=None, validate_args=False,
                 allow_nan_stats=True, name='MultivariateNormalDiag'):
        Normal.__init__(self, tf.zeros_like(scale_diag) if loc is None else loc,
                        tf.ones_like(loc) * (scale_identity_multiplier or 1.) if scale_diag is None else scale_diag,
                        name=name)

    batch_shape = property(lambda self: self._like().get_shape()[:-1])
    event_shape = property(lambda self: self._like().get_shape()[-1:])

    def log_prob(self, value, name='log_prob'):
        return tf.reduce_sum(Normal.log_prob(self, value), axis=-1)

    def entropy(self, name='entropy'):
        return tf.reduce_sum(Normal.entropy(self), axis=-1)


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """The Kullback-Leibler divergence of two distributions of one kind."""
    a, b = distribution_a, distribution_b
    if _registered(a, b) is not None:
        return _registered(a, b)(a, b)
    if isinstance(a, Normal) and isinstance(b, Normal):
        ratio = tf.square(a.scale) / tf.square(b.scale)
        kl = tf.square(a.loc - b.loc) / (2. * tf.square(b.scale)) + 0.5 * (ratio - 1. - tf.log(ratio))
        return tf.reduce_sum(kl, axis=-1) if isinstance(a, MultivariateNormalDiag) else kl
    if isinstance(a, Categorical) and isinstance(b, Categorical):
        return tf.reduce_sum(a.probs * (tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)), axis=-1)
    if isinstance(a, Bernoulli) and isinstance(b, Bernoulli):
        return a.probs * (tf.nn.softplus(-b.logits) - tf.nn.softplus(-a.logits)) + \
            (1. - a.probs) * (tf.nn.softplus(b.logits) - tf.nn.softplus(a.logits))
    raise NotImplementedError('No KL(distribution_a || distribution_b) registered for distribution_a type %s and '
                              'distribution_b type %s' % (type(a).__name__, type(b).__name__))
