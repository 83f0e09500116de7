"""tf.keras.layers: normalization."""
from _library.tfk_base import Layer
from _library.tfk_state import learning_phase
from _library.layers import InputSpec, _smart_cond, _static_bool


class _Normalization(Layer):
    """The base class of layers that normalize, and then apply a learned scale and offset."""

    def _axes_of(self, rank):
        return [a % rank for a in (self.axis if isinstance(self.axis, list) else [self.axis])]

    def _add_scale_and_offset(self, shape):
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight('gamma', shape, initializer=self.gamma_initializer,
                                         regularizer=self.gamma_regularizer, constraint=self.gamma_constraint)
        if self.center:
            self.beta = self.add_weight('beta', shape, initializer=self.beta_initializer,
                                        regularizer=self.beta_regularizer, constraint=self.beta_constraint)


class BatchNormalization(_Normalization):
    """Normalizes each channel to mean 0 and standard deviation 1, and then applies a learned scale and offset."""

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer='zeros',
                 gamma_initializer='ones', moving_mean_initializer='zeros', moving_variance_initializer='ones',
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, renorm=False,
                 fused=None, virtual_batch_size=None, **kwargs):
        for key in ('renorm_clipping', 'renorm_momentum', 'adjustment'):
            kwargs.pop(key, None)
        super(BatchNormalization, self).__init__(**kwargs)
        if renorm or virtual_batch_size is not None:
            raise NotImplementedError('BatchNormalization: renorm and virtual_batch_size are not part of tensh')
        self._set(axis=list(axis) if isinstance(axis, (list, tuple)) else axis, momentum=momentum, epsilon=epsilon,
                  center=center, scale=scale, beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
                  moving_mean_initializer=moving_mean_initializer,
                  moving_variance_initializer=moving_variance_initializer, beta_regularizer=beta_regularizer,
                  gamma_regularizer=gamma_regularizer, beta_constraint=beta_constraint, gamma_constraint=gamma_constraint)
        self.supports_masking, self.fused = True, fused

    def build(self, input_shape):
        rank = input_shape.ndims
        axes = self._axes_of(rank)
        sizes = [input_shape.as_list()[a] for a in axes]
        if None in sizes:
            raise ValueError('Input has undefined `axis` dimension. Input shape: %s' % (input_shape,))
        self._axes = axes
        self.input_spec = InputSpec(ndim=rank, axes=dict(zip(axes, sizes)))
        if self.fused is None:
            self.fused = rank == 4 and axes in ([1], [3])
        shape = sizes if len(sizes) == 1 else [input_shape.as_list()[i] if i in axes else 1 for i in range(rank)]
        self._add_scale_and_offset(shape)
        self.moving_mean = self.add_weight('moving_mean', shape, initializer=self.moving_mean_initializer, trainable=False)
        self.moving_variance = self.add_weight('moving_variance', shape, initializer=self.moving_variance_initializer,
                                               trainable=False)
        self._shape = shape
        self.built = True

    def _move(self, variable, value, momentum):
        with tf.name_scope('AssignMovingAvg'):
            delta = (variable - tf.cast(value, variable.dtype.base_dtype)) * (1. - momentum)
            return tf.assign_sub(variable, delta)

    def _update(self, training, pairs):
        known = _static_bool(training)
        if known is False or not self._trainable:
            return
        for variable, value in pairs:
            if known is None:
                momentum = tf.where(training, tf.constant(self.momentum), tf.constant(1.0))
            else:
                momentum = self.momentum
            self.add_update(self._move(variable, value, momentum))

    def call(self, inputs, training=None):
        training = learning_phase() if training is None else training
        if not self._trainable:
            training = False
        if self.fused:
            return self._fused(inputs, training)
        rank = inputs.get_shape().ndims
        reduced = [i for i in range(rank) if i not in self._axes]
        spread = [inputs.get_shape().as_list()[i] if i in self._axes else 1 for i in range(rank)]

        def broadcast(v):
            plain = v is None or v.get_shape().ndims == rank or reduced == list(range(rank - 1))
            return v if plain else tf.reshape(v, spread)
        mean, variance = self.moving_mean, self.moving_variance
        if _static_bool(training) is not False:
            of_batch = tf.nn.moments(inputs, reduced, keep_dims=len(self._axes) > 1)
            mean, variance = [_smart_cond(training, lambda b=b: b, lambda v=v: tf.convert_to_tensor(v))
                              for b, v in zip(of_batch, (mean, variance))]
            self._update(training, [(self.moving_mean, mean), (self.moving_variance, variance)])
        outputs = tf.nn.batch_normalization(inputs, broadcast(mean), broadcast(variance), broadcast(self.beta),
                                            broadcast(self.gamma), self.epsilon)
        outputs.set_shape(inputs.get_shape())
        return outputs

    def _fused(self, inputs, training):
        # Reads the weights outside of the condition, because gradients of variables do not pass through one.
        gamma = tf.convert_to_tensor(self.gamma) if self.scale else tf.ones(self._shape)
        beta = tf.convert_to_tensor(self.beta) if self.center else tf.zeros(self._shape)
        layout = 'NHWC' if self._axes == [3] else 'NCHW'

        def of_batch():
            return tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=layout)

        def of_all():
            return tf.nn.fused_batch_norm(inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance,
                                          epsilon=self.epsilon, is_training=False, data_format=layout)
        output, mean, variance = _smart_cond(training, of_batch, of_all)
        self._update(training, [(self.moving_mean, mean), (self.moving_variance, variance)])
        return output


class LayerNormalization(_Normalization):
    """Normalizes each element of a batch to mean 0 and standard deviation 1."""

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer='zeros', gamma_initializer='ones',
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, **kwargs):
        super(LayerNormalization, self).__init__(**kwargs)
        self._set(axis=list(axis) if isinstance(axis, (list, tuple)) else axis, epsilon=epsilon, center=center, scale=scale,
                  beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
                  beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer,
                  beta_constraint=beta_constraint, gamma_constraint=gamma_constraint)
        self.supports_masking = True

    def build(self, input_shape):
        rank = input_shape.ndims
        self._axes = self._axes_of(rank)
        shape = [input_shape.as_list()[a] for a in self._axes]
        self._add_scale_and_offset(shape)
        self.built = True

    def call(self, inputs):
        known = inputs.get_shape().as_list()
        spread = [known[i] if i in self._axes else 1 for i in range(len(known))]

        def broadcast(v):
            return v if v is None or self._axes == [len(known) - 1] else tf.reshape(v, spread)
        mean, variance = tf.nn.moments(inputs, self._axes, keep_dims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, broadcast(self.beta), broadcast(self.gamma),
                                            self.epsilon)
        outputs.set_shape(inputs.get_shape())
        return outputs
