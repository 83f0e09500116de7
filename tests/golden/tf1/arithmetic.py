# Elementwise arithmetic on floats and integers, with the names TensorFlow gives.
import tensorflow as tf

x = tf.constant([-2.5, -1.0, 0.0, 0.5, 3.0])
y = tf.constant([2.0, -3.0, 4.0, 0.25, 1.5])
i = tf.constant([-7, -1, 0, 5, 9])
j = tf.constant([2, 3, 4, -3, 5])
ops = [x + y, x - y, x * y, x / y, x // y, x % y, -x, abs(x), tf.square(x), tf.sign(x), tf.floor(x),
       tf.ceil(x), tf.round(x), tf.maximum(x, y), tf.minimum(x, y), tf.squared_difference(x, y),
       tf.negative(y), tf.add(x, 1), tf.subtract(1.0, x), tf.multiply(2.0, x), tf.divide(y, 2.0),
       tf.floordiv(x, y), tf.mod(x, y), tf.reciprocal(y), tf.truediv(x, y), tf.div(x, y)]
ints = [i + j, i - j, i * j, i / j, i // j, i % j, -i, abs(i), i ** 2, tf.div(i, 2), tf.floordiv(i, 4),
        tf.floormod(i, 4), tf.maximum(i, j), tf.minimum(i, j), tf.square(j), tf.sign(i), tf.truediv(i, 4)]
with tf.Session() as sess:
    for op in ops + ints:
        print('%-22s %-8s %s' % (op.name, op.dtype.name, sess.run(op)))
    print(sess.run([1 + x[0], 2 - x[1], 3 * x[3], 1 / y[0], 7 // j[0], 9 % j[3], 2 ** i[3]]))
    print(sess.run(tf.constant(7) / 2), sess.run(tf.constant(7) // 2), sess.run(tf.constant(-7) // 2))
    print(sess.run(tf.add_n([x, y, x])), sess.run(tf.add_n([i, j])))
    print(sess.run(tf.constant(2 ** 31 - 1) + 1), sess.run(tf.constant(2 ** 40, tf.int64) * 3))
