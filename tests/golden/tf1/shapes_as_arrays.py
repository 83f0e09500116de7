# Static shapes as arguments of numpy: arrays of dimensions, of which products are dimensions.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 5, 3], name='x')
shape = x.get_shape()
inner = shape[1:]
print(repr(np.prod(inner)), int(np.prod(inner)), np.prod(inner).value, np.prod(inner) == 60, np.prod(inner) // 2)
print(repr(np.array(inner)), np.asarray(inner).shape, len(np.array(inner)))
print(np.array(inner, dtype=int), np.array(inner.as_list()), repr(np.sum(inner)), repr(np.max(inner)))
print(repr(np.prod(shape)), repr(np.prod(inner) * 2), repr(np.multiply.reduce(inner)))
print(np.array([inner, inner]).shape, repr(np.prod([shape[1], shape[2]])), np.array([2, shape[1]]))
flat = tf.reshape(x, [-1, int(np.prod(inner))])
also = tf.reshape(x, [-1, np.prod(inner)])
print(flat.shape, also.shape, tf.zeros([2, np.prod(inner)]).shape, np.reshape(np.zeros(60), inner).shape)
weights = tf.get_variable('weights', [np.prod(inner), 2], initializer=tf.ones_initializer())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(tf.matmul(flat, weights), {x: np.ones((1, 4, 5, 3))}))
print(np.ndim(tf.TensorShape(None)), np.zeros(inner).shape)


class Pairs(object):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        if i >= 2:
            raise IndexError(i)
        return [i, 10 * i]


print(np.array(Pairs()), np.sum(Pairs()), np.array([Pairs(), Pairs()]).shape, np.mean(Pairs(), 0))
