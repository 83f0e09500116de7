"""A DCGAN as its repository has it: contrib.layers.batch_norm in a class, deconvolutions, reuse by scope."""
import time, math
import numpy as np
import tensorflow as tf
from six.moves import xrange

class batch_norm(object):
    def __init__(self, epsilon=1e-5, momentum=0.9, name="batch_norm"):
        with tf.variable_scope(name):
            self.epsilon = epsilon
            self.momentum = momentum
            self.name = name

    def __call__(self, x, train=True):
        return tf.contrib.layers.batch_norm(x, decay=self.momentum, updates_collections=None, epsilon=self.epsilon,
                                            scale=True, is_training=train, scope=self.name)

def conv_cond_concat(x, y):
    x_shapes = x.get_shape()
    y_shapes = y.get_shape()
    return tf.concat([x, y * tf.ones([x_shapes[0], x_shapes[1], x_shapes[2], y_shapes[3]])], 3)

def conv2d(input_, output_dim, k_h=5, k_w=5, d_h=2, d_w=2, stddev=0.02, name="conv2d"):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [k_h, k_w, input_.get_shape()[-1], output_dim],
                            initializer=tf.truncated_normal_initializer(stddev=stddev, seed=1))
        conv = tf.nn.conv2d(input_, w, strides=[1, d_h, d_w, 1], padding='SAME')
        biases = tf.get_variable('biases', [output_dim], initializer=tf.constant_initializer(0.0))
        return tf.reshape(tf.nn.bias_add(conv, biases), conv.get_shape())

def deconv2d(input_, output_shape, k_h=5, k_w=5, d_h=2, d_w=2, stddev=0.02, name="deconv2d", with_w=False):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [k_h, k_w, output_shape[-1], input_.get_shape()[-1]],
                            initializer=tf.random_normal_initializer(stddev=stddev, seed=2))
        try:
            deconv = tf.nn.conv2d_transpose(input_, w, output_shape=output_shape, strides=[1, d_h, d_w, 1])
        except AttributeError:
            deconv = tf.nn.deconv2d(input_, w, output_shape=output_shape, strides=[1, d_h, d_w, 1])
        biases = tf.get_variable('biases', [output_shape[-1]], initializer=tf.constant_initializer(0.0))
        deconv = tf.reshape(tf.nn.bias_add(deconv, biases), deconv.get_shape())
        if with_w:
            return deconv, w, biases
        return deconv

def lrelu(x, leak=0.2, name="lrelu"):
    return tf.maximum(x, leak * x)

def linear(input_, output_size, scope=None, stddev=0.02, bias_start=0.0, with_w=False):
    shape = input_.get_shape().as_list()
    with tf.variable_scope(scope or "Linear"):
        try:
            matrix = tf.get_variable("Matrix", [shape[1], output_size], tf.float32, tf.random_normal_initializer(stddev=stddev, seed=3))
        except ValueError as err:
            msg = "NOTE: Usually, this is due to an issue with the image dimensions."
            err.args = err.args + (msg,)
            raise
        bias = tf.get_variable("bias", [output_size], initializer=tf.constant_initializer(bias_start))
        if with_w:
            return tf.matmul(input_, matrix) + bias, matrix, bias
        return tf.matmul(input_, matrix) + bias

def conv_out_size_same(size, stride):
    return int(math.ceil(float(size) / float(stride)))

