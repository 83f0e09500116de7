# Looking at a graph: operations, inputs, outputs, consumers, attributes.
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, [2], name='x')
    w = tf.constant([1.0, 2.0], name='w')
    y = tf.add(x, w, name='y')
    parts = tf.unstack(y, name='parts')
    with tf.control_dependencies([y]):
        z = tf.identity(w, name='z')
print([op.name for op in g.get_operations()])
print([(op.type, len(op.inputs), len(op.outputs)) for op in g.get_operations()])
op = g.get_operation_by_name('y')
print(op.name, op.type, [t.name for t in op.inputs], [t.name for t in op.outputs], op.graph is g)
print(y.op is op, g.get_tensor_by_name('y:0') is y, parts[1].name, parts[1].value_index, z.op.control_inputs[0].name)
print([c.name for c in w.consumers()], [c.name for c in y.consumers()])
print(g.as_graph_element('y:0').name, g.as_graph_element('y').type, g.as_graph_element(y) is y)
print(g.is_feedable(x), g.is_fetchable(y), g.finalized, g.version > 0)
print(op.get_attr('T'), w.op.get_attr('dtype'), op.node_def.name, op.node_def.op, list(op.node_def.input))
print(tf.get_default_graph() is g, tf.get_default_graph().get_operations())
print(repr(x), str(op.name), x.shape, x.dtype, x.graph is g)
with g.as_default():
    print(tf.get_default_graph() is g, tf.constant(1).name, tf.constant(1).name)
with tf.Session(graph=g) as sess:
    print(sess.graph is g, sess.run('y:0', {'x:0': [1, 1]}), sess.run(['z:0', parts[0]], {x: [5, 6]}))
    print(sess.run(op, {x: [0, 0]}))
print(tf.add(1, 2).op.type, tf.constant(1).op.inputs[:] if False else len(tf.constant(1).op.inputs))
for name in ['nope', 'nope:0', 'y:9', 'y:x']:
    try:
        g.as_graph_element(name)
        print('found?')
    except (KeyError, ValueError) as e:
        print(type(e).__name__)
