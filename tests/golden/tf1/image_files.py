"""Files of images: decoded, encoded, cut, and read through a pipeline."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
pixels = np.arange(4 * 5 * 3).reshape(4, 5, 3).astype(np.uint8) * 4
image = tf.constant(pixels)
png = tf.image.encode_png(image, name='png')
jpeg = tf.image.encode_jpeg(image, quality=90, name='jpeg')
print(png, jpeg)
decoded = tf.image.decode_png(png, channels=3)
print(decoded, tf.image.decode_jpeg(jpeg), tf.image.decode_gif(png))
print(tf.image.decode_image(png), tf.image.decode_image(png, channels=1, expand_animations=False))
print(tf.raw_ops.EncodePng(image=pixels.astype(np.uint16)).op.get_attr('T'))
with tf.Session() as sess:
    print(np.array_equal(sess.run(decoded), pixels))
    print(sess.run(tf.image.decode_png(png, channels=1))[:, :, 0])
    print(sess.run(tf.image.decode_png(png, channels=4, dtype=tf.uint16))[0, 1])
    print(sess.run(tf.io.decode_jpeg(jpeg, channels=1))[:, :, 0])
    print(sess.run(tf.image.decode_jpeg(jpeg, dct_method='INTEGER_ACCURATE'))[1])
    print(sess.run(tf.image.decode_and_crop_jpeg(jpeg, [1, 2, 2, 3])))
    print(sess.run([tf.image.is_jpeg(jpeg), tf.image.is_jpeg(png), tf.image.extract_jpeg_shape(jpeg)]))
    print(sess.run(tf.image.decode_image(png, dtype=tf.float32))[3])
    print(sess.run(tf.image.decode_image(png, dtype=tf.int32, name='wide'))[3, 0])
    print(len(sess.run(jpeg)), sess.run(png)[:8])

    # As tutorials read a folder of images.
    folder = tempfile.mkdtemp()
    for i in range(3):
        path = os.path.join(folder, '%d.png' % i)
        sess.run(tf.write_file(path, tf.image.encode_png(tf.fill([2, 2, 1], tf.constant(10 * i, tf.uint8)))))
    files = tf.data.Dataset.list_files(os.path.join(folder, '*.png'), shuffle=False)
    read = files.map(lambda f: tf.image.resize_images(tf.image.decode_png(tf.read_file(f), channels=3), [1, 1]))
    batch = read.batch(3).make_one_shot_iterator().get_next()
    print(sess.run(batch).tolist())

    noisy = tf.image.adjust_jpeg_quality(tf.image.convert_image_dtype(image, tf.float32), 20)
    print(noisy.dtype, noisy.shape, sess.run(tf.image.convert_image_dtype(noisy, tf.uint8))[2, 2])
    print(sess.run(tf.image.random_jpeg_quality(image, 5, 95, seed=3))[1, 1])
    for bad in (b'', b'plain text', sess.run(png)[:40], sess.run(jpeg)[:-30]):
        try:
            sess.run(tf.image.decode_image(bad))
        except tf.errors.InvalidArgumentError as e:
            print(type(e).__name__)
    for call in (lambda: tf.image.decode_png(['a', 'b']), lambda: tf.image.decode_jpeg('a', channels=-1),
                 lambda: tf.image.encode_jpeg(tf.zeros([2, 2], tf.uint8)), lambda: tf.image.encode_png(tf.zeros([2, 2, 3]))):
        try:
            call()
        except (ValueError, TypeError) as e:
            print(type(e).__name__)
    for call in (lambda: tf.image.encode_jpeg(tf.zeros([2, 2, 2], tf.uint8)), lambda: tf.image.decode_jpeg(jpeg, ratio=5),
                 lambda: tf.image.decode_jpeg(jpeg, channels=4), lambda: tf.image.decode_bmp(png)):
        try:
            sess.run(call())
        except tf.errors.InvalidArgumentError as e:
            print(type(e).__name__)
