# Convolutions and pools of volumes and rows: values, gradients, and the nodes they make.
import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
volume = tf.reshape(tf.range(54.), [1, 3, 3, 3, 2]) / 64
kernel = tf.reshape(tf.range(32.), [2, 2, 2, 2, 2]) / 64
made = [
    tf.nn.conv3d(volume, kernel, [1, 1, 1, 1, 1], 'SAME'), tf.nn.conv3d(volume, filter=kernel, strides=[1, 2, 2, 2, 1], padding='VALID', name='mine'),
    tf.nn.conv3d_transpose(volume, kernel, [1, 3, 3, 3, 2], 1), tf.nn.max_pool3d(volume, 2, 1, 'VALID'),
    tf.nn.avg_pool3d(volume, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'SAME', name='mean'),
    tf.nn.max_pool1d(tf.reshape(volume, [1, 27, 2]), 3, 2, 'VALID'), tf.nn.avg_pool1d(tf.reshape(volume, [1, 27, 2]), 3, 2, 'SAME'),
]
image = tf.reshape(tf.cast(tf.range(16) * 7 % 11, tf.float32), [1, 4, 4, 1])
made += list(tf.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'))
made += tf.gradients(made[0] * made[0], [volume, kernel])
made += tf.gradients(made[3] * made[3], volume) + tf.gradients(made[4] * made[4], volume)
made += tf.gradients(tf.gradients(made[1] ** 3, volume)[0] ** 2, kernel)
with tf.Session() as sess:
    for t in made:
        print(t.name, t.shape, np.round(sess.run(t).reshape(-1)[:10], 3))
for op in tf.get_default_graph().get_operations():
    if not op.name.startswith('gradients'):
        print(op.name, op.type, [i.name for i in op.inputs])
for bad in (lambda: tf.nn.max_pool3d(volume, [1, 2], 1, 'VALID'), lambda: tf.nn.conv3d(volume, kernel[:, :, :, :1, :], [1, 1, 1, 1], 'SAME')):
    try:
        bad()
    except ValueError as e:
        print('ValueError')
