"""The workloads of nets.py: TensorFlow 1 programs that run unchanged in tensh and in TensorFlow.

Reads the number of threads and the name of a clock of `time` from stdin, and then lines `CASE MILLISECONDS`. For each,
prints the time of a step in microseconds, after as many as fit into that time. The graph of a case is built when
it is first named.
"""
import time
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

random = np.random.RandomState(1)


def weights(*shape):
    fan_in = 1
    for n in shape[:-1]:
        fan_in *= n
    return tf.Variable(random.normal(0, (2.0 / fan_in) ** 0.5, shape).astype(np.float32))


def data(*shape):
    return tf.Variable(random.uniform(-1, 1, shape).astype(np.float32), trainable=False)


def labels(n, classes):
    return tf.Variable(random.randint(0, classes, n).astype(np.int32), trainable=False)


def conv(x, size, outputs, stride=1, bias=False):
    y = tf.nn.conv2d(x, weights(size, size, int(x.shape[3]), outputs), [1, stride, stride, 1], 'SAME')
    return tf.nn.bias_add(y, tf.Variable(tf.zeros([outputs]))) if bias else y


def norm(x, training):
    n = int(x.shape[3])
    scale, offset = tf.Variable(tf.ones([n])), tf.Variable(tf.zeros([n]))
    if training:
        return tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3)[0]
    mean, variance = tf.Variable(tf.zeros([n])), tf.Variable(tf.ones([n]))
    return tf.nn.fused_batch_norm(x, scale, offset, mean, variance, epsilon=1e-3, is_training=False)[0]


def dense(x, outputs):
    return tf.matmul(x, weights(int(x.shape[1]), outputs)) + tf.Variable(tf.zeros([outputs]))


def classify(logits, classes, training, optimizer):
    if not training:
        return tf.nn.softmax(logits)
    n = int(logits.shape[0])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels(n, classes), logits=logits))
    return optimizer.minimize(loss)


def lenet(training):
    x = data(64, 28, 28, 1)
    for outputs in (32, 64):
        x = tf.nn.relu(conv(x, 5, outputs, bias=True))
        x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
    x = tf.nn.relu(dense(tf.reshape(x, [64, 7 * 7 * 64]), 1024))
    return classify(dense(x, 10), 10, training, tf.train.AdamOptimizer(1e-4))


def resnet14(training):
    x = tf.nn.relu(norm(conv(data(32, 32, 32, 3), 3, 16), training))
    for width in (16, 32, 64):
        for block in range(2):
            stride = 2 if width > 16 and block == 0 else 1
            y = tf.nn.relu(norm(conv(x, 3, width, stride), training))
            y = norm(conv(y, 3, width), training)
            if stride > 1:
                x = norm(conv(x, 1, width, stride), training)
            x = tf.nn.relu(x + y)
    x = tf.reduce_mean(x, [1, 2])
    return classify(dense(x, 10), 10, training, tf.train.MomentumOptimizer(0.01, 0.9))


