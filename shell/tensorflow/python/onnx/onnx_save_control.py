"""Rules of `save model.onnx`: calls, conditionals, loops, and the arrays that loops read and write."""
import _graphs
import numpy as np
from _library.onnx_save import rule, Bad, Body, First, Refused, RULES, onnx_type, value_info

_ENTERS = ('Enter', 'RefEnter')
_END = (1 << 63) - 1


class Dense(object):
    """An array or list whose elements are the rows of a tensor."""

    def __init__(self, name):
        self.name = name


class Empty(object):
    """An array or list without elements, of `size` elements at the end."""

    def __init__(self, size):
        self.size = size


class Written(object):
    """An array in the body of a loop, after this iteration has written a value. `at` is the tensor of the index."""

    def __init__(self, value, at, t):
        self.value, self.at, self.t = value, at, t


class Handle(object):
    """The handle of an array of TensorFlow 1. The value is the flow's."""


def _is_call(op):
    return op.type.endswith('PartitionedCall')


def inputs_of(writer, op):
    """The tensors that must be translated before an op."""
    if op.type == 'Exit' or op.type == 'RefExit':
        return [t for t in loop_of(writer, op).outer]
    if op.type in ('Merge', 'RefMerge'):
        made = branches_of(writer, op)
        taken = writer.value_of(made.predicate)
        return made.outer if taken is None else [made.branches[int(taken)]]
    if _is_call(op):
        return _results_of(writer, op)
    if op.type in ('VarHandleOp',) or op.name in writer.known and writer.known[op.name]:
        return []
    return [t for t in op.inputs if not writer.value_of_is_cheap(t)] if op.type != 'Const' else []


# ---- calls ----

def _inlined(writer, op):
    """Copies the body of the function that an op calls into the graph. Returns the results."""
    writer.counts['calls'] = writer.counts.get('calls', 0) + 1
    scope = 'saved_call_%d' % writer.counts['calls']
    return _graphs.inline(op, scope)


def _results_of(writer, op):
    if op.name not in writer.made:
        writer.made[op.name] = _inlined(writer, op)
    return writer.made[op.name]


@rule('PartitionedCall StatefulPartitionedCall')
def call(n):
    return [_value(n.writer, t) for t in _results_of(n.writer, n.op)]


def results_of_function(writer, name, args, types):
    """The results of a function for these arguments."""
    with writer.session.graph.as_default():
        call = tf.raw_ops.PartitionedCall(args=args, Tout=types, f=name)
    op = (call[0] if isinstance(call, (list, tuple)) else call).op
    return _inlined(writer, op)


# ---- conditionals ----

class _Branches(object):
    """A conditional: its predicate, the results of both branches, and the tensors outside that they use."""

    def __init__(self, predicate, branches, outer):
        self.predicate, self.branches, self.outer = predicate, branches, outer


def _switch_above(writer, t):
    """Finds the Switch that decides whether a tensor is computed. Returns it and the number of its output, and the tensors
    that enter the branch. A loop in the branch has switches and merges of its own, so it counts as one op with its outer inputs."""
    outer, found, seen, stack = [], None, set(), [(t, 0)]
    while stack:
        t, depth = stack.pop()
        if (t.name, depth) in seen:
            continue
        seen.add((t.name, depth))
        op = t.op
        if op.type in ('Switch', 'RefSwitch'):
            if depth == 0:
                found = found or (op, t.value_index)
                outer += [op.inputs[0], op.inputs[1]]
                continue
            depth -= 1
        elif op.type in ('Merge', 'RefMerge'):
            depth += 1
        inputs = loop_of(writer, op).outer if op.type in ('Exit', 'RefExit') else op.inputs
        stack += [(i, depth) for i in inputs] + [(c.outputs[0], depth) for c in op.control_inputs if c.outputs]
    return found, outer


