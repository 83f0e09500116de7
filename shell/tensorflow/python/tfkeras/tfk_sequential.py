"""tf.keras.Sequential: a stack of layers."""
import _library
from _library.tfk_base import Layer, Input, as_list
from _library.tfk_network import Network
from _library.tfk_training import Model


class Sequential(Model):
    """A stack of layers."""

    def __init__(self, layers=None, name=None):
        super(Sequential, self).__init__(name=name)
        for layer in layers or []:
            self.add(layer)

    layers = property(lambda self: [layer for layer in self._layers if type(layer).__name__ != 'InputLayer'])

    def _first_shape(self, layer):
        while isinstance(layer, Network) and '_batch_input_shape' not in layer.__dict__ and layer._layers:
            if layer._is_graph:
                return tuple(layer.inputs[0].get_shape().as_list()), layer.inputs[0].dtype
            layer = layer._layers[0]
        return layer.__dict__.get('_batch_input_shape'), layer._dtype

    def add(self, layer):
        """Adds a layer at the end."""
        if not isinstance(layer, Layer):
            raise TypeError('The added layer must be an instance of class Layer. Found: ' + str(layer))
        if self._stack_is_empty():
            if type(layer).__name__ == 'InputLayer':
                self._layers.append(layer)
                self._put(layer.output, layer.output)
                return
            shape, dtype = self._first_shape(layer)
            if shape is not None:
                x = Input(batch_shape=shape, dtype=dtype, name=layer.name + '_input')
                self._layers.append(_library.tfk_network._node_of(x).layer)
                self._put(x, layer(x), layer)
                return
        if self.outputs is not None:
            self._put(self.inputs[0], layer(self.outputs[0]), layer)
        else:
            self._layers.append(layer)

    def _stack_is_empty(self):
        return not self._layers

    def _put(self, x, output, layer=None):
        if isinstance(output, (list, tuple)):
            raise TypeError('All layers in a Sequential model should have a single output tensor. For multi-output '
                            'layers, use the functional API.')
        own = self.__dict__
        own['inputs'], own['outputs'], own['_nested_inputs'], own['_nested_outputs'] = [x], [output], x, output
        if layer is not None:
            self._layers.append(layer)
        kept = list(self._layers)
        self._nodes[:] = []
        self._init_graph(x, output)
        own['_layers'] = kept
        own['_steps'] = {}
        if self._compiled is not None:
            self._set_losses()

    def pop(self):
        """Removes the last layer."""
        if not self.layers:
            raise TypeError('There are no layers in the model.')
        own = self.__dict__
        own['_layers'].pop()
        if self.outputs is None:
            return
        if not self.layers:
            own['outputs'] = own['inputs'] = None
            own['built'] = own['_is_graph'] = False
            own['_layers'] = []
        else:
            self._put(self.inputs[0], self._layers[-1]._nodes[-1].outputs)

    def build(self, input_shape=None):
        """Creates the weights for a shape of inputs."""
        if self._is_graph or input_shape is None:
            return
        layers, self.__dict__['_layers'] = list(self._layers), []
        x = Input(batch_shape=tuple(tf.TensorShape(input_shape).as_list()), name=self.name + '_input')
        self._layers.append(_library.tfk_network._node_of(x).layer)
        for layer in layers:
            self._put(x, layer(self.outputs[0] if self.outputs else x), layer)

    def _set_inputs(self, x):
        if self.outputs is None:
            first = x if isinstance(x, tf.Tensor) else as_list(x)[0] if isinstance(x, (list, tuple)) else x
            shape = first.get_shape().as_list() if isinstance(first, tf.Tensor) else list(np.shape(first))
            self.build([None] + (shape[1:] or [1]))

    def _build_once(self, inputs):
        if not self._is_graph:
            self.build(inputs.get_shape())

    def predict_classes(self, x, batch_size=32, verbose=0):
        """Returns the class numbers of data."""
        p = self.predict(x, batch_size=batch_size, verbose=verbose)
        return p.argmax(axis=-1) if p.shape[-1] > 1 else (p > 0.5).astype('int32')

    def predict_proba(self, x, batch_size=32, verbose=0):
        """Returns the outputs for data."""
        return self.predict(x, batch_size=batch_size, verbose=verbose)
