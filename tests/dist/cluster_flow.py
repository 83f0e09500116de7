# Loops, branches and partial runs whose nodes are on several tasks. Under TensorFlow: python
# cluster_flow.py grpc://…
import sys
try:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf

A, B = '/job:worker/task:0', '/job:worker/task:1'
sess = tf.Session(sys.argv[1])


def run(values, feeds=None):
    return [float(v) for v in sess.run(values, feeds)]


def on(device, fn):
    with tf.device(device):
        return fn()


def loop(device, *args, **more):
    with tf.device(device):
        return tf.while_loop(*args, **more)


# the body on another task; the condition on another task; both ways in one iteration
n = tf.placeholder(tf.int32, [], name='n')
i, x = loop(A, lambda i, x: i < n, lambda i, x: (i + 1, on(B, lambda: x * 2.) + 1.), [0, 1.])
print('body', [run([i, x], {n: k}) for k in (0, 1, 5)])
i, x = loop(A, lambda i, x: on(B, lambda: i < n), lambda i, x: (i + 1, x * 2.), [0, 1.])
print('condition', [run([i, x], {n: k}) for k in (0, 1, 5)])


def there_and_back(i, x, y):
    p = on(B, lambda: x * 2.)
    q = on(A, lambda: p + y)
    r = on(B, lambda: q * 0.5 + p)
    return i + 1, on(A, lambda: r + 1.), on(B, lambda: y + x)


i, x, y = loop(B, lambda i, x, y: on(A, lambda: tf.logical_and(i < n, x < 1000.)), there_and_back, [0, 1., 2.])
print('back', run([i, x, y], {n: 4}), run([i, x, y], {n: 50}))

# a value from another task that enters the loop, and a variable there
with tf.device(B):
    step = tf.constant(3.)
    v = tf.Variable(10., name='held')
sess.run(v.initializer)
i, x = loop(A, lambda i, x: i < 4, lambda i, x: (i + 1, on(B, lambda: x + step * v)), [0, 0.])
print('enters', sess.run(x))

# a branch in a loop, a loop in a branch
i, x = loop(A, lambda i, x: i < 6,
            lambda i, x: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: on(B, lambda: x + 1.), lambda: x * 3.)),
            [0, 1.])
print('branch', sess.run(x))
p = tf.placeholder(tf.bool, [], name='p')
with tf.device(A):
    z = tf.cond(p, lambda: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, on(B, lambda: x * 2.)), [0, 1.])[1],
                lambda: on(B, lambda: step * 2.))
print('in a branch', sess.run(z, {p: True}), sess.run(z, {p: False}))

# many iterations, and their gradient
i, x = loop(A, lambda i, x: i < 300, lambda i, x: (i + 1, on(B, lambda: x + 1.)), [0, 0.])
print('many', sess.run(x))
w = tf.placeholder(tf.float32, [], name='w')
i, x = loop(A, lambda i, x: i < 3, lambda i, x: (i + 1, on(B, lambda: x * w)), [0, 2.])
print('gradient', run([x, tf.gradients(x, w)[0]], {w: 3.}))

# variables of both tasks, written in branches of a loop; a loop in a loop
u, v = [on(d, lambda: tf.Variable(0., name=name, use_resource=False)) for d, name in ((A, 'flow_u'), (B, 'flow_v'))]
sess.run(tf.global_variables_initializer())


def write(i):
    done = tf.cond(tf.equal(i % 2, 0), lambda: tf.identity(on(A, lambda: u.assign_add(1.))),
                   lambda: tf.identity(on(B, lambda: v.assign_add(10.))))
    with tf.control_dependencies([done]):
        return i + 1


print('written', sess.run(loop(A, lambda i: i < 5, write, [0], parallel_iterations=1)), run([u, v]))
i, x = loop(A, lambda i, x: i < n, lambda i, x: (i + 1, loop(
    B, lambda k, y: k < i, lambda k, y: (k + 1, on(A, lambda: y * 2.) + 1.), [0, x])[1]), [0, 1.])
print('nested', [run([i, x], {n: k}) for k in (0, 1, 2, 4)])

# a partial run: one step in several calls
with tf.device(A):
    a, b, c = [tf.placeholder(tf.float32, [], name=name) for name in 'abc']
with tf.device(B):
    first = a + b
with tf.device(A):
    second = first * c
for turn in range(2):
    step = sess.partial_run_setup([first, second], [a, b, c])
    print('partial', sess.partial_run(step, first, {a: 1. + turn, b: 2.}), sess.partial_run(step, second, {c: 17.}))
with tf.device(B):
    third = loop(B, lambda i, x: i < 3, lambda i, x: (i + 1, tf.cond(
        tf.equal(i, 1), lambda: on(A, lambda: x * 2.), lambda: x + c)), [0, first])[1]
step = sess.partial_run_setup([first, third], [a, b, c])
print('partial', sess.partial_run(step, first, {a: 1., b: 2.}), sess.partial_run(step, third, {c: 17.}))
step = sess.partial_run_setup([first, second], [a, b, c])
sess.partial_run(step, first, {a: 1., b: 2.})  # not completed
print(sess.run(second, {a: 1., b: 1., c: 4.}))
sess.close()
