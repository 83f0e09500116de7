"""User-defined gradients: tf.RegisterGradient, Graph.gradient_override_map and tf.custom_gradient."""

_registered = {}
_count = [0]


class RegisterGradient(object):
    """`@tf.RegisterGradient(name) def f(op, grad)` defines the gradient of ops to which gradient_override_map gives
    this name."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string')
        self._op_type = op_type

    def __call__(self, f):
        if self._op_type in _registered:
            raise KeyError("Registering two gradient with name '%s'!" % self._op_type)
        _registered[self._op_type] = f
        return f


class _Override(object):
    """`with g.gradient_override_map({'Square': 'MySquare'}):` assigns this gradient to Square ops that are created
    inside."""

    def __init__(self, graph, op_type_map):
        if not isinstance(op_type_map, dict):
            raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        for op, name in op_type_map.items():
            if not isinstance(op, str) or not isinstance(name, str):
                raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        self._graph, self._map, self._before = graph, op_type_map, None

    def __enter__(self):
        self._before = self._graph._override_gradients({})
        self._graph._override_gradients(dict(self._before, **self._map))

    def __exit__(self, kind, error, traceback):
        self._graph._override_gradients(self._before)


def _sum(parts):
    return None if not parts else parts[0] if len(parts) == 1 else tf.add_n([tf.convert_to_tensor(p) for p in parts])


def _own_gradients(op, name, gradients):
    """Calls the function with this name on the gradients of op's outputs. Returns one gradient per input."""
    if name not in _registered:
        raise LookupError("No gradient defined for operation '%s' (op type: %s)" % (op.name, op.type))
    gradients = [tf.zeros_like(out) if g is None else g for out, g in zip(op.outputs, gradients)]
    made = _registered[name](op, *gradients)
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    if len(made) != len(op.inputs):
        raise ValueError('Num gradients %d generated for op %s do not match num inputs %d' % (
            len(made), op.node_def, len(op.inputs)))
    return made


def _split_gradients(ops, ys, xs, grad_ys, stops, name):
    """Computes tf.gradients in a graph in which `ops`, newest first, have user-defined gradients."""
    outs = [out for op, _ in ops for out in op.outputs]
    wanted, parts = xs + outs, [[] for _ in xs + outs]

    with tf.name_scope(name, 'gradients') as scope:
        pass

    def flow(ys, gradients):
        made = tf.gradients(ys, wanted, gradients, stop_gradients=stops + outs, name=scope)
        for part, gradient in zip(parts, made):
            if gradient is not None:
                part.append(gradient)
    flow(ys, grad_ys)
    at = len(xs)
    for op, registered in ops:
        gradients = [_sum(part) for part in parts[at:at + len(op.outputs)]]
        at += len(op.outputs)
        if all(g is None for g in gradients):
            continue
        with tf.name_scope(scope), tf.name_scope(op.name + '_grad'):
            made = _own_gradients(op, registered, gradients)
        pairs = [(x, g) for x, g in zip(op.inputs, made) if g is not None]
        if pairs:
            flow([x for x, _ in pairs], [g for _, g in pairs])
    return [_sum(part) for part in parts[:len(xs)]]


class _Op(object):
    """The op that a gradient function receives."""

    def __init__(self, type, outputs, inputs):
        self.type, self.outputs, self.inputs = type, list(outputs), list(inputs)
        self.name, self.graph = outputs[0].op.name, outputs[0].graph


def _with_own_gradient(type, outputs, inputs):
    """Returns outputs that do not belong to a single node (a Python function), with the gradient of the current map."""
    graph = tf.get_default_graph()
    names = graph._override_gradients({})
    graph._override_gradients(names)
    if type not in names:
        return outputs
    op = _Op(type, outputs, inputs)
    _count[0] += 1
    name = '%s-%d' % (names[type], _count[0])

    @RegisterGradient(name)
    def gradient(unused_op, *result_grads):
        made = _registered[names[type]](op, *result_grads[:len(op.outputs)])
        return [None] * len(op.outputs) + (list(made) if isinstance(made, (list, tuple)) else [made])
    with graph.gradient_override_map({'IdentityN': name}):
        return list(tf.identity_n(list(outputs) + list(inputs))[:len(op.outputs)])


def _flat(structure):
    if isinstance(structure, (list, tuple)):
        return [item for part in structure for item in _flat(part)]
    return [structure]


def _packed(structure, flat):
    if isinstance(structure, (list, tuple)):
        return type(structure)(_packed(part, flat) for part in structure)
    return flat.pop(0)


def custom_gradient(f=None):
    """f returns its result and a function that maps the gradient of the result to those of f's arguments."""
    if f is None:
        return custom_gradient

    def decorated(*args, **kwargs):
        if kwargs:
            raise ValueError('The custom_gradient decorator currently supports keywords arguments only when eager '
                             'execution is enabled.')
        _count[0] += 1
        name = 'CustomGradient-%d' % _count[0]
        args = [tf.convert_to_tensor(x) for x in args]
        before = set(v.name for v in tf.global_variables())
        result, grad_fn = f(*args)
        if set(v.name for v in tf.global_variables()) - before:
            raise TypeError('All variables used by `f` with @custom_gradient must be `ResourceVariable`s. Ensure that no '
                            '`variable_scope` is created with `use_resource=False`.')
        flat = [tf.convert_to_tensor(r) for r in _flat(result)]

        @RegisterGradient(name)
        def gradient(unused_op, *result_grads):
            return [None] * len(flat) + _flat(grad_fn(*result_grads[:len(flat)]))
        with tf.get_default_graph().gradient_override_map({'IdentityN': name}):
            made = tf.identity_n(flat + args)
        return _packed(result, list(made[:len(flat)]))
    decorated.__name__ = getattr(f, '__name__', 'decorated')
    decorated.__doc__ = getattr(f, '__doc__', None)
    return decorated
