"""tf.custom_gradient, tf.RegisterGradient and gradient_override_map, as tutorials use them."""
import numpy as np
import tensorflow as tf


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))
    return tf.log(1 + e), grad


x = tf.constant(100.)
y = log1pexp(x)
print(y, tf.gradients(y, x))
with tf.Session() as sess:
    print(sess.run([y, tf.gradients(y, x)[0]]))


@tf.custom_gradient
def two(a, b):
    def grad(da, db):
        return 10. * da, 100. * db
    return (a * 2., b * 3.), grad


a, b = tf.constant([1., 2.]), tf.constant(3.)
p, q = two(a, b)
loss = tf.reduce_sum(p * p) + q
with tf.Session() as sess:
    print(sess.run([p, q] + tf.gradients(loss, [a, b])))


# Guided backpropagation: relu's gradient, where it is positive.
@tf.RegisterGradient('GuidedRelu')
def _guided_relu_grad(op, grad):
    return tf.where(0. < grad, tf.where(0. < op.inputs[0], grad, tf.zeros_like(grad)), tf.zeros_like(grad))


graph = tf.Graph()
with graph.as_default():
    image = tf.constant([[-1., 2., 3., -4.]])
    w = tf.constant([[1.], [-1.], [2.], [-2.]])
    plain = tf.matmul(tf.nn.relu(image), w)
    with graph.gradient_override_map({'Relu': 'GuidedRelu'}):
        guided = tf.matmul(tf.nn.relu(image, name='guided'), w)
    print(graph.get_operation_by_name('guided').get_attr('_gradient_op_type'))
    g1, = tf.gradients(plain, image)
    g2, = tf.gradients(guided, image)
    both, = tf.gradients(plain + guided * 2., image)
    with tf.Session() as sess:
        for g in (g1, g2, both):
            print(sess.run(g))


# Reversed gradients between two parts of a model, trained.
@tf.RegisterGradient('Reversed')
def _reverse(op, grad):
    return -0.5 * grad


with tf.Graph().as_default() as graph:
    v = tf.Variable([1., 2.], name='v')
    u = tf.Variable(3., name='u')
    h = v * u
    with graph.gradient_override_map({'Identity': 'Reversed'}):
        flipped = tf.identity(h)
    loss = tf.reduce_sum(flipped) + tf.reduce_sum(v) * 0.1
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
            print(sess.run([v, u]))

# Through py_func, which has no gradient.
@tf.RegisterGradient('PyMod')
def _mod_grad(op, grad):
    x, y = op.inputs
    return grad * 1., grad * tf.negative(tf.floordiv(x, y))


with tf.Graph().as_default() as graph:
    x = tf.constant([-0.3, 4.7, 1.2, 0.9])
    y = tf.constant([0.1, 0.4, 2.3, 1.9])
    with graph.gradient_override_map({'PyFunc': 'PyMod'}):
        z = tf.py_func(lambda a, b: np.mod(a, b), [x, y], [tf.float32], name='mod')[0]
    gx, gy = tf.gradients(z * z, [x, y])
    with tf.Session() as sess:
        for t in (z, gx, gy):
            print(np.round(sess.run(t), 4))

try:
    tf.RegisterGradient('PyMod')(_mod_grad)
except KeyError as e:
    print('KeyError', 'Registering two' in str(e))
with tf.Graph().as_default() as graph:
    with graph.gradient_override_map({'Square': 'NotThere'}):
        s = tf.square(tf.constant(2.), name='s')
    try:
        tf.gradients(s, s.op.inputs[0])
    except LookupError as e:
        print('LookupError')
    try:
        with graph.gradient_override_map([1]):
            pass
    except TypeError as e:
        print(e)
