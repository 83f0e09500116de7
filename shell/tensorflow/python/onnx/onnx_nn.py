"""Rules of ONNX: normalization over channels, losses, and the optimizers of training graphs."""
from _library.onnx_rules import rule, Refused, rank, dims, like, limited


def _per_channel(v, x):
    return tf.reshape(v, [-1] + [1] * (rank(x) - 2))


@rule('BatchNormalization')
def _batch_normalization(n, x, scale, bias, mean, variance):
    epsilon = n.get('epsilon', 1e-5)
    training = n.get('training_mode', 0) if n.version >= 14 else n.version < 7 and not n.get('is_test', 0) and len(
        [o for o in n.outputs if o]) > 1
    if training:
        axes = [a for a in range(rank(x)) if a != 1]
        wide = tf.cast(x, mean.dtype)
        own_mean = tf.reduce_mean(wide, axes)
        own_variance = tf.reduce_mean(tf.squared_difference(wide, _per_channel(own_mean, x)), axes)
        momentum = n.get('momentum', .9)
        running = [old * momentum + new * (1 - momentum) for old, new in ((mean, own_mean), (variance, own_variance))]
        mean, variance = own_mean, own_variance
    factor = tf.cast(scale, variance.dtype) * tf.rsqrt(variance + like(epsilon, variance))
    offset = tf.cast(tf.cast(bias, variance.dtype) - mean * factor, x.dtype)
    factor = tf.cast(factor, x.dtype)
    if rank(x) > 2 and n.has_channels_last(x):
        y = n.channels_first(n.channels_last(x) * factor + offset)
    elif rank(x) == 1:
        y = tf.add(x * factor, offset, name=n.out)
    else:
        y = tf.add(x * _per_channel(factor, x), _per_channel(offset, x), name=n.out)
    return [y] + running if training else y


def _normalized(x, axes, epsilon):
    mean = tf.reduce_mean(x, axes, True)
    centered = x - mean
    return centered * tf.rsqrt(tf.reduce_mean(centered * centered, axes, True) + like(epsilon, x))


@rule('InstanceNormalization')
def _instance_normalization(n, x, scale, bias):
    y = _normalized(x, list(range(2, rank(x))), n.get('epsilon', 1e-5))
    return tf.add(y * _per_channel(scale, x), _per_channel(bias, x), name=n.out)


