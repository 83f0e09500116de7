#!/usr/bin/env python3
"""Writes the training graphs of the benchmark as TensorFlow's Python layer builds them.

    python tests/bench/record_graphs.py             graphs/*.json, which the tensh side reads
    python tests/bench/record_graphs.py --pb DIR    DIR/*.pb, which the TensorFlow side reads
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'oracle'))
os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
import tensorflow.compat.v1 as tf

from record_opdefs import attr_value
from tensor_text import encode

tf.disable_v2_behavior()


def variable(shape, name):
    return tf.Variable(tf.random_normal(shape, stddev=0.05, seed=1), name=name, use_resource=False)


def model(hidden):
    """A 784-hidden-10 network, or 784-10 without a hidden layer, with softmax cross entropy and gradient descent."""
    x = tf.placeholder(tf.float32, [None, 784], name='x')
    y = tf.placeholder(tf.float32, [None, 10], name='y')
    layer, width = x, 784
    if hidden:
        layer = tf.nn.relu(tf.matmul(x, variable([784, hidden], 'w1')) + variable([hidden], 'b1'))
        width = hidden
    logits = tf.matmul(layer, variable([width, 10], 'w2')) + variable([10], 'b2')
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits), name='loss')
    tf.train.GradientDescentOptimizer(0.01).minimize(loss, name='train')
    tf.variables_initializer(tf.global_variables(), name='init')


def functional_loop():
    """i = 0; while i < n: i += 1, as a While that calls two functions."""
    from tensorflow.python.ops import while_v2
    n = tf.placeholder(tf.int32, [], name='n')
    out = while_v2.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)], return_same_structure=False)
    tf.identity(out, name='out')


def attr_row(name, value, definition):
    kind = next((a.type for a in definition.attr if a.name == name), None)
    if kind is None or name.startswith('_'):
        return None
    if kind == 'tensor':
        return [name, kind, encode(tf.make_ndarray(value.tensor))]
    got = attr_value(value)
    return [name, kind, None if got == '<unknown>' else got]


def node_row(node):
    from tensorflow.python.framework import op_def_registry
    definition = op_def_registry.get(node.type)
    rows = [attr_row(n, node.node_def.attr[n], definition) for n in sorted(node.node_def.attr)]
    return {'name': node.name, 'op': node.type,
            'inputs': [t.name for t in node.inputs] + ['^' + c.name for c in node.control_inputs],
            'attrs': [r for r in rows if r]}


def main():
    with tf.Graph().as_default() as graph:
        functional_loop()
        with open(os.path.join(HERE, 'graphs', 'while.pb'), 'wb') as f:
            f.write(graph.as_graph_def().SerializeToString())
    folder = sys.argv[2] if sys.argv[1:2] == ['--pb'] else None
    for name, hidden in (('mlp', 128), ('logistic', 0)):
        with tf.Graph().as_default() as graph:
            model(hidden)
            if folder:
                with open(os.path.join(folder, name + '.pb'), 'wb') as f:
                    f.write(graph.as_graph_def().SerializeToString())
                continue
            rows = ',\n'.join(json.dumps(node_row(n), separators=(',', ':')) for n in graph.get_operations())
            path = os.path.join(HERE, 'graphs', name + '.json')
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w') as f:
                f.write('[\n%s\n]\n' % rows)


if __name__ == '__main__':
    main()
