"""Rules of ONNX: sequences and optional values.

A sequence is a tensor list of TensorFlow: a scalar of dtype variant. An optional value is known to be present or absent
before any run, except for a result of an If, which has a tensor that says so.
"""
from _library.onnx_rules import rule, Refused, dtype_of, rank, scalar


class Sequence(object):
    """A tensor list with the type and the static shape of its elements.

    `rows` is a tensor of all elements, if they have the same shape. It is fed for an input of the model, and
    fetched for an output.
    """
    rows = None

    def __init__(self, handle, dtype, shape):
        self.handle, self.dtype, self.shape = handle, dtype, tf.TensorShape(shape)

    def with_handle(self, handle):
        return Sequence(handle, self.dtype, self.shape)

    def length(self):
        return tf.raw_ops.TensorListLength(input_handle=self.handle)

    def at(self, i):
        x = tf.raw_ops.TensorListGetItem(input_handle=self.handle, index=i, element_shape=tf.constant(-1),
                                         element_dtype=self.dtype)
        x.set_shape(self.shape)
        return x

    def push(self, x, handle=None):
        return tf.raw_ops.TensorListPushBack(input_handle=self.handle if handle is None else handle, tensor=x)


class Optional(object):
    """An optional value; None if it is absent. If `present` is a boolean tensor, the value is an empty one where it is false."""

    def __init__(self, value, present=None):
        self.value, self.present = value, present

    def is_present(self):
        return tf.constant(self.value is not None) if self.present is None else self.present


def nothing_like(value):
    """A value of the same type, for an optional one that is absent."""
    if isinstance(value, Sequence):
        return empty(value.dtype, value.shape)
    shape = [0 if d is None else d for d in (value.shape.as_list() if value.shape.ndims is not None else [0])]
    return tf.zeros(shape, value.dtype) if value.dtype != tf.string else tf.fill(tf.constant(shape, tf.int32), '')


def common(a, b):
    """The most specific shape that both shapes have."""
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return tf.TensorShape(None)
    return tf.TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


def empty(dtype, shape=None):
    handle = tf.raw_ops.EmptyTensorList(element_shape=tf.constant(-1), max_num_elements=tf.constant(-1),
                                        element_dtype=dtype)
    return Sequence(handle, dtype, tf.TensorShape(shape))


def rebuild(dtype, shape, count, item):
    """The sequence of item(i) for i in 0 … count - 1."""
    made = empty(dtype, shape)
    loop = tf.while_loop(lambda i, handle: i < count, lambda i, handle: (i + 1, made.push(item(i), handle)),
                         [tf.constant(0), made.handle])
    return made.with_handle(loop[1])


def _position(position, count):
    position = scalar(position, tf.int32)
    return tf.where(position < 0, position + count, position)


@rule('SequenceConstruct')
def _construct(n, *xs):
    shape = xs[0].shape
    for x in xs[1:]:
        shape = common(shape, x.shape)
    made = empty(xs[0].dtype, shape)
    for x in xs:
        made = made.with_handle(made.push(x))
    return made


@rule('SequenceEmpty')
def _empty(n):
    return empty(dtype_of(n.get('dtype', 1)))


@rule('SequenceLength')
def _length(n, s):
    return tf.cast(s.length(), tf.int64, name=n.out)


@rule('SequenceAt')
def _at(n, s, position):
    return s.at(_position(position, s.length()))


@rule('SequenceInsert')
def _insert(n, s, x, position=None):
    shape = x.shape if s.shape.ndims is None and s.handle.op.type == 'EmptyTensorList' else common(s.shape, x.shape)
    if position is None:
        return Sequence(s.push(x), s.dtype, shape)
    count = s.length()
    position = _position(position, count)

    def item(i):
        return tf.cond(tf.equal(i, position), lambda: x, lambda: s.at(tf.where(i < position, i, i - 1)))
    return rebuild(s.dtype, shape, count + 1, item)


@rule('SequenceErase')
def _erase(n, s, position=None):
    count = s.length()
    position = count - 1 if position is None else _position(position, count)
    return rebuild(s.dtype, s.shape, count - 1, lambda i: s.at(tf.where(i < position, i, i + 1)))


@rule('SplitToSequence')
def _split(n, x, sizes=None):
    axis = n.get('axis', 0)
    axis = axis + rank(x) if axis < 0 else axis
    total = tf.shape(x)[axis]
    if sizes is None:
        keep = n.get('keepdims', 1)
        shape = x.shape.as_list()
        shape[axis:axis + 1] = [1] if keep else []
        return rebuild(x.dtype, shape, total,
                       lambda i: tf.gather(x, tf.expand_dims(i, 0) if keep else i, axis=axis))
    sizes = tf.cast(sizes, tf.int32)
    if rank(sizes) == 0:
        count = tf.floordiv(total + sizes - 1, sizes)
        sizes = tf.minimum(total - tf.range(count) * sizes, sizes)
    ends = tf.cumsum(sizes)
    shape = x.shape.as_list()
    shape[axis] = None
    return rebuild(x.dtype, shape, tf.size(sizes),
                   lambda i: tf.gather(x, tf.range(ends[i] - sizes[i], ends[i]), axis=axis))


@rule('ConcatFromSequence')
def _concat(n, s):
    axis = n.get('axis', 0)
    if s.shape.ndims is None:
        raise Refused('the number of dimensions of the elements is not known before a run')
    grown = bool(n.get('new_axis', 0))
    axis = axis + s.shape.ndims + grown if axis < 0 else axis

    def item(i):
        return tf.expand_dims(s.at(i), axis) if grown else s.at(i)
    first = item(0)
    shape = first.shape.as_list()
    shape[axis] = None
    loop = tf.while_loop(lambda i, y: i < s.length(), lambda i, y: (i + 1, tf.concat([y, item(i)], axis)),
                         [tf.constant(1), first], shape_invariants=[tf.TensorShape([]), tf.TensorShape(shape)])
    return loop[1]


@rule('SequenceMap')
def _map(n, s, *rest):
    body = n.graph('body')
    count = s.length()
    kinds = n.dry_run(body, [(s.dtype, s.shape)] + [(r.dtype, r.shape) for r in rest])
    made = [empty(dtype, shape) for dtype, shape in kinds]

    def step(i, *handles):
        items = [s.at(i)] + [r.at(i) if isinstance(r, Sequence) else r for r in rest]
        outs = n.run_graph(body, items)
        return (i + 1,) + tuple(m.push(x, h) for m, x, h in zip(made, outs, handles))
    loop = tf.while_loop(lambda i, *handles: i < count, step, [tf.constant(0)] + [m.handle for m in made])
    return [m.with_handle(h) for m, h in zip(made, loop[1:])]


@rule('Optional')
def _optional(n, x=None):
    return Optional(x)


@rule('OptionalHasElement')
def _has_element(n, x=None):
    if isinstance(x, Optional):
        return tf.identity(x.is_present(), name=n.out)
    return tf.constant(x is not None, name=n.out)


@rule('OptionalGetElement')
def _get_element(n, x):
    value = x.value if isinstance(x, Optional) else x
    if value is None:
        raise Refused('its input is absent')
    if isinstance(x, Optional) and x.present is not None:
        with tf.control_dependencies([tf.Assert(x.present, ['the optional value is absent'])]):
            return value.with_handle(tf.identity(value.handle)) if isinstance(value, Sequence) else tf.identity(value)
    return value
