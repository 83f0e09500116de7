"""tf.distributions: Beta, Gamma, Laplace, StudentT, and distributions of vectors."""
import math
from _library.distributions import Distribution, RegisterKL, _shaped


def _numbers(self, name, **parameters):
    Distribution.__init__(self, name, dict(parameters))
    with tf.name_scope(name):
        for key, value in parameters.items():
            setattr(self, key, tf.convert_to_tensor(value, name=key))


def _log_beta(a, b):
    return tf.lgamma(a) + tf.lgamma(b) - tf.lgamma(a + b)


class Laplace(Distribution):
    """The distribution whose density decreases exponentially on both sides of `loc`."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Laplace'):
        _numbers(self, name, loc=loc, scale=scale)

    def _like(self):
        return self.loc + self.scale

    def _sample(self, shape, seed, known):
        smallest = float(np.finfo(self.dtype.as_numpy_dtype).eps) / 2. - 1.  # log1p of -1 is not finite
        drawn = tf.random_uniform(tf.concat([shape, self._shape()], 0), minval=smallest, maxval=1., dtype=self.dtype, seed=seed)
        return _shaped(self.loc - self.scale * tf.sign(drawn) * tf.log1p(-tf.abs(drawn)), known, self._event())

    def log_prob(self, value, name='log_prob'):
        return -tf.abs((value - self.loc) / self.scale) - math.log(2.) - tf.log(self.scale)

    def cdf(self, value, name='cdf'):
        z = (value - self.loc) / self.scale
        return 0.5 + 0.5 * tf.sign(z) * (1. - tf.exp(-tf.abs(z)))

    def mean(self, name='mean'):
        return self.loc + tf.zeros_like(self.scale)

    mode = mean

    def stddev(self, name='stddev'):
        return math.sqrt(2.) * self.scale + tf.zeros_like(self.loc)

    def entropy(self, name='entropy'):
        return math.log(2.) + 1. + tf.log(self.scale + tf.zeros_like(self.loc))


class Gamma(Distribution):
    """The distribution of positive numbers with a density proportional to x ** (concentration - 1) * exp(-rate * x)."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name='Gamma'):
        _numbers(self, name, concentration=concentration, rate=rate)

    def _like(self):
        return self.concentration + self.rate

    def _sample(self, shape, seed, known):
        drawn = tf.random_gamma(shape, alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)
        return _shaped(drawn, known, self._event())

    def log_prob(self, value, name='log_prob'):
        a, b = self.concentration, self.rate
        return (a - 1.) * tf.log(value) - b * value - (tf.lgamma(a) - a * tf.log(b))

    def cdf(self, value, name='cdf'):
        return tf.igamma(self.concentration, self.rate * value)

    def mean(self, name='mean'):
        return self.concentration / self.rate

    def variance(self, name='variance'):
        return self.concentration / tf.square(self.rate)

    def mode(self, name='mode'):
        mode = (self.concentration - 1.) / self.rate
        return tf.where(self.concentration + tf.zeros_like(mode) > 1., mode, tf.fill(tf.shape(mode), float('nan')))

    def entropy(self, name='entropy'):
        a = self.concentration
        return a - tf.log(self.rate) + tf.lgamma(a) + (1. - a) * tf.digamma(a)


@RegisterKL(Gamma, Gamma)
def _kl_gamma(p, q, name=None):
    a, b = p.concentration, q.concentration
    return ((a - b) * tf.digamma(a) + tf.lgamma(b) - tf.lgamma(a) + b * tf.log(p.rate) - b * tf.log(q.rate) +
            a * (q.rate / p.rate - 1.))


