# Sums, means and extremes over all axes, one axis, several axes, with and without keepdims.
import tensorflow as tf

x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
k = tf.constant([[3, 1, 2], [9, 7, 8]])
with tf.Session() as sess:
    for f in [tf.reduce_sum, tf.reduce_mean, tf.reduce_prod, tf.reduce_max, tf.reduce_min]:
        for axis in [None, 0, 1, -1, [0, 1]]:
            t = f(x, axis)
            u = f(k, axis=axis, keepdims=True)
            print(t.name, t.shape, sess.run(t), u.shape, sess.run(u).tolist())
    print(sess.run(tf.argmax(k, 0)), sess.run(tf.argmax(k, 1)), sess.run(tf.argmin(k, axis=-1)))
    print(sess.run(tf.argmax(k, 1, output_type=tf.int32)).dtype, sess.run(tf.argmax(k, 1)).dtype)
    print(sess.run(tf.reduce_sum([], axis=0)), sess.run(tf.reduce_prod(tf.zeros([0]))), sess.run(tf.reduce_max(tf.constant([5]))))
    print(sess.run(tf.reduce_mean([1, 2, 4])), sess.run(tf.reduce_mean([1., 2., 4.5])))
    print(sess.run(tf.reduce_sum(tf.ones([2, 3, 4]), [0, 2])))
    print(sess.run(tf.reduce_sum(3.5)), tf.reduce_sum(tf.placeholder(tf.float32)).shape)
    print(sess.run(tf.reduce_any([[True, False], [False, False]], 1)), sess.run(tf.reduce_all([True, True])))
    p = tf.placeholder(tf.float32, [None, 2])
    print(tf.reduce_mean(p, 0), tf.reduce_mean(p, 1))
    print(sess.run(tf.reduce_mean(p, 0), {p: [[1, 2], [3, 5]]}))
