"""tf.keras.layers: the layers of most models."""
import _library
from _library.tfk_base import Layer, as_list, shapes_of
from _library.tfk_state import floatx, learning_phase
from _library.layers import InputSpec, _smart_cond
from _library import tfk_named, tfk_backend


def _plain(shape):
    return tf.TensorShape(shape).as_list()


class Dense(Layer):
    """outputs = activation(inputs * kernel + bias)"""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):
        super(Dense, self).__init__(**kwargs)
        self._set(units=int(units), activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                  bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
                  bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
                  kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape):
        depth = _plain(input_shape)[-1]
        if depth is None:
            raise ValueError('The last dimension of the inputs to `Dense` should be defined. Found `None`.')
        self.input_spec = InputSpec(min_ndim=2, axes={-1: depth})
        self.kernel = self.add_weight('kernel', [depth, self.units], initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', [self.units], initializer=self.bias_initializer,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)
        self.built = True

    def call(self, inputs):
        rank = inputs.get_shape().ndims
        if rank > 2:
            outputs = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.get_shape().as_list()[:-1] + [self.units])
        else:
            outputs = tf.matmul(tf.cast(inputs, self._dtype), self.kernel)
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return self.activation(outputs)


class Activation(Layer):
    """Applies an activation function."""

    def __init__(self, activation, **kwargs):
        super(Activation, self).__init__(**kwargs)
        self.supports_masking = True
        self._set(activation=activation)

    def call(self, inputs):
        return self.activation(inputs)


class Dropout(Layer):
    """In training, sets a random fraction of the inputs to 0 and scales up the others."""

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super(Dropout, self).__init__(**kwargs)
        self._set(rate=rate, noise_shape=noise_shape, seed=seed)
        self.supports_masking = True

    def _noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        sizes = tf.shape(inputs)
        return [sizes[i] if n is None else n for i, n in enumerate(self.noise_shape)]

    def call(self, inputs, training=None):
        training = learning_phase() if training is None else training
        return _smart_cond(training, lambda: tf.nn.dropout(inputs, noise_shape=self._noise_shape(inputs),
                                                           seed=self.seed, rate=self.rate),
                           lambda: tf.identity(inputs))


class SpatialDropout1D(Dropout):
    """Drops whole channels of sequences."""

    def __init__(self, rate, **kwargs):
        super(SpatialDropout1D, self).__init__(rate, **kwargs)
        self._keys[:] = ['rate']

    def _noise_shape(self, inputs):
        sizes = tf.shape(inputs)
        return [sizes[0]] + [1] * (inputs.get_shape().ndims - 2) + [sizes[-1]]


class SpatialDropout2D(SpatialDropout1D):
    """Drops whole channels of images."""


class SpatialDropout3D(SpatialDropout1D):
    """Drops whole channels of volumes."""


class GaussianNoise(Layer):
    """In training, adds normally distributed noise."""

    def __init__(self, stddev, **kwargs):
        super(GaussianNoise, self).__init__(**kwargs)
        self.supports_masking = True
        self._set(stddev=stddev)

    def call(self, inputs, training=None):
        training = learning_phase() if training is None else training
        return _smart_cond(training, lambda: inputs + tf.random_normal(tf.shape(inputs), 0., self.stddev),
                           lambda: tf.identity(inputs))


class GaussianDropout(Layer):
    """In training, multiplies with normally distributed noise."""

    def __init__(self, rate, **kwargs):
        super(GaussianDropout, self).__init__(**kwargs)
        self.supports_masking = True
        self._set(rate=rate)

    def call(self, inputs, training=None):
        training = learning_phase() if training is None else training
        spread = float(np.sqrt(self.rate / (1.0 - self.rate)))
        return _smart_cond(training, lambda: inputs * tf.random_normal(tf.shape(inputs), 1., spread),
                           lambda: tf.identity(inputs))


