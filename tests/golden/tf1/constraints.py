# Constraints: what holds for a variable after each step of an optimizer.
import numpy as np
import tensorflow as tf


def unit(v):
    return tf.clip_by_value(v, 0., 1., name='unit')


class Down(tf.train.Optimizer):
    def _apply_dense(self, grad, var):
        return tf.assign_sub(var, grad)

    def _resource_apply_dense(self, grad, handle):
        return handle.assign_sub(grad)


for resource in (False, True):
    for make in (lambda: tf.train.GradientDescentOptimizer(1.), lambda: tf.train.AdamOptimizer(1.), lambda: Down(False, 'Down')):
        with tf.Graph().as_default() as g:
            a = tf.Variable([0.5, 5.], constraint=unit, name='a', use_resource=resource)
            with tf.variable_scope('s', constraint=lambda v: v / tf.norm(v), use_resource=resource):
                b = tf.get_variable('b', initializer=[3., 4.])
                c = tf.get_variable('c', initializer=[3., -4.], constraint=tf.nn.relu)
            free = tf.get_variable('free', initializer=2., use_resource=resource)
            loss = tf.reduce_sum(a * a) + tf.reduce_sum(b) + tf.reduce_sum(c * 2.) + free
            train = make().minimize(loss)
            print([v.constraint is None for v in (a, b, c, free)])
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(train)
                print([np.round(v, 3).tolist() for v in sess.run([a, b, c, free])])
            if not resource:
                print([op.name for op in g.get_operations() if 'update_a' in op.name])
x = tf.ones([2, 3])
y = tf.layers.dense(x, 2, kernel_constraint=tf.nn.relu, bias_constraint=unit, kernel_initializer=tf.constant_initializer([[1., -1.], [2., .1], [.1, .2]]))
z = tf.layers.conv2d(tf.ones([1, 4, 4, 1]), 1, 2, kernel_constraint=unit, kernel_initializer=tf.constant_initializer(3.))
train = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(y) + tf.reduce_sum(z))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    for v in tf.trainable_variables():
        print(v.name, np.round(sess.run(v), 2).reshape(-1).tolist())
e = tf.get_variable('e', [3, 2], constraint=unit)
for bad in (lambda: tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(tf.gather(e, [0]))), lambda: tf.Variable(1., constraint=3)):
    try:
        bad()
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
