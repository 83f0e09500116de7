"""tf.keras.models: models as configs, JSON, HDF5 files and checkpoints."""
import json
import os
import _library
from _library.tfk_base import Layer, InputLayer, Input, as_list
from _library.tfk_state import state, get_session
from _library import tfk_backend, tfk_named, tfk_optimizers, hdf5, hdf5_writer


def _plain(value):
    """Returns a value of a config as JSON can hold it."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, tf.DType):
        return value.name
    return value


# ---- configs ----

def _classes():
    found = {}
    for module in (tf.keras.layers, tf.keras.models):
        for name in dir(module):
            if name[0].isupper() and name != 'Input':
                found[name] = getattr(module, name)
    found['Functional'] = found['Model']
    return found


_KNOWN = []
# Options of later versions of Keras, with the value that means what TensorFlow 1.15 does.
_LATER = {'ragged': False, 'optional': False, 'groups': 1, 'synchronized': False, 'keepdims': False, 'sparse': False,
          'zero_output_for_mask': False, 'use_legacy_config': True}


def layer_from_config(spec, custom_objects=None):
    """Returns the layer of a class name and a config."""
    if not _KNOWN:
        _KNOWN.append(_classes())
    known, name = _KNOWN[0], spec['class_name']
    cls = (custom_objects or {}).get(name, tfk_named.get_custom_objects().get(name, known.get(name)))
    if cls is None:
        near = _library.did_you_mean(str(name), list(known))
        raise ValueError('Unknown layer: %s%s. A class of your own: custom_objects={%r: %s}' %
                         (name, '; ' + near if near else '', str(name), name))
    config = spec['config']
    if cls is known.get(name) and isinstance(config, dict):
        config = {k: v for k, v in config.items() if k not in _LATER or v != _LATER[k]}
    with tfk_named.CustomObjectScope(custom_objects or {}):
        return cls.from_config(config)


def _call_arguments(node):
    return {k: _plain(v) for k, v in node.kwargs.items() if k not in ('mask', 'training', 'initial_state') and
            not any(isinstance(t, tf.Tensor) for t in tf.nest.flatten(v))}


def network_config(model):
    """Returns the config of a graph of layers."""
    if type(model).__name__ == 'Sequential' or isinstance(model, tf.keras.Sequential):
        layers = [{'class_name': type(layer).__name__, 'config': _plain(layer.get_config())} for layer in model.layers]
        config = {'name': model.name, 'layers': layers}
        if model.outputs is not None and model._first_shape(model.layers[0])[0] is None:
            config['build_input_shape'] = model.inputs[0].get_shape().as_list()
        return config
    numbers = {}
    for node in model._order:
        numbers[id(node)] = sum(1 for n in model._order if n.layer is node.layer and id(n) in numbers)

    def source(t, arguments=None):
        node, at = state(t.graph).history[t.name]
        return [node.layer.name, numbers[id(node)], at] + ([] if arguments is None else [arguments])
    layers = []
    for layer in model._layers:
        inbound = []
        for node in model._order:
            if node.layer is layer and node.flat_inputs:
                sources = [t for t in tf.nest.flatten([node.inputs, node.kwargs.get('initial_state', [])])]
                inbound.append([source(t, _call_arguments(node)) for t in sources])
        layers.append({'name': layer.name, 'class_name': type(layer).__name__, 'config': _plain(layer.get_config()),
                       'inbound_nodes': inbound})
    return {'name': model.name, 'layers': layers, 'input_layers': [source(t) for t in model.inputs],
            'output_layers': [source(t) for t in model.outputs]}


def network_from_config(cls, config, custom_objects=None):
    """Returns the model of a config."""
    layers = config if isinstance(config, list) else config['layers']
    if issubclass(cls, tf.keras.Sequential):
        model = cls(name=None if isinstance(config, list) else config.get('name'))
        for spec in layers:
            model.add(layer_from_config(spec, custom_objects))
        shape = None if isinstance(config, list) else config.get('build_input_shape')
        if shape and model.outputs is None:
            model.build(shape)
        return model
    made, todo, results = {}, [], {}
    for spec in layers:
        layer = made[spec['name']] = layer_from_config(spec, custom_objects)
        if isinstance(layer, InputLayer):
            results[spec['name'], 0] = [layer.output]
        for number, call in enumerate(spec['inbound_nodes']):
            todo.append((layer, spec['name'], number, call))
    while todo:
        waiting = []
        for layer, name, number, call in todo:
            if any((c[0], c[1]) not in results for c in call):
                waiting.append((layer, name, number, call))
                continue
            inputs = [results[c[0], c[1]][c[2]] for c in call]
            arguments = dict(call[0][3]) if len(call[0]) > 3 else {}
            outputs = layer(inputs[0] if len(inputs) == 1 else inputs, **arguments)
            results[name, number] = list(tf.nest.flatten(outputs))
        if len(waiting) == len(todo):
            raise ValueError('The config is not that of a model: the inputs of the layer %s are not in it.' % waiting[0][1])
        todo = waiting

    def ends(given):
        given = [given] if given and isinstance(given[0], str) else given
        tensors = [results[e[0], e[1]][e[2]] for e in given]
        return tensors[0] if len(tensors) == 1 else tensors
    return cls(inputs=ends(config['input_layers']), outputs=ends(config['output_layers']), name=config.get('name'))


def model_from_config(config, custom_objects=None):
    """Returns the model of a dict with a class name and a config."""
    return layer_from_config(config, custom_objects)


def model_from_json(json_string, custom_objects=None):
    """Returns the model of model.to_json()."""
    return layer_from_config(json.loads(json_string), custom_objects)


def clone_model(model, input_tensors=None, clone_function=None):
    """Returns a model with the same layers and new weights."""
    return type(model).from_config(model.get_config())


# ---- HDF5 ----

def _names_to(attributes, name, values):
    """Stores a list of names, in parts if it is long."""
    encoded, size = hdf5_writer.texts(values)
    each = max(1, 60000 // size)
    if len(encoded) <= each:
        attributes[name] = (encoded, size)
        return
    for i in range(0, len(encoded), each):
        attributes['%s%d' % (name, i // each)] = (encoded[i:i + each], size)


def _weights_tree(model, tree):
    tree.attributes['backend'], tree.attributes['keras_version'] = 'tensorflow', tfk_named.VERSION
    _names_to(tree.attributes, 'layer_names', [layer.name for layer in model.layers])
    for layer in model.layers:
        group = tree.children[layer.name] = hdf5_writer.Tree()
        weights = layer.weights
        _names_to(group.attributes, 'weight_names', [w.name for w in weights])
        for w, value in zip(weights, tfk_backend.batch_get_value(weights)):
            group.put(w.name, value)


def _may_write(path, overwrite):
    if not overwrite and os.path.exists(path):
        raise ValueError('%s exists. Type: model.save(%r, overwrite=True)' % (path, path))


def _training_config(model):
    def plain(value):
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(v) for v in value]
        return value if value is None or isinstance(value, (str, int, float)) else tfk_named.serialize_keras_object(value)
    settings, optimizer = model._compiled, model.optimizer
    return {'optimizer_config': {'class_name': type(optimizer).__name__, 'config': _plain(optimizer.get_config())},
            'loss': plain(model.loss), 'metrics': plain(settings['metrics']), 'loss_weights': settings['loss_weights'],
            'weighted_metrics': plain(settings['weighted_metrics']), 'sample_weight_mode': settings['sample_weight_mode']}


def save_model(model, filepath, overwrite=True, include_optimizer=True, save_format=None, **kwargs):
    """Writes a model, its weights and its optimizer to an HDF5 file."""
    filepath = str(filepath)
    if filepath.endswith('.keras') or save_format == 'tf':
        raise NotImplementedError('Models are saved as HDF5. Type: model.save(%r)' % (os.path.splitext(filepath)[0] + '.h5'))
    _may_write(filepath, overwrite)
    tree = hdf5_writer.Tree()
    tree.attributes.update({'keras_version': tfk_named.VERSION, 'backend': 'tensorflow', 'model_config': json.dumps(
        {'class_name': type(model).__name__, 'config': _plain(model.get_config())})})
    _weights_tree(model, tree.group('model_weights'))
    if include_optimizer and model.optimizer is not None:
        if isinstance(model.optimizer, tfk_optimizers.TFOptimizer):
            print('WARNING:tensorflow:TensorFlow optimizers do not make it possible to access optimizer attributes or '
                  'optimizer state after instantiation. As a result, we cannot save the optimizer as part of the model '
                  'save file. You will have to compile your model again after loading it.')
        else:
            tree.attributes['training_config'] = json.dumps(_training_config(model))
            weights = model.optimizer.weights
            if weights:
                group = tree.group('optimizer_weights')
                _names_to(group.attributes, 'weight_names', [w.name for w in weights])
                for w, value in zip(weights, tfk_backend.batch_get_value(weights)):
                    group.put(w.name, value)
    hdf5_writer.write(filepath, tree)


def _text(value):
    return value.decode('utf-8') if isinstance(value, bytes) else value


def _names_of(group, name):
    if name in group.attributes:
        return [_text(v) for v in group.attributes[name]]
    out, part = [], 0
    while name + str(part) in group.attributes:
        out += [_text(v) for v in group.attributes[name + str(part)]]
        part += 1
    return out


def _open(path):
    if not os.path.exists(path):
        raise IOError('Unable to open file (unable to open file: name = %r, errno = 2, error message = \'No such file or '
                      'directory\')' % path)
    return hdf5.open_file(path)


def load_model(filepath, custom_objects=None, compile=True):
    """Reads a model that model.save() wrote."""
    filepath = str(filepath)
    if filepath.endswith('.keras'):
        raise NotImplementedError('tf.keras.models.load_model reads HDF5 files. Open this one with the verb: open ' + filepath)
    if os.path.isdir(filepath):
        raise NotImplementedError('tf.keras.models.load_model reads HDF5 files. Open a SavedModel with the verb: open ' +
                                  filepath)
    file = _open(filepath)
    if 'model_config' not in file.attributes:
        raise ValueError('No model found in config file: %s has only weights. Type: model.load_weights(%r)' %
                         (filepath, filepath))
    model = layer_from_config(json.loads(_text(file.attributes['model_config'])), custom_objects)
    _from_groups(model, file['model_weights'], filepath)
    if compile:
        if 'training_config' not in file.attributes:
            print('WARNING:tensorflow:No training configuration found in save file: the model was *not* compiled. Compile it '
                  'manually.')
            return model
        _compile(model, json.loads(_text(file.attributes['training_config'])), custom_objects)
        if 'optimizer_weights' in file:
            _restore_optimizer(model, file['optimizer_weights'])
    return model


def _compile(model, config, custom_objects):
    with tfk_named.CustomObjectScope(custom_objects or {}):
        optimizer = tfk_named.find('optimizer', tfk_optimizers.known, config['optimizer_config'])
        model.compile(optimizer, loss=_library.tfk_losses.get(config['loss']) if isinstance(config['loss'], dict) and
                      'class_name' in config['loss'] else config['loss'], metrics=config.get('metrics'),
                      loss_weights=config.get('loss_weights'), sample_weight_mode=config.get('sample_weight_mode'),
                      weighted_metrics=config.get('weighted_metrics'))


def _restore_optimizer(model, group):
    values = [group[name].read() for name in _names_of(group, 'weight_names')]
    try:
        model._make_train_function()
        model.optimizer.set_weights(values)
    except ValueError as e:
        print('WARNING:tensorflow:Error in loading the saved optimizer state. As a result, your model is starting with a '
              'freshly initialized optimizer. (%s)' % e)


def _assign(layer, names, group, path):
    values, weights = [group[n].read() for n in names], layer.weights
    if len(values) != len(weights):
        raise ValueError('Layer "%s" of the model has %d weights, and %s has %d for it.' %
                         (layer.name, len(weights), path, len(values)))
    for w, v in zip(weights, values):
        if tuple(w.get_shape().as_list()) != v.shape:
            raise ValueError('The weight %s of the model has the shape %s, and that in %s has %s.' %
                             (w.name, tuple(w.get_shape().as_list()), path, v.shape))
    return list(zip(weights, values))


def _from_groups(model, root, path):
    names = [n for n in _names_of(root, 'layer_names') if _names_of(root[n], 'weight_names')]
    layers = [layer for layer in model.layers if layer.weights]
    if len(names) != len(layers):
        raise ValueError('You are trying to load a weight file containing %d layers into a model with %d layers. (%s)' %
                         (len(names), len(layers), path))
    pairs = []
    for name, layer in zip(names, layers):
        pairs += _assign(layer, _names_of(root[name], 'weight_names'), root[name], path)
    tfk_backend.batch_set_value(pairs)


def _need_weights(model):
    if not model.built:
        raise ValueError('Unable to save or load weights: the model has no weights yet. Call it with data first, or type: '
                         'model.build((None, FEATURES))')


def _checkpoint_keys(model):
    """Returns {name in a checkpoint: variable}, with the names that TensorFlow gives to weights of layers."""
    found, number = {}, 0
    for layer in model.layers:
        if not layer.weights:
            continue
        for w in layer.weights:
            name = w.op.name.split('/')[-1]
            key = 'layer_with_weights-%d/%s' % (number, name)
            while key + '/.ATTRIBUTES/VARIABLE_VALUE' in found:
                key += '_'
            found[key + '/.ATTRIBUTES/VARIABLE_VALUE'] = w
        number += 1
    return found


def save_weights(model, filepath, save_format=None):
    """Writes the weights of a model."""
    _need_weights(model)
    filepath = str(filepath)
    if save_format in ('h5', 'hdf5') or filepath.endswith(('.h5', '.hdf5', '.keras')):
        tree = hdf5_writer.Tree()
        _weights_tree(model, tree)
        hdf5_writer.write(filepath, tree)
        return
    tf.train.Saver(_checkpoint_keys(model)).save(get_session(), filepath, write_meta_graph=False)


def load_weights(model, filepath, by_name=False, skip_mismatch=False):
    """Reads the weights of a model."""
    filepath = str(filepath)
    _need_weights(model)
    if not os.path.exists(filepath) and os.path.exists(filepath + '.index'):
        reader = tf.train.NewCheckpointReader(filepath)
        keys = _checkpoint_keys(model)
        missing = [k for k in keys if not reader.has_tensor(k)]
        if missing:
            raise ValueError('The checkpoint %s has no tensor %s for the weight %s.' %
                             (filepath, missing[0], keys[missing[0]].name))
        tfk_backend.batch_set_value([(w, reader.get_tensor(k)) for k, w in keys.items()])
        return
    file = _open(filepath)
    root = file['model_weights'] if 'layer_names' not in file.attributes and 'model_weights' in file else file.root
    if not by_name:
        _from_groups(model, root, filepath)
        return
    pairs, known = [], set(_names_of(root, 'layer_names'))
    for layer in model.layers:
        if layer.name in known and layer.weights:
            try:
                pairs += _assign(layer, _names_of(root[layer.name], 'weight_names'), root[layer.name], filepath)
            except ValueError:
                if not skip_mismatch:
                    raise
    tfk_backend.batch_set_value(pairs)
