# Static and dynamic shapes; reshape, transpose, expand_dims, squeeze.
import tensorflow as tf

x = tf.constant([[1, 2, 3], [4, 5, 6]])
p = tf.placeholder(tf.float32, [None, 3])
print(x.shape, x.get_shape().as_list(), p.shape, p.get_shape().ndims)
print(tf.shape(x), tf.size(x), tf.rank(x))
for t in [tf.reshape(x, [3, 2]), tf.reshape(x, [-1]), tf.reshape(x, [6, -1]), tf.reshape(x, [1, 2, -1]),
          tf.transpose(x), tf.transpose(tf.zeros([2, 3, 4]), [2, 0, 1]), tf.expand_dims(x, 0), tf.expand_dims(x, -1),
          tf.squeeze(tf.zeros([1, 3, 1])), tf.squeeze(tf.zeros([1, 3, 1]), [0]), tf.squeeze(tf.zeros([1, 3, 1]), axis=[2]),
          tf.reshape(p, [-1]), tf.transpose(p), tf.expand_dims(p, 1), tf.concat([p, p], 1), tf.matmul(p, tf.zeros([3, 4]))]:
    print(t.name, t.shape)
with tf.Session() as sess:
    print(sess.run(tf.shape(x)), sess.run(tf.size(x)), sess.run(tf.rank(x)))
    print(sess.run(tf.shape(p), {p: [[1, 2, 3]]}), sess.run(tf.shape(p)[0], {p: [[0, 0, 0]] * 4}))
    print(sess.run(tf.reshape(x, [3, 2])))
    print(sess.run(tf.transpose(x)))
    print(sess.run(tf.transpose(tf.reshape(tf.range(8), [2, 2, 2]), [1, 2, 0])))
    print(sess.run(tf.expand_dims([1, 2], 1)), sess.run(tf.squeeze([[[7]], [[8]]])))
    print(sess.run(tf.shape_n([x, tf.zeros([4], tf.int32)])))
    print(sess.run(tf.shape(x, out_type=tf.int64)).dtype)
for bad in [lambda: tf.reshape(x, [4, 2]), lambda: tf.squeeze(x, [0]), lambda: tf.transpose(x, [0, 1, 2]),
            lambda: x.set_shape([3, 3]), lambda: tf.expand_dims(x, 5)]:
    try:
        bad()
        print('accepted?')
    except ValueError as e:
        print('ValueError')
q = tf.placeholder(tf.float32)
q.set_shape([None, 2])
print(q.shape, q.shape.is_fully_defined(), x.shape.is_fully_defined(), x.shape == [2, 3], x.shape[0].value)
print(x.shape.num_elements(), x.shape.merge_with([2, None]), tf.TensorShape([1]).concatenate([2, None]))
