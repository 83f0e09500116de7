"""The verb open: one loader for each format. Loaders also collect the facts that report.py tells."""
import _graphs
import json
import os
import _library
from _library.formats import recognize
from _library.model import Arrays, Checkpoint, Info, Model, Pending
from google.protobuf.internal.wire_format import field as _field, fields as _fields
from google.protobuf.message import DecodeError

_LISTED = 8     # names in one line of a report
_LARGE = 1024   # elements of a constant that counts as a parameter
_VARIABLES = ('VarHandleOp', 'VariableV2', 'Variable')


def _read(path):
    with open(path, 'rb') as f:
        return f.read()


def _text_of(path):
    return _read(path).decode('utf-8', 'replace')


# ---- graphs ----

def _json_message(value):
    """Converts the JSON form of a GraphDef to its text form, which has the same fields."""
    def lines(key, v):
        name = ''.join('_' + c.lower() if c.isupper() else c for c in key)
        if isinstance(v, list):
            return ''.join(lines(key, item) for item in v)
        if isinstance(v, dict):
            if key in ('attr', 'inputs', 'outputs', 'signatureDef', 'signature_def', 'collectionDef', 'ret', 'controlRet'):
                return ''.join('%s { key: %s value%s }' % (name, json.dumps(k), _value(w)) for k, w in sorted(v.items()))
            return '%s { %s }\n' % (name, ''.join(lines(k, w) for k, w in v.items()))
        return '%s: %s\n' % (name, _scalar(key, v))

    def _value(w):
        return ' { %s }' % ''.join(lines(k, x) for k, x in w.items()) if isinstance(w, dict) else ': ' + _scalar('', w)

    def _scalar(key, v):
        if isinstance(v, bool):
            return 'true' if v else 'false'
        if not isinstance(v, str):
            return repr(v)
        if key in ('s', 'tensorContent', 'tensor_content', 'stringVal', 'string_val'):
            import base64
            return json.dumps(''.join('\\x%02x' % b for b in base64.b64decode(v))).replace('\\\\x', '\\x')
        if key in ('type', 'dtype') or key in ('i', 'size', 'intVal', 'int64Val', 'producer', 'minConsumer') and \
                v.lstrip('-').isdigit():
            return v
        return json.dumps(v)

    return ''.join(lines(k, v) for k, v in value.items())


def _message(found):
    """Returns the MetaGraphDef of a graph file, as bytes."""
    kind = found.kind.split('_')[0]
    try:
        if found.kind.endswith('_text'):
            data = _graphs.from_text(kind, _text_of(found.path))
        elif found.kind.endswith('_json'):
            data = _graphs.from_text(kind, _json_message(json.loads(_text_of(found.path))))
        else:
            return _graphs.from_file(kind, found.path)  # large constants stay in the file
    except ValueError as e:
        raise ValueError('%s is %s, but it cannot be read: %s' % (found.path, found.what, e))
    return data if kind == 'meta' else _field(2, data)


def _missing_ops(facts):
    """Returns {op: number of nodes} of the ops that do not exist, and the functions that need one of them."""
    missing, bad = {}, set()
    for name, (ops, _, _) in facts.items():
        for op, n in ops.items():
            if op not in facts and not hasattr(tf.raw_ops, op) and not op.startswith('_'):
                missing[op] = missing.get(op, 0) + n
                bad.add(name)
    grew = bool(bad)
    while grew:
        grew = False
        for name, (ops, calls, _) in facts.items():
            if name and name not in bad and (any(c in bad for c in calls) or any(op in bad for op in ops)):
                bad.add(name)
                grew = True
    return missing, bad - {''}


def _blocked(model, missing, bad):
    """Returns the names of the nodes below the model's scope that cannot run."""
    blocked = set()
    for op in model._session.graph.get_operations():
        if not op.name.startswith(model._prefix):
            continue
        stops = op.type in missing or op.type in bad or any(i.op.name in blocked for i in op.inputs) or \
            any(c.name in blocked for c in op.control_inputs)
        if not stops and bad:
            for attr in ('f', 'then_branch', 'else_branch', 'cond', 'body'):
                try:
                    called = op.get_attr(attr)
                except ValueError:
                    continue
                stops = stops or getattr(called, 'name', called) in bad
        if stops:
            blocked.add(op.name)
    return blocked


