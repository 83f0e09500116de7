# Arrays of Python objects as tensors: their shape, views of them, what the elements are.
import numpy as np
import tensorflow as tf

words = np.array([['a', 'bc'], ['d', 'é']], object)
numbers = np.array([[1, 2, 3], [4, 5, 6]], object)
print(tf.constant(words).shape, tf.constant(words.T).dtype)
p = tf.placeholder(tf.string)
n = tf.placeholder(tf.float32, [None, 3])
with tf.Session() as sess:
    print(sess.run(tf.constant(words.T)))
    print(sess.run(tf.constant(words[:, 1])))
    print(sess.run(tf.shape(p), {p: words}), sess.run(tf.shape(p), {p: words[:1]}))
    print(sess.run(tf.shape(p), {p: np.full((), 'x', object)}))
    print(sess.run(tf.shape(p), {p: np.empty((0, 3), object)}))
    print(sess.run(tf.reduce_sum(n, 0), {n: numbers}))
    print(sess.run(n, {n: numbers[::-1]}))
