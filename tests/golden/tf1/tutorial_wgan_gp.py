"""WGAN with a gradient penalty, with the parameters kept by name."""
import os, sys
sys.path.append(os.getcwd())
import numpy as np
import tensorflow as tf
import time
import functools
import pickle
_params = {}
def param(name, *args, **kwargs):
    if name not in _params:
        kwargs['name'] = name
        p = tf.Variable(*args, **kwargs)
        p.param = True
        _params[name] = p
    result = _params[name]
    i = 0
    return result
def params_with_name(name):
    return [p for n, p in _params.items() if name in n]
_default_weightnorm = False
def Linear(name, input_dim, output_dim, inputs, biases=True, initialization=None, weightnorm=None, gain=1.):
    with tf.name_scope(name) as scope:
        def uniform(stdev, size):
            return np.random.RandomState(len(name)).uniform(low=-stdev * np.sqrt(3), high=stdev * np.sqrt(3), size=size).astype('float32')
        weight_values = uniform(np.sqrt(2. / (input_dim + output_dim)), (input_dim, output_dim))
        weight_values *= gain
        weight = param(name + '.W', weight_values)
        if weightnorm:
            norm_values = np.sqrt(np.sum(np.square(weight_values), axis=0))
            target_norms = param(name + '.g', norm_values)
            with tf.name_scope('weightnorm') as scope:
                norms = tf.sqrt(tf.reduce_sum(tf.square(weight), reduction_indices=[0]))
                weight = weight * (target_norms / norms)
        if inputs.get_shape().ndims == 2:
            result = tf.matmul(inputs, weight)
        else:
            reshaped_inputs = tf.reshape(inputs, [-1, input_dim])
            result = tf.matmul(reshaped_inputs, weight)
            result = tf.reshape(result, tf.stack(tf.unstack(tf.shape(inputs))[:-1] + [output_dim]))
        if biases:
            result = tf.nn.bias_add(result, param(name + '.b', np.zeros((output_dim,), dtype='float32')))
        return result
DIM, BATCH, LAMBDA = 16, 8, .1
def ReLULayer(name, n_in, n_out, inputs):
    return tf.nn.relu(Linear(name + '.Linear', n_in, n_out, inputs, weightnorm=True))
def Generator(n_samples, noise):
    output = ReLULayer('Generator.1', 2, DIM, noise)
    return Linear('Generator.4', DIM, 2, output)
def Discriminator(inputs):
    output = ReLULayer('Discriminator.1', 2, DIM, inputs)
    output = ReLULayer('Discriminator.2', DIM, DIM, output)
    output = Linear('Discriminator.4', DIM, 1, output)
    return tf.reshape(output, [-1])
real_data = tf.placeholder(tf.float32, shape=[None, 2])
noise = tf.placeholder(tf.float32, [BATCH, 2])
fake_data = Generator(BATCH, noise)
disc_real, disc_fake = Discriminator(real_data), Discriminator(fake_data)
disc_cost = tf.reduce_mean(disc_fake) - tf.reduce_mean(disc_real)
gen_cost = -tf.reduce_mean(disc_fake)
alpha = tf.random_uniform(shape=[BATCH, 1], minval=0., maxval=1., seed=3)
interpolates = alpha * real_data + ((1 - alpha) * fake_data)
disc_interpolates = Discriminator(interpolates)
gradients = tf.gradients(disc_interpolates, [interpolates])[0]
slopes = tf.sqrt(tf.reduce_sum(tf.square(gradients), reduction_indices=[1]))
gradient_penalty = tf.reduce_mean((slopes - 1) ** 2)
disc_cost += LAMBDA * gradient_penalty
disc_train_op = tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.5, beta2=0.9).minimize(disc_cost, var_list=params_with_name('Discriminator'))
gen_train_op = tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.5, beta2=0.9).minimize(gen_cost, var_list=params_with_name('Generator'))
clip_ops = []
for var in params_with_name('Discriminator'):
    clip_bounds = [-.5, .5]
    clip_ops.append(tf.assign(var, tf.clip_by_value(var, clip_bounds[0], clip_bounds[1])))
clip_disc_weights = tf.group(*clip_ops)
print("Generator params:")
for var in params_with_name('Generator'):
    print("\t{}\t{}".format(var.name, var.get_shape()))
def inf_train_gen():
    rng = np.random.RandomState(0)
    while True:
        yield (rng.randn(BATCH, 2) * .1 + rng.choice([-1, 1], size=(BATCH, 1))).astype('float32')
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    gen = inf_train_gen()
    rng = np.random.RandomState(9)
    for iteration in range(4):
        if iteration > 0:
            _ = session.run(gen_train_op, {noise: rng.randn(BATCH, 2)})
        for i in range(2):
            _data = next(gen)
            _disc_cost, gp, _ = session.run([disc_cost, gradient_penalty, disc_train_op], feed_dict={real_data: _data, noise: rng.randn(BATCH, 2)})
        session.run(clip_disc_weights)
        print('iter', iteration, 'cost %.3f gp %.3f' % (_disc_cost, gp))
