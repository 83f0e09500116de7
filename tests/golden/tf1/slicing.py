# Tensor[...] in all its forms, tf.slice, tf.gather.
import tensorflow as tf

v = tf.range(10)
m = tf.reshape(tf.range(12), [3, 4])
c = tf.reshape(tf.range(24), [2, 3, 4])
n = tf.constant(2)
with tf.Session() as sess:
    for t in [v[3], v[-1], v[2:5], v[:3], v[7:], v[::3], v[::-1], v[8:2:-2], v[n], v[n:], v[:n + 1],
              m[1], m[1, 2], m[:, 1], m[0:2, 1:3], m[-1, -1], m[..., 0], m[1:, ::-1], m[tf.newaxis, 0], m[:, tf.newaxis, 1],
              c[1, 2, 3], c[..., 1], c[0, ..., 2], c[:, 1], c[1, :, 1:3]]:
        print(t.shape, sess.run(t).tolist())
    print(v[1].name, m[:, 0].op.type)
    print(sess.run(tf.slice(m, [1, 1], [2, 2])).tolist(), sess.run(tf.slice(m, [0, 2], [-1, 1])).tolist())
    print(sess.run(tf.gather([10, 20, 30], [2, 0, 2])), sess.run(tf.gather(m, 1)), sess.run(tf.gather(m, [2, 0])).tolist())
    print(sess.run(tf.gather(m, [3, 1], axis=1)).tolist())
    print(sess.run(tf.strided_slice([1, 2, 3, 4, 5, 6], [1], [6], [2])))
    print(sess.run(tf.constant('abc')), sess.run(tf.constant(['ab', 'cd'])[1]))
    i = tf.placeholder(tf.int32, [])
    print([int(sess.run(v[i], {i: k})) for k in (0, 4, 9)], sess.run(m[i], {i: 2}))
    var = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    sess.run(var.initializer)
    print(sess.run(var[0]), sess.run(var[:, 1]), sess.run(var[1, 0]))
    try:
        sess.run(tf.gather([1, 2], tf.placeholder_with_default(5, [])))
    except tf.errors.InvalidArgumentError as e:
        print('InvalidArgumentError')
for bad in [lambda: v[10], lambda: m[0, 0, 0], lambda: m[3]]:
    try:
        bad()
        print('accepted?')
    except ValueError:
        print('ValueError')
