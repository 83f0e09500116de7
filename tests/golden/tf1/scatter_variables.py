# Updates of rows of variables, of both kinds.
import tensorflow as tf

for use_resource in (False, True):
    tf.reset_default_graph()
    v = tf.Variable([8, 6, 4, 2], use_resource=use_resource, name='v')
    with tf.Session() as sess:
        for fn in (tf.scatter_update, tf.scatter_add, tf.scatter_sub, tf.scatter_mul, tf.scatter_div, tf.scatter_min,
                   tf.scatter_max):
            sess.run(v.initializer)
            print(fn.__name__, sess.run(fn(v, [0, 2], [2, 5])), sess.run(fn(v, [1], 3)))
        for fn in (tf.scatter_nd_update, tf.scatter_nd_add, tf.scatter_nd_sub):
            sess.run(v.initializer)
            print(fn.__name__, sess.run(fn(v, [[0], [3]], [2, 5])), sess.run(v))
        for name in ('scatter_add', 'scatter_sub', 'scatter_update'):
            sess.run(v.initializer)
            sess.run(getattr(v, name)(tf.IndexedSlices(tf.constant([1, 2]), tf.constant([0, 0]))))
            print(name, sess.run(v))
        sess.run(v.initializer)
        sess.run(v.scatter_nd_add([[1]], [10]))
        print(sess.run(v), sess.run(tf.gather(v, [3, 0])), sess.run(tf.gather(v, [[1]])))
        for bad in (lambda: tf.scatter_add(v, [4], [1]), lambda: tf.scatter_nd_add(v, [[-1]], [1])):
            try:
                sess.run(bad())
            except tf.errors.InvalidArgumentError as e:
                print('InvalidArgumentError')
    print(tf.gather(v, [1]).shape)
