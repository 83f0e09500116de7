# tf.einsum: products, transposes, sums, batches, diagonals of three operands.
import numpy as np
import tensorflow as tf

a = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
b = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
c = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
v = tf.constant([1.0, 2.0, 3.0])
with tf.Session() as sess:
    def show(t):
        print(t.shape, sess.run(t).tolist())
    show(tf.einsum('ij,jk->ik', a, b))
    show(tf.einsum('ij,jk', a, b))
    show(tf.einsum('ij->ji', a))
    show(tf.einsum('ij->i', a))
    show(tf.einsum('ij->', a))
    show(tf.einsum('i,i->', v, v))
    show(tf.einsum('i,j->ij', v, v))
    show(tf.einsum('ij,j->i', a, v))
    show(tf.einsum('bij,bjk->bik', c, tf.transpose(c, [0, 2, 1])))
    show(tf.einsum('bij,jk->bik', tf.transpose(c, [0, 2, 1]), b))
    show(tf.einsum('ij,jk,kl->il', a, b, tf.transpose(b)))
    show(tf.einsum('ij,ij->ij', a, a))
    show(tf.gradients(tf.einsum('ij,jk->', a, b), a)[0])
    x = tf.placeholder(tf.float32, [None, 3])
    t = tf.einsum('ij,jk->ik', x, b)
    print(sess.run(t, {x: [[1.0, 0.0, 2.0]]}).tolist())
    for bad in ['ij,jk->', 'ij,kj->iz', 'i j k']:
        try:
            tf.einsum(bad, a)
            print('accepted')
        except ValueError:
            print('ValueError')
