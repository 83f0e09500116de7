# Chains of elementwise operations on large tensors: with scalars, with a row for all rows, with intermediate
# values that are used elsewhere, in another order than they are used, fed with several shapes.
import numpy as np
import tensorflow as tf

np.random.seed(0)
n = 300007
x = tf.placeholder(tf.float32, [None])
y = tf.placeholder(tf.float32, [None])
chain = tf.tanh(tf.exp(x * y - 1.) / (tf.abs(x) + 2.))
inner = tf.sqrt(tf.square(x) + tf.square(y))
both = tf.where(x > y, inner * 2. + chain, tf.maximum(inner, chain) - y)
rounded = tf.cast(tf.floor(both * 10.), tf.int32)


def show(value):
    flat = np.ravel(value)
    print(value.shape, value.dtype, flat[[0, 1, 63, 64, 4095, 4096, 65535, -3, -1]])


s = tf.Session()
a = np.random.randn(n).astype(np.float32)
b = np.random.randn(n).astype(np.float32)
np.set_printoptions(precision=5)
for value in s.run([chain, inner, both, rounded], {x: a, y: b}):
    show(value)
show(s.run(both, {x: a, y: [0.5]}))
print(s.run([both, rounded], {x: [1., 2.], y: [3., -4.]}))

m = tf.placeholder(tf.float32, [None, 7])
bias = tf.constant([1., 2., 3., 4., 5., 6., 7.])
layer = tf.nn.relu(tf.nn.bias_add(m, bias) * bias - 3.)
matrix = np.random.randn(50000, 7).astype(np.float32)
show(s.run(layer, {m: matrix}))
gradient = tf.gradients(tf.reduce_sum(layer * layer), m)[0]
show(s.run(gradient, {m: matrix}))

v = tf.Variable(tf.ones([n]))
step = v.assign(v * 0.5 + tf.nn.sigmoid(v) * 2.)
s.run(v.initializer)
for _ in range(3):
    s.run(step)
show(s.run(v))
try:
    s.run(both, {x: a, y: b[:5]})
except tf.errors.InvalidArgumentError as e:
    print(type(e).__name__)
k = tf.placeholder(tf.int32, [None])
try:
    s.run((k + 1) // (k - 5) * 2, {k: np.arange(n)})
except tf.errors.InvalidArgumentError as e:
    print(type(e).__name__)