class Beta(Distribution):
    """The distribution of numbers between 0 and 1 with a density proportional to x ** (a - 1) * (1 - x) ** (b - 1)."""

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name='Beta'):
        _numbers(self, name, concentration1=concentration1, concentration0=concentration0)
        self.total_concentration = self.concentration1 + self.concentration0

    def _like(self):
        return self.total_concentration

    def _sample(self, shape, seed, known):
        ones = tf.ones_like(self.total_concentration)
        one, other = [tf.random_gamma(shape, alpha=ones * c, dtype=self.dtype, seed=s) for c, s in (
            (self.concentration1, seed), (self.concentration0, None if seed is None else seed + 1))]
        return _shaped(one / (one + other), known, self._event())

    def log_prob(self, value, name='log_prob'):
        a, b = self.concentration1, self.concentration0
        return (a - 1.) * tf.log(value) + (b - 1.) * tf.log1p(-value) - _log_beta(a, b)

    def cdf(self, value, name='cdf'):
        return tf.betainc(self.concentration1, self.concentration0, value)

    def mean(self, name='mean'):
        return self.concentration1 / self.total_concentration

    def variance(self, name='variance'):
        return self.mean() * (1. - self.mean()) / (1. + self.total_concentration)

    def mode(self, name='mode'):
        mode = (self.concentration1 - 1.) / (self.total_concentration - 2.)
        inside = tf.logical_and(self.concentration1 > 1., self.concentration0 > 1.)
        return tf.where(inside, mode, tf.fill(tf.shape(mode), float('nan')))

    def entropy(self, name='entropy'):
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        return _log_beta(a, b) - (a - 1.) * tf.digamma(a) - (b - 1.) * tf.digamma(b) + (total - 2.) * tf.digamma(total)


@RegisterKL(Beta, Beta)
def _kl_beta(p, q, name=None):
    moved = [(x - y) * tf.digamma(x) for x, y in ((p.concentration1, q.concentration1), (p.concentration0, q.concentration0),
                                                  (p.total_concentration, q.total_concentration))]
    return (_log_beta(q.concentration1, q.concentration0) - _log_beta(p.concentration1, p.concentration0) + moved[0] +
            moved[1] - moved[2])


