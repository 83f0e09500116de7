# Optimizers of one's own: the parts that tf.train.Optimizer calls, and classes derived from its optimizers.
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import control_flow_ops, math_ops, resource_variable_ops, state_ops
from tensorflow.python.training import optimizer

np.set_printoptions(precision=5, suppress=True)


class Sign(tf.train.Optimizer):
    """The sign of the gradient times the rate."""

    def __init__(self, learning_rate=0.1, use_locking=False, name='Sign'):
        super(Sign, self).__init__(use_locking, name)
        self._lr = learning_rate
        self._lr_t = None

    def _prepare(self):
        self._lr_t = tf.convert_to_tensor(self._lr, name='learning_rate')

    def _apply_dense(self, grad, var):
        return state_ops.assign_sub(var, math_ops.cast(self._lr_t, var.dtype.base_dtype) * tf.sign(grad))

    def _resource_apply_dense(self, grad, handle):
        return handle.assign_sub(self._lr_t * tf.sign(grad))

    def _apply_sparse(self, grad, var):
        return tf.scatter_sub(var, grad.indices, self._lr_t * tf.sign(grad.values))


class PowerSign(optimizer.Optimizer):
    def __init__(self, learning_rate=0.001, alpha=0.01, beta=0.5, use_locking=False, name="PowerSign"):
        super(PowerSign, self).__init__(use_locking, name)
        self._lr, self._alpha, self._beta = learning_rate, alpha, beta
        self._lr_t = self._alpha_t = self._beta_t = None

    def _prepare(self):
        self._lr_t = ops.convert_to_tensor(self._lr, name="learning_rate")
        self._alpha_t = ops.convert_to_tensor(self._beta, name="alpha_t")
        self._beta_t = ops.convert_to_tensor(self._beta, name="beta_t")

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._get_or_make_slot(v, tf.ones(v.shape), "v", "Other")
            self._get_or_make_slot_with_initializer(v, tf.constant_initializer(3.), v.shape, tf.float32, "w", self._name)
        self._create_non_slot_variable(initial_value=1.0, name="power", colocate_with=var_list[0])

    def _apply_dense(self, grad, var):
        lr_t = math_ops.cast(self._lr_t, var.dtype.base_dtype)
        alpha_t = math_ops.cast(self._alpha_t, var.dtype.base_dtype)
        beta_t = math_ops.cast(self._beta_t, var.dtype.base_dtype)
        m = self.get_slot(var, "m")
        m_t = m.assign(tf.maximum(beta_t * m + 1e-7, tf.abs(grad)))
        var_update = state_ops.assign_sub(var, lr_t * grad * tf.exp(tf.log(alpha_t) * tf.sign(grad) * tf.sign(m_t)))
        return control_flow_ops.group(*[var_update, m_t])

    def _finish(self, update_ops, name_scope):
        power = self._get_non_slot_variable('power', tf.get_default_graph())
        with tf.control_dependencies(update_ops):
            halved = power.assign(power * 0.5)
        return tf.group(*(update_ops + [halved]), name=name_scope)


class Clipped(tf.train.GradientDescentOptimizer):
    def compute_gradients(self, *args, **kwargs):
        pairs = super(Clipped, self).compute_gradients(*args, **kwargs)
        return [(tf.clip_by_value(g, -0.5, 0.5), v) for g, v in pairs if g is not None]


class DecayedAdam(tf.train.AdamOptimizer):
    def __init__(self, rate, decay, **kwargs):
        super().__init__(rate, **kwargs)
        self.decay = decay

    def _apply_dense(self, grad, var):
        with tf.control_dependencies([grad]):
            decayed = var.assign_sub(self._lr_t * self.decay * var)
        with tf.control_dependencies([decayed]):
            return super()._apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        m_t = tf.scatter_update(m, grad.indices, self._beta1_t * tf.gather(m, grad.indices) + (1 - self._beta1_t) * grad.values)
        v_t = tf.scatter_update(v, grad.indices, self._beta2_t * tf.gather(v, grad.indices) + (1 - self._beta2_t) * grad.values ** 2)
        beta1_power, beta2_power = self._get_beta_accumulators()
        rate = self._lr_t * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
        step = rate * tf.gather(m_t, grad.indices) / (tf.sqrt(tf.gather(v_t, grad.indices)) + self._epsilon_t)
        return tf.group(tf.scatter_sub(var, grad.indices, step), m_t, v_t)


