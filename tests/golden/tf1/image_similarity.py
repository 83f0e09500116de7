# tf.image.ssim and ssim_multiscale, and types of reference variables.
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
a = tf.constant(rng.rand(2, 33, 29, 3).astype(np.float32))
b = tf.constant(rng.rand(2, 33, 29, 3).astype(np.float32))
with tf.Session() as sess:
    print(np.round(sess.run(tf.image.ssim(a, b, max_val=1.0)), 5))
    print(np.round(sess.run(tf.image.ssim(a, a * 0.9 + 0.02, max_val=1.0, filter_size=5)), 5))
    print(np.round(sess.run(tf.image.ssim_multiscale(a, a * 0.8 + b * 0.2, 1.0, filter_size=2)), 5))
    print(np.round(sess.run(tf.image.ssim_multiscale(a, a * 0.8 + b * 0.2, 1.0, (0.5, 0.5), 4)), 5))
    pixels = tf.cast(a * 255, tf.uint8)
    print(np.round(sess.run(tf.image.ssim(pixels, pixels // 2, 255)), 5))
    v = tf.Variable([[1., 2.]])
    print(tf.constant(3., dtype=v.dtype).dtype.base_dtype, tf.eye(2, dtype=v.dtype).dtype.base_dtype)
    edges = tf.image.sobel_edges(tf.Variable(np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)))
    sess.run(tf.global_variables_initializer())
    print(sess.run(edges)[0, 1])