def _by_placeholders(model, first):
    """Returns the inputs and outputs of a graph without signatures: its placeholders, and the outputs that no node uses."""
    placeholders, ends = _graphs.ends(model._session.graph, first)
    cut = len(model._prefix)

    def info(op):
        return Info(op.name[cut:] + ':0', op.outputs[0].dtype, op.outputs[0].shape)

    ignored = ('Const', 'VarHandleOp', 'VariableV2', 'PlaceholderWithDefault', 'ReadVariableOp', 'Assign')
    return ({op.name[cut:]: info(op) for op in placeholders},
            {op.name[cut:]: info(op) for op in ends if op.type not in ignored and not op.name[cut:].startswith('save/')})


def _variables_of(ops):
    count = numbers = size = 0
    for op in ops:
        if op.type in _VARIABLES:
            shape = tf.TensorShape(op.get_attr('shape'))
            n = shape.num_elements() if shape.is_fully_defined() else 0
            count, numbers, size = count + 1, numbers + n, size + n * tf.as_dtype(op.get_attr('dtype')).size
    return {'count': count, 'numbers': numbers, 'bytes': size}


def _constants_of(ops):
    count = numbers = size = 0
    for op in ops:
        if op.type == 'Const' and op.outputs[0].shape.num_elements() > _LARGE:
            n = op.outputs[0].shape.num_elements()
            count, numbers, size = count + 1, numbers + n, size + n * max(1, op.outputs[0].dtype.size)
    return {'count': count, 'numbers': numbers, 'bytes': size}


def _not_here(facts, session):
    """Returns the devices that the nodes request and that this session does not have, with the numbers of nodes, also of those in
    functions. If there are any, all requests of the graph are dropped when it is added."""
    here = set(d.name.split('/')[-1].replace('device:', '').lower() for d in session.list_devices())
    gone, requested = {}, {}
    for _, _, devices in facts.values():
        for device, n in devices.items():
            requested[device] = requested.get(device, 0) + n
    for device, n in requested.items():
        kind = device.split('/')[-1].replace('device:', '').lower()
        if 'pu' in kind and kind not in here and not kind.endswith('*') and not kind.startswith('cpu'):
            gone[device] = n
    return gone


def _parsed(kind, data):
    """Returns a message of a file, which may be damaged."""
    try:
        return kind.FromString(data)
    except DecodeError as e:
        raise ValueError(str(e))


def _meta_info(message):
    """Returns the first field of a MetaGraphDef, whose graph may be large."""
    return _parsed(tf.MetaGraphDef.MetaInfoDef, b''.join([m for _, m in _fields(message, 1) if isinstance(m, bytes)]))


def _describe(model, message, facts, ops):
    """Fills in the facts that every graph has."""
    missing, bad = _missing_ops(facts)
    counts = {}
    for name in facts:
        for op, n in facts[name][0].items():
            counts[op] = counts.get(op, 0) + n
    info = _meta_info(message)
    about = model._about
    about.update(nodes=sum(facts[''][0].values()), functions=len(facts) - 1, tensorflow=info.tensorflow_version,
                 in_functions=sum(sum(f[0].values()) for name, f in facts.items() if name), tags=list(info.tags),
                 ops=dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
                 variables=_variables_of(ops), constants=_constants_of(ops), missing=missing, blocks=[])
    if any(op.startswith('Parse') and 'Example' in op for op in counts):
        for signature in model._signatures.values():
            for key, info in signature.inputs.items():
                if 'example' in key or 'example' in info.name or signature.is_served:
                    info.example = 'tf.train.Example().SerializeToString()'
    if missing:
        stopped = _blocked(model, missing, bad)
        names = [s for s, sig in model._signatures.items()
                 if any(model._prefix + i.name.split(':')[0] in stopped for i in sig.outputs.values())]
        about['blocks'] = names if model._signatures else ['%d nodes' % len(stopped)] if stopped else []


def work_of(model):
    """Returns the work of each signature. Reads the file again, because most models are opened without this question."""
    about = model._about
    if 'work' not in about and model._read:
        about['work'] = _work(model, about['nodes'] + about['in_functions'])
    elif 'work' not in about:
        about['work'] = _work_here(model)
    return about.get('work', {})


