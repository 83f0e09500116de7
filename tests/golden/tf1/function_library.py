# Functions of a graph as messages.
import copy
import tensorflow as tf
from tensorflow.core.framework import function_pb2, op_def_pb2, types_pb2

# A library written by hand.
lib = function_pb2.FunctionDefLibrary()
fn = lib.function.add()
fn.signature.name = 'Twice'
fn.signature.input_arg.add(name='x', type=types_pb2.DT_FLOAT)
fn.signature.output_arg.extend([op_def_pb2.OpDef.ArgDef(name='y', type=types_pb2.DT_FLOAT)])
node = fn.node_def.add(name='double', op='AddV2', input=['x', 'x'])
node.attr['T'].type = types_pb2.DT_FLOAT
fn.ret['y'] = 'double:z:0'
print(fn.ret, fn.ret['y'], 'z' in fn.ret, dict(fn.ret), fn.ret.get('z', 'none'))
fn.ret.update({'y': 'double:z:0'})
fn.arg_attr[0].attr['_note'].s = b'first'
print(fn.arg_attr[0].attr['_note'].s, 1 in fn.arg_attr, len(fn.arg_attr), list(fn.arg_attr))
del fn.arg_attr[0]
lib.gradient.add(function_name='Twice', gradient_func='TwiceGrad')
print(lib.gradient)
del lib.gradient[:]
graph_def = tf.GraphDef(library=lib)
graph_def.versions.producer = 100
x = graph_def.node.add(name='x', op='Placeholder', attr={'dtype': tf.AttrValue(type=1)})
call = graph_def.node.add(name='t', op='Twice', input=['x'])
fn.signature.name = 'after the copy'
print(graph_def.library.function[0].signature.name, len(graph_def.library.function[0].node_def))
with tf.Graph().as_default() as h:
    y, = tf.import_graph_def(graph_def, return_elements=['t:0'], name='')
    with tf.Session() as sess:
        print(sess.run(y, {'x:0': 21.}))
gd = h.as_graph_def()
print(len(gd.library.function), len(gd.library.gradient), gd.HasField('library'), gd.HasField('versions'))
f = gd.library.function[0]
print([arg.type for arg in f.signature.input_arg], [arg.type for arg in f.signature.output_arg], f.signature.name)
print([n.op for n in f.node_def], len(f.ret))
calls = [n for n in gd.node if n.op == f.signature.name]
print(len(calls))

# The function is renamed, with the nodes that call it.
new = copy.deepcopy(gd)
new.library.function[0].signature.name = 'renamed'
for n in new.node:
    if n.op == f.signature.name:
        n.op = 'renamed'
print(f.signature.name, new.library.function[0].signature.name, new == gd)
with tf.Graph().as_default():
    y, = tf.import_graph_def(new, return_elements=['t:0'], name='')
    with tf.Session() as sess:
        print(sess.run(y, {'x:0': 5.}))
op = op_def_pb2.OpDef(name='Op', is_stateful=True)
op.attr.add(name='T', type='type', default_value=tf.AttrValue(type=1))
op.attr[0].allowed_values.list.type.extend([1, 2])
op.attr.add(name='N', type='int', has_minimum=True, minimum=2)
op.input_arg.add(name='x', number_attr='N', type_attr='T', is_ref=True)
print(op)
print(op_def_pb2.OpList(op=[op, op]).op[1].attr[0].default_value.type, function_pb2.GradientDef(function_name='f'))
print(function_pb2.FunctionDef(signature=op) == function_pb2.FunctionDef(), lib == function_pb2.FunctionDefLibrary())