class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom."""

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name='StudentT'):
        _numbers(self, name, df=df, loc=loc, scale=scale)

    def _like(self):
        return self.df + self.loc + self.scale

    def _sample(self, shape, seed, known):
        normal = tf.random_normal(tf.concat([shape, self._shape()], 0), dtype=self.dtype, seed=seed)
        df = self.df * tf.ones_like(self._like())
        gamma = tf.random_gamma(shape, 0.5 * df, beta=0.5, dtype=self.dtype, seed=None if seed is None else seed + 1)
        return _shaped(normal * tf.rsqrt(gamma / df) * self.scale + self.loc, known, self._event())

    def log_prob(self, value, name='log_prob'):
        z, df = (value - self.loc) / self.scale, self.df
        constant = (tf.log(tf.abs(self.scale)) + 0.5 * tf.log(df) + 0.5 * math.log(math.pi) + tf.lgamma(0.5 * df) -
                    tf.lgamma(0.5 * (df + 1.)))
        return -0.5 * (df + 1.) * tf.log1p(z ** 2. / df) - constant

    def cdf(self, value, name='cdf'):
        z = (value - self.loc) / tf.abs(self.scale)
        tail = 0.5 * tf.betainc(0.5 * self.df, tf.fill(tf.shape(z), 0.5), self.df / (z ** 2. + self.df))
        return tf.where(z < 0., tail, 1. - tail)

    def mean(self, name='mean'):
        mean = self.loc * tf.ones_like(self._like())
        return tf.where(self.df * tf.ones_like(mean) > 1., mean, tf.fill(tf.shape(mean), float('nan')))

    def mode(self, name='mode'):
        return self.loc * tf.ones_like(self._like())

    def variance(self, name='variance'):
        ones = tf.ones_like(self._like())
        df, scale = self.df * ones, tf.square(self.scale) * ones
        nan, infinite = [tf.fill(tf.shape(ones), float(x)) for x in ('nan', 'inf')]
        return tf.where(df > 2., scale * df / tf.where(df > 2., df - 2., ones), tf.where(df > 1., infinite, nan))

    def entropy(self, name='entropy'):
        df = self.df * tf.ones_like(self._like())
        return (tf.log(tf.abs(self.scale)) + 0.5 * tf.log(df) + _log_beta(0.5 * tf.ones_like(df), 0.5 * df) +
                0.5 * (df + 1.) * (tf.digamma(0.5 * (df + 1.)) - tf.digamma(0.5 * df)))


class _Vectors(Distribution):
    """The base class of distributions of vectors, whose parameters have a number for each component."""
    batch_shape = property(lambda self: self._like().get_shape()[:-1])
    event_shape = property(lambda self: self._like().get_shape()[-1:])

    def _shape(self):
        return tf.shape(self._like())[:-1]


class Dirichlet(_Vectors):
    """The distribution of vectors of positive numbers whose sum is 1."""

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name='Dirichlet'):
        _numbers(self, name, concentration=concentration)
        self.total_concentration = tf.reduce_sum(self.concentration, -1)

    def _like(self):
        return self.concentration

    def _sample(self, shape, seed, known):
        drawn = tf.random_gamma(shape, alpha=self.concentration, dtype=self.dtype, seed=seed)
        return _shaped(drawn / tf.reduce_sum(drawn, -1, keepdims=True), known, self._event())

    def log_prob(self, value, name='log_prob'):
        return tf.reduce_sum((self.concentration - 1.) * tf.log(value), -1) - tf.lbeta(self.concentration)

    def mean(self, name='mean'):
        return self.concentration / self.total_concentration[..., tf.newaxis]

    def variance(self, name='variance'):
        return self.mean() * (1. - self.mean()) / (1. + self.total_concentration[..., tf.newaxis])

    def covariance(self, name='covariance'):
        scaled = self.mean() / tf.sqrt(1. + self.total_concentration[..., tf.newaxis])
        return tf.matrix_set_diag(-tf.matmul(scaled[..., tf.newaxis], scaled[..., tf.newaxis, :]), self.variance())

    def mode(self, name='mode'):
        size = tf.cast(tf.shape(self.concentration)[-1], self.dtype)
        mode = (self.concentration - 1.) / (self.total_concentration[..., tf.newaxis] - size)
        return tf.where(self.concentration > 1., mode, tf.fill(tf.shape(mode), float('nan')))

    def entropy(self, name='entropy'):
        size = tf.cast(tf.shape(self.concentration)[-1], self.dtype)
        return (tf.lbeta(self.concentration) + (self.total_concentration - size) * tf.digamma(self.total_concentration) -
                tf.reduce_sum((self.concentration - 1.) * tf.digamma(self.concentration), -1))


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet(p, q, name=None):
    relative = tf.digamma(p.concentration) - tf.digamma(p.total_concentration)[..., tf.newaxis]
    return (tf.reduce_sum((p.concentration - q.concentration) * relative, -1) - tf.lbeta(p.concentration) +
            tf.lbeta(q.concentration))


class Multinomial(_Vectors):
    """The distribution of how often each of some classes is drawn in total_count draws."""

    def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name='Multinomial'):
        if (logits is None) == (probs is None):
            raise ValueError('Must pass probs or logits, but not both.')
        _numbers(self, name, total_count=total_count, **({'logits': logits} if probs is None else {'probs': probs}))
        if probs is None:
            self.probs = tf.nn.softmax(self.logits)
        else:
            self.logits = tf.log(self.probs)
        self._mean = self.total_count[..., tf.newaxis] * self.probs

    def _like(self):
        return self._mean

    def _sample(self, shape, seed, known):
        depth, count = tf.shape(self.logits)[-1], tf.cast(self.total_count, tf.int32)
        rows = tf.reshape(self.logits, [-1, depth])
        drawn = tf.one_hot(tf.multinomial(rows, tf.reduce_prod(shape) * count, seed=seed), depth, dtype=self.dtype)
        counts = tf.reduce_sum(tf.reshape(drawn, [tf.shape(rows)[0], -1, count, depth]), axis=2)
        return _shaped(tf.reshape(tf.transpose(counts, [1, 0, 2]), tf.concat([shape, tf.shape(self._mean)], 0)), known,
                       self._event())

    def log_prob(self, value, name='log_prob'):
        ways = tf.lgamma(1. + self.total_count) - tf.reduce_sum(tf.lgamma(1. + value), -1)
        return tf.reduce_sum(value * tf.nn.log_softmax(self.logits), -1) + ways

    def mean(self, name='mean'):
        return tf.identity(self._mean)

    def variance(self, name='variance'):
        return self._mean - self._mean * self.probs

    def covariance(self, name='covariance'):
        joint = -tf.matmul(self._mean[..., tf.newaxis], self.probs[..., tf.newaxis, :])
        return tf.matrix_set_diag(joint, self.variance())
