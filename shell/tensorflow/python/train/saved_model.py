"""tf.saved_model: a graph, its variables and its signatures in one folder."""
import _graphs
import os
from google.protobuf.internal.wire_format import field as _field, fields as _fields
from google.protobuf.message import DecodeError
from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef, SignatureDef, TensorInfo

_PB, _VARIABLES, _ASSETS = 'saved_model.pb', 'variables', 'assets'
_MAIN_OP, _LEGACY_INIT_OP, _INIT_SIGNATURE = 'saved_model_main_op', 'legacy_init_op', '__saved_model_init_op'


def build_tensor_info(tensor):
    """Returns the TensorInfo of a tensor."""
    return TensorInfo(name=tensor.name, dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.get_shape().as_proto())


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """Returns the tensor of a TensorInfo."""
    name = import_scope + '/' + tensor_info.name if import_scope else tensor_info.name
    return (graph or tf.get_default_graph()).get_tensor_by_name(name)


def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """Returns a SignatureDef of TensorInfos."""
    return SignatureDef(inputs=inputs, outputs=outputs, method_name=method_name)


def _infos(tensors):
    return {key: build_tensor_info(tf.convert_to_tensor(t)) for key, t in tensors.items()}


def predict_signature_def(inputs, outputs):
    """Returns the signature of a model that maps tensors to tensors."""
    if inputs is None or not inputs:
        raise ValueError('Prediction inputs cannot be None or empty.')
    if outputs is None or not outputs:
        raise ValueError('Prediction outputs cannot be None or empty.')
    return SignatureDef(inputs=_infos(inputs), outputs=_infos(outputs), method_name='tensorflow/serving/predict')


def classification_signature_def(examples, classes, scores):
    """Returns the signature of a classifier."""
    if examples is None:
        raise ValueError('Classification `examples` cannot be None.')
    if classes is None and scores is None:
        raise ValueError('Classification `classes` and `scores` cannot both be None.')
    outputs = {key: t for key, t in (('classes', classes), ('scores', scores)) if t is not None}
    return SignatureDef(inputs=_infos({'inputs': examples}), outputs=_infos(outputs), method_name='tensorflow/serving/classify')


def regression_signature_def(examples, predictions):
    """Returns the signature of a regression model."""
    if examples is None:
        raise ValueError('Regression `examples` cannot be None.')
    if predictions is None:
        raise ValueError('Regression `predictions` cannot be None.')
    return SignatureDef(inputs=_infos({'inputs': examples}), outputs=_infos({'outputs': predictions}), method_name='tensorflow/serving/regress')


# ---- reading ----

def maybe_saved_model_directory(export_dir):
    """Returns true if the folder contains a SavedModel."""
    return os.path.isfile(os.path.join(export_dir, _PB)) or os.path.isfile(os.path.join(export_dir, _PB + 'txt'))


contains_saved_model = maybe_saved_model_directory


def _read(export_dir, in_file=False):
    """Returns the graphs of a model. With in_file, large constants stay in the file until they are imported, and the
    messages must not leave the process."""
    path = os.path.join(export_dir, _PB)
    is_text = not os.path.isfile(path)
    if is_text:
        path += 'txt'
    if not os.path.isfile(path):
        raise IOError('SavedModel file does not exist at: %s/{saved_model.pbtxt|saved_model.pb}' % export_dir)
    try:
        if in_file and not is_text:
            data = _graphs.from_file('saved_model', path)
        else:
            with open(path, 'rb') as f:
                data = f.read()
        if is_text:
            data = _graphs.from_text('saved_model', data.decode('utf-8', 'replace'))
        return [MetaGraphDef.FromString(m) for number, m in _fields(data, 2) if isinstance(m, bytes)]
    except (ValueError, DecodeError) as e:
        raise IOError('Cannot parse file %s: %s.' % (path, e))


def _choose(metas, tags):
    for meta in metas:
        if set(meta.meta_info_def.tags) == tags:
            return meta
    raise RuntimeError('MetaGraphDef associated with tags %s could not be found in SavedModel, with available tags \'%s\'. '
                       'To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`.'
                       % (str(tags).replace('{', '').replace('}', ''), [set(m.meta_info_def.tags) for m in metas]))