class Flatten(Layer):
    """Joins all dimensions except the first."""

    def __init__(self, data_format=None, **kwargs):
        super(Flatten, self).__init__(**kwargs)
        self._set(data_format=data_format or 'channels_last')
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        shape = inputs.get_shape()
        if self.data_format == 'channels_first' and shape.ndims > 2:
            inputs = tf.transpose(inputs, [0] + list(range(2, shape.ndims)) + [1])
        known = shape.as_list()
        outputs = tf.reshape(inputs, (known[0] or tf.shape(inputs)[0], -1))
        if None not in known[1:]:
            outputs.set_shape([known[0], int(np.prod(known[1:], dtype=np.int64))])
        return outputs


class Reshape(Layer):
    """Gives the elements another shape."""

    def __init__(self, target_shape, **kwargs):
        super(Reshape, self).__init__(**kwargs)
        self._set(target_shape=tuple(target_shape))

    def call(self, inputs):
        known = inputs.get_shape().as_list()
        target = list(self.target_shape)
        if None not in known[1:]:
            total, rest = int(np.prod(known[1:])), int(np.prod([d for d in target if d != -1]))
            if (-1 in target and (not rest or total % rest)) or (-1 not in target and total != rest):
                raise ValueError('total size of new array must be unchanged: %s has %d elements, %s has %d' %
                                 (tuple(known[1:]), total, tuple(target), rest))
            if -1 in target:
                target[target.index(-1)] = total // rest
        outputs = tf.reshape(inputs, [tf.shape(inputs)[0]] + target)
        outputs.set_shape([known[0]] + [None if d == -1 else d for d in target])
        return outputs


class Permute(Layer):
    """Changes the order of the dimensions."""

    def __init__(self, dims, **kwargs):
        super(Permute, self).__init__(**kwargs)
        self._set(dims=tuple(dims))
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError('Invalid permutation `dims` for Permute Layer: %s. The set of indices in `dims` must be '
                             'consecutive and start from 1.' % (dims,))

    def call(self, inputs):
        return tf.transpose(inputs, (0,) + self.dims)


class RepeatVector(Layer):
    """Repeats the input n times."""

    def __init__(self, n, **kwargs):
        super(RepeatVector, self).__init__(**kwargs)
        self._set(n=n)
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs):
        return tf.tile(tf.expand_dims(inputs, 1), [1, self.n, 1])


