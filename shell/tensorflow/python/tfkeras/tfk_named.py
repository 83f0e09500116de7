"""Objects of tf.keras that a name, a config or a function stands for: initializers, regularizers, constraints, activations."""
import _library

VERSION = '2.2.4-tf'
_custom_objects = {}


def get_custom_objects():
    """Returns the dict of the classes and functions that names in configs may stand for."""
    return _custom_objects


class CustomObjectScope(object):
    """Within this block, the names of a dict stand for its classes and functions."""

    def __init__(self, *args):
        self._added = args

    def __enter__(self):
        self._before = dict(_custom_objects)
        for objects in self._added:
            _custom_objects.update(objects)
        return self

    def __exit__(self, *args):
        _custom_objects.clear()
        _custom_objects.update(self._before)


def custom_object_scope(*args):
    """Within this block, the names of a dict stand for its classes and functions."""
    return CustomObjectScope(*args)


def serialize_keras_object(instance):
    """Returns the config of an object, or the name of a function."""
    if instance is None:
        return None
    if hasattr(instance, 'get_config'):
        return {'class_name': type(instance).__name__, 'config': instance.get_config()}
    if hasattr(instance, '__name__'):
        return instance.__name__
    raise ValueError('Cannot serialize %r: it has neither get_config() nor a name.' % (instance,))


def find(kind, known, identifier, custom_objects=None):
    """Returns the object that a name or a config stands for."""
    name = identifier['class_name'] if isinstance(identifier, dict) else identifier
    found = (custom_objects or {}).get(name, _custom_objects.get(name, known.get(name)))
    if found is None:
        near = _library.did_you_mean(str(name), [n for n in known if isinstance(n, str)])
        raise ValueError('Unknown %s: %s%s' % (kind, name, '; ' + near if near else
                                               '. A class of your own: pass custom_objects={%r: ...}' % str(name)))
    if not isinstance(identifier, dict):
        return found() if isinstance(found, type) else found
    config = identifier.get('config')
    if not isinstance(found, type):
        return found
    if hasattr(found, 'from_config'):
        return found.from_config(dict(config or {}))
    return found(**{str(k): v for k, v in (config or {}).items()})


def _getter(kind, known, identifier, none=None):
    if identifier is None:
        return none
    if isinstance(identifier, (str, dict)):
        return find(kind, known, identifier)
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    raise ValueError('Could not interpret %s identifier: %r' % (kind, identifier))


class _Configured(object):
    """An object whose config is the arguments of its constructor."""
    fields = ()

    def get_config(self):
        return {name: getattr(self, name) for name in self.fields}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        if 'dtype' not in cls.fields:
            config.pop('dtype', None)
        return cls(**config)


class Initializer(_Configured):
    """The base class of initializers: a function of a shape that returns a tensor."""

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError('The initializer %s has no __call__(self, shape, dtype).' % type(self).__name__)


class Zeros(Initializer):
    """Fills with zeros."""

    def __init__(self, dtype='float32'):
        pass

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.zeros(shape, dtype or tf.float32)


class Ones(Zeros):
    """Fills with ones."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.ones(shape, dtype or tf.float32)


class Constant(Initializer):
    """Fills with a number or with the elements of an array."""
    fields = ('value',)

    def __init__(self, value=0, dtype='float32', verify_shape=False):
        self.value = value

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        return tf.constant(self.value, dtype or tf.float32, shape=shape)


class RandomNormal(Initializer):
    """Draws from a normal distribution."""
    fields = ('mean', 'stddev', 'seed')

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype='float32'):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.random_normal(shape, self.mean, self.stddev, dtype or tf.float32, seed=self.seed)


class TruncatedNormal(RandomNormal):
    """Draws from a normal distribution, again if a number is farther than two standard deviations from the mean."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.truncated_normal(shape, self.mean, self.stddev, dtype or tf.float32, seed=self.seed)


class RandomUniform(Initializer):
    """Draws from a uniform distribution."""
    fields = ('minval', 'maxval', 'seed')

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype='float32'):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.random_uniform(shape, self.minval, self.maxval, dtype or tf.float32, seed=self.seed)


