# tf.train.AdagradDAOptimizer and the proximal ones: steps of each, their slots, the update's inputs.
import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, 2.0], [3.0, -1.0]])
step = tf.Variable(0, dtype=tf.int64, trainable=False, name='step')


def train(make, name):
    with tf.variable_scope(name):
        w = tf.get_variable('w', initializer=tf.constant([[0.5], [-0.5]]), use_resource=False)
    loss = tf.reduce_sum(tf.square(tf.matmul(x, w) - 1.0))
    optimizer = make()
    op = optimizer.minimize(loss, global_step=step, var_list=[w])
    return w, optimizer, op


runs = [
    train(lambda: tf.train.AdagradDAOptimizer(0.5, step, l1_regularization_strength=0.01), 'a'),
    train(lambda: tf.train.AdagradDAOptimizer(0.5, step, 0.2, l2_regularization_strength=0.1), 'b'),
    train(lambda: tf.train.ProximalAdagradOptimizer(0.5, l1_regularization_strength=0.01), 'c'),
    train(lambda: tf.train.ProximalGradientDescentOptimizer(0.05, 0.01, 0.1), 'd')]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for w, optimizer, op in runs:
        for _ in range(3):
            sess.run(op)
        print(optimizer.get_name(), optimizer.get_slot_names(), np.round(sess.run(w), 4).tolist())
for op in tf.get_default_graph().get_operations():
    if op.type == 'ApplyAdagradDA':
        print(op.name, [i.op.type for i in op.inputs])
try:
    tf.train.AdagradDAOptimizer(0.5, step, initial_gradient_squared_accumulator_value=0.0)
except ValueError as e:
    print(e)
