import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
image = tf.reshape(tf.range(32.), [1, 4, 4, 2]) / 10
kernel = tf.reshape(tf.range(16.), [2, 2, 2, 2]) / 20
results = [
    tf.nn.avg_pool2d(image, 2, 2, 'VALID'), tf.nn.max_pool2d(image, 2, 2, 'SAME'), tf.nn.convolution(image, kernel, 'SAME'),
    tf.nn.atrous_conv2d(image, kernel, 2, 'SAME'), tf.nn.depthwise_conv2d_native(image, kernel, [1, 1, 1, 1], 'VALID'),
    tf.nn.conv2d_backprop_input([1, 4, 4, 2], kernel, tf.ones([1, 3, 3, 2]), [1, 1, 1, 1], 'VALID'),
    tf.nn.conv2d_backprop_filter(image, [2, 2, 2, 2], tf.ones([1, 3, 3, 2]), [1, 1, 1, 1], 'VALID'),
    tf.nn.batch_normalization(image, tf.constant([1., 2.]), tf.constant([0.5, 2.]), tf.constant([0.1, 0.2]), tf.constant([1., 3.]), 1e-3),
]
with tf.Session() as sess:
    for t in results:
        print(t.shape)
        print(sess.run(t).reshape(-1)[:12])
