# needs scipy
"""Images in files of MATLAB, turned and blurred."""
import os
import tempfile

import numpy as np
import scipy.io as sio
import tensorflow.compat.v1 as tf
from scipy import ndimage
from scipy.ndimage import gaussian_filter, zoom

tf.disable_v2_behavior()

tmp = tempfile.mkdtemp()
path = os.path.join(tmp, 'train_32x32.mat')
rng = np.random.RandomState(1)
sio.savemat(path, {'X': rng.randint(0, 255, (6, 6, 3, 4)).astype(np.uint8), 'y': np.array([[1], [10], [3], [10]], np.uint8),
                   'info': {'name': 'numbers', 'size': 4.0}})
train = sio.loadmat(path)
print(sorted(k for k in train if not k.startswith('__')), train['X'].shape, train['X'].dtype)
print(train['info'][0, 0]['name'][0], float(train['info'][0, 0]['size'][0, 0]))
labels = train['y'].reshape(-1)
labels[labels == 10] = 0
images = np.transpose(train['X'], (3, 0, 1, 2)).astype(np.float32)
gray = images.mean(axis=3, keepdims=True)
print(images.shape, labels.tolist(), gray[0, 0, :3, 0].round(3))

kernel = np.zeros((5, 5))
kernel[2, 2] = 1
kernel = gaussian_filter(kernel, 1., truncate=2).astype(np.float32)
x = tf.placeholder(tf.float32, shape=(None, 6, 6, 1))
blurred = tf.nn.conv2d(x, tf.constant(kernel[:, :, None, None]), [1, 1, 1, 1], 'VALID')
onehot = tf.one_hot(tf.constant(labels, tf.int32), 4)
with tf.Session() as sess:
    b, h = sess.run([blurred, onehot], feed_dict={x: gray})
    theirs = ndimage.correlate(gray[0, :, :, 0], kernel, mode='constant')[2:-2, 2:-2]
    print(np.allclose(b[0, :, :, 0], theirs, atol=1e-3), b.shape, h.argmax(1))
    turned = ndimage.rotate(gray[0, :, :, 0], 90)
    print(np.array_equal(turned, sess.run(tf.image.rot90(gray[0]))[:, :, 0]))
    print(zoom(np.arange(4.).reshape(2, 2), 2, order=0), [float(v) for v in ndimage.center_of_mass(np.eye(3))])
    blobs, n = ndimage.label(gray[1, :, :, 0] > 140)
    print(n, ndimage.sum(gray[1, :, :, 0], blobs, range(1, n + 1)).shape, ndimage.shift([1., 2., 3.], 1, order=0))
    out = os.path.join(tmp, 'out.mat')
    sio.savemat(out, {'blurred': b, 'n': n})
print(sio.loadmat(out)['blurred'].shape, sio.whosmat(out))
