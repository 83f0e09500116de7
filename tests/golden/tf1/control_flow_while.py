# tf.while_loop: values, structures, nesting, the nodes it makes.
import collections
import numpy as np
import tensorflow as tf

try:
    tf.disable_control_flow_v2()
except AttributeError:
    pass


def names(graph):
    for name, kind in sorted((o.name, o.type) for o in graph.get_operations()):
        print(name, kind)
    print(len(graph.get_operations()))


g = tf.Graph()
with g.as_default():
    i = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)])
    a, b = tf.while_loop(lambda a, b: a < 100, lambda a, b: (b, a + b), [0, 1])
    with tf.Session() as sess:
        print(sess.run(i), sess.run([a, b]))
    print(i, a, b)
names(g)

g = tf.Graph()
with g.as_default():
    # outer values, numpy, a placeholder
    n = tf.placeholder(tf.int32, [], name='n')
    m = tf.constant([[1., 1.], [1., 0.]], name='m')
    k, power = tf.while_loop(lambda k, x: k < n, lambda k, x: (k + 1, tf.matmul(x, m)),
                             (tf.constant(0), tf.constant([[1., 0.], [0., 1.]])))
    with tf.Session() as sess:
        for t in (0, 1, 5, 10):
            print(sess.run(power, {n: t}))
names(g)

g = tf.Graph()
with g.as_default():
    # a loop in a loop, a branch in a loop, a loop in a branch
    out = tf.while_loop(
        lambda i, acc: i < 5,
        lambda i, acc: (i + 1, acc + tf.while_loop(lambda j, q: j < i,
                                                   lambda j, q: (j + 1, q + j), [0, 0])[1]),
        [0, 0])
    z = tf.while_loop(lambda i, s: i < 6,
                      lambda i, s: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: s + 10, lambda: s - 1)),
                      [0, 0])
    p = tf.placeholder(tf.bool, [], name='p')
    q = tf.cond(p, lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]),
                lambda: tf.constant(-1))
    with tf.Session() as sess:
        print(sess.run([out, z]))
        print(sess.run(q, {p: True}), sess.run(q, {p: False}))
names(g)

g = tf.Graph()
with g.as_default():
    Pair = collections.namedtuple('Pair', 'x, y')
    r = tf.while_loop(lambda i, p: i < 4,
                      lambda i, p: (i + 1, Pair(p.x + p.y, p.y * 2)),
                      (tf.constant(0), Pair(tf.constant(1), tf.constant(2))))
    d = tf.while_loop(lambda i, d: i < 4, lambda i, d: [i + 1, {'a': d['b'], 'b': d['a'] + 1}],
                      [0, {'a': 1, 'b': 10}])
    grow = tf.while_loop(lambda i, x: i < 4, lambda i, x: [i + 1, tf.concat([x, [i]], 0)],
                         [tf.constant(0), tf.constant([7])],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    bound = tf.while_loop(lambda x: x < 100., lambda x: x * 2., [1.], maximum_iterations=3)
    two = tf.while_loop(lambda x, y: x < 100., lambda x, y: (x * 2., y + 1), (1., 0),
                        maximum_iterations=4)
    same = tf.while_loop(lambda x: x < 3, lambda x: [x + 1], [0], return_same_structure=True)
    with tf.Session() as sess:
        r = sess.run(r)
        print(r[0], r[1].x, r[1].y)
        print(sess.run(d))
        print(sess.run(grow), grow[1].shape)
        print(sess.run([bound, two, same]))
names(g)

g = tf.Graph()
with g.as_default():
    v = tf.get_variable('v', initializer=tf.constant(3))
    count = tf.while_loop(lambda i: i < v, lambda i: i + 1, [0])
    side = tf.while_loop(lambda i: i < 3, lambda i: [tf.assign_add(v, 10) * 0 + i + 1], [0])

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 1)]):
            return tf.identity(i) + 1
    ordered = tf.while_loop(lambda i: i < 4, body, [0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(count))
        print(sess.run(side), sess.run(v))
        print(sess.run(ordered), sess.run(v))
names(g)

with tf.Graph().as_default():
    for make in (lambda: tf.while_loop(1, lambda i: i, [0]),
                 lambda: tf.while_loop(lambda i: i < 1, lambda i: i, []),
                 lambda: tf.while_loop(lambda i: i < 1, lambda i: [i, i], [0]),
                 lambda: tf.while_loop(lambda i, x: i < 1, lambda i, x: [i, tf.concat([x, x], 0)],
                                       [0, tf.constant([1])])):
        try:
            make()
            print('made')
        except (TypeError, ValueError) as e:
            print(type(e).__name__)
    x = tf.while_loop(lambda i: i < 1, lambda i: i + 1, [0], name='l')
    with tf.Session() as sess:
        try:
            sess.run('l/Add:0' if False else 'l/Identity:0')
        except ValueError as e:
            print('not fetchable' in str(e))