class VarianceScaling(Initializer):
    """Draws with a variance that depends on the size of the weight."""
    fields = ('scale', 'mode', 'distribution', 'seed')

    def __init__(self, scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None, dtype='float32'):
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(self, shape, dtype=None, partition_info=None):
        make = tf.variance_scaling_initializer(self.scale, self.mode, self.distribution, seed=self.seed)
        return make(shape, dtype=dtype or tf.float32)


class _Preset(VarianceScaling):
    fields = ('seed',)
    preset = (1.0, 'fan_in', 'truncated_normal')

    def __init__(self, seed=None, dtype='float32'):
        super(_Preset, self).__init__(*self.preset, seed=seed)


class glorot_uniform(_Preset):
    """Glorot's uniform initializer."""
    preset = (1.0, 'fan_avg', 'uniform')


class glorot_normal(_Preset):
    """Glorot's normal initializer."""
    preset = (1.0, 'fan_avg', 'truncated_normal')


class he_uniform(_Preset):
    """He's uniform initializer."""
    preset = (2.0, 'fan_in', 'uniform')


class he_normal(_Preset):
    """He's normal initializer."""
    preset = (2.0, 'fan_in', 'truncated_normal')


class lecun_uniform(_Preset):
    """LeCun's uniform initializer."""
    preset = (1.0, 'fan_in', 'uniform')


class lecun_normal(_Preset):
    """LeCun's normal initializer."""


class Orthogonal(Initializer):
    """Fills with an orthogonal matrix."""
    fields = ('gain', 'seed')

    def __init__(self, gain=1.0, seed=None, dtype='float32'):
        self.gain, self.seed = gain, seed

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.orthogonal_initializer(gain=self.gain, seed=self.seed)(shape, dtype=dtype or tf.float32)


class Identity(Initializer):
    """Fills with the identity matrix."""
    fields = ('gain',)

    def __init__(self, gain=1.0, dtype='float32'):
        self.gain = gain

    def __call__(self, shape, dtype=None, partition_info=None):
        return self.gain * tf.eye(shape[0], shape[1], dtype=dtype or tf.float32)


_initializers = {'zeros': Zeros, 'ones': Ones, 'constant': Constant, 'normal': RandomNormal, 'uniform': RandomUniform,
                 'random_normal': RandomNormal, 'random_uniform': RandomUniform, 'truncated_normal': TruncatedNormal,
                 'orthogonal': Orthogonal, 'identity': Identity, 'glorot_uniform': glorot_uniform,
                 'glorot_normal': glorot_normal, 'he_uniform': he_uniform, 'he_normal': he_normal,
                 'lecun_uniform': lecun_uniform, 'lecun_normal': lecun_normal, 'variance_scaling': VarianceScaling,
                 'Zeros': Zeros, 'Ones': Ones, 'Constant': Constant, 'RandomNormal': RandomNormal,
                 'RandomUniform': RandomUniform, 'TruncatedNormal': TruncatedNormal, 'Orthogonal': Orthogonal,
                 'Identity': Identity, 'VarianceScaling': VarianceScaling, 'GlorotUniform': glorot_uniform,
                 'GlorotNormal': glorot_normal, 'HeNormal': he_normal, 'HeUniform': he_uniform,
                 'LecunNormal': lecun_normal, 'LecunUniform': lecun_uniform}


def get_initializer(identifier):
    """Returns the initializer of a name, a config or a function."""
    return _getter('initializer', _initializers, identifier)


class Regularizer(_Configured):
    """The base class of regularizers: a function of a weight that returns a loss."""


class L1L2(Regularizer):
    """A penalty for large weights: the sum of their absolute values and of their squares."""
    fields = ('l1', 'l2')

    def __init__(self, l1=0., l2=0.):
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x):
        if not self.l1 and not self.l2:
            return tf.constant(0.)
        loss = 0.
        if self.l1:
            loss += tf.reduce_sum(self.l1 * tf.abs(x))
        if self.l2:
            loss += tf.reduce_sum(self.l2 * tf.square(x))
        return loss


def l1(l=0.01):
    """Returns a penalty for the absolute values of weights."""
    return L1L2(l1=l)


def l2(l=0.01):
    """Returns a penalty for the squares of weights."""
    return L1L2(l2=l)


def l1_l2(l1=0.01, l2=0.01):
    """Returns a penalty for the absolute values and the squares of weights."""
    return L1L2(l1=l1, l2=l2)


_regularizers = {'l1': l1, 'l2': l2, 'l1_l2': l1_l2, 'L1L2': L1L2}


