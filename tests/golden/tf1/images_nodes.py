# The nodes that tf.image makes, by name and type.
import tensorflow as tf

image = tf.placeholder(tf.float32, [4, 5, 3], name='image')
small = tf.placeholder(tf.uint8, [2, 2, 3], name='small')
with tf.name_scope('size'):
    tf.image.resize_images(image, [6, 3], tf.image.ResizeMethod.BICUBIC)
    tf.image.resize_images(image, [4, 5])
    tf.image.crop_and_resize(tf.expand_dims(image, 0), [[.1, .2, .9, .8]], [0], [2, 3])
with tf.name_scope('colour'):
    tf.image.rgb_to_hsv(image)
    tf.image.adjust_hue(image, .3)
    tf.image.adjust_hue(small, .3)
    tf.image.adjust_saturation(image, 2., name='mine')
    tf.image.adjust_contrast(image, .5)
    tf.image.random_brightness(image, .2, seed=1)
with tf.name_scope('cut'):
    tf.image.central_crop(image, .5)
    tf.image.resize_image_with_crop_or_pad(image, 6, 3)
    tf.image.crop_to_bounding_box(image, 1, 2, 2, 3)
with tf.name_scope('quant'):
    tf.quantization.fake_quant_with_min_max_args(image, -1, 1)
    tf.fake_quant_with_min_max_vars(image, 0., 1., name='v')
    tf.quantization.fake_quant_with_min_max_vars_per_channel(image, [0., 0., 0.], [1., 2., 3.])
    tf.quantization.quantize_and_dequantize(image, -1., 1., range_given=True)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, [i.name for i in op.inputs])
