"""Programs whose outputs `save` writes as models of ONNX and TensorFlow Lite, for save_test.py. Each is (name, program): the
program defines y, or a list of such tensors, from the placeholders that it makes with x(shape) or i(shape, most)."""

CASES = (
    ('unary', '''a = x([2, 3]); p = tf.abs(a) + .5; u = a / 4
y = [f(a) for f in (tf.nn.relu, tf.sigmoid, tf.tanh, tf.exp, tf.negative, tf.abs, tf.ceil, tf.floor, tf.sign, tf.sin, tf.cos, tf.tan,
     tf.atan, tf.sinh, tf.cosh, tf.asinh, tf.erf, tf.erfc, tf.nn.softplus, tf.nn.softsign, tf.nn.elu, tf.nn.selu, tf.nn.relu6,
     tf.nn.leaky_relu, tf.square, tf.round, tf.math.rint, tf.math.expm1, tf.nn.swish)] + [f(p) for f in (tf.log, tf.sqrt,
     tf.rsqrt, tf.reciprocal, tf.log1p)] + [f(u) for f in (tf.asin, tf.acos, tf.atanh)] + [tf.acosh(p + 1)]'''),
    ('binary', '''a = x([2, 3]); b = x([3]); c = tf.abs(x([2, 1])) + .5
y = [f(a, b) for f in (tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.math.squared_difference)] + [
     tf.realdiv(a, c), tf.pow(c, b), tf.floordiv(a, c), tf.math.floormod(a, c), tf.math.xlogy(c, c), tf.math.xdivy(a, c),
     tf.div_no_nan(a, tf.nn.relu(b)), tf.add_n([a, a + b, a * 2]), tf.clip_by_value(a, -.5, .5)]'''),
    ('integers', '''a = i([2, 3], 20) - 10; b = i([3], 5) + 1
y = [a + b, a * b, tf.floordiv(a, b), tf.floordiv(a, -b), tf.math.floormod(a, b), tf.truncatediv(a, b), tf.truncatemod(a, b),
     tf.maximum(a, b), tf.negative(a), tf.cast(a, tf.float32) / 3, tf.cast(tf.cast(a, tf.float64) * 1.5, tf.int64), tf.sign(a)]'''),
    ('logic', '''a = x([2, 3]); b = x([2, 3])
y = [tf.less(a, b), tf.less_equal(a, b), tf.greater(a, b), tf.greater_equal(a, b), tf.equal(a, a), tf.not_equal(a, b),
     tf.logical_and(a > 0, b > 0), tf.logical_or(a > 0, b > 0), tf.logical_not(a > 0), tf.where(a > 0, a, b),
     tf.where(tf.constant([True, False]), a, b), tf.is_nan(a), tf.is_finite(a), tf.reduce_any(a > 0, 1), tf.reduce_all(a > -9, 1),
     tf.where(a > 0), tf.math.logical_xor(a > 0, b > 0)]'''),
    ('reductions', '''a = x([2, 3, 4])
y = [f(a, axis, keepdims=k) for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod)
     for axis in (None, 1, [0, 2], -1) for k in (False, True)] + [tf.argmax(a, 1), tf.argmin(a, -1, output_type=tf.int32),
     tf.cumsum(a, 1), tf.cumsum(a, -1, exclusive=True, reverse=True), tf.reduce_logsumexp(a, 1), tf.norm(a, axis=1),
     tf.nn.l2_loss(a), tf.nn.l2_normalize(a, 2)] + list(tf.nn.top_k(a, 2)) + list(tf.nn.moments(a, [0]))'''),
    ('products', '''a = x([2, 3]); b = x([3, 4]); c = x([5, 2, 3]); d = x([5, 4, 3]); w = tf.Variable(np.ones([4, 3], np.float32) / 3)
y = [tf.matmul(a, b), tf.matmul(a, w, transpose_b=True), tf.matmul(c, d, transpose_b=True), tf.matmul(c, b[None]),
     tf.einsum('bij,bkj->bik', c, d), tf.tensordot(c, b, 1), tf.linalg.cross(a, a + 1), tf.matmul(b, b, transpose_a=True)]'''),
    ('shapes', '''a = x([None, 3, 4]); n = tf.shape(a)[0]
y = [tf.reshape(a, [n, 12]), tf.reshape(a, [-1, 4]), tf.shape(a), tf.size(a), tf.rank(a), tf.expand_dims(a, 1), tf.squeeze(a[:, :1], 1),
     tf.transpose(a, [2, 0, 1]), tf.concat([a, a * 2], 1), tf.stack([a, a + 1], 1), tf.tile(a, [1, 2, 1]), tf.fill([n, 2], 3.),
     tf.zeros_like(a), tf.ones_like(a), tf.range(n), tf.broadcast_to(a[:, :1, :1], [n, 3, 2]), tf.pad(a, [[0, 0], [1, 2], [0, 1]]),
     tf.pad(a, [[0, 0], [1, 1], [2, 2]], 'REFLECT'), tf.pad(a, [[0, 0], [1, 0], [0, 0]], constant_values=5.), tf.reverse(a, [1, 2]),
     tf.linalg.band_part(a, 1, 0), tf.linalg.band_part(a, 0, -1)] + tf.split(a, 2, 2) + tf.split(a, [1, -1], 1) + tf.unstack(a, axis=1) + [tf.reshape(a[0, 0, :1], [])]'''),
    ('slices', '''a = x([None, 5, 6]); k = i([], 3)
y = [a[0], a[:, 1], a[:, -1], a[:, 1:4, ::2], a[:, ::-1], a[..., 2], a[:, None, 1:], a[:, k], a[:, :k + 1], a[:, k:, -1], a[1:, ..., :-1],
     tf.slice(a, [0, 1, 2], [-1, 2, 3]), tf.slice(a, [0, k, 0], [-1, 2, -1]), a[0, 0, 0], a[:, 4:1:-2], tf.shape(a)[1:]]'''),
    ('gather', '''a = x([4, 5, 6]); k = i([3], 4); b = i([4, 2], 5)
y = [tf.gather(a, k), tf.gather(a, k, axis=1), tf.gather(a, b, axis=2), tf.gather(a, b, batch_dims=1), tf.gather_nd(a, tf.stack([k, k], 1)),
     tf.scatter_nd(k[:, None], x([3, 2]), [4, 2]), tf.one_hot(k, 4), tf.one_hot(k - 1, 3, axis=0), tf.one_hot(k, 4, 2., -1.),
     tf.tensor_scatter_nd_update(a[:, 0], k[:, None] * 0 + tf.constant([[0], [1], [2]]), x([3, 6])), tf.reverse_sequence(a, b[:, 0], 1, 0),
     tf.nn.embedding_lookup(tf.Variable(np.arange(12, dtype=np.float32).reshape([4, 3])), k)]'''),
    ('conv', '''a = x([2, 9, 10, 4]); f = lambda *s: tf.Variable(np.random.randn(*s).astype(np.float32) / 3)
y = [tf.nn.conv2d(a, f(3, 2, 4, 5), [1, s, s, 1], p) for s in (1, 2) for p in ('SAME', 'VALID')] + [
     tf.nn.conv2d(a, f(3, 3, 4, 5), 1, [[0, 0], [1, 2], [0, 3], [0, 0]]), tf.nn.conv2d(a, f(3, 3, 4, 5), 1, 'SAME', dilations=[1, 2, 2, 1]),
     tf.nn.depthwise_conv2d(a, f(3, 3, 4, 2), [1, 2, 2, 1], 'SAME'), tf.nn.conv2d(a, f(3, 3, 2, 6), 1, 'VALID'),
     tf.nn.conv1d(a[:, 0], f(3, 4, 5), 2, 'SAME'), tf.nn.conv3d(a[:, :, :, :, None], f(2, 3, 2, 1, 3), [1, 1, 2, 1, 1], 'SAME'),
     tf.nn.conv2d_transpose(a, f(3, 3, 6, 4), [2, 18, 20, 6], [1, 2, 2, 1]), tf.nn.conv2d_transpose(a, f(2, 2, 6, 4), [2, 18, 20, 6], 2, 'VALID'),
     tf.nn.conv2d_transpose(a, f(3, 3, 6, 4), [2, 17, 19, 6], 2, 'SAME'), tf.nn.atrous_conv2d(a, f(2, 2, 4, 3), 2, 'VALID'),
     tf.nn.separable_conv2d(a, f(3, 3, 4, 1), f(1, 1, 4, 3), [1, 1, 1, 1], 'SAME')]'''),
    ('pools', '''a = x([2, 9, 10, 4])
y = [f(a, k, s, p) for f in (tf.nn.max_pool, tf.nn.avg_pool) for k in (2, 3) for s in (1, 2) for p in ('SAME', 'VALID')] + [
     tf.nn.max_pool3d(a[..., None], 2, 2, 'SAME'), tf.nn.avg_pool3d(a[..., None], 2, 1, 'VALID'), tf.nn.local_response_normalization(a),
     tf.depth_to_space(a, 2), tf.space_to_depth(a[:, :8], 2), tf.nn.lrn(a, 1, 2., .5, .75)]'''),
    ('resize', '''a = x([2, 5, 6, 3]); r = tf.compat.v1.image
y = [f(a, [7, 11], align_corners=c, half_pixel_centers=h) for f in (r.resize_bilinear, r.resize_nearest_neighbor)
     for c, h in ((False, False), (True, False), (False, True))]'''),
    ('norms', '''a = x([2, 5, 6, 3]); v = lambda: tf.Variable(np.random.rand(3).astype(np.float32) + .5)
y = [tf.nn.fused_batch_norm(a, v(), v(), v(), v(), is_training=False)[0], tf.nn.fused_batch_norm(a, v(), v())[0],
     tf.nn.batch_normalization(a, v(), v(), v(), v(), 1e-3), tf.nn.softmax(a), tf.nn.log_softmax(a), tf.nn.bias_add(a, v()),
     tf.nn.softmax(a, 1), tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(a), logits=a + 1),
     tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i([2], 3), logits=a[:, 0, 0]),
     tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(a), logits=a), tf.losses.huber_loss(a, a * 2)]'''),
    ('images first', '''a = x([None, 8, 8, 3]); f = lambda *s: tf.Variable(np.random.randn(*s).astype(np.float32) / 3)
h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(a, f(3, 3, 3, 4), 1, 'SAME'), f(4))); g = tf.pad(h, [[0, 0], [1, 1], [0, 2], [0, 0]])
h = tf.concat([h, tf.nn.conv2d(g, f(3, 3, 4, 2), 1, 'VALID')], 3) * f(6)
y = [tf.reduce_mean(h, [1, 2]), tf.reduce_max(h, [1, 2], keepdims=True), tf.transpose(h, [0, 3, 1, 2]), tf.shape(h), tf.reshape(h, [-1, 384]),
     tf.maximum(h, h[:, :1, :1]), tf.nn.sigmoid(h) * h]'''),
    ('cond', '''a = x([3]); w = tf.Variable([1., 2., 3.])
y = [tf.cond(tf.reduce_sum(a) > 0, lambda: a * 2, lambda: a - w), tf.cond(a[0] > 100., lambda: tf.constant(1.), lambda: a[1]),
     tf.cond(a[0] > 0, lambda: tf.cond(a[1] > 0, lambda: a + 1, lambda: a + 2), lambda: a + 3),
     tf.case([(a[0] > 1, lambda: a), (a[1] > 0, lambda: -a)], default=lambda: a * a),
     tf.cond(a[0] > 0, lambda: tf.while_loop(lambda t, v: t < 3, lambda t, v: (t + 1, v * a), [0, a + 1])[1] + a, lambda: a - 1)]'''),
    ('loops', '''a = x([3]); w = tf.Variable([1., 2., 3.])
y = [tf.while_loop(lambda t, s: t < 5, lambda t, s: (t + 1, s * w + a), [0, a])[1], tf.while_loop(lambda s: tf.reduce_sum(s) < 100., lambda s: s * 2 + 1, [tf.abs(a)]),
     tf.map_fn(lambda r: r * r + 1, a), tf.foldl(lambda s, r: s - r, a),
     tf.while_loop(lambda t, s: t < 3, lambda t, s: (t + 1, tf.cond(s[0] > 0, lambda: s - a, lambda: s + a)), [0, a])[1]]'''),
    ('rank told by a loop', '''a = x([3]); b = tf.identity(tf.cond(a[0] > -99., lambda: a, lambda: a[None])); b.set_shape([None])
y = [tf.while_loop(lambda t, s: t < 3, lambda t, s: (t + 1, tf.cumsum(s)[::-1] + s), [0, b], [tf.TensorShape([]), tf.TensorShape([None])])[1]]'''),
    ('rnn', '''a = x([None, 6, 4])
y = [tf.nn.dynamic_rnn(c, a, dtype=tf.float32, scope='r%d' % k)[0] for k, c in enumerate((tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(3)))] + [
     tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(3), a, dtype=tf.float32, scope='r3')[1].h,
     tf.concat(tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(2), a, dtype=tf.float32, scope='r4')[0], 2),
     tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), a, sequence_length=i([2], 5) + 1, dtype=tf.float32, scope='r5')[0]]'''),
)

# The outputs that TensorFlow Lite cannot hold, by program: real numbers of 64 bits, and a scatter that replaces rows.
NOT_LITE = {'integers': (10,), 'gather': (9,)}
