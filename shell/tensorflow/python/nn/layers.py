"""tf.layers: layers as objects that keep their variables, and functions that create and call a layer."""


def _snake_case(name):
    out = ''
    for i, c in enumerate(name):
        after = name[i + 1] if i + 1 < len(name) else ''
        starts_word = after.islower() or after.isdigit()
        if i and c.isupper() and (starts_word or name[i - 1].islower()):
            out += '_'
        out += c.lower()
    return 'private' + out if out[0] == '_' else out


def _unique_layer_name(base):
    used = tf.get_collection_ref('__layer_names')
    used.append(base)
    return base + '_' + str(used.count(base))


def _as_tensor(x):
    return tf.convert_to_tensor(x) if isinstance(x, (np.ndarray, np.generic, float, int)) else x


def _map(fn, x):
    if isinstance(x, (list, tuple)):
        made = [_map(fn, v) for v in x]
        return type(x)(*made) if hasattr(x, '_fields') else type(x)(made)
    return fn(x)


def _activation(function):
    """Returns a function, which may be given by the name that Keras has for it."""
    return tf.keras.activations.get(function) if isinstance(function, str) else function


def _static_bool(x):
    """Returns True, False, or None if only a run can decide."""
    if isinstance(x, (tf.Tensor, tf.Variable)):
        value = tf.get_static_value(x) if isinstance(x, tf.Tensor) else None
        return None if value is None else bool(value)
    if x in (0, 1):
        return bool(x)
    raise TypeError('`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: %s' % (x,))


def _smart_cond(pred, yes, no):
    known = _static_bool(pred)
    if known is None:
        return tf.cond(pred, true_fn=yes, false_fn=no)
    return yes() if known else no()


