# The clusters that TF_CONFIG and Slurm describe to a process.
import json
import os
import tensorflow.compat.v1 as tf

resolver = tf.distribute.cluster_resolver


def show(found):
    print(type(found).__name__, found.cluster_spec().as_dict(), repr(found.task_type), repr(found.task_id),
          repr(found.rpc_layer), repr(found.environment), repr(found.master()))


for config in ({'cluster': {'ps': ['a:1'], 'worker': ['b:2', 'c:3']}, 'task': {'type': 'worker', 'index': 1}},
               {'cluster': {'worker': ['b:2']}, 'task': {'type': 'worker', 'index': '0'}, 'rpc_layer': 'grpc'},
               {'cluster': {'ps': ['a:1'], 'chief': ['b:2']}, 'task': {'type': 'chief', 'index': 0}, 'rpc_layer': 'grpc'}, {}):
    os.environ['TF_CONFIG'] = json.dumps(config)
    show(resolver.TFConfigClusterResolver())
    if 'ps' in config.get('cluster', {}):
        show(resolver.TFConfigClusterResolver(task_type='ps', task_id=0))
        print(resolver.TFConfigClusterResolver(rpc_layer='grpc').master('ps', 0))
del os.environ['TF_CONFIG']
show(resolver.TFConfigClusterResolver())

spec = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:2']})
simple = resolver.SimpleClusterResolver(spec, task_type='worker', task_id=0, rpc_layer='grpc')
print(simple.master('ps', 0), simple.num_accelerators(), isinstance(simple, resolver.ClusterResolver))
show(resolver.SimpleClusterResolver(spec, master='x:1'))
try:
    resolver.SimpleClusterResolver({'worker': ['b:2']})
except TypeError as e:
    print(e)
both = resolver.UnionResolver(resolver.SimpleClusterResolver(tf.train.ClusterSpec({'ps': ['a:1']}), task_type='ps', task_id=0),
                              resolver.SimpleClusterResolver(tf.train.ClusterSpec({'worker': ['b:2']}), rpc_layer='grpc'))
show(both)
print(both.master('worker', 0, 'grpc'))

os.environ.update(SLURM_PROCID='3', SLURM_STEP_NUM_TASKS='5', SLURM_STEP_TASKS_PER_NODE='2(x2),1',
                  SLURM_STEP_NODELIST='m[1-2],n07')
gpus = dict(gpus_per_node=2, gpus_per_task=1, auto_set_gpu=False)
slurm = resolver.SlurmClusterResolver({'ps': 1, 'worker': 4}, **gpus)
print(slurm.cluster_spec().as_dict(), slurm.get_task_info(), slurm.master(), slurm.master('ps', 0))
os.environ.update(SLURM_STEP_NUM_TASKS='7', SLURM_STEP_TASKS_PER_NODE='1(x7)', SLURM_STEP_NODELIST='rack[01-03,10],x[9-10],y')
slurm = resolver.SlurmClusterResolver(port_base=9000, **gpus)
print(slurm.cluster_spec().as_dict(), slurm.get_task_info(), slurm.task_type, slurm.task_id)
try:
    resolver.SlurmClusterResolver({'ps': 1, 'worker': 2}, **gpus)
except RuntimeError as e:
    print(e)
