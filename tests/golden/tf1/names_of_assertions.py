# Assertions that a graph makes, and those that are checked when it is built.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None], name='x')
checks = [('greater', tf.assert_greater(x, 1.)), ('less_equal', tf.assert_less_equal(x, 3.)), ('negative', tf.assert_negative(-x)),
          ('non_positive', tf.assert_non_positive(-x)), ('none_equal', tf.assert_none_equal(x, 9.)), ('rank_at_least', tf.assert_rank_at_least(x, 1)),
          ('rank_in', tf.assert_rank_in(x, (1, 2)))]
with tf.Session() as sess:
    for name, op in checks:
        for value in ([2., 2.5], [0., 9.]):
            try:
                sess.run(op, {x: value})
                print(name, 'holds')
            except tf.errors.InvalidArgumentError as e:
                print(name, 'fails:', e.error_code)
    print(sess.run([tf.is_non_decreasing([1, 1, 2]), tf.is_strictly_increasing([1, 1, 2]), tf.is_numeric_tensor(x)][:2]), tf.is_numeric_tensor(x))
    print(sess.run(tf.assert_scalar(3)), tf.assert_same_float_dtype([x]), tf.assert_same_float_dtype(None, tf.float64))
for wrong in (lambda: tf.assert_rank_at_least(tf.zeros([2]), 2), lambda: tf.assert_rank_in(tf.zeros([2]), (0, 2)), lambda: tf.assert_scalar([1, 2]),
              lambda: tf.assert_same_float_dtype([tf.constant(1)]), lambda: tf.assert_greater(1, 2)):
    try:
        wrong()
        print('nothing')
    except (ValueError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__)
v = tf.Variable([1.5], name='v')
ready = tf.assert_variables_initialized([v])
with tf.Session() as sess:
    try:
        sess.run(ready)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    sess.run(tf.global_variables_initializer())
    print(sess.run(ready))
