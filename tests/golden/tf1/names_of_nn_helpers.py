# Helpers of tf.nn, tf.layers in three dimensions, tf.image and tf.contrib's doors.
import numpy as np
import tensorflow as tf

sess = tf.Session()
x = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 4)


def show(title, value):
    print(title)
    got = sess.run(value)
    for part in got if isinstance(got, (list, tuple)) else [got]:
        print(part)


show('sufficient_statistics', [p for p in tf.nn.sufficient_statistics(x, [0, 1]) if p is not None])
show('sufficient_statistics shifted', tf.nn.sufficient_statistics(x, [0], shift=1.0, keep_dims=True))
count, mean_ss, var_ss, shift = tf.nn.sufficient_statistics(x, [0, 1], shift=2.0)
show('normalize_moments', tf.nn.normalize_moments(count, mean_ss, var_ss, shift))
show('weighted_moments', tf.nn.weighted_moments(x, [0, 1], tf.constant([[[1.0]], [[3.0]]])))
show('batch_norm_with_global_normalization', tf.nn.batch_norm_with_global_normalization(
    tf.reshape(x, [2, 1, 3, 4]), tf.zeros([4]), tf.ones([4]), tf.constant([1.0, 2.0, 3.0, 4.0]), tf.fill([4], 2.0), 0.0, True))
show('log_poisson_loss', tf.nn.log_poisson_loss([1.0, 2.0, 3.0], [0.5, 1.0, 1.5]))
show('log_poisson_loss full', tf.nn.log_poisson_loss([1.0, 2.0, 3.0], [0.5, 1.0, 1.5], compute_full_loss=True))
show('compute_accidental_hits', tf.nn.compute_accidental_hits(
    tf.constant([[1, 2], [3, 4]], tf.int64), tf.constant([4, 1, 7], tf.int64), 2)[:2])

print('--- volumes, backwards')
volume = tf.constant(np.arange(27, dtype=np.float32).reshape(1, 3, 3, 3, 1))
out = tf.ones([1, 2, 2, 2, 1])
show('conv3d_backprop_filter', tf.squeeze(tf.nn.conv3d_backprop_filter_v2(
    volume, [2, 2, 2, 1, 1], out, strides=[1, 1, 1, 1, 1], padding='VALID')))

print('--- layers of volumes')
tf.set_random_seed(3)
cube = tf.ones([1, 4, 4, 4, 2])
for layer in (tf.layers.average_pooling3d(cube, 2, 2), tf.layers.max_pooling3d(cube, 2, 2, padding='same'),
              tf.layers.conv3d(cube, 3, 2), tf.layers.Conv3D(4, 2, strides=2, name='own')(cube),
              tf.layers.MaxPooling3D(2, 1)(cube), tf.layers.AveragePooling3D(pool_size=(2, 2, 2), strides=2)(cube)):
    print(layer.name, layer.shape)
print('--- images')
show('resize_with_crop_or_pad', tf.image.resize_with_crop_or_pad(tf.ones([2, 2, 1]), 1, 4)[:, :, 0])
print('--- files of tests')
print(isinstance(tf.test.get_temp_dir(), str))
