# needs matplotlib
# Two networks that play against each other; samples go into a grid of pictures.
import matplotlib as mpl
mpl.use('agg')
import matplotlib.gridspec as gridspec
import matplotlib.pyplot as plt
import numpy as np
import os
import tempfile
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

mb_size, Z_dim = 16, 4


def xavier_init(size, seed):
    return tf.random_normal(shape=size, stddev=1. / np.sqrt(size[0] / 2.), seed=seed)


X = tf.placeholder(tf.float32, shape=[None, 9])
Z = tf.placeholder(tf.float32, shape=[None, Z_dim])
theta_D = D_W1, D_b1 = [tf.Variable(xavier_init([9, 1], 1)), tf.Variable(tf.zeros(shape=[1]))]
theta_G = G_W1, G_b1 = [tf.Variable(xavier_init([Z_dim, 9], 2)), tf.Variable(tf.zeros(shape=[9]))]


def sample_Z(m, n, random=np.random.RandomState(1)):
    return random.uniform(-1., 1., size=[m, n])


def generator(z):
    return tf.nn.sigmoid(tf.matmul(z, G_W1) + G_b1)


def discriminator(x):
    logit = tf.matmul(x, D_W1) + D_b1
    return tf.nn.sigmoid(logit), logit


def plot(samples):
    fig = plt.figure(figsize=(3, 3))
    gs = gridspec.GridSpec(2, 2)
    gs.update(wspace=0.05, hspace=0.05)
    for i, sample in enumerate(samples):
        ax = plt.subplot(gs[i])
        plt.axis('off')
        ax.set_xticklabels([])
        ax.set_aspect('equal')
        plt.imshow(sample.reshape(3, 3), cmap='Greys_r')
    return fig


G_sample = generator(Z)
D_real, D_logit_real = discriminator(X)
D_fake, D_logit_fake = discriminator(G_sample)
ones, bce = tf.ones_like, tf.nn.sigmoid_cross_entropy_with_logits
D_loss = tf.reduce_mean(bce(logits=D_logit_real, labels=ones(D_real))) + tf.reduce_mean(bce(logits=D_logit_fake, labels=tf.zeros_like(D_fake)))
G_loss = tf.reduce_mean(bce(logits=D_logit_fake, labels=ones(D_fake)))
D_solver = tf.train.GradientDescentOptimizer(0.1).minimize(D_loss, var_list=theta_D)
G_solver = tf.train.GradientDescentOptimizer(0.1).minimize(G_loss, var_list=theta_G)
folder = tempfile.mkdtemp()
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, intra_op_parallelism_threads=1))
sess.run(tf.global_variables_initializer())
real = (np.arange(9) % 2).astype(np.float32)
for it in range(41):
    if it % 20 == 0:
        samples = sess.run(G_sample, feed_dict={Z: sample_Z(4, Z_dim)})
        name = os.path.join(folder, '{}.png'.format(str(it).zfill(3)))
        plt.savefig(name, bbox_inches='tight') if False else plot(samples).savefig(name, bbox_inches='tight')
        plt.close('all')
    _, D_loss_curr = sess.run([D_solver, D_loss], feed_dict={X: np.tile(real, (mb_size, 1)), Z: sample_Z(mb_size, Z_dim)})
    _, G_loss_curr = sess.run([G_solver, G_loss], feed_dict={Z: sample_Z(mb_size, Z_dim)})
    if it % 20 == 0:
        print('Iter: {}; D loss: {:.3}; G_loss: {:.3}'.format(it, D_loss_curr, G_loss_curr))
print(sorted(os.listdir(folder)), [os.path.getsize(os.path.join(folder, f)) > 300 for f in sorted(os.listdir(folder))])
sess.close()
try:
    sess.run(G_loss)
except RuntimeError as e:
    print(e)
