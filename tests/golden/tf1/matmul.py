# Matrix products: transposes, batches, vectors made into matrices, errors.
import tensorflow as tf

a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
b = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
i = tf.constant([[1, 2], [3, 4]])
with tf.Session() as sess:
    print(sess.run(tf.matmul(a, b)))
    print(sess.run(tf.matmul(a, a, transpose_b=True)))
    print(sess.run(tf.matmul(a, a, transpose_a=True)))
    print(sess.run(tf.matmul(a, b, transpose_a=True, transpose_b=True)))
    print(sess.run(tf.matmul(i, i)), sess.run(a @ b))
    print(sess.run(tf.matmul(tf.constant([[1.5]], tf.float64), [[2.0]])))
    batch = tf.reshape(tf.cast(tf.range(12), tf.float32), [2, 2, 3])
    print(sess.run(tf.matmul(batch, tf.ones([2, 3, 1]))))
    print(sess.run(tf.matmul(batch, batch, transpose_b=True)).tolist())
    print(tf.matmul(batch, tf.ones([2, 3, 1])).shape, tf.matmul(a, b).name)
    row, column = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    print(sess.run(tf.matmul(row, column)), sess.run(tf.matmul(column, row)).tolist())
    print(sess.run(tf.matmul(tf.zeros([0, 3]), tf.zeros([3, 2]))).shape, sess.run(tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 2]))).tolist())
    p = tf.placeholder(tf.float32, [None, 3])
    q = tf.placeholder(tf.float32)
    print(tf.matmul(p, b).shape, sess.run(tf.matmul(p, b), {p: [[1, 1, 1]]}))
    try:
        sess.run(tf.matmul(a, q), {q: [[1.0, 2.0]]})
    except tf.errors.InvalidArgumentError as e:
        print('InvalidArgumentError')
for bad in [lambda: tf.matmul(a, a), lambda: tf.matmul([1.0], [[1.0]]), lambda: tf.matmul(a, tf.zeros([2, 3, 4, 5]))]:
    try:
        bad()
        print('accepted?')
    except ValueError:
        print('ValueError')
