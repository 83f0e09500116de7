"""Rules of ONNX: If, Loop and Scan, as the conditionals and loops of TensorFlow 1."""
from _library.onnx_rules import rule, Refused, const, rank, limited, scalar
from _library.onnx_sequence import Sequence, Optional, common, nothing_like


def _pack(values):
    """Values as tensors, and the function that turns other tensors back into such values."""
    if any(isinstance(v, Optional) or v is None for v in values):
        raise Refused('an optional value cannot leave a loop')
    kinds = [v if isinstance(v, Sequence) else None for v in values]
    return [v.handle if isinstance(v, Sequence) else v for v in values], lambda tensors: [
        t if k is None else k.with_handle(t) for t, k in zip(tensors, kinds)]


@rule('If')
def _if(n, condition):
    known = const(condition)
    if known is not None:
        return n.run_graph(n.graph('then_branch' if known else 'else_branch'), [])
    found, likes = [], _optionals(n)

    def branch(name):
        def build():
            values = n.run_graph(n.graph(name), [])
            present = [v.is_present() if isinstance(v, Optional) else tf.constant(True)
                       for v, like in zip(values, likes) if like is not None]
            values = [_value_like(v, like) for v, like in zip(values, likes)]
            found.append(values)
            return _pack(values)[0] + present
        return build
    tensors = tf.cond(scalar(condition), branch('then_branch'), branch('else_branch'))
    tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    values, present = _pack(found[0])[1](tensors[:len(likes)]), tensors[len(likes):]
    for value, a, b in zip(values, found[0], found[1]):
        if isinstance(value, Sequence):
            value.shape = common(a.shape, b.shape)
    return [v if like is None else Optional(v, present.pop(0)) for v, like in zip(values, likes)]


def _optionals(n):
    """For each output of an If, None, or if it is optional, a value that has the type of its element."""
    graphs = [n.graph(name) for name in ('then_branch', 'else_branch')]
    if not any(info.type is not None and info.type.optional_type is not None for graph in graphs for info in graph.output):
        return [None] * len(graphs[0].output)
    kinds = [n.dry_run(graph, [], True) for graph in graphs]
    likes = []
    for a, b in zip(*kinds):
        if not isinstance(a, Optional) and not isinstance(b, Optional):
            likes.append(None)
            continue
        elements = [v.value if isinstance(v, Optional) else v for v in (a, b)]
        known = [e for e in elements if e is not None]
        if not known:
            raise Refused('an optional value is absent in both branches')
        likes.append(known[0])
    return likes


def _value_like(value, like):
    value = value.value if isinstance(value, Optional) else value
    if value is not None or like is None:
        return value
    return nothing_like(like)


def _kind(v):
    return (v.dtype, v.shape)


def _stable_shapes(n, body, heads, values, tail):
    """The shapes that the loop's variables have in every iteration, and the kinds of the body's outputs."""
    shapes = [v.shape for v in values]
    for _ in range(4):
        states = [Sequence(None, v.dtype, s) if isinstance(v, Sequence) else (v.dtype, s) for v, s in zip(values, shapes)]
        outs = n.dry_run(body, heads + states + tail)
        new = [common(s, out[1]) for s, out in zip(shapes, outs[1 if heads else 0:])]
        if [str(s) for s in new] == [str(s) for s in shapes]:
            return shapes, outs
        shapes = new
    return [tf.TensorShape(None)] * len(values), n.dry_run(body, heads + [
        (v.dtype, tf.TensorShape(None)) for v in values] + tail)


def _array(dtype, shape, size=0):
    return tf.TensorArray(dtype, size, dynamic_size=True, element_shape=shape, infer_shape=False)


def _stacked(array, shape):
    y = array.stack()
    if shape.ndims is not None:
        y.set_shape(tf.TensorShape([None]).concatenate(shape))
    return y


def _with_declared_rank(v, info):
    """A value whose number of dimensions only the argument of the loop's body tells."""
    kind = info.type and info.type.tensor_type
    if isinstance(v, Sequence) or v.shape.ndims is not None or not kind or kind.shape is None:
        return v
    v = tf.identity(v)
    v.set_shape([None] * len(kind.shape.dim))
    return v


