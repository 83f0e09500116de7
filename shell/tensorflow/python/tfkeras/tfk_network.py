"""tf.keras: models as graphs of layers. Sequential and functional models, and subclasses of Model."""
import json
import _library
from _library.layers import _snake_case
from _library.tfk_base import Layer, Node, InputLayer, Input, as_list, shapes_of, _distinct
from _library.tfk_state import state, unique_name, floatx


class TensorFlowOpLayer(Layer):
    """The ops of TensorFlow between the outputs of layers and a tensor."""

    def __init__(self, output, inputs, operations, **kwargs):
        super(TensorFlowOpLayer, self).__init__(
            name='tf_op_layer_' + output.op.name.replace('/', '_'), **kwargs)
        self._target, self._sources, self._operations = output, inputs, operations
        self.built = True

    def call(self, inputs):
        graph_def = tf.GraphDef()
        for op in self._operations:
            graph_def.node.add().CopyFrom(op.node_def)
        mapped = dict((source.name, x) for source, x in zip(self._sources, as_list(inputs)))
        return tf.import_graph_def(graph_def, input_map=mapped, return_elements=[self._target.name], name='op')[0]

    def get_config(self):
        raise NotImplementedError('The model contains the op %s between layers, which a config cannot hold. Put the '
                                  'computation into a Lambda layer.' % self._target.op.name)


def _adopt(tensor):
    """Makes a layer of the ops that made a tensor from the outputs of layers. Returns its node, or None."""
    own = state(tensor.graph)
    sources, operations, seen, todo = [], [], set(), [tensor]
    while todo:
        t = todo.pop()
        op = t.op
        if t.name in own.history and t is not tensor:
            if not any(t is s for s in sources):
                sources.append(t)
        elif op.name not in seen:
            seen.add(op.name)
            operations.append(op)
            todo.extend(op.inputs)
    if not sources:
        return None
    operations.sort(key=lambda op: op._id)
    layer = TensorFlowOpLayer(tensor, sources, operations)
    node = Node(layer, sources if len(sources) > 1 else sources[0], (), {}, tensor)
    layer._nodes.append(node)
    own.history[tensor.name] = (node, 0)
    return node


def _node_of(tensor, what='output'):
    own = state(tensor.graph)
    if tensor.name in own.history:
        return own.history[tensor.name][0]
    node = _adopt(tensor)
    if node is None:
        raise ValueError('Output tensors to a Model must be the output of a TensorFlow `Layer` (thus holding past layer '
                         'metadata). Found: ' + str(tensor))
    return node


def _map_network(inputs, outputs):
    """Returns the nodes between inputs and outputs in an order in which they can run, and their depths."""
    starts = {t.name for t in inputs}
    order, finished, running, depth = [], set(), set(), {}
    stack = [(_node_of(t), False) for t in reversed(outputs)]
    while stack:
        node, done = stack.pop()
        key = id(node)
        if done:
            running.discard(key)
            finished.add(key)
            order.append(node)
            continue
        if key in finished:
            continue
        if key in running:
            raise ValueError('The graph of layers has a cycle at the layer "' + node.layer.name + '".')
        running.add(key)
        stack.append((node, True))
        if any(t.name in starts for t in tf.nest.flatten(node.outputs)):
            continue
        if not node.flat_inputs:
            raise ValueError('Graph disconnected: cannot obtain value for tensor %s at layer "%s". The following '
                             'previous layers were accessed without issue: %s' %
                             (node.outputs, node.layer.name, [n.layer.name for n in order]))
        for t in reversed(node.flat_inputs):
            before = _node_of(t)
            if id(before) not in finished:
                stack.append((before, False))
    for node in reversed(order):
        here = depth.setdefault(id(node), 0)
        if any(t.name in starts for t in tf.nest.flatten(node.outputs)):
            continue
        for t in node.flat_inputs:
            before = id(_node_of(t))
            depth[before] = max(depth.get(before, 0), here + 1)
    return order, depth


