"""tf.keras: the base class of layers, and the history from which models are made."""
import _library
import inspect
from _library.tfk_state import state, unique_name, learning_phase, floatx, _training
from _library import tfk_named
from _library.layers import _snake_case, InputSpec


class Node(object):
    """One call of a layer: its inputs, arguments and outputs."""

    def __init__(self, layer, inputs, args, kwargs, outputs):
        self.layer, self.inputs, self.args, self.kwargs, self.outputs = layer, inputs, args, kwargs, outputs
        self.flat_inputs = [t for t in tf.nest.flatten([inputs, args, list(kwargs.values())])
                            if isinstance(t, tf.Tensor)]

    inbound_layers = property(lambda self: [state().history[t.name][0].layer for t in self.flat_inputs])
    outbound_layer = property(lambda self: self.layer)
    input_tensors = property(lambda self: self.inputs)
    output_tensors = property(lambda self: self.outputs)


def as_list(x):
    """Returns a list as it is, and anything else as a list of one."""
    return list(x) if isinstance(x, (list, tuple)) else [x]


def shapes_of(inputs):
    """Returns the shapes of a structure of tensors."""
    if isinstance(inputs, (list, tuple)):
        return [shapes_of(x) for x in inputs]
    if isinstance(inputs, dict):
        return {k: shapes_of(x) for k, x in inputs.items()}
    return inputs.get_shape()


def _arguments_of(call):
    try:
        spec = inspect.getfullargspec(call)
    except TypeError:
        return ()
    return set(list(spec.args) + list(spec.kwonlyargs) + (['mask'] if False else []))


def _tensor(x):
    return tf.convert_to_tensor(x) if isinstance(x, (np.ndarray, np.generic, float, int, tf.Variable)) else x


