"""open FILE --trainable: the weights of a model become variables, which an optimizer can change.

A loader adds constants. The model is opened into a graph of its own, from which the nodes are then copied into the graph of the
session, with a variable in place of each weight. Thus it works for every format.

A model that has variables is opened as usual. Those of TensorFlow 2 are only handles in its graph, and its objects tell which of
them are to be trained.
"""
from google.protobuf.internal.wire_format import field as _field, fields as _fields
from _library.model import Model

# The inputs of ops that are weights, and ops whose result is a weight if an input is one.
_WEIGHTS = {'BiasAdd': (1,), 'FusedBatchNorm': (1, 2), 'FusedBatchNormV2': (1, 2), 'FusedBatchNormV3': (1, 2),
            'GatherV2': (0,), 'Gather': (0,), 'Conv2DBackpropInput': (1,), 'Conv3DBackpropInputV2': (1,)}
_WEIGHTS.update((op, (0, 1)) for op in (
    'Conv2D', 'Conv3D', 'DepthwiseConv2dNative', 'MatMul', 'BatchMatMul', 'BatchMatMulV2', 'BatchMatMulV3', 'Einsum', 'Add',
    'AddV2', 'Sub', 'Mul', 'RealDiv', 'SquaredDifference'))
_PASSES = ('Identity', 'Transpose', 'Reshape', 'Cast', 'ExpandDims', 'Squeeze', 'Enter', 'ConcatV2', 'Split', 'SplitV', 'Slice',
           'StridedSlice', 'Pack', 'Unpack', 'Select', 'SelectV2', 'Switch')


_PRODUCTS = ('Conv2D', 'Conv3D', 'DepthwiseConv2dNative', 'MatMul', 'BatchMatMul', 'BatchMatMulV2', 'BatchMatMulV3')


def _weights(graph):
    """The constants of real numbers that an op takes as a weight. A single number is one only if it is added to a product."""
    def is_constant(op):
        if op.type != 'Const' or not graph.is_fetchable(op):  # a constant inside of a conditional is no weight
            return False
        t = op.outputs[0]
        return t.dtype.is_floating and t.shape.ndims != 0 and t.shape.num_elements() > 0

    def is_weight(name, op):
        return graph.get_tensor_by_name(name + ':0').shape.num_elements() > 1 or \
            op.type in ('Add', 'AddV2', 'BiasAdd') and any(t.op.type in _PRODUCTS for t in op.inputs)

    ops = graph.get_operations()
    origins, found = {}, set()  # origins: by tensor, the constants that it is made of
    for op in ops:
        if is_constant(op):
            origins[op.outputs[0].name] = {op.name}
        inputs = [origins.get(t.name, set()) for t in op.inputs]
        for i in _WEIGHTS.get(op.type, ()):
            found |= set(name for name in inputs[i] if is_weight(name, op)) if i < len(inputs) else set()
        if op.type in _PASSES and any(inputs):
            for t in op.outputs:
                origins[t.name] = set().union(*inputs)
    return [op for op in ops if op.name in found]


def _check_free(graph, names, path):
    for name in names:
        try:
            graph.get_operation_by_name(name)
        except KeyError:
            continue
        raise ValueError("'%s' already exists in this graph; reset the session first, or type: open %s as NAME --trainable" % (
            name, path))


def _trained(message):
    """The names of the variables that a MetaGraphDef of TensorFlow 2 describes as trainable; None if it describes none."""
    def parts(message, wanted):
        return [value for number, value in _fields(message) if number == wanted and isinstance(value, bytes)]
    objects = parts(message, 7)
    names = set()
    for variable in [v for o in objects for node in parts(o, 1) for v in parts(node, 7)]:
        if (3, 1) in list(_fields(variable)):
            names.update(name.decode('utf-8', 'replace') for name in parts(variable, 6))
    return names if objects else None