class AdamWeightDecay(tf.train.Optimizer):
    """As BERT's: all in apply_gradients."""

    def __init__(self, learning_rate, weight_decay_rate=0.1, name='AdamWeightDecayOptimizer'):
        super(AdamWeightDecay, self).__init__(False, name)
        self.learning_rate, self.weight_decay_rate = learning_rate, weight_decay_rate

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for grad, param in grads_and_vars:
            if grad is None or param is None:
                continue
            m = tf.get_variable(name=param.op.name + '/adam_m', shape=param.shape.as_list(), dtype=tf.float32, trainable=False, initializer=tf.zeros_initializer())
            next_m = tf.multiply(0.9, m) + tf.multiply(0.1, grad)
            update = next_m / (tf.abs(next_m) + 1e-6) + self.weight_decay_rate * param
            assignments.extend([param.assign(param - self.learning_rate * update), m.assign(next_m)])
        return tf.group(*assignments, name=name)


class Counting(tf.train.MomentumOptimizer):
    def _create_slots(self, var_list):
        print('slots of', [v.name for v in var_list], self._momentum, self.get_name())
        super(Counting, self)._create_slots(var_list)

    def _prepare(self):
        self._learning_rate = self._learning_rate * 2
        super(Counting, self)._prepare()
        print(self._learning_rate_tensor, self._momentum_tensor.op.type)


def build(make, resource=False, rows=False, steps=3, **kwargs):
    with tf.Graph().as_default() as graph:
        w = tf.get_variable('w', initializer=[[1., -2.], [3., 0.5], [1., 1.]], use_resource=resource)
        b = tf.get_variable('b', initializer=[0.5], use_resource=resource)
        x = tf.nn.embedding_lookup(w, [0, 2, 0]) if rows else w
        loss = tf.reduce_sum(x * x) + tf.reduce_sum(tf.exp(b))
        opt = make()
        before = len(graph.get_operations())
        step = tf.train.get_or_create_global_step()
        train = opt.minimize(loss, global_step=step, **kwargs)
        print(type(opt).__name__, train.name, train.type, isinstance(opt, tf.train.Optimizer), opt.get_slot_names(), [v.name for v in opt.variables()])
        for op in graph.get_operations()[before:]:
            if 'gradients' not in op.name and 'global_step' not in op.name:
                print(' ', op.name, op.type, [i.name for i in op.inputs if 'gradients' not in i.name])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(steps):
                sess.run(train)
            for v in tf.global_variables():
                print(v.name, sess.run(v).reshape(-1))




class Nothing(tf.train.Optimizer):
    pass


for kind in (tf.train.Optimizer, Nothing):
    try:
        build(lambda: kind(False, 'Nothing'))
    except NotImplementedError as e:
        print(kind.__name__, type(e).__name__)
try:
    Nothing(False, '')
except ValueError as e:
    print(e)
build(lambda: Sign(0.25))
build(Sign, rows=True, name='given')
build(Sign, resource=True)
build(lambda: PowerSign(0.01))
build(lambda: Clipped(0.1))
build(lambda: DecayedAdam(0.1, 0.01))
build(lambda: DecayedAdam(0.1, 0.01, name='Rows'), rows=True)
build(lambda: AdamWeightDecay(0.01))
build(lambda: Counting(0.1, 0.9))
build(lambda: Counting(0.1, 0.9, use_nesterov=True), rows=True)
print(tf.train.Optimizer.GATE_NONE, tf.train.Optimizer.GATE_OP, tf.train.Optimizer.GATE_GRAPH, issubclass(Sign, tf.train.Optimizer))