class DCGAN(object):
    def __init__(self, sess, input_height=8, batch_size=4, z_dim=6, gf_dim=4, df_dim=4, c_dim=1):
        self.sess = sess
        self.batch_size, self.z_dim, self.gf_dim, self.df_dim, self.c_dim = batch_size, z_dim, gf_dim, df_dim, c_dim
        self.output_height = self.output_width = input_height
        self.d_bn1 = batch_norm(name='d_bn1')
        self.g_bn0 = batch_norm(name='g_bn0')
        self.g_bn1 = batch_norm(name='g_bn1')
        self.build_model()

    def build_model(self):
        self.inputs = tf.placeholder(tf.float32, [self.batch_size, self.output_height, self.output_width, self.c_dim], name='real_images')
        self.z = tf.placeholder(tf.float32, [self.batch_size, self.z_dim], name='z')
        self.z_sum = tf.summary.histogram("z", self.z)
        self.G = self.generator(self.z)
        self.D, self.D_logits = self.discriminator(self.inputs, reuse=False)
        self.sampler = self.sampler(self.z)
        self.D_, self.D_logits_ = self.discriminator(self.G, reuse=True)

        def sigmoid_cross_entropy_with_logits(x, y):
            try:
                return tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=y)
            except:
                return tf.nn.sigmoid_cross_entropy_with_logits(logits=x, targets=y)
        self.d_loss_real = tf.reduce_mean(sigmoid_cross_entropy_with_logits(self.D_logits, tf.ones_like(self.D)))
        self.d_loss_fake = tf.reduce_mean(sigmoid_cross_entropy_with_logits(self.D_logits_, tf.zeros_like(self.D_)))
        self.g_loss = tf.reduce_mean(sigmoid_cross_entropy_with_logits(self.D_logits_, tf.ones_like(self.D_)))
        self.d_loss = self.d_loss_real + self.d_loss_fake
        t_vars = tf.trainable_variables()
        self.d_vars = [var for var in t_vars if 'd_' in var.name]
        self.g_vars = [var for var in t_vars if 'g_' in var.name]
        self.saver = tf.train.Saver()

    def train(self):
        d_optim = tf.train.AdamOptimizer(0.002, beta1=0.5).minimize(self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.AdamOptimizer(0.002, beta1=0.5).minimize(self.g_loss, var_list=self.g_vars)
        try:
            tf.global_variables_initializer().run()
        except:
            tf.initialize_all_variables().run()
        rng = np.random.RandomState(0)
        images = rng.uniform(-1, 1, [8, 8, 8, 1]).astype(np.float32)
        counter = 1
        for epoch in xrange(2):
            for idx in xrange(0, 2):
                batch_images = images[idx * self.batch_size:(idx + 1) * self.batch_size]
                batch_z = rng.uniform(-1, 1, [self.batch_size, self.z_dim]).astype(np.float32)
                self.sess.run([d_optim], feed_dict={self.inputs: batch_images, self.z: batch_z})
                _ = self.sess.run([g_optim], feed_dict={self.z: batch_z})
                errD_fake = self.d_loss_fake.eval({self.z: batch_z})
                errD_real = self.d_loss_real.eval({self.inputs: batch_images})
                errG = self.g_loss.eval({self.z: batch_z})
                counter += 1
                print("Epoch: [%2d/%2d] [%4d/%4d], d_loss: %.3f, g_loss: %.3f" % (epoch, 2, idx, 2, errD_fake + errD_real, errG))
        samples = self.sess.run(self.sampler, {self.z: batch_z})
        print(samples.shape)

    def discriminator(self, image, reuse=False):
        with tf.variable_scope("discriminator") as scope:
            if reuse:
                scope.reuse_variables()
            h0 = lrelu(conv2d(image, self.df_dim, name='d_h0_conv'))
            h1 = lrelu(self.d_bn1(conv2d(h0, self.df_dim * 2, name='d_h1_conv')))
            h3 = linear(tf.reshape(h1, [self.batch_size, -1]), 1, 'd_h3_lin')
            return tf.nn.sigmoid(h3), h3

    def generator(self, z):
        with tf.variable_scope("generator") as scope:
            s_h2, s_h = conv_out_size_same(self.output_height, 2), self.output_height
            s_h4 = conv_out_size_same(s_h2, 2)
            self.z_, self.h0_w, self.h0_b = linear(z, self.gf_dim * 2 * s_h4 * s_h4, 'g_h0_lin', with_w=True)
            self.h0 = tf.reshape(self.z_, [self.batch_size, s_h4, s_h4, self.gf_dim * 2])
            h0 = tf.nn.relu(self.g_bn0(self.h0))
            self.h1, self.h1_w, self.h1_b = deconv2d(h0, [self.batch_size, s_h2, s_h2, self.gf_dim], name='g_h1', with_w=True)
            h1 = tf.nn.relu(self.g_bn1(self.h1))
            h2 = deconv2d(h1, [self.batch_size, s_h, s_h, self.c_dim], name='g_h2')
            return tf.nn.tanh(h2)

    def sampler(self, z):
        with tf.variable_scope("generator") as scope:
            scope.reuse_variables()
            h0 = tf.reshape(linear(z, self.gf_dim * 2 * 4, 'g_h0_lin'), [self.batch_size, 2, 2, self.gf_dim * 2])
            h0 = tf.nn.relu(self.g_bn0(h0, train=False))
            h1 = deconv2d(h0, [self.batch_size, 4, 4, self.gf_dim], name='g_h1')
            h1 = tf.nn.relu(self.g_bn1(h1, train=False))
            return tf.nn.tanh(deconv2d(h1, [self.batch_size, 8, 8, self.c_dim], name='g_h2'))


run_config = tf.ConfigProto()
run_config.gpu_options.allow_growth = True
with tf.Session(config=run_config) as sess:
    dcgan = DCGAN(sess)
    import tensorflow.contrib.slim as slim
    for v in tf.trainable_variables():
        print(v.name, v.get_shape())
    dcgan.train()