def version_of(model):
    """Returns the version of the program that wrote a graph, or None. Reads the file again, like work_of."""
    about = model._about
    if 'version' not in about and model._read and about['nodes'] + about['in_functions'] <= _library.work.MOST_NODES:
        about['version'] = _parsed(tf.MetaGraphDef, model._read()).graph_def.versions.producer or None
    return about.get('version')


def _work_here(model):
    try:
        found = {name: _library.work.of_signature(signature) for name, signature in model._signatures.items()}
    except (KeyError, ValueError):  # an output that is a sequence, or was not made
        return {}
    return {name: work for name, work in found.items() if work}


def _work(model, nodes):
    outputs = {n: [i.name for i in s.outputs.values()] for n, s in model._signatures.items()}
    if model._about.get('fetches'):
        outputs['fetches'] = [i.name for i in model._about['fetches'].values()]
    try:
        return _library.work.estimate(model._read(), outputs, nodes)
    except (tf.errors.OpError, KeyError, ValueError, IOError):
        return {}  # the model is inconsistent there, which a run will tell


def _add(model, message, facts, restore=None):
    """Adds the graph of a MetaGraphDef to that of the session. Returns its variables and constants as operations, and the Saver."""
    moved = model._about['moved'] = _not_here(facts, model._session)
    session, scope = model._session, model._prefix[:-1]
    before = _graphs.size(session.graph)
    try:
        with session.graph.as_default():
            saver = restore(bool(moved)) if restore else tf.train.import_meta_graph(
                message, clear_devices=bool(moved), import_scope=scope or None, _keep_unknown=True)
    except tf.errors.AlreadyExistsError as e:
        raise ValueError('%s; reset the session first, or type: open %s as NAME' % (e.message, model._path))
    return _graphs.of_types(session.graph, before, _VARIABLES + ('Const',)), saver


def _open_graph(found, scope, session, tags):
    message = _message(found)
    model = Model(session, scope, found.what, found.path)
    model._read = lambda: _message(found)
    before = _graphs.size(session.graph)
    facts = _graphs.facts(message)
    alone = not scope or not _graphs.of_types(session.graph, 0, _VARIABLES)
    ops, saver = _add(model, message, facts)
    if saver is not None and alone:
        session.graph.add_to_collection(tf.GraphKeys.SAVERS, saver)  # for the verb load, which restores all variables
    inputs, outputs = _by_placeholders(model, before)
    signatures = _parsed(tf.MetaGraphDef, message).signature_def if found.kind.startswith('meta') else {}
    _sign(model, signatures)
    if not signatures:
        model._about.update(feeds=inputs, fetches=outputs)
    _describe(model, message, facts, ops)
    prefix = found.path[:-5] if found.path.endswith('.meta') else None
    if prefix and os.path.isfile(prefix + '.index'):
        model._about['next'] = ['load ' + prefix]
    return model


def _sign(model, signatures):
    for name, signature in signatures.items():
        if not name.startswith('__'):
            served = signature.method_name.endswith(('/classify', '/regress'))  # of tf.Examples
            model._sign(name, _infos(signature.inputs), _infos(signature.outputs), served)


def _infos(named):
    return {k: Info(named[k].name, named[k].dtype, tf.TensorShape(named[k].tensor_shape)) for k in sorted(named) if named[k].name}