def mobilenet(training):
    """MobileNetV2, width 1, for images of 96 x 96."""
    def depthwise(x, stride):
        return tf.nn.depthwise_conv2d(x, weights(3, 3, int(x.shape[3]), 1), [1, stride, stride, 1], 'SAME')
    batch = 8 if training else 1
    x = tf.nn.relu6(norm(conv(data(batch, 96, 96, 3), 3, 32, 2), training))
    for expand, width, times, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                         (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(times):
            y = x
            if expand > 1:
                y = tf.nn.relu6(norm(conv(y, 1, int(x.shape[3]) * expand), training))
            y = tf.nn.relu6(norm(depthwise(y, stride if i == 0 else 1), training))
            y = norm(conv(y, 1, width), training)
            x = x + y if i else y
    x = tf.nn.relu6(norm(conv(x, 1, 1280), training))
    return classify(dense(tf.reduce_mean(x, [1, 2]), 1000), 1000, training, tf.train.MomentumOptimizer(0.01, 0.9))


def unet(training):
    def two(x, width):
        for _ in range(2):
            x = tf.nn.relu(conv(x, 3, width, bias=True))
        return x
    x, skips = data(4, 64, 64, 3), []
    for width in (16, 32):
        x = two(x, width)
        skips.append(x)
        x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
    x = two(x, 64)
    for width in (32, 16):
        skip = skips.pop()
        filters = weights(2, 2, width, int(x.shape[3]))
        x = tf.nn.conv2d_transpose(x, filters, tf.stack([4, int(skip.shape[1]), int(skip.shape[2]), width]), [1, 2, 2, 1])
        x.set_shape(skip.shape)
        x = two(tf.concat([skip, x], 3), width)
    logits = tf.reshape(conv(x, 1, 2, bias=True), [4 * 64 * 64, 2])
    return classify(logits, 2, training, tf.train.AdamOptimizer(1e-3))


def lstm(training):
    """A language model: 20 steps of 20 sentences, 1,000 words, 128 units."""
    batch, steps, words, units = 20, 20, 1000, 128
    ids = tf.Variable(random.randint(0, words, [batch, steps]).astype(np.int32), trainable=False)
    inputs = tf.unstack(tf.nn.embedding_lookup(weights(words, units), ids), axis=1)
    kernel, bias = weights(2 * units, 4 * units), tf.Variable(tf.zeros([4 * units]))
    state = output = tf.zeros([batch, units])
    outputs = []
    for x in inputs:
        i, j, f, o = tf.split(tf.matmul(tf.concat([x, output], 1), kernel) + bias, 4, 1)
        state = state * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        output = tf.tanh(state) * tf.sigmoid(o)
        outputs.append(output)
    logits = dense(tf.reshape(tf.stack(outputs, 1), [batch * steps, units]), words)
    return classify(logits, words, training, tf.train.GradientDescentOptimizer(0.1))


def transformer(training):
    """Two blocks: 8 sentences of 64 words, 128 units, 4 heads."""
    batch, length, units, heads = 8, 64, 128, 4

    def layer_norm(x):
        mean, variance = tf.nn.moments(x, [1], keep_dims=True)
        return (x - mean) * tf.rsqrt(variance + 1e-5) * tf.Variable(tf.ones([units])) + tf.Variable(tf.zeros([units]))

    def split_heads(x):
        return tf.transpose(tf.reshape(x, [batch, length, heads, units // heads]), [0, 2, 1, 3])

    x = data(batch * length, units)
    for _ in range(2):
        y = layer_norm(x)
        q, k, v = [split_heads(dense(y, units)) for _ in range(3)]
        attention = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (units // heads) ** -0.5)
        y = tf.reshape(tf.transpose(tf.matmul(attention, v), [0, 2, 1, 3]), [batch * length, units])
        x = x + dense(y, units)
        y = dense(layer_norm(x), 4 * units)
        y = 0.5 * y * (1.0 + tf.erf(y * 0.5 ** 0.5))
        x = x + dense(y, units)
    return classify(dense(layer_norm(x), 1000), 1000, training, tf.train.AdamOptimizer(1e-3))


def gru(training):
    """A language model in a loop of the graph: 20 steps of 20 sentences, 1,000 words, 128 units."""
    batch, steps, words, units = 20, 20, 1000, 128

    class Cell:
        """A GRU cell, as tf.nn.dynamic_rnn expects it."""
        state_size = output_size = units

        def __init__(self):
            self.gates, self.gate_bias = weights(2 * units, 2 * units), tf.Variable(tf.ones([2 * units]))
            self.candidate, self.candidate_bias = weights(2 * units, units), tf.Variable(tf.zeros([units]))

        def zero_state(self, n, dtype):
            return tf.zeros([n, units], dtype)

        def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
            return self.zero_state(batch_size, dtype)

        def __call__(self, x, state, scope=None):
            r, u = tf.split(tf.sigmoid(tf.matmul(tf.concat([x, state], 1), self.gates) + self.gate_bias), 2, 1)
            c = tf.tanh(tf.matmul(tf.concat([x, r * state], 1), self.candidate) + self.candidate_bias)
            state = u * state + (1.0 - u) * c
            return state, state

    ids = tf.Variable(random.randint(0, words, [batch, steps]).astype(np.int32), trainable=False)
    x = tf.nn.embedding_lookup(weights(words, units), ids)
    outputs = tf.nn.dynamic_rnn(Cell(), x, dtype=tf.float32)[0]
    logits = dense(tf.reshape(outputs, [batch * steps, units]), words)
    return classify(logits, words, training, tf.train.GradientDescentOptimizer(0.1))


def word2vec(training):
    """Skip-gram with sampled softmax: 128 pairs, 10,000 words, 64 sampled."""
    batch, words, units = 128, 10000, 128
    ids = tf.Variable(random.randint(0, words, batch).astype(np.int32), trainable=False)
    targets = tf.Variable(random.randint(0, words, [batch, 1]).astype(np.int64), trainable=False)
    x = tf.nn.embedding_lookup(weights(words, units), ids)
    softmax, bias = weights(words, units), tf.Variable(tf.zeros([words]))
    if not training:
        return tf.nn.top_k(tf.matmul(x, softmax, transpose_b=True) + bias, 8)[0]
    loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(softmax, bias, targets, x, 64, words))
    return tf.train.GradientDescentOptimizer(0.5).minimize(loss)


def wide_and_deep(training):
    """256 rows of eight categories with 1,000 values each and 13 numbers."""
    batch, values = 256, 1000
    numbers, wide, deep = data(batch, 13), [], []
    for _ in range(8):
        ids = tf.Variable(random.randint(0, values, batch).astype(np.int32), trainable=False)
        deep.append(tf.nn.embedding_lookup(weights(values, 16), ids))
        wide.append(tf.nn.embedding_lookup(weights(values, 1), ids))
    y = tf.concat(deep + [numbers], 1)
    for units in (256, 128, 64):
        y = tf.nn.relu(dense(y, units))
    logits = tf.reshape(dense(y, 1) + tf.add_n(wide), [batch])
    if not training:
        return tf.sigmoid(logits)
    clicks = tf.cast(labels(batch, 2), tf.float32)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=clicks, logits=logits))
    return tf.train.AdagradOptimizer(0.05).minimize(loss)


def factorisation(training):
    """1,024 ratings of 5,000 users and 2,000 items, 32 factors."""
    batch = 1024
    users, items = [tf.Variable(random.randint(0, n, batch).astype(np.int32), trainable=False) for n in (5000, 2000)]
    p, q = tf.nn.embedding_lookup(weights(5000, 32), users), tf.nn.embedding_lookup(weights(2000, 32), items)
    ratings = tf.reduce_sum(p * q, 1) + tf.gather(tf.Variable(tf.zeros([5000])), users)
    if not training:
        return ratings
    loss = tf.reduce_mean(tf.square(ratings - data(batch))) + 1e-4 * (tf.nn.l2_loss(p) + tf.nn.l2_loss(q))
    return tf.train.AdamOptimizer(1e-3).minimize(loss)


def vae(training):
    """784-400-20-400-784, 128 images."""
    batch, x = 128, data(128, 784)
    hidden = tf.nn.relu(dense(x, 400))
    mean, log_variance = dense(hidden, 20), dense(hidden, 20)
    z = mean + tf.exp(0.5 * log_variance) * tf.random_normal([batch, 20])
    logits = dense(tf.nn.relu(dense(z, 400)), 784)
    if not training:
        return tf.sigmoid(logits)
    target = tf.stop_gradient(tf.abs(x))
    likelihood = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits), 1)
    divergence = -0.5 * tf.reduce_sum(1.0 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
    return tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(likelihood + divergence))