def _is_trained(op, model, names):
    name = op.name[len(model._prefix):]
    stem, _, number = name.rpartition('_')  # of objects with equal names, the nodes have numbers
    real = tf.as_dtype(op.get_attr('dtype')).is_floating
    return real and (names is None or name in names or number.isdigit() and stem in names)


def _variable(op, trainable=True):
    """The variable of a handle. Its initializer keeps the value of the model, so that global_variables_initializer() sets only those of
    an optimizer."""
    handle = op.outputs[0]
    read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=op.get_attr('dtype'), name=op.name + '/value/')
    keep = tf.raw_ops.AssignVariableOp(resource=handle, value=read, name=op.name + '/keep/')
    return tf.Variable(trainable=trainable, variable_def=(handle, read, keep))


def _keep_values(before):
    """Replaces the variables that a model has brought along, except references, by ones whose initializer keeps the value."""
    made = {}
    for key, known in before.items():
        variables = tf.get_collection_ref(key)
        for i in range(known, len(variables)):
            v = variables[i]
            if v.op.type == 'VarHandleOp':
                if v.op.name not in made:
                    made[v.op.name] = _variable(v.op, v.trainable)
                variables[i] = made[v.op.name]


def _open_with_variables(load, path, session):
    with session.graph.as_default():
        before = len(session.graph.get_operations())
        known = {key: len(tf.get_collection(key)) for key in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES)}
        model = load(session)
        if len(tf.trainable_variables()) > known[tf.GraphKeys.TRAINABLE_VARIABLES]:  # of Keras or TensorFlow 1
            _keep_values(known)
            return model
        names = _trained(model._read()) if model._read else None
        ops = [op for op in session.graph.get_operations()[before:] if op.type == 'VarHandleOp' and _is_trained(op, model, names)]
        # Of objects that exist twice, only one has a value.
        present = session.run([tf.raw_ops.VarIsInitializedOp(resource=op.outputs[0], name=op.name + '/present/') for op in ops])
        made = [_variable(op) for op, there in zip(ops, present) if there]
        if not made:
            raise ValueError('%s has variables, and none that can be trained. Type: open %s' % (path, path))
        for key in known:
            tf.get_collection_ref(key).extend(made)
    return model


def open_trainable(load, path, scope, session):
    """Opens a model with `load`, a function of a session, and makes variables of its weights."""
    apart = tf.Graph()._hide()
    with tf.Session(graph=apart) as loaded:
        model = load(loaded)
        if not isinstance(model, Model):
            raise ValueError('%s is not a model, so nothing of it can be trained. Type: open %s' % (path, path))
        state = [op for op in apart.get_operations() if op.type in ('VarHandleOp', 'VariableV2', 'Variable')]
        if state:
            return _open_with_variables(load, path, session)
        weights = _weights(apart)
        if not weights:
            raise ValueError('%s has no weights of real numbers outside of conditionals and loops. Type: open %s' % (path, path))
        values = loaded.run({op.name: op.outputs[0] for op in weights})
    message = apart.as_graph_def().SerializeToString()
    kept = [(number, value) for number, value in _fields(message)
            if number != 1 or next(_fields(value, 1))[1].decode('utf-8') not in values]
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(b''.join(_field(number, value) for number, value in kept))
    with session.graph.as_default():
        _check_free(session.graph, list(values) + [op.name for op in apart.get_operations()[:1]], path)
        made = [tf.Variable(values[op.name], name=op.name, use_resource=True) for op in weights]
        tf.import_graph_def(graph_def, {op.outputs[0].name: v.value() for op, v in zip(weights, made)}, name='')
        session.run([v.initializer for v in made])
    model._session = session
    numbers = sum(op.outputs[0].shape.num_elements() for op in weights)
    size = sum(op.outputs[0].shape.num_elements() * op.outputs[0].dtype.size for op in weights)
    model._about.update(variables={'count': len(weights), 'numbers': numbers, 'bytes': size})
    if model._lines is not None:
        model._lines.append(('variables', ['%d with %s numbers; tf.trainable_variables() lists them' % (len(weights), format(numbers, ','))]))
    return model
