import tensorflow as tf

with tf.variable_scope('scope') as scope:
    print(isinstance(scope, tf.VariableScope), scope.name)
    v = tf.get_variable('v', initializer=[1., 2.])
with tf.device('/cpu:0'):
    with tf.colocate_with(v.op):
        c = tf.identity(v, name='beside')
local = tf.Variable(3, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False, name='local')
print(tf.model_variables(), [x.name for x in tf.local_variables()])
step = tf.train.create_global_step()
print(step.name, tf.train.get_global_step() is step, step.dtype)
with tf.Session() as sess:
    sess.run(tf.initialize_variables([v, step]))
    sess.run(tf.initialize_local_variables())
    print(sess.run([v, c, local, step]))
    print(tf.train.global_step(sess, step))
print([op.name for op in tf.get_default_graph().get_operations()][:12])
print(type(tf.get_default_graph().as_graph_def()).__name__, issubclass(tf.train.GradientDescentOptimizer, tf.train.Optimizer))