class Network(Layer):
    """A graph of layers, which is itself a layer."""

    def __init__(self, *args, **kwargs):
        inputs = kwargs.pop('inputs', args[0] if args else None)
        outputs = kwargs.pop('outputs', args[1] if len(args) > 1 else None)
        name = kwargs.pop('name', args[2] if len(args) > 2 else None)
        super(Network, self).__init__(name=name, **kwargs)
        self._start_network()
        if inputs is not None and outputs is not None:
            self._init_graph(inputs, outputs)

    def _unique_name(self):
        base = 'model' if type(self).__name__ in ('Model', 'Network') else _snake_case(type(self).__name__)
        return unique_name(base, zero_based=True)

    def _start_network(self):
        own = self.__dict__
        own['_is_graph'], own['inputs'], own['outputs'], own['_nested_inputs'] = False, None, None, None
        own['_order'], own['input_names'], own['output_names'] = [], [], []

    def _init_graph(self, inputs, outputs):
        own = self.__dict__
        own['_nested_inputs'], own['_nested_outputs'] = inputs, outputs
        own['inputs'], own['outputs'] = list(tf.nest.flatten(inputs)), list(tf.nest.flatten(outputs))
        for t in self.inputs:
            if not isinstance(t, tf.Tensor):
                raise ValueError('Input tensors to a Model must come from `tf.keras.Input`. Received: %r' % (t,))
            if t.name not in state(t.graph).history:
                InputLayer(input_tensor=t, name=t.op.name.replace('/', '_'))
        for t in self.outputs:
            if not isinstance(t, tf.Tensor):
                raise ValueError('Output tensors to a Model must be tensors that layers returned. Received: %r' % (t,))
        order, depth = _map_network(self.inputs, self.outputs)
        own['_order'] = order
        ranked, seen = [], {}
        for node in order:
            here = id(node.layer)
            if here not in seen:
                seen[here] = [len(ranked), node.layer, depth[id(node)]]
                ranked.append(seen[here])
            seen[here][2] = max(seen[here][2], depth[id(node)])
        first = {id(_node_of(t).layer): i - len(self.inputs) for i, t in enumerate(self.inputs)}
        ranked.sort(key=lambda r: (-r[2], first.get(id(r[1]), r[0])))
        layers = [r[1] for r in ranked]
        names = [layer.name for layer in layers]
        for n in names:
            if names.count(n) > 1:
                raise ValueError('The name "%s" is used %d times in the model. All layer names should be unique.' %
                                 (n, names.count(n)))
        own['_layers'] = layers
        own['_is_graph'] = own['built'] = True
        own['input_names'] = [_node_of(t).layer.name for t in self.inputs]
        self._name_outputs()
        self._nodes.append(Node(self, inputs, (), {}, outputs))

    def _name_outputs(self):
        names, counts = [], {}
        for t in self.outputs:
            name = _node_of(t).layer.name
            counts[name] = counts.get(name, 0) + 1
            names.append(name if counts[name] == 1 else name + '_' + str(counts[name] - 1))
        object.__setattr__(self, 'output_names', names)

    layers = property(lambda self: list(self._layers))
    input = property(lambda self: self._nested_inputs if self._is_graph else self._at('input', 0))
    output = property(lambda self: self._nested_outputs if self._is_graph else self._at('output', 0))

    @property
    def weights(self):
        return _distinct([w for layer in self._layers for w in layer.weights] + self._own_trainable + self._own_fixed)

    def get_layer(self, name=None, index=None):
        """Returns a layer by its name or its number."""
        if index is not None:
            if not -len(self.layers) <= index < len(self.layers):
                raise ValueError('Was asked to retrieve layer at index %s but model only has %s layers.' %
                                 (index, len(self.layers)))
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        near = _library.did_you_mean(str(name), [layer.name for layer in self.layers])
        raise ValueError('No such layer: %s. Existing layers are: %s%s' %
                         (name, ', '.join(layer.name for layer in self.layers), '; ' + near if near else '.'))

    def compute_mask(self, inputs, mask=None):
        return None

    def call(self, inputs, training=None, mask=None):
        if not self._is_graph:
            raise NotImplementedError('When subclassing the `Model` class, you should implement a `call` method.')
        values = dict(zip([t.name for t in self.inputs], tf.nest.flatten(inputs)))

        def known(x):
            return values.get(x.name, x) if isinstance(x, tf.Tensor) else x

        for node in self._order:
            flat = tf.nest.flatten(node.outputs)
            if all(t.name in values for t in flat):
                continue
            args = [tf.nest.map_structure(known, a) for a in node.args]
            kwargs = {k: tf.nest.map_structure(known, v) for k, v in node.kwargs.items()}
            if 'training' in node.layer._call_arguments() and 'training' not in kwargs and training is not None:
                kwargs['training'] = training
            made = node.layer(tf.nest.map_structure(known, node.inputs), *args, **kwargs)
            values.update(zip([t.name for t in flat], tf.nest.flatten(made)))
        return tf.nest.map_structure(lambda t: values[t.name], self._nested_outputs)

    def _record(self, inputs, args, given, outputs, mask):
        if self._is_graph:
            masks = state().masks
            for t, m in zip(tf.nest.flatten(outputs), [masks.get(t.name) for t in tf.nest.flatten(outputs)]):
                masks[t.name] = m
        super(Network, self)._record(inputs, args, given, outputs, None)

    def build(self, input_shape):
        """Creates the weights of a subclassed or Sequential model for a shape of inputs."""
        if self._is_graph or self.built:
            return
        if type(self).call is Network.call:
            raise NotImplementedError('When subclassing the `Model` class, you should implement a `call` method.')

    def build_for(self, input_shape):
        many = isinstance(input_shape, list) and input_shape and isinstance(input_shape[0], (list, tuple))
        x = [tf.placeholder(floatx(), s) for s in input_shape] if many else tf.placeholder(floatx(), input_shape)
        self(x)

    def _build_once(self, inputs):
        if not self.built:
            if type(self).build is not Network.build:
                self.build(shapes_of(inputs))
            object.__setattr__(self, 'built', True)

    def get_config(self):
        if not self._is_graph:
            raise NotImplementedError('The model %s is defined by Python code, so it has no config. Save its weights: '
                                      "model.save_weights('weights.h5')" % type(self).__name__)
        return _library.tfk_saving.network_config(self)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return _library.tfk_saving.network_from_config(cls, config, custom_objects)

    def reset_states(self):
        """Sets the states of recurrent layers to 0."""
        for layer in self.layers:
            if getattr(layer, 'stateful', False) and hasattr(layer, 'reset_states'):
                layer.reset_states()

    state_updates = property(lambda self: [u for layer in self.layers if layer.stateful for u in layer.updates])

    def summary(self, line_length=None, positions=None, print_fn=None):
        """Prints a table of the layers."""
        if not self.built:
            raise ValueError('This model has not yet been built. Build the model first by calling `build()` or calling '
                             '`fit()` with some data, or specify an `input_shape` argument in the first layer(s) for '
                             'automatic build.')
        _library.tfk_summary.print_summary(self, line_length, positions, print_fn or print)

    def save(self, filepath, overwrite=True, include_optimizer=True, save_format=None, **kwargs):
        """Writes the model, its weights and its optimizer to an HDF5 file."""
        _library.tfk_saving.save_model(self, filepath, overwrite, include_optimizer)

    def save_weights(self, filepath, overwrite=True, save_format=None):
        """Writes the weights to an HDF5 file, or to a checkpoint if the name does not end with .h5."""
        _library.tfk_saving.save_weights(self, filepath, save_format)

    def load_weights(self, filepath, by_name=False, skip_mismatch=False):
        """Reads weights that save_weights() or save() wrote."""
        return _library.tfk_saving.load_weights(self, filepath, by_name, skip_mismatch)

    def to_json(self, **kwargs):
        """Returns the architecture as JSON."""
        return json.dumps({'class_name': type(self).__name__, 'config': _library.tfk_saving._plain(self.get_config()),
                           'keras_version': '2.2.4-tf', 'backend': 'tensorflow'}, **kwargs)
