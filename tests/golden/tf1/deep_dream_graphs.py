# Helpers of the DeepDream notebook: large constants are stripped from a copy of a graph, and nodes are renamed.
import numpy as np
import tensorflow as tf


def strip_consts(graph_def, max_const_size=32):
    """Strip large constant values from graph_def."""
    strip_def = tf.GraphDef()
    for n0 in graph_def.node:
        n = strip_def.node.add()
        n.MergeFrom(n0)
        if n.op == 'Const':
            tensor = n.attr['value'].tensor
            size = len(tensor.tensor_content)
            if size > max_const_size:
                tensor.tensor_content = tf.compat.as_bytes('<stripped %d bytes>' % size)
    return strip_def


def rename_nodes(graph_def, rename_func):
    res_def = tf.GraphDef()
    for n0 in graph_def.node:
        n = res_def.node.add()
        n.MergeFrom(n0)
        n.name = rename_func(n.name)
        for i, s in enumerate(n.input):
            n.input[i] = rename_func(s) if s[0] != '^' else '^' + rename_func(s[1:])
    return res_def


graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 4], name='input')
    w = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3), name='layer1/w')
    b = tf.constant([0.5, 0.25, 0.125], name='layer1/b')
    with tf.control_dependencies([b.op]):
        y = tf.nn.relu(tf.matmul(x, w) + b, name='layer1/out')
    z = tf.reduce_sum(y, name='total')
original = graph.as_graph_def()
before = original.SerializeToString()
stripped = strip_consts(original)
for n in stripped.node:
    if n.op == 'Const':
        print(n.name, n.attr['value'].tensor.tensor_content, [d.size for d in n.attr['value'].tensor.tensor_shape.dim])
print(original.SerializeToString() == before, len(stripped.node) == len(original.node))
print(stripped.ByteSize() < original.ByteSize(), len(stripped.SerializeToString()) == stripped.ByteSize())
renamed = rename_nodes(original, lambda s: '/'.join(s.split('_', 1)))
renamed = rename_nodes(renamed, lambda s: 'net/' + s)
for n in renamed.node:
    print(n.name, n.op, list(n.input))
with tf.Graph().as_default():
    out, = tf.import_graph_def(renamed, name='', return_elements=['net/total:0'])
    with tf.Session() as sess:
        print(sess.run(out, {'net/input:0': np.ones((2, 4), np.float32)}))
print([n.name for n in original.node])

# What the notebook shows: the layers whose outputs have a shape with channels.
layers = [op.name for op in graph.get_operations() if op.type in ('MatMul', 'Relu')]
print(layers, graph.get_operation_by_name('layer1/out').node_def.op)
