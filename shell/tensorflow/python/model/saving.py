"""The verb save: one writer for each format. Every writer makes the new file beside the old one and then replaces it."""
import _graphs
import json
import os
import re
import struct
import _library
import numpy as np
from _library.model import Arrays, Checkpoint, Info, Model, Signature, sample
from _library.freezing import VARIABLES, Frozen
from _library.graph_util import _graph_def

_NO_OUTPUT = re.compile('Const$|^Var|Placeholder|Assign|Apply|Summary|ReadVariable|Restore|Save|Iterator|Initialized|Shape$|^No')
_SAFE = {'float64': 'F64', 'float32': 'F32', 'float16': 'F16', 'bfloat16': 'BF16', 'int64': 'I64', 'int32': 'I32', 'int16': 'I16',
         'int8': 'I8', 'uint8': 'U8', 'uint16': 'U16', 'uint32': 'U32', 'uint64': 'U64', 'bool': 'BOOL'}
_ANYWHERE = tf.ConfigProto(allow_soft_placement=True)  # for copies of graphs that request devices
_FOREIGN = ('.h5', '.hdf5', '.keras', '.pt', '.pth', '.mlmodel', '.pkl', '.json', '.csv', '.txt', '.zip')
_FORMATS = '.onnx, .tflite, .pb, .pbtxt, .meta, .safetensors, .npz, .npy, FOLDER/ (a SavedModel), or a prefix (a checkpoint)'


class Request(object):
    """What to save: the session, the values that the user named (by text), their feeds, and whether variables become
    constants."""

    def __init__(self, path, session, names, values, feeds, frozen):
        self.path, self.session, self.feeds, self.frozen = path, session, feeds or {}, frozen
        self.names, self.values = [], []
        for name, value in zip(names, values):  # a list stands for its elements
            items = value if isinstance(value, (list, tuple)) and any(isinstance(v, tf.Tensor) for v in value) else [value]
            self.names += [name] if items is not value else ['%s[%d]' % (name, i) for i in range(len(items))]
            self.values += items

    @property
    def graph(self):
        return self.session.graph

    def opened(self, kinds):
        """What was opened last, if it is of these kinds and its graph, if any, is that of the session."""
        found = _library.opening.last()
        if isinstance(found, kinds) and (not isinstance(found, Model) or found._session.graph is self.graph):
            return found
        return None

    def signatures(self):
        """The signatures to write, as {name: (inputs, outputs)}, which are {name: tensor}."""
        chosen = [v for v in self.values if isinstance(v, Signature)]
        if chosen:
            return {s._name: _ends_of(s) for s in chosen}
        if self.values:
            outputs = {_short(t): t for t in self.tensors()}
            return {'serving_default': (_inputs_of(list(outputs.values()), self.fed()), outputs)}
        model = self.opened(Model)
        if model is not None and model._signatures:
            if len(model._signatures) == 1:  # of an ONNX model, it is called run
                return {'serving_default' if name == 'run' else name: _ends_of(s) for name, s in model._signatures.items()}
            return {name: _ends_of(s) for name, s in model._signatures.items() if not s.is_served}
        outputs = {_short(t): t for t in _loose_ends(self.graph)}
        if not outputs:
            self.check_graph()
            raise ValueError('no tensor of this graph is an output: its ends only train or initialize. Type: save %s NAME, where '
                             'NAME is a tensor' % self.path)
        return {'serving_default': (_inputs_of(list(outputs.values())), outputs)}

    def fed(self):
        return set(getattr(t, 'name', t) for t in self.feeds)

    def check_graph(self):
        """Raises if there is no graph to write."""
        if not self.graph.get_operations():
            opened = self.opened((Arrays, Checkpoint))
            raise ValueError('%s. Type: %s' % (('%s holds values, not a graph' % opened._path, 'save weights.npz') if opened is not None
                                              else ('this graph has no nodes yet', 'open FILE')))

    def signature(self):
        """The signature of a format that has only one."""
        found = self.signatures()
        name = 'serving_default' if 'serving_default' in found else list(found)[0]
        return found[name]

    def tensors(self):
        made = []
        for name, value in zip(self.names, self.values):
            if isinstance(value, tf.Variable):
                value = value.value()
            if isinstance(value, tf.Operation):
                raise TypeError('%s is an operation, which has no value. Type: nodes where op == %s' % (name, value.type))
            if not isinstance(value, tf.Tensor):
                raise TypeError('%s is %s, not a tensor of a graph; `save FILE.npz %s` saves its value' % (
                    name, type(value).__name__, name))
            made.append(value)
        return made


