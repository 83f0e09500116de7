"""tf.contrib.layers.optimize_loss: an optimizer with common additions."""
from _library.slim_learning import _behind

_optimizers = {'Adagrad': tf.train.AdagradOptimizer, 'Adam': tf.train.AdamOptimizer, 'Ftrl': tf.train.FtrlOptimizer,
               'Momentum': lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
               'RMSProp': tf.train.RMSPropOptimizer, 'SGD': tf.train.GradientDescentOptimizer}
_kinds_of_summaries = ['learning_rate', 'loss', 'gradients', 'gradient_norm', 'global_gradient_norm']


def _rate(learning_rate):
    if learning_rate is None or isinstance(learning_rate, tf.Tensor) and learning_rate.get_shape().ndims == 0:
        return learning_rate
    if not isinstance(learning_rate, float):
        raise ValueError('Learning rate should be 0d Tensor or float. Got %s of type %s' % (
            str(learning_rate), str(type(learning_rate))))
    if learning_rate < 0.0:
        raise ValueError('Invalid learning_rate %s.' % learning_rate)
    return tf.get_variable('learning_rate', [], trainable=False, initializer=tf.constant_initializer(learning_rate))


def _optimizer(wanted, rate):
    """Returns an optimizer for a name, a class, a function that creates one, or an optimizer."""
    if isinstance(wanted, str):
        if rate is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is string (%s).' % wanted)
        if wanted not in _optimizers:
            raise ValueError('Optimizer name should be one of [%s], you provided %s.' % (', '.join(_optimizers), wanted))
        return _optimizers[wanted](learning_rate=rate)
    if isinstance(wanted, tf.train.Optimizer):
        return wanted
    if isinstance(wanted, type) and issubclass(wanted, tf.train.Optimizer):
        if rate is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is class (%s).' % wanted)
        return wanted(learning_rate=rate)
    if not callable(wanted):
        raise ValueError('Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of '
                         'Optimizer or function with one argument. Got %s.' % str(wanted))
    made = wanted() if rate is None else wanted(rate)
    if not isinstance(made, tf.train.Optimizer):
        raise ValueError('Unrecognized optimizer: function should return subclass of Optimizer. Got %s.' % str(made))
    return made


def _on_values(change, gradient):
    """Applies a function to the values of a gradient, which may be dense or sparse."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return None if gradient is None else change(gradient)


def _with_noise(pairs, scale):
    def noisy(gradient):
        if gradient is None:
            return None
        rows = isinstance(gradient, tf.IndexedSlices)
        return gradient + tf.truncated_normal(gradient.dense_shape if rows else gradient.get_shape()) * scale
    return [(noisy(gradient), var) for gradient, var in pairs]


def _multiplied(pairs, multipliers):
    def factor(var):
        return multipliers.get(var, multipliers.get(var.name))
    return [(gradient if factor(var) is None else
             _on_values(lambda values: values * tf.cast(factor(var), values.dtype), gradient), var)
            for gradient, var in pairs]


def _clipped(pairs, how):
    if how is None:
        return pairs
    if callable(how):
        return how(pairs)
    if not isinstance(how, float):
        raise ValueError('Unknown type %s for clip_gradients' % type(how))
    gradients, variables = zip(*pairs)
    return list(zip(tf.clip_by_global_norm(gradients, how)[0], variables))


def _summarize(summaries, loss, pairs):
    if 'loss' in summaries:
        tf.summary.scalar('loss', loss)
    for gradient, var in pairs:
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        name = var.name.replace(':', '_')
        if values is not None and 'gradients' in summaries:
            tf.summary.histogram('gradients/%s' % name, values)
        if values is not None and 'gradient_norm' in summaries:
            tf.summary.scalar('gradient_norm/%s' % name, tf.global_norm([values]))


def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None, gradient_multipliers=None,
                  clip_gradients=None, learning_rate_decay_fn=None, update_ops=None, variables=None, name=None,
                  summaries=None, colocate_gradients_with_ops=False, increment_global_step=True):
    """Returns the loss as a tensor that depends on the updates and a step of the optimizer."""
    loss = tf.convert_to_tensor(loss)
    tf.assert_scalar(loss)
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    for kind in summaries or []:
        if kind not in _kinds_of_summaries:
            raise ValueError('Summaries should be one of [%s], you provided %s.' % (', '.join(_kinds_of_summaries), kind))
    summaries = ['loss', 'learning_rate', 'global_gradient_norm'] if summaries is None else summaries
    with tf.variable_scope(name, 'OptimizeLoss', [loss, global_step]):
        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        if update_ops:
            loss = _behind(list(update_ops), loss)
        rate = _rate(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError('global_step is required for learning_rate_decay_fn.')
            rate = learning_rate_decay_fn(rate, global_step)
            if 'learning_rate' in summaries:
                tf.summary.scalar('learning_rate', rate)
        opt = _optimizer(optimizer, rate)
        pairs = opt.compute_gradients(loss, tf.trainable_variables() if variables is None else variables,
                                      colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gradient_noise_scale is not None:
            pairs = _with_noise(pairs, gradient_noise_scale)
        if gradient_multipliers is not None:
            pairs = _multiplied(pairs, gradient_multipliers)
        of_all = 'global_gradient_norm' in summaries or 'gradient_norm' in summaries
        if of_all:
            tf.summary.scalar('global_norm/gradient_norm', tf.global_norm([g for g, _ in pairs]))
        pairs = _clipped(pairs, clip_gradients)
        _summarize(summaries, loss, pairs)
        if of_all and clip_gradients is not None:
            tf.summary.scalar('global_norm/clipped_gradient_norm', tf.global_norm([g for g, _ in pairs]))
        updates = opt.apply_gradients(pairs, global_step=global_step if increment_global_step else None, name='train')
        return _behind([updates], loss)