def branches_of(writer, op):
    if op.name not in writer.made:
        found = [_switch_above(writer, t) for t in op.inputs[:2]]
        if len(op.inputs) != 2 or not any(f for f, _ in found):
            raise ValueError('%s joins branches that no Switch separates' % op.name)
        side = found[0][0][1] if found[0][0] else 1 - found[1][0][1]
        switch = (found[0][0] or found[1][0])[0]
        branches = list(op.inputs) if side == 0 else list(op.inputs)[::-1]
        outer = [t for _, ts in found for t in ts]
        writer.made[op.name] = _Branches(switch.inputs[1], branches, outer)
    return writer.made[op.name]


def _value(writer, t):
    """The value of a tensor that is passed on, in the order of dimensions in which it is known."""
    first, plain = writer.body.find(t.name, 'first'), writer.body.find(t.name)
    return plain if plain is not None else First(first) if first is not None else writer.plain(t)


@rule('Switch RefSwitch')
def switch(n):
    value = _value(n.writer, n.inputs[0])
    return [value, value]


def _subgraph(writer, results, env):
    """A Body that computes the results. `env` has the values of some tensors."""
    body = Body(writer.body)
    body.values.update(env)
    outer, writer.body = writer.body, body
    try:
        writer.emit(results)
        body.wanted = []
        for t in results:
            name = writer.name(writer.scope + '/out')
            body.nodes.append(['Identity', [writer.plain(t)], [name], {}])
            body.wanted.append(name)
            body.outputs.append(value_info(name, t.dtype, None))
    finally:
        writer.body = outer
        body.close()
    return body


@rule('Merge RefMerge')
def _merge(n):
    made = branches_of(n.writer, n.op)
    taken = n.writer.value_of(made.predicate)
    if taken is not None:  # only this branch is written
        return [_value(n.writer, made.branches[int(taken)]), None]
    predicate = n.writer.plain(made.predicate)
    y = n.make('If', [predicate], else_branch=_subgraph(n.writer, [made.branches[0]], {}),
               then_branch=_subgraph(n.writer, [made.branches[1]], {}))
    return [y, n.make('Cast', [predicate], to=6)]


@rule('If StatelessIf')
def _if(n):
    types = [t.dtype for t in n.outputs]
    bodies = {}
    for key in ('then_branch', 'else_branch'):
        results = results_of_function(n.writer, n.attr(key), n.inputs[1:], types)
        bodies[key] = _subgraph(n.writer, results, {})
    condition = n.x(0)
    if n.dtype() != tf.bool:
        condition = n.make('Cast', [condition], to=9)
    return n.many('If', [condition], len(types), **bodies)


# ---- loops ----

class _Loop(object):
    """A loop of TensorFlow 1: a list of (Merge, Switch, initial tensor, next tensor, Exit or None)."""

    def __init__(self, condition):
        self.condition, self.rows, self.outer = condition.inputs[0], [], []
        for switch in condition.outputs[0].consumers():
            if switch.type not in ('Switch', 'RefSwitch'):
                continue
            merge = switch.inputs[0].op
            enter = [t.op for t in merge.inputs if t.op.type in _ENTERS]
            step = [t.op for t in merge.inputs if t.op.type in ('NextIteration', 'RefNextIteration')]
            if enter and step:
                exits = [o for o in switch.outputs[0].consumers() if o.type in ('Exit', 'RefExit')]
                self.rows.append((merge, switch, enter[0].inputs[0], step[0].inputs[0], exits))
                self.outer.append(enter[0].inputs[0])
        self._find_invariants()

    def _find_invariants(self):
        own = set(m.name for m, _, _, _, _ in self.rows)
        seen, stack = set(), [r[3] for r in self.rows] + [self.condition]
        while stack:
            op = stack.pop().op
            if op.name in seen or op.name in own:
                continue
            seen.add(op.name)
            if op.type in _ENTERS and op.get_attr('is_constant'):
                self.outer.append(op.inputs[0])
            else:
                stack += list(op.inputs)


