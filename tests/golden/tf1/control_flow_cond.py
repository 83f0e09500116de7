# tf.cond and tf.case: values, which branch runs, the nodes they make.
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
    x = tf.constant(2.0, name='x')
    y = tf.constant(5.0, name='y')
    p = tf.placeholder(tf.bool, [], name='p')
    r = tf.cond(p, lambda: x + y, lambda: tf.square(y))
    c = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2), name='pick')
    same = tf.cond(p, lambda: x, lambda: y)
    pair = tf.cond(p, lambda: [x, tf.constant(1)], lambda: [y, tf.constant(0)])
    nested = tf.cond(p, lambda: tf.cond(x > y, lambda: x, lambda: x * 10.0), lambda: y)
    with tf.Session() as sess:
        for t in (True, False):
            print(sess.run([r, c, same, pair, nested], {p: t}))
    print(r, c, pair)
names(g)

g = tf.Graph()
with g.as_default():
    p = tf.placeholder(tf.bool, [], name='p')
    v = tf.get_variable('v', initializer=tf.constant(1.0))
    up = tf.cond(p, lambda: tf.assign_add(v, 10.0), lambda: tf.assign_sub(v, 1.0))
    only = tf.cond(p, lambda: tf.group(tf.assign(v, 100.0)), lambda: tf.no_op())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(up, {p: True}))
        print(sess.run(up, {p: False}))
        sess.run(only, {p: False})
        print(sess.run(v))
        sess.run(only, {p: True})
        print(sess.run(v))
names(g)

g = tf.Graph()
with g.as_default():
    d = tf.cond(tf.constant(True), lambda: {'a': 1, 'b': (2, 3)}, lambda: {'a': 4, 'b': (5, 6)})
    one = tf.cond(tf.constant(False), lambda: [1], lambda: [2])
    strict = tf.cond(tf.constant(False), lambda: [1], lambda: [2], strict=True)
    with tf.Session() as sess:
        print(sess.run(d), sess.run(one), sess.run(strict))

g = tf.Graph()
with g.as_default():
    a = tf.placeholder(tf.int32, [], name='a')
    case = tf.case([(a < 1, lambda: tf.constant(10)), (a < 2, lambda: tf.constant(20))],
                   default=lambda: tf.constant(30))
    with tf.Session() as sess:
        print([sess.run(case, {a: i}) for i in range(4)])
names(g)

g = tf.Graph()
with g.as_default():
    # A branch that is not taken is not run.
    p = tf.placeholder(tf.bool, [])
    x = tf.constant([1, 2])
    safe = tf.cond(p, lambda: tf.gather(x, 5), lambda: tf.constant(-1))
    checked = tf.cond(p, lambda: tf.identity(x), lambda: tf.identity(x))
    with tf.Session() as sess:
        print(sess.run(safe, {p: False}))
        try:
            sess.run(safe, {p: True})
        except tf.errors.InvalidArgumentError:
            print('InvalidArgumentError')
        no, yes = tf.raw_ops.Switch(data=x, pred=p)
        print(sess.run(yes, {p: True}), sess.run(no, {p: False}))
        try:
            sess.run(no, {p: True})
        except tf.errors.InvalidArgumentError as e:
            print('does not have value' in str(e))

for make in (lambda: tf.cond(True, lambda: 1, lambda: 2),
             lambda: tf.cond(tf.constant(True), 1, lambda: 2),
             lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2.0),
             lambda: tf.cond(tf.constant(True), lambda: None, lambda: 2.0),
             lambda: tf.cond(tf.constant(True), lambda: [1, 2], lambda: [1, 2, 3])):
    try:
        make()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
