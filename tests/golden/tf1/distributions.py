# The distributions of tf.distributions: densities, moments, divergences.
import tensorflow as tf
import numpy as np
tfd = tf.distributions
x = tf.constant([0.2, 0.5, 0.9])
made = [('normal', tfd.Normal([0., 1.], [1., 2.]), tf.constant([.5, -.5])),
        ('uniform', tfd.Uniform([0., 1.], [2., 3.]), tf.constant([.5, 1.5])),
        ('exponential', tfd.Exponential([1., 2.]), tf.constant([.5, 1.5])),
        ('laplace', tfd.Laplace([0., 1.], [1., 2.]), tf.constant([.5, -1.5])),
        ('gamma', tfd.Gamma([2., 3.], [1., 2.]), tf.constant([.5, 1.5])),
        ('beta', tfd.Beta([2., 3.], [1.5, 2.]), tf.constant([.5, .25])),
        ('student', tfd.StudentT([5., 3.], [0., 1.], [1., 2.]), tf.constant([.5, -1.5])),
        ('bernoulli', tfd.Bernoulli(probs=[.3, .8]), tf.constant([1, 0])),
        ('categorical', tfd.Categorical(probs=[[.3, .7], [.2, .8]]), tf.constant([1, 0])),
        ('dirichlet', tfd.Dirichlet([[1.5, 2.], [3., 4.]]), tf.constant([[.3, .7], [.5, .5]])),
        ('multinomial', tfd.Multinomial(total_count=3., probs=[[.3, .7], [.4, .6]]), tf.constant([[1., 2.], [3., 0.]]))]
with tf.Session() as s:
    for name, d, v in made:
        print(name, d.batch_shape, d.event_shape, d.dtype)
        for m in ('prob', 'log_prob', 'cdf', 'log_cdf', 'survival_function', 'log_survival_function', 'quantile'):
            arg = tf.constant([.25, .5]) if m == 'quantile' else v
            try:
                print('  ', m, np.round(s.run(getattr(d, m)(arg)), 3))
            except NotImplementedError:
                print('  ', m, 'no')
        for m in ('mean', 'mode', 'stddev', 'variance', 'entropy', 'covariance'):
            try:
                print('  ', m, np.round(s.run(getattr(d, m)()), 3))
            except NotImplementedError:
                print('  ', m, 'no')
        print('  ', d.sample(4, seed=1).get_shape(), s.run(d.sample(4, seed=1)).shape, d.sample().get_shape())
    for a, b in ((0, 0), (2, 2), (4, 4), (5, 5), (7, 7), (8, 8), (9, 9), (1, 1), (3, 3)):
        try:
            print(a, np.round(s.run(tfd.kl_divergence(made[a][1], made[b][1])), 4), np.round(s.run(made[a][1].cross_entropy(made[b][1])), 3))
        except NotImplementedError as e:
            print(a, 'no')