def loop_of(writer, op):
    condition = op.inputs[0].op.inputs[1].op
    if condition.type != 'LoopCond':
        raise ValueError('%s does not leave a loop' % op.name)
    if condition.name not in writer.made:
        writer.made[condition.name] = _Loop(condition)
    return writer.made[condition.name]


@rule('Enter RefEnter NextIteration LoopCond')
def enter(n):
    found = n.writer.body.find(n.inputs[0].name)
    return found if found is not None else n.writer.plain(n.inputs[0])


def in_place(writer, body, tensors, env):
    """Computes tensors in `body` with other values of some tensors. Returns their names."""
    inner = Body(body)
    inner.nodes = body.nodes
    inner.values.update(env)
    outer, writer.body = writer.body, inner
    try:
        writer.emit(tensors)
        return [writer.plain(t) for t in tensors]
    finally:
        writer.body = outer


def _counts(t, arg):
    """Returns true if t is arg + 1."""
    def origin(x):
        while x.op.type in ('Identity', 'Enter', 'NextIteration'):
            x = x.op.inputs[0]
        return x
    t = origin(t)
    if t.op.type not in ('Add', 'AddV2'):
        return False
    sides = [origin(i) for i in t.op.inputs]
    one = [tf.get_static_value(s) for s in sides]
    return any(sides[i].name == arg.name and one[1 - i] is not None and int(one[1 - i]) == 1 for i in (0, 1))


def origin(t):
    while t.op.type == 'Identity':
        t = t.op.inputs[0]
    return t


def _emit_loop(writer, rows, condition_of, shape_of=None):
    """Adds a Loop. `rows` are (initial value, argument in the body, next tensor, dtype, shape), and condition_of(body, values)
    is the name of the condition for values of the arguments. Returns the values after the loop."""
    kept = [i for i, row in enumerate(rows) if not isinstance(row[0], Empty)]
    body = Body(writer.body)
    count, before = writer.name(writer.scope + '/iteration'), writer.name(writer.scope + '/condition')
    body.inputs = [value_info(count, 7, tf.TensorShape([])), value_info(before, 9, tf.TensorShape([]))]
    arguments = []
    for i, (start, arg, _, dtype, shape) in enumerate(rows):
        value = start
        if i in kept:
            value = writer.name(writer.scope + '/arg_%d' % i)
            body.inputs.append(value_info(value, dtype, None if shape is None or shape.ndims is None else tf.TensorShape(
                [None] * shape.ndims)))  # a reader may know the number of dimensions only from here
        arguments.append(value)
        body.values[arg.name] = value
    start = condition_of(writer.body, [row[0] for row in rows])
    outer, writer.body = writer.body, body
    try:
        writer.emit([row[2] for row in rows])
        after = [writer.body.find(row[2].name) if i not in kept else writer.plain(row[2]) for i, row in enumerate(rows)]
        for value in after:
            if isinstance(value, Bad):
                raise value
        outs = [condition_of(body, after)] + [after[i] for i in kept]
        kinds = [tf.bool] + [rows[i][3] for i in kept]
        arrays = [i for i in range(len(rows)) if i not in kept]
        for i in arrays:
            if not isinstance(after[i], Written):
                raise Refused('an array that the loop does not write once in each iteration')
            outs.append(after[i].value)
            kinds.append(after[i].t.dtype)
        lasts = [_is_last(writer, after[i], rows) for i in arrays]
        body.wanted = []
        for value, kind in zip(outs, kinds):
            name = writer.name(writer.scope + '/next')
            body.nodes.append(['Identity', [value], [name], {}])
            body.wanted.append(name)
            body.outputs.append(value_info(name, kind, None))
    finally:
        writer.body = outer
        body.close()
    made = writer.many('Loop', ['', start] + [rows[i][0] for i in kept], len(kept) + len(arrays), body=body)
    results = dict(zip(kept, made))
    for i, name, last in zip(arrays, made[len(kept):], lasts):
        if last:  # every iteration writes the same element
            name = writer.make('Slice', [name] + [writer.constant(np.array([v], np.int64)) for v in (-1, _END, 0)])
        else:
            name = _with_zeros(writer, name, rows[i][0], after[i].t)
        results[i] = Dense(name)
    return [results[i] for i in range(len(rows))]


