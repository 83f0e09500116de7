"""Opens Keras models: .keras archives, HDF5 files of Keras 2 and 3, and files of weights."""
import json
import _library
from _library import hdf5
from _library.file_range import Damaged
from _library.keras_model import Builder, Network, make
from _library.keras_rules import RULES, legal, snake
from _library.model import Datasets, Info, Model, short, shape_text
from _library.zip_members import Archive

_LISTED = 60  # layers in the table
_OPENED = []  # the models that were opened, newest last; load finds the one of its graph here


# ---- weights ----

def _names_attribute(group, name):
    """Returns a list of names, which Keras divides into NAME0, NAME1, … if it is long."""
    found, i = group.attributes.get(name), 0
    parts = [found] if found is not None else []
    while name + str(i) in group.attributes:
        parts.append(group.attributes[name + str(i)])
        i += 1
    rows = [v for part in parts for v in np.reshape(part, [-1]).tolist()]
    return [v.decode('utf-8', 'replace') if isinstance(v, bytes) else v for v in rows]


def _check_count(layer, have, need):
    if have != need:
        layer.why_not = layer.why_not or 'the file has %d weights of it, and %d are needed' % (have, need)


def _own_values(group):
    """Returns the datasets vars/0, vars/1, … of a layer's group."""
    inside = group.get('vars') if group is not None else None
    if inside is None or not hasattr(inside, 'links'):
        return []
    found = []
    while str(len(found)) in inside.links:
        found.append(inside[str(len(found))])
    return found


def _from_tree(layer, group, asset_path):
    """Assigns weights as Keras 3 writes them: a group for each layer, named by its class or attribute."""
    layer.asset_path = asset_path
    if isinstance(layer, Network):
        inside, folder = None, 'layers'
        for key in ('layers', '_layer_checkpoint_dependencies'):
            if inside is None and group is not None:
                inside, folder = group.get(key), key
        used = {}
        for made in layer.layers:
            if made.kind[:3] == 'op:':
                continue
            name = snake(made.class_name if isinstance(made, Network) else made.kind)
            number = used[name] = used.get(name, -1) + 1
            name += '_%d' % number if number else ''
            _from_tree(made, inside.get(name) if inside is not None else None, asset_path + '/' + folder + '/' + name)
        return
    values = _own_values(group)
    layer.group = group
    if len(values) < len(layer.names):
        _check_count(layer, len(values), len(layer.names))
    layer.data = {name.lstrip('-'): v for name, v in zip(layer.names, values)}
    for key, child in layer.children.items():
        found, used = None, key
        for name in (key, '_' + key, key.lstrip('_')):
            if found is None and group is not None:
                found, used = group.get(name), name
        _from_tree(child, found, asset_path + '/' + used)


def _from_lists(network, group):
    """Assigns weights as Keras 2 writes them: a list of names for each layer, the trainable ones first."""
    for made in network.layers:
        needed = made.all_weights()
        needed = [w for w in needed if w[2]] + [w for w in needed if not w[2]]
        inside = group.get(made.key)
        names = _names_attribute(inside, 'weight_names') if inside is not None else []
        if len(names) != len(needed):
            _check_count(made, len(names), len(needed))
            continue
        for (layer, name, _), path in zip(needed, names):
            layer.data[name] = inside[path]


# ---- files ----

class _Parts(object):
    """The parts of a file: the config of the model, its weights, and what is known about them."""

    def __init__(self, config, version, weights, in_tree, training=None, saved='', assets=None, backend=''):
        self.config, self.version, self.weights, self.in_tree = config, version, weights, in_tree
        self.training, self.saved, self.assets, self.backend = training, saved, assets, backend


def _json(data, path, what):
    try:
        return json.loads(data.decode('utf-8') if isinstance(data, bytes) else data)
    except (ValueError, UnicodeDecodeError, TypeError, AttributeError, RecursionError) as e:
        raise ValueError('%s: its %s is not JSON: %s' % (path, what, e))


