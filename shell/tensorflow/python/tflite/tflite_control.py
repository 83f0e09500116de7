"""Rules of TensorFlow Lite: calls, conditionals, loops, variables and hash tables."""
import numpy as np
from _library.onnx_sequence import common
from _library.tflite_rules import rule, moves, Refused, const, scalar


class State(object):
    """A variable of the model. The operators that use it run in the order of the file."""

    def __init__(self, translator, name, dtype):
        self.translator, self.name, self.dtype = translator, name, dtype
        self.variable, self.last, self.reads = None, [], []

    def create(self, dims, value=0):
        if self.translator.scratch:
            self.variable = tf.zeros(dims, self.dtype)
            return
        with tf.control_dependencies(None):
            self.variable = tf.Variable(np.full(dims, value, self.dtype.as_numpy_dtype), name=self.name + '/', trainable=False,
                                        use_resource=True)
        self.translator.initializers.append(self.variable.initializer)

    def read(self):
        if self.translator.scratch:
            return tf.zeros(self.variable.shape, self.dtype)
        with tf.control_dependencies(self.last):
            value = self.variable.read_value()
        self.reads.append(value.op)
        return value

    def write(self, value):
        if self.translator.scratch:
            return
        with tf.control_dependencies(self.last + self.reads):
            made = self.variable.assign(value).op
        self.last, self.reads = [made], []
        self.translator.updates.append(made)


class HashTable(object):
    """A table of the model, which is filled when the model is opened."""

    def __init__(self, handle, key, value):
        self.handle, self.key, self.value = handle, key, value


def value_of(x):
    """A tensor; for a state, its value now."""
    return x.read() if isinstance(x, State) else x


@moves('CALL')
def _call(n, *inputs):
    return n.call(n.int(0), list(inputs))


@moves('STABLEHLO_COMPOSITE')
def _composite(n, *inputs):
    return n.call(n.int(1), list(inputs))


@moves('CALL_ONCE')
def _call_once(n):
    """The changes that the graph makes to variables and tables are made when the model is opened."""
    t = n.translator
    before, t.updates = t.updates, []
    try:
        n.call(n.int(0), [])
        t.initializers += t.updates
    finally:
        t.updates = before
        for state in t.states.values():
            state.last, state.reads = [], []
    return []


def _inside(t, build):
    """Adds nodes in a branch or a loop, on whose operators the nodes outside cannot depend."""
    for state in t.states.values():
        state.last, state.reads = [], []
    before, t.updates = t.updates, []
    try:
        return build()
    finally:
        t.updates = before
        for state in t.states.values():
            state.last, state.reads = [], []


def _after(t, made):
    """Lets what follows wait for a conditional or a loop, which may have changed the states."""
    ops = [v.op for v in made if isinstance(v, tf.Tensor)][:1]
    if t.states and ops:
        t.updates += ops
    for state in t.states.values():
        state.last, state.reads = list(ops), []


@moves('IF')
def _if(n, condition, *inputs):
    return _choose(n, scalar(condition), n.int(0), n.int(1), list(inputs))


def _choose(n, condition, yes, no, inputs):
    known = const(condition)
    if known is not None:
        return n.call(yes if known else no, inputs)
    kinds = []

    def branch(number):
        def build():
            def body():
                values = n.call(number, inputs)
                kinds.append(values)
                return _tensors_after(n.translator, values)
            return _inside(n.translator, body)
        return build
    made = tf.cond(condition, branch(yes), branch(no))
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    _after(n.translator, made)
    return _with_states(kinds[0], made)


def _tensors_after(t, values):
    """The tensors among the values, or a number if there are none; they wait for the changes of states."""
    tensors = [v for v in values if isinstance(v, tf.Tensor)] or [tf.constant(0)]
    with tf.control_dependencies(t.updates):
        return [tf.identity(v) for v in tensors] if t.updates else tensors


def _with_states(kinds, tensors):
    tensors = list(tensors)
    return [tensors.pop(0) if isinstance(k, tf.Tensor) else k for k in kinds]