def _with_zeros(writer, name, array, element):
    """Appends zeros for the elements that a loop has not written because it stopped early."""
    if array.size is None:
        return name
    if element.shape.ndims is None:
        raise Refused('the number of dimensions of an element of its array is not known')

    def ints(*values):
        return writer.constant(np.array(values, np.int64))
    count = writer.make('Slice', [writer.make('Shape', [name]), ints(0), ints(1)])
    size = writer.make('Reshape', [writer.int64(array.size), ints(1)])
    missing = writer.make('Max', [writer.make('Sub', [size, count]), ints(0)])
    pads = [ints(*[0] * (element.shape.ndims + 1)), missing]
    if element.shape.ndims:
        pads.append(ints(*[0] * element.shape.ndims))
    return writer.make('Pad', [name, writer.make('Concat', pads, axis=0)])


def _is_last(writer, written, rows):
    """Checks that the elements are written in order. Returns true if each iteration writes element 0."""
    if written.at is None:
        return False
    known = tf.get_static_value(written.at)
    if known is not None and int(known) == 0:
        return True
    at = origin(written.at)
    for start, arg, after, _, _ in rows:
        if arg.name == at.name and isinstance(start, str) and _counts(after, arg):
            value = writer.initializers.get(start)
            if value is not None and int(value) == 0:
                return False
    raise Refused('an array whose elements the loop does not write in the order 0, 1, 2, …')


@rule('Exit RefExit')
def _exit(n):
    writer, loop = n.writer, loop_of(n.writer, n.op)
    rows, merges = [], []
    for merge, switch, start, after, _ in loop.rows:
        value = writer.body.find(start.name)
        if value is None or isinstance(value, str):
            value = writer.plain(start)
        if isinstance(value, Bad):
            raise value
        if isinstance(value, Dense):
            raise Refused('an array that is both read and written')
        rows.append((value, switch.outputs[1], after, start.dtype.base_dtype, merge.outputs[0].shape))
        merges.append(merge.outputs[0])

    def condition_of(body, values):
        return in_place(writer, body, [loop.condition], {m.name: v for m, v in zip(merges, values)})[0]
    results = _emit_loop(writer, rows, condition_of)
    mine = None
    for (merge, switch, _, _, exits), value in zip(loop.rows, results):
        for leaving in exits:
            writer.body.values[leaving.outputs[0].name] = value
            if leaving.name == n.op.name:
                mine = value
    return mine


def rows_of_while(n):
    """The arguments that a While changes. Returns {number: (initial tensor, argument in the body, next tensor)}, and the condition."""
    writer, types = n.writer, [t.dtype for t in n.outputs]

    def bind(invariant):
        with writer.session.graph.as_default():
            return [t if i in invariant or t.dtype == tf.resource else tf.placeholder(t.dtype, out.shape)
                    for i, (t, out) in enumerate(zip(n.inputs, n.outputs))]
    args = bind(())
    results = results_of_function(writer, n.attr('body'), args, types)
    same = set(i for i, (a, r) in enumerate(zip(args, results)) if origin(r).name == a.name)
    if same:
        args = bind(same)
        results = results_of_function(writer, n.attr('body'), args, types)
    changing = [i for i in range(len(types)) if i not in same and types[i] != tf.resource]
    return {i: (n.inputs[i], args[i], results[i]) for i in changing}, results_of_function(writer, n.attr('cond'), args, [tf.bool])[0]


