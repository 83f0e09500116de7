# Branches and loops in graphs, as tutorials show them.
import tensorflow as tf

x = tf.placeholder(tf.int32, [], name='x')
y = tf.placeholder(tf.int32, [], name='y')
r = tf.cond(x < y, lambda: tf.add(x, 10), lambda: tf.square(y))
both = tf.cond(tf.equal(x, 0), lambda: (tf.constant(1), tf.constant(2.0)), lambda: (x, tf.cast(y, tf.float32)))
i = tf.constant(0)
loop = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 3), [i])
total = tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))
fib = tf.while_loop(lambda n, a, b: n > 0, lambda n, a, b: [n - 1, b, a + b], [x, 0, 1])[1]
case = tf.case([(x > 5, lambda: tf.constant('big')), (x > 2, lambda: tf.constant('middle'))], default=lambda: tf.constant('small'))
grow = tf.while_loop(lambda m: tf.reduce_sum(m) < 100.0, lambda m: m * 2.0, [tf.ones([2, 2])])
limited = tf.while_loop(lambda i: True, lambda i: i + 1, [tf.constant(0)], maximum_iterations=7)
v = tf.Variable(3.0)
power = tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p * v), (0, tf.constant(1.0)))[1]
branch = tf.cond(x > 0, lambda: v * v, lambda: v * 3.0)
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run([r, both], {x: 1, y: 5}), sess.run([r, both], {x: 0, y: -4}))
    print(sess.run(loop), sess.run(total, {x: 5}), [sess.run(fib, {x: n}) for n in range(8)])
    print([sess.run(case, {x: n}) for n in (1, 4, 9)])
    print(sess.run(grow), sess.run(limited))
    print(sess.run(power), sess.run(branch, {x: 1}), sess.run(branch, {x: -1}))
