"""tf.layers.batch_normalization."""
from _library.layers import Layer, InputSpec, _smart_cond, _static_bool


class BatchNormalization(Layer):
    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                 beta_initializer=tf.zeros_initializer(), gamma_initializer=tf.ones_initializer(),
                 moving_mean_initializer=tf.zeros_initializer(), moving_variance_initializer=tf.ones_initializer(),
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None,
                 renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True,
                 virtual_batch_size=None, adjustment=None, name=None, **kwargs):
        super(BatchNormalization, self).__init__(name=name, trainable=trainable, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError('batch_normalization: renorm, virtual_batch_size and adjustment are not part '
                                      'of tensh')
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.fused = fused

    def build(self, input_shape):
        if input_shape.ndims is None:
            raise ValueError('Input has undefined rank:', input_shape)
        rank = input_shape.ndims
        self.axis = [a + rank if a < 0 else a for a in self.axis]
        for a in self.axis:
            if a < 0 or a >= rank:
                raise ValueError('Invalid axis: %d' % a)
        if self.fused is None:
            self.fused = rank == 4 and self.axis in ([1], [3])
        elif self.fused and (rank != 4 or self.axis not in ([1], [3])):
            raise ValueError('Batch normalization layers with fused=True only support 4D input tensors.')
        sizes = [input_shape[a].value for a in self.axis]
        if None in sizes:
            raise ValueError('Input has undefined `axis` dimension. Input shape: ', input_shape)
        self.input_spec = InputSpec(ndim=rank, axes=dict(zip(self.axis, sizes)))
        if len(sizes) == 1:
            shape = sizes
        else:
            shape = [input_shape[i].value if i in self.axis else 1 for i in range(rank)]
        dtype = tf.float32 if self._dtype == tf.float16 else self._dtype
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight('gamma', shape, dtype, self.gamma_initializer, self.gamma_regularizer,
                                         constraint=self.gamma_constraint)
        elif self.fused:
            self._gamma_const = tf.constant(1.0, dtype, shape)
        if self.center:
            self.beta = self.add_weight('beta', shape, dtype, self.beta_initializer, self.beta_regularizer,
                                        constraint=self.beta_constraint)
        elif self.fused:
            self._beta_const = tf.constant(0.0, dtype, shape)
        self.moving_mean = self.add_weight('moving_mean', shape, dtype, self.moving_mean_initializer, trainable=False)
        self.moving_variance = self.add_weight('moving_variance', shape, dtype, self.moving_variance_initializer,
                                               trainable=False)

    def _moving_average(self, variable, value, momentum):
        with tf.name_scope('AssignMovingAvg') as scope:
            with tf.colocate_with(variable):
                decay = tf.convert_to_tensor(1.0 - momentum, name='decay')
                delta = (variable - tf.cast(value, variable.dtype.base_dtype)) * decay
                return tf.assign_sub(variable, delta, name=scope)

    def _fused(self, inputs, training):
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const
        layout = 'NHWC' if self.axis == [3] else 'NCHW'

        def of_batch():
            return tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=layout)

        def of_all():
            return tf.nn.fused_batch_norm(inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance,
                                          epsilon=self.epsilon, is_training=False, data_format=layout)
        output, mean, variance = _smart_cond(training, of_batch, of_all)
        known = _static_bool(training)
        if known is not False:
            if known is None:
                momentum = _smart_cond(training, lambda: self.momentum, lambda: 1.0)
            else:
                momentum = tf.convert_to_tensor(self.momentum)
            self.add_update(self._moving_average(self.moving_mean, mean, momentum))
            self.add_update(self._moving_average(self.moving_variance, variance, momentum))
        return output

    def call(self, inputs, training=False):
        if self.fused:
            return self._fused(inputs, training)
        rank = inputs.get_shape().ndims
        reduced = [i for i in range(rank) if i not in self.axis]
        spread = [inputs.get_shape()[i].value if i in self.axis else 1 for i in range(rank)]

        def broadcast(v):
            if v is not None and v.get_shape().ndims != rank and reduced != list(range(rank - 1)):
                return tf.reshape(v, spread)
            return v
        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        known = _static_bool(training)
        if known is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            batch_mean, batch_variance = tf.nn.moments(inputs, reduced, keep_dims=len(self.axis) > 1)
            mean = _smart_cond(training, lambda: batch_mean, lambda: tf.convert_to_tensor(self.moving_mean))
            variance = _smart_cond(training, lambda: batch_variance,
                                   lambda: tf.convert_to_tensor(self.moving_variance))
            for moving, value in [(self.moving_mean, mean), (self.moving_variance, variance)]:
                self.add_update(_smart_cond(training, lambda: self._moving_average(moving, value, self.momentum),
                                            lambda: moving))
        outputs = tf.nn.batch_normalization(inputs, broadcast(mean), broadcast(variance), offset, scale, self.epsilon)
        outputs.set_shape(inputs.get_shape())
        return outputs


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                        beta_initializer=tf.zeros_initializer(), gamma_initializer=tf.ones_initializer(),
                        moving_mean_initializer=tf.zeros_initializer(),
                        moving_variance_initializer=tf.ones_initializer(), beta_regularizer=None,
                        gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, training=False,
                        trainable=True, name=None, reuse=None, renorm=False, renorm_clipping=None,
                        renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):
    """Normalizes each channel to mean 0 and standard deviation 1, and then applies a learned scale and offset."""
    layer = BatchNormalization(axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
                               moving_mean_initializer, moving_variance_initializer, beta_regularizer,
                               gamma_regularizer, beta_constraint, gamma_constraint, renorm, renorm_clipping,
                               renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name,
                               _reuse=reuse, _scope=name)
    return layer.apply(inputs, training=training)
