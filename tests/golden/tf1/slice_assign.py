# v[…].assign(value) on both kinds of variables.
import tensorflow as tf

for use_resource in (False, True):
    tf.reset_default_graph()
    v = tf.Variable([[1, 2, 3], [4, 5, 6], [7, 8, 9]], use_resource=use_resource)
    with tf.Session() as sess:
        sess.run(v.initializer)
        for update in (v[0].assign([10, 11, 12]), v[1:, ::2].assign([[0, 1], [2, 3]]), v[2, 1].assign(50),
                       v[..., 0].assign([-1, -2, -3]), v[::-1, 1].assign([7, 8, 9])):
            sess.run(update)
            print(sess.run(v).tolist())
        try:
            sess.run(v[0].assign([1, 2]))
        except (tf.errors.InvalidArgumentError, ValueError):
            print('InvalidArgument')
