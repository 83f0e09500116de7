# Gradients of the gradients of fused batch normalisation.
import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
x = tf.constant(np.sin(np.arange(36.) * 1.1).reshape(2, 3, 3, 2) * 2, tf.float32)
scale, offset = tf.constant([1.5, .5]), tf.constant([.1, -.2])
w = tf.constant(np.cos(np.arange(36.) * .7).reshape(2, 3, 3, 2), tf.float32)
for training in (True, False):
    given = {} if training else {'mean': [.1, .2], 'variance': [1.5, .7]}
    y, _, _ = tf.nn.fused_batch_norm(x, scale, offset, is_training=training, epsilon=.01, **given)
    dx, dscale = tf.gradients(y * w * y, [x, scale])
    again = tf.gradients(tf.reduce_sum(dx * dx) + tf.reduce_sum(dscale * dscale), [x, scale])
    with tf.Session() as sess:
        for t in again:
            print(np.round(sess.run(t).reshape(-1)[:8], 2))