def dcgan(training):
    """Images of 28 x 28 from 64 numbers, 32 at once. A step trains both nets."""
    batch = 32
    with tf.variable_scope('generator'):
        y = tf.nn.relu(dense(tf.random_uniform([batch, 64], -1, 1), 7 * 7 * 64))
        y = tf.reshape(y, [batch, 7, 7, 64])
        y = tf.nn.conv2d_transpose(y, weights(5, 5, 32, 64), [batch, 14, 14, 32], [1, 2, 2, 1])
        y = tf.nn.relu(norm(y, training))
        made = tf.tanh(tf.nn.conv2d_transpose(y, weights(5, 5, 1, 32), [batch, 28, 28, 1], [1, 2, 2, 1]))
    if not training:
        return made
    of_generator = tf.trainable_variables()
    filters = [weights(5, 5, 1, 32), weights(5, 5, 32, 64), weights(7 * 7 * 64, 1)]

    def judge(x):
        for f in filters[:2]:
            x = tf.nn.leaky_relu(tf.nn.conv2d(x, f, [1, 2, 2, 1], 'SAME'))
        return tf.matmul(tf.reshape(x, [batch, 7 * 7 * 64]), filters[2])

    def loss(logits, label):
        target = tf.fill([batch, 1], label)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits))
    real, fake = judge(data(batch, 28, 28, 1)), judge(made)
    optimizer = tf.train.AdamOptimizer(2e-4, 0.5)
    return tf.group(optimizer.minimize(loss(real, 1.0) + loss(fake, 0.0), var_list=filters),
                    optimizer.minimize(loss(fake, 1.0), var_list=of_generator))