def _open_saved_model(found, scope, session, tags):
    saved_model = _library.saved_model
    folder = os.path.dirname(found.path) or '.'
    if os.path.basename(found.path) not in ('saved_model.pb', 'saved_model.pbtxt'):
        raise ValueError('%s is the graph of a SavedModel under another name; give it its name: mkdir model; cp %s model/saved_model.pb; '
                         'then open model' % (found.path, found.path))
    metas = saved_model._read(folder, in_file=True)
    if not metas:
        raise ValueError('%s is a SavedModel without a graph' % found.path)
    choices = [list(m.meta_info_def.tags) for m in metas]
    listed = ' | '.join(' '.join(t) or '(no tags)' for t in choices)
    if tags is None:
        best = [t for t in choices if set(t) == {'serve'}] or [t for t in choices if 'serve' in t] or choices
        if len(choices) > 1 and best == choices and len(set(map(tuple, best))) > 1:
            raise ValueError('%s has %d graphs, none of them with the tag serve. Type: open %s tags %s   (there are: %s)' % (
                folder, len(choices), folder, ' '.join(choices[0]), listed))
        tags = best[0]
    elif not any(set(t) == set(tags) for t in choices):
        raise ValueError('%s has no graph with the tags %s; there are: %s. Type: open %s tags %s' % (
            folder, ' '.join(tags), listed, folder, ' '.join(choices[0])))
    meta = saved_model._choose(metas, set(tags))
    model = Model(session, scope, found.what, folder)
    model._read = lambda: saved_model._choose(saved_model._read(folder, in_file=True), set(tags)).SerializeToString()
    restored = []

    def restore(clear_devices):
        restored.append(saved_model._load(session, meta, folder, scope or None, keep_unknown=True, clear_devices=clear_devices))

    facts = _graphs.facts(meta.SerializeToString())
    ops, _ = _add(model, meta.SerializeToString(), facts, restore)
    _sign(model, meta.signature_def)
    _describe(model, meta.SerializeToString(), facts, ops)
    model._assets = restored[0].pop('asset_files')
    model._about.update(restored[0], tags=tags, others=[t for t in choices if t != tags])
    return model


def _open_onnx(found, scope, session, tags):
    with session.graph.as_default():
        opened = _library.onnx.open_model(found.path, scope)
    model = Model(session, scope, found.what, found.path)
    inputs, outputs = [{name: Info(name, t.dtype, t.shape) for name, t in tensors} for tensors in _library.onnx.tensors_of(opened)]
    model._sign('run', inputs, outputs)
    model.run._given = _library.onnx.names_of(opened)
    model._about = _library.onnx.facts_of(opened)
    model._lines = _labelled(_library.onnx.describe(opened).split('\n'))
    return model


def _labelled(lines):
    """Lines that begin with a label of eight characters, as the report wants them: with the pieces at which they can be broken."""
    made = lines[:1]
    for line in lines[1:]:
        label, text = line[:8].rstrip(), line[8:]
        between = {'ops': ' · ', 'names': ' ', 'missing': ' '}.get(label)
        made.append((label, text.split(between), between) if between else '%-12s%s' % (label, text))
    return made


def _open_tflite(found, scope, session, tags):
    tflite = _library.tflite
    with session.graph.as_default():
        opened = tflite.open_model(found.path, scope, session)
    model = Model(session, scope, found.what, found.path)
    cut = len(model._prefix)
    for name, inputs, outputs in opened.signatures:
        model._sign(name, *[{key: Info(t.name[cut:], t.dtype, t.shape) for key, t in part.items()} for part in (inputs, outputs)])
    labels = tflite.labels_of(opened.model)
    model.labels = next(iter(labels.values()), [])
    model._about = tflite.facts_of(opened)
    model._lines = tflite.describe(opened, model, labels)
    return model


def _open_keras(found, scope, session, tags):
    return _library.keras.open_archive(found, scope, session)


def _open_hdf5(found, scope, session, tags):
    return _library.keras.open_hdf5(found, scope, session)


# ---- data ----

def _value_of(tensor_of):
    """Evaluates a function that makes a tensor, in a graph of its own."""
    with tf.Graph()._hide().as_default():
        tensor = tensor_of()
        with tf.Session() as session:
            return session.run(tensor)


def _open_image(found, scope, session, tags):
    def image():
        return tf.image.decode_image(tf.constant(_read(found.path)))

    return Arrays(found.what, found.path, {'image': _value_of(image)})


def _open_audio(found, scope, session, tags):
    audio, rate = _value_of(lambda: list(tf.raw_ops.DecodeWav(contents=tf.constant(_read(found.path)))))
    return Arrays(found.what + ', %d samples a second' % rate, found.path, {'audio': audio})


def _open_arrays(found, scope, session, tags):
    loaded = np.load(found.path)
    if found.kind == 'npy':
        return Arrays(found.what, found.path, {'array': loaded})
    return Arrays(found.what, found.path, {k: _pending_member(loaded, k) for k in loaded.files})


def _pending_member(archive, name):
    return Pending(*archive._peek(name), read=lambda: archive[name])