def _text(value):
    return value.decode('utf-8', 'replace') if isinstance(value, bytes) else value or ''


def _from_archive(path):
    archive = Archive(path)
    config = _json(archive.read('config.json'), path, 'config.json')
    metadata = _json(archive.read('metadata.json'), path, 'metadata.json') if 'metadata.json' in archive else {}
    if 'model.weights.h5' not in archive:
        raise ValueError('%s is a Keras archive without model.weights.h5: weights in other forms (npz, several files) are not '
                         'supported. Save it with keras.saving.save_model(model, PATH)' % path)
    weights = hdf5.open_file(path, archive.member('model.weights.h5'))

    def assets(name):
        name = 'assets/' + name.strip('/')
        return archive.read(name) if name in archive else None
    return _Parts(config, _text(metadata.get('keras_version')), weights.root, True, config.get('compile_config'),
                  _text(metadata.get('date_saved')), assets)


def _from_hdf5(file, path):
    about = file.attributes
    config = _json(about['model_config'], path, 'model_config')
    training = _json(about['training_config'], path, 'training_config') if 'training_config' in about else None
    weights = file.get('model_weights')
    if weights is None:
        raise ValueError('%s is a Keras model without the group model_weights' % path)
    return _Parts(config, _text(about.get('keras_version')), weights, False, training, backend=_text(about.get('backend')))


def kind_of_hdf5(file):
    """Returns model, weights, tree (weights of Keras 3) or data."""
    if 'model_config' in file.attributes:
        return 'model'
    if 'layer_names' in file.attributes or 'layer_names0' in file.attributes:
        return 'weights'
    if 'layers' in file.root.links or '_layer_checkpoint_dependencies' in file.root.links:
        return 'tree'
    return 'data'


# ---- models ----

class Opened(object):
    """A model in a graph: its layers, inputs and outputs."""

    def __init__(self, parts, builder, root, inputs, outputs):
        self.parts, self.builder, self.root, self.inputs, self.outputs = parts, builder, root, inputs, outputs


def _version(text):
    digits = text.split('.')[0]
    return int(digits) if digits.isdigit() else 3


def _check_names(root, prefix, path):
    graph = tf.get_default_graph()
    for made, _ in list(root.leaves())[:20]:
        try:
            graph.get_operation_by_name(made.path)
        except (KeyError, ValueError):
            continue
        raise ValueError("'%s' already exists in this graph; reset the session first, or type: open %s as NAME" % (
            made.path, path))


def _inputs_of(root):
    return [root.first_shape()] if root.is_sequential else root.input_shapes()


def build(parts, path, scope):
    """Adds the graph of a model to the default graph."""
    prefix = scope + '/' if scope else ''
    builder = Builder(prefix, _version(parts.version), parts.assets)
    config = parts.config
    if not isinstance(config, dict) or not isinstance(config.get('config'), (dict, list)):
        raise ValueError('%s: its config is not that of a model' % path)
    if isinstance(config['config'], list):  # the first versions of Keras 2 wrote a list of layers
        config = dict(config, config={'layers': config['config'], 'name': 'sequential'})
    if not isinstance(config['config'].get('layers'), list):
        raise ValueError("%s is a model of the class %s, whose code is not in the file: only Sequential and functional models can "
                         "be opened. Where its code is: model.export('model'), then open model" % (path, config.get('class_name')))
    root = make(builder, config, prefix)
    if not isinstance(root, Network):
        raise ValueError('%s: its class %s is not a model of layers' % (path, config.get('class_name')))
    _check_names(root, prefix, path)
    if parts.in_tree:
        _from_tree(root, parts.weights, '')
    else:
        _from_lists(root, parts.weights)
    root.create_variables()
    inputs = []
    has_state = any(inner.get('stateful', False) for made, _ in root.leaves() for inner in made.with_children())
    for shape, dtype, name in _inputs_of(root):
        # Keras leaves the size of a batch open even if the model was built with one, unless the model keeps its state.
        batch = list(shape[:1]) if has_state else [None]
        placeholder = tf.placeholder(tf.as_dtype(dtype), batch + list(shape[1:]), name=prefix + legal(name) + '/')
        inputs.append((name, placeholder))
    outputs = root.call([[x for _, x in inputs]], {})
    if root.is_sequential:
        names = [root.layers[-1].key if root.layers else 'output']
    else:
        names = [row[0] for row in root.output_rows()]
    return Opened(parts, builder, root, inputs, list(zip(names, outputs)))


