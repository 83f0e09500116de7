"""Rules of TensorFlow Lite: the operators of StableHLO that are not in the other files."""
import numpy as np
from _library.onnx_rules import limited, product
from _library.tflite_array import cropped, spaced
from _library.tflite_rules import rule, moves, Refused, const, dims, rank, scalar, like

_COMPARE = [tf.equal, tf.not_equal, tf.greater_equal, tf.greater, tf.less_equal, tf.less]
# The operators that combine two values, with the reduction that does so for many.
_FOLDS = {'ADD': (tf.add, tf.reduce_sum), 'MUL': (tf.multiply, tf.reduce_prod), 'MINIMUM': (tf.minimum, tf.reduce_min),
          'MAXIMUM': (tf.maximum, tf.reduce_max), 'LOGICAL_AND': (tf.logical_and, tf.reduce_all),
          'LOGICAL_OR': (tf.logical_or, tf.reduce_any)}
_FOLDS.update({'STABLEHLO_' + k: v for k, v in (
    ('ADD', _FOLDS['ADD']), ('MULTIPLY', _FOLDS['MUL']), ('MINIMUM', _FOLDS['MINIMUM']), ('MAXIMUM', _FOLDS['MAXIMUM']),
    ('AND', _FOLDS['LOGICAL_AND']), ('OR', _FOLDS['LOGICAL_OR']))})


def _only_operator(n, number):
    """The name of the one operator of a graph."""
    from _library.tflite_graph import operator_name
    graphs = n.translator.model.subgraphs
    if not 0 <= number < len(graphs):
        raise Refused('it uses the graph %d of %d' % (number, len(graphs)))
    names = [operator_name(n.translator.model.codes[op.code]) for op in graphs[number].operators]
    if len(names) != 1:
        raise Refused('a graph of %d operators that combines two values is not supported' % len(names))
    return names[0], graphs[number]


def _fold_of(n, number):
    name, _ = _only_operator(n, number)
    if name not in _FOLDS:
        raise Refused('the operator %s to combine values is not supported' % name)
    return _FOLDS[name]


@moves('STABLEHLO_COMPARE')
def _compare(n, x, y):
    direction = n.int(0)
    if not 0 <= direction < len(_COMPARE):
        raise Refused('its comparison %d is not supported' % direction)
    return _COMPARE[direction](x, y)


