"""Builds the graph of a Keras model from its config: layers, their weights, and the nodes that connect them.

The node that computes the output of a layer has the layer's name, its weights are NAME/kernel and so on, and the other
nodes are in the name scope NAME. The second call of a shared layer is NAME/call_1.
"""
from _library.keras_rules import RULES, Refused, as_list, dtype_of, legal, snake
from _library import keras_attention, keras_conv, keras_core, keras_norm, keras_ops, keras_pools, keras_preprocessing
from _library import keras_recurrent, keras_reshape

_NETWORKS = ('Functional', 'Sequential', 'Model')
_DEEPEST, _MOST_CALLS = 32, 20000
_FAILURES = (Refused, ValueError, TypeError, NotImplementedError, IndexError, KeyError, AttributeError, ZeroDivisionError,
             OverflowError, tf.errors.OpError)

for _file in (keras_attention, keras_conv, keras_core, keras_norm, keras_ops, keras_pools, keras_preprocessing,
              keras_recurrent, keras_reshape):
    _file.layer  # a file is loaded when one of its names is first used


class Builder(object):
    """What the layers of a model share: its file, the masks of its tensors, and what could not be built."""

    def __init__(self, prefix, version, assets=None):
        self.prefix, self.version, self.assets = prefix, version, assets or (lambda path: None)
        self.masks, self.refused, self.variables, self.calls, self.depth = {}, [], [], 0, 0
        self.broken, self.tables = {}, []

    def refuse(self, layer, reason, blocked_by=None):
        message = "layer '%s' (%s): %s" % (layer.name, layer.kind, reason.rstrip('.'))
        self.refused.append((layer, message, blocked_by))
        return message


def _config_of(spec):
    config = spec.get('config') if isinstance(spec, dict) else None
    if not isinstance(config, dict) or not isinstance(spec.get('class_name'), str):
        raise ValueError('its config is not that of a model: a layer has no class_name or no config')
    return config


