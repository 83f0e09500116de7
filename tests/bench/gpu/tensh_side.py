# The side of tensh: graphs of TensorFlow 1. A step ends with a value on the host, so that it waits for the GPU.
import tensorflow as tf


def timed(name, out, value=None, feeds=None, train=None):
    """Times `out`. The value is that of `value`, after three steps of `train` if there is one."""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    feeds = feeds or {}
    got = None
    if train is not None:
        for _ in range(3):
            session.run(train, feeds)
    if value is not None:
        got = session.run(value, feeds)
    if feeds:
        measure(name, lambda: session.run(out, feeds), got)
    else:
        measure(name, session.make_callable(out), got)
    session.close()


def chain(n, elements):
    def workload(name):
        x = tf.Variable(numbers(1, elements))
        y = x
        for i in range(n):
            y = y + 0.5
        timed(name, y[0], y[:64])
    return workload


def product(dtype):
    def workload(name):
        a = tf.Variable(tf.cast(numbers(1, GEMM, GEMM), dtype))
        b = tf.Variable(tf.cast(numbers(2, GEMM, GEMM), dtype))
        y = tf.matmul(a, b)
        timed(name, tf.cast(y[0, 0], tf.float32), tf.cast(y[0, :64], tf.float32))
    return workload


def total(name):
    y = tf.reduce_sum(tf.Variable(numbers(1, CHAIN)))
    timed(name, y, y)


def softmax(width):
    def workload(name):
        y = tf.nn.softmax(tf.Variable(numbers(1, ROWS, width)))
        timed(name, y[0, 0], y[0])
    return workload


def after(train, loss):
    with tf.control_dependencies([train]):
        return tf.identity(loss)


def mlp(batch, fed=False, dropout=False):
    def workload(name):
        images, digits = numbers(1, batch, 784), indices(2, batch, 10)
        feeds = {}
        x = tf.placeholder(tf.float32, [batch, 784]) if fed else tf.Variable(images, trainable=False)
        if fed:
            feeds[x] = images
        labels = tf.Variable(digits, trainable=False)
        w1 = tf.Variable(numbers(3, 784, 128) * 0.05)
        w2 = tf.Variable(numbers(4, 128, 10) * 0.05)
        h = tf.nn.relu(tf.matmul(x, w1))
        if dropout:
            h = tf.nn.dropout(h, keep_prob=0.5)
        logits = tf.matmul(h, w2)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        timed(name, after(train, loss), None if dropout else loss, feeds, train)
    return workload


def convolution(name):
    x = tf.Variable(numbers(1, BATCH, IMAGE, IMAGE, CHANNELS), trainable=False)
    f = tf.Variable(numbers(2, 3, 3, CHANNELS, CHANNELS) * 0.05)
    g = tf.Variable(numbers(3, 3, 3, CHANNELS, CHANNELS) * 0.05)
    h = tf.nn.relu(tf.nn.conv2d(x, f, [1, 1, 1, 1], 'SAME'))
    loss = tf.reduce_mean(tf.square(tf.nn.conv2d(h, g, [1, 1, 1, 1], 'SAME')))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    timed(name, after(train, loss), loss, None, train)


def embedding(name):
    table = tf.Variable(numbers(1, WORDS, WIDTH))
    ids = tf.Variable(indices(2, NAMED, WORDS), trainable=False)
    loss = tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids)))
    train = tf.train.AdagradOptimizer(0.1).minimize(loss)
    timed(name, after(train, loss), loss, None, train)


def to_device(name):
    x = tf.placeholder(tf.float32, [COPY])
    timed(name, x[0] + 1.0, None, {x: numbers(1, COPY)})


def to_host(name):
    x = tf.Variable(numbers(1, COPY))
    timed(name, x + 1.0)


run({
    'product 4096, float32': product(tf.float32),
    'product 4096, bfloat16': product(tf.bfloat16),
}, begin=tf.reset_default_graph)
