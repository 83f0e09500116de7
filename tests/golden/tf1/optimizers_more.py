# The optimizers beyond the first ones: their nodes, slots and steps; on both kinds of variables.
import tensorflow as tf


def make():
    return [tf.train.AdadeltaOptimizer(0.5, 0.9, 1e-3), tf.train.RMSPropOptimizer(0.1),
            tf.train.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3, centered=True), tf.train.FtrlOptimizer(0.3),
            tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.02,
                                   l2_shrinkage_regularization_strength=0.1),
            tf.train.ProximalGradientDescentOptimizer(0.1, 0.1, 0.2),
            tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.05),
            tf.train.AdagradOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
            tf.train.AdamOptimizer(0.1), tf.train.GradientDescentOptimizer(0.1)]


for use_resource in (False, True):
    for i in range(len(make())):
        tf.reset_default_graph()
        optimizer = make()[i]
        w = tf.Variable([[1., -2.], [0.5, 3.]], name='w', use_resource=use_resource)
        b = tf.Variable([0.25, -0.125], name='b', use_resource=use_resource)
        x = tf.constant([[1., 2.]])
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b - 1.))
        train = optimizer.minimize(loss)
        print(type(optimizer).__name__, use_resource, optimizer.get_slot_names())
        if not use_resource and optimizer.get_name() != 'Ftrl':
            for op in tf.get_default_graph().get_operations():
                if 'radients' not in op.name and ('update' in op.name or optimizer.get_name() in op.name):
                    print(' ', op.name, op.type)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(3):
                sess.run(train)
            values = sess.run([w, b])
            print([round(float(v), 4) for v in values[0].reshape(-1)], [round(float(v), 4) for v in values[1]])
            for name in optimizer.get_slot_names():
                slot = optimizer.get_slot(b, name)
                print(slot.name, [round(float(v), 4) for v in sess.run(slot)])
for bad in (lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=1.),
            lambda: tf.train.ProximalAdagradOptimizer(0.1, initial_accumulator_value=0.)):
    try:
        bad()
    except ValueError as e:
        print(e)
