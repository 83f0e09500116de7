"""tf.train: learning rate schedules and moving averages."""
import math


def _schedule(name, default, learning_rate, global_step, *numbers):
    """Returns the rate as a tensor, and the step and numbers converted to its type."""
    rate = tf.convert_to_tensor(learning_rate, name='learning_rate')
    return rate, [tf.cast(x, rate.dtype) for x in (global_step,) + numbers]


def _need_step(global_step, name):
    if global_step is None:
        raise ValueError('global_step is required for %s.' % name)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * exp(-decay_rate * global_step / decay_steps)"""
    _need_step(global_step, 'natural_exp_decay')
    rate = tf.exp(tf.negative(decay_rate))
    return tf.train.exponential_decay(learning_rate, global_step, decay_steps, rate, staircase=staircase, name=name)


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps)"""
    _need_step(global_step, 'inverse_time_decay')
    with tf.name_scope(name, 'InverseTimeDecay') as scope:
        rate = tf.convert_to_tensor(learning_rate, name='learning_rate')
        dtype = rate.dtype
        decay_steps, decay_rate = tf.cast(decay_steps, dtype), tf.cast(decay_rate, dtype)
        p = tf.cast(global_step, dtype) / decay_steps
        if staircase:
            p = tf.floor(p)
        one = tf.cast(tf.constant(1), dtype)
        return tf.div(rate, tf.add(one, tf.multiply(decay_rate, p)), name=scope)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                     name=None):
    """Decays polynomially from learning_rate to end_learning_rate in decay_steps."""
    _need_step(global_step, 'polynomial_decay')
    with tf.name_scope(name, 'PolynomialDecay') as scope:
        rate = tf.convert_to_tensor(learning_rate, name='learning_rate')
        dtype = rate.dtype
        end, power = tf.cast(end_learning_rate, dtype), tf.cast(power, dtype)
        step = tf.cast(global_step, dtype)
        steps = tf.cast(decay_steps, dtype)
        if cycle:
            times = tf.where(tf.equal(step, 0), tf.constant(1.0, dtype), tf.ceil(step / decay_steps))
            steps = tf.multiply(steps, times)
        else:
            step = tf.minimum(step, decay_steps)
        p = tf.div(step, steps)
        return tf.add(tf.multiply(rate - end, tf.pow(1 - p, power)), end, name=scope)


def piecewise_constant(x, boundaries, values, name=None):
    """Returns values[i] for x between boundaries[i - 1] and boundaries[i]."""
    if len(boundaries) != len(values) - 1:
        raise ValueError('The length of boundaries should be 1 less than the length of values')
    with tf.name_scope(name, 'PiecewiseConstant'):
        x = tf.convert_to_tensor(x)
        bounds = [tf.convert_to_tensor(b, dtype=x.dtype.base_dtype) for b in boundaries]
        values = [tf.convert_to_tensor(v) for v in values]
        if any(v.dtype != values[0].dtype for v in values):
            raise ValueError('values must have elements all with the same dtype.')
        cases = [(x <= bounds[0], lambda: values[0]), (x > bounds[-1], lambda: values[-1])]
        for low, high, v in zip(bounds[:-1], bounds[1:], values[1:-1]):
            cases.append(((x > low) & (x <= high), lambda v=v: v))
        return tf.case(cases, lambda: values[0], exclusive=True)


piecewise_constant_decay = piecewise_constant


