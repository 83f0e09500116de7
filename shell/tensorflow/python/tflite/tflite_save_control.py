"""Rules of `save model.tflite`: calls, conditionals, loops, and the arrays that loops read and write.

A graph of a TensorFlow Lite file sees only its inputs, so that all that a branch or a loop uses of the outside is passed to it.
An array is a tensor whose rows are the elements. A loop replaces one row in each iteration.
"""
import numpy as np
from _library.onnx_save import Bad, Body, Refused
from _library.onnx_save_control import (Dense, Handle, branches_of, call, enter, in_place, is_range, loop_of, origin, results_of_function,
                                        results_of_while, rows_of_while, switch)
from _library.tflite_save import finish, identity, kind_of, rule

rule('PartitionedCall StatefulPartitionedCall')(call)
rule('Switch RefSwitch')(switch)
rule('Enter RefEnter NextIteration LoopCond')(enter)


class Empty(object):
    """An array of `size` elements of a type, none of which is written yet."""

    def __init__(self, size, dtype):
        self.size, self.dtype = size, kind_of(dtype)


def _graph(writer, inputs, env, tensors):
    """A Body that computes tensors. Its inputs are names, and `env` has the values of some tensors in it."""
    body = Body(writer.body)
    body.inputs = list(inputs)
    body.values.update(env)
    outer, writer.body = writer.body, body
    try:
        writer.emit(tensors)
        for t in tensors:
            name = _name_of(writer, t)
            if name in writer.initializers or name in body.outputs:
                name = identity(writer, name)
            body.outputs.append(name)
    finally:
        writer.body = outer
        body.close()
    finish(writer, body)
    body.wanted = body.outputs
    return body


def _name_of(writer, t):
    """The name of a tensor, or that of the rows of an array."""
    value = writer.plain(t)
    if isinstance(value, Empty):
        raise Refused('an array without elements leaves a branch or an iteration')
    return value.name if isinstance(value, Dense) else value


def _share_inputs(writer, bodies):
    """Adds what the bodies use of the outside to the inputs of all of them. Returns these names."""
    found = []
    for body in bodies:
        known = set(body.inputs)
        for _, inputs, outputs, _ in body.nodes + [['', body.outputs, [], {}]]:
            for name in inputs:
                if name and name not in known and name not in writer.initializers and name not in found:
                    found.append(name)
            known.update(outputs)
    for body in bodies:
        body.inputs += found
    return found


# ---- conditionals ----

def _choice(n, predicate, otherwise, then):
    names = _share_inputs(n.writer, [then, otherwise])
    made = n.many('IF', [predicate] + names, len(then.outputs), **{'then': then, 'else': otherwise})
    for t, y in zip(n.outputs, made):
        n.writer.types[y] = kind_of(t.dtype)
    return made


@rule('Merge RefMerge')
def _merge(n):
    made = branches_of(n.writer, n.op)
    taken = n.writer.value_of(made.predicate)
    if taken is not None:  # only this branch is written
        return [n.writer.plain(made.branches[int(taken)]), None]
    predicate = n.writer.plain(made.predicate)
    y = _choice(n, predicate, *[_graph(n.writer, [], {}, [b]) for b in made.branches])[0]
    return [y, n.cast(predicate, tf.int32)]


@rule('If StatelessIf')
def _if(n):
    condition = n.x(0) if n.dtype() == tf.bool else n.cast(n.x(0), tf.bool)
    bodies = [_graph(n.writer, [], {}, results_of_function(n.writer, n.attr(key), n.inputs[1:], [t.dtype for t in n.outputs]))
              for key in ('else_branch', 'then_branch')]
    return _choice(n, condition, *bodies)


# ---- loops ----

def _loop(n, rows, condition, tested):
    """Adds a WHILE. `rows` are (initial value, argument in the body, next tensor, shape), and `tested` the arguments in the
    condition. Returns the values after the loop."""
    writer = n.writer
    starts = _starts(n, rows)
    names, in_body, in_condition = [], {}, {}
    for start, (_, arg, _, shape), other in zip(starts, rows, tested):
        first = start.name if isinstance(start, Dense) else start
        name = writer.name(writer.scope + '/arg')
        writer.types[name] = writer.type_of(first)
        if not isinstance(start, Dense):
            writer.shapes[name] = shape
        names.append(name)
        in_body[arg.name] = in_condition[other.name] = Dense(name) if isinstance(start, Dense) else name
    body = _graph(writer, names, in_body, [row[2] for row in rows])
    test = _graph(writer, names, in_condition, [condition])
    more = _share_inputs(writer, [body, test])
    body.outputs += more
    firsts = [s.name if isinstance(s, Dense) else s for s in starts] + more
    made = n.many('WHILE', firsts, len(firsts), cond=test, body=body)
    for first, name in zip(firsts, made):
        writer.types[name] = writer.type_of(first)
    return [Dense(y) if isinstance(s, Dense) else y for s, y in zip(starts, made)]


