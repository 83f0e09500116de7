# Graphs as objects: several of them, names, operations, finalizing.
import tensorflow as tf

g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default():
    a = tf.constant(1.0, name='a')
    with tf.name_scope('scope') as s:
        b = tf.add(a, 2.0, name='b')
        print(s, g1.get_name_scope(), g1.unique_name('b'), g1.unique_name('c', mark_as_used=False))
with g2.as_default():
    v = tf.get_variable('v', initializer=tf.constant([1, 2]))
    assert v.graph is g2
    assert tf.get_default_graph() is g2
print(b.graph is g1, a.op.name, b.op.type, b.op.name, b.op.inputs[0].name, b.consumers(), a.consumers())
print([op.name for op in g1.get_operations()], [op.name for op in g2.get_operations()])
print(g1.get_tensor_by_name('scope/b:0') is b, g1.get_operation_by_name('a') is a.op, g1.as_graph_element('a:0') is a)
print(b.shape, b.get_shape(), b.dtype, b.value_index, b.device == '', b.op.outputs, b.op.control_inputs)
for name, method in (('nothing', g1.get_operation_by_name), ('nothing:0', g1.get_tensor_by_name), ('a', g1.get_tensor_by_name),
                     ('a:1', g1.get_tensor_by_name)):
    try:
        method(name)
    except (KeyError, ValueError) as e:
        print(type(e).__name__)
with tf.Session(graph=g1) as sess:
    print(sess.run('scope/b:0'), sess.run(b), sess.graph is g1)
    try:
        sess.run(v)
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
with tf.Session(graph=g2) as sess:
    sess.run(v.initializer)
    print(sess.run('v:0'), sess.run(['v:0', v.op.outputs[0]])[1])
try:
    with g1.as_default():
        tf.add(a, v)
except ValueError as e:
    print(type(e).__name__)
g1.finalize()
print(g1.finalized)
try:
    with g1.as_default():
        tf.constant(5)
except RuntimeError as e:
    print(e)
print(tf.get_default_graph() is g1, g1.version == len(g1.get_operations()))
with tf.Graph().as_default() as g3:
    with g3.device('/cpu:0'), g3.name_scope('n'), g3.control_dependencies([tf.no_op(name='wait')]):
        c = tf.constant(1, name='c')
    print(c.name, c.device, c.op.control_inputs[0].name)
    x = tf.placeholder_with_default([1.0, 2.0], [None], name='x')
    y = tf.placeholder_with_default(5, [], name='y')
    with tf.Session() as sess:
        print(x, sess.run(x * 2.0), sess.run(x * 2.0, {x: [3.0]}), sess.run(y), sess.run(y, {y: 7}))
tf.reset_default_graph()
print(len(tf.get_default_graph().get_operations()))