def _init_op(meta, prefix):
    """Returns the name of the operation that initializes tables and similar resources, or None."""
    for key in (_MAIN_OP, _LEGACY_INIT_OP):
        names = meta.collection_def[key].node_list.value if key in meta.collection_def else ()
        if names:
            return prefix + names[0]
    signature = meta.signature_def.get(_INIT_SIGNATURE)
    return prefix + signature.outputs.values()[0].name if signature else None


def _asset(export_dir, name):
    """Returns the path of an asset. A model may not name files outside of its folder, also not through a link."""
    path = os.path.join(export_dir, _ASSETS, name)
    inside = os.path.realpath(path).startswith(os.path.join(os.path.realpath(export_dir), ''))
    if name.startswith('/') or '..' in name.split('/') or not inside:
        raise ValueError('the model names a file outside of its folder as an asset: %r' % name)
    return path


# Ops that read or write files that they name themselves.
_FILE_OPS = ('WriteFile', 'ReadFile', 'MatchingFiles', 'Save', 'SaveV2', 'SaveSlices', 'MergeV2Checkpoints',
             'CreateSummaryFileWriter', 'CreateSummaryDbWriter', 'PrintV2', 'WholeFileReaderV2', 'TextLineDataset')


def _file_op(graph, init, facts):
    """Returns the op with which the initializer of a model would use files of its own choice, or None."""
    seen, todo, called = set(), [getattr(init, 'op', init)], []
    while todo:
        op = todo.pop()
        if op.name in seen:
            continue
        seen.add(op.name)
        if op.type in _FILE_OPS:
            return op.type
        if op.type.endswith('PartitionedCall') or op.type in facts:
            called.append(op)
        todo += [i.op for i in op.inputs] + list(op.control_inputs)
    # A function is checked as a whole with all that it may call.
    names = [getattr(op.get_attr('f'), 'name', op.get_attr('f')) if op.type.endswith('PartitionedCall') else op.type
             for op in called]
    done = set()
    while names:
        name = names.pop()
        name = name.decode('utf-8') if isinstance(name, bytes) else name
        if name in done or name not in facts:
            continue
        done.add(name)
        for op in facts[name][0]:
            if op in _FILE_OPS:
                return op
        names += facts[name][1] + [op for op in facts[name][0] if op in facts]
    return None


def restore_originals(sess, saver, first):
    """Gives values to variables that the model's own function does not restore. Keras 3 saves models whose signatures use the
    variables of the program, while that function restores copies of them. The initial value of a copy is its original.
    The graph of the model begins with node `first`."""
    restore = sess.graph.get_operation_by_name(saver.saver_def.restore_op_name)
    if not restore.type.endswith('PartitionedCall'):
        return
    copies = set(t.op.name for t in restore.inputs)
    originals = {}
    for assign in _graphs.of_types(sess.graph, first, ['AssignVariableOp']):
        copy, value = assign.inputs[0], assign.inputs[1].op
        if copy.op.name in copies and value.type == 'ReadVariableOp' and value.inputs[0].op.type == 'VarHandleOp' and \
                value.inputs[0].op.name not in copies:
            originals[value.inputs[0].op.name] = value.inputs[0], copy, value.outputs[0].dtype
    if originals:
        with sess.graph.as_default(), tf.name_scope('restore_originals'):
            sess.run([tf.raw_ops.AssignVariableOp(resource=original, value=tf.raw_ops.ReadVariableOp(resource=copy, dtype=dtype))
                      for original, copy, dtype in originals.values()])


