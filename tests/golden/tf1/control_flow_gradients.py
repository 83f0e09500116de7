# tf.gradients through tf.cond, tf.while_loop, tf.map_fn, tf.scan and tf.foldl.
import tensorflow as tf

try:
    tf.disable_control_flow_v2()
except AttributeError:
    pass


# Some versions build the seed and the sums of broadcast gradients with other nodes.
def made(name):
    return name.startswith('gradients/') and not any(
        t in name for t in ('grad_ys', 'gradients/Fill', 'Enter_1_grad'))


def names(graph):
    kinds = {}
    for o in graph.get_operations():
        kinds[o.type] = kinds.get(o.type, 0) + 1
    for kind in ('StackV2', 'StackPushV2', 'StackPopV2', 'Switch', 'Merge', 'NextIteration', 'LoopCond'):
        print(kind, kinds.get(kind, 0))


g = tf.Graph()
with g.as_default():
    x = tf.constant(3.0, name='x')
    y = tf.constant(2.0, name='y')
    p = tf.placeholder(tf.bool, [], name='p')
    out = tf.cond(p, lambda: x * x * y, lambda: tf.sin(x) + y)
    gx, gy = tf.gradients(out, [x, y])
    only = tf.gradients(tf.cond(p, lambda: x * 2., lambda: tf.constant(1.)), x)
    nested = tf.gradients(tf.cond(p, lambda: tf.cond(x > y, lambda: x * y, lambda: x), lambda: y), [x, y])
    with tf.Session() as sess:
        for t in (True, False):
            print([round(float(v), 4) for v in sess.run([gx, gy, only[0]] + nested, {p: t})])
    for name in sorted(o.name for o in g.get_operations() if made(o.name)):
        print(name)

g = tf.Graph()
with g.as_default():
    x = tf.constant(2.0, name='x')
    n = tf.placeholder(tf.int32, [], name='n')
    w = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, 1.0])
    grad = tf.gradients(w[1], x)[0]
    with tf.Session() as sess:
        print([sess.run([w[1], grad], {n: k}) for k in (0, 1, 4)])
    for name in sorted(o.name for o in g.get_operations() if made(o.name)):
        print(name)
names(g)

g = tf.Graph()
with g.as_default():
    x = tf.constant([[1., 2.], [3., 4.]], name='x')
    m = tf.constant([[.5, .1], [.2, .3]], name='m')
    b = tf.constant([1., -1.], name='b')
    _, h = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, m) + b)), [0, x])
    grads = tf.gradients(tf.reduce_sum(h), [x, m, b])
    with tf.Session() as sess:
        for v in sess.run(grads):
            print(v.round(4).tolist())
names(g)

g = tf.Graph()
with g.as_default():
    # a branch in a loop, a loop in a branch, a loop in a loop
    x = tf.constant(1.5, name='x')
    _, s = tf.while_loop(lambda i, a: i < 5,
                         lambda i, a: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + x)), [0, x])
    g1 = tf.gradients(s, x)[0]
    p = tf.placeholder(tf.bool, [], name='p')
    q = tf.cond(p, lambda: tf.while_loop(lambda a: a < 50., lambda a: a * a, [x])[0] if False else
                tf.while_loop(lambda a: a < 50., lambda a: a * a, [x]), lambda: x)
    g2 = tf.gradients(q, x)[0]
    inner = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf.while_loop(lambda j, c: j < i, lambda j, c: (j + 1, c * x), [0, a])[1] + x),
        [0, x])
    g3 = tf.gradients(inner[1], x)[0]
    with tf.Session() as sess:
        print([round(float(v), 4) for v in sess.run([s, g1])])
        print([round(float(sess.run(g2, {p: t})), 3) for t in (True, False)])
        print([round(float(v), 4) for v in sess.run([inner[1], g3])])

g = tf.Graph()
with g.as_default():
    v = tf.constant([1., 2., 3.], name='v')
    k = tf.constant(2., name='k')
    print_these = [tf.gradients(tf.map_fn(lambda e: e * e * k, v), [v, k]),
                   tf.gradients(tf.scan(lambda a, e: a * e + k, v), [v, k]),
                   tf.gradients(tf.foldl(lambda a, e: a * e * k, v), [v, k]),
                   tf.gradients(tf.foldr(lambda a, e: a + e * e, v, initializer=0.), v)]
    ta = tf.TensorArray(tf.float32, 3).unstack(v)
    print_these.append(tf.gradients(ta.read(1) * ta.read(2) + ta.read(0), v))
    with tf.Session() as sess:
        for grads in sess.run(print_these):
            print([a.tolist() for a in grads])

g = tf.Graph()
with g.as_default():
    # trained through a loop
    w = tf.get_variable('w', initializer=tf.constant(0.5))
    _, out = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [0, tf.constant(2.)])
    loss = tf.square(out - 16.)
    train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(200):
            sess.run(train)
        print(round(float(sess.run(w)), 3), round(float(sess.run(loss)), 3))