@moves('STABLEHLO_REDUCE')
def _reduce(n, *inputs):
    """Reductions of one tensor by one operator."""
    if len(inputs) != 2:
        raise Refused('a reduction of %d tensors at once is not supported' % (len(inputs) // 2))
    pair, total = _fold_of(n, n.int(1))
    return pair(total(inputs[0], n.ints(0, 'int64')), scalar(inputs[1]))


def window_reduced(x, start, sizes, strides, inner, outer, pads, pair):
    """Combines the elements of each window by `pair`: the elements at one position of all windows are a slice."""
    limited(product(sizes), 4096, 'a window')
    r = rank(x)
    x = cropped(spaced(x, inner, start), [p[0] for p in pads], [p[1] for p in pads], start)
    shape = tf.shape(x)
    counts = [tf.maximum((shape[a] - (sizes[a] - 1) * outer[a] - 1) // strides[a] + 1, 0) for a in range(r)]
    made = None
    for number in range(product(sizes)):
        at, rest = [], number
        for a in range(r)[::-1]:
            at.insert(0, rest % sizes[a] * outer[a])
            rest = rest // sizes[a]
        end = tf.stack([at[a] + (counts[a] - 1) * strides[a] + 1 for a in range(r)])
        part = tf.strided_slice(x, at, end, strides)
        made = part if made is None else pair(made, part)
    return pair(made, start)


@moves('STABLEHLO_REDUCE_WINDOW')
def _reduce_window(n, x, start):
    r = rank(x)
    sizes = n.ints(0, 'int64')
    strides, inner, outer = [n.ints(k, 'int64') or [1] * r for k in (1, 2, 3)]
    flat = n.ints(4, 'int64') or [0] * 2 * r
    pads = [flat[2 * a:2 * a + 2] for a in range(r)]
    return window_reduced(x, scalar(start), sizes, strides, inner, outer, pads, _fold_of(n, n.int(5))[0])


@moves('REDUCE_WINDOW')
def _reduce_window_tfl(n, x, start, sizes, strides, dilations):
    names = [None, 'ADD', 'MUL', 'MINIMUM', 'MAXIMUM', 'LOGICAL_AND', 'LOGICAL_OR']
    sizes, strides, dilations = [[int(v) for v in np.reshape(const(t), [-1])] for t in (sizes, strides, dilations)]
    name = names[n.int(0)]
    if name is None:
        raise Refused('its reduction is not supported')
    return window_reduced(x, scalar(start), sizes, strides, [1] * rank(x), dilations, [[0, 0]] * rank(x), _FOLDS[name][0])


@moves('STABLEHLO_SORT')
def _sort(n, *xs):
    """Sorts all tensors by the first, if the comparison is that of two of its values."""
    name, graph = _only_operator(n, n.int(2))
    op = graph.operators[0]
    if op.inputs not in (graph.inputs[:2], graph.inputs[1::-1]):
        raise Refused('a comparison of other values than those of the first tensor is not supported')
    options = op.options()
    less = name == 'LESS' or name == 'STABLEHLO_COMPARE' and options.int(0) in (4, 5)
    if not less and not (name == 'GREATER' or name == 'STABLEHLO_COMPARE' and options.int(0) in (2, 3)):
        raise Refused('the comparison %s is not supported' % name)
    ascending = less == (op.inputs == graph.inputs[:2])
    axis = n.int(0, 0, 8)
    order = tf.argsort(xs[0], axis, 'ASCENDING' if ascending else 'DESCENDING', True)
    r = rank(xs[0])
    axis = axis + r if axis < 0 else axis
    return [tf.raw_ops.GatherV2(params=x, indices=order, axis=axis, batch_dims=axis) if axis == r - 1 else
            _gathered(x, order, axis) for x in xs]


def _gathered(x, order, axis):
    """x with the elements along an axis in an order of their own for each position of the others."""
    r = rank(x)
    turn = [a for a in range(r) if a != axis] + [axis]
    y = tf.raw_ops.GatherV2(params=tf.transpose(x, turn), indices=tf.transpose(order, turn), axis=r - 1, batch_dims=r - 1)
    return tf.transpose(y, [int(i) for i in np.argsort(turn)])


@moves('STABLEHLO_DOT_GENERAL')
def _dot_general(n, x, y):
    batch_x, batch_y, sum_x, sum_y = [n.ints(k, 'int64') for k in range(4)]
    letters = 'abcdefghijklmnopqrstuvwxyz'
    left = list(letters[:rank(x)])
    right = list(letters[rank(x):rank(x) + rank(y)])
    for pair in (zip(batch_x, batch_y), zip(sum_x, sum_y)):
        for i, k in pair:
            right[k] = left[i]
    out = [left[i] for i in batch_x] + [c for i, c in enumerate(left) if i not in batch_x + sum_x] + [
        c for k, c in enumerate(right) if k not in batch_y + sum_y]
    dtype = n.outs[0].dtype
    return tf.einsum('%s,%s->%s' % (''.join(left), ''.join(right), ''.join(out)), tf.cast(x, dtype), tf.cast(y, dtype))


@rule('STABLEHLO_CONVOLUTION')
def _convolution(n, x, w):
    places = lambda batch, feature, spatial: [n.int(batch, 0, 8)] + n.ints(spatial, 'int64') + [n.int(feature, 0, 8)]
    d = len(n.ints(7, 'int64'))
    x = tf.transpose(x, places(5, 6, 7))
    w = tf.transpose(w, n.ints(10, 'int64') + [n.int(8, 0, 8), n.int(9, 0, 8)])
    ones = [1] * d
    strides, pads = n.ints(0, 'int64') or ones, n.ints(1, 'int64') or [0] * 2 * d
    inner, outer = n.ints(2, 'int64') or ones, n.ints(3, 'int64') or ones
    back = [a for a, v in enumerate(n.ints(4, '?')) if v]
    w = tf.reverse(w, back) if back else w
    if n.int(15, 1, 8) > 1 or not 1 <= d <= 3:
        raise Refused('groups of the batch, or %d spatial dimensions, are not supported' % d)
    x = spaced(x, [1] + inner + [1], tf.zeros([], x.dtype))
    x = cropped(x, [0] + pads[::2] + [0], [0] + pads[1::2] + [0], tf.zeros([], x.dtype))
    if d == 1:
        x, w, strides, outer = tf.expand_dims(x, 1), tf.expand_dims(w, 0), [1] + strides, [1] + outer
    f = tf.raw_ops.Conv3D if d == 3 else tf.raw_ops.Conv2D
    y = f(input=x, filter=w, strides=[1] + strides + [1], padding='VALID', dilations=[1] + outer + [1])
    y = tf.squeeze(y, [1]) if d == 1 else y
    return tf.transpose(y, [int(i) for i in np.argsort(places(11, 12, 13))])


def _index_last(indices, at):
    """Index vectors as the last dimension."""
    r = rank(indices)
    if at == r:
        return tf.expand_dims(indices, -1)
    return tf.transpose(indices, [a for a in range(r) if a != at] + [at])


def _windows(start, sizes, r):
    """For each start position, a vector of r indices, those of all elements of the window of these sizes behind it."""
    lines = tf.meshgrid(*[tf.range(s) for s in sizes], indexing='ij')
    inside = tf.stack(lines, -1) if r else tf.zeros([0], tf.int32)
    n = len(start.shape.as_list()) - 1
    shape = tf.concat([tf.shape(start)[:n], [1] * len(sizes), [r]], 0)
    return tf.reshape(start, shape) + inside


def _full_starts(indices, axes, r):
    """Index vectors for some dimensions, as vectors for all r dimensions."""
    columns = [tf.zeros_like(indices[..., 0])] * r
    for k, a in enumerate(axes):
        columns[a] = indices[..., k]
    return tf.stack(columns, -1)


@moves('STABLEHLO_GATHER')
def _gather(n, x, indices):
    offsets, collapsed, axes, sizes = [n.ints(k, 'int64') for k in (0, 1, 2, 4)]
    r = rank(x)
    indices = _index_last(tf.cast(indices, tf.int32), n.int(3, 0, 8))
    start = _full_starts(indices, axes, r)
    start = tf.maximum(tf.minimum(start, tf.shape(x) - sizes), 0)
    places = _windows(start, sizes, r)
    y = tf.gather_nd(x, places)  # the dimensions of the indices, then those of the window
    b = rank(indices) - 1
    y = tf.squeeze(y, [b + a for a in collapsed]) if collapsed else y
    total = b + r - len(collapsed)
    window, batch = list(range(b, total)), list(range(b))
    order = [window.pop(0) if a in offsets else batch.pop(0) for a in range(total)]
    return tf.transpose(y, order)


@moves('STABLEHLO_SCATTER')
def _scatter(n, x, indices, updates):
    window, inserted, axes = [n.ints(k, 'int64') for k in (1, 2, 3)]
    r = rank(x)
    indices = _index_last(tf.cast(indices, tf.int32), n.int(4, 0, 8))
    b = rank(indices) - 1
    order = [a for a in range(rank(updates)) if a not in window] + window
    updates = tf.transpose(updates, order)
    known = updates.shape.as_list()[b:]
    sizes = []
    for a in range(r):
        sizes.append(1 if a in inserted else known.pop(0))
    if None in sizes:
        raise Refused('the shape of its updates is not known before a run')
    places = _windows(_full_starts(indices, axes, r), sizes, r)
    updates = tf.reshape(updates, tf.shape(places)[:-1])
    inside = tf.reduce_all(tf.logical_and(places >= 0, places < tf.shape(x)), -1)
    places, updates = tf.boolean_mask(places, inside), tf.boolean_mask(updates, inside)
    graph = n.translator.model.subgraphs[n.int(6)] if 0 <= n.int(6) < len(n.translator.model.subgraphs) else None
    if graph is not None and not graph.operators:
        return tf.tensor_scatter_nd_update(x, places, updates)
    name, _ = _only_operator(n, n.int(6))
    f = {'ADD': tf.raw_ops.TensorScatterAdd, 'MAXIMUM': tf.raw_ops.TensorScatterMax, 'MINIMUM': tf.raw_ops.TensorScatterMin}.get(
        name.replace('STABLEHLO_', ''))
    if f is None:
        raise Refused('updates that are combined by %s are not supported' % name)
    return f(tensor=x, indices=places, updates=updates)
