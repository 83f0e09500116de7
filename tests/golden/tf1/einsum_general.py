# tf.einsum with ellipses, diagonals, more operands; gradients of it, twice.
import numpy as np
import tensorflow as tf

a = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
m = tf.constant(np.arange(9, dtype=np.float32).reshape(3, 3))
c = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 3))
v = tf.constant([1.0, 2.0, 3.0])
with tf.Session() as sess:
    def show(t):
        print(t.shape, sess.run(t).tolist())
    show(tf.einsum('ii->i', m))
    show(tf.einsum('ii', m))
    show(tf.einsum('ii->', m))
    show(tf.einsum('...ij->...ji', c))
    show(tf.einsum('...ij,j->...i', c, v))
    show(tf.einsum('...ij,jk->...ik', c, m))
    show(tf.einsum('i...->...', c))
    show(tf.einsum('...i,...i->...', c, a))
    show(tf.einsum('...ij,j', c, v))
    show(tf.einsum('AB,BC->AC', a, m))
    show(tf.einsum('...i,ij,j->...', a, m, v))
    y = tf.einsum('...i,...j->...ij', a, v)
    show(y)
    show(tf.gradients(y * y, v)[0])
    show(tf.gradients(tf.einsum('ii->i', m * m), m)[0])
    z = tf.einsum('...ij,jk,...k->...', c, m, v)
    dz = tf.gradients(z, m)[0]
    show(dz)
    show(tf.gradients(dz * dz, v)[0])
    x = tf.placeholder(tf.float32)
    print(sess.run(tf.einsum('...i,i->...', x, v), {x: [[1.0, 0.0, 2.0]]}).tolist())
    for bad in ['...i,i->j', 'ii->ii', '....i->i', 'i...i...->i']:
        try:
            print(sess.run(tf.einsum(bad, m, v) if ',' in bad else tf.einsum(bad, m)))
        except (ValueError, tf.errors.InvalidArgumentError) as e:
            print('refused')
