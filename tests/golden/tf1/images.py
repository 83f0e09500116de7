# tf.image: sizes, crops, colours.
import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
tf.set_random_seed(3)
image = tf.constant(np.abs(np.sin(np.arange(60.) * 1.3)).reshape(4, 5, 3), tf.float32, name='image')
batch = tf.expand_dims(image, 0)
bytes_ = tf.cast(image * 255, tf.uint8)
M = tf.image.ResizeMethod
made = [
    tf.image.resize_images(image, [6, 3], M.BICUBIC), tf.image.resize_images(batch, [2, 2], M.AREA), tf.image.resize_images(image, [4, 5]),
    tf.image.resize_images(image, (8, 8), preserve_aspect_ratio=True), tf.image.resize_bicubic(batch, [3, 3], align_corners=True),
    tf.image.resize_area(batch, [3, 4]), tf.image.crop_and_resize(batch, [[.1, .2, .9, .8]], [0], [2, 3]),
    tf.image.crop_and_resize(batch, [[-.5, 0, 1.5, 1]], box_indices=[0], crop_size=[3, 2], method='nearest', extrapolation_value=7),
    tf.image.rgb_to_hsv(image), tf.image.hsv_to_rgb(image), tf.image.adjust_hue(image, .3), tf.image.adjust_hue(bytes_, -.2),
    tf.image.adjust_saturation(image, 2.), tf.image.adjust_contrast(image, 1.5), tf.image.adjust_contrast(bytes_, .5),
    tf.image.adjust_gamma(image, 2, .5), tf.image.random_brightness(image, .2, seed=1), tf.image.random_hue(image, .2, seed=2),
    tf.image.random_saturation(image, .5, 1.5, seed=3), tf.image.random_contrast(image, .5, 1.5, seed=4),
    tf.image.rgb_to_yiq(image), tf.image.yiq_to_rgb(image), tf.image.rgb_to_yuv(image), tf.image.yuv_to_rgb(image),
    tf.image.rot90(image), tf.image.rot90(batch, 2), tf.image.central_crop(image, .5), tf.image.central_crop(batch, .6),
    tf.image.resize_image_with_crop_or_pad(image, 6, 3), tf.image.resize_image_with_crop_or_pad(batch, 2, 8),
    tf.image.resize_image_with_pad(image, 6, 6), tf.image.crop_to_bounding_box(image, 1, 2, 2, 3),
    tf.image.pad_to_bounding_box(batch, 1, 2, 8, 8), tf.image.sobel_edges(batch), tf.image.psnr(image, image * .9, 1.),
] + list(tf.image.image_gradients(batch))
made += tf.gradients(made[0], image) + tf.gradients(made[6], image)
with tf.Session() as sess:
    for t in made:
        print(t.name, t.dtype.name, t.shape, sess.run(t).reshape(-1)[[0, 1, 2, -1]] if t.shape.ndims else round(float(sess.run(t)), 3))
for bad in (lambda: tf.image.central_crop(image, 2.), lambda: tf.image.random_hue(image, .7), lambda: tf.image.random_contrast(image, 2, 1),
            lambda: tf.image.crop_to_bounding_box(image, 3, 0, 2, 2), lambda: tf.image.resize_images(image, [2]),
            lambda: tf.image.pad_to_bounding_box(image, -1, 0, 9, 9), lambda: tf.image.adjust_gamma(image, -1)):
    try:
        bad()
    except ValueError as e:
        print('ValueError', e)
