# tf.graph_util: graphs frozen into constants, parts of them, attributes of one's own on tensors and variables.
import numpy as np
import tensorflow as tf


for resource in (False, True):
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', initializer=[[1., 2.], [3., 4.]], use_resource=resource)
    b = tf.get_variable('b', initializer=[0.5, -0.5], use_resource=resource)
    y = tf.nn.relu(tf.identity(tf.matmul(x, w), name='mid') + b, name='y')
    loss = tf.reduce_sum(y, name='loss')
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(w.assign(w * 2.))
        gd = tf.get_default_graph().as_graph_def()
        frozen = tf.graph_util.convert_variables_to_constants(sess, gd, ['y'])
        kept = tf.graph_util.convert_variables_to_constants(sess, gd, ['y'], variable_names_blacklist=['b'])
    print([(n.name, n.op) for n in frozen.node])
    print([(n.name, n.op) for n in kept.node])
    print([n.name for n in tf.graph_util.extract_sub_graph(gd, ['mid']).node])
    spare = tf.graph_util.remove_training_nodes(frozen)
    print([(n.name, n.op, list(n.input)) for n in spare.node])
    for part in (frozen, spare):
        with tf.Graph().as_default() as g:
            out, = tf.import_graph_def(part, name='net', return_elements=['y:0'])
            with tf.Session() as sess:
                print(out.name, sess.run(out, {'net/x:0': [[1., 1.], [0., 2.]]}).tolist())
for bad in (lambda: tf.graph_util.extract_sub_graph(gd, 'mid'), lambda: tf.graph_util.extract_sub_graph(gd, ['nowhere'])):
    try:
        bad()
    except (TypeError, AssertionError) as e:
        print(type(e).__name__, e)
v = tf.Variable(1., name='v')
t = v * 2.
v.param, t.note = True, ['kept']
t.note.append(3)
print(v.param, t.note, hasattr(v, 'other'), hasattr(t, 'param'), tf.get_default_graph().get_tensor_by_name(t.name).note)
del t.note
print(hasattr(t, 'note'))
try:
    t.name = 'x'
except AttributeError as e:
    print(type(e).__name__)
try:
    print(v.nothing)
except AttributeError as e:
    print(type(e).__name__)
