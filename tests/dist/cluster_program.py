# A program whose results must not depend on the client, master and workers. Under TensorFlow:
# python cluster_program.py grpc://…
import sys
try:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf
import numpy as np

A, B = '/job:worker/task:0', '/job:worker/task:1'


def failed(what, run):
    try:
        run()
    except tf.errors.OpError as e:
        print(what, type(e).__name__)


sess = tf.Session(sys.argv[1])
print(sorted(d.name for d in sess.list_devices() if 'XLA' not in d.name))

# constants, in both directions
with tf.device(A):
    a = tf.constant([1., 2.], name='a')
with tf.device(B):
    b = tf.add(a, [3., 4.], name='b')
with tf.device(A):
    c = tf.multiply(b, 2., name='c')
print(sess.run(a), sess.run(b), sess.run(c))
print(sess.run([c, b, a]))

# feeds
with tf.device(B):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    y = tf.matmul(x, tf.reshape(c, [2, 1]))
print(sess.run(y, {x: [[1, 1], [0, 2]]}))
print(sess.run(c, {b: [7., 7.]}))
failed('unfed', lambda: sess.run(y))

# variables
with tf.device(B):
    v = tf.Variable([5., 6.], name='v')
with tf.device(A):
    s = v + 1.
failed('uninitialized', lambda: sess.run(s))
sess.run(tf.global_variables_initializer())
print(sess.run(s))
with tf.device(B):
    up = v.assign_add([1., 1.])
sess.run(up)
print(sess.run([v, s]))
other = tf.Session(sys.argv[1])
print('shared', other.run(v))
other.close()

# strings, empty tensors, a chain that crosses between the tasks several times in one step
with tf.device(A):
    t = tf.constant([b'hi', b'', b'there'])
    e = tf.constant(np.zeros([0, 3], np.float32))
with tf.device(B):
    print(sess.run(tf.identity(t)), sess.run(tf.identity(e)).shape)
n = tf.constant(1)
for i in range(6):
    with tf.device(B if i % 2 else A):
        n = n * 2 + i
print(sess.run(n))

# a branch and a loop on one task, fed from another
p = tf.placeholder(tf.bool, [])
with tf.device(B):
    z = tf.cond(p, lambda: b + 1., lambda: b * 10.)
with tf.device(A):
    zz = z + c
print(sess.run(zz, {p: True}), sess.run(zz, {p: False}))
with tf.device(A):
    limit = tf.constant(5)
with tf.device(B):
    i, total = tf.while_loop(lambda i, t: i < limit, lambda i, t: (i + 1, t * 2.), [0, 1.])
with tf.device(A):
    after = total + tf.cast(i, tf.float32)
print(sess.run(after))

# parameters on one task, gradients on the other
points = np.arange(8, dtype=np.float32)
with tf.device(A):
    w = tf.Variable(0., name='w')
    k = tf.Variable(0., name='k')
with tf.device(B):
    px = tf.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(tf.square(w * px + k - (2. * px + 1.)))
    opt = tf.train.GradientDescentOptimizer(0.03)
    grads = opt.compute_gradients(loss, [w, k])
with tf.device(A):
    train = opt.apply_gradients(grads)
sess.run(tf.global_variables_initializer())
first = sess.run(loss, {px: points})
for _ in range(300):
    sess.run(train, {px: points})
print('trained', sess.run(loss, {px: points}) < first / 1000, round(float(sess.run(w)), 1),
      round(float(sess.run(k)), 1))

# a queue between two clients
with tf.device(B):
    q = tf.FIFOQueue(10, [tf.float32], [[]], shared_name='q')
    put = q.enqueue([c[0]])
    get = q.dequeue()
second = tf.Session(sys.argv[1])
sess.run(put)
print('queue', second.run(get))
second.close()

failed('kernel', lambda: sess.run(tf.matmul(x, x), {x: [[1, 2], [3, 4], [5, 6]]}))
print(sess.run(a))
sess.close()
