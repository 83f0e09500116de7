# Gradients of resource variables that the branches of a cond use.
import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
v = tf.get_variable('v', initializer=2.0, use_resource=True)
w = tf.get_variable('w', initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=True)
u = tf.get_variable('u', initializer=5.0, use_resource=True)
x = tf.placeholder(tf.float32, [], name='x')
both = tf.cond(x > 0, lambda: v * v * x, lambda: v * 3.)
one = tf.cond(x > 0, lambda: tf.reduce_sum(w) * x, lambda: x)
inner = tf.cond(x > 0, lambda: tf.cond(x > 1, lambda: v * u, lambda: u * u), lambda: v * 0.5)
rows = tf.cond(x > 0, lambda: tf.reduce_sum(tf.nn.embedding_lookup(w, [1, 1])), lambda: tf.reduce_sum(w[0]) * 2.)
grads = tf.gradients(both, [v, x]) + tf.gradients(one, [w, x]) + tf.gradients(inner, [v, u]) + tf.gradients(rows, [w])
loop = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.cond(s > 4., lambda: v * x, lambda: u * 2.)),
                     [0, x])[1]
grads += tf.gradients(loop, [v, u, x])
train = tf.train.GradientDescentOptimizer(0.1).minimize(both + one)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (2., 0.5, -2.):
        print(value, sess.run([both, one, inner, rows, loop], {x: value}))
        for g in sess.run(grads, {x: value}):
            print(np.asarray(g).tolist())
    sess.run(train, {x: 1.})
    print(sess.run([v, w, u]))
