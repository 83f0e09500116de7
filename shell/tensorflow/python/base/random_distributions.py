"""tf.random_gamma, tf.random_poisson, tf.random.stateless_*."""


def _shape(shape):
    return tf.convert_to_tensor(shape, tf.int32 if isinstance(shape, (list, tuple)) and not shape else None,
                                name='shape')


def random_gamma(shape, alpha, beta=None, dtype=tf.float32, seed=None, name=None):
    """Draws numbers from gamma distributions with these parameters."""
    with tf.name_scope(name, 'random_gamma', [shape, alpha, beta]):
        shape = tf.convert_to_tensor(shape, tf.int32, name='shape')
        alpha = tf.convert_to_tensor(alpha, dtype, name='alpha')
        beta = tf.convert_to_tensor(beta if beta is not None else 1, dtype, name='beta')
        broadcast = alpha + tf.zeros_like(beta)
        seed1, seed2 = tf.get_seed(seed)
        tiny = np.finfo(tf.as_dtype(dtype).as_numpy_dtype).tiny
        return tf.maximum(tiny, tf.raw_ops.RandomGamma(shape=shape, alpha=broadcast, seed=seed1 or 0,
                                                       seed2=seed2 or 0) / beta)


def random_poisson(lam, shape, dtype=tf.float32, seed=None, name=None):
    """Draws numbers from Poisson distributions with these rates."""
    with tf.name_scope(name, 'random_poisson', [lam, shape]):
        shape = tf.convert_to_tensor(shape, tf.int32, name='shape')
        seed1, seed2 = tf.get_seed(seed)
        return tf.raw_ops.RandomPoissonV2(shape=shape, rate=lam, dtype=dtype, seed=seed1 or 0, seed2=seed2 or 0)


def _scaled(op, default, shape, seed, mean, stddev, dtype, name):
    with tf.name_scope(name, default, [shape, seed, mean, stddev]) as scope:
        shape = _shape(shape)
        mean = tf.convert_to_tensor(mean, dtype, name='mean')
        stddev = tf.convert_to_tensor(stddev, dtype, name='stddev')
        return tf.add(op(shape=shape, seed=seed, dtype=dtype) * stddev, mean, name=scope)


def stateless_random_normal(shape, seed, mean=0.0, stddev=1.0, dtype=tf.float32, name=None):
    """Normally distributed numbers that depend only on a seed of two integers."""
    return _scaled(tf.raw_ops.StatelessRandomNormal, 'stateless_random_normal', shape, seed, mean, stddev, dtype,
                   name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=tf.float32, name=None):
    """Numbers of a normal distribution truncated at two standard deviations, which depend only on a seed of two
    integers."""
    return _scaled(tf.raw_ops.StatelessTruncatedNormal, 'stateless_truncated_normal', shape, seed, mean, stddev,
                   dtype, name)


def stateless_random_uniform(shape, seed, minval=0, maxval=None, dtype=tf.float32, name=None):
    """Uniformly distributed numbers that depend only on a seed of two integers."""
    dtype = tf.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError('Must specify maxval for integer dtype %r' % dtype)
        maxval = 1
    with tf.name_scope(name, 'stateless_random_uniform', [shape, seed, minval, maxval]) as scope:
        shape = _shape(shape)
        minval = tf.convert_to_tensor(minval, dtype, name='min')
        maxval = tf.convert_to_tensor(maxval, dtype, name='max')
        if dtype.is_integer:
            return tf.raw_ops.StatelessRandomUniformInt(shape=shape, seed=seed, minval=minval, maxval=maxval,
                                                        name=scope)
        random = tf.raw_ops.StatelessRandomUniform(shape=shape, seed=seed, dtype=dtype)
        return tf.add(random * (maxval - minval), minval, name=scope)


gamma = random_gamma
poisson = random_poisson
stateless_normal = stateless_random_normal
stateless_uniform = stateless_random_uniform
