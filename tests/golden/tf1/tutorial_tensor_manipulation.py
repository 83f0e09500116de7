# Lab: tensor manipulation in an interactive session.
import numpy as np
import pprint
import tensorflow as tf
pp = pprint.PrettyPrinter(indent=4)
sess = tf.InteractiveSession()

t = np.array([0., 1., 2., 3., 4., 5., 6.])
pp.pprint(t)
print(t.ndim, t.shape, t[0], t[1], t[-1], t[2:5], t[4:-1], t[:2], t[3:])
t = tf.constant([1, 2, 3, 4])
print(tf.shape(t).eval())
t = tf.constant([[1, 2], [3, 4]])
print(tf.shape(t).eval())
t = tf.constant([[[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 10, 11, 12], [13, 14, 15, 16]]]])
print(tf.shape(t).eval())
m1, m2 = tf.constant([[1., 2.]]), tf.constant(3.)
print((m1 + m2).eval(), (m1 + tf.constant([[3.], [4.]])).eval())
print(tf.reduce_mean([1, 2], axis=0).eval(), tf.reduce_mean([[1., 2.], [3., 4.]]).eval(),
      tf.reduce_mean([[1., 2.], [3., 4.]], axis=-1).eval(), tf.reduce_mean(tf.reduce_sum([[1., 2.], [3., 4.]], axis=-1)).eval())
x = [[0, 1, 2], [2, 1, 0]]
print(tf.argmax(x, axis=0).eval(), tf.argmax(x, axis=1).eval(), tf.argmax(x, axis=-1).eval())
t = np.array([[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]])
print(tf.reshape(t, shape=[-1, 3]).eval())
print(tf.reshape(t, shape=[-1, 1, 3]).eval())
print(tf.squeeze([[0], [1], [2]]).eval(), tf.expand_dims([0, 1, 2], 1).eval().tolist())
print(tf.one_hot([[0], [1], [2], [0]], depth=3).eval().tolist())
print(tf.cast([1.8, 2.2, 3.3, 4.9], tf.int32).eval(), tf.cast([True, False, 1 == 1, 0 == 1], tf.int32).eval())
a, b, c = [1, 4], [2, 5], [3, 6]
print(tf.stack([a, b, c]).eval(), tf.stack([a, b, c], axis=1).eval())
print(tf.ones_like(x).eval(), tf.zeros_like(x).eval())
for x, y in zip([1, 2, 3], [4, 5, 6]):
    print(x, y)
print(tf.transpose(t, perm=[1, 0, 2]).eval().shape, tf.concat([a, b], 0).eval(), tf.tile([[1, 2]], [2, 2]).eval())
print(tf.unstack(tf.constant([[1, 2], [3, 4]]))[1].eval(), [p.eval().tolist() for p in tf.split([1, 2, 3, 4], 2)])
print(tf.gather([10, 20, 30], [2, 0]).eval(), tf.boolean_mask([1, 2, 3], [True, False, True]).eval(),
      tf.where([True, False], [1, 2], [3, 4]).eval(), tf.pad([[1]], [[1, 0], [0, 2]]).eval().tolist())
sess.close()