@moves('STABLEHLO_CASE')
def _case(n, index, *inputs):
    branches = n.ints(0)

    def choose(k):
        if k == len(branches) - 1:
            return n.call(branches[k], list(inputs))
        made = tf.cond(tf.equal(scalar(index), k), lambda: n.call(branches[k], list(inputs)), lambda: choose(k + 1))
        return list(made) if isinstance(made, (list, tuple)) else [made]
    return choose(0)


@moves('WHILE STABLEHLO_WHILE')
def _while(n, *inputs):
    condition, body, t = n.int(0), n.int(1), n.translator
    values = [value_of(x) if not isinstance(x, (State, HashTable)) or isinstance(x, State) and i.dtype != tf.resource else x
              for x, i in zip(inputs, n.ins)]
    at = [k for k, v in enumerate(values) if isinstance(v, tf.Tensor)]
    shapes = _stable_shapes(t, body, values)

    def spread(tensors):
        whole = list(values)
        for k, v, shape in zip(at, tensors, shapes):
            v.set_shape(shape)
            whole[k] = v
        return whole

    def step(*tensors):
        def build():
            made = n.call(body, spread(tensors))
            return _tensors_after(t, [made[k] for k in at])
        return tuple(_inside(t, build))

    def go_on(*tensors):
        return scalar(_inside(t, lambda: n.call(condition, spread(tensors)))[0])
    if not at:
        raise Refused('a loop without tensors is not supported')
    made = tf.while_loop(go_on, step, [values[k] for k in at], shape_invariants=shapes)
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    _after(t, made)
    result = list(values)
    for k, v in zip(at, made):
        result[k] = v
    return result


def _stable_shapes(t, body, values):
    """The shapes that the tensors of a loop have in every iteration."""
    shapes = [v.shape for v in values if isinstance(v, tf.Tensor)]
    for _ in range(3):
        left = list(shapes)
        kinds = [(v.dtype, left.pop(0)) if isinstance(v, tf.Tensor) else v for v in values]
        made = [k for k, v in zip(t.dry_run(body, kinds), values) if isinstance(v, tf.Tensor)]
        new = [common(s, k[1]) for s, k in zip(shapes, made)]
        if [str(s) for s in new] == [str(s) for s in shapes]:
            return shapes
        shapes = new
    return [tf.TensorShape(None)] * len(shapes)


# ---- variables ----

@moves('VAR_HANDLE')
def _var_handle(n):
    t, key = n.translator, n.text(0) + '/' + n.text(1)
    if key not in t.states:
        name = (n.text(1) or n.name) if t.scratch else t.names.make(n.text(1) or n.name, t.prefix)
        t.states[key] = State(t, name, None)
    return t.states[key]


@moves('READ_VARIABLE')
def _read_variable(n, state):
    _created(state, n.outs[0])
    return state.read()


@moves('ASSIGN_VARIABLE')
def _assign_variable(n, state, value):
    _created(state, n.ins[1])
    state.write(value)
    return []


def _created(state, info):
    if not isinstance(state, State):
        raise Refused('its input is not a variable')
    if state.variable is None:
        state.dtype = info.dtype
        state.create(info.dims)


# ---- hash tables ----

def _type(code):
    from _library.tflite_file import TYPES
    return TYPES[code][0]


@moves('HASHTABLE')
def _hashtable(n):
    t, key = n.translator, n.int(0)
    if key not in t.tables:
        dtypes = _type(n.byte(1)), _type(n.byte(2))
        with tf.control_dependencies(None):
            handle = tf.raw_ops.MutableHashTableV2(key_dtype=dtypes[0], value_dtype=dtypes[1], shared_name='%stable_%d' % (
                t.prefix, key), name='table')
        t.tables[key] = HashTable(handle, *dtypes)
    return t.tables[key]


@moves('HASHTABLE_IMPORT')
def _hashtable_import(n, table, keys, values):
    n.translator.updates.append(tf.raw_ops.LookupTableImportV2(table_handle=table.handle, keys=keys, values=values))
    return []


@moves('HASHTABLE_FIND')
def _hashtable_find(n, table, keys, default):
    return tf.raw_ops.LookupTableFindV2(table_handle=table.handle, keys=keys, default_value=scalar(default))


@moves('HASHTABLE_SIZE')
def _hashtable_size(n, table):
    return tf.reshape(tf.raw_ops.LookupTableSizeV2(table_handle=table.handle), [1])
