# Messages that configure sessions and servers; JSON, text, copies and pickles of messages.
import copy
import pickle
import tensorflow as tf
from google.protobuf import json_format, text_format
from tensorflow.core.framework import device_attributes_pb2, summary_pb2, variable_pb2
from tensorflow.core.protobuf import cluster_pb2, config_pb2, rewriter_config_pb2, tensorflow_server_pb2
from tensorflow.core.util import event_pb2

RewriterConfig = rewriter_config_pb2.RewriterConfig
config = tf.ConfigProto(allow_soft_placement=True)
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.NO_MEM_OPT
config.graph_options.rewrite_options.arithmetic_optimization = RewriterConfig.OFF
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = .5
config.device_count['GPU'] = 0
config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
config.session_inter_op_thread_pool.add(num_threads=2)
config.experimental.session_metadata.CopyFrom(config_pb2.SessionMetadata(name='net', version=3))
print(config)
print(repr(text_format.MessageToString(config)))
print(text_format.Merge(text_format.MessageToString(config), tf.ConfigProto()) == config)
print(json_format.MessageToJson(config))
print(json_format.MessageToDict(config, preserving_proto_field_name=True))
print(json_format.Parse(json_format.MessageToJson(config), tf.ConfigProto()) == config)
print(copy.deepcopy(config) == config, pickle.loads(pickle.dumps(config)) == config)
print(config_pb2.ThreadPoolOptionProto(num_threads=1, global_name='all'), tf.ConfigProto() == config)

rewrite = RewriterConfig(disable_model_pruning=True, constant_folding=RewriterConfig.OFF, optimizers=['a', 'b'],
                         auto_parallel=rewriter_config_pb2.AutoParallelOptions(enable=True, num_replicas=2),
                         scoped_allocator_opts=rewriter_config_pb2.ScopedAllocatorOptions(enable_op=['x']))
print(rewrite, RewriterConfig.Toggle.Name(2), RewriterConfig.MemOptType.Value('HEURISTICS'), RewriterConfig.ON)
print(tf.OptimizerOptions.OFF, tf.OptimizerOptions.ON_1, tf.RunOptions.TraceLevel.keys(), tf.RunOptions.FULL_TRACE)
config.graph_options.rewrite_options.CopyFrom(rewrite)
with tf.Session(config=config) as sess:
    print(sess.run(tf.constant(1) + 1))

cluster = cluster_pb2.ClusterDef(job=[cluster_pb2.JobDef(name='ps', tasks={0: 'localhost:1'})])
server = tensorflow_server_pb2.ServerDef(cluster=cluster, job_name='ps', task_index=0, protocol='grpc')
print(server)
print(json_format.MessageToDict(server))
device = device_attributes_pb2.DeviceAttributes(name='cpu', memory_limit=5)
device.locality.CopyFrom(device_attributes_pb2.DeviceLocality(bus_id=1))
print(device, json_format.MessageToDict(device))

summary = tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=1.25)])
event = event_pb2.Event(step=3, wall_time=.5, summary=summary)
print(json_format.MessageToDict(event), pickle.loads(pickle.dumps(event)) == event)
print(summary_pb2.Summary.Image.DESCRIPTOR.name, tf.SessionLog.START, tf.SessionLog(status='STOP'))
print(variable_pb2.VariableDef(variable_name='v', trainable=True))
int64s = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2]))
text = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'ab\xff']))
example = tf.train.Example(features=tf.train.Features(feature={'n': int64s}))
example.features.feature['t'].CopyFrom(text)
example.features.feature['x'].float_list.value.extend([.5, 1e-3])
print(sorted(json_format.MessageToDict(example)['features']['feature'].items()))
print(json_format.Parse(json_format.MessageToJson(example), tf.train.Example()) == example, copy.copy(text) == text)
print(text_format.MessageToString(int64s, as_one_line=True))
for bad in ('{"nope": 1}', '{"step": "x"}', '[1]', '{'):
    try:
        json_format.Parse(bad, event_pb2.Event())
    except json_format.ParseError:
        print('ParseError')
print(json_format.ParseDict({'step': '7', 'fileVersion': 'v'}, event_pb2.Event()))
c = tf.constant([1, 2], name='c')
with tf.control_dependencies([c]), tf.device('/cpu:0'):
    print(tf.identity(c, name='i').op)

step = tf.placeholder_with_default(30., [])
ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0, 1, -1], [3, 2])
with tf.Session() as sess:
    rate = tf.train.noisy_linear_cosine_decay(.1, step, 20., initial_variance=0.)
    print(rate.name, sess.run(rate).round(6))
    print(sess.run(tf.nn.safe_embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.]]), ids)))


@tf.distributions.RegisterKL(tf.distributions.Laplace, tf.distributions.Normal)
def divergence(a, b, name=None):
    return a.loc - b.loc


print(tf.Session().run(tf.distributions.kl_divergence(tf.distributions.Laplace(3., 1.), tf.distributions.Normal(1., 1.))))
