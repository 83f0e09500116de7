# Pictures: flips, crops, colours, sizes.
import numpy as np
import tensorflow as tf

np.random.seed(0)
picture = np.arange(24, dtype=np.float32).reshape(2, 4, 3) / 24
batch = tf.constant(np.stack([picture, picture[::-1]]))
bytes_of = (picture * 255).astype(np.uint8)
picture = tf.constant(picture)
with tf.Session() as sess:
    show = lambda t: print(t.get_shape(), np.round(sess.run(t), 4).ravel()[:9])
    show(tf.image.flip_left_right(picture))
    show(tf.image.flip_up_down(picture))
    show(tf.image.transpose_image(picture))
    show(tf.image.random_flip_left_right(picture, seed=3))
    show(tf.image.random_flip_up_down(picture, seed=4))
    show(tf.image.crop_to_bounding_box(picture, 0, 1, 1, 2))
    show(tf.image.pad_to_bounding_box(picture, 1, 0, 4, 5))
    show(tf.image.rgb_to_grayscale(picture))
    show(tf.image.grayscale_to_rgb(picture[..., :1]))
    show(tf.image.adjust_brightness(picture, 0.25))
    show(tf.image.per_image_standardization(picture))
    show(tf.image.convert_image_dtype(bytes_of, tf.float32))
    show(tf.image.convert_image_dtype(picture, tf.uint8))
    show(tf.image.total_variation(batch))
    show(tf.image.resize_images(batch, [4, 4]))
    show(tf.image.resize_images(picture, [1, 2], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR))
    boxes = [[0., 0., 1., 1.], [0., 0., 0.9, 1.], [0.5, 0.5, 2., 2.]]
    print(sess.run(tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.3], 3, iou_threshold=0.5)))
    show(tf.random_crop(picture, [1, 2, 3], seed=2))
    print(sess.run([tf.saturate_cast([300., -4.], tf.uint8), tf.to_bfloat16(1.5)]))