_DAMAGED = (TypeError, KeyError, AttributeError, IndexError, OverflowError, tf.errors.InvalidArgumentError)


def _built(parts, path, scope):
    """Like build(), with errors that name the file."""
    try:
        return build(parts, path, scope)
    except tf.errors.AlreadyExistsError as e:
        raise ValueError('%s; reset the session first, or type: open %s as NAME' % (e.message, path))
    except RecursionError:
        raise ValueError('%s is damaged: its config nests too deeply' % path)
    except ValueError as e:
        raise e if path in str(e) else ValueError('%s is damaged: %s' % (path, e))
    except _DAMAGED as e:
        raise ValueError('%s is damaged: its config is not that of a model: %s' % (path, e))


def _open(parts, found, scope, session):
    with session.graph.as_default():
        opened = _built(parts, found.path, scope)
    start = [v.initializer for v in opened.builder.variables] + opened.builder.tables
    if start:
        session.run(start)
    model = Model(session, scope, 'a Keras model', found.path)
    cut = len(model._prefix)
    infos = [{name: Info(t.name[cut:], t.dtype, t.shape) for name, t in rows} for rows in (opened.inputs, opened.outputs)]
    model._sign('run', infos[0], infos[1])
    model._about = _facts(opened)
    model._lines = lambda value: _describe(value, opened)
    _OPENED.append((session.graph, opened))
    return model


def open_archive(found, scope, session):
    """Opens a .keras file."""
    return _open(_from_archive(found.path), found, scope, session)


def open_hdf5(found, scope, session):
    """Opens an HDF5 file: a model of Keras, its weights, or arrays."""
    file = hdf5.open_file(found.path)
    try:
        kind = kind_of_hdf5(file)
        if kind == 'model':
            return _open(_from_hdf5(file, found.path), found, scope, session)
        made = Datasets('weights of a Keras model' if kind in ('tree', 'weights') else found.what, found.path, file)
    except Damaged as e:
        raise ValueError('%s is not a valid HDF5 file: %s' % (found.path, e))
    if kind in ('tree', 'weights'):
        made._about = {'note': ['open the model that they belong to, and type: load %s' % found.path]}
    return made


# ---- weights of an open model ----

def _parts_of(path):
    found = _library.formats.recognize(path)
    if found.kind == 'keras':
        return _from_archive(path)
    file = hdf5.open_file(path)
    kind = kind_of_hdf5(file)
    if kind == 'model':
        return _from_hdf5(file, path)
    if kind == 'data':
        raise ValueError('%s is an HDF5 file, but not one of Keras: its arrays are not the weights of a model' % path)
    return _Parts(None, _text(file.attributes.get('keras_version')), file.root, kind == 'tree')


def _by_layers(opened, parts, path):
    """Returns [(variable, dataset)] for the layers of an open model."""
    root = opened.root
    weights = [(layer, name) for layer, name, _ in root.all_weights() if name in layer.tensors]
    for layer, _ in weights:
        layer.data, layer.why_not = {}, ''
    if parts.in_tree:
        _from_tree(root, parts.weights, '')
    else:
        _from_lists(root, parts.weights)
    for layer, name in weights:
        if name not in layer.data:
            raise ValueError("%s does not have the weight '%s' of layer '%s'; nothing was loaded" % (path, name, layer.name))
    return [(layer.tensors[name], layer.data[name]) for layer, name in weights]


