# dtypes: cast, conversions, mixing them up.
import tensorflow as tf

f = tf.constant([-1.7, -0.2, 0.0, 0.8, 2.5])
with tf.Session() as sess:
    for d in [tf.int32, tf.int64, tf.float64, tf.bool, tf.float32]:
        t = tf.cast(f, d)
        print(d, t.dtype.name, sess.run(t))
    print(sess.run(tf.cast([True, False], tf.int32)), sess.run(tf.cast([0, 3, -1], tf.bool)), sess.run(tf.cast(3, tf.float32)))
    print(sess.run(tf.to_float([1, 2])), sess.run(tf.to_int32([1.9, -1.9])), sess.run(tf.to_double(1)), sess.run(tf.to_int64(2.0)))
    print(tf.cast(f, tf.float32) is f, tf.cast(f, 'int32').dtype, tf.cast(1, tf.float64).name)
    print(sess.run(tf.cast(16777217, tf.float32)), sess.run(tf.cast(tf.constant(0.1, tf.float64), tf.float32)))
    print(sess.run(tf.constant(1, tf.float32) + 2), sess.run(tf.constant([1, 2], tf.int64) * 3).dtype)
print(tf.float32 == tf.float32, tf.float32 == 'float32', tf.float32.name, tf.int32.size, tf.float64.as_numpy_dtype.__name__)
print(tf.float32.is_floating, tf.int32.is_integer, tf.bool.is_floating, tf.as_dtype('float64'), tf.string.name)
print(tf.int32.max, tf.int32.min, tf.int64.max)
for bad in [lambda: tf.constant(1.0) + tf.constant(1), lambda: tf.matmul([[1]], [[1.0]]),
            lambda: tf.add(tf.constant([1.0]), tf.constant([1.0], tf.float64)), lambda: tf.constant(1) + 1.5]:
    try:
        print(bad())
    except (TypeError, ValueError) as e:
        print('TypeError or ValueError')
# an int that does not fit the preferred type
print(tf.fill([2**40], 1).op.inputs[0].dtype, tf.tile([1], [2**40]).op.inputs[1].dtype, tf.fill([2], 1).op.inputs[0].dtype)
