#!/usr/bin/env python3
"""Records NAME.out beside each NAME.py, with real TensorFlow 2.x in its TF-1.x clothes.

    python tests/golden/make_golden.py FILE.py ...        (pip install tensorflow-cpu)
    python tests/golden/make_golden.py --check FILE.py    compare instead of writing

The output is what a user of TensorFlow 1.15 with numpy 1.25 would have seen:
  * compat.v1 with v2 behaviour off; oneDNN off, because its kernels change last digits; no GPU;
  * numpy prints in its 1.25 style (numpy 2 shows scalars as np.float32(3.0));
  * tf.set_random_seed follows TF 1.x: an op without a seed of its own takes the number of operations made so
    far in its graph. TensorFlow 2.x counts seeded ops instead, and gives other numbers.
  * tf.random_uniform and tf.split make the nodes that they made in TF 1.x: their number decides seeds.
Only stdout is recorded. Each file runs in a process of its own.
"""
import os
import subprocess
import sys

SETTINGS = {'TF_ENABLE_ONEDNN_OPTS': '0', 'TF_CPP_MIN_LOG_LEVEL': '3', 'CUDA_VISIBLE_DEVICES': '',
            'PYTHONHASHSEED': '0', 'PYTHONIOENCODING': 'utf-8'}


def use_tf1_seeds(ops, random_seed):
    plain = random_seed.get_seed

    def get_seed(op_seed):
        graph = ops.get_default_graph()
        if op_seed is None and graph.seed is not None:
            op_seed = len(graph.get_operations())
        return plain(op_seed)
    random_seed.get_seed = get_seed


def use_tf1_nodes(tf1, ops, random_seed):
    from tensorflow.python.ops import array_ops, gen_random_ops, init_ops, math_ops, random_ops
    newer_uniform, newer_split = random_ops.random_uniform, array_ops.split

    def random_uniform(shape, minval=0, maxval=None, dtype=tf1.float32, seed=None, name=None):
        if tf1.as_dtype(dtype).is_integer:
            return newer_uniform(shape, minval, maxval, dtype, seed, name)
        with ops.name_scope(name, 'random_uniform') as scope:
            size = ops.convert_to_tensor(shape, dtype=tf1.int32 if shape == [] else None, name='shape')
            low = ops.convert_to_tensor(minval, dtype=dtype, name='min')
            high = ops.convert_to_tensor(1 if maxval is None else maxval, dtype=dtype, name='max')
            first, second = random_seed.get_seed(seed)
            values = gen_random_ops.random_uniform(size, dtype, seed=first, seed2=second)
            return math_ops.add_v2(values * (high - low), low, name=scope)

    def split(value, num_or_size_splits, axis=0, num=None, name='split'):
        if isinstance(num_or_size_splits, int):
            ops.convert_to_tensor(num_or_size_splits)
        return newer_split(value, num_or_size_splits, axis, num, name)
    for module in (random_ops, init_ops.random_ops):
        module.random_uniform = random_uniform
    tf1.random_uniform = tf1.random.uniform = random_uniform
    tf1.split = array_ops.split = split


def use_tf1_layers(tf1):
    """tf.layers and tf.nn.rnn_cell as TensorFlow still carries them: Keras 3 took their public names."""
    import types
    from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl
    from tensorflow.python.keras.legacy_tf_layers import base, convolutional, core, pooling
    layers = types.ModuleType('tensorflow.layers')

    def flatten(layer, inputs):
        size = inputs.shape[0]
        outputs = tf1.reshape(inputs, (getattr(size, 'value', size) or tf1.shape(inputs)[0], -1))
        outputs.set_shape(layer.compute_output_shape(inputs.shape))
        return outputs
    core.Flatten.call = flatten
    for module in (base, convolutional, core, pooling):
        for name in dir(module):
            if not name.startswith('_'):
                setattr(layers, name, getattr(module, name))
    tf1.layers = layers
    tf1.nn.rnn_cell = rnn_cell_impl


def play(path):
    import logging
    import warnings
    warnings.simplefilter('ignore')
    import numpy
    import tensorflow  # noqa: F401  loads tensorflow.python
    import tensorflow.compat.v1 as tf1
    from tensorflow.python.framework import ops, random_seed
    logging.disable(logging.CRITICAL)
    tf1.disable_v2_behavior()
    tf1.python = sys.modules['tensorflow.python']
    numpy.set_printoptions(legacy='1.25')
    use_tf1_seeds(ops, random_seed)
    use_tf1_nodes(tf1, ops, random_seed)
    use_tf1_layers(tf1)
    sys.modules['tensorflow'] = tf1
    folder, name = os.path.split(os.path.abspath(path))
    os.chdir(folder)
    sys.argv = [name]
    with open(name, encoding='utf-8') as f:
        source = f.read()
    exec(compile(source, name, 'exec'), {'__name__': '__main__', '__file__': name})


def record(path, check):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), '--play', path],
                          env=dict(os.environ, **SETTINGS), stdout=subprocess.PIPE)
    if done.returncode:
        print('%s: exit code %d, nothing recorded' % (path, done.returncode))
        return False
    out = os.path.splitext(path)[0] + '.out'
    if check:
        with open(out, 'rb') as f:
            same = f.read() == done.stdout
        print('%s: %s' % (path, 'as recorded' if same else 'DIFFERS from the recording'))
        return same
    with open(out, 'wb') as f:
        f.write(done.stdout)
    print('%s: %d lines' % (out, done.stdout.count(b'\n')))
    return True


def main():
    args = sys.argv[1:]
    if args[:1] == ['--play']:
        play(args[1])
        return 0
    check = '--check' in args
    results = [record(path, check) for path in args if path != '--check']
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