@rule('Loop')
def _loop(n, count=None, condition=None, *values):
    body = n.graph('body')
    if any(v is None or isinstance(v, Optional) for v in values):
        raise Refused('a loop over optional values is not supported')
    values = [_with_declared_rank(v, info) for v, info in zip(values, body.input[2:])]
    count = None if count is None else scalar(count, tf.int64)
    condition = tf.constant(True) if condition is None else scalar(condition)
    shapes, outs = _stable_shapes(n, body, [(tf.int64, tf.TensorShape([])), (tf.bool, tf.TensorShape([]))], values, [])
    scans = outs[1 + len(values):]
    tensors, unpack = _pack(values)
    arrays = [_array(dtype, shape) for dtype, shape in scans]

    def go_on(i, condition, *rest):
        return condition if count is None else tf.logical_and(i < count, condition)

    def step(i, condition, *rest):
        state = unpack(rest[:len(values)])
        for s, shape in zip(state, shapes):
            if isinstance(s, Sequence):
                s.shape = shape
        made = n.run_graph(body, [i, condition] + state)
        new = _pack(made[1:1 + len(values)])[0]
        at = tf.cast(i, tf.int32)
        written = [a.write(at, v) for a, v in zip(rest[len(values):], made[1 + len(values):])]
        return tuple([i + 1, scalar(made[0])] + new + written)
    invariants = [tf.TensorShape([])] * 2 + [tf.TensorShape([]) if isinstance(v, Sequence) else s
                                             for v, s in zip(values, shapes)] + [tf.TensorShape([])] * len(arrays)
    loop = tf.while_loop(go_on, step, [tf.constant(0, tf.int64), condition] + tensors + arrays,
                         shape_invariants=invariants)[2:]
    state = unpack(loop[:len(values)])
    for s, shape in zip(state, shapes):
        if isinstance(s, Sequence):
            s.shape = shape
    return state + [_stacked(a, shape) for a, (_, shape) in zip(loop[len(values):], scans)]


@rule('Scan', 8)
def _scan_batches(n, lengths, *values):
    if lengths is not None:
        raise Refused('sequences of different lengths are not supported; in version 9 of Scan there are none')
    batch = values[0].shape.as_list()[0]
    if batch is None:
        states = len(values) - n.get('num_scan_inputs', 1)
        kinds = n.dry_run(n.graph('body'), [(v.dtype, v.shape[1 if i < states else 2:]) for i, v in enumerate(values)])
        return tf.map_fn(lambda rows: tuple(_scan(n, *rows)), tuple(values), dtype=tuple(dtype for dtype, _ in kinds))
    limited(batch, 1000, 'a batch')
    rows = [_scan(n, *[v[b] for v in values]) for b in range(batch)]
    return [tf.stack(row, 0) for row in zip(*rows)]


@rule('Scan', 9)
def _scan(n, *values):
    body, scanned = n.graph('body'), n.get('num_scan_inputs', 1)
    states, inputs = list(values[:len(values) - scanned]), list(values[len(values) - scanned:])
    axes = n.get('scan_input_axes', None) or [0] * scanned
    backwards = n.get('scan_input_directions', None) or n.get('directions', None) or [0] * scanned
    moved = []
    for x, axis, back in zip(inputs, axes, backwards):
        axis = axis + rank(x) if axis < 0 else axis
        if axis:
            x = tf.transpose(x, [axis] + [a for a in range(rank(x)) if a != axis])
        moved.append(tf.reverse(x, [0]) if back else x)
    time = tf.shape(moved[0])[0]
    tail = [(x.dtype, x.shape[1:]) for x in moved]
    shapes, outs = _stable_shapes(n, body, [], states, tail)
    scans = outs[len(states):]
    feeds = [tf.TensorArray(x.dtype, time).unstack(x) for x in moved]
    arrays = [_array(dtype, shape, time) for dtype, shape in scans]

    def step(t, *rest):
        items = [f.read(t) for f in feeds]
        for item, (_, shape) in zip(items, tail):
            item.set_shape(shape)
        made = n.run_graph(body, list(rest[:len(states)]) + items)
        written = [a.write(t, v) for a, v in zip(rest[len(states):], made[len(states):])]
        return tuple([t + 1] + made[:len(states)] + written)
    loop = tf.while_loop(lambda t, *rest: t < time, step, [tf.constant(0)] + states + arrays, shape_invariants=[
        tf.TensorShape([])] + shapes + [tf.TensorShape([])] * len(arrays))[1:]
    out_axes = n.get('scan_output_axes', None) or [0] * len(arrays)
    out_backwards = n.get('scan_output_directions', None) or [0] * len(arrays)
    results = list(loop[:len(states)])
    for array, (_, shape), axis, back in zip(loop[len(states):], scans, out_axes, out_backwards):
        y = _stacked(array, shape)
        y = tf.reverse(y, [0]) if back else y
        if axis:
            axis = axis + rank(y) if axis < 0 else axis
            order = list(range(1, rank(y)))
            order.insert(axis, 0)
            y = tf.transpose(y, order)
        results.append(y)
    return results