def _finished(rate, global_step, decay_steps):
    dtype = rate.dtype
    step = tf.minimum(tf.cast(global_step, dtype), decay_steps)
    return step / tf.cast(decay_steps, dtype)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Decays as half a cosine from learning_rate to alpha times learning_rate."""
    _need_step(global_step, 'cosine_decay')
    with tf.name_scope(name, 'CosineDecay'):
        rate = tf.convert_to_tensor(learning_rate, name='learning_rate')
        dtype = rate.dtype
        steps = tf.cast(decay_steps, dtype)
        step = tf.minimum(tf.cast(global_step, dtype), steps)
        done = step / steps
        cosine = 0.5 * (1.0 + tf.cos(tf.constant(math.pi) * done))
        return tf.multiply(rate, (1 - alpha) * cosine + alpha)


def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """A cosine decay with restarts."""
    _need_step(global_step, 'cosine decay restarts')
    with tf.name_scope(name, 'SGDRDecay') as scope:
        rate = tf.convert_to_tensor(learning_rate, name='initial_learning_rate')
        dtype = rate.dtype
        first = tf.cast(first_decay_steps, dtype)
        alpha = tf.cast(alpha, dtype)
        t_mul, m_mul = tf.cast(t_mul, dtype), tf.cast(m_mul, dtype)
        done = tf.cast(global_step, dtype) / first

        def geometric():
            i = tf.floor(tf.log(1.0 - done * (1.0 - t_mul)) / tf.log(t_mul))
            sums = (1.0 - t_mul ** i) / (1.0 - t_mul)
            return i, (done - sums) / t_mul ** i

        def even():
            i = tf.floor(done)
            return i, done - i
        i, part = tf.cond(tf.equal(t_mul, 1.0), even, geometric)
        cosine = 0.5 * m_mul ** i * (1.0 + tf.cos(tf.constant(math.pi) * part))
        return tf.multiply(rate, (1 - alpha) * cosine + alpha, name=scope)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """A cosine that decays linearly."""
    _need_step(global_step, 'linear cosine decay')
    with tf.name_scope(name, 'LinearCosineDecay') as scope:
        rate = tf.convert_to_tensor(learning_rate, name='learning_rate')
        dtype = rate.dtype
        steps, periods = tf.cast(decay_steps, dtype), tf.cast(num_periods, dtype)
        alpha, beta = tf.cast(alpha, dtype), tf.cast(beta, dtype)
        step = tf.minimum(tf.cast(global_step, dtype), steps)
        falling = (steps - step) / steps
        part = 2.0 * periods * (step / steps)
        cosine = 0.5 * (1.0 + tf.cos(tf.constant(math.pi, dtype=dtype) * part))
        return tf.multiply(rate, (alpha + falling) * cosine + beta, name=scope)


def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0, variance_decay=0.55,
                              num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """A cosine that decays linearly, with noise whose variance decreases."""
    _need_step(global_step, 'noisy linear cosine decay')
    with tf.name_scope(name, 'NoisyLinearCosineDecay') as scope:
        rate = tf.convert_to_tensor(learning_rate, name='initial_learning_rate')
        dtype = rate.dtype
        steps, variance, falloff, periods, alpha, beta = [tf.cast(x, dtype) for x in (
            decay_steps, initial_variance, variance_decay, num_periods, alpha, beta)]
        step = tf.minimum(tf.cast(global_step, dtype), steps)
        falling = (steps - step) / steps
        deviation = tf.sqrt(variance / tf.pow(1.0 + step, falloff))
        noisy = falling + tf.random_normal(falling.shape, stddev=deviation)
        part = 2.0 * periods * (step / steps)
        cosine = 0.5 * (1.0 + tf.cos(tf.constant(math.pi) * part))
        return tf.multiply(rate, (alpha + noisy) * cosine + beta, name=scope)


def _from_zero(variable, value, decay):
    """Returns the correction of an average that started at zero. `decay` is the weight of a value."""
    with tf.variable_scope(variable.op.name) as scope:
        with tf.colocate_with(variable):
            biased = tf.get_variable('biased', initializer=tf.zeros(variable.get_shape(), variable.dtype.base_dtype),
                                     trainable=False)
            steps = tf.get_variable('local_step', [], variable.dtype.base_dtype,
                                    initializer=tf.zeros_initializer(), trainable=False)
            updates = [tf.assign_sub(biased, (biased - value) * decay, name=scope.name), steps.assign_add(1)]
            with tf.control_dependencies(updates):
                return variable - biased.read_value() / (1 - tf.pow(1.0 - decay, steps.read_value()))


def _assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Moves variable towards value. With zero_debias, corrects for the initial value zero."""
    with tf.name_scope(name, 'AssignMovingAvg') as scope:
        with tf.colocate_with(variable):
            decay = tf.convert_to_tensor(1.0 - decay, name='decay')
            if decay.dtype != variable.dtype.base_dtype:
                decay = tf.cast(decay, variable.dtype.base_dtype)
            delta = _from_zero(variable, value, decay) if zero_debias else (variable - value) * decay
            return tf.assign_sub(variable, delta, name=scope)


class ExponentialMovingAverage(object):
    """Moving averages of variables, with exponentially decreasing weights."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name='ExponentialMovingAverage'):
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages = []

    name = property(lambda self: self._name)

    def _make(self, v):
        if v.dtype.base_dtype not in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
            raise TypeError('The variables must be half, float, or double: %s' % v.name)
        with tf.control_dependencies(None), tf.name_scope(None):
            if isinstance(v, tf.Variable):
                with tf.colocate_with(v):
                    average = tf.Variable(v.initialized_value(), trainable=False, name=v.op.name + '/' + self._name)
                tf.add_to_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES, v)
            else:
                average = tf.Variable(tf.zeros(v.get_shape(), v.dtype.base_dtype), trainable=False,
                                      name=v.op.name + '/' + self._name)
        self._averages.append((v, average))

    def apply(self, var_list=None):
        """Returns the operation that updates the averages."""
        if var_list is None:
            var_list = tf.trainable_variables()
        from_zero = []  # for tensors; the average of a variable begins with the variable's value
        for v in var_list:
            if self.average(v) is None:
                self._make(v)
                from_zero += [v] if self._zero_debias and not isinstance(v, tf.Variable) else []
        with tf.name_scope(self._name) as scope:
            decay = tf.convert_to_tensor(self._decay, name='decay')
            if self._num_updates is not None:
                updates = tf.cast(self._num_updates, tf.float32, name='num_updates')
                decay = tf.minimum(decay, (1.0 + updates) / (10.0 + updates))
            made = [_assign_moving_average(self.average(v), v, decay, zero_debias=any(v is t for t in from_zero))
                    for v in var_list]
            return tf.group(*made, name=scope)

    def average(self, var):
        """Returns the variable with the average of var, or None."""
        for v, average in self._averages:
            if v is var:
                return average
        return None

    def average_name(self, var):
        """Returns the name under which the average of var is saved."""
        average = self.average(var)
        if average is not None:
            return average.op.name
        return tf.get_default_graph().unique_name(var.op.name + '/' + self._name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """Returns {name to restore from: variable}, with averages where they exist."""
        if moving_avg_variables is None:
            moving_avg_variables = tf.trainable_variables() + tf.get_collection(
                tf.GraphKeys.MOVING_AVERAGE_VARIABLES)
        names = {}
        for v in moving_avg_variables:
            names[self.average_name(v)] = v
        moving = [v.op.name for v in moving_avg_variables]
        for v in tf.global_variables():
            if v.op.name not in moving and v.op.name not in names:
                names[v.op.name] = v
        return names
