"""tf.keras.optimizers: optimizers whose settings are variables, so that a callback can change them."""
from _library.tfk_state import state
from _library import tfk_backend, tfk_named


class Optimizer(object):
    """The base class of optimizers."""
    hypers = ()           # the names of settings that are variables
    slots = ()            # the names of the variables that each weight gets
    by_weight = False     # the order in which they are created: all of a weight, or one of all weights

    def __init__(self, name, **kwargs):
        self.__dict__['_hyper'], self.__dict__['_hyper_variables'] = {}, {}
        self._name = name
        self.clipnorm, self.clipvalue = kwargs.pop('clipnorm', None), kwargs.pop('clipvalue', None)
        if 'lr' in kwargs:
            kwargs['learning_rate'] = kwargs.pop('lr')
        self._hyper.update({k: kwargs.pop(k) for k in list(kwargs) if k in self.hypers + ('learning_rate', 'decay')})
        self._hyper.setdefault('decay', 0.)
        for unknown in kwargs:
            raise TypeError('Unexpected keyword argument passed to optimizer: ' + str(unknown))
        self._iterations, self._slot_variables, self._weights = None, {}, []

    def __getattr__(self, name):
        name = 'learning_rate' if name == 'lr' else name
        hyper = self.__dict__.get('_hyper')
        if hyper is None or name not in hyper:
            raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))
        return self._variable(name)

    def __setattr__(self, name, value):
        name = 'learning_rate' if name == 'lr' else name
        if name in self.__dict__.get('_hyper', ()):
            self._hyper[name] = value
            made = self._hyper_variables.get(name)
            if made is not None and not isinstance(value, (tf.Tensor, tf.Variable)):
                tfk_backend.set_value(made, value)
        else:
            object.__setattr__(self, name, value)

    def _variable(self, name):
        found = self._hyper_variables.get(name)
        graph = tf.get_default_graph()
        if found is None or (isinstance(found, tf.Variable) and found.graph is not graph):
            value = self._hyper[name]
            if isinstance(value, (tf.Tensor, tf.Variable)):
                return value
            if callable(value):
                return value(self.iterations) if isinstance(value, LearningRateSchedule) else value()
            found = self._own_variable(name, float(value), tf.float32)
            self._hyper_variables[name] = found
        return found

    def _own_variable(self, name, value, dtype):
        if not tf.get_default_graph().get_name_scope():
            name = self._name + '/' + name
        with tf.control_dependencies(None):
            return tf.Variable(value, trainable=False, name=name, dtype=dtype, use_resource=True)

    @property
    def iterations(self):
        found = self._iterations
        if found is None or found.graph is not tf.get_default_graph():
            found = self._own_variable('iter', 0, tf.int64)
            self._iterations = found
            self._weights = [found]
        return found

    @iterations.setter
    def iterations(self, value):
        self._iterations = value

    def add_slot(self, var, slot_name, initializer='zeros'):
        """Creates a variable that belongs to a weight."""
        key = (var.name, slot_name)
        found = self._slot_variables.get(key)
        if found is None or found.graph is not var.graph:
            make = tfk_named.get_initializer(initializer)
            shape, dtype = var.get_shape().as_list(), var.dtype.base_dtype
            with tf.control_dependencies(None):
                found = tf.Variable(lambda: make(shape, dtype=dtype), trainable=False, name=var.op.name + '/' + slot_name,
                                    dtype=dtype, use_resource=True)
            self._slot_variables[key] = found
            self._weights.append(found)
        return found

    def get_slot(self, var, slot_name):
        return self._slot_variables.get((var.name, slot_name))

    def get_slot_names(self):
        return list(self.slots)

    def _rate(self):
        rate = tf.convert_to_tensor(self._variable('learning_rate'))
        decay = self._hyper['decay']
        if isinstance(decay, (int, float)) and not decay:
            return rate
        return rate / (1. + self._variable('decay') * tf.cast(self.iterations, tf.float32))

    def get_gradients(self, loss, params):
        """Returns the gradients of a loss, clipped."""
        grads = tf.gradients(loss, params)
        for g, p in zip(grads, params):
            if g is None:
                raise ValueError('Variable %s has `None` for gradient. Please make sure that all of your ops have a '
                                 'gradient defined (i.e. are differentiable). Common ops without gradient: K.argmax, '
                                 'K.round, K.eval.' % (p,))
        return [self._clip(g) for g in grads]

    def _clip(self, g):
        if g is not None and self.clipnorm is not None:
            g = tf.clip_by_norm(g, self.clipnorm)
        if g is not None and self.clipvalue is not None:
            g = tf.clip_by_value(g, -self.clipvalue, self.clipvalue)
        return g

    def get_updates(self, loss, params):
        """Returns the operations of a training step."""
        return [self.apply_gradients(zip(self.get_gradients(loss, params), params))]

    def minimize(self, loss, var_list=None, grad_loss=None, name=None):
        """Returns the operation of a training step."""
        loss = loss() if callable(loss) and not isinstance(loss, tf.Tensor) else loss
        var_list = var_list() if callable(var_list) else var_list
        var_list = list(tf.trainable_variables() if var_list is None else var_list)
        grads = [self._clip(g) for g in tf.gradients(loss, var_list, grad_ys=grad_loss)]
        return self.apply_gradients(zip(grads, var_list), name=name)

    def apply_gradients(self, grads_and_vars, name=None):
        """Returns the operation that applies gradients."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError('No gradients provided for any variable.')
        count = self.iterations
        self._create_slots([v for _, v in pairs])
        with tf.name_scope(name or self._name):
            rate = self._rate()
            shared = self._prepare(rate)
            updates = []
            for g, v in pairs:
                if isinstance(g, tf.IndexedSlices):
                    g = tf.convert_to_tensor(g)
                update = self._update(v, g, rate, shared)
                constraint = getattr(v, 'constraint', None)
                if constraint is not None:
                    with tf.control_dependencies([update]):
                        update = tf.assign(v, constraint(v)).op
                updates.append(update)
            with tf.control_dependencies(updates):
                return tf.assign_add(count, 1).op

    def _create_slots(self, variables):
        for name in ('learning_rate',) + self.hypers:
            self._variable(name)
        if self.by_weight:
            for v in variables:
                for slot in self.slots:
                    self.add_slot(v, slot)
            return
        for slot in self.slots:
            for v in variables:
                self.add_slot(v, slot)

    def _prepare(self, rate):
        return None

    weights = property(lambda self: list(self._weights))
    variables = lambda self: list(self._weights)

    def get_weights(self):
        return tfk_backend.batch_get_value(self._weights)

    def set_weights(self, weights):
        if len(weights) != len(self._weights):
            raise ValueError('You called `set_weights(weights)` on optimizer %s with a  weight list of length %d, but '
                             'the optimizer was expecting %d weights.' % (self._name, len(weights), len(self._weights)))
        tfk_backend.batch_set_value(list(zip(self._weights, weights)))

    def _hyper_value(self, name):
        made = self._hyper_variables.get(name)
        value = self._hyper[name]
        if made is not None and not callable(value):
            return float(tfk_backend.get_value(made))
        return tfk_named.serialize_keras_object(value) if isinstance(value, LearningRateSchedule) else value

    def get_config(self):
        config = {'name': self._name}
        config.update({k: self._hyper_value(k) for k in ('learning_rate', 'decay') + self.hypers if k in self._hyper})
        if self.clipnorm is not None:
            config['clipnorm'] = self.clipnorm
        if self.clipvalue is not None:
            config['clipvalue'] = self.clipvalue
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        if isinstance(config.get('learning_rate'), dict):
            config['learning_rate'] = tfk_named.find('schedule', schedules, config['learning_rate'], custom_objects)
        return cls(**config)


class SGD(Optimizer):
    """Gradient descent, with momentum."""
    hypers = ('momentum',)

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', **kwargs):
        super(SGD, self).__init__(name, **dict({'learning_rate': learning_rate, 'momentum': momentum}, **kwargs))
        self.nesterov = nesterov
        if isinstance(momentum, (int, float)):
            if not 0 <= momentum <= 1:
                raise ValueError('`momentum` must be between [0, 1].')
            self.slots = ('momentum',) if momentum else ()
        else:
            self.slots = ('momentum',)

    def _update(self, v, g, rate, shared):
        if not self.slots:
            return tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=rate, delta=g)
        return tf.raw_ops.ResourceApplyKerasMomentum(
            var=v.handle, accum=self.get_slot(v, 'momentum').handle, lr=rate, grad=g,
            momentum=tf.convert_to_tensor(self._variable('momentum')), use_nesterov=self.nesterov)

    def get_config(self):
        return dict(super(SGD, self).get_config(), nesterov=self.nesterov)


class RMSprop(Optimizer):
    """Divides gradients by the root of the moving average of their squares."""
    hypers = ('rho', 'momentum')

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name='RMSprop', **kwargs):
        super(RMSprop, self).__init__(name, **dict({'learning_rate': learning_rate, 'rho': rho, 'momentum': momentum},
                                                   **kwargs))
        self.epsilon, self.centered = epsilon or tfk_backend.epsilon(), centered
        self.slots = ('rms',) + (('momentum',) if momentum else ()) + (('mg',) if centered else ())

    def _prepare(self, rate):
        return tf.convert_to_tensor(self._variable('rho'))

    def _update(self, v, g, rate, rho):
        rms = self.get_slot(v, 'rms')
        new = rho * rms + (1. - rho) * tf.square(g)
        ops = [tf.assign(rms, new)]
        spread = new
        if self.centered:
            mean = self.get_slot(v, 'mg')
            new_mean = rho * mean + (1. - rho) * g
            ops.append(tf.assign(mean, new_mean))
            spread = new - tf.square(new_mean)
        if 'momentum' in self.slots:
            moving = self.get_slot(v, 'momentum')
            step = self._variable('momentum') * moving + rate * g / tf.sqrt(spread + self.epsilon)
            ops.append(tf.assign(moving, step))
        else:
            step = rate * g / (tf.sqrt(spread) + self.epsilon)
        return tf.group(tf.assign_sub(v, step), *ops)

    def get_config(self):
        return dict(super(RMSprop, self).get_config(), epsilon=self.epsilon, centered=self.centered)


class Adam(Optimizer):
    """Moving averages of the gradients and of their squares."""
    hypers = ('beta_1', 'beta_2')
    slots = ('m', 'v')

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, name='Adam', **kwargs):
        super(Adam, self).__init__(name, **dict({'learning_rate': learning_rate, 'beta_1': beta_1, 'beta_2': beta_2},
                                                **kwargs))
        self.epsilon, self.amsgrad = epsilon or tfk_backend.epsilon(), amsgrad
        if amsgrad:
            self.slots = ('m', 'v', 'vhat')

    def _prepare(self, rate):
        step = tf.cast(self.iterations + 1, tf.float32)
        b1, b2 = [tf.convert_to_tensor(self._variable(name)) for name in ('beta_1', 'beta_2')]
        return b1, b2, tf.pow(b1, step), tf.pow(b2, step)

    def _update(self, v, g, rate, shared):
        b1, b2, power1, power2 = shared
        m, second = self.get_slot(v, 'm'), self.get_slot(v, 'v')
        if not self.amsgrad:
            return tf.raw_ops.ResourceApplyAdam(
                var=v.handle, m=m.handle, v=second.handle, beta1_power=power1, beta2_power=power2, lr=rate, beta1=b1,
                beta2=b2, epsilon=tf.constant(self.epsilon, v.dtype.base_dtype), grad=g)
        largest = self.get_slot(v, 'vhat')
        new_m, new_v = m + (g - m) * (1. - b1), second + (tf.square(g) - second) * (1. - b2)
        new_largest = tf.maximum(largest, new_v)
        step = rate * tf.sqrt(1. - power2) / (1. - power1) * new_m / (tf.sqrt(new_largest) + self.epsilon)
        return tf.group(tf.assign_sub(v, step), tf.assign(m, new_m), tf.assign(second, new_v),
                        tf.assign(largest, new_largest))

    def get_config(self):
        return dict(super(Adam, self).get_config(), epsilon=self.epsilon, amsgrad=self.amsgrad)


class Adamax(Adam):
    """Adam with the largest gradients instead of the average of the squares."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Adamax', **kwargs):
        super(Adamax, self).__init__(learning_rate, beta_1, beta_2, epsilon, name=name, **kwargs)

    def _update(self, v, g, rate, shared):
        b1, b2, power1, _ = shared
        return tf.raw_ops.ResourceApplyAdaMax(
            var=v.handle, m=self.get_slot(v, 'm').handle, v=self.get_slot(v, 'v').handle, beta1_power=power1, lr=rate,
            beta1=b1, beta2=b2, epsilon=tf.constant(self.epsilon, v.dtype.base_dtype), grad=g)

    def get_config(self):
        config = super(Adamax, self).get_config()
        config.pop('amsgrad')
        return config


