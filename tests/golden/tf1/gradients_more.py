# grad_ys, several ys, second derivatives, stop_gradients, None.
import tensorflow as tf

x = tf.constant(3.0)
y = x * x * x
dy = tf.gradients(y, x)[0]
d2y = tf.gradients(dy, x)[0]
d3y = tf.gradients(d2y, x)[0]
z = tf.constant([1.0, 2.0])
with tf.Session() as sess:
    print(sess.run([y, dy, d2y, d3y]))
    print(sess.run(tf.gradients(z * z, z, grad_ys=[[10.0, 100.0]])))
    print(sess.run(tf.gradients([z * 2, z * z], z)))
    print(sess.run(tf.gradients(z * z, [z, z])))
    print(tf.gradients(tf.constant(1.0), x), tf.gradients(tf.argmax(z), z))
    inner = z * 2
    outer = tf.reduce_sum(inner * z)
    print(sess.run(tf.gradients(outer, [z, inner])))
    print(sess.run(tf.gradients(tf.stop_gradient(inner) * z, z)))
    v = tf.Variable([1.0, 2.0, 3.0])
    loss = tf.reduce_sum(v * v)
    g = tf.gradients(loss, [v])
    print(g[0].shape, len(g), [t.dtype.name for t in g])
    sess.run(v.initializer)
    print(sess.run(g))
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    f = a * b + tf.exp(a * 0.0) * b
    print(sess.run(tf.gradients(f, [a, b]), {a: 2.0, b: 5.0}))
    h = tf.sigmoid(x)
    print('%.6f %.6f' % tuple(sess.run([tf.gradients(h, x)[0], tf.gradients(tf.gradients(h, x)[0], x)[0]])))
    t = tf.tanh(x * 0.1)
    print('%.6f %.6f' % tuple(sess.run([tf.gradients(t, x)[0], tf.gradients(tf.gradients(t, x)[0], x)[0]])))
