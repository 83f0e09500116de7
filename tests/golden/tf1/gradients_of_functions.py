# d/dx of the elementwise functions, rounded.
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
y = tf.constant([2.0, 0.5, 3.0])
table = [
    ('x + y', x + y), ('x * y', x * y), ('x / y', x / y), ('y / x', y / x), ('x - y', x - y), ('-x', -x), ('x ** 3', x ** 3),
    ('square', tf.square(x)), ('sqrt', tf.sqrt(x)), ('rsqrt', tf.rsqrt(x)), ('exp', tf.exp(x)), ('log', tf.log(x)),
    ('log1p', tf.log1p(x)), ('sin', tf.sin(x)), ('cos', tf.cos(x)), ('tanh', tf.tanh(x)), ('sigmoid', tf.sigmoid(x)),
    ('relu', tf.nn.relu(x - 1)), ('abs', tf.abs(x - 1)), ('maximum', tf.maximum(x, y)), ('minimum', tf.minimum(x, y)),
    ('reciprocal', tf.reciprocal(x)), ('squared_difference', tf.squared_difference(x, y)), ('y ** x', y ** x),
    ('sum', tf.reduce_sum(x)), ('mean', tf.reduce_mean(x)), ('prod', tf.reduce_prod(x)), ('max', tf.reduce_max(x)),
    ('softmax', tf.nn.softmax(x)[0]), ('log_softmax', tf.nn.log_softmax(x)[1]), ('l2_loss', tf.nn.l2_loss(x)),
    ('where', tf.where(x > 1.0, x * 2, x * 3)), ('cast', tf.cast(tf.cast(x, tf.float64) * 2, tf.float32)),
    ('stop', x * tf.stop_gradient(x)), ('identity', tf.identity(x) * 5), ('sign', tf.sign(x) + x), ('floor', tf.floor(x) * x),
]
with tf.Session() as sess:
    for name, f in table:
        g, = tf.gradients(f, x)
        print('%-20s %s' % (name, ' '.join('%8.4f' % v for v in sess.run(g, {x: [0.5, 1.5, 2.5]}))))
