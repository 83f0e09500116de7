# needs PIL scipy
#-*- coding: utf-8 -*-
# A restricted Boltzmann machine; its filters become one picture.
import os, sys, timeit
import tempfile
import numpy
import scipy.special
import tensorflow.compat.v1 as tf
from PIL import Image
from tensorflow.compat.v1 import flags

tf.disable_v2_behavior()


def scale_to_unit_interval(ndar, eps=1e-8):
  """ Scales all values in the ndarray ndar to be between 0 and 1 """
  ndar = ndar.copy()
  ndar -= ndar.min()
  ndar *= 1.0 / (ndar.max() + eps)
  return ndar


def tile_raster_images(X, img_shape, tile_shape, tile_spacing=(1, 1)):
  out_shape = [(ishp + tsp) * tshp - tsp for ishp, tshp, tsp in zip(img_shape, tile_shape, tile_spacing)]
  out_array = numpy.zeros(out_shape, dtype='uint8')
  H, W = img_shape
  Hs, Ws = tile_spacing
  for tile_row in range(tile_shape[0]):
    for tile_col in range(tile_shape[1]):
      if tile_row * tile_shape[1] + tile_col < X.shape[0]:
        this_img = scale_to_unit_interval(X[tile_row * tile_shape[1] + tile_col].reshape(img_shape))
        out_array[tile_row * (H + Hs): tile_row * (H + Hs) + H, tile_col * (W + Ws): tile_col * (W + Ws) + W] = this_img * 255
  return out_array


class RBM(object):
  def __init__(self, n_visible=9, n_hidden=4):
    self._n = n_visible, n_hidden
    self.v = tf.placeholder('float', [None, n_visible])
    self.W = tf.Variable(numpy.linspace(-.1, .1, n_visible * n_hidden).reshape(n_visible, n_hidden).astype('float32'))
    self.hb, self.vb = (tf.Variable(tf.zeros([n])) for n in reversed(self._n))
    h0 = self.propup(self.v)
    v1 = tf.nn.sigmoid(tf.matmul(h0, tf.transpose(self.W)) + self.vb)
    h1 = self.propup(v1)
    size = tf.cast(tf.shape(self.v)[0], 'float')
    w_grad = (tf.matmul(tf.transpose(self.v), h0) - tf.matmul(tf.transpose(v1), h1)) / size
    self.update = [self.W.assign_add(.5 * w_grad), self.vb.assign_add(.5 * tf.reduce_mean(self.v - v1, 0)),
                   self.hb.assign_add(.5 * tf.reduce_mean(h0 - h1, 0))]
    self.err = tf.reduce_mean((self.v - v1) * (self.v - v1))

  def propup(self, visible):
    return tf.nn.sigmoid(tf.matmul(visible, self.W) + self.hb)

  @property
  def sess(self):
    if not hasattr(self, '_sess'):
      self._sess = tf.Session()
      self._sess.run(tf.initialize_all_variables() if hasattr(tf, 'initialize_all_variables') else tf.global_variables_initializer())
    return self._sess


patterns = numpy.array([[1, 0, 1] * 3, [0, 1, 0] * 3, [1] * 9], dtype=float)
rbm = RBM()
start = timeit.default_timer()
for epoch in range(30):
  rbm.sess.run(rbm.update, feed_dict={rbm.v: patterns})
  if epoch % 10 == 0:
    sys.stdout.write('epoch %d error %.4f\n' % (epoch, rbm.sess.run(rbm.err, {rbm.v: patterns})))
sys.stdout.flush()
W = rbm.W.eval(session=rbm.sess)
image = Image.fromarray(tile_raster_images(X=W.T, img_shape=(3, 3), tile_shape=(2, 2)))
name = os.path.join(tempfile.mkdtemp(), 'rbm_%s.png' % 'final')
image.save(name)
again = Image.open(name)
print(again.size, again.mode, max(again.getdata()) >= 254, numpy.asarray(again)[3].tolist(), timeit.default_timer() > start)
hidden = rbm.sess.run(rbm.propup(tf.constant(patterns, tf.float32)))
print(numpy.allclose(hidden, scipy.special.expit(patterns.dot(W) + rbm.sess.run(rbm.hb)), atol=1e-5), scipy.special.gammaln(5).round(4))
print(again.resize((14, 14), Image.BICUBIC).size, again.convert('RGB').getpixel((3, 3)), os.path.exists(name))