@rule('GroupNormalization')
def _group_normalization(n, x, scale, bias):
    groups = n.get('num_groups', 1)
    shape = dims(x)
    wide = tf.cast(x, tf.float32) if n.get('stash_type', 1) == 1 else x
    grouped = tf.reshape(wide, [shape[0], groups, shape[1] // groups] + shape[2:])
    y = _normalized(grouped, list(range(2, rank(x) + 1)), n.get('epsilon', 1e-5))
    if n.version >= 21:
        y = tf.cast(tf.reshape(y, shape), x.dtype)
        return tf.add(y * _per_channel(scale, x), _per_channel(bias, x), name=n.out)
    # The scale and offset belong to groups.
    each = [1, groups] + [1] * (rank(x) - 1)
    return tf.reshape(tf.cast(y, x.dtype) * tf.reshape(scale, each) + tf.reshape(bias, each), shape)


@rule('LRN')
def _lrn(n, x):
    size = limited(n.get('size', 1), 1000, 'a size')
    before = (size - 1) // 2
    squares = tf.pad(x * x, [[0, 0], [before, size - 1 - before]] + [[0, 0]] * (rank(x) - 2))
    channels = dims(x)[1]
    total = squares[:, :channels]
    for i in range(1, size):
        total = total + squares[:, i:i + channels]
    base = like(n.get('bias', 1.), x) + like(n.get('alpha', 1e-4) / size, x) * total
    return x / tf.pow(base, like(n.get('beta', .75), x))


# ---- losses ----

def _loss(n, log_p, labels, weights):
    """The negative log likelihood of the labels. The classes are dimension 1 of log_p."""
    ignored = int(n.get('ignore_index', 0)) if n.has('ignore_index') else None
    labels = tf.cast(labels, tf.int64)
    classes = dims(log_p)[1]
    counted = tf.not_equal(labels, tf.constant(ignored or 0, tf.int64)) if ignored is not None else None
    safe = labels if counted is None else tf.where(counted, labels, tf.zeros_like(labels))
    hot = tf.one_hot(safe, classes, like(1, log_p), like(0, log_p), axis=1)
    loss = -tf.reduce_sum(tf.where(hot > 0, log_p, tf.zeros_like(log_p)), 1)
    weight = tf.ones_like(loss) if weights is None else tf.gather(weights, safe)
    if counted is not None:
        weight = tf.where(counted, weight, tf.zeros_like(weight))
    loss = loss * weight
    how = n.text('reduction', 'mean')
    if how == 'none':
        return loss
    total = tf.reduce_sum(loss)
    return total if how == 'sum' else total / tf.reduce_sum(weight)


@rule('NegativeLogLikelihoodLoss')
def _nll(n, x, labels, weights=None):
    return _loss(n, x, labels, weights)


@rule('SoftmaxCrossEntropyLoss')
def _softmax_cross_entropy(n, x, labels, weights=None):
    order = [0] + list(range(2, rank(x))) + [1]
    log_p = tf.transpose(tf.nn.log_softmax(tf.transpose(x, order)), [0, rank(x) - 1] + list(range(1, rank(x) - 1)))
    return [_loss(n, log_p, labels, weights), log_p]


# ---- training ----

def _each(n, rate, count, tensors, parts, step):
    """Applies step to the i-th tensor of each of `parts` lists, and returns the new tensors in the order of ONNX."""
    size = len(tensors) // parts
    rows = [step(*[tensors[i + k * size] for k in range(parts)]) for i in range(size)]
    return [row[k] for k in range(len(rows[0])) for row in rows]


@rule('Adagrad', 1, 'ai.onnx.preview.training')
def _adagrad(n, rate, count, *tensors):
    rate = rate / (1 + tf.cast(count, tf.float32) * n.get('decay_factor', 0.))

    def step(x, g, h):
        g = g + n.get('norm_coefficient', 0.) * x
        h = h + g * g
        return x - rate * g / (tf.sqrt(h) + n.get('epsilon', 1e-6)), h
    return _each(n, rate, count, tensors, 3, step)


@rule('Adam', 1, 'ai.onnx.preview.training')
def _adam(n, rate, count, *tensors):
    alpha, beta, count = n.get('alpha', .9), n.get('beta', .999), tf.cast(count, tf.float32)
    corrected = tf.where(count > 0, rate * tf.sqrt(1 - tf.pow(beta, count)) / (1 - tf.pow(alpha, count)), rate)

    def step(x, g, v, h):
        g = g + n.get('norm_coefficient', 0.) * x
        v = alpha * v + (1 - alpha) * g
        h = beta * h + (1 - beta) * g * g
        return (1 - n.get('norm_coefficient_post', 0.)) * (x - corrected * v / (tf.sqrt(h) + n.get('epsilon', 1e-6))), v, h
    return _each(n, rate, count, tensors, 4, step)


@rule('Momentum', 1, 'ai.onnx.preview.training')
def _momentum(n, rate, count, *tensors):
    alpha, beta = n.get('alpha', 0.), n.get('beta', 0.)

    def step(x, g, v):
        g = g + n.get('norm_coefficient', 0.) * x
        v = alpha * v + tf.where(count > 0, tf.constant(beta), tf.constant(1.)) * g
        return x - rate * (g + alpha * v if n.text('mode') == 'nesterov' else v), v
    return _each(n, rate, count, tensors, 3, step)


@rule('Gradient', 1, 'ai.onnx.preview.training')
def _gradient(n, *inputs):
    y = n.scope.find(n.text('y'))
    if y is None:
        raise Refused("the value '%s' is not computed by an earlier node" % n.text('y'))
    return tf.gradients(y, list(inputs[:len(n.get('xs', []))]))
