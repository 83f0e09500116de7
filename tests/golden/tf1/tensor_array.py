# tf.TensorArray, map_fn, scan, foldl, foldr: values, shapes, the nodes they make.
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
    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.write(0, [1., 2.]).write(1, [3., 4.]).write(2, [5., 6.])
    print(ta.dtype, ta.stack().shape)
    rows = tf.TensorArray(tf.int32, 4, clear_after_read=False).unstack(tf.constant([[1, 2], [3, 4], [5, 6], [7, 8]]))
    split = tf.TensorArray(tf.int32, 2, infer_shape=False).split([1, 2, 3, 4, 5], [2, 3])
    grow = tf.TensorArray(tf.int32, 0, dynamic_size=True, clear_after_read=False).write(3, 7)
    with tf.Session() as sess:
        print(sess.run(ta.stack()))
        print(sess.run([rows.read(1), rows.gather([2, 0]), rows.concat(), rows.size()]))
        print(sess.run([split.read(1), split.size()]))
        print(sess.run([grow.size(), grow.read(3)]))
names(g)

g = tf.Graph()
with g.as_default():
    x = tf.constant([[1., 2.], [3., 4.], [5., 6.]], name='x')
    squares = tf.map_fn(lambda r: r * r, x)
    lens = tf.map_fn(lambda r: tf.reduce_sum(r), x)
    pairs = tf.map_fn(lambda t: (t[0] + t[1], t[0] - t[1]), (x, x * 2.))
    kinds = tf.map_fn(lambda r: tf.cast(r[0], tf.int32), x, dtype=tf.int32)
    print(squares.shape, lens.shape, kinds)
    with tf.Session() as sess:
        print(sess.run(squares))
        print(sess.run([lens, kinds]))
        print(sess.run(pairs))
names(g)

g = tf.Graph()
with g.as_default():
    v = tf.constant([1, 2, 3, 4, 5], name='v')
    runs = tf.scan(lambda a, b: a + b, v)
    start = tf.scan(lambda a, b: a * b, v, initializer=tf.constant(10))
    back = tf.scan(lambda a, b: a + b, v, reverse=True)
    fib = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([6]), initializer=(tf.constant(0), tf.constant(1)))
    left = tf.foldl(lambda a, b: a - b, v)
    right = tf.foldr(lambda a, b: a - b, v)
    begun = tf.foldl(lambda a, b: a * 2 + b, v, initializer=1)
    print(runs.shape, left.shape)
    with tf.Session() as sess:
        print(sess.run([runs, start, back]))
        print(sess.run(fib))
        print(sess.run([left, right, begun]))
names(g)

with tf.Graph().as_default():
    p = tf.placeholder(tf.float32, [None, 2])
    total = tf.foldl(lambda a, r: a + tf.reduce_sum(r), p, initializer=0.)
    rows = tf.map_fn(lambda r: r + 1., p)
    with tf.Session() as sess:
        print(sess.run([total, rows], {p: [[1., 2.], [3., 4.]]}))
        print(sess.run([total, rows], {p: [[5., 5.]]}))
    ta = tf.TensorArray(tf.float32, 2)
    once = ta.write(0, 1.)
    for bad in (once.write(0, 2.), once.write(5, 2.)):
        with tf.Session() as sess:
            try:
                sess.run(bad.flow)
            except tf.errors.InvalidArgumentError as e:
                print('already been written to' in str(e), 'not resizeable' in str(e))
    for make in (lambda: tf.TensorArray(tf.float32), lambda: once.write(1, 1)):
        try:
            make()
        except (TypeError, ValueError) as e:
            print(type(e).__name__)