class Layer(object):
    """A layer of a model: its config, weights and inner layers."""

    def __init__(self, builder, kind, config, path, trainable=True):
        self.builder, self.kind, self.config, self.path = builder, kind, config, path
        self.version, self.name = builder.version, path[len(builder.prefix):]
        self.trainable = bool(trainable and config.get('trainable', True))
        self.rule, self.called = RULES.get(kind), 0
        self.group, self.asset_path = None, None  # the places of weights and of assets in an archive
        self.tensors, self.outputs, self.inner_layers, self.data = {}, [], {}, {}
        self.updates = []  # the nodes that change its state
        self.why_not, self.why_unknown = '', 'its class is not one of Keras, and its code is not in the file'
        try:
            self.dtype, self.variable_dtype = dtype_of(config)
            self.names = list(self.rule.weights(self)) if self.rule and self.rule.weights else []
            made = self.rule.children(self) if self.rule and self.rule.children else []
            self.children = dict(made)
        except _FAILURES as e:
            self.why_not, self.names, self.children = str(e), [], {}
            self.dtype = self.variable_dtype = tf.float32

    def get(self, key, default=None):
        value = self.config.get(key)
        return default if value is None else value

    def child(self, kind, config, name):
        return Layer(self.builder, kind, config, self.path + '/' + legal(name), self.trainable)

    def child_of(self, spec, name=None):
        """Returns the layer or network of a config within this one."""
        config = _config_of(spec)
        name = legal(name or config.get('name') or snake(spec['class_name']))
        return make(self.builder, spec, self.path + '/' + name, self.trainable)

    def inner(self, kind, config):
        """Returns the function of a layer without weights."""
        made = Layer(self.builder, kind, dict(config), self.path)
        if made.names or made.why_not:
            raise Refused(made.why_not or 'a layer with weights cannot be an activation')
        made.dtype = self.dtype
        return lambda *args: made.rule.f(made, *args)

    def with_children(self):
        """Returns this layer and its inner ones."""
        return [self] + [found for child in self.children.values() for found in child.with_children()]

    # ---- weights ----

    def all_weights(self):
        """Returns [(layer, name, whether it is trainable)] of this layer and its inner ones."""
        found = [(self, name.lstrip('-'), self.trainable and name[:1] != '-') for name in self.names]
        for child in self.children.values():
            found += child.all_weights()
        return found

    def weight_shape(self, name):
        return self.data[name].shape if name in self.data else None

    def create_variables(self):
        """Adds the variables of this layer and its inner ones, with the values of the file."""
        for name in self.names:
            trainable = self.trainable and name[:1] != '-'
            name = name.lstrip('-')
            if name in self.data:
                value = self.data[name].read()
                kind = self.variable_dtype if value.dtype.kind == 'f' or value.dtype.name == 'bfloat16' else None
                made = tf.Variable(tf.constant(value, kind, name=self.path + '/' + name + '/initial_value/'),
                                   trainable=trainable, name=self.path + '/' + name)
                self.tensors[name] = made
                self.builder.variables.append(made)
        for child in self.children.values():
            child.create_variables()

    def has(self, name):
        return name in self.tensors

    def w(self, name):
        """Returns a weight in the dtype of the computation."""
        if name not in self.tensors:
            raise Refused("its weight '%s' is not in the file" % name)
        x = tf.convert_to_tensor(self.tensors[name])
        return tf.cast(x, self.dtype) if x.dtype.is_floating and x.dtype != self.dtype else x

    def state(self, name, shape):
        """Returns a variable that keeps its value from run to run, and begins with zeros."""
        if name not in self.tensors:
            with tf.control_dependencies(None), tf.name_scope(self.path + '/'):
                self.tensors[name] = tf.Variable(tf.zeros(shape, self.dtype), trainable=False, use_resource=True, name=name)
            self.builder.variables.append(self.tensors[name])
        return self.tensors[name]

    def parameters(self):
        """Returns the number of elements of all weights."""
        total = 0
        for layer, name, _ in self.all_weights():
            count = 1
            for d in layer.weight_shape(name) or [0]:
                count *= d
            total += count
        return total

    # ---- masks ----

    def mask(self, x):
        return self.builder.masks.get(x.name) if isinstance(x, tf.Tensor) else None

    def set_mask(self, x, mask):
        if mask is not None:
            self.builder.masks[x.name] = mask

    # ---- calls ----

    def cast(self, x):
        """Returns a value with floats in the dtype of the computation."""
        if isinstance(x, (list, tuple)):
            return [self.cast(v) for v in x]
        if isinstance(x, dict):
            return {k: self.cast(v) for k, v in x.items()}
        if isinstance(x, tf.Tensor) and x.dtype.is_floating and x.dtype != self.dtype and self.dtype.is_floating:
            y = tf.cast(x, self.dtype)
            self.set_mask(y, self.mask(x))
            return y
        return x

    def apply(self, *args, **kwargs):
        """Applies the rule within a layer that already has a name scope. Returns what the rule returns."""
        if self.why_not or self.rule is None:
            raise Refused(self.why_not or self.why_unknown)
        args = [self.cast(a) for a in args] if not self.rule_is_op() else list(args)
        if 'mask' in kwargs and not self.rule_is_op():
            for x, mask in zip(tf.nest.flatten(args[0]), as_list(kwargs.pop('mask'))):
                self.set_mask(x, mask)
        made = self.rule.f(self, *args, **kwargs)
        if self.rule.keeps_mask:
            source = as_list(args[0])[0] if args else None
            for y in as_list(made)[:1]:
                if isinstance(y, tf.Tensor) and self.mask(y) is None:
                    self.set_mask(y, self.mask(source))
        return made

    def rule_is_op(self):
        return self.kind.startswith('op:') or self.kind in ('InputLayer', 'TFOpLambda', 'SlicingOpLambda')

    def call(self, args, kwargs, shapes=()):
        """Adds a call of the layer. Returns the list of its outputs, which have the layer's name."""
        builder = self.builder
        builder.calls += 1
        if builder.calls > _MOST_CALLS:
            raise ValueError('it has more than %d calls of layers' % _MOST_CALLS)
        path = self.path if self.called == 0 else '%s/call_%d' % (self.path, self.called)
        self.called += 1
        blocked = _first_broken(builder, [args, kwargs])
        try:
            with tf.name_scope(path + '/'):
                made = self.apply(*args, **kwargs)
            outputs = self._named([y for y in tf.nest.flatten(made)], path)
        except _FAILURES as e:
            message = builder.refuse(self, str(e) or type(e).__name__, blocked)
            stop = "%s. Layer '%s' depends on it" % (blocked, self.name) if blocked else message
            outputs = [_unsupported(path, stop, shape, i) for i, shape in enumerate(shapes or [None])]
            for y in outputs:
                builder.broken[y.name] = blocked or message
            blocked = None
        if blocked:
            for y in outputs:
                builder.broken[y.name] = blocked
        self.outputs = self.outputs or outputs
        return outputs

    def _named(self, values, path):
        made = [tf.convert_to_tensor(y) for y in values]
        if len(made) == 1:
            named = [tf.identity(made[0], name=path + '/')]
        else:
            named = list(tf.raw_ops.IdentityN(input=made, name=path + '/'))
        for y, x in zip(named, made):
            y.set_shape(x.shape)
            self.set_mask(y, self.mask(x))
        return named


