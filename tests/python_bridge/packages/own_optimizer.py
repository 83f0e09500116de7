# needs pandas
"""Optimizers of its own beside those of TensorFlow; the table compares them."""
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf
from tensorflow.python.training import optimizer as optimizer_module

tf.disable_v2_behavior()


class AddSign(optimizer_module.Optimizer):
    """Steps twice as far if the gradient agrees with its mean."""

    def __init__(self, learning_rate=0.1, beta=0.9, use_locking=False, name='AddSign'):
        super(AddSign, self).__init__(use_locking, name)
        self._rate, self._beta = learning_rate, beta
        self._rate_t = None

    def _prepare(self):
        self._rate_t = tf.convert_to_tensor(self._rate, name='learning_rate')

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)

    def _apply_dense(self, grad, var):
        m = self.get_slot(var, 'm')
        m_t = m.assign(self._beta * m + (1 - self._beta) * grad)
        rate = tf.cast(self._rate_t, var.dtype.base_dtype)
        update = tf.assign_sub(var, rate * grad * (1.0 + tf.sign(grad) * tf.sign(m_t)) / 2)
        return tf.group(*[update, m_t])

    def _apply_sparse(self, grad, var):
        return tf.scatter_sub(var, grad.indices, self._rate_t * grad.values)


class Clipped(tf.train.GradientDescentOptimizer):
    def compute_gradients(self, *args, **kwargs):
        pairs = super(Clipped, self).compute_gradients(*args, **kwargs)
        return [(tf.clip_by_norm(g, 1.) if g is not None else None, v) for g, v in pairs]


history = []
for make in (lambda: AddSign(0.3), lambda: Clipped(0.5), lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
             lambda: tf.train.FtrlOptimizer(0.5)):
    with tf.Graph().as_default():
        x = tf.Variable([3., -2.], name='x')
        unused = tf.Variable(1., name='unused')
        loss = tf.reduce_sum(x * x * [1., 4.])
        optimizer = make()
        grads = optimizer.compute_gradients(loss)
        step = tf.train.get_or_create_global_step()
        train = optimizer.apply_gradients([(g, v) for g, v in grads if g is not None], global_step=step)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(5):
                _, value, n = sess.run([train, loss, step])
                history.append({'optimizer': optimizer.get_name(), 'step': i, 'loss': float(value)})
            print(type(optimizer).__name__, optimizer.get_slot_names(), sess.run(x).round(3), n,
                  [v.name for v in optimizer.variables()][:2])
table = pd.DataFrame(history).pivot(index='step', columns='optimizer', values='loss')
print(table.round(3).to_string())
print(table.iloc[-1].idxmin(), table.diff().iloc[1:].lt(0).all().tolist())
with tf.Graph().as_default(), tf.Session() as sess:
    rows = tf.Variable(np.ones((3, 2), np.float32))
    train = AddSign().minimize(tf.reduce_sum(tf.gather(rows, [0, 2])))
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    print(sess.run(rows).tolist(), isinstance(optimizer, tf.train.Optimizer))
    try:
        AddSign().minimize(tf.constant(1.))
    except ValueError as e:
        print('ValueError:', str(e).split(',')[0][:40])
