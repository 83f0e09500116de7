#!/usr/bin/env python3
"""Records TensorFlow's decisions for random graphs (programs.py): the nodes that run and the values that are sent
between devices. They are read from RunMetadata.partition_graphs, with the optimizer off.

    PYTHON_WITH_TF tests/agree/record.py [--count N] [--seed N] > tests/agree/recorded.json
"""
import argparse
import json
import os
import re
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''
import numpy as np
import tensorflow.compat.v1 as tf

import programs

tf.disable_eager_execution()
tf.disable_control_flow_v2()
tf.logging.set_verbosity(tf.logging.ERROR)


def short(device):
    return device.rsplit('/', 1)[-1].replace('device:', '').lower()


def config():
    from tensorflow.core.protobuf import rewriter_config_pb2
    made = tf.ConfigProto(device_count={'CPU': 3}, allow_soft_placement=False)
    made.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    made.graph_options.rewrite_options.disable_meta_optimizer = True
    made.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
    return made


def stages(graph, fetches, feeds, metadata):
    """Returns (names of the graph's nodes that run, [value, from, to] for each transfer)."""
    ours = {op.name for op in graph.get_operations()}
    fed = {f.op.name for f in feeds}
    runs, sends, recvs, taken = [], {}, {}, {}
    for part in metadata.partition_graphs:
        nodes = {n.name: n for n in part.node}
        for n in part.node:
            if n.op in ('_Send', '_HostSend'):
                sends[n.attr['tensor_name'].s.decode(), n.attr['recv_device'].s.decode()] = (n, nodes)
            elif n.op in ('_Recv', '_HostRecv'):
                recvs[n.name] = (n.attr['tensor_name'].s.decode(), n.attr['recv_device'].s.decode())
            elif n.name in ours:
                runs.append(n.name)
        for n in part.node:
            for name in n.input:
                taken.setdefault(name.lstrip('^').split(':')[0], []).append(n)
    sent = set()
    for recv, key in recvs.items():
        # A value that only the client receives is fetched, and is not an edge of the graph. A value
        # that is sent only for its order ends in an Identity that nothing reads.
        readers = [r for n in taken.get(recv, [])
                   for r in (taken.get(n.name, []) if n.name not in ours and n.op == 'Identity' else [n])]
        if readers and all(n.op == '_Retval' for n in readers):
            continue
        send, nodes = sends[key]
        source = send.input[0]
        producer = nodes[source.split(':')[0]]
        if producer.op == '_Arg':
            source = sorted(f.name for f in feeds)[producer.attr['index'].i]
        elif producer.name not in ours:
            source = [i for i in producer.input if i.startswith('^')][0]
        elif ':' not in source:
            source += ':0'
        if source.startswith('^_arg'):
            continue
        sent.add((source, short(send.attr['send_device'].s.decode()), short(send.attr['recv_device'].s.decode())))
    return sorted(runs), sorted(sent)


def record(seed):
    program = programs.program(seed)
    graph = tf.Graph()
    with graph.as_default():
        scope = {'tf': tf}
        exec('\n'.join(program['lines']), scope)
        fetches = [scope[f] for f in program['fetches']]
        feeds = [scope[f] for f in program['feeds']]
        feeds = [f if isinstance(f, tf.Tensor) else f.value() for f in feeds]
        metadata = tf.RunMetadata()
        options = tf.RunOptions(output_partition_graphs=True)
        with tf.Session(graph=graph, config=config()) as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(fetches, {f: np.ones(f.shape.as_list(), np.float32) for f in feeds}, options, metadata)
    program['runs'], program['sent'] = stages(graph, fetches, feeds, metadata)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=80)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    records = []
    for seed in range(options.seed, options.seed + options.count):
        try:
            records.append(record(seed))
        except Exception as error:  # a graph that TensorFlow refuses to run is not recorded
            print('seed %d: %s' % (seed, str(error).split('\n')[0]), file=sys.stderr)
    sys.stdout.write('[\n' + ',\n'.join(json.dumps(r) for r in records) + '\n]\n')


if __name__ == '__main__':
    main()