def _first_broken(builder, values):
    for x in tf.nest.flatten(values):
        if isinstance(x, tf.Tensor) and x.name in builder.broken:
            return builder.broken[x.name]
    return None


def _unsupported(path, message, shape, number):
    dtype, extents = shape or (tf.float32, None)
    return tf.raw_ops.Unsupported(dtype=dtype, shape=tf.TensorShape(extents), message=message + '. To go on without it, feed '
                                  'the output: feed %s=...' % path, name=path + ('/' if number == 0 else '/output_%d/' % number))


def make(builder, spec, path, trainable=True):
    """Returns the Layer or Network of a config."""
    config, kind = _config_of(spec), spec['class_name']
    if kind in _NETWORKS and isinstance(config.get('layers'), list) or isinstance(config.get('layers'), list) and \
            config['layers'] and 'class_name' in config['layers'][0] and kind not in RULES:
        builder.depth += 1
        if builder.depth > _DEEPEST:
            raise ValueError('its models nest more than %d deep' % _DEEPEST)
        try:
            return Network(builder, kind, config, path, trainable)
        finally:
            builder.depth -= 1
    module = spec.get('module') or ''
    if 'keras.src.ops' in module or module.startswith('keras.ops') or builder.version >= 3 and not module and (
            'trainable' not in config and 'op:' + kind in RULES):
        kind = 'op:' + kind
    elif 'module' in spec and not module.startswith(('keras', 'tf_keras')) and kind in RULES:
        kind = str(spec.get('registered_name') or module + '.' + kind)  # a class of the user's with the name of one of Keras
    made = Layer(builder, kind, config, path, trainable)
    if kind[:3] == 'op:' or 'keras' in module.split('.')[0]:
        made.why_unknown = 'this %s of Keras is not supported' % ('operation' if kind[:3] == 'op:' else 'layer')
    return made


