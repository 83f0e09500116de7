# Gradients: by hand, clipped, stopped, of parts; optimizers' two halves; Newton's method.
import numpy as np
import tensorflow as tf

x = tf.Variable([1.0, 2.0], name='x')
w = tf.Variable(3.0, name='w')
inner = x * w
loss = tf.reduce_sum(inner * inner) + tf.reduce_sum(x)
gx, gw = tf.gradients(loss, [x, w])
stopped = tf.gradients(tf.reduce_sum(tf.stop_gradient(inner) * x), [x, w])
part = tf.gradients(tf.reduce_sum(inner) + w, [w, inner])
clipped, norm = tf.clip_by_global_norm([gx, gw], 5.0)
opt = tf.train.GradientDescentOptimizer(0.01)
pairs = opt.compute_gradients(loss, var_list=[x, w])
print([(g.name, v.name) for g, v in pairs])
apply_op = opt.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in pairs])
second = tf.gradients(tf.reduce_sum(gx), x)[0]
n = tf.Variable(2.0, dtype=tf.float64)
f = n ** 3 - 2.0 * n - 5.0
newton = tf.assign(n, n - f / tf.gradients(f, n)[0])
h = tf.hessians(loss, [w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([gx, gw]), stopped[1], sess.run([stopped[0], part]))
    print(np.round(sess.run(clipped[0]), 5), '%.4f' % sess.run(norm), sess.run(second), sess.run(h))
    sess.run(apply_op)
    print(np.round(sess.run(x), 5), '%.5f' % sess.run(w))
    for _ in range(6):
        root = sess.run(newton)
    print('%.12f' % root)
print(tf.gradients(tf.constant(1.0), x), tf.gradients(w, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)[0] is not None)
