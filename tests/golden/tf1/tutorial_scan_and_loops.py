# Fibonacci, Collatz, powers and cumulative sums, with scan, while_loop, map_fn, foldl, cond and case.
import tensorflow as tf
import numpy as np

def fibonacci(n):
    init = (np.array(0), np.array(1))
    elems = tf.zeros([n])
    return tf.scan(lambda a, _: (a[1], a[0] + a[1]), elems, initializer=(tf.constant(0), tf.constant(1)))

def collatz(n):
    return tf.while_loop(lambda n, steps: tf.not_equal(n, 1),
                         lambda n, steps: (tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1), steps + 1),
                         [n, tf.constant(0)])

def power(x, n):
    i = tf.constant(0)
    result = tf.ones_like(x)
    c = lambda i, r: tf.less(i, n)
    b = lambda i, r: (tf.add(i, 1), tf.multiply(r, x))
    return tf.while_loop(c, b, [i, result])[1]

with tf.Session() as sess:
    print(sess.run(fibonacci(8)))
    print(sess.run(collatz(tf.constant(27))))
    x = tf.constant([1., 2., 3.])
    p = power(x, 4)
    print(sess.run([p, tf.gradients(p, x)[0]]))
    print(sess.run(tf.map_fn(lambda v: v * v + 1, np.array([1, 2, 3, 4, 5]))))
    print(sess.run(tf.map_fn(lambda v: (v, -v), tf.range(3), dtype=(tf.int32, tf.int32))))
    print(sess.run(tf.foldl(lambda a, v: a + v, np.array([1, 2, 3, 4, 5, 6]))))
    print(sess.run(tf.foldr(lambda a, v: a * 2 + v, tf.constant([1, 2, 3]))))
    print(sess.run(tf.scan(lambda a, v: a + v, np.array([1, 2, 3, 4, 5, 6]))))
    k = tf.placeholder(tf.int32, [])
    pick = tf.case([(tf.less(k, 0), lambda: tf.constant('negative')), (tf.equal(k, 0), lambda: tf.constant('zero'))],
                   default=lambda: tf.constant('positive'), exclusive=True)
    print([sess.run(pick, {k: v}) for v in (-3, 0, 9)])
    total = tf.while_loop(lambda i, acc: i < 5, lambda i, acc: [i + 1, tf.concat([acc, [i * i]], 0)],
                          [tf.constant(0), tf.constant([], tf.int32)],
                          shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    print(total[1].get_shape(), sess.run(total[1]))