def dqn(training):
    """4-64-64-2, as for CartPole: 32 transitions."""
    batch = 32
    x, actions = data(batch, 4), labels(batch, 2)
    for units in (64, 64):
        x = tf.nn.relu(dense(x, units))
    values = dense(x, 2)
    if not training:
        return tf.argmax(values, 1)
    chosen = tf.reduce_sum(values * tf.one_hot(actions, 2), 1)
    loss = tf.reduce_mean(tf.losses.huber_loss(data(batch), chosen))
    return tf.train.AdamOptimizer(1e-3).minimize(loss)


def resnet50(training):
    """One image of 224 x 224."""
    x = tf.nn.relu(norm(conv(data(1, 224, 224, 3), 7, 64, 2), training))
    x = tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME')
    for width, times, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(times):
            step = stride if i == 0 else 1
            y = tf.nn.relu(norm(conv(x, 1, width), training))
            y = tf.nn.relu(norm(conv(y, 3, width, step), training))
            y = norm(conv(y, 1, 4 * width), training)
            if i == 0:
                x = norm(conv(x, 1, 4 * width, step), training)
            x = tf.nn.relu(x + y)
    return classify(dense(tf.reduce_mean(x, [1, 2]), 1000), 1000, training, tf.train.MomentumOptimizer(0.01, 0.9))


def conv_of(rows, columns, channels, filter_rows, filter_columns, outputs):
    return lambda: tf.nn.conv2d(data(1, rows, columns, channels), weights(filter_rows, filter_columns, channels, outputs),
                                [1, 1, 1, 1], 'SAME')


def depthwise_of(size, channels, window, stride):
    return lambda: tf.nn.depthwise_conv2d(data(1, size, size, channels), weights(window, window, channels, 1),
                                          [1, stride, stride, 1], 'SAME')


def gelu():
    x = data(1, 56, 56, 384)
    return 0.5 * x * (1.0 + tf.erf(x * 0.5 ** 0.5))


def concat():
    return tf.concat([data(256, 1024), data(256, 1024), data(256, 1024)], 1)


def unique():
    return tf.unique(tf.Variable(random.randint(0, 10000, 100000).astype(np.int32)))[0]


def cholesky():
    a = random.uniform(-1, 1, (512, 512)).astype(np.float32)
    return tf.cholesky(tf.Variable(np.matmul(a, a.transpose()) + 512 * np.eye(512, dtype=np.float32)))


def ints(n, *shape):
    return tf.Variable(random.randint(0, n, shape).astype(np.int32), trainable=False)


def layer_norm_of(rows, units):
    def build():
        x = data(rows, units)
        mean, variance = tf.nn.moments(x, [1], keep_dims=True)
        return (x - mean) * tf.rsqrt(variance + 1e-5) * tf.Variable(tf.ones([units])) + tf.Variable(tf.zeros([units]))
    return build


def adam_of(n):
    return lambda: tf.train.AdamOptimizer(1e-3).apply_gradients([(data(n), tf.Variable(tf.zeros([n])))])


def sparse_loss():
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ints(1000, 512), logits=data(512, 1000))


def dense_loss():
    return tf.nn.softmax_cross_entropy_with_logits(labels=tf.abs(data(512, 1000)), logits=data(512, 1000))


def solve():
    a = random.uniform(-1, 1, (256, 256)).astype(np.float32) + 16 * np.eye(256, dtype=np.float32)
    return tf.matrix_solve(tf.Variable(a), data(256, 64))