class Network(Layer):
    """A model: layers, and the nodes that connect them."""

    def __init__(self, builder, kind, config, path, trainable=True):
        super(Network, self).__init__(builder, 'Network', config, path, trainable)
        self.why_not, self.class_name = '', kind
        self.is_sequential = 'input_layers' not in config
        prefix = path + '/' if path != builder.prefix else path
        self.layers, self.specs = [], [s for s in config['layers'] if isinstance(s, dict)]
        for spec in self.specs:
            name = spec.get('name') or _config_of(spec).get('name') or snake(spec['class_name'])
            made = make(builder, spec, prefix + legal(name), self.trainable)
            made.key, made.spec = name, spec
            self.layers.append(made)
        self.by_key = {made.key: made for made in self.layers}

    def all_weights(self):
        return [w for made in self.layers for w in made.all_weights()]

    def create_variables(self):
        for made in self.layers:
            made.create_variables()

    def leaves(self, above=''):
        """Yields (layer, its name within the model) of all layers that are not networks."""
        for made in self.layers:
            if isinstance(made, Network):
                for found in made.leaves(above + made.key + '/'):
                    yield found
            else:
                yield made, above + made.key

    def apply(self, *args, **kwargs):
        """Runs the network on its inputs."""
        inputs = self._in_order(args[0] if len(args) == 1 else list(args))
        return self._sequence(inputs[0]) if self.is_sequential else self._graph(inputs)

    def call(self, args, kwargs, shapes=()):
        if kwargs.get('mask') is not None:
            self.set_mask(as_list(args[0])[0], kwargs['mask'])
        self.called += 1
        made = [y for y in tf.nest.flatten(self.apply(*args))]
        self.outputs = self.outputs or made
        return made

    def _in_order(self, inputs):
        if isinstance(inputs, dict):
            names = self.input_names()
            return [inputs[k] for k in names] if all(k in inputs for k in names) else [inputs[k] for k in sorted(inputs)]
        return as_list(inputs)

    # ---- sequential ----

    def _sequence(self, x):
        for made in self.layers:
            if made.kind != 'InputLayer':
                x = made.call([x], {})
                x = x[0] if len(x) == 1 else x
        return x

    def first_shape(self):
        """Returns (shape, dtype, name) of the input of a sequential model."""
        config = self.layers[0].config if self.layers else {}
        shape = config.get('batch_shape') or config.get('batch_input_shape')
        shape = shape or self.config.get('build_input_shape')
        if shape is None and self.layers and isinstance(self.layers[0], Network):
            return self.layers[0].first_input()
        if shape is None:
            shape = ((self.layers[0].spec.get('build_config') or {}) if self.layers else {}).get('input_shape')
        if shape is None:
            raise ValueError('its config does not say the shape of its input: it was saved before the model was built')
        kind = self.layers[0].kind
        dtype = config.get('dtype') if kind == 'InputLayer' and isinstance(config.get('dtype'), str) else 'float32'
        if kind == 'Embedding':
            dtype = 'int32'
        name = self.layers[0].key if kind == 'InputLayer' else self.layers[0].key + '_input'
        return shape, dtype, name

    def first_input(self):
        return self.first_shape() if self.is_sequential else self.input_shapes()[0]

    # ---- functional ----

    def input_names(self):
        return [key for key, _, _ in _ends(self.config['input_layers'])]

    def output_rows(self):
        """Returns [(name, layer, node, tensor)] of the outputs."""
        given, found = self.config['output_layers'], []
        named = given if isinstance(given, dict) and 'class_name' not in given else None
        rows = _ends(given)
        for i, (key, node, tensor) in enumerate(rows):
            name = sorted(named)[i] if named and len(named) == len(rows) else key
            while name in [row[0] for row in found]:
                name += '_1'
            found.append((name, key, node, tensor))
        return found

    def input_shapes(self):
        """Returns [(shape, dtype, name)] of the inputs."""
        found = []
        for name in self.input_names():
            if name not in self.by_key:
                raise ValueError("its input layer '%s' does not exist" % name)
            config = self.by_key[name].config
            shape = config.get('batch_shape') or config.get('batch_input_shape')
            if not isinstance(shape, list):
                raise ValueError("its input layer '%s' has no shape" % name)
            dtype = config.get('dtype') or 'float32'
            found.append((shape, dtype if isinstance(dtype, str) else 'float32', name))
        return found

    def _graph(self, inputs):
        values, shapes = {}, _shapes_of(self.specs)
        first = self._first_nodes()
        for name, x in zip(self.input_names(), inputs):
            values[name, 0] = [x]
        todo = []
        for made in self.layers:
            if (made.key, 0) not in values:
                todo += [(made, i, node) for i, node in enumerate(made.spec.get('inbound_nodes') or [])]
        while todo:
            later = []
            for row in todo:
                if not self._node(row, values, shapes, first):
                    later.append(row)
            if len(later) == len(todo):
                raise ValueError("the inputs of layer '%s' do not exist, or its nodes form a circle" % later[0][0].name)
            todo = later
        rows, found = self.output_rows(), []
        for _, key, node, tensor in rows:
            made = values.get((key, node - first.get(key, 0)))
            if made is None or tensor >= len(made):
                raise ValueError("its output, number %s of layer '%s', does not exist" % (tensor, key))
            found.append(made[tensor])
        return found

    def _node(self, row, values, shapes, first):
        """Adds a call of a layer if its inputs are known. Returns false otherwise."""
        made, number, node = row
        missing = []
        if number and (made.key, number - 1) not in values:
            return False

        def find(key, index, tensor):
            found = values.get((key, index - first.get(key, 0)))
            if found is None:
                missing.append(key)
                return None
            if tensor >= len(found):
                raise ValueError("layer '%s' has no output %d" % (key, tensor))
            return found[tensor]
        args, kwargs = _arguments(node, find, made.kind)
        if missing:
            return False
        index = number + first.get(made.key, 0)
        count = 1 + max([t for k, i, t in shapes if (k, i) == (made.key, index)] or [0])
        values[made.key, number] = made.call(args, kwargs, [shapes.get((made.key, index, t)) for t in range(count)])
        return True

    def _first_nodes(self):
        """Returns the number of the first node of each inner model. It is 1 if Keras counts the one that the model was
        built with."""
        used = {}

        def find(key, index, tensor):
            used[key] = min(index, used.get(key, index))
        for made in self.layers:
            for node in made.spec.get('inbound_nodes') or []:
                _arguments(node, find, made.kind)
        for _, key, node, _ in self.output_rows():
            find(key, node, 0)
        return {made.key: used.get(made.key, 0) for made in self.layers if isinstance(made, Network)}


