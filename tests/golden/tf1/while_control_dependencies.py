# Loops made under control dependencies: what waits for what, and that they run.
import tensorflow as tf


def show():
    for op in sorted(tf.get_default_graph().get_operations(), key=lambda op: op.name):
        print(op.name, op.type, [t.name for t in op.inputs], sorted(o.name for o in op.control_inputs))


c = tf.constant(1., name='c')
a = tf.constant(2., name='a')
with tf.control_dependencies([c]):
    n = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v + 1.), [0, a], name='plain')[1]
show()
print(tf.Session().run(n))

tf.reset_default_graph()
v = tf.get_variable('v', [], initializer=tf.zeros_initializer())
with tf.control_dependencies([v.assign_add(1.).op]):
    k = tf.constant(3., name='k')
    n = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * k), [0, v.read_value()], name='captures')[1]
show()
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run(n), sess.run(n))

tf.reset_default_graph()
x = tf.placeholder(tf.float32, [], name='x')
with tf.control_dependencies([tf.no_op(name='first')]):
    def body(i, y):
        with tf.control_dependencies([y]):
            z = tf.while_loop(lambda j, w: j < i, lambda j, w: (j + 1, w + x), [0, y], name='inner')[1]
        return i + 1, z
    n = tf.while_loop(lambda i, y: i < 3, body, [0, x], name='outer')[1]
show()
print(tf.Session().run(n, {x: 1.}))

tf.reset_default_graph()
p = tf.placeholder(tf.bool, [], name='p')
d = tf.constant(5., name='d')
with tf.control_dependencies([d]):
    n = tf.cond(p, lambda: tf.while_loop(lambda i: i < 4., lambda i: i + d, [1.], name='w'), lambda: d, name='c')
show()
with tf.Session() as sess:
    print(sess.run(n, {p: True}), sess.run(n, {p: False}))