def _named_groups(group, names, found):
    """Appends (names of the layers around and of the layer, its weights) for all layers of a file of Keras 3."""
    inside = group.get('vars')
    name = _text(inside.attributes.get('name')) if inside is not None else ''
    values = _own_values(group)
    if values and name:
        found.append((names + [name], values))
    for key in group.keys():
        child = group[key] if key != 'vars' and group.links[key].at is not None else None
        if hasattr(child, 'links') and len(names) < 32:
            _named_groups(child, names + [name] * bool(name), found)
    return found


def _by_places(parts, path):
    """Returns [(variable, dataset)] for the variables in the scopes of the layers, in the order in which they were made."""
    found = []
    for names, values in _named_groups(parts.weights, [], []):
        for scope in ('/'.join(names[1:]), '/'.join(names), names[-1]):
            inside = [v for v in tf.global_variables() if v.op.name.rpartition('/')[0] == scope]
            if scope and [v.shape.as_list() for v in inside] == [list(d.shape) for d in values]:
                found += list(zip(inside, values))
                break
    if not found:
        raise ValueError('%s has weights of a Keras model, and this graph has no variables with the names and shapes of its layers. '
                         'Open the model first: open MODEL.keras' % path)
    return found


def _by_names(parts, path):
    """Returns [(variable, dataset)] for the variables of the graph that have the names of the file."""
    if parts.in_tree:
        return _by_places(parts, path)
    known = {v.op.name: v for v in tf.global_variables()}
    rows, found = [], {}
    for layer in _names_attribute(parts.weights, 'layer_names'):
        group = parts.weights.get(layer)
        for name in _names_attribute(group, 'weight_names') if group is not None else []:
            rows.append((layer, name.split(':')[0], group[name]))
    # The layers of an inner model may have the names of others.
    for layer, name, dataset in sorted(rows, key=lambda row: not row[1].startswith(row[0] + '/')):
        for variable in (name, layer + '/' + name):
            if variable in known and variable not in found:
                found[variable] = dataset
                break
    if not found:
        raise ValueError('%s has weights of a Keras model, and this graph has no variables with their names%s. Open the model '
                         'first: open MODEL.keras' % (path, ', such as ' + rows[0][1] if rows else ''))
    return [(known[name], dataset) for name, dataset in found.items()]


def load_weights(path, session):
    """Gives the variables of an open model, or those of the graph, the weights of a file. Returns their number."""
    parts = _parts_of(path)
    opened = [o for graph, o in _OPENED if graph is session.graph]
    with session.graph.as_default():
        try:
            pairs = _by_layers(opened[-1], parts, path) if opened else _by_names(parts, path)
        except Damaged as e:
            raise ValueError('%s is damaged: %s' % (path, e))
        for variable, dataset in pairs:
            if variable.shape.as_list() != list(dataset.shape):
                raise ValueError("%s has the shape %s for the variable '%s', which has %s; nothing was loaded" % (
                    path, list(dataset.shape), variable.op.name, variable.shape.as_list()))
        values = [dataset.read() for _, dataset in pairs]
        for (variable, _), value in zip(pairs, values):
            variable.load(value, session)
    return len(pairs)


# ---- what a model is ----

def _compiled(training):
    """Returns a line about the optimizer and the loss that the file names, or ''."""
    def name(value):
        if isinstance(value, dict):
            inner = value.get('config')
            return value.get('class_name') if value.get('class_name') not in ('function', None) else inner if isinstance(
                inner, str) else None
        if isinstance(value, list):
            return ', '.join(str(name(v)) for v in value)
        return value
    if not isinstance(training, dict):
        return ''
    optimizer = name(training.get('optimizer_config') or training.get('optimizer'))
    return ' · '.join('%s %s' % (word, str(v).split('>')[-1]) for word, v in (('optimizer', optimizer), ('loss', name(training.get('loss')))) if v)