def _load(sess, meta, export_dir, import_scope=None, keep_unknown=False, **saver_kwargs):
    """Adds a graph to that of the session, restores its variables and initializes its tables. Returns what could not be
    done."""
    prefix = import_scope + '/' if import_scope else ''
    options, left, before = dict(saver_kwargs), {}, _graphs.size(sess.graph)
    if keep_unknown:
        options['_keep_unknown'] = True
    with sess.graph.as_default():
        saver = tf.train.import_meta_graph(meta.SerializeToString(), import_scope=import_scope, **options)
        path = os.path.join(export_dir, _VARIABLES, _VARIABLES)
        if saver is not None and os.path.exists(path + '.index'):
            saver.restore(sess, path)
            if not tf.global_variables() and not import_scope:
                tf.add_to_collection(tf.GraphKeys.SAVERS, saver)  # knows the variables of a model of TF 2
            restore_originals(sess, saver, before)
        elif saver is not None:
            left['unrestored'] = path + '.index'
        assets = {}
        for asset in meta.asset_file_def:
            assets[prefix + asset.tensor_info.name] = _asset(export_dir, asset.filename)
        left['asset_files'] = assets
        left['assets'] = [os.path.basename(p) for p in assets.values()]
        left['lost_assets'] = [p for p in assets.values() if not os.path.exists(p)]
        init = _init_op(meta, prefix)
        if init is None:
            return left
        init = sess.graph.as_graph_element(init)
        if keep_unknown:
            using = _file_op(sess.graph, init, _graphs.facts(meta.SerializeToString()))
            if using:
                left['not_initialized'] = (init.name, 'it uses files of its own choice (%s)' % using)
                return left
        try:
            sess.run(init, assets)
        except tf.errors.OpError as e:
            if not keep_unknown:
                raise
            left['not_initialized'] = (init.name, e.message)
    return left


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Adds a model's graph to that of the session and restores its variables."""
    meta = _choose(_read(export_dir), set(tags))
    _load(sess, meta, export_dir, import_scope, **saver_kwargs)
    return meta


# ---- writing ----

