# needs scipy
# Functions of scipy in the middle of a graph.
import numpy as np
import tensorflow.compat.v1 as tf
from scipy import ndimage, signal
from scipy.special import expit

tf.disable_v2_behavior()


def blur(image, sigma):
    return ndimage.gaussian_filter(image, float(sigma)).astype(np.float32)


image = tf.placeholder(tf.float32, [5, 5])
blurred = tf.py_func(blur, [image, tf.constant(1.)], tf.float32)
blurred.set_shape([5, 5])
labels, count = tf.py_func(lambda v: (ndimage.label(v > 0.5)[0].astype(np.int32), np.int64(ndimage.label(v > 0.5)[1])),
                           [image], [tf.int32, tf.int64])
total = tf.reduce_sum(blurred * 2.)
data = np.zeros((5, 5), np.float32)
data[2, 2] = 4.
data[0, 0] = 1.
with tf.Session() as sess:
    print(sess.run(blurred, {image: data}).round(3))
    found, n = sess.run([labels, count], {image: data})
    print(found, int(n))
    print('%.4f' % sess.run(total, {image: data}))
    s = sess.run(tf.sin(tf.range(8.)))
    print(signal.convolve(s, [1., -1.], mode='valid').round(3), expit(s).round(3))
    bad = tf.py_func(lambda v: ndimage.zoom(v, 'x'), [image], tf.float32)
    try:
        sess.run(bad, {image: data})
    except Exception as error:
        print(isinstance(error, (tf.errors.OpError, TypeError, ValueError, RuntimeError)))