class Lambda(Layer):
    """Applies a function."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super(Lambda, self).__init__(**kwargs)
        object.__setattr__(self, 'function', function)
        self._arguments, self._output_shape, self._mask = dict(arguments or {}), output_shape, mask
        self.supports_masking = mask is not None

    def _call_arguments(self):
        return _library.tfk_base._arguments_of(self.function)

    def call(self, inputs, **kwargs):
        return self.function(inputs, **dict(self._arguments, **kwargs))

    def compute_mask(self, inputs, mask=None):
        return self._mask(inputs, mask) if callable(self._mask) else self._mask

    def get_config(self):
        name = getattr(self.function, '__name__', '<lambda>')
        if name == '<lambda>':
            raise NotImplementedError('The Lambda layer %s holds a lambda, which a config cannot. Give it a function with a '
                                      'name, or save the weights: model.save_weights("weights.h5")' % self.name)
        return dict(super(Lambda, self).get_config(), function=name, function_type='function',
                    arguments=self._arguments)

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        config.pop('function_type', None), config.pop('module', None)
        config.pop('output_shape_type', None), config.pop('output_shape_module', None)
        function = config['function']
        if isinstance(function, str):
            config['function'] = tfk_named.find('function of a Lambda layer', {}, function)
        elif not callable(function):
            raise NotImplementedError('The Lambda layer %s holds Python bytecode, which tensh does not run.' %
                                      config.get('name'))
        return cls(**config)


class Masking(Layer):
    """Masks the steps of a sequence in which all features have one value."""

    def __init__(self, mask_value=0., **kwargs):
        super(Masking, self).__init__(**kwargs)
        self.supports_masking = True
        self._set(mask_value=mask_value)

    def compute_mask(self, inputs, mask=None):
        return tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        keep = tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return inputs * tf.cast(keep, inputs.dtype)


class ActivityRegularization(Layer):
    """Adds a penalty for large inputs to the loss."""

    def __init__(self, l1=0., l2=0., **kwargs):
        super(ActivityRegularization, self).__init__(activity_regularizer=tfk_named.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self._set(l1=l1, l2=l2)

    def call(self, inputs):
        return tf.identity(inputs)


class Embedding(Layer):
    """Replaces numbers by vectors."""

    def __init__(self, input_dim, output_dim, embeddings_initializer='uniform', embeddings_regularizer=None,
                 activity_regularizer=None, embeddings_constraint=None, mask_zero=False, input_length=None, **kwargs):
        if 'input_shape' not in kwargs and 'batch_input_shape' not in kwargs:
            length = list(input_length) if isinstance(input_length, (list, tuple)) else [input_length]
            kwargs['input_shape'] = tuple(length)
        kwargs['dtype'] = kwargs.get('dtype') or floatx()
        super(Embedding, self).__init__(**kwargs)
        self._set(input_dim=input_dim, output_dim=output_dim, embeddings_initializer=embeddings_initializer,
                  embeddings_regularizer=embeddings_regularizer, activity_regularizer=activity_regularizer,
                  embeddings_constraint=embeddings_constraint, mask_zero=mask_zero, input_length=input_length)
        self.supports_masking = mask_zero

    def build(self, input_shape):
        self.embeddings = self.add_weight('embeddings', [self.input_dim, self.output_dim],
                                          initializer=self.embeddings_initializer,
                                          regularizer=self.embeddings_regularizer,
                                          constraint=self.embeddings_constraint)
        self.built = True

    def compute_mask(self, inputs, mask=None):
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs):
        if not inputs.dtype.is_integer:
            inputs = tf.cast(inputs, tf.int32)
        return tf.nn.embedding_lookup(self.embeddings, inputs)


class _Unit(Layer):
    def __init__(self, **kwargs):
        super(_Unit, self).__init__(**kwargs)
        self.supports_masking = True


class LeakyReLU(_Unit):
    """x, or alpha * x where x is negative."""

    def __init__(self, alpha=0.3, **kwargs):
        super(LeakyReLU, self).__init__(**kwargs)
        self._set(alpha=float(alpha))

    def call(self, inputs):
        return tf.nn.leaky_relu(inputs, alpha=self.alpha)


class ELU(_Unit):
    """x, or alpha * (exp(x) - 1) where x is negative."""

    def __init__(self, alpha=1.0, **kwargs):
        super(ELU, self).__init__(**kwargs)
        self._set(alpha=float(alpha))

    def call(self, inputs):
        return tfk_named.elu(inputs, self.alpha)


class ThresholdedReLU(_Unit):
    """x, or 0 where x is not above theta."""

    def __init__(self, theta=1.0, **kwargs):
        super(ThresholdedReLU, self).__init__(**kwargs)
        self._set(theta=float(theta))

    def call(self, inputs):
        return inputs * tf.cast(tf.greater(inputs, self.theta), inputs.dtype)


class Softmax(_Unit):
    """exp(x), scaled to the sum 1 along an axis."""

    def __init__(self, axis=-1, **kwargs):
        super(Softmax, self).__init__(**kwargs)
        self._set(axis=axis)

    def call(self, inputs):
        return tf.nn.softmax(inputs, axis=self.axis)


class ReLU(_Unit):
    """x, or 0 where x is negative."""

    def __init__(self, max_value=None, negative_slope=0, threshold=0, **kwargs):
        super(ReLU, self).__init__(**kwargs)
        self._set(max_value=max_value, negative_slope=float(negative_slope), threshold=float(threshold))

    def call(self, inputs):
        return tfk_named.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class PReLU(_Unit):
    """x, or alpha * x where x is negative. alpha is a weight."""

    def __init__(self, alpha_initializer='zeros', alpha_regularizer=None, alpha_constraint=None, shared_axes=None,
                 **kwargs):
        super(PReLU, self).__init__(**kwargs)
        shared = None if shared_axes is None else list(shared_axes) if isinstance(shared_axes, (list, tuple)) else [
            shared_axes]
        self._set(alpha_initializer=alpha_initializer, alpha_regularizer=alpha_regularizer,
                  alpha_constraint=alpha_constraint, shared_axes=shared)

    def build(self, input_shape):
        shape = _plain(input_shape)[1:]
        for axis in self.shared_axes or []:
            shape[axis - 1] = 1
        self.alpha = self.add_weight('alpha', shape, initializer=self.alpha_initializer,
                                     regularizer=self.alpha_regularizer, constraint=self.alpha_constraint)
        self.built = True

    def call(self, inputs):
        return tf.nn.relu(inputs) - self.alpha * tf.nn.relu(-inputs)


class _Merge(Layer):
    """The base class of layers that join several inputs."""

    def __init__(self, **kwargs):
        super(_Merge, self).__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        if not isinstance(input_shape, list) or len(input_shape) < 2:
            raise ValueError('A merge layer should be called on a list of at least 2 inputs. Got the input shape ' +
                             str(input_shape))
        self.built = True

    def call(self, inputs):
        rank = max(x.get_shape().ndims for x in inputs)
        spread = []
        for x in inputs:
            for _ in range(rank - x.get_shape().ndims):
                x = tf.expand_dims(x, 1)
            spread.append(x)
        return self._merge(spread)

    def compute_mask(self, inputs, mask=None):
        given = [m for m in as_list(mask) if m is not None]
        if len(given) < len(inputs):
            return None
        out = given[0]
        for m in given[1:]:
            out = tf.logical_and(out, m)
        return out


class Add(_Merge):
    """The sum of the inputs."""

    def _merge(self, inputs):
        out = inputs[0]
        for x in inputs[1:]:
            out = out + x
        return out


class Subtract(_Merge):
    """The first input minus the second."""

    def _merge(self, inputs):
        if len(inputs) != 2:
            raise ValueError('A `Subtract` layer should be called on exactly 2 inputs, got %d.' % len(inputs))
        return inputs[0] - inputs[1]


class Multiply(_Merge):
    """The product of the inputs."""

    def _merge(self, inputs):
        out = inputs[0]
        for x in inputs[1:]:
            out = out * x
        return out


class Average(Add):
    """The mean of the inputs."""

    def _merge(self, inputs):
        return super(Average, self)._merge(inputs) / len(inputs)


class Maximum(_Merge):
    """The maximum of the inputs."""

    def _merge(self, inputs):
        out = inputs[0]
        for x in inputs[1:]:
            out = tf.maximum(out, x)
        return out


class Minimum(_Merge):
    """The minimum of the inputs."""

    def _merge(self, inputs):
        out = inputs[0]
        for x in inputs[1:]:
            out = tf.minimum(out, x)
        return out


class Concatenate(_Merge):
    """Joins the inputs along an axis."""

    def __init__(self, axis=-1, **kwargs):
        super(Concatenate, self).__init__(**kwargs)
        self._set(axis=axis)

    def call(self, inputs):
        return tf.concat(inputs, self.axis)

    def compute_mask(self, inputs, mask=None):
        given = as_list(mask)
        if all(m is None for m in given):
            return None
        masks = []
        for x, m in zip(inputs, given):
            if m is None:
                m = tf.ones_like(x, dtype=tf.bool)
            elif m.get_shape().ndims < x.get_shape().ndims:
                m = tf.logical_and(tf.expand_dims(m, -1), tf.ones_like(x, dtype=tf.bool))
            masks.append(m)
        return tf.reduce_all(tf.concat(masks, self.axis), axis=-1)


class Dot(_Merge):
    """The products of two inputs along an axis of each."""

    def __init__(self, axes, normalize=False, **kwargs):
        super(Dot, self).__init__(**kwargs)
        self._set(axes=axes, normalize=normalize)

    def call(self, inputs):
        a, b = inputs
        axes = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        axes = [axis % x.get_shape().ndims for axis, x in zip(axes, inputs)]
        if self.normalize:
            a, b = tf.nn.l2_normalize(a, axis=axes[0]), tf.nn.l2_normalize(b, axis=axes[1])
        return tfk_backend.batch_dot(a, b, axes)

    def compute_mask(self, inputs, mask=None):
        return None


def add(inputs, **kwargs):
    """The sum of the inputs."""
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    """The first input minus the second."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    """The product of the inputs."""
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    """The mean of the inputs."""
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    """The maximum of the inputs."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    """The minimum of the inputs."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    """Joins the inputs along an axis."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs, axes, normalize=False, **kwargs):
    """The products of two inputs along an axis of each."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
