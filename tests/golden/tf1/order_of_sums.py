# Sums and means in float32 and float64 to the last digit: whole tensors and rows of many lengths. (not under: fake-gpu, gpu)
import numpy as np
import tensorflow as tf

random = np.random.RandomState(5)
x, rows = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None, None])
y, wide = tf.placeholder(tf.float64, [None]), tf.placeholder(tf.float64, [None, None])
results = [tf.reduce_sum(x), tf.reduce_mean(x), tf.reduce_sum(rows, 1), tf.reduce_mean(y), tf.reduce_sum(wide, -1)]
with tf.Session() as sess:
    for n in (1, 3, 4, 7, 8, 9, 10, 15, 16, 31, 32, 33, 50, 64, 100, 128, 300, 784, 1000, 1024, 8192, 10000):
        values, matrix = random.randn(n), random.randn(3, n)
        for value in sess.run(results, {x: values, rows: matrix, y: values, wide: matrix}):
            print(n, value.tobytes().hex())
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=np.arange(32) % 10, logits=tf.zeros([32, 10]))
    print('loss %.10f' % sess.run(tf.reduce_mean(loss)))
