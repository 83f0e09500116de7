# global, trainable, local variables; initializers; uninitialized variables.
import tensorflow as tf

a = tf.Variable(1.0, name='a')
b = tf.Variable([1, 2], trainable=False, name='b')
c = tf.Variable(tf.zeros([2, 2]), name='c', collections=[tf.GraphKeys.LOCAL_VARIABLES])
d = tf.Variable(a.initialized_value() + 1.0, name='d')
e = tf.get_variable('e', shape=[2], initializer=tf.constant_initializer(3.0))
f = tf.get_variable('f', initializer=tf.constant([7.0]))
print([v.name for v in tf.global_variables()], [v.name for v in tf.local_variables()])
print([v.name for v in tf.trainable_variables()])
print(a, b, repr(c))
print(a.dtype, b.shape, c.get_shape(), e.op.type, a.op.name, a.initializer.name, b.initial_value.name)
tf.add_to_collection('mine', a)
tf.add_to_collection('mine', 'text')
print(len(tf.get_collection('mine')), tf.get_collection('mine')[0] is a, tf.get_collection('nothing'))
with tf.Session() as sess:
    print(sess.run(tf.report_uninitialized_variables()))
    sess.run(tf.global_variables_initializer())
    print(sess.run(tf.report_uninitialized_variables()))
    sess.run(tf.local_variables_initializer())
    print(sess.run([a, b, c, d, e, f]))
    print(sess.run(tf.is_variable_initialized(a)), sess.run(a.assign(9.5)), sess.run(a + d))
    sess.run(tf.variables_initializer([a]))
    print(sess.run(a), a.eval(sess), a.eval())
    print(sess.run(b.assign_add([10, 20])), sess.run(b.assign_sub([1, 1])), sess.run(b.assign([5, 5])))
    try:
        sess.run(b.assign([1, 2, 3]))
    except ValueError as err:
        print('ValueError')
    w = tf.Variable(0, validate_shape=False, name='w')
    sess.run(w.initializer)
    print(sess.run(w), tf.Variable(2.5).name, tf.Variable(3, dtype=tf.float64).dtype)
    print(isinstance(a, tf.Variable), isinstance(a, tf.Tensor), a.graph is tf.get_default_graph())