class InputSpec(object):
    """The rank, dtype and extents that a layer requires of its input."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
        self.dtype, self.shape, self.max_ndim, self.min_ndim = dtype, shape, max_ndim, min_ndim
        self.ndim = len(shape) if shape is not None else ndim
        self.axes = axes or {}

    def check(self, x, layer):
        start = 'Input 0 of layer ' + layer.name + ' is incompatible with the layer: '
        shape = x.get_shape()
        if shape.ndims is None:
            if self.ndim is not None or self.min_ndim is not None:
                raise ValueError(start + 'its rank is undefined, but the layer requires a defined rank.')
            return
        full = '. Full shape received: ' + str(shape.as_list())
        if self.ndim is not None and shape.ndims != self.ndim:
            raise ValueError(start + 'expected ndim=%s, found ndim=%s' % (self.ndim, shape.ndims) + full)
        if self.min_ndim is not None and shape.ndims < self.min_ndim:
            raise ValueError(start + ': expected min_ndim=%s, found ndim=%s' % (self.min_ndim, shape.ndims) + full)
        for axis, value in self.axes.items():
            got = shape.as_list()[axis]
            if value is not None and got not in (value, None):
                raise ValueError(start + 'expected axis %s of input shape to have value %s but received input '
                                 'with shape %s' % (axis, value, shape.as_list()))


class Layer(object):
    """A layer: a function with variables, which its first call creates."""

    def __init__(self, trainable=True, name=None, dtype=None, _scope=None, _reuse=None,
                 activity_regularizer=None, **kwargs):
        for unknown in kwargs:
            raise TypeError('Keyword argument not understood:', unknown)
        self.trainable = trainable
        self.built = False
        self.input_spec = None
        self._dtype = None if dtype is None else tf.as_dtype(dtype)
        self._reuse = _reuse
        self._trainable_weights, self._non_trainable_weights = [], []
        self._updates, self._losses = [], []
        self._activity_regularizer = activity_regularizer
        self._current_scope = self._scope = None
        base = _snake_case(type(self).__name__)
        if isinstance(name, tf.VariableScope):
            self._name, self._base_name = _unique_layer_name(base), name.name
        elif name:
            self._name = self._base_name = name
        else:
            self._name, self._base_name = _unique_layer_name(base), base
        if _scope:
            with tf.variable_scope(_scope) as scope:
                self._scope = scope

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    graph = property(lambda self: None)
    updates = property(lambda self: self._updates)
    losses = property(lambda self: self._losses)
    activity_regularizer = property(lambda self: self._activity_regularizer)
    weights = property(lambda self: self.trainable_weights + self.non_trainable_weights)
    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    @property
    def trainable_weights(self):
        return self._trainable_weights if self.trainable else []

    @property
    def non_trainable_weights(self):
        if self.trainable:
            return self._non_trainable_weights
        return self._trainable_weights + self._non_trainable_weights

    @property
    def scope_name(self):
        if not self._scope:
            raise ValueError('No name available for layer scope because the layer "' + self._name +
                             '" has not been used yet. The scope name is determined the first time the layer '
                             'instance is called. You must therefore call the layer before querying `scope_name`.')
        return self._scope.name

    def build(self, input_shape):
        self.built = True

    def call(self, inputs, **kwargs):
        return inputs

    def apply(self, inputs, *args, **kwargs):
        return self.__call__(inputs, *args, **kwargs)

    def _set_scope(self, scope=None):
        if self._scope is not None:
            return
        if self._reuse:
            opened = tf.variable_scope(scope if scope is not None else self._base_name)
        else:
            opened = tf.variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def _check_and_build(self, inputs):
        first = inputs[0] if isinstance(inputs, (list, tuple)) and inputs else inputs
        if self.input_spec is not None:
            self.input_spec.check(first, self)
        if self.built:
            return
        if self._dtype is None:
            self._dtype = first.dtype.base_dtype
        self.build(_map(lambda x: x.get_shape(), inputs))
        self.built = True

    def __call__(self, inputs, *args, **kwargs):
        scope = kwargs.pop('scope', None)
        inputs = _map(_as_tensor, inputs)
        self._set_scope(scope)
        reuse = True if self.built else self._reuse
        with tf.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current:
            self._current_scope = current
            with tf.name_scope(current.original_name_scope):
                self._check_and_build(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if self._activity_regularizer is not None:
                    with tf.name_scope('ActivityRegularizer'):
                        self.add_loss(self._activity_regularizer(outputs), inputs=inputs)
        return outputs

    def add_weight(self, name, shape, dtype=None, initializer=None, regularizer=None, trainable=None,
                   constraint=None, use_resource=None, synchronization=None, aggregation=None, partitioner=None):
        trainable = True if trainable is None else trainable
        self._set_scope(None)
        before = tf.global_variables() if regularizer else []
        with tf.variable_scope(self._scope, reuse=self.built or self._reuse, auxiliary_name_scope=False) as current:
            self._current_scope = current
            with tf.name_scope(current.original_name_scope):
                v = tf.get_variable(name, shape, dtype=tf.as_dtype(dtype or self._dtype or tf.float32),
                                    initializer=initializer if initializer is not None else current.initializer,
                                    trainable=trainable and self.trainable, constraint=constraint)
                if regularizer and not any(v is old for old in before):
                    with tf.name_scope(name + '/Regularizer'):
                        loss = regularizer(v)
                    if loss is not None:
                        self.add_loss(loss)
        if any(v is known for known in self._trainable_weights + self._non_trainable_weights):
            return v
        (self._trainable_weights if trainable else self._non_trainable_weights).append(v)
        return v

    add_variable = add_weight

    def add_loss(self, losses, inputs=None):
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append(loss)
            tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, updates, inputs=None):
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            update = getattr(update, 'op', update)
            self._updates.append(update)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)

    def get_updates_for(self, inputs):
        return list(self._updates)

    def get_losses_for(self, inputs):
        return list(self._losses)

    def count_params(self):
        if not self.built:
            raise ValueError('You tried to call `count_params` on ' + self.name + ", but the layer isn't built. "
                             'You can build it manually via: `' + self.name + '.build(batch_input_shape)`.')
        total = 0
        for v in self.weights:
            total += int(np.prod(v.get_shape().as_list()))
        return total


def _known(dimension, message):
    if dimension.value is None:
        raise ValueError(message)
    return dimension.value


class Dense(Layer):
    """outputs = activation(inputs * kernel + bias)"""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=tf.zeros_initializer(), kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super(Dense, self).__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation, self.use_bias = _activation(activation), use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape):
        depth = _known(input_shape[-1], 'The last dimension of the inputs to `Dense` should be defined. Found `None`.')
        self.input_spec = InputSpec(min_ndim=2, axes={-1: depth})
        self.kernel = self.add_weight('kernel', [depth, self.units], initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', [self.units], initializer=self.bias_initializer,
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)[:-1].concatenate(self.units)

    def call(self, inputs):
        rank = inputs.get_shape().ndims
        if rank > 2:
            outputs = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.get_shape().as_list()[:-1] + [self.units])
        else:
            outputs = tf.matmul(tf.cast(inputs, self.kernel.dtype.base_dtype), self.kernel)
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


class Dropout(Layer):
    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super(Dropout, self).__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        def dropped():
            return tf.nn.dropout(inputs, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate)
        return _smart_cond(training, dropped, lambda: tf.identity(inputs))


class Flatten(Layer):
    def __init__(self, data_format=None, **kwargs):
        super(Flatten, self).__init__(**kwargs)
        self.data_format = data_format or 'channels_last'
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        shape = inputs.get_shape()
        if self.data_format == 'channels_first' and shape.ndims > 1:
            inputs = tf.transpose(inputs, perm=[0] + list(range(2, shape.ndims)) + [1])
        outputs = tf.reshape(inputs, (shape[0].value or tf.shape(inputs)[0], -1))
        if all(d is not None for d in shape.as_list()[1:]):
            outputs.set_shape([shape[0].value, int(np.prod(shape.as_list()[1:], dtype=np.int64))])
        return outputs


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None,
          bias_initializer=tf.zeros_initializer(), kernel_regularizer=None, bias_regularizer=None,
          activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
          reuse=None):
    """A layer of `units` neurons that are connected to the whole last dimension of inputs."""
    layer = Dense(units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                  bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
                  bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
                  kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable,
                  name=name, _scope=name, _reuse=reuse)
    return layer.apply(inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """During training, sets a random fraction `rate` of the inputs to 0 and scales up the others."""
    return Dropout(rate, noise_shape=noise_shape, seed=seed, name=name).apply(inputs, training=training)


def flatten(inputs, name=None, data_format='channels_last'):
    """Flattens all dimensions except the first into one."""
    return Flatten(name=name, data_format=data_format).apply(inputs)