def _short(t):
    return t.op.name.replace('/', '_') if t.value_index == 0 else '%s_%d' % (t.op.name.replace('/', '_'), t.value_index)


def _ends_of(signature):
    def tensor(info):
        found = signature._model._tensor(info.name)
        if found.shape.ndims is None:  # the result of a function, whose shape the file of the model states
            found.set_shape(info.shape)
        return found
    return tuple({k: tensor(i) for k, i in part.items()} for part in (signature.inputs, signature.outputs))


def _inputs_of(outputs, fed=()):
    """The placeholders that the outputs need, by name. `fed` are names of tensors that have a value."""
    seen, found, stack = set(), [], [t for t in outputs if t.name not in fed]
    while stack:
        op = stack.pop().op
        if op.name not in seen:
            seen.add(op.name)
            if op.type == 'Placeholder':
                found.append(op)
            stack += [i for i in op.inputs if i.name not in fed] + [o.outputs[0] for o in op.control_inputs if o.outputs]
    return {_short(op.outputs[0]): op.outputs[0] for op in sorted(found, key=lambda op: op._id)}


def _loose_ends(graph):
    """The tensors that no node uses, without those that belong to training. If some depend on a placeholder, only those."""
    _, ends = _graphs.ends(graph, 0)
    tensors = [op.outputs[0] for op in ends if not _NO_OUTPUT.search(op.type) and not op.name.startswith(
        ('save/', 'gradients/', 'report_uninitialized'))]
    fed = set()
    for op in graph.get_operations():
        if op.type == 'Placeholder' or any(i.op.name in fed for i in op.inputs):
            fed.add(op.name)
    return [t for t in tensors if t.op.name in fed] or tensors


# ---- values ----

def _arrays(request):
    """The arrays to write, by name: the values that the user named, what was opened, or the weights of the graph."""
    if request.values:
        return _evaluated(request)
    opened = request.opened((Arrays, Checkpoint))
    with request.graph.as_default():
        weights = None if opened is not None and not _has_variables(request.graph) else _weights(request)
    if weights:
        return weights
    if opened is not None:
        return {str(name): opened[name] for name in opened}
    raise ValueError('this graph has no variables and no constants that could be weights. Type: save %s NAME, to save the value '
                     'of a tensor' % request.path)


def _has_variables(graph):
    return any(op.type in VARIABLES for op in graph.get_operations())


def _weights(request):
    graph = request.graph
    if _has_variables(graph):
        variables = _library.workspace._variables(request.session)
        return dict(zip(variables, request.session.run([fetch for _, fetch in variables.values()])))
    constants = [op for op in graph.get_operations() if op.type == 'Const' and op.outputs[0].dtype.is_floating and
                 op.outputs[0].shape.ndims]
    return dict(zip([op.name for op in constants], request.session.run([op.outputs[0] for op in constants]))) if constants else {}


def _evaluated(request):
    """The values that the user named, and those that were fed, with which `verify … with FILE` runs again."""
    made = {}
    for t, value in request.feeds.items():
        made[t.op.name if isinstance(t, (tf.Tensor, tf.Variable)) else str(t)] = np.asarray(value)
    names, tensors = [], []
    for name, value in zip(request.names, request.values):
        if isinstance(value, (tf.Tensor, tf.Variable)):
            names.append(_tensor_name(value))
            tensors.append(value)
        elif isinstance(value, (dict, Checkpoint)):
            made.update({str(k): np.asarray(value[k]) for k in value})
        else:
            made[name] = np.asarray(value)
    missing = list(_inputs_of([t if isinstance(t, tf.Tensor) else t.value() for t in tensors], request.fed()).values())
    if missing:
        raise ValueError('the inputs %s have no value. Type: save %s %s feed %s' % (
            ', '.join(t.op.name for t in missing), request.path, ', '.join(request.names), ', '.join(
                '%s=%s' % (t.op.name, sample(Info(t.op.name, t.dtype, t.shape))) for t in missing)))
    for name, value in zip(names, request.session.run(tensors, request.feeds) if tensors else []):
        made[name] = value
    return made


