# concat, stack, unstack, split, tile.
import tensorflow as tf

a = tf.constant([[1, 2], [3, 4]])
b = tf.constant([[5, 6], [7, 8]])
with tf.Session() as sess:
    for t in [tf.concat([a, b], 0), tf.concat([a, b], 1), tf.concat([a, b, a], axis=-1), tf.stack([a, b]),
              tf.stack([a, b], axis=2), tf.stack([1, 2, 3]), tf.tile(a, [1, 2]), tf.tile([1, 2], [3])]:
        print(t.name, t.shape)
        print(sess.run(t))
    parts = tf.split(a, 2, 1)
    print(len(parts), parts[0], sess.run(parts))
    one, two = tf.unstack(b)
    print(sess.run(one), sess.run(two), sess.run(tf.unstack(b, axis=1)))
    print(sess.run(tf.split(tf.range(6), 3)))
    print(sess.run(tf.concat([[1.5], [2.5, 3.5]], 0)), sess.run(tf.concat([['x'], ['y', 'z']], 0)))
    print(sess.run(tf.concat([tf.zeros([0, 2], tf.int32), a], 0)))
    p = tf.placeholder(tf.float32, [None, 3])
    print(tf.concat([p, p], 0).shape, tf.stack([p, p]).shape, tf.tile(p, [1, 2]).shape)
for bad in [lambda: tf.concat([a, [[1, 2, 3]]], 0), lambda: tf.stack([a, [1, 2]]), lambda: tf.split(tf.zeros([5]), 2)]:
    try:
        bad()
        print('accepted?')
    except ValueError:
        print('ValueError')