def get_regularizer(identifier):
    """Returns the regularizer of a name, a config or a function."""
    if isinstance(identifier, str) and identifier in ('l1', 'l2', 'l1_l2'):
        return _regularizers[identifier]()
    return _getter('regularizer', _regularizers, identifier)


class Constraint(_Configured):
    """The base class of constraints: a function of a weight that returns its new value."""


class MaxNorm(Constraint):
    """Limits the norm of the weights that enter a unit."""
    fields = ('max_value', 'axis')

    def __init__(self, max_value=2, axis=0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w):
        norms = tf.sqrt(tf.reduce_sum(tf.square(w), axis=self.axis, keepdims=True))
        return w * (tf.clip_by_value(norms, 0, self.max_value) / (1e-7 + norms))


class NonNeg(Constraint):
    """Sets negative weights to 0."""

    def __call__(self, w):
        return w * tf.cast(tf.greater_equal(w, 0.), w.dtype.base_dtype)


class UnitNorm(Constraint):
    """Scales the weights that enter a unit to the norm 1."""
    fields = ('axis',)

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (1e-7 + tf.sqrt(tf.reduce_sum(tf.square(w), axis=self.axis, keepdims=True)))


class MinMaxNorm(Constraint):
    """Keeps the norm of the weights that enter a unit between two values."""
    fields = ('min_value', 'max_value', 'rate', 'axis')

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w):
        norms = tf.sqrt(tf.reduce_sum(tf.square(w), axis=self.axis, keepdims=True))
        wanted = self.rate * tf.clip_by_value(norms, self.min_value, self.max_value) + (1 - self.rate) * norms
        return w * (wanted / (1e-7 + norms))


_constraints = {'max_norm': MaxNorm, 'non_neg': NonNeg, 'unit_norm': UnitNorm, 'min_max_norm': MinMaxNorm,
                'MaxNorm': MaxNorm, 'NonNeg': NonNeg, 'UnitNorm': UnitNorm, 'MinMaxNorm': MinMaxNorm}


def get_constraint(identifier):
    """Returns the constraint of a name, a config or a function."""
    return _getter('constraint', _constraints, identifier)


def elu(x, alpha=1.0):
    """x, or alpha * (exp(x) - 1) where x is negative."""
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(x > 0, result, alpha * result)


def exponential(x):
    """exp(x)"""
    return tf.exp(x)


def hard_sigmoid(x):
    """0.2 * x + 0.5, between 0 and 1."""
    return tf.clip_by_value(0.2 * x + 0.5, 0., 1.)


def linear(x):
    """x"""
    return x


def relu(x, alpha=0., max_value=None, threshold=0):
    """x, or 0 where x is negative."""
    if alpha == 0 and max_value is None and threshold == 0:
        return tf.nn.relu(x)
    if alpha == 0 and max_value == 6 and threshold == 0:
        return tf.nn.relu6(x)
    above = x * tf.cast(tf.greater(x, threshold), x.dtype) if threshold != 0 else tf.nn.relu(x)
    if max_value is not None:
        above = tf.clip_by_value(above, 0., max_value)
    return above - alpha * tf.nn.relu(threshold - x) if alpha != 0 else above


def selu(x):
    """The scaled exponential linear unit."""
    return tf.nn.selu(x)


def sigmoid(x):
    """1 / (1 + exp(-x))"""
    return tf.nn.sigmoid(x)


def softmax(x, axis=-1):
    """exp(x), scaled to the sum 1 along an axis."""
    return tf.nn.softmax(x, axis=axis)


def softplus(x):
    """log(exp(x) + 1)"""
    return tf.nn.softplus(x)


def softsign(x):
    """x / (abs(x) + 1)"""
    return tf.nn.softsign(x)


def swish(x):
    """x * sigmoid(x)"""
    return x * tf.nn.sigmoid(x)


def tanh(x):
    """The hyperbolic tangent."""
    return tf.nn.tanh(x)


_activations = {f.__name__: f for f in (elu, exponential, hard_sigmoid, linear, relu, selu, sigmoid, softmax, softplus,
                                        softsign, swish, tanh)}


def get_activation(identifier):
    """Returns the activation function of a name."""
    return _getter('activation function', _activations, identifier, linear)


def serialize_activation(activation):
    """Returns the name of an activation function."""
    return serialize_keras_object(activation)
