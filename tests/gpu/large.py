# Kernels at sizes for which threads share work. Compares the results of the GPU and the CPU. Inputs have at most
# $TENSH_LARGE_MOST elements, for tools that make kernels slow.
import os
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)


def numbers(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


cases = []


def case(name, fn, *inputs):
    if max(x.size for x in inputs) <= int(os.environ.get('TENSH_LARGE_MOST', 1 << 30)):
        cases.append((name, fn, inputs))


# Sums over the last, first and middle axis: in one block, in several parts, and by columns.
for shape, axis in [((3, 10000), 1), ((20000,), 0), ((5000, 3), 0), ((40, 30, 20), 1), ((700, 100), 0), ((7, 33), 1),
                    ((2, 3000, 2), [0, 2]), ((2, 9000), [0, 1])]:
    x = numbers(*shape)
    for reduce in ('sum', 'mean', 'max', 'min', 'prod'):
        if reduce == 'prod':
            x = 1 + x / 1000
        case('reduce_%s %s %s' % (reduce, shape, axis),
             lambda x, axis=axis, reduce=reduce: getattr(tf, 'reduce_' + reduce)(x, axis), x)
    for reduce in ('any', 'all'):
        case('reduce_%s %s %s' % (reduce, shape, axis),
             lambda x, axis=axis, reduce=reduce: tf.cast(getattr(tf, 'reduce_' + reduce)(x > 0.9, axis), tf.float32), x)
    if isinstance(axis, int):
        case('argmax %s %s' % (shape, axis), lambda x, axis=axis: tf.cast(tf.argmax(x, axis), tf.float32), x)
        case('argmin %s %s' % (shape, axis), lambda x, axis=axis: tf.cast(tf.argmin(x, axis), tf.float32), x)
        case('cumsum %s %s' % (shape, axis), lambda x, axis=axis: tf.cumsum(x, axis), x)
case('l2_loss', tf.nn.l2_loss, numbers(30000))
case('softmax', tf.nn.softmax, numbers(5, 700))
case('log_softmax', tf.nn.log_softmax, numbers(5, 700))
labels = np.abs(numbers(6, 500))
labels = labels / labels.sum(1).reshape(6, 1)
case('softmax loss', lambda x, p: tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=x), numbers(6, 500), labels)
case('sparse loss', lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=np.arange(6).astype(np.int32) * 80, logits=x), numbers(6, 500))
case('top_k', lambda x: tf.nn.top_k(x, 5)[0], numbers(4, 300))
case('in_top_k', lambda x: tf.cast(tf.nn.in_top_k(x, np.arange(4).astype(np.int32), 50), tf.float32), numbers(4, 300))
case('matmul', tf.matmul, numbers(70, 40), numbers(40, 90))
case('bias_add', tf.nn.bias_add, numbers(300, 70), numbers(70))
image = numbers(2, 20, 18, 6)
case('conv2d', lambda x, f: tf.nn.conv2d(x, f, [1, 1, 1, 1], 'SAME'), image, numbers(3, 3, 6, 8))
case('depthwise', lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], 'SAME'), image, numbers(3, 3, 6, 2))
case('max_pool', lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'), image)
case('avg_pool', lambda x: tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME'), image)
case('lrn', lambda x: tf.nn.lrn(x, 2), image)
case('resize', lambda x: tf.image.resize_bilinear(x, [13, 31]), image)
case('nearest', lambda x: tf.image.resize_nearest_neighbor(x, [13, 31]), image)
case('batch norm', lambda x, s, o: tf.nn.fused_batch_norm(x, s, o, is_training=True)[0], image, numbers(6), numbers(6))
rows = np.array([5, 1, 5, 99, 0, 5] * 60, np.int32)
case('gather', lambda x: tf.gather(x, rows), numbers(100, 30))
case('gather_nd', lambda x: tf.gather_nd(x, rows.reshape(180, 2) % 30), numbers(100, 30))
case('unsorted_segment_sum', lambda x: tf.unsorted_segment_sum(x, rows, 100), numbers(360, 20))
case('segment_sum', lambda x: tf.segment_sum(x, np.sort(rows)), numbers(360, 20))
case('transpose', lambda x: tf.transpose(x, [2, 0, 1]), numbers(20, 30, 40))
case('concat', lambda x, y: tf.concat([x, y], 1), numbers(200, 30), numbers(200, 7))
case('pad', lambda x: tf.pad(x, [[2, 3], [1, 1]]), numbers(100, 30))
case('mirror', lambda x: tf.pad(x, [[2, 3], [1, 1]], 'REFLECT'), numbers(100, 30))
case('strided', lambda x: x[90:2:-3, 1:20:2], numbers(100, 30))
case('tile', lambda x: tf.tile(x, [3, 4]), numbers(30, 20))
case('broadcast', lambda x, y: x * y + x / (y + 3), numbers(50, 1, 30), numbers(20, 1))
case('where', lambda x, y: tf.where(x > y, x, y), numbers(50, 30), numbers(50, 30))
case('half sum', lambda x: tf.cast(tf.reduce_sum(tf.cast(x, tf.float16) / 64, 1), tf.float32), numbers(3, 4000))

# Rows for a thread, a warp and a block each, and lanes that several blocks share.
# The checks of the fake GPU, which has neither, take minutes for so many rows.
count = 200 if os.environ.get('TENSH_FAKE_GPU_CHECKS') else 20000
many = numbers(count, 10)
case('softmax of short rows', tf.nn.softmax, many)
case('sums of short rows', lambda x: tf.reduce_sum(x, 1), many)
case('losses of short rows', lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=np.arange(count).astype(np.int32) % 10, logits=x), many)
for n in (1, 31, 32, 33, 1024, 1025):
    case('softmax of %d' % n, tf.nn.softmax, numbers(40, n))
    case('sums of %d' % n, lambda x: tf.reduce_sum(x, 1), numbers(max(count // 18, 50), n))
case('columns', lambda x: tf.reduce_sum(x, 0), numbers(40, 40000))
for options in ({}, {'exclusive': True}, {'reverse': True}, {'exclusive': True, 'reverse': True}):
    case('cumsum %s' % options, lambda x, options=options: tf.cumsum(x, 0, **options) / 100, numbers(20000))
    case('cumprod %s' % options, lambda x, options=options: tf.cumprod(x, 1, **options), 1 + numbers(3, 9000) / 1000)
for k in (1, 128, 129, 300):
    case('top_k %d values' % k, lambda x, k=k: tf.nn.top_k(x, k)[0], numbers(4, 300))
    case('top_k %d indices' % k, lambda x, k=k: tf.cast(tf.nn.top_k(tf.round(x * 20), k)[1], tf.float32), numbers(4, 300))
case('top_k of doubles', lambda x: tf.cast(tf.nn.top_k(tf.cast(x, tf.float64), 200)[0], tf.float32), numbers(4, 300))
case('add_n', lambda x: tf.add_n([x * i for i in range(40)]), numbers(50))
case('transpose of tiles', lambda x: tf.transpose(x, [0, 2, 1]), numbers(3, 70, 45))
case('transpose of 16 bits', lambda x: tf.cast(tf.transpose(tf.cast(x, tf.float16)), tf.float32), numbers(70, 45))
image = numbers(2, 12, 11, 8)
for strides in (1, 2):
    case('conv2d with stride %d' % strides,
         lambda x, f, strides=strides: tf.nn.conv2d(x, f, [1, strides, strides, 1], 'SAME'), image, numbers(3, 3, 8, 4))
    case('1x1 with stride %d' % strides,
         lambda x, f, strides=strides: tf.nn.conv2d(x, f, [1, strides, strides, 1], 'SAME'), image, numbers(1, 1, 8, 4))
case('conv2d with dilation', lambda x, f: tf.nn.conv2d(x, f, [1, 1, 1, 1], 'VALID', dilations=[1, 2, 2, 1]), image,
     numbers(3, 3, 8, 4))
case('conv3d', lambda x, f: tf.nn.conv3d(x, f, [1, 1, 2, 1, 1], 'SAME'), numbers(2, 5, 7, 6, 4), numbers(2, 3, 3, 4, 3))
case('max_pool with overlap', lambda x: tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME'), image)
case('max_pool3d', lambda x: tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], 'SAME'), numbers(2, 5, 6, 7, 3))
# Chains of 16-bit floats, with a scalar and a row, of sizes that leave a rest.
for dtype in (tf.float16, tf.bfloat16):
    for n in (1, 7, 8, 9, 1025):
        case('chain of %s, %d' % (dtype.name, n), lambda x, y, dtype=dtype: tf.cast(
            tf.tanh(tf.cast(x, dtype) * tf.cast(y, dtype) + 1.) / 3., tf.float32), numbers(2, n), numbers(n))
    case('softmax of %s' % dtype.name, lambda x, dtype=dtype: tf.cast(tf.nn.softmax(tf.cast(x, dtype)), tf.float32),
         numbers(3, 40))

session = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
wrong = 0
for name, fn, inputs in cases:
    got = []
    for device in ('/cpu:0', '/gpu:0'):
        with tf.device(device):
            fed = [tf.placeholder(tf.float32, x.shape) for x in inputs]
            y = fn(*fed)
            wanted = [y] + [tf.convert_to_tensor(g) for g in tf.gradients(y, fed) if g is not None]
        for _ in range(4):  # the last step is replayed
            values = session.run(wanted, dict(zip(fed, inputs)))
        got.append(values)
    for k, (cpu, gpu) in enumerate(zip(*got)):
        if not np.allclose(cpu, gpu, 1e-3, 3e-4):  # sums of thousands of numbers, most of which cancel
            wrong += 1
            print(name, 'output' if k == 0 else 'gradient %d' % k, np.abs(cpu - gpu).max())

# Rows of a variable that a sparse optimizer updates, several times each.
ids = rng.randint(0, 70, 700)
got = []
for device in ('/cpu:0', '/gpu:0'):
    with tf.device(device):
        table = tf.Variable(np.linspace(-1, 1, 70 * 33).astype(np.float32).reshape(70, 33))
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids)))
        train = tf.train.AdagradOptimizer(0.1).minimize(loss)
        scattered = tf.scatter_mul(table, ids, np.linspace(0.9, 1.1, 700 * 33).astype(np.float32).reshape(700, 33))
    session.run(tf.global_variables_initializer())
    session.run(train)
    session.run(scattered)
    got.append(session.run(table))
if not np.allclose(got[0], got[1], 1e-3, 1e-4):
    wrong += 1
    print('sparse updates', np.abs(got[0] - got[1]).max())
print(len(cases) + 1, 'cases,', wrong, 'wrong')
