# Ops on tensors of 9 to 254 dimensions: the four largest extents are at different places of each rank, and all others
# are 1, so that most results are the same at all ranks. A second part has extents of 2 only. Ops that TensorFlow
# limits to 8 dimensions are tested in unit.ops (Ranks).
import numpy as np
import tensorflow as tf

FIRST, HIGHEST = 9, 254


def values(shape, first=0.):
    return tf.reshape(tf.range(first, first + float(np.prod(shape))), shape)


def ramp(shape):
    """An operand of few elements for broadcasting."""
    return values(shape, 1.)


class Shape:
    """A shape of a rank, with the places of its extents above 1 in `at`."""

    def __init__(self, rank, extents=(2, 3, 2, 2)):
        self.rank, self.last = rank, rank - 1
        self.at = [0, 3, 6, rank - 1] if len(extents) == 4 else list(range(rank))
        self.dims = self.only(*extents)

    def only(self, *extents):
        dims = [1] * self.rank
        for at, extent in zip(self.at, extents):
            dims[at] = extent
        return dims

    def x(self):
        return values(self.dims)

    def spread(self, fill, *entries):
        out = [fill] * self.rank
        for at, entry in zip(self.at, entries):
            out[at] = entry
        return out


def gradients(s):
    a, b = s.x(), ramp(s.only(1, 1, 1, 2))
    return tf.gradients(tf.reduce_sum(tf.square(a * b), [s.at[0], s.at[2]]), [a, b])


def reduced_gradients(s):
    a = s.x()
    return tf.gradients(tf.square(tf.reduce_mean(a, s.at[1:3])), [a])


def moved_gradients(s):
    a = s.x()
    turned = tf.transpose(a, [s.last] + list(range(s.last)))
    return tf.gradients(tf.square(turned) * ramp(s.only(2)), [a])


def assigned(s):
    v = tf.get_variable('v', initializer=tf.zeros(s.dims))
    with tf.control_dependencies([tf.assign(v, s.x())]):
        with tf.control_dependencies([tf.assign_add(v, s.x())]):
            return tf.identity(v.read_value())


def queued(s):
    q = tf.FIFOQueue(2, [tf.float32], [s.dims])
    with tf.control_dependencies([q.enqueue([s.x()])]):
        return q.dequeue()


def queued_rows(s):
    q = tf.FIFOQueue(4, [tf.float32], [s.dims[1:]])
    with tf.control_dependencies([q.enqueue_many([s.x()])]):
        return q.dequeue_many(2)


def fed(s):
    p = tf.placeholder_with_default(np.arange(24, dtype=np.float32).reshape(s.dims) if s.rank <= 32 else s.x(), [None] * s.rank)
    return p + 1.


def counted(s):
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + 1.), [0, s.x()])[1]


def serialized(s):
    t = tf.parse_tensor(tf.io.serialize_tensor(s.x()), tf.float32)
    t.set_shape(s.dims)
    return t


