# Random ops with op-level seeds: the numbers do not depend on the rest of the graph.
import tensorflow as tf

u = tf.random_uniform([3], seed=1)
n = tf.random_normal([2, 2], seed=7)
t = tf.truncated_normal([4], mean=1.0, stddev=0.5, seed=3)
i = tf.random_uniform([5], minval=0, maxval=10, dtype=tf.int32, seed=42)
d = tf.random_uniform([2], dtype=tf.float64, seed=5)
r = tf.random_uniform([3], -1.0, 1.0, seed=11)
s = tf.random_shuffle(tf.range(6), seed=2)
with tf.Session() as sess:
    for _ in range(2):
        print(sess.run(u), sess.run(i))
        print(['%.5f' % v for v in sess.run(n).ravel()], ['%.5f' % v for v in sess.run(t)])
        print(['%.10f' % v for v in sess.run(d)], ['%.5f' % v for v in sess.run(r)])
        print(sess.run(s))
with tf.Session() as sess:
    print('a new session starts again', sess.run(u))
w = tf.Variable(tf.random_normal([3], stddev=0.1, seed=9), name='w')
with tf.Session() as sess:
    sess.run(w.initializer)
    print(['%.5f' % v for v in sess.run(w)])
print(n.op.type, n.name, t.name, i.op.type, i.shape, u.shape)
