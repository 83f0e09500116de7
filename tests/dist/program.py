# A program whose results must not depend on the client and the server. Under TensorFlow: python
# program.py grpc://…
import sys
try:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf
import numpy as np


def failed(what, run):
    try:
        run()
    except tf.errors.OpError as e:
        print(what, type(e).__name__)


sess = tf.Session(sys.argv[1])
a = tf.constant([1., 2.], name='a')
b = tf.constant([3., 4.], name='b')
c = tf.add(a, b, name='c')
print(sess.run(c))
d = c * 2.
print(sess.run([c, d]))
print(sess.run(d, {c: [7., 7.]}))
x = tf.placeholder(tf.float32, [None, 2], name='x')
y = tf.matmul(x, tf.reshape(d, [2, 1]))
print(sess.run(y, {x: [[1, 1], [0, 2]]}))
failed('unfed', lambda: sess.run(y))

v = tf.Variable([5., 6.], name='v')
failed('uninitialized', lambda: sess.run(v))
sess.run(tf.global_variables_initializer())
print(sess.run(v))
sess.run(v.assign_add([1., 1.]))
print(sess.run(v))

print(sess.run(tf.constant([b'hi', b'there'])))
s = tf.placeholder(tf.string, [None])
print(sess.run(tf.identity(s), {s: [b'x', b'', b'z' * 20]}))
print(sess.run(tf.constant(np.zeros([0, 3], np.float32))).shape)
print(sess.run(tf.constant(1.5, shape=[2, 2])))
for dtype in (tf.int8, tf.uint8, tf.int16, tf.int32, tf.int64, tf.float64, tf.bool):
    print(dtype.name, sess.run(tf.cast(tf.constant([0., 1., 3.]), dtype)))

i, t = sess.run(tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t * 2.), [0, 1.]))
print(int(i), float(t))
p = tf.placeholder(tf.bool, [])
z = tf.cond(p, lambda: a + 1., lambda: b * 2.)
print(sess.run(z, {p: True}), sess.run(z, {p: False}))

points = np.arange(8, dtype=np.float32)
w = tf.Variable(0.)
k = tf.Variable(0.)
loss = tf.reduce_mean(tf.square(w * points + k - (2. * points + 1.)))
train = tf.train.GradientDescentOptimizer(0.03).minimize(loss)
sess.run(tf.global_variables_initializer())
first = sess.run(loss)
for _ in range(400):
    sess.run(train)
print('trained', sess.run(loss) < first / 1000, round(float(sess.run(w)), 1), round(float(sess.run(k)), 1))

other = tf.Session(sys.argv[1])
print(other.run(c), len(sess.list_devices()) > 0)
other.close()
sess.close()