def triangular_solve():
    a = np.tril(random.uniform(-1, 1, (256, 256))).astype(np.float32) + 16 * np.eye(256, dtype=np.float32)
    return tf.matrix_triangular_solve(tf.Variable(a), data(256, 256))


def product_of(n, dtype):
    def matrix():
        return tf.Variable(tf.cast(random.uniform(-9, 9, (n, n)), dtype))
    return lambda: tf.matmul(matrix(), matrix())


def squared_error():
    x = data(512, 512)
    return tf.gradients((x - data(512, 512)) ** 2, x)[0]


def spectrum(*shape):
    return tf.complex(data(*shape), data(*shape))


# The element that is fetched keeps the copy of a large result out of the measurement.
KERNELS = {
    'depthwise 3x3 s2 112x112x96': depthwise_of(112, 96, 3, 2),
    'depthwise 3x3 14x14x576': depthwise_of(14, 576, 3, 1),
    'depthwise 5x5 14x14x672': depthwise_of(14, 672, 5, 1),
    'depthwise 7x7 56x56x96': depthwise_of(56, 96, 7, 1),
    'conv 3x3 56x56x64': conv_of(56, 56, 64, 3, 3, 64),
    'conv 5x5 8->32 172x264': conv_of(172, 264, 8, 5, 5, 32),
    'conv 3x39 8->16 172x264': conv_of(172, 264, 8, 3, 39, 16),
    'conv 1x1 56x56x64->256': conv_of(56, 56, 64, 1, 1, 256),
    'batch norm 112x112x96': lambda: norm(data(1, 112, 112, 96), False),
    'batch norm training': lambda: norm(data(8, 56, 56, 96), True),
    'gelu 56x56x384': gelu,
    'max pool 3x3 s2 112x112x64': lambda: tf.nn.max_pool(data(1, 112, 112, 64), [1, 3, 3, 1], [1, 2, 2, 1], 'SAME'),
    'avg pool 2x2 112x112x64': lambda: tf.nn.avg_pool(data(1, 112, 112, 64), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'),
    'softmax 4096x1024': lambda: tf.nn.softmax(data(4096, 1024)),
    'softmax 64x10': lambda: tf.nn.softmax(data(64, 10)),
    'log softmax 512x1000': lambda: tf.nn.log_softmax(data(512, 1000)),
    'sparse cross entropy 512x1000': sparse_loss,
    'cross entropy 512x1000': dense_loss,
    'logsumexp 512x1000': lambda: tf.reduce_logsumexp(data(512, 1000), 1),
    'layer norm 512x1024': layer_norm_of(512, 1024),
    'adam 1M': adam_of(1 << 20),
    'random uniform 1M': lambda: tf.random_uniform([1 << 20]),
    'random normal 1M': lambda: tf.random_normal([1 << 20]),
    'truncated normal 1M': lambda: tf.truncated_normal([1 << 20]),
    'slice 512x512 of 1024x1024': lambda: tf.slice(data(1024, 1024), [100, 100], [512, 512]),
    'split 1024x1024 in 4': lambda: tf.split(data(1024, 1024), 4, 1)[0],
    'pad 56x56x64': lambda: tf.pad(data(1, 56, 56, 64), [[0, 0], [1, 1], [1, 1], [0, 0]]),
    'tile 256x256 4x4': lambda: tf.tile(data(256, 256), [4, 4]),
    'gather 4096 of 10000x128': lambda: tf.gather(data(10000, 128), ints(10000, 4096)),
    'one hot 4096x1000': lambda: tf.one_hot(ints(1000, 4096), 1000),
    'cast 1M to int32': lambda: tf.cast(data(1 << 20), tf.int32),
    'cast 1M to half': lambda: tf.cast(data(1 << 20), tf.float16),
    'sort 100000': lambda: tf.sort(data(100000)),
    'argsort 100000': lambda: tf.argsort(data(100000)),
    'top 10 of 128x10000': lambda: tf.nn.top_k(data(128, 10000), 10)[0],
    'segment sum 10000x64': lambda: tf.segment_sum(data(10000, 64), tf.Variable(np.arange(10000, dtype=np.int32) // 10)),
    'unsorted segment sum': lambda: tf.unsorted_segment_sum(data(10000, 64), ints(1000, 10000), 1000),
    'cumsum 1024x1024': lambda: tf.cumsum(data(1024, 1024), 1),
    'argmax 1024x1000': lambda: tf.argmax(data(1024, 1000), 1),
    'sum of columns 1024x1024': lambda: tf.reduce_sum(data(1024, 1024), 0),
    'resize 64x64 to 256x256': lambda: tf.image.resize_bilinear(data(1, 64, 64, 16), [256, 256]),
    'transpose 4096x1024': lambda: tf.transpose(data(4096, 1024)),
    'concat 3 of 256x1024': concat,
    'unique 100000': unique,
    'cholesky 512': cholesky,
    'solve 256': solve,
    'triangular solve 256': triangular_solve,
    'inverse 256': lambda: tf.matrix_inverse(tf.Variable(random.uniform(-1, 1, (256, 256)).astype(np.float32))),
    'matmul 512 double': product_of(512, tf.float64),
    'matmul 256 complex64': product_of(256, tf.complex64),
    'matmul 512 int32': product_of(512, tf.int32),
    'fft 512x512': lambda: tf.fft(spectrum(512, 512)),
    'rfft 512x1024': lambda: tf.spectral.rfft(data(512, 1024)),
    'gradient of (x - y) ** 2': squared_error,
    'tanh 512x512 double': lambda: tf.tanh(tf.cast(data(512, 512), tf.float64)),
    'sin 512x512': lambda: tf.sin(data(512, 512)),
    'softplus 512x512': lambda: tf.nn.softplus(data(512, 512)),
    'sum of halves 512x512': lambda: tf.cast(data(512, 512), tf.float16) + tf.cast(data(512, 512), tf.float16),
    'roll 512x512': lambda: tf.roll(data(512, 512), 3, 1),
    'mirror pad 512x512': lambda: tf.pad(data(512, 512), [[2, 2], [2, 2]], 'REFLECT'),
    'max of 65536 rows of 4': lambda: tf.reduce_max(data(65536, 4), 1),
    'local response 4x32x32x64': lambda: tf.nn.lrn(data(4, 32, 32, 64), 4, 1.0, 1e-4, 0.75),
    'qr 256x128': lambda: tf.qr(data(256, 128))[0],
    'svd 128x128': lambda: tf.svd(data(128, 128))[0],
}
NETS = {'LeNet': lenet, 'ResNet-14': resnet14, 'MobileNetV2': mobilenet, 'U-Net': unet, 'LSTM': lstm,
        'transformer': transformer, 'GRU': gru, 'word2vec': word2vec, 'wide and deep': wide_and_deep,
        'factorisation': factorisation, 'VAE': vae, 'DCGAN': dcgan, 'DQN': dqn, 'ResNet-50': resnet50}


def build(case):
    """Returns the operation or tensor that a step of this case runs."""
    if case == 'nothing':
        result = tf.no_op()
    elif case in KERNELS:
        result = KERNELS[case]()
    else:
        name, mode = case.rsplit(' ', 1)
        result = NETS[name](mode == 'train')
    return result if isinstance(result, tf.Operation) else result.op


def prepare(case, threads):
    with tf.Graph().as_default():
        fetch = build(case)
        session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads))
        session.run(tf.global_variables_initializer())
        return session, session.make_callable(fetch)


def measure(step, seconds, clock):
    """The fastest step, or the median of the time of the CPU, which the system counts late for other threads."""
    times, until = [], time.time() + seconds
    while not times or time.time() < until:
        start = clock()
        step()
        times.append(clock() - start)
    times.sort()
    return times[len(times) // 2 if clock is time.process_time else 0] * 1e6


def main():
    threads, steps = int(input()), {}
    clock = getattr(time, input())
    while True:
        line = input()
        if line == 'end':
            return
        case, milliseconds = line.rsplit(' ', 1)
        if case not in steps:
            steps[case] = prepare(case, threads)
            measure(steps[case][1], 0, clock)
        print('%.1f' % measure(steps[case][1], int(milliseconds) / 1000, clock), flush=True)


main()