CASES = [
    ('identity', lambda s: tf.identity(s.x())),
    ('constant', lambda s: tf.constant(list(range(24)), tf.float32, s.dims)),
    ('fill', lambda s: tf.fill(s.dims, 2.)),
    ('zeros_like', lambda s: tf.zeros_like(s.x())),
    ('unstack', lambda s: tf.unstack(s.x(), axis=s.at[1])),
    ('squeeze', lambda s: tf.squeeze(s.x())),
    ('squeeze one', lambda s: tf.squeeze(s.x(), [1])),
    ('concat', lambda s: tf.concat([s.x(), s.x()], s.at[1])),
    ('split', lambda s: tf.split(s.x(), 2, s.last)),
    ('transpose some', lambda s: tf.transpose(s.x(), [s.last] + list(range(s.last)))),
    ('transpose all', lambda s: tf.transpose(s.x())),
    ('sum', lambda s: tf.reduce_sum(s.x(), [s.at[0], s.at[2]])),
    ('sum keepdims', lambda s: tf.reduce_sum(s.x(), [s.at[1], s.last], keepdims=True)),
    ('sum all', lambda s: tf.reduce_sum(s.x())),
    ('mean', lambda s: tf.reduce_mean(s.x(), [s.at[1]])),
    ('max', lambda s: tf.reduce_max(s.x(), [s.at[0], s.last])),
    ('any', lambda s: tf.reduce_any(s.x() > 20., [s.at[0]])),
    ('moments', lambda s: tf.nn.moments(s.x(), s.at[:2])),
    ('add', lambda s: s.x() + s.x()),
    ('scalar', lambda s: s.x() * 2.),
    ('row', lambda s: s.x() + ramp(s.only(1, 1, 1, 2))),
    ('vector', lambda s: s.x() + ramp([2])),
    ('column', lambda s: s.x() - ramp(s.only(2))),
    ('both', lambda s: s.x() * ramp(s.only(1, 3, 1, 2))),
    ('outer', lambda s: ramp(s.only(2, 1, 2, 1)) - ramp(s.only(1, 3, 1, 2))),
    ('less', lambda s: s.x() < 10. * ramp(s.only(1, 1, 1, 2))),
    ('where', lambda s: tf.where(s.x() > 5., s.x(), -s.x())),
    ('tile', lambda s: tf.tile(s.x(), s.spread(1, 2, 1, 1, 3))),
    ('broadcast_to', lambda s: tf.broadcast_to(ramp(s.only(1, 1, 1, 2)), s.dims)),
    ('roll', lambda s: tf.roll(s.x(), [1, 1], [s.at[1], s.last])),
    ('gather', lambda s: tf.gather(s.x(), [1, 0, 1], axis=s.at[1])),
    ('gather_nd', lambda s: tf.gather_nd(s.x(), [[1, 0, 0, 1], [0, 0, 0, 0]])),
    ('scatter_nd', lambda s: tf.scatter_nd([[1], [0]], s.x(), [4] + s.dims[1:])),
    ('cumsum', lambda s: tf.cumsum(s.x(), s.at[1])),
    ('softmax', lambda s: tf.round(tf.nn.softmax(s.x()) * 1000.)),
    ('matmul', lambda s: tf.matmul(s.x(), tf.ones(s.dims[:-2] + [2, 2]))),
    ('cast', lambda s: tf.cast(s.x(), tf.int64)),
    ('clip', lambda s: tf.clip_by_value(s.x(), 3., 8.)),
    ('add_n', lambda s: tf.add_n([s.x()] * 3)),
    ('segment', lambda s: tf.segment_sum(s.x(), [0, 0])),
    ('stitch', lambda s: tf.dynamic_stitch([[1, 0]], [s.x()])),
    ('bias', lambda s: tf.nn.bias_add(s.x(), [1., 2.])),
    ('l2', lambda s: tf.nn.l2_loss(s.x())),
    ('band', lambda s: tf.matrix_band_part(s.x(), 0, 0)),
    ('einsum', lambda s: tf.einsum('...i,...i->...', s.x(), s.x())),
    ('quantize', lambda s: tf.quantization.fake_quant_with_min_max_args(s.x(), 0, 255.)),
    ('join', lambda s: tf.strings.length(tf.reduce_join(tf.as_string(tf.cast(s.x(), tf.int32)), s.at[0]))),
    ('gradients', gradients),
    ('gradients of reductions', reduced_gradients),
    ('gradients of moves', moved_gradients),
    ('variable', assigned),
    ('queue', queued),
    ('queue of rows', queued_rows),
    ('map_fn', lambda s: tf.map_fn(lambda row: row + 1., s.x())),
    ('cond', lambda s: tf.cond(tf.reduce_sum(s.x()) > 0., lambda: s.x() + 1., s.x)),
    ('while', counted),
    ('default', fed),
    ('serialize', serialized),
    ('ensure', lambda s: tf.ensure_shape(s.x(), [None] * s.rank)),
    # these add dimensions
    ('stack', lambda s: tf.stack([s.x(), s.x() + 1.], axis=2)),
    ('expand', lambda s: tf.expand_dims(s.x(), 1)),
    ('gather a matrix', lambda s: tf.gather(s.x(), [[1]], axis=s.last)),
    ('one_hot', lambda s: tf.one_hot(tf.cast(s.x(), tf.int32) % 3, 3)),
    ('diag', lambda s: tf.matrix_diag(s.x())),
]


def results(make, shape):
    """Returns the ranks, the extents above 1 and the elements of all results."""
    out = []
    with tf.Graph().as_default(), tf.Session() as session:
        made = make(shape)
        tensors = made if isinstance(made, (list, tuple)) else [made]
        session.run(tf.global_variables_initializer())
        for t in tensors:
            flat, dims = session.run([tf.reshape(t, [-1]), tf.shape(t)])
            if not t.shape.is_compatible_with(dims.tolist()):
                raise ValueError('inferred %s' % t.shape)
            out.append((len(dims), [d for d in dims.tolist() if d != 1], flat.tolist()))
    return out


def shown(rank, dims, elements):
    text = elements if len(elements) <= 24 else '%s ... %d' % (elements[:6], sum((i % 97) * e for i, e in enumerate(elements)))
    return '%d of %s %s' % (rank, dims, text)


for name, make in CASES:
    first = results(make, Shape(FIRST))
    print(name, '|', '; '.join(shown(*r) for r in first))
    for rank in (10, 12, 32, 252):
        at_rank = results(make, Shape(rank))
        if at_rank != [(r + rank - FIRST if r >= FIRST - 3 else r, dims, elements) for r, dims, elements in first]:
            print('  at', rank, '|', '; '.join(shown(*r) for r in at_rank))

print('--- the highest rank')
for name, make in CASES[1:3]:
    print(name, results(make, Shape(HIGHEST)) == [(HIGHEST,) + results(make, Shape(FIRST))[0][1:]])

print('--- extents of 2')
for rank in (9, 10, 12):
    s = Shape(rank, [2] * rank)
    odd = list(range(1, rank, 2))
    for name, make in (
            ('transpose', lambda s: tf.transpose(s.x())),
            ('permute', lambda s: tf.transpose(s.x(), [i * 7 % rank for i in range(rank)])),
            ('sum', lambda s: tf.reduce_sum(s.x(), odd)),
            ('sum keepdims', lambda s: tf.reduce_sum(s.x(), odd, keepdims=True)),
            ('tile', lambda s: tf.tile(s.x(), [1 + i % 2 for i in range(rank)])),
            ('concat', lambda s: tf.concat([s.x(), s.x()], 5)),
            ('gather', lambda s: tf.gather(s.x(), [1, 0, 1], axis=4)),
            ('roll', lambda s: tf.roll(s.x(), [1] * len(odd), odd))):
        print(rank, name, '; '.join(shown(*r) for r in results(make, s)))

print('--- too many dimensions')
for name, make in (
        ('reshape', lambda: tf.constant(1., shape=[1] * 255)),
        ('placeholder', lambda: tf.placeholder(tf.float32, [None] * 255) + 1.),
        ('variable', lambda: tf.get_variable('w', [1] * 255))):
    try:
        with tf.Graph().as_default():
            print(name, make())
    except Exception as e:
        print(name, type(e).__name__)