def _rows(opened):
    """Returns (name, class, output, parameters) of each layer."""
    found = []
    for made, name in opened.root.leaves():
        kind = made.kind[3:] if made.kind.startswith('op:') else made.kind
        if made.kind == 'InputLayer':
            continue
        out = ', '.join(short(t.dtype) + shape_text(t.shape) for t in made.outputs)
        found.append((name, kind, out, made.parameters()))
    return found


def _facts(opened):
    """What `open --json` says about a model beside its inputs and outputs."""
    weights = opened.root.all_weights()
    counts = [0, 0]
    for layer, name, trainable in weights:
        size = 1
        for d in layer.weight_shape(name) or [0]:
            size *= d
        counts[0 if trainable else 1] += size
    parts = opened.parts
    return {'keras': parts.version, 'backend': parts.backend, 'class': opened.root.class_name, 'saved': parts.saved,
            'compiled': _compiled(parts.training), 'parameters': sum(counts), 'trainable': counts[0],
            'layers': [dict(zip(('name', 'class', 'output', 'parameters'), row)) for row in _rows(opened)],
            'missing': sorted(set(m for _, m, blocked in opened.builder.refused if not blocked))}


def _label(label, text):
    return '%-12s%s' % (label, text)


def _describe(value, opened):
    """The lines that `about` prints about a model."""
    facts, signature = _facts(opened), value._signatures['run']
    head = [opened.root.class_name, 'Keras ' + facts['keras'] if facts['keras'] else '', facts['backend'],
            'saved ' + facts['saved'].replace('@', ' ') if facts['saved'] else '']
    lines = [_label('model', ' · '.join(h for h in head if h))]
    for word, infos in (('in', signature.inputs), ('out', signature.outputs)):
        for i, (name, info) in enumerate(infos.items()):
            where = info.name[:-2] if info.name.endswith(':0') else info.name
            lines.append(_label('' if i else word, '%s %s%s' % (name, info.text(), '' if where == name else '  (the tensor %s)' % where)))
    lines.append(_label('run', 'eval ' + signature.sample()))
    rows = _rows(opened)
    shown = rows if len(rows) <= _LISTED else rows[:_LISTED - 1]
    cells = [(name, kind, out, format(count, ',') if count else '') for name, kind, out, count in shown]
    widths = [max([len(c[i]) for c in cells] or [0]) for i in range(4)]
    for i, c in enumerate(cells):
        row = '  '.join([c[k].ljust(min(widths[k], (36, 24, 40)[k])) for k in range(3)] + [c[3].rjust(widths[3])])
        lines.append(_label('' if i else 'layers', row).rstrip())
    if len(rows) > len(shown):
        lines.append(_label('', '%d more: about --json' % (len(rows) - len(shown))))
    lines.append(_label('parameters', '%s, of which %s can be trained' % (format(facts['parameters'], ','), format(
        facts['trainable'], ','))))
    if facts['compiled']:
        lines.append(_label('compiled', facts['compiled'] + ' (train with tf.train instead)'))
    for i, message in enumerate(facts['missing'][:8]):
        lines.append(_label('' if i else 'missing', message))
    if facts['missing']:
        blocked = [n for n, t in opened.outputs if t.name in opened.builder.broken]
        lines.append(_label('', 'blocked: ' + ', '.join(blocked) if blocked else 'no output needs it'))
    if rows:
        lines.append(_label('inside', "%s[%r] is the output of a layer; Tab lists them" % (value._name, rows[0][0])))
    return lines


def layers():
    """Returns the names of the layers, and of the operations that can be layers; for docs/keras.md."""
    names = sorted(RULES)
    return [n for n in names if n[:3] != 'op:'], [n[3:] for n in names if n[:3] == 'op:']
