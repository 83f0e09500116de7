# import_graph_def into a graph that has nodes of the same names: the new nodes get other names.
import os
import shutil
import tempfile

import tensorflow as tf

a = tf.constant(1.0, name='a')
with tf.name_scope('part'):
    b = tf.identity(a, name='b')
with tf.colocate_with(b.op):
    c = tf.add(b, a, name='c')
definition = tf.get_default_graph().as_graph_def()
tf.import_graph_def(definition, name='')
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, [t.name for t in op.inputs], op.colocation_groups())
found, op = tf.import_graph_def(definition, name='', return_elements=['c:0', 'part/b'])
print(found.name, op.name)
found, = tf.import_graph_def(definition, return_elements=['c'])
print(found.name)
with tf.Session() as sess:
    print(sess.run(['c:0', 'c_1:0', 'c_2:0', 'import/c:0']))

# A script that builds its graph and reads it from the .meta file too.
tf.reset_default_graph()
v = tf.Variable(3.0, name='v')
w = tf.add(v, 1.0, name='w')
saver = tf.train.Saver()
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.save(sess, os.path.join(folder, 'm'))
    sess.run(v.assign(8.0))
    again = tf.train.import_meta_graph(os.path.join(folder, 'm.meta'))
    again.restore(sess, tf.train.latest_checkpoint(folder))
    print(sess.run(['w:0', v]), [x.name for x in tf.global_variables()])
    names = [op.name for op in tf.get_default_graph().get_operations()]
    print([n for n in names if n[0] in 'vw'])
shutil.rmtree(folder)

# The message of a Saver.
from tensorflow.core.protobuf import saver_pb2
message = saver.as_saver_def()
print(message)
print(type(message).__name__, message.max_to_keep, message.version == saver_pb2.SaverDef.V2, message.restore_op_name)
copy = tf.train.SaverDef.FromString(message.SerializeToString())
print(copy == message, len(message.SerializeToString()))
copy.max_to_keep = 2
print(copy == message, tf.train.SaverDef() == saver_pb2.SaverDef(), repr(str(tf.train.SaverDef())))
print(tf.train.export_meta_graph(saver_def=copy).saver_def.max_to_keep)
other = tf.train.Saver(saver_def=message)
print(other.saver_def.filename_tensor_name)
from tensorflow.core.example import example_pb2, feature_pb2
from tensorflow.core.framework import graph_pb2, summary_pb2
from tensorflow.core.util import event_pb2
feature = feature_pb2.Feature(int64_list=feature_pb2.Int64List(value=[3]))
print(example_pb2.Example(features=feature_pb2.Features(feature={'k': feature})))
print(len(graph_pb2.GraphDef().node), event_pb2.Event().step, len(summary_pb2.Summary().value))
