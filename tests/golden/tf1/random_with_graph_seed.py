# tf.set_random_seed: the op's number in the graph is its seed.
import tensorflow as tf

tf.set_random_seed(1234)
a = tf.random_normal([2])
b = tf.truncated_normal([2])
c = tf.random_normal([2])
v = tf.Variable(tf.random_normal([2], stddev=0.5), name='v')
d = tf.random_uniform([1], seed=8)
with tf.Session() as sess:
    sess.run(v.initializer)
    for t in [a, b, c, v, d]:
        print(['%.5f' % x for x in sess.run(t)])
    print(['%.5f' % x for x in sess.run(a)])
with tf.Session() as sess:
    print(['%.5f' % x for x in sess.run(a)])
tf.reset_default_graph()
tf.set_random_seed(777)
X = tf.placeholder(tf.float32, [None, 2])
W = tf.Variable(tf.random_normal([2, 1]), name='weight')
B = tf.Variable(tf.random_normal([1]), name='bias')
out = tf.matmul(X, W) + B
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print('%.5f' % sess.run(out, {X: [[1.0, 2.0]]})[0, 0], ['%.5f' % x for x in sess.run(W)[:, 0]], '%.5f' % sess.run(B)[0])
