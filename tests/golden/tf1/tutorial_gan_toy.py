# A generative adversarial network on one-dimensional data.
import tensorflow as tf
import numpy as np
tf.reset_default_graph()
tf.set_random_seed(7)
np.random.seed(7)

def linear(x, n_out, scope, stddev=0.5):
    with tf.variable_scope(scope):
        w = tf.get_variable('w', [x.get_shape()[1], n_out], initializer=tf.random_normal_initializer(stddev=stddev, seed=1))
        b = tf.get_variable('b', [n_out], initializer=tf.constant_initializer(0.0))
        return tf.matmul(x, w) + b

def generator(z, h_dim=4):
    h0 = tf.nn.softplus(linear(z, h_dim, 'g0'))
    return linear(h0, 1, 'g1')

def discriminator(x, h_dim=4):
    h0 = tf.nn.relu(linear(x, h_dim * 2, 'd0'))
    h1 = tf.nn.relu(linear(h0, h_dim * 2, 'd1'))
    return tf.sigmoid(linear(h1, 1, 'd2'))

def log(x):
    return tf.log(tf.maximum(x, 1e-5))

with tf.variable_scope('G'):
    z = tf.placeholder(tf.float32, shape=(8, 1))
    G = generator(z)
x = tf.placeholder(tf.float32, shape=(8, 1))
with tf.variable_scope('D'):
    D1 = discriminator(x)
with tf.variable_scope('D', reuse=True):
    D2 = discriminator(G)
loss_d = tf.reduce_mean(-log(D1) - log(1 - D2))
loss_g = tf.reduce_mean(-log(D2))
params = tf.trainable_variables()
d_params = [v for v in params if v.name.startswith('D/')]
g_params = [v for v in params if v.name.startswith('G/')]
print(len(params), [v.op.name for v in g_params])
step = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(0.05, step, 5, 0.9, staircase=True)
opt_d = tf.train.GradientDescentOptimizer(rate).minimize(loss_d, global_step=step, var_list=d_params)
opt_g = tf.train.GradientDescentOptimizer(rate).minimize(loss_g, var_list=g_params)
with tf.Session() as session:
    tf.local_variables_initializer().run()
    tf.global_variables_initializer().run()
    for i in range(11):
        data = np.sort(np.random.normal(4., 0.5, 8)).reshape((8, 1))
        noise = np.linspace(-4., 4., 8) + np.random.random(8) * 0.01
        ld, _ = session.run([loss_d, opt_d], {x: data, z: np.reshape(noise, (8, 1))})
        lg, _ = session.run([loss_g, opt_g], {z: np.reshape(noise, (8, 1))})
        if i % 5 == 0:
            print('{}: {:.3f}\t{:.3f}'.format(i, ld, lg))
    print(session.run([step, rate]))