_SAFE = {'F64': ('float64', 8), 'F32': ('float32', 4), 'F16': ('float16', 2), 'BF16': ('bfloat16', 2), 'I64': ('int64', 8),
         'I32': ('int32', 4), 'I16': ('int16', 2), 'I8': ('int8', 1), 'U8': ('uint8', 1), 'U16': ('uint16', 2),
         'U32': ('uint32', 4), 'U64': ('uint64', 8), 'BOOL': ('bool', 1), 'F8_E4M3': ('float8_e4m3fn', 1),
         'F8_E5M2': ('float8_e5m2', 1)}
_STORED = {'bfloat16': 'uint16', 'float8_e4m3fn': 'uint8', 'float8_e5m2': 'uint8'}  # types that become float32


def _version(path):
    return os.path.getsize(path), os.path.getmtime(path)


def _open_safetensors(found, scope, session, tags):
    version = _version(found.path)
    try:
        with open(found.path, 'rb') as f:
            size = int.from_bytes(f.read(8), 'little')
            head = json.loads(f.read(size).decode('utf-8'))
        arrays, begin = {}, 8 + size
        for name in sorted(k for k in head if k != '__metadata__'):
            entry = head[name]
            dtype, unit = _SAFE[entry['dtype']]
            first, end = entry['data_offsets']
            count = 1
            for d in entry['shape']:
                count *= d
            if first < 0 or end < first or begin + end > version[0] or end - first != count * unit:
                raise ValueError('the tensor %r lies outside of the file, or its size does not fit its shape' % name)
            arrays[name] = _pending_tensor(found.path, version, dtype, entry['shape'], count, begin + first)
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as e:
        raise ValueError('%s is not a valid safetensors file: %s' % (found.path, e))
    return Arrays(found.what, found.path, arrays)


def _open_shards(found, scope, session, tags):
    """The index of weights in several files, as the hub of Hugging Face has them. The files are in its folder."""
    try:
        names = json.loads(_text_of(found.path))['weight_map']
        shards = sorted(set(names.values()))
        if any(os.path.basename(shard) != shard for shard in shards):
            raise ValueError('a part is not in the folder of the index')
    except (KeyError, TypeError, AttributeError, ValueError) as e:
        raise ValueError('%s is not a valid index of safetensors files: %s' % (found.path, e))
    arrays, folder = {}, os.path.dirname(found.path)
    for shard in shards:
        path = os.path.join(folder, shard)
        if not os.path.isfile(path):
            raise ValueError('%s, which is one of %d parts of %s, does not exist; download it into the same folder' % (
                path, len(shards), found.path))
        part = recognize(path)
        if part.kind != 'safetensors':
            raise ValueError('%s, which is a part of %s, is %s%s' % (
                path, found.path, part.what, '; ' + part.advice if part.advice else ''))
        opened = _open_safetensors(part, scope, session, tags)
        arrays.update({name: opened._peek(name) for name in opened})
    lost = sorted(set(names) - set(arrays))
    if lost:
        raise ValueError('%s says that %s is in %s, which does not have it' % (found.path, lost[0], names[lost[0]]))
    return Arrays(found.what, found.path, {name: arrays[name] for name in sorted(arrays)})


def _from_8_bits(bits, dtype):
    """Floats of 8 bits. Those with 5 bits of exponent are the first halves of float16."""
    if dtype == 'float8_e5m2':
        return np.frombuffer((bits << 8).tobytes(), np.float16).astype(np.float32)
    exponent, part = (bits >> 3 & 15).astype(np.float32), (bits & 7).astype(np.float32)
    size = np.where(exponent == 0, part * 2. ** -9, (part + 8) * 2. ** (exponent - 10))
    size = np.where((bits & 127) == 127, np.nan, size)
    return np.where(bits & 128, -size, size).astype(np.float32)


def _pending_tensor(path, version, dtype, shape, count, offset):
    def read():
        if _version(path) != version:
            raise IOError('the file %s changed since it was opened; type: open %s' % (path, path))
        array = np.fromfile(path, _STORED.get(dtype, dtype), count, offset=offset)
        if dtype == 'bfloat16':
            array = np.frombuffer((array.astype(np.uint32) << 16).tobytes(), np.float32)
        elif dtype in _STORED:
            array = _from_8_bits(array.astype(np.uint16), dtype)
        return array.reshape(shape)

    return Pending('float32' if dtype in _STORED else dtype, shape, read)


