# State by hand: an exponential average, a Fibonacci pair, a factorial, a running maximum.
import tensorflow as tf

value = tf.placeholder(tf.float32, [])
average = tf.Variable(0.0)
update = tf.assign(average, 0.75 * average + 0.25 * value)
best = tf.Variable(float('-inf'))
track = tf.assign(best, tf.maximum(best, value))
a, b = tf.Variable(0), tf.Variable(1)
new_b = a + b
with tf.control_dependencies([new_b]):
    move_a = tf.assign(a, b)
with tf.control_dependencies([move_a]):
    fib = tf.assign(b, new_b)
fact = tf.Variable(1, dtype=tf.int64)
n = tf.Variable(1, dtype=tf.int64)
grow = tf.assign(fact, fact * n)
with tf.control_dependencies([grow]):
    grow = tf.assign_add(n, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for v in [4.0, 8.0, -2.0, 6.0]:
        print(sess.run(update, {value: v}), sess.run(track, {value: v}))
    for _ in range(20):
        sess.run(grow)
    print(sess.run([fact, n]))
    flags = tf.Variable([False, True])
    words = tf.Variable(['one', 'two'])
    sess.run([flags.initializer, words.initializer])
    print(sess.run(flags), sess.run(words), sess.run(tf.assign(words, ['three', 'four'])))
    sess.run(tf.assign(flags, tf.logical_not(flags)))
    print(sess.run(flags))
