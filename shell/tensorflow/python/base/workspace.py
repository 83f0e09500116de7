"""File operations of the verbs open, save and load."""
import os
import _library
from google.protobuf import text_format


def _prefix(path):
    """Returns the prefix of a checkpoint. `path` is the prefix, one of its files, or a folder, in which the latest is
    used."""
    if os.path.isdir(path):
        found = tf.train.latest_checkpoint(path)
        if found is None:
            raise tf.errors.NotFoundError(None, None, 'no checkpoint in ' + path)
        return found
    for ending in ('.index', '.meta', '.data-00000-of-00001'):
        if path.endswith(ending):
            return path[:-len(ending)]
    return path


def _exists(path):
    if not os.path.exists(path):
        raise FileNotFoundError("[Errno 2] No such file or directory: '%s'" % path)


def _taken(error, path):
    return ValueError('%s; reset the session first, or type: open %s as NAME' % (error.message, path))


def _near(prefix):
    """Returns a question about the checkpoint beside `prefix` whose name shares at least half of its beginning, or ''."""
    folder, name = os.path.split(prefix)
    found = [f[:-len('.index')] for f in (os.listdir(folder or '.') if os.path.isdir(folder or '.') else [])
             if f.endswith('.index')]
    shared = {f: len(os.path.commonprefix([f, name])) for f in found}
    best = max(found, key=lambda f: shared[f]) if found else None
    if best is None or 2 * shared[best] < len(name):
        return ''
    return "; did you mean '%s'?" % os.path.join(folder, best)


def open_graph(path, scope, session):
    """Adds the graph in the file or folder to that of the session. Returns what the verb prints about it, or None."""
    _exists(path)
    with session.graph.as_default():
        if path.endswith('.onnx'):
            return _library.onnx.describe(_library.onnx.open_model(path, scope))
        if os.path.isdir(path) or os.path.basename(path) == 'saved_model.pb':
            folder = path if os.path.isdir(path) else os.path.dirname(path) or '.'
            if not tf.saved_model.maybe_saved_model_directory(folder):
                raise ValueError(path + ' is a folder without a saved_model.pb')
            tags = _library.saved_model._read(folder)[0].meta_info_def.tags
            tf.saved_model.load(session, tags, folder, import_scope=scope or None)
        elif path.endswith('.meta'):
            try:
                tf.train.import_meta_graph(path, import_scope=scope or None)
            except tf.errors.AlreadyExistsError as e:
                raise _taken(e, path)
        else:
            graph_def = tf.GraphDef()
            with open(path, 'rb') as f:
                data = f.read()
            if path.endswith(('.pbtxt', '.txt', '.textproto')):
                text_format.Merge(data, graph_def)
            else:
                graph_def.ParseFromString(data)
            try:
                tf.import_graph_def(graph_def, name=scope or '')
            except tf.errors.AlreadyExistsError as e:
                raise _taken(e, path)


class _Variable(object):
    """A variable of a graph that has only nodes and no Python object."""

    def __init__(self, op, assign):
        self.op, self._assign = op, assign
        self.dtype, self.shape = assign.inputs[1].dtype, assign.inputs[1].shape

    def load(self, value, session):
        session.run(self._assign, {self._assign.inputs[1]: value})


def _variables():
    """Returns the variables by name, each with the tensor to fetch for its value."""
    found = {v.op.name: (v, v) for v in tf.global_variables()}
    if not found:
        operations = tf.get_default_graph().get_operations()
        reads = {op.inputs[0].op.name: op.outputs[0] for op in operations
                 if op.type in ('ReadVariableOp', 'Identity') and len(op.inputs) == 1}
        for op in operations:
            if op.type in ('Assign', 'AssignVariableOp') and op.inputs[0].op.name not in found:
                variable = op.inputs[0].op
                if variable.name in reads:
                    found[variable.name] = (_Variable(variable, op), reads[variable.name])
    if not found:
        raise ValueError('this graph has no variables')
    return found


def save_variables(path, session):
    """Writes a checkpoint without adding nodes to the graph. Returns the number of variables."""
    with session.graph.as_default():
        variables = _variables()
        values = session.run([fetch for _, fetch in variables.values()])
    with tf.Graph()._hide().as_default():
        feeds = [tf.placeholder(v.dtype.base_dtype) for v, _ in variables.values()]
        save = tf.raw_ops.SaveV2(prefix=path, tensor_names=list(variables), shape_and_slices=[''] * len(feeds),
                                 tensors=feeds)
        with tf.Session() as writer:
            writer.run(save, dict(zip(feeds, values)))
    return len(feeds)


def load_variables(path, session):
    """Restores all variables from a checkpoint, or none. Returns their number."""
    prefix = _prefix(path)
    with session.graph.as_default():
        variables = _variables()
        if not tf.train.checkpoint_exists(prefix):
            raise tf.errors.NotFoundError(None, None, '%s is not a checkpoint: there is no %s.index%s' % (prefix, prefix, _near(prefix)))
        reader = tf.train.NewCheckpointReader(prefix)
        shapes = reader.get_variable_to_shape_map()
        missing = [name for name in variables if name not in shapes]
        if missing:
            raise tf.errors.NotFoundError(None, None, 'not in %s: %s; it has %s' % (
                prefix, ', '.join(missing[:5]), ', '.join(sorted(shapes)[:5]) or 'nothing'))
        for name, (v, _) in variables.items():
            if not v.shape.is_compatible_with(tf.TensorShape(shapes[name])):
                raise ValueError('%s is %s in %s, and %s here' % (name, shapes[name], prefix, v.shape.as_list()))
        values = {name: reader.get_tensor(name) for name in variables}
        for name, (v, _) in variables.items():
            v.load(values[name], session)
    return len(variables)


def save_graph(path, session):
    """Writes the graph as .pb, .pbtxt, or .meta with its collections."""
    if path.endswith('.meta'):
        with session.graph.as_default():
            tf.train.export_meta_graph(path)
    else:
        tf.train.write_graph(session.graph, os.path.dirname(path) or '.', os.path.basename(path),
                             as_text=not path.endswith('.pb'))