class Layer(object):
    """A layer: a function with weights, which its first call creates in build()."""

    def __init__(self, trainable=True, name=None, dtype=None, dynamic=False, **kwargs):
        self._start()
        self._trainable = trainable
        shape = kwargs.pop('batch_input_shape', None)
        if 'input_shape' in kwargs:
            given = kwargs.pop('input_shape')
            shape = (kwargs.pop('batch_size', None),) + tuple(given if isinstance(given, (list, tuple, tf.TensorShape)) else (given,))
        elif shape is None and kwargs.get('input_dim') is not None:
            shape = (None, kwargs['input_dim'])
        kwargs.pop('input_dim', None)
        if shape is not None:
            self._batch_input_shape = tuple(tf.TensorShape(shape).as_list())
        self._initial_weights = kwargs.pop('weights', None)
        self._activity_regularizer = kwargs.pop('activity_regularizer', None)
        kwargs.pop('autocast', None)
        for unknown in kwargs:
            raise TypeError('Keyword argument not understood:', unknown)
        self._dtype = None if dtype is None else tf.as_dtype(dtype).name
        self._name = name or self._unique_name()

    def _start(self):
        """Gives the attributes that each method needs their first values. Calling it again has no effect."""
        own = self.__dict__
        if '_own_trainable' not in own:
            own['_own_trainable'], own['_own_fixed'], own['_layers'] = [], [], []
            own['_losses'], own['_updates'], own['_metrics'], own['_nodes'] = [], [], [], []
            own['built'], own['input_spec'], own['supports_masking'], own['stateful'] = False, None, False, False
            own['_name'], own['_dtype'], own['_trainable'], own['_keys'] = None, None, True, []
            own['_activity_regularizer'], own['_initial_weights'], own['_accepts'] = None, None, None

    def _unique_name(self):
        return unique_name(_snake_case(type(self).__name__), zero_based=True)

    def __setattr__(self, name, value):
        if isinstance(value, (Layer, tf.Variable, list, tuple, dict)) and name[0] != '_':
            self._start()
            self._track(value)
        object.__setattr__(self, name, value)

    def _track(self, value):
        if isinstance(value, Layer):
            if not any(value is known for known in self._layers):
                self._layers.append(value)
        elif isinstance(value, tf.Variable):
            if not any(value is v for v in self._own_trainable + self._own_fixed):
                trainable = any(value is v for v in tf.trainable_variables())
                (self._own_trainable if trainable else self._own_fixed).append(value)
        elif isinstance(value, (list, tuple)):
            for v in value:
                if isinstance(v, Layer):
                    self._track(v)
        elif isinstance(value, dict):
            for v in value.values():
                if isinstance(v, Layer):
                    self._track(v)

    def _set(self, **kwargs):
        """Sets attributes that are arguments of the constructor, and remembers them for get_config()."""
        for key, value in kwargs.items():
            if key.endswith('_initializer'):
                value = tfk_named.get_initializer(value)
            elif key.endswith('_regularizer'):
                value = tfk_named.get_regularizer(value)
            elif key.endswith('_constraint'):
                value = tfk_named.get_constraint(value)
            elif key.endswith('activation'):
                value = tfk_named.get_activation(value)
            self._keys.append(key)
            object.__setattr__(self, '_activity_regularizer' if key == 'activity_regularizer' else key, value)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    dynamic = property(lambda self: False)
    activity_regularizer = property(lambda self: self._activity_regularizer)
    inbound_nodes = property(lambda self: self._nodes)
    _inbound_nodes = property(lambda self: self._nodes)
    weights = property(lambda self: self.trainable_weights + self.non_trainable_weights)
    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value
        for layer in self._layers:
            layer.trainable = value

    @property
    def trainable_weights(self):
        if not self._trainable:
            return []
        return _distinct(self._own_trainable + [w for layer in self._layers for w in layer.trainable_weights])

    @property
    def non_trainable_weights(self):
        if self._trainable:
            return _distinct(self._own_fixed + [w for layer in self._layers for w in layer.non_trainable_weights])
        return _distinct(self._own_trainable + self._own_fixed + [w for layer in self._layers for w in layer.weights])

    @property
    def losses(self):
        made = [loss() if callable(loss) else loss for loss in self._losses]
        return made + [x for layer in self._layers for x in layer.losses]

    @property
    def updates(self):
        if not self._trainable and not self.stateful:
            return []
        return self._updates + [x for layer in self._layers for x in layer.updates]

    @property
    def metrics(self):
        return self._metrics + [x for layer in self._layers for x in layer.metrics]

    def build(self, input_shape):
        """Creates the weights. A layer of your own overrides it."""
        self.built = True

    def call(self, inputs, **kwargs):
        """Returns the outputs. A layer of your own overrides it."""
        return inputs

    def compute_mask(self, inputs, mask=None):
        if not self.supports_masking:
            if any(m is not None for m in as_list(mask)):
                raise TypeError('Layer %s does not support masking, but was passed an input_mask: %s' % (self.name, mask))
            return None
        return mask

    def compute_output_shape(self, input_shape):
        """Returns the shape of the outputs: that which a call in a scratch graph has."""
        with tf.Graph().as_default():
            one = isinstance(input_shape, tf.TensorShape) or not isinstance(input_shape[0], (list, tuple, tf.TensorShape))
            shapes = [input_shape] if one else input_shape
            inputs = [tf.placeholder(self._dtype or floatx(), shape) for shape in shapes]
            twin = type(self).from_config(self.get_config())
            return shapes_of(twin(inputs[0] if one else inputs))

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                   constraint=None, partitioner=None, use_resource=None, **kwargs):
        """Creates a weight."""
        self._start()
        dtype = tf.as_dtype(dtype or self._dtype or floatx())
        shape = tf.TensorShape(() if shape is None else shape).as_list()
        if None in shape:
            raise ValueError('The weight %s of layer %s has the shape %s, in which a dimension is not known.' %
                             (name, self.name, tuple(shape)))
        if initializer is None:
            initializer = 'glorot_uniform' if dtype.is_floating else 'zeros'
        make = tfk_named.get_initializer(initializer)
        trainable = trainable is not False
        v = tf.Variable(lambda: make(shape, dtype=dtype), dtype=dtype, name=name, trainable=trainable,
                        constraint=tfk_named.get_constraint(constraint), use_resource=True)
        (self._own_trainable if trainable else self._own_fixed).append(v)
        regularizer = tfk_named.get_regularizer(regularizer)
        if regularizer is not None:
            with tf.name_scope((name or 'variable') + '/Regularizer'):
                self._losses.append(regularizer(v))
        return v

    add_variable = add_weight

    def add_loss(self, losses, inputs=None):
        """Adds a term to the loss of the model."""
        self._losses.extend(losses if isinstance(losses, (list, tuple)) else [losses])

    def add_update(self, updates, inputs=None):
        """Adds an operation that each training step runs."""
        self._updates.extend(updates if isinstance(updates, (list, tuple)) else [updates])

    def add_metric(self, value, aggregation=None, name=None):
        """Adds a number that training reports."""
        self._metrics.append((name, value, aggregation))

    def get_updates_for(self, inputs):
        return list(self.updates)

    def get_losses_for(self, inputs):
        return list(self.losses)

    def count_params(self):
        """Returns the number of elements of all weights."""
        if not self.built:
            raise ValueError('You tried to call `count_params` on ' + self.name + ", but the layer isn't built. "
                             'You can build it manually via: `' + self.name + '.build(batch_input_shape)`.')
        return sum(int(np.prod(v.get_shape().as_list())) for v in self.weights)

    def get_weights(self):
        """Returns the values of the weights as arrays."""
        return _library.tfk_backend.batch_get_value(self.weights)

    def set_weights(self, weights):
        """Gives the weights the values of arrays, in the order of get_weights()."""
        have = self.weights
        if len(have) != len(weights):
            raise ValueError('You called `set_weights(weights)` on layer "%s" with a  weight list of length %s, but the '
                             'layer was expecting %s weights. Provided weights: %s...' %
                             (self.name, len(weights), len(have), str(weights)[:50]))
        for v, w in zip(have, weights):
            if tuple(v.get_shape().as_list()) != np.shape(w):
                raise ValueError('Layer weight shape %s not compatible with provided weight shape %s' %
                                 (tuple(v.get_shape().as_list()), np.shape(w)))
        _library.tfk_backend.batch_set_value(list(zip(have, weights)))

    def get_config(self):
        """Returns the arguments from which from_config() creates the same layer."""
        config = {'name': self.name, 'trainable': self._trainable}
        if '_batch_input_shape' in self.__dict__:
            config['batch_input_shape'] = self._batch_input_shape
        config['dtype'] = self._dtype or floatx()
        for key in self._keys:
            value = self._activity_regularizer if key == 'activity_regularizer' else getattr(self, key)
            if callable(value) or hasattr(value, 'get_config'):
                value = tfk_named.serialize_keras_object(value)
            config[key] = value
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def _call_arguments(self):
        if self._accepts is None:
            object.__setattr__(self, '_accepts', _arguments_of(self.call))
        return self._accepts

    def _build_once(self, inputs):
        if self.built:
            return
        flat = tf.nest.flatten(inputs)
        if self._dtype is None:
            kind = flat[0].dtype.base_dtype if flat else tf.float32
            object.__setattr__(self, '_dtype', kind.name if kind.is_floating or kind.is_complex else floatx())
        self.build(shapes_of(inputs))
        self.built = True
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _check_inputs(self, inputs):
        flat = tf.nest.flatten(inputs)
        for spec, x in zip(as_list(self.input_spec), flat):
            if isinstance(spec, InputSpec) and isinstance(x, tf.Tensor):
                spec.check(x, self)

    def _masks_of(self, inputs):
        masks = state().masks
        found = [masks.get(t.name) for t in tf.nest.flatten(inputs) if isinstance(t, tf.Tensor)]
        if all(m is None for m in found):
            return None
        return found if isinstance(inputs, (list, tuple)) else found[0]

    def _scope(self):
        return tf.name_scope(self._name)

    def __call__(self, inputs, *args, **kwargs):
        if '_own_trainable' not in self.__dict__:
            raise RuntimeError('You must call `super().__init__()` in the layer constructor of %s.' % type(self).__name__)
        inputs = tf.nest.map_structure(_tensor, inputs)
        accepts, given = self._call_arguments(), dict(kwargs)
        mask = self._masks_of(inputs)
        if 'mask' in accepts and mask is not None and kwargs.get('mask') is None:
            kwargs['mask'] = mask
        if 'training' in accepts:
            training = kwargs.get('training')
            if training is None:
                training = _training[-1] if _training else None
                kwargs['training'] = learning_phase() if training is None else training
            _training.append(training)
        try:
            with self._scope():
                self._check_inputs(inputs)
                self._build_once(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if outputs is None:
                    raise ValueError("A layer's `call` method should return a Tensor or a list of Tensors, not None "
                                     '(layer: ' + self.name + ').')
                outputs = self._distinct_outputs(inputs, outputs)
                if self._activity_regularizer is not None:
                    with tf.name_scope('ActivityRegularizer'):
                        for x in tf.nest.flatten(outputs):
                            self.add_loss(self._activity_regularizer(x) / tf.cast(tf.shape(x)[0], x.dtype))
        finally:
            if 'training' in accepts:
                _training.pop()
        self._record(inputs, args, given, outputs, kwargs.get('mask', mask))
        return outputs

    def _distinct_outputs(self, inputs, outputs):
        """Copies outputs that are inputs, so that each tensor has one layer that made it."""
        names = {t.name for t in tf.nest.flatten(inputs) if isinstance(t, tf.Tensor)}
        return tf.nest.map_structure(lambda t: tf.identity(t) if isinstance(t, tf.Tensor) and t.name in names else t,
                                     outputs)

    def _record(self, inputs, args, given, outputs, mask):
        node = Node(self, inputs, args, given, outputs)
        self._nodes.append(node)
        own = state()
        flat = [t for t in tf.nest.flatten(outputs) if isinstance(t, tf.Tensor)]
        for i, t in enumerate(flat):
            own.history[t.name] = (node, i)
        made = self.compute_mask(inputs, mask)
        if made is not None:
            for t, m in zip(flat, as_list(made)):
                if m is not None:
                    own.masks[t.name] = m

    apply = __call__

    def _at(self, what, index):
        if len(self._nodes) <= index:
            raise AttributeError('The layer %s has not been called%s, so its %s is not known.' %
                                 (self.name, ' so often' if self._nodes else '', what))
        return getattr(self._nodes[index], what + 's')

    def get_input_at(self, node_index):
        return self._at('input', node_index)

    def get_output_at(self, node_index):
        return self._at('output', node_index)

    def get_input_shape_at(self, node_index):
        return _plain(shapes_of(self._at('input', node_index)))

    def get_output_shape_at(self, node_index):
        return _plain(shapes_of(self._at('output', node_index)))

    input = property(lambda self: self._at('input', 0))
    output = property(lambda self: self._at('output', 0))
    input_shape = property(lambda self: self.get_input_shape_at(0))
    output_shape = property(lambda self: self.get_output_shape_at(0))
    input_mask = property(lambda self: self._masks_of(self.input))
    output_mask = property(lambda self: self._masks_of(self.output))


def _plain(shapes):
    if isinstance(shapes, list):
        return [_plain(s) for s in shapes]
    return None if shapes.ndims is None else tuple(shapes.as_list())


def _distinct(variables):
    out, names = [], set()
    for v in variables:
        if v.name not in names:
            names.add(v.name)
            out.append(v)
    return out


class InputLayer(Layer):
    """The layer of a placeholder."""

    def __init__(self, input_shape=None, batch_size=None, dtype=None, input_tensor=None, sparse=False, name=None,
                 **kwargs):
        shape = kwargs.pop('batch_input_shape', None)
        if shape is None and input_shape is not None:
            shape = (batch_size,) + tuple(input_shape)
        super(InputLayer, self).__init__(name=name or unique_name('input'), **kwargs)
        self._dtype = tf.as_dtype(dtype or (floatx() if input_tensor is None else input_tensor.dtype)).name
        self.sparse, self.built, self.supports_masking = sparse, True, True
        if input_tensor is None:
            with tf.name_scope(None):
                input_tensor = tf.placeholder(tf.as_dtype(self._dtype), shape, name=self._name)
            self.is_placeholder = True
        else:
            self.is_placeholder = False
        self._batch_input_shape = tuple(input_tensor.get_shape().as_list())
        self._record([], (), {}, input_tensor, None)

    def get_config(self):
        return {'batch_input_shape': self._batch_input_shape, 'dtype': self._dtype, 'sparse': self.sparse,
                'name': self.name}


def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=False, tensor=None, batch_shape=None, **kwargs):
    """Returns a placeholder from which a model begins."""
    batch_shape = batch_shape if batch_shape is not None else kwargs.pop('batch_input_shape', None)
    for unknown in kwargs:
        raise ValueError('Unrecognized keyword arguments:', unknown)
    if batch_shape is None:
        if shape is None and tensor is None:
            raise ValueError('Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` does '
                             'not include the batch dimension.')
        batch_shape = None if shape is None else (batch_size,) + tuple(tf.TensorShape(shape).as_list())
    layer = InputLayer(batch_input_shape=batch_shape, name=name, dtype=dtype, sparse=sparse, input_tensor=tensor)
    return layer.output
