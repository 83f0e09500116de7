# Comparison and logic, tf.where with three arguments and with one.
import tensorflow as tf

a = tf.constant([1, 2, 3, 4])
b = tf.constant([4, 2, 1, 4])
less, same = a < b, tf.equal(a, b)
print(less, same)
with tf.Session() as sess:
    print(sess.run([a < b, a <= b, a > b, a >= b]))
    print(sess.run(tf.equal(a, b)), sess.run(tf.not_equal(a, b)))
    print(sess.run(tf.less(1.5, [1.0, 2.0])), sess.run(tf.greater_equal([1.5, 2.5], 2.0)))
    print(sess.run(tf.logical_and(less, same)), sess.run(tf.logical_or(less, same)), sess.run(tf.logical_not(less)))
    print(sess.run(less & same), sess.run(less | same), sess.run(~less))
    print(sess.run(tf.where(less, a, b)), sess.run(tf.where(less, tf.zeros([4]), tf.ones([4]))))
    print(sess.run(tf.where(a > 2)))
    print(sess.run(tf.where([[True, False], [False, True]])))
    print(sess.run(tf.where([True, False], [[1, 2], [3, 4]], [[10, 20], [30, 40]])))
    print(sess.run(tf.equal(['a', 'b'], ['a', 'c'])), sess.run(tf.equal(True, [True, False])))
    print(sess.run(tf.reduce_all(a > 0)), sess.run(tf.reduce_any(a > 3)), sess.run(tf.reduce_all([[True, False], [True, True]], axis=0)))
    print(sess.run(tf.constant(float('nan')) < 1.0), sess.run(tf.equal(float('nan'), float('nan'))))
    print(sess.run(tf.cast(tf.equal(a, b), tf.float32)), sess.run(tf.reduce_mean(tf.cast(tf.equal(a, b), tf.float32))))
try:
    bool(less)
except TypeError as e:
    print('TypeError')
try:
    if a[0] < b[0]:
        pass
except TypeError as e:
    print('TypeError again')