class Nadam(Adam):
    """Adam with Nesterov momentum."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Nadam', **kwargs):
        kwargs['decay'] = kwargs.pop('schedule_decay', 0.004)
        super(Nadam, self).__init__(learning_rate, beta_1, beta_2, epsilon, name=name, **kwargs)
        self._product = None

    def _create_slots(self, variables):
        if self._product is None or self._product.graph is not tf.get_default_graph():
            self._product = self._own_variable('momentum_cache', 1., tf.float32)
            self._weights.append(self._product)
        super(Nadam, self)._create_slots(variables)

    def _rate(self):
        return tf.convert_to_tensor(self._variable('learning_rate'))

    def _prepare(self, rate):
        b1, b2, _, power2 = super(Nadam, self)._prepare(rate)
        step = tf.cast(self.iterations + 1, tf.float32)
        decay = self._variable('decay')
        now = b1 * (1. - 0.5 * tf.pow(0.96, decay * step))
        after = b1 * (1. - 0.5 * tf.pow(0.96, decay * (step + 1.)))
        product = tf.identity(self._product) * now
        return b1, b2, power2, now, after, product, tf.assign(self._product, product)

    def _update(self, v, g, rate, shared):
        b1, b2, power2, now, after, product, keep = shared
        m, second = self.get_slot(v, 'm'), self.get_slot(v, 'v')
        new_m, new_v = b1 * m + (1. - b1) * g, b2 * second + (1. - b2) * tf.square(g)
        mean = (1. - now) * g / (1. - product) + after * new_m / (1. - product * after)
        step = rate * mean / (tf.sqrt(new_v / (1. - power2)) + self.epsilon)
        return tf.group(tf.assign_sub(v, step), tf.assign(m, new_m), tf.assign(second, new_v), keep)

    def get_config(self):
        config = super(Nadam, self).get_config()
        config.pop('amsgrad')
        return config


class Adagrad(Optimizer):
    """Divides gradients by the root of the sum of their squares."""
    slots = ('accumulator',)

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name='Adagrad', **kwargs):
        super(Adagrad, self).__init__(name, **dict({'learning_rate': learning_rate}, **kwargs))
        self._initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon or tfk_backend.epsilon()

    def add_slot(self, var, slot_name, initializer='zeros'):
        start = tfk_named.Constant(self._initial_accumulator_value)
        return super(Adagrad, self).add_slot(var, slot_name, start)

    def _update(self, v, g, rate, shared):
        return tf.raw_ops.ResourceApplyAdagradV2(
            var=v.handle, accum=self.get_slot(v, 'accumulator').handle, lr=rate,
            epsilon=tf.constant(self.epsilon, v.dtype.base_dtype), grad=g)

    def get_config(self):
        return dict(super(Adagrad, self).get_config(), epsilon=self.epsilon,
                    initial_accumulator_value=self._initial_accumulator_value)


class Adadelta(Optimizer):
    """Divides gradients by their average size, and multiplies them by that of the last steps."""
    hypers = ('rho',)
    slots = ('accum_grad', 'accum_var')

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name='Adadelta', **kwargs):
        super(Adadelta, self).__init__(name, **dict({'learning_rate': learning_rate, 'rho': rho}, **kwargs))
        self.epsilon = epsilon or tfk_backend.epsilon()

    def _update(self, v, g, rate, shared):
        return tf.raw_ops.ResourceApplyAdadelta(
            var=v.handle, accum=self.get_slot(v, 'accum_grad').handle, accum_update=self.get_slot(v, 'accum_var').handle,
            lr=rate, rho=tf.convert_to_tensor(self._variable('rho')),
            epsilon=tf.constant(self.epsilon, v.dtype.base_dtype), grad=g)

    def get_config(self):
        return dict(super(Adadelta, self).get_config(), epsilon=self.epsilon)


class Ftrl(Optimizer):
    """Follow the regularized leader."""
    slots = ('accumulator', 'linear')
    by_weight = True

    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, name='Ftrl', **kwargs):
        super(Ftrl, self).__init__(name, **dict({'learning_rate': learning_rate}, **kwargs))
        self._settings = (learning_rate_power, initial_accumulator_value, l1_regularization_strength,
                          l2_regularization_strength)

    def add_slot(self, var, slot_name, initializer='zeros'):
        start = tfk_named.Constant(self._settings[1]) if slot_name == 'accumulator' else 'zeros'
        return super(Ftrl, self).add_slot(var, slot_name, start)

    def _update(self, v, g, rate, shared):
        power, _, l1, l2 = [tf.constant(x, tf.float32) for x in self._settings]
        return tf.raw_ops.ResourceApplyFtrl(
            var=v.handle, accum=self.get_slot(v, 'accumulator').handle, linear=self.get_slot(v, 'linear').handle,
            grad=g, lr=rate, l1=l1, l2=l2, lr_power=power)

    def get_config(self):
        names = ('learning_rate_power', 'initial_accumulator_value', 'l1_regularization_strength',
                 'l2_regularization_strength')
        return dict(super(Ftrl, self).get_config(), **dict(zip(names, self._settings)))


class TFOptimizer(Optimizer):
    """An optimizer of tf.train."""

    def __init__(self, optimizer):
        super(TFOptimizer, self).__init__(type(optimizer).__name__)
        self.optimizer = optimizer

    def get_updates(self, loss, params):
        grads = self.optimizer.compute_gradients(loss, params)
        return [self.optimizer.apply_gradients(grads, global_step=self.iterations)]

    def get_config(self):
        raise NotImplementedError('An optimizer of tf.train has no config. Use one of tf.keras.optimizers.')


class LearningRateSchedule(object):
    """The base class of learning rates that depend on the step."""
    fields = ()

    def __init__(self, *args, **kwargs):
        given = dict(zip([f[0] for f in self.fields], args), **kwargs)
        name = given.pop('name', None)
        for key, default in self.fields:
            setattr(self, key, given.pop(key, default))
        for unknown in given:
            raise TypeError("__init__() got an unexpected keyword argument '%s'" % unknown)
        self.name = name

    def get_config(self):
        return dict({key: getattr(self, key) for key, _ in self.fields}, name=self.name)

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class ExponentialDecay(LearningRateSchedule):
    """A rate that is multiplied by a factor every decay_steps."""
    fields = (('initial_learning_rate', None), ('decay_steps', None), ('decay_rate', None), ('staircase', False))

    def __call__(self, step):
        return tf.train.exponential_decay(self.initial_learning_rate, step, self.decay_steps, self.decay_rate,
                                          self.staircase)


class PiecewiseConstantDecay(LearningRateSchedule):
    """A rate that changes at given steps."""
    fields = (('boundaries', None), ('values', None))

    def __call__(self, step):
        boundaries = [tf.constant(b, step.dtype.base_dtype) for b in self.boundaries]
        return tf.train.piecewise_constant(step, boundaries, self.values)


class PolynomialDecay(LearningRateSchedule):
    """A rate that falls to end_learning_rate in decay_steps."""
    fields = (('initial_learning_rate', None), ('decay_steps', None), ('end_learning_rate', 0.0001), ('power', 1.0),
              ('cycle', False))

    def __call__(self, step):
        return tf.train.polynomial_decay(self.initial_learning_rate, step, self.decay_steps, self.end_learning_rate,
                                         self.power, self.cycle)


class InverseTimeDecay(LearningRateSchedule):
    """A rate that is divided by a number that grows with the step."""
    fields = (('initial_learning_rate', None), ('decay_steps', None), ('decay_rate', None), ('staircase', False))

    def __call__(self, step):
        return tf.train.inverse_time_decay(self.initial_learning_rate, step, self.decay_steps, self.decay_rate,
                                           self.staircase)


schedules = {c.__name__: c for c in (ExponentialDecay, PiecewiseConstantDecay, PolynomialDecay, InverseTimeDecay)}
known = {}
for _c in (SGD, RMSprop, Adam, Adamax, Nadam, Adagrad, Adadelta, Ftrl):
    known[_c.__name__] = known[_c.__name__.lower()] = _c


def get(identifier):
    """Returns the optimizer of a name or a config."""
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, (str, dict)):
        return tfk_named.find('optimizer', known, identifier)
    if hasattr(identifier, 'compute_gradients'):
        return TFOptimizer(identifier)
    raise ValueError('Could not interpret optimizer identifier: %r' % (identifier,))