class Builder(object):
    """Writes a SavedModel. Call add_meta_graph_and_variables, and then save."""

    def __init__(self, export_dir):
        if os.path.exists(export_dir) and os.listdir(export_dir):
            raise AssertionError("Export directory %s already exists, and isn't empty. Please choose a different export "
                                 'directory, or delete all the contents of the specified directory.' % export_dir)
        self._export_dir, self._metas, self._has_variables = export_dir, [], False
        os.makedirs(export_dir, exist_ok=True)

    def _assets(self, collection):
        """Returns AssetFileDefs for the tensors of the collection, and copies their files. A dict has the paths by tensor."""
        out, names = b'', {}
        for tensor in collection or []:
            value = tf.Session(graph=tensor.graph).run(tensor) if tensor.op.type == 'Const' else None
            if value is None and not isinstance(collection, dict):
                raise ValueError('Invalid asset filepath tensor: %s' % tensor.name)
            path = collection[tensor] if isinstance(collection, dict) else value.decode('utf-8')
            name = os.path.basename(path)
            while name in names and names[name] != path:
                name += '_1'
            names[name] = path
            out += _field(6, _field(1, build_tensor_info(tensor).SerializeToString()) + _field(2, name))
        for name, path in names.items():
            os.makedirs(os.path.join(self._export_dir, _ASSETS), exist_ok=True)
            tf.gfile.Copy(path, os.path.join(self._export_dir, _ASSETS, name), overwrite=True)
        return out

    def _add(self, tags, signature_def_map, assets, init_op, saver):
        for key in signature_def_map or {}:
            if not isinstance(signature_def_map[key], SignatureDef):
                raise AssertionError('%s is not a SignatureDef' % key)
        message = (saver or tf.train).export_meta_graph().SerializeToString()
        message += _field(1, b''.join(_field(4, t) for t in tags))
        if init_op is not None:
            message += _field(4, _field(1, _MAIN_OP) + _field(2, _field(1, _field(1, init_op.name))))
        for key in sorted(signature_def_map or {}):
            message += _field(5, _field(1, key) + _field(2, signature_def_map[key].SerializeToString()))
        self._metas.append(message + self._assets(assets))

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None, clear_devices=False,
                       init_op=None, train_op=None, saver=None, main_op=None, strip_default_attrs=False):
        """Adds another graph that uses the saved variables."""
        if not self._has_variables:
            raise AssertionError('Graph state including variables and assets has not been saved yet. Please invoke '
                                 '`add_meta_graph_and_variables()` first.')
        self._add(tags, signature_def_map, assets_collection, main_op or init_op or legacy_init_op,
                  saver or self._saver())

    def _saver(self):
        # A model of TF 2 has no list of its variables, but functions that save and restore them.
        savers = tf.get_collection(tf.GraphKeys.SAVERS)
        if savers and not tf.global_variables():
            return savers[0]
        return tf.train.Saver(tf.global_variables(), allow_empty=True)

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None,
                                     legacy_init_op=None, clear_devices=False, init_op=None, train_op=None,
                                     strip_default_attrs=False, saver=None, main_op=None):
        """Adds the graph of the session with the values of its variables."""
        if self._has_variables:
            raise AssertionError('Graph state including variables and assets has already been saved. Please invoke '
                                 '`add_meta_graph()` instead.')
        with sess.graph.as_default():
            saver = saver or self._saver()
            os.makedirs(os.path.join(self._export_dir, _VARIABLES), exist_ok=True)
            has_variables = bool(tf.global_variables() or tf.get_collection(tf.GraphKeys.SAVERS))
            if has_variables:
                saver.save(sess, os.path.join(self._export_dir, _VARIABLES, _VARIABLES), write_meta_graph=False,
                           write_state=False)
            self._add(tags, signature_def_map, assets_collection, main_op or init_op or legacy_init_op,
                      saver if has_variables else None)
        self._has_variables = True

    def save(self, as_text=False):
        """Writes saved_model.pb, or saved_model.pbtxt, and returns its path."""
        path = os.path.join(self._export_dir, _PB + 'txt' if as_text else _PB)
        data = _field(1, 1) + b''.join(_field(2, m) for m in self._metas)
        os._replace_file(path, [_graphs.to_text(data).encode('utf-8') if as_text else data])
        return path.encode('utf-8')


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Writes the graph and variables of a session for serving."""
    builder = Builder(export_dir)
    signatures = {'serving_default': predict_signature_def(inputs, outputs)}
    builder.add_meta_graph_and_variables(session, ['serve'], signatures, tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                                         main_op=legacy_init_op, clear_devices=True)
    builder.save()


# ---- names of TF 1.x in tf.saved_model ----

class tag_constants(object):
    """The usual tags of graphs in a SavedModel."""

    SERVING, TRAINING, EVAL, GPU, TPU = 'serve', 'train', 'eval', 'gpu', 'tpu'


class signature_constants(object):
    """The usual names of signatures and of their inputs and outputs."""

    DEFAULT_SERVING_SIGNATURE_DEF_KEY = 'serving_default'
    CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME = 'inputs', 'tensorflow/serving/classify'
    CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = 'classes', 'scores'
    PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS = 'inputs', 'tensorflow/serving/predict', 'outputs'
    REGRESS_INPUTS, REGRESS_METHOD_NAME, REGRESS_OUTPUTS = 'inputs', 'tensorflow/serving/regress', 'outputs'


class constants(object):
    """The names of files, folders and collections in a SavedModel."""

    ASSETS_DIRECTORY, ASSETS_KEY = _ASSETS, 'saved_model_assets'
    LEGACY_INIT_OP_KEY, MAIN_OP_KEY = _LEGACY_INIT_OP, _MAIN_OP
    SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT, SAVED_MODEL_SCHEMA_VERSION = _PB, _PB + 'txt', 1
    VARIABLES_DIRECTORY, VARIABLES_FILENAME = _VARIABLES, _VARIABLES


class loader(object):
    """Functions that load a SavedModel."""

    load, maybe_saved_model_directory = staticmethod(load), staticmethod(maybe_saved_model_directory)


class builder(object):
    """The class that writes a SavedModel."""

    SavedModelBuilder = Builder


class utils(object):
    """Conversions between tensors and their descriptions."""

    build_tensor_info = staticmethod(build_tensor_info)
    get_tensor_from_tensor_info = staticmethod(get_tensor_from_tensor_info)


class signature_def_utils(object):
    """Functions that make signatures."""

    build_signature_def = staticmethod(build_signature_def)
    predict_signature_def = staticmethod(predict_signature_def)
    classification_signature_def = staticmethod(classification_signature_def)
    regression_signature_def = staticmethod(regression_signature_def)


class main_op(object):
    """The op that runs after a SavedModel was loaded."""

    @staticmethod
    def main_op():
        return tf.group(tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer())
