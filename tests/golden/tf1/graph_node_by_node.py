# A graph written as a message, node by node: constants of each type, attributes of each kind, a function.
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2, node_def_pb2, types_pb2
from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2, versions_pb2
from tensorflow.python.framework import tensor_util


def set_attr_dtype(node, key, value):
    node.attr[key].CopyFrom(attr_value_pb2.AttrValue(type=value.as_datatype_enum))


def set_attr_tensor(node, key, value, dtype, shape=None):
    node.attr[key].CopyFrom(attr_value_pb2.AttrValue(tensor=tensor_util.make_tensor_proto(value, dtype=dtype, shape=shape)))


def create_node(op, name, inputs):
    new_node = node_def_pb2.NodeDef()
    new_node.op = op
    new_node.name = name
    for input_name in inputs:
        new_node.input.extend([input_name])
    return new_node


def create_constant_node(name, value, dtype, shape=None):
    node = create_node('Const', name, [])
    set_attr_dtype(node, 'dtype', dtype)
    set_attr_tensor(node, 'value', value, dtype, shape)
    return node


g = graph_pb2.GraphDef()
g.node.extend([create_constant_node('a', [[1., 2.], [3., 4.]], tf.float32),
               create_constant_node('b', 10., tf.float32)])
add = create_node('Add', 'sum', ['a', 'b'])
set_attr_dtype(add, 'T', tf.float32)
g.node.extend([add])
mul = g.node.add()
mul.CopyFrom(create_node('MatMul', 'product', ['sum', 'a']))
set_attr_dtype(mul, 'T', tf.float32)
mul.attr['transpose_a'].b = False
mul.attr['transpose_b'].CopyFrom(tf.AttrValue(b=True))
shape = g.node.add(name='size', op='Shape', input=['product'], attr={'T': {'type': types_pb2.DT_FLOAT},
                                                                     'out_type': tf.AttrValue(type='DT_INT64')})
print(sorted(shape.attr), shape.attr['out_type'], shape.input)
g.versions.CopyFrom(versions_pb2.VersionDef(producer=21, min_consumer=3))
g.versions.bad_consumers.append(7)
print(g.versions)
g.versions.ClearField('bad_consumers')
with tf.Graph().as_default() as graph:
    result = tf.import_graph_def(g, return_elements=['product:0', 'size:0'], name='')
    with tf.Session() as sess:
        for value in sess.run(result):
            print(value.tolist(), value.dtype)
print(graph.get_operation_by_name('product').node_def.attr['transpose_b'].b)
print(sorted(graph.get_operation_by_name('product').node_def.attr.keys()))
print([len(n.attr) for n in graph.as_graph_def().node])

# make_tensor_proto and make_ndarray are each other's inverse.
for value, dtype in ((1.5, None), ([1, 2, 3], None), ([[1.5]], np.float64), ('text', None), ([b'a', b'bc'], None), (True, None),
                     (7, tf.uint8), ([], tf.int64), (np.arange(6).reshape(2, 3).astype(np.int16), None), (2 + 3j, tf.complex64)):
    proto = tf.make_tensor_proto(value, dtype=dtype)
    array = tensor_util.MakeNdarray(proto)
    print(types_pb2.DataType.Name(proto.dtype), [d.size for d in proto.tensor_shape.dim], array.tolist(), array.dtype)
filled = tf.make_tensor_proto(2., shape=[2, 2])
print(tf.make_ndarray(filled).tolist())
by_hand = tensor_pb2.TensorProto(dtype=types_pb2.DT_INT32, int_val=[5])
by_hand.tensor_shape.CopyFrom(tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=3)]))
print(tf.make_ndarray(by_hand).tolist(), list(by_hand.int_val))
half = tensor_pb2.TensorProto(dtype=types_pb2.DT_HALF, half_val=[15360, 16384], tensor_shape=tf.TensorShape([2]).as_proto())
print(tf.make_ndarray(half).tolist())
print(tf.TensorShape([None, 3]).as_proto())
print(tf.TensorShape(None).as_proto(), tf.TensorShape(tf.TensorShape(None).as_proto()).ndims)
node = graph.as_graph_def().node[0]
print(node.name, tf.make_ndarray(node.attr['value'].tensor).tolist(), tf.as_dtype(node.attr['dtype'].type).name)
