"""File operations of the verbs open, save and load."""
import os
import _library


def checkpoint_in(folder):
    """Returns the prefix of the latest checkpoint in a folder, or None. Without the file `checkpoint`, this is the last one by
    name. A prefix may end with the slash of the folder."""
    inside = sorted(n for n in os.listdir(folder) if n.endswith('.index'))
    return tf.train.latest_checkpoint(folder) or (os.path.join(folder, inside[-1][:-len('.index')]) if inside else None)


def _prefix(path):
    """Returns the prefix of a checkpoint. `path` is the prefix, one of its files, or a folder, in which the latest is
    used."""
    if os.path.isdir(path):
        found = checkpoint_in(path)
        inside = os.path.join(path, 'variables', 'variables')  # of a SavedModel
        if found is None and os.path.isfile(inside + '.index'):
            return inside
        if found is None:
            raise tf.errors.NotFoundError(None, None, 'no checkpoint in ' + path)
        return found
    for ending in ('.index', '.meta', '.data-00000-of-00001'):
        if path.endswith(ending):
            return path[:-len(ending)]
    return path


class _Variable(object):
    """A variable of a graph that has only nodes and no Python object, as in a model of TF 2. The nodes that read and
    assign it are removed after the verb."""

    def __init__(self, op):
        self.op, self._is_resource = op, op.type == 'VarHandleOp'
        self.dtype, self.shape = tf.as_dtype(op.get_attr('dtype')), tf.TensorShape(op.get_attr('shape'))

    def value(self):
        return tf.raw_ops.ReadVariableOp(resource=self.op.outputs[0], dtype=self.dtype) if self._is_resource else \
            self.op.outputs[0]

    def has_value(self):
        return tf.raw_ops.VarIsInitializedOp(resource=self.op.outputs[0]) if self._is_resource else \
            tf.raw_ops.IsVariableInitialized(ref=self.op.outputs[0])

    def load(self, value, session):
        new = tf.placeholder(self.dtype)
        assign = tf.raw_ops.AssignVariableOp(resource=self.op.outputs[0], value=new) if self._is_resource else \
            tf.raw_ops.Assign(ref=self.op.outputs[0], value=new)
        session.run(assign, {new: value})


def _variables(session, restoring=False):
    """Returns the variables by name, each with the tensor to fetch for its value. Of those without a Python object, only
    those with a value are saved, because some models leave them out themselves."""
    known = {v.op.name: (v, v) for v in tf.global_variables()}
    local = set(v.op.name for v in tf.local_variables())
    bare = [_Variable(op) for op in tf.get_default_graph().get_operations()
            if op.type in ('VarHandleOp', 'VariableV2', 'Variable') and op.name not in known and op.name not in local]
    if bare and not restoring:
        bare = [v for v, has in zip(bare, session.run([v.has_value() for v in bare])) if has]
    found = dict(known, **{v.op.name: (v, None if restoring else v.value()) for v in bare})
    if not found:
        raise ValueError('this graph has no variables')
    return found


def save_variables(path, session):
    """Writes a checkpoint without adding nodes to the graph. Returns the number of variables."""
    with session.graph.as_default():
        variables = _variables(session)
        values = session.run([fetch for _, fetch in variables.values()])
    with tf.Graph()._hide().as_default():
        feeds = [tf.placeholder(v.dtype.base_dtype) for v, _ in variables.values()]
        save = tf.raw_ops.SaveV2(prefix=path, tensor_names=list(variables), shape_and_slices=[''] * len(feeds),
                                 tensors=feeds)
        with tf.Session() as writer:
            writer.run(save, dict(zip(feeds, values)))
    return len(feeds)


def load_variables(path, session):
    """Restores all variables from a checkpoint or from the weights of a Keras model, or none. Returns their number."""
    if os.path.isfile(path) and _library.formats.recognize(path).kind in ('keras', 'hdf5'):
        return _library.keras.load_weights(path, session)
    prefix = _prefix(path)
    with session.graph.as_default():
        variables = _variables(session, restoring=True)
        if not tf.train.checkpoint_exists(prefix):
            what = _library.formats.recognize(path) if os.path.exists(path) else None
            raise tf.errors.NotFoundError(None, None, '%s is not a checkpoint: %s' % (
                prefix, 'there is no %s.index' % prefix if what is None else 'it is ' + what.what))
        reader = tf.train.NewCheckpointReader(prefix)
        shapes = reader.get_variable_to_shape_map()
        missing = [name for name in variables if name not in shapes]
        savers = tf.get_collection(tf.GraphKeys.SAVERS)
        if missing and savers:
            # The model itself knows under which names, or in which slices, its variables were saved.
            try:
                savers[-1].restore(session, prefix)
                _library.saved_model.restore_originals(session, savers[-1], 0)
                return len(variables)
            except tf.errors.OpError:
                pass
        # A variable that never had a value was not saved.
        for name in missing:
            if isinstance(variables[name][0], _Variable) and not session.run(variables[name][0].has_value()):
                del variables[name]
        missing = [name for name in missing if name in variables]
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