def _starts(n, rows):
    """The initial values. An array without elements becomes rows of zeros. Their shape is that of the element that the first
    iteration would write."""
    starts = [row[0] for row in rows]
    for i, (start, _, after, _) in enumerate(rows):
        if not isinstance(start, Empty):
            continue
        size, element = n.writer.value_of(start.size), _written(after)
        if size is not None and element is not None and element.shape.is_fully_defined():
            zeros = np.zeros([int(size)] + element.shape.as_list(), start.dtype.as_numpy_dtype)
            starts[i] = Dense(n.writer.constant(zeros, n.writer.scope + '/rows'))
        else:
            first = in_place(n.writer, n.writer.body, [after], {row[1].name: row[0] for row in rows})[0]
            shape = n.make('SHAPE', [first.name], tf.int32, type=2)
            starts[i] = Dense(n.make('FILL', [shape, n.writer.constant(np.zeros([], start.dtype.as_numpy_dtype))]))
    return starts


def _written(t):
    """The element that the node of a tensor writes into an array, or None."""
    op = origin(t).op
    return op.inputs[2] if op.type in ('TensorArrayWriteV3', 'TensorListSetItem') else None


def _start_of(writer, t):
    value = writer.body.find(t.name)
    value = writer.plain(t) if value is None else value
    if isinstance(value, Bad):
        raise value
    return value


@rule('Exit RefExit')
def _exit(n):
    loop = loop_of(n.writer, n.op)
    rows = [(_start_of(n.writer, start), switch.outputs[1], after, merge.outputs[0].shape)
            for merge, switch, start, after, _ in loop.rows]
    results = _loop(n, rows, loop.condition, [row[0].outputs[0] for row in loop.rows])
    mine = None
    for row, value in zip(loop.rows, results):
        for leaving in row[4]:
            n.writer.body.values[leaving.outputs[0].name] = value
            if leaving.name == n.op.name:
                mine = value
    return mine


@rule('While StatelessWhile')
def _while(n):
    changing, condition = rows_of_while(n)
    rows = [(_start_of(n.writer, start), arg, after, n.outputs[i].shape) for i, (start, arg, after) in changing.items()]
    return results_of_while(n, dict(zip(changing, _loop(n, rows, condition, [row[1] for row in rows]))))


# ---- arrays ----

def _array(n, i):
    value = n.writer.body.find(n.inputs[i].name)
    if isinstance(value, Bad):
        raise value
    return value


def _rows(n, i):
    value = _array(n, i)
    if not isinstance(value, Dense):
        raise Refused('an array that is read before it is written')
    return value.name


@rule('TensorArrayV3')
def _new_array(n):
    return [Handle(), Empty(n.inputs[0], n.attr('dtype'))]


@rule('TensorListReserve')
def _reserve(n):
    return Empty(n.inputs[1], n.attr('element_dtype'))


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
    return n.make('GATHER', [_rows(n, 2), n.x(1)], axis=0)


@rule('TensorListGetItem')
def _get_item(n):
    return n.make('GATHER', [_rows(n, 0), n.x(1)], axis=0)


def _write(n, array, value, at):
    """Replaces a row."""
    before, row = _array(n, array), n.make('EXPAND_DIMS', [n.x(value), n.int32(0)])
    if isinstance(before, Empty):
        one = n.make('RESHAPE', [n.writer.plain(before.size), n.int32([1])])
        shape = n.make('SHAPE', [n.x(value)], tf.int32, type=2)
        rows = n.make('FILL', [n.make('CONCATENATION', [one, shape], axis=0), n.writer.constant(np.zeros([], before.dtype.as_numpy_dtype))])
    else:
        rows = _rows(n, array)
    index = n.make('RESHAPE', [n.x(at), n.int32([1])])
    r = n.ndims(value)
    if r:
        index = n.make('CONCATENATION', [index, n.int32([0] * r)], axis=0)
    return Dense(n.make('DYNAMIC_UPDATE_SLICE', [rows, row, index]))


@rule('TensorArrayWriteV3')
def _array_write(n):
    return _write(n, 3, 2, 1)


@rule('TensorListSetItem')
def _set_item(n):
    return _write(n, 0, 2, 1)


@rule('TensorArrayGatherV3')
def _array_gather(n):
    rows = _rows(n, 2)
    return rows if is_range(n.inputs[1]) else n.make('GATHER', [rows, n.x(1)], axis=0)


@rule('TensorListStack')
def _stack(n):
    return _rows(n, 0)


@rule('TensorArraySizeV3 TensorListLength')
def _length(n):
    i = 1 if n.type == 'TensorArraySizeV3' else 0
    value = _array(n, i)
    if isinstance(value, Empty):
        return n.writer.plain(value.size)
    return n.make('GATHER', [n.make('SHAPE', [_rows(n, i)], tf.int32, type=2), n.int32(0)], axis=0)
