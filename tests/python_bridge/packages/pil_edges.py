# needs PIL
# Edges of an image that PIL draws.
import numpy as np
import tensorflow.compat.v1 as tf
from PIL import Image

tf.disable_v2_behavior()

array = np.zeros((8, 8), np.uint8)
array[2:6, 2:6] = 200
picture = Image.fromarray(array)
print(picture.size, picture.mode)
small = picture.resize((4, 4), Image.NEAREST)
print(np.array(small).tolist())
pixels = np.asarray(picture, dtype=np.float32)[None, :, :, None] / 255.
sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], np.float32).reshape(3, 3, 1, 1)
x = tf.placeholder(tf.float32, [None, 8, 8, 1])
edges = tf.nn.conv2d(x, sobel, strides=[1, 1, 1, 1], padding='SAME')
with tf.Session() as sess:
    out = sess.run(edges, feed_dict={x: pixels})
    print(out.shape, out[0, 3, :, 0].round(2) + 0.)
    back = Image.fromarray(np.uint8(np.clip(np.abs(out[0, :, :, 0]) * 60, 0, 255)))
    print(back.size, back.getpixel((1, 3)), np.array(back.transpose(Image.FLIP_LEFT_RIGHT))[3].tolist())