def _open_csv(found, scope, session, tags):
    import csv
    text = _text_of(found.path)
    mark = ',' if 'commas' in found.what else '\t' if 'tabs' in found.what else ';'
    rows = [row for row in csv.reader(text.splitlines(), delimiter=mark) if row]

    def number(field):
        try:
            return float(field)
        except ValueError:
            return None

    names = None
    if rows and len(rows) > 1 and all(number(f) is None for f in rows[0]):
        names, rows = rows[0], rows[1:]
    names = names or ['column %d' % i for i in range(len(rows[0]))]
    arrays = {}
    for i, name in enumerate(names):
        column = [row[i] if i < len(row) else '' for row in rows]
        numbers = [number(f) for f in column]
        arrays[name] = np.array(column) if None in numbers else np.array(numbers, np.float32)
    return Arrays(found.what, found.path, arrays)


def _open_events(found, scope, session, tags):
    series, graph, images = {}, 0, {}
    for event in _library.summary.summary_iterator(found.path):
        if event.WhichOneof('what') in ('graph_def', 'meta_graph_def'):
            graph += 1
        for value in event.summary.value:
            if value.WhichOneof('value') == 'simple_value':
                series.setdefault(value.tag, []).append((event.step, value.simple_value))
            else:
                images[value.tag] = images.get(value.tag, 0) + 1
    made = Arrays(found.what, found.path, {k: np.array(v) for k, v in series.items()})
    made._about = {'note': ['each array has a row (step, value)'] + (
        ['other summaries: ' + ', '.join('%s (%d)' % item for item in sorted(images.items())[:_LISTED])] if images else []) + (
            ['a graph is in it'] if graph else [])}
    return made


def _open_checkpoint(found, scope, session, tags):
    path = found.path
    if os.path.isdir(path):
        path = _library.workspace.checkpoint_in(path) or path
        if os.path.isfile(path + '.meta'):  # the graph is there, too
            return open_path(path + '.meta', scope, session, tags)
    return Checkpoint(path)


def _open_checkpoint_state(found, scope, session, tags):
    found.path = os.path.dirname(found.path) or '.'
    return _open_checkpoint(found, scope, session, tags)


def _open_script(found, scope, session, tags):
    raise ValueError('%s is %s, not a model. Type: read %s' % (found.path, found.what, found.path))


# The loader of each kind that recognize returns: a function of the Format, the scope ('' for none), the session and the
# tags (None: not given). It returns a Model, Arrays or a Checkpoint. A new format is one row here, and its recognition in
# formats.py.
LOADERS = {
    'saved_model': _open_saved_model, 'saved_model_text': _open_saved_model,
    'graph': _open_graph, 'graph_text': _open_graph, 'graph_json': _open_graph,
    'meta': _open_graph, 'meta_text': _open_graph, 'meta_json': _open_graph,
    'onnx': _open_onnx, 'tflite': _open_tflite, 'keras': _open_keras, 'hdf5': _open_hdf5,
    'checkpoint': _open_checkpoint, 'checkpoint_state': _open_checkpoint_state,
    'npy': _open_arrays, 'npz': _open_arrays, 'safetensors': _open_safetensors, 'shards': _open_shards, 'csv': _open_csv,
    'image': _open_image, 'audio': _open_audio, 'events': _open_events, 'script': _open_script,
}


def open_path(path, scope, session, tags, trainable=False):
    """Opens a file or folder by its content. Returns its value, to which the shell gives a name."""
    if trainable:
        return _library.trainable.open_trainable(lambda apart: open_path(path, scope, apart, tags), path, scope, session)
    found = recognize(path)
    loader = LOADERS.get(found.kind)
    if loader is None:
        raise ValueError('%s is %s%s' % (path, found.what, '; ' + found.advice if found.advice else ''))
    try:
        return loader(found, scope, session, tags)
    except RecursionError:
        raise ValueError('%s is %s, but its content is nested too deeply' % (path, found.what))
    except tf.errors.OpError as e:  # of a step that fills variables or tables
        if path in e.message:
            raise
        raise type(e)(e.node_def, e.op, '%s is %s, but it cannot be loaded: %s' % (path, found.what, e.message))


_OPENED = []  # what was opened last


def named(value, name):
    """Tells a value by which name the user calls it."""
    value._name = name
    _OPENED[:] = [value]


def last():
    """Returns what was opened last, or None."""
    return _OPENED[0] if _OPENED else None