def _ends(given):
    """Returns [(layer, node, tensor)] of input_layers or output_layers: one, a list or a dict of them."""
    if isinstance(given, dict):
        return [row for key in sorted(given) for row in _ends(given[key])]
    if isinstance(given, list) and len(given) == 3 and isinstance(given[0], str):
        return [tuple(given)]
    if not isinstance(given, list):
        raise ValueError('its inputs or outputs are not a list')
    return [row for part in given for row in _ends(part)]


def _shapes_of(specs):
    """Returns {(layer, node, tensor): (dtype, shape)} as Keras 3 notes them where the tensors are used."""
    found = {}

    def walk(value):
        if isinstance(value, dict):
            config = value.get('config')
            if value.get('class_name') == '__keras_tensor__' and isinstance(config, dict):
                key = config.get('keras_history')
                try:
                    found[tuple(key)] = (tf.as_dtype(config.get('dtype') or 'float32'), config.get('shape'))
                except TypeError:
                    pass
            else:
                for v in value.values():
                    walk(v)
        elif isinstance(value, list):
            for v in value:
                walk(v)
    for spec in specs:
        walk(spec.get('inbound_nodes') or [])
    return found


def _constant(config):
    value = np.array(config.get('value'))
    return value.astype(config['dtype']) if isinstance(config.get('dtype'), str) else value


def _value(value, find):
    """Converts an argument of a node of Keras 3."""
    if isinstance(value, list):
        return [_value(v, find) for v in value]
    if not isinstance(value, dict):
        return value
    kind, config = value.get('class_name'), value.get('config')
    if kind == '__keras_tensor__':
        return find(*config['keras_history'])
    if kind == '__slice__':
        return slice(*[_value(config.get(k), find) for k in ('start', 'stop', 'step')])
    if kind == '__ellipsis__':
        return Ellipsis
    if kind in ('__tensor__', '__numpy__'):
        return _constant(config)
    if kind == '__tuple__':
        return tuple(_value(v, find) for v in value.get('items', config or []))
    if kind in ('Dtype', 'DType', '__dtype__') and isinstance(config, str):
        return config
    return {k: _value(v, find) for k, v in value.items()}


def _is_history(value):
    return isinstance(value, list) and len(value) in (3, 4) and isinstance(value[0], str) and \
        all(isinstance(v, int) and not isinstance(v, bool) for v in value[1:3])


def _old_value(value, find):
    """Converts an argument of a node of Keras 2, where a tensor is [layer, node, tensor]."""
    if isinstance(value, list) and value[:1] == ['_CONSTANT_VALUE']:
        return value[2]
    if _is_history(value):
        return find(value[0], value[1], value[2])
    if isinstance(value, list):
        return [_old_value(v, find) for v in value]
    if isinstance(value, dict):
        if set(value) >= {'start', 'stop', 'step'}:
            return slice(*[_old_value(value[k], find) for k in ('start', 'stop', 'step')])
        if value.get('class_name') in ('__tensor__', '__numpy__', '__slice__', '__ellipsis__'):
            return _value(value, find)
        return {k: _old_value(v, find) for k, v in value.items()}
    return value


def _arguments(node, find, kind):
    """Returns the arguments and the named arguments of a node of either version."""
    if isinstance(node, dict) and 'args' in node:
        args, kwargs = _value(node['args'], find), _value(node.get('kwargs') or {}, find)
    else:
        args, kwargs = _old_arguments(node, find)
    return args, {k: v for k, v in kwargs.items() if v is not None and not (k == 'training' and kind[:3] != 'op:')}


def _old_arguments(node, find):
    if isinstance(node, dict):
        return [{k: _old_value(v[:3], find) for k, v in node.items()}], {}
    rows = [node] if node and isinstance(node[0], str) else node
    if not isinstance(rows, list) or not rows:
        raise ValueError('a node of a layer has no inputs')
    tensors, kwargs = [], {}
    for row in rows:
        if not isinstance(row, list) or len(row) < 3:
            raise ValueError('an input of a layer is not [layer, node, tensor]')
        tensors.append(_old_value(row[:3], find))
        if len(row) > 3 and isinstance(row[3], dict):
            kwargs.update({k: _old_value(v, find) for k, v in row[3].items() if k != 'name'})
    return [tensors[0] if len(tensors) == 1 else tensors], kwargs
