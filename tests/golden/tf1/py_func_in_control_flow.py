# tf.py_func in loops, branches and functions of datasets, under control inputs, and without results.
import numpy as np
import tensorflow as tf


def doubled(x):
    print('called with', x, type(x).__name__)
    return x * np.float32(2)


def fails(x):
    raise ValueError('no %d' % x)


start = tf.placeholder(tf.float32, [])
_, power = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, tf.py_func(doubled, [x], tf.float32)),
                         [0, start], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
mapped = tf.map_fn(lambda row: tf.py_func(np.sort, [row], tf.int32), tf.constant([[3, 1, 2], [9, 8, 7]]))
folded = tf.foldl(lambda a, x: tf.reshape(tf.py_func(lambda p, q: p * 10 + q, [a, x], tf.int64), []),
                  tf.constant([1, 2, 3], tf.int64))
p = tf.placeholder(tf.bool)
branch = tf.cond(p, lambda: tf.py_func(doubled, [start], tf.float32), lambda: tf.constant(-1.))
words = tf.map_fn(lambda w: tf.py_func(lambda s: s.upper() + b'!', [w], tf.string), tf.constant(['a', 'bc']))
pair = tf.cond(p, lambda: tf.py_func(lambda x: (x + 1, [x, x]), [tf.constant(2, tf.int64)], [tf.int64, tf.int64]),
               lambda: [tf.constant(0, tf.int64), tf.constant([0], tf.int64)])
broken = tf.while_loop(lambda i: i < 3, lambda i: tf.reshape(tf.py_func(fails, [i], tf.int32), []), [0])
v = tf.Variable(1.)
with tf.control_dependencies([tf.assign_add(v, 4.)]):
    after = tf.py_func(lambda x: x, [v.read_value()], tf.float32)
seen = []
note = tf.py_func(lambda x, y: seen.append((x.tolist(), y)), [tf.constant([1., 2.]), b'text'], [], name='note')
with tf.control_dependencies([note]):
    noted = tf.constant('noted')
print(type(note).__name__, note.name, note.type, [t.name for t in note.inputs], note.outputs)
print(tf.gradients(branch, start), after.op.type, after.shape)
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run(power, {start: 1.}))
    print(sess.run(mapped), sess.run(folded), sess.run(words))
    print(sess.run(branch, {p: False, start: 3.}), sess.run(branch, {p: True, start: 3.}))
    print(sess.run(pair, {p: True}), sess.run(pair, {p: False}))
    print(sess.run(after), sess.run(v))
    print(sess.run(note), seen, sess.run(noted), len(seen))
    try:
        sess.run(broken)
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__, 'ValueError: no 0' in str(e), e.op.type)

squares = tf.data.Dataset.range(3).map(lambda x: tf.py_func(lambda i: i * i, [x], tf.int64)).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print([sess.run(squares) for _ in range(3)])


@tf.RegisterGradient('Tripled')
def _tripled(op, grad):
    return grad * 3.


x = tf.constant(5.)
with tf.get_default_graph().gradient_override_map({'PyFunc': 'Tripled'}):
    y = tf.cond(x > 1., lambda: tf.py_func(lambda a: a * 7, [x], tf.float32), lambda: x)
with tf.Session() as sess:
    print(sess.run([y] + tf.gradients(y, x)))
