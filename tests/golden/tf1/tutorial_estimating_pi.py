# Random numbers by op seed and by graph seed: pi by darts, a walk, a histogram in characters.
import numpy as np
import tensorflow as tf

with tf.Graph().as_default():
    points = tf.random_uniform([20000, 2], -1.0, 1.0, seed=12)
    inside = tf.reduce_sum(tf.cast(tf.reduce_sum(points ** 2, axis=1) < 1.0, tf.float32))
    pi = 4.0 * inside / 20000.0
    with tf.Session() as sess:
        print('%.3f %.3f' % (sess.run(pi), sess.run(pi)))
    with tf.Session() as sess:
        print('%.3f' % sess.run(pi))
with tf.Graph().as_default():
    tf.set_random_seed(99)
    step = tf.sign(tf.random_normal([]))
    position = tf.Variable(0.0)
    walk = tf.assign_add(position, step)
    with tf.Session() as sess:
        sess.run(position.initializer)
        print(''.join('+' if sess.run(step) > 0 else '-' for _ in range(20)))
        print([int(sess.run(walk)) for _ in range(10)])
with tf.Graph().as_default():
    rolls = tf.random_uniform([600], 1, 7, dtype=tf.int32, seed=4)
    with tf.Session() as sess:
        values = sess.run(rolls)
        for face in range(1, 7):
            print(face, '#' * (np.sum(values == face) // 10))
        shuffled = sess.run(tf.random_shuffle(tf.range(8), seed=2))
        print(shuffled, sorted(shuffled.tolist()))
        print(np.round(sess.run(tf.truncated_normal([4], 10.0, 2.0, seed=1)), 4))
        print(sess.run(tf.random_normal([2], seed=1)).dtype, sess.run(tf.random_normal([2], dtype=tf.float64, seed=1)).dtype)