def results_of_while(n, after):
    """The results of a While. `after` are those that it changes, by number."""
    made = []
    for i, t in enumerate(n.inputs):
        value = after.get(i)
        if value is None and t.dtype != tf.resource:
            value = n.writer.body.find(t.name)
            value = value if value is not None else n.writer.plain(t)
        made.append(value)
    return made


@rule('While StatelessWhile')
def _while(n):
    writer, rows, args = n.writer, [], []
    changing, condition = rows_of_while(n)
    for i, (start, arg, after) in changing.items():
        value = writer.body.find(start.name)
        value = value if value is not None else writer.plain(start)
        if isinstance(value, Dense):
            raise Refused('a list that is both read and written')
        rows.append((value, arg, after, n.outputs[i].dtype, n.outputs[i].shape))
        args.append(arg)

    def condition_of(body, values):
        return in_place(writer, body, [condition], {a.name: v for a, v in zip(args, values)})[0]
    return results_of_while(n, dict(zip(changing, _emit_loop(writer, rows, condition_of))))


# ---- arrays ----

def _array(n, i):
    value = n.writer.body.find(n.inputs[i].name)
    if isinstance(value, Bad):
        raise value
    return value


def _dense(n, i):
    value = _array(n, i)
    if not isinstance(value, Dense):
        raise Refused('an array that is read before it is complete')
    return value.name


@rule('TensorArrayV3')
def _new_array(n):
    return [Handle(), Empty(n.inputs[0])]


@rule('TensorListReserve')
def _reserve(n):
    return Empty(n.inputs[1])


@rule('EmptyTensorList')
def _empty_list(n):
    return Empty(None)


def is_range(t):
    t = origin(t)
    if t.op.type == 'Range':
        start, step = tf.get_static_value(t.op.inputs[0]), tf.get_static_value(t.op.inputs[2])
        return start is not None and int(start) == 0 and step is not None and int(step) == 1
    value = tf.get_static_value(t)
    return value is not None and list(value) == list(range(len(value)))


@rule('TensorArrayScatterV3')
def _scatter(n):
    if not is_range(n.inputs[1]):
        raise Refused('an array that is filled in another order than 0, 1, 2, …')
    return Dense(n.x(2))


@rule('TensorListFromTensor')
def _from_tensor(n):
    return Dense(n.x(0))


@rule('TensorArrayReadV3')
def _read(n):
    return n.make('Gather', [_dense(n, 2), n.x(1)], axis=0)


@rule('TensorListGetItem')
def _get_item(n):
    return n.make('Gather', [_dense(n, 0), n.x(1)], axis=0)


def _write(n, array, value, at):
    before = _array(n, array)
    if not isinstance(before, Empty):
        raise Refused('an array that is written more than once in an iteration')
    return Written(n.x(value), None if at is None else n.inputs[at], n.inputs[value])


@rule('TensorArrayWriteV3')
def _array_write(n):
    return _write(n, 3, 2, 1)


@rule('TensorListSetItem')
def _set_item(n):
    return _write(n, 0, 2, 1)


@rule('TensorListPushBack')
def _push_back(n):
    return _write(n, 0, 1, None)


@rule('TensorArrayGatherV3')
def _array_gather(n):
    rows = _dense(n, 2)
    return rows if is_range(n.inputs[1]) else n.make('Gather', [rows, n.x(1)], axis=0)


@rule('TensorListStack')
def _stack(n):
    return _dense(n, 0)


def _length(n, i):
    value = _array(n, i)
    if isinstance(value, Dense):
        return n.cast(n.make('Squeeze', [n.make('Slice', [n.make('Shape', [value.name]), n.int64([0]), n.int64([1])])]), tf.int32)
    if isinstance(value, Empty) and value.size is not None:
        return n.writer.plain(value.size)
    raise Refused('the size of an array that a loop writes')


@rule('TensorArraySizeV3')
def _array_size(n):
    return _length(n, 1)


@rule('TensorListLength')
def _list_length(n):
    return _length(n, 0)
