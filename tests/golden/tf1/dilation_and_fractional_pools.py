# Grayscale morphology, and pools over regions of random size.
import numpy as np
import tensorflow as tf

image = tf.constant(np.arange(24).reshape(1, 4, 6, 1) * 7 % 11, tf.float32)
kernel = tf.constant([[[0.], [1.]], [[2.], [-1.]]])
ones = [1, 1, 1, 1]
wide = tf.nn.dilation2d(image, kernel, ones, [1, 2, 1, 1], 'SAME')
narrow = tf.nn.erosion2d(image, kernel, [1, 2, 1, 1], ones, 'VALID')
named = tf.nn.dilation2d(image, filters=kernel, strides=ones, dilations=ones, padding='VALID', name='named')
gradients = tf.gradients(wide, [image, kernel]) + tf.gradients(narrow, [image, kernel])
pooled = tf.nn.fractional_max_pool(image, [1., 1.4, 1.5, 1.], deterministic=True, seed=3, seed2=4)
mean = tf.nn.fractional_avg_pool(image, [1., 1.3, 1.7, 1.], pseudo_random=True, overlapping=True, deterministic=True, seed=7)
with tf.Session() as sess:
    for found in (wide, narrow, named):
        print(found.op.type, found.shape, sess.run(found)[0, :, :, 0].tolist())
    for found in sess.run(gradients):
        print(np.squeeze(found).tolist())
    for pool in (pooled, mean):
        first, again = sess.run(pool), sess.run(pool)
        print(np.round(first[0][0, :, :, 0], 4).tolist(), first[1].tolist(), first[2].tolist())
        print(all((x == y).all() for x, y in zip(first, again)), pool.output.shape)
    for found in sess.run(tf.gradients(pooled[0], image) + tf.gradients(mean[0] * mean[0], image)):
        print(np.round(np.squeeze(found), 4).tolist())
    free = tf.nn.fractional_max_pool(image, [1., 1.4, 1.5, 1.])
    print(sess.run(free).output.shape)
try:
    tf.nn.dilation2d(image, kernel, filters=kernel, strides=ones, rates=ones, padding='SAME')
except ValueError as e:
    print(e)
