#!/usr/bin/env python3
"""./dev bench python: the package tensh beside TensorFlow's Python, in the same process.

    TENSH_TF_PYTHON python_package.py --package FOLDER

FOLDER contains the package. Prints the median time of a call in microseconds, and how many times as fast tensh is.
"""
import argparse
import os
import statistics
import sys
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')


def measure(call, calls, rounds=7):
    """Returns the median over the rounds of the time of a call, in seconds."""
    call()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - began) / calls)
    return statistics.median(times)


def build(tf, numpy):
    """Adds the graphs to TensorFlow's default graph. Returns {case: (fetches, {feed: value}, calls)} by name."""
    p = tf.placeholder(tf.float32, [], name='p')
    tf.add(p, 2., name='one_add')
    big = tf.placeholder(tf.float32, [1 << 18], name='big')
    tf.negative(big, name='one_megabyte')
    x = tf.placeholder(tf.float32, [64, 256], name='x')
    y = tf.placeholder(tf.float32, [64, 10], name='y')
    random = numpy.random.RandomState(0)
    layer = x
    weights = []
    for size_in, size_out in ((256, 128), (128, 64), (64, 10)):
        w = tf.Variable(random.randn(size_in, size_out).astype('f') * .05)
        weights.append(w)
        layer = tf.matmul(layer, w)
        layer = layer if size_out == 10 else tf.nn.relu(layer)
    loss = tf.reduce_mean(tf.square(layer - y), name='loss')
    steps = [tf.assign_sub(w, .01 * g) for w, g in zip(weights, tf.gradients(loss, weights))]
    with tf.control_dependencies(steps):
        tf.identity(loss, name='train')
    init = tf.global_variables_initializer()
    return init.name, {'one add': ('one_add:0', {'p:0': 1.}, 5000),
                       '1 MB fed and fetched': ('one_megabyte:0', {'big:0': numpy.ones(1 << 18, 'f')}, 200),
                       'MLP step': ('train:0', {'x:0': random.randn(64, 256).astype('f'),
                                                'y:0': random.randn(64, 10).astype('f')}, 300)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--package', required=True)
    sys.path.insert(0, parser.parse_args().package)
    import numpy
    import tensorflow.compat.v1 as tf

    import tensh
    tf.disable_v2_behavior()
    init, cases = build(tf, numpy)
    graph = tensh.Graph.from_graph_def(tf.get_default_graph().as_graph_def().SerializeToString())
    print('%-24s %12s %12s %8s' % ('', 'tensh µs', 'TF µs', ''))
    with tf.Session() as theirs, tensh.Session(graph) as ours:
        theirs.run(init)
        ours.run(graph[init])
        named = tf.get_default_graph()
        for name, (fetch, feeds, calls) in cases.items():
            tensor = graph[fetch]
            our_feeds = {graph[key]: value for key, value in feeds.items()}
            their_tensor = named.get_tensor_by_name(fetch)
            their_feeds = {named.get_tensor_by_name(key): value for key, value in feeds.items()}
            numpy.testing.assert_allclose(ours.run(tensor, our_feeds), theirs.run(their_tensor, their_feeds), rtol=1e-3)
            a = measure(lambda: ours.run(tensor, our_feeds), calls)
            b = measure(lambda: theirs.run(their_tensor, their_feeds), calls)
            print('%-24s %12.2f %12.2f %7.1f×' % (name, a * 1e6, b * 1e6, b / a))


if __name__ == '__main__':
    main()
