#!/usr/bin/env python3
"""Records NAME.out next to each NAME.py, using TensorFlow 2.x in TF 1.x mode.

    python tests/golden/make_golden.py FILE.py ...        (pip install tensorflow-cpu tf-slim tf-keras)
    python tests/golden/make_golden.py --check FILE.py    compare instead of writing

The output is what a user of TensorFlow 1.15 with numpy 1.25 would have seen:
  * compat.v1 with v2 behaviour off; oneDNN off, because its kernels change last digits; no GPU;
  * numpy prints in its 1.25 style (numpy 2 shows scalars as np.float32(3.0));
  * tf.set_random_seed follows TF 1.x: the seed of an op without one is the number of operations in its graph.
    TensorFlow 2.x counts seeded ops instead, and gives other numbers;
  * tf.random_uniform, tf.split, tf.nn.dropout and convolution layers create the nodes of TF 1.x, because their
    number determines seeds.
Only stdout is recorded. Each file runs in a separate process.
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
    from tensorflow.python.framework import tensor_util
    from tensorflow.python.ops import array_ops, gen_random_ops, init_ops, math_ops, nn_ops, random_ops
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

    def dropout(x, rate, noise_shape=None, seed=None, name=None):
        with ops.name_scope(name, 'dropout'):
            x = ops.convert_to_tensor(x, name='x')
            if isinstance(rate, float) and rate == 0:
                return x
            rate = ops.convert_to_tensor(rate, dtype=x.dtype, name='rate')
            if tensor_util.constant_value(rate) == 0:
                return x
            drawn = random_uniform(nn_ops._get_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
            scale = 1 / (1 - rate)
            mask = drawn >= rate
            kept = x * scale * math_ops.cast(mask, x.dtype)
            kept.set_shape(x.get_shape())
            return kept
    nn_ops.dropout_v2 = dropout
    for module in (random_ops, init_ops.random_ops):
        module.random_uniform = random_uniform
    tf1.random_uniform = tf1.random.uniform = random_uniform
    tf1.split = array_ops.split = split


def use_tf1_layers(tf1):
    """tf.layers and tf.nn.rnn_cell in the version that TensorFlow still contains, because Keras 3 took their public
    names."""
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
    newer_build = convolutional.Conv1D.__mro__[2].build

    def build(layer, input_shape):
        newer_build(layer, input_shape)
        if type(layer).__name__ in ('Conv1D', 'Conv2D', 'Conv3D'):
            tf1.convert_to_tensor(list(layer.dilation_rate), tf1.int32, name='dilation_rate')
    convolutional.Conv1D.__mro__[2].build = build
    for module in (base, convolutional, core, pooling):
        for name in dir(module):
            if not name.startswith('_'):
                setattr(layers, name, getattr(module, name))
    tf1.layers = layers
    tf1.nn.rnn_cell = rnn_cell_impl


def use_tf1_contrib(tf1):
    """tf.contrib.slim and the modules that it consists of, from tf-slim (pip install tf-slim tf-keras)."""
    import types
    from tensorflow.python.framework import indexed_slices, ops
    from tensorflow.python.layers import normalization
    from tensorflow.python.ops import control_flow_ops, variable_scope
    from tf_keras.src.legacy_tf_layers.normalization import BatchNormalization
    # tf-slim expects these names in these modules.
    normalization.BatchNormalization, control_flow_ops.cond = BatchNormalization, tf1.cond
    ops.IndexedSlices, ops.Tensor = indexed_slices.IndexedSlices, tf1.Tensor
    variable_scope.variable = tf1.Variable
    import tf_slim
    from tf_slim.layers import initializers, regularizers, utils
    from tf_slim.ops import arg_scope, variables
    layers, framework, rnn = (types.ModuleType(name) for name in ('layers', 'framework', 'rnn'))
    for module, parts in ((layers, (sys.modules['tf_slim.layers'],)), (framework, (variables, arg_scope)),
                          (rnn, (tf1.nn, tf1.nn.rnn_cell))):
        for part in parts:
            module.__dict__.update({name: value for name, value in vars(part).items() if name[0] != '_'})
    layers.initializers, layers.regularizers, layers.utils = initializers, regularizers, utils
    framework.nest = tf1.nest
    tf1.contrib = types.ModuleType('contrib')
    homes = {'contrib': tf1.contrib, 'contrib.framework': framework, 'contrib.layers': layers,
             'contrib.metrics': tf_slim.metrics, 'contrib.rnn': rnn, 'contrib.slim': tf_slim}
    for name, module in homes.items():
        sys.modules['tensorflow.' + name] = module
        setattr(tf1.contrib if '.' in name else tf1, name.rpartition('.')[2], module)


def use_tf1_keras(tf1):
    """tf.keras in the version before Keras 3, from tf-keras, and the parts of it that scripts import."""
    modules = {'tensorflow.keras': tf1.keras, 'keras': tf1.keras}
    for name in ('activations', 'backend', 'callbacks', 'constraints', 'datasets', 'initializers', 'layers', 'losses',
                 'metrics', 'models', 'optimizers', 'preprocessing', 'regularizers', 'utils'):
        modules['tensorflow.keras.' + name] = getattr(tf1.keras, name)
    for name in ('image', 'sequence', 'text'):
        modules['tensorflow.keras.preprocessing.' + name] = getattr(tf1.keras.preprocessing, name)
    sys.modules.update(modules)


def use_tf1_estimator(tf1):
    """tf.estimator, from the last tensorflow-estimator (pip install --no-deps tensorflow-estimator==2.15.0), without
    the modules that TensorFlow no longer has."""
    import importlib.abc
    import importlib.machinery
    import types
    from unittest import mock
    from tensorflow.python import distribute
    from tensorflow.python.util import tf_export

    class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path, target=None):
            gone = name.startswith(('tensorflow.python.tpu.', 'tensorflow_estimator.python.estimator.tpu'))
            return importlib.machinery.ModuleSpec(name, self) if gone else None

        def create_module(self, spec):
            return mock.MagicMock(__name__=spec.name, __path__=[], __spec__=spec)

        def exec_module(self, module):
            pass
    sys.meta_path.append(Missing())
    tf_export.ESTIMATOR_API_NAME = 'tensorflow'
    alone = types.ModuleType('tensorflow.python.distribute.estimator_training')
    for name in ('should_run_distribute_coordinator', 'train_and_evaluate', 'estimator_train', 'estimator_evaluate',
                 'init_run_config'):
        setattr(alone, name, lambda *args, **kwargs: False)
    distribute.estimator_training = sys.modules[alone.__name__] = alone
    from tensorflow_estimator.python.estimator import estimator, exporter, model_fn, run_config, training
    from tensorflow_estimator.python.estimator.canned import dnn, dnn_linear_combined, linear
    from tensorflow_estimator.python.estimator.export import export, export_output
    from tensorflow_estimator.python.estimator.inputs import numpy_io

    def union(*parts):
        return types.SimpleNamespace(**{k: v for part in parts for k, v in vars(part).items() if k[0] != '_'})
    tf1.estimator = union(dnn, dnn_linear_combined, linear, run_config, model_fn, training, exporter, estimator)
    tf1.estimator.inputs, tf1.estimator.export = numpy_io, union(export, export_output)


def play(path):
    import logging
    import warnings
    warnings.simplefilter('ignore')
    with open(path, encoding='utf-8') as f:
        source = f.read()
        if 'keras' in source or 'estimator' in source:
            os.environ['TF_USE_LEGACY_KERAS'] = '1'  # read when TensorFlow is imported
    import numpy
    import tensorflow  # noqa: F401  loads tensorflow.python
    import tensorflow.compat.v1 as tf1
    from tensorflow.python.framework import ops, random_seed
    logging.disable(logging.CRITICAL)
    tf1.disable_v2_behavior()
    tf1.python = sys.modules['tensorflow.python']
    if not numpy.__version__.startswith('1.'):
        numpy.set_printoptions(legacy='1.25')
    use_tf1_seeds(ops, random_seed)
    use_tf1_nodes(tf1, ops, random_seed)
    use_tf1_layers(tf1)
    folder, name = os.path.split(os.path.abspath(path))
    os.chdir(folder)
    sys.argv = [name]
    with open(name, encoding='utf-8') as f:
        source = f.read()
    if 'keras' in source:
        use_tf1_keras(tf1)
    if 'estimator' in source:
        use_tf1_estimator(tf1)
    if 'slim' in source or 'contrib' in source:
        use_tf1_contrib(tf1)
    sys.modules['tensorflow'] = tf1
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
