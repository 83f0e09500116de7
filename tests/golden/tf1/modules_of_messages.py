# The modules of messages: their classes, the numbers of element types, meta graphs, node_def of operations.
import os
import tempfile
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, function_pb2, graph_pb2, node_def_pb2, op_def_pb2
from tensorflow.core.framework import resource_handle_pb2, tensor_pb2, tensor_shape_pb2, types_pb2, versions_pb2
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2, saver_pb2
from tensorflow.python.framework import tensor_util

for cls in (attr_value_pb2.AttrValue, attr_value_pb2.NameAttrList, graph_pb2.GraphDef, node_def_pb2.NodeDef, op_def_pb2.OpDef,
            op_def_pb2.OpList, op_def_pb2.OpDef.ArgDef, function_pb2.FunctionDef, function_pb2.FunctionDefLibrary,
            function_pb2.GradientDef, resource_handle_pb2.ResourceHandleProto, tensor_pb2.TensorProto,
            tensor_pb2.VariantTensorDataProto, tensor_shape_pb2.TensorShapeProto, versions_pb2.VersionDef,
            meta_graph_pb2.AssetFileDef, meta_graph_pb2.CollectionDef, meta_graph_pb2.SignatureDef, meta_graph_pb2.TensorInfo,
            saved_model_pb2.SavedModel, saver_pb2.SaverDef):
    print(cls, cls.DESCRIPTOR.full_name, cls() == cls(), cls().ByteSize(), cls.FromString(b'').IsInitialized())
print(tf.TensorInfo is meta_graph_pb2.TensorInfo, tf.AttrValue is attr_value_pb2.AttrValue, tf.NodeDef is node_def_pb2.NodeDef, tf.NameAttrList is attr_value_pb2.NameAttrList)
print(types_pb2.DT_INVALID, types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE, types_pb2.DT_INT32, types_pb2.DT_UINT8)
print(types_pb2.DT_INT16, types_pb2.DT_INT8, types_pb2.DT_STRING, types_pb2.DT_COMPLEX64, types_pb2.DT_INT64)
print(types_pb2.DT_BOOL, types_pb2.DT_QINT8, types_pb2.DT_QUINT8, types_pb2.DT_QINT32, types_pb2.DT_BFLOAT16)
print(types_pb2.DT_QINT16, types_pb2.DT_QUINT16, types_pb2.DT_UINT16, types_pb2.DT_COMPLEX128, types_pb2.DT_HALF)
print(types_pb2.DT_RESOURCE, types_pb2.DT_VARIANT, types_pb2.DT_UINT32, types_pb2.DT_UINT64)
print(types_pb2.DT_FLOAT_REF, types_pb2.DT_DOUBLE_REF, types_pb2.DT_INT32_REF, types_pb2.DT_UINT8_REF)
print(types_pb2.DT_INT16_REF, types_pb2.DT_INT8_REF, types_pb2.DT_STRING_REF, types_pb2.DT_COMPLEX64_REF)
print(types_pb2.DT_INT64_REF, types_pb2.DT_BOOL_REF, types_pb2.DT_QINT8_REF, types_pb2.DT_QUINT8_REF)
print(types_pb2.DT_QINT32_REF, types_pb2.DT_BFLOAT16_REF, types_pb2.DT_QINT16_REF, types_pb2.DT_QUINT16_REF)
print(types_pb2.DT_UINT16_REF, types_pb2.DT_COMPLEX128_REF, types_pb2.DT_HALF_REF, types_pb2.DT_RESOURCE_REF)
print(types_pb2.DT_VARIANT_REF, types_pb2.DT_UINT32_REF, types_pb2.DT_UINT64_REF)
print(types_pb2.DataType.Name(1), types_pb2.DataType.Value('DT_INT32'), types_pb2.DataType.DT_BOOL)
print(tf.as_dtype(types_pb2.DT_INT64).name, tf.float32.as_datatype_enum == types_pb2.DT_FLOAT)

with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    v = tf.get_variable('v', initializer=[1., 2., 3.], use_resource=False)
    with tf.device('/cpu:0'), tf.control_dependencies([v.initializer]):
        y = tf.multiply(x, 2., name='y')
    tf.add_to_collection('numbers', 5)
    tf.add_to_collection('tensors', y)
    tf.add_to_collection('texts', 'text')
    saver = tf.train.Saver()
    node = y.op.node_def
    print(node.name, node.op, list(node.input), node.device, sorted(node.attr), node.attr['T'].type, isinstance(node, tf.NodeDef))
    node.name = 'changes only the copy'
    print(y.op.name, y.op.node_def.name)
    print([d.size for d in x.op.node_def.attr['shape'].shape.dim], x.op.node_def == g.as_graph_def().node[0])
    print(tf.make_ndarray(g.get_operation_by_name('y/y').node_def.attr['value'].tensor))
    print(tensor_util.MakeNdarray(tensor_util.make_tensor_proto([1, 2])).tolist())
    meta = tf.train.export_meta_graph()
    print(type(meta).__name__, [n.name for n in meta.graph_def.node][:2], meta.HasField('saver_def'))
    print(sorted(k for k in meta.collection_def if k in ('numbers', 'tensors', 'texts', 'variables')))
    print(list(meta.collection_def['numbers'].int64_list.value), list(meta.collection_def['tensors'].node_list.value),
          list(meta.collection_def['texts'].bytes_list.value), meta.collection_def['variables'].WhichOneof('kind'))
    meta.graph_def.node[0].name = 'renamed'
    for n in meta.graph_def.node:
        for i, name in enumerate(n.input):
            if name == 'x':
                n.input[i] = 'renamed'
    meta.collection_def['numbers'].int64_list.value.append(6)
    del meta.collection_def['texts']
    path = os.path.join(tempfile.mkdtemp(), 'model.meta')
    with open(path, 'wb') as f:
        f.write(meta.SerializeToString())
    saver_def = saver.as_saver_def()
    print(saver_def.filename_tensor_name, saver_def.max_to_keep, saver_def.version == saver_pb2.SaverDef.V2, saver_def.restore_op_name)
with tf.Graph().as_default() as g:
    tf.train.import_meta_graph(path)
    print(g.get_operations()[0].name, tf.get_collection('numbers'), tf.get_collection('texts'), tf.get_collection('tensors')[0].name)
signature = meta_graph_pb2.SignatureDef(method_name='m')
signature.inputs['a'].name = 'x:0'
signature.inputs['a'].dtype = types_pb2.DT_FLOAT
signature.inputs['a'].tensor_shape.CopyFrom(tf.TensorShape([None, 2]).as_proto())
print(signature, sorted(signature.inputs), 'b' in signature.outputs, signature.inputs['a'].WhichOneof('encoding'))
print(saver_pb2.SaverDef(max_to_keep=3, version=2), saver_pb2.SaverDef(version='V1').version)
resource = tensor_pb2.TensorProto(resource_handle_val=[resource_handle_pb2.ResourceHandleProto(name='r', hash_code=(1 << 64) - 1)])
print(resource)