def _tensor_name(t):
    return t.op.name if not isinstance(t, tf.Tensor) or t.value_index == 0 else t.name


def _numbers(count, what):
    return '%s %s%s' % (format(count, ','), what, '' if count == 1 else 's')


def _save_npz(request):
    arrays = _arrays(request)
    np.savez(request.path, **arrays)
    return _numbers(len(arrays), 'array')


def _save_npy(request):
    arrays = _arrays(request)
    fed = len(request.feeds) if request.values else 0
    if len(arrays) - fed != 1:
        raise ValueError('a .npy file holds one array, and there are %d. Type: save %s NAME, or save %s.npz for all' % (
            len(arrays) - fed, request.path, request.path[:-4]))
    np.save(request.path, list(arrays.values())[-1])
    return 'one array'


def _save_safetensors(request):
    arrays = _arrays(request)
    head, at, order = {'__metadata__': {'format': 'tf', 'producer': 'tensh'}}, 0, sorted(arrays)
    for name in order:
        value = np.asarray(arrays[name])
        if value.dtype.name not in _SAFE:
            raise ValueError('safetensors cannot hold %s, which has the type %s. Type: save %s, without it, or save it as .npz' % (
                name, value.dtype.name, request.path))
        head[name] = {'dtype': _SAFE[value.dtype.name], 'shape': list(value.shape), 'data_offsets': [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(head).encode('utf-8')
    text += b' ' * (-len(text) % 8)
    os._replace_file(request.path, (piece for pieces in ([struct.pack('<Q', len(text)), text], (
        np.asarray(arrays[name]).tobytes() for name in order)) for piece in pieces))
    return _numbers(len(arrays), 'tensor')


def _save_checkpoint(request):
    if not request.values and _has_variables(request.graph):
        return _numbers(_library.workspace.save_variables(request.path, request.session), 'variable')
    arrays = _arrays(request)
    with tf.Graph()._hide().as_default():
        save = tf.raw_ops.SaveV2(prefix=request.path, tensor_names=list(arrays), shape_and_slices=[''] * len(arrays),
                                 tensors=[tf.constant(v) for v in arrays.values()])
        with tf.Session(config=_ANYWHERE) as session:
            session.run(save)
    return _numbers(len(arrays), 'tensor')


# ---- graphs ----

def _save_graph(request):
    request.check_graph()
    as_text = not request.path.endswith('.pb')
    folder, name = os.path.dirname(request.path) or '.', os.path.basename(request.path)
    if request.path.endswith('.meta'):
        if request.values or request.frozen:
            raise ValueError('a .meta file holds the whole graph with its variables. Type: save %s.pb' % request.path[:-5])
        _library.workspace.save_graph(request.path, request.session)
        return _numbers(len(request.graph.get_operations()), 'node')
    if request.frozen:
        outputs = request.signature()[1]
        names = [t.op.name if not t.op.type.endswith('Call') else key for key, t in outputs.items()]
        graph_def, names = Frozen(request, list(outputs.values())).graph_def(names)
    elif request.values:
        names = [t.op.name for t in request.tensors()]
        graph_def = tf.graph_util.extract_sub_graph(request.graph.as_graph_def(), names)
    else:
        _library.workspace.save_graph(request.path, request.session)
        return _numbers(len(request.graph.get_operations()), 'node')
    tf.train.write_graph(graph_def, folder, name, as_text=as_text)
    return _numbers(len(graph_def.node), 'node') + ' · outputs ' + ', '.join(n[:-2] if n.endswith(':0') else n for n in names)


def _signature_defs(named):
    return {name: tf.saved_model.predict_signature_def(inputs, outputs) if inputs else
            tf.saved_model.build_signature_def({}, {k: tf.saved_model.build_tensor_info(t) for k, t in outputs.items()},
                                               'tensorflow/serving/predict') for name, (inputs, outputs) in named.items()}


def _save_folder(request):
    path = request.path.rstrip('/') or '/'
    if os.path.isfile(path):
        raise ValueError('%s is a file, and a SavedModel is a folder. Type: save %s_model/' % (path, path))
    if os.path.isdir(path) and os.listdir(path) and not tf.saved_model.maybe_saved_model_directory(path):
        raise ValueError('%s is a folder with other files: a SavedModel needs an empty folder, or replaces a SavedModel. Type: '
                         'save %s/model/' % (path, path))
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    named, made = request.signatures(), os._temporary(path)
    try:
        if request.frozen:
            _build_frozen(request, named, made)
        elif _bare_variables(request.graph):
            _build_copy(request, named, made)
        else:
            _build_whole(request, named, made)
        os._replace_folder(made, path)
    finally:
        os._remove_tree(made)
    return ', '.join('%s(%s) -> %s' % (name, ', '.join(i), ', '.join(o)) for name, (i, o) in sorted(named.items()))


def _build(request, session, named, folder):
    """Writes the graph of a session with its variables as a SavedModel. What the opened model brings is written, too: its
    initializer and its assets."""
    model, graph = request.opened(Model), session.graph
    builder = _library.saved_model.Builder(folder)
    with graph.as_default():
        files = {} if model is None else model._assets
        assets = {graph.get_tensor_by_name(name): path for name, path in files.items() if _is_in(graph, name)}
        assets = assets or tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        tables, init = tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS), _init_op(model)
        main_op = graph.as_graph_element(init) if init and _is_in(graph, init) else None
        if tables and main_op is None:
            main_op = tf.group(*tables, name='init_tables')
        builder.add_meta_graph_and_variables(session, ['serve'], _signature_defs(named), assets or None, main_op=main_op)
    builder.save()


def _init_op(model):
    """The name of the op that initializes the tables of a SavedModel that was opened, or None."""
    if model is None or model._read is None:
        return None
    name = _library.saved_model._init_op(tf.MetaGraphDef.FromString(model._read()), model._prefix)
    return name and model._session.graph.as_graph_element(name.split(':')[0]).name


def _is_in(graph, name):
    try:
        graph.as_graph_element(name)
    except (KeyError, ValueError):
        return False
    return True


def _build_whole(request, named, folder):
    """Writes a copy of the graph with all its collections, so that the nodes of a Saver are not in the graph itself."""
    with request.graph.as_default():
        message = tf.train.export_meta_graph().SerializeToString()
        variables = {v.op.name: v.value() for v in tf.global_variables()}
    values = dict(zip(variables, request.session.run(list(variables.values())))) if variables else {}
    with tf.Graph()._hide().as_default() as graph:
        tf.train.import_meta_graph(message, clear_devices=True)
        with tf.Session(config=_ANYWHERE) as session:
            for variable in tf.global_variables():
                variable.load(values[variable.op.name], session)
            _build(request, session, _found_in(graph, named), folder)


def _found_in(graph, named):
    """The same signatures in a copy of their graph."""
    def found(t):
        copy = graph.get_tensor_by_name(t.name)
        copy.set_shape(t.shape)
        return copy
    return {name: tuple({k: found(t) for k, t in ends.items()} for ends in both) for name, both in named.items()}


def _bare_variables(graph):
    """The ops of variables that no collection knows, as in a model of TF 2."""
    with graph.as_default():
        known = set(v.op.name for v in tf.global_variables() + tf.local_variables())
    return [op for op in graph.get_operations() if op.type == 'VarHandleOp' and op.name not in known]


def _build_copy(request, named, folder):
    """Writes a copy of the graph whose variables are in the collection, from which loaders restore them."""
    init = _init_op(request.opened(Model))
    ends = [t.op.name for i, o in named.values() for t in list(i.values()) + list(o.values())]
    graph_def = tf.graph_util.extract_sub_graph(request.graph.as_graph_def(), ends + ([init] if init else []))
    nodes, rest = _library.graph_util._parts(graph_def)
    kept = set(n.name for n in nodes)
    # The initializer assigns some variables, such as the path of an asset. Those are not restored.
    assigned = set(op.inputs[0].op.name for op in request.graph.get_operations() if op.type == 'AssignVariableOp' and op.name in kept)
    bare = [op for op in _bare_variables(request.graph) if op.name in kept and op.name not in assigned]
    values = request.session.run([tf.raw_ops.ReadVariableOp(resource=op.outputs[0], dtype=op.get_attr('dtype'))
                                  for op in bare]) if bare else []
    names = set(op.name for op in bare)
    graph_def = _graph_def([n.data for n in nodes if n.name not in names], rest)
    with tf.Graph()._hide().as_default() as graph:
        variables = [tf.Variable(tf.zeros(np.shape(v), op.get_attr('dtype')), name=op.name, use_resource=True)
                     for op, v in zip(bare, values)]
        tf.import_graph_def(graph_def, name='', input_map={op.name + ':0': v.handle for op, v in zip(bare, variables)})
        with tf.Session(config=_ANYWHERE) as session:
            for variable, value in zip(variables, values):
                variable.load(value, session)
            _build(request, session, _found_in(graph, named), folder)


def _build_frozen(request, named, folder):
    name = 'serving_default' if 'serving_default' in named else list(named)[0]
    inputs, outputs = named[name]
    keys = list(outputs)
    frozen = Frozen(request, [outputs[k] for k in keys])
    graph_def, names = frozen.graph_def([t.op.name if not t.op.type.endswith('Call') else k for k, t in outputs.items()])
    with tf.Graph()._hide().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
        got = {k: graph.get_tensor_by_name(n) for k, n in zip(keys, names)}
        given = {k: graph.get_tensor_by_name(t.name) for k, t in inputs.items()}
        with tf.Session(config=_ANYWHERE) as session:
            _build(request, session, {name: (given, got)}, folder)


# ---- ONNX and TensorFlow Lite ----

def _translated(request, translate, signature):
    """The Writer of a signature, and its inputs and outputs by name. The inputs that were fed are constants."""
    inputs, outputs = signature
    model = request.opened(Model)
    with request.graph.as_default():
        fixed = {t.name: np.asarray(v).astype(t.dtype.base_dtype.as_numpy_dtype) for t, v in request.feeds.items()}
        inputs = {key: t for key, t in inputs.items() if t.name not in fixed}
        writer = translate(request.session, request.path, list(inputs.items()), list(outputs.items()), fixed,
                           model._prefix if model is not None else '',
                           is_named=all(re.match(r'[\w./:]+$', name) for name in request.names))
    return writer, inputs, outputs


def _written(writer, inputs, outputs):
    return '%s, %s · inputs %s · outputs %s' % (
        _numbers(len(writer.root.nodes), 'operator'), _numbers(len(writer.initializers), 'constant'),
        ', '.join(inputs) or 'none', ', '.join(outputs))


def _save_tflite(request):
    found = request.signatures()
    if _is_twin(found.get('serve'), found.get('serving_default')):
        del found['serve']
    made, left_out = [], []
    for name in sorted(found, key=lambda name: name != 'serving_default'):
        try:
            made.append((name, _translated(request, _library.tflite_save.translate, found[name])))
        except NotImplementedError:  # a model can have a signature that trains, beside the one that serves
            if request.names or not made:
                raise
            left_out.append(name)
    os._replace_file(request.path, _library.tflite_save_file.model_pieces([
        (name, writer, list(zip(inputs, writer.root.inputs)), list(zip(outputs, writer.root.outputs)))
        for name, (writer, inputs, outputs) in made]))
    missing = ''.join(' · left out: %s; its reason: save %s m.%s, where m is the model' % (name, request.path, name) for name in left_out[:1])
    if len(made) == 1:
        return _written(*made[0][1]) + missing
    return '%s: %s · %s%s' % (_numbers(len(made), 'signature'), ', '.join(name for name, _ in made), _numbers(sum(
        len(writer.root.nodes) for _, (writer, _, _) in made), 'operator'), missing)


def _is_twin(a, b):
    """Whether two signatures have the same inputs and outputs. Keras exports each model as `serve` and as `serving_default`."""
    def form(part):
        return [(key, t.dtype, str(t.shape)) for key, t in sorted(part.items())]

    return a is not None and b is not None and [form(p) for p in a] == [form(p) for p in b]


def _save_onnx(request):
    onnx = _library.onnx_save
    writer, inputs, outputs = _translated(request, onnx.translate, request.signature())
    beside = None
    size = sum(v.nbytes for v in writer.initializers.values())
    if size >= onnx.LARGEST:
        beside = onnx.Outside(os.path.basename(_other_data_file(request.path)))
    pieces = onnx.model_pieces(writer, os.path.basename(request.path), beside)
    if beside is not None:
        os._replace_file(os.path.join(os.path.dirname(request.path), beside.name), beside.pieces)
    os._replace_file(request.path, pieces)
    _remove_old_data(request.path, beside)
    return _written(writer, inputs, outputs)


def _data_files(path):
    return [path + '.data', path + '.data2']


def _other_data_file(path):
    """The file for large tensors that the current model of this name does not use."""
    first, second = _data_files(path)
    return second if os.path.exists(first) else first


def _remove_old_data(path, used):
    for name in _data_files(path):
        if os.path.exists(name) and (used is None or os.path.basename(name) != used.name):
            os.remove(name)


_WRITERS = {'.onnx': _save_onnx, '.tflite': _save_tflite, '.pb': _save_graph, '.pbtxt': _save_graph, '.meta': _save_graph,
            '.npz': _save_npz, '.npy': _save_npy, '.safetensors': _save_safetensors}


def _is_typo(ending, known):
    """Whether one letter of a longer ending is missing, superfluous or another one."""
    if len(ending) < 4 or len(known) < 5 or abs(len(ending) - len(known)) > 1:
        return False
    same = 0
    while same < min(len(ending), len(known)) and ending[same] == known[same]:
        same += 1
    return known[same:] in (ending[same + 1:], ending[same:]) or ending[same:] == known[same + 1:] or ending[same + 1:] == known[same + 1:]


def save_file(path, session, names, values, feeds, frozen):
    """Writes a file or folder whose name decides the format. Returns what was written, for people."""
    if not path.strip():
        raise ValueError('the name of the file is empty. Type: save model.onnx')
    ending = os.path.splitext(path)[1].lower()
    is_folder = path.endswith('/') or os.path.isdir(path)
    if not is_folder and ending in _FOREIGN:
        raise ValueError('tensh does not write files that end with %s; it writes %s' % (ending, _FORMATS))
    meant = [known for known in _WRITERS if _is_typo(ending, known)]
    if meant and not is_folder and ending not in _WRITERS:
        raise ValueError('%s would be the name of a checkpoint; did you mean %s? Type: save %s' % (
            path, meant[0], ' '.join([os.path.splitext(path)[0] + meant[0]] + [', '.join(names)] * bool(names))))
    writer = _save_folder if is_folder else _WRITERS.get(ending, _save_checkpoint)
    if feeds and writer in (_save_folder, _save_graph):
        raise ValueError('feed fixes inputs of an .onnx or .tflite model, or computes values for .npz; %s keeps all inputs. Type: save %s %s' % (
            path, path, ', '.join(names)))
    if frozen and writer in (_save_npz, _save_npy, _save_safetensors, _save_checkpoint):
        raise ValueError('only graphs are frozen: %s holds values. Type: save %s' % (path, path))
    return writer(Request(path, session, names, values, feeds, frozen))
