"""Runs scripts under TensorFlow for corpus.py. Reads a line of JSON for each script from standard input and answers
with one. Loads TensorFlow once and forks a process for each script.

Shims, beside those of tests/golden/make_golden.py, for what TensorFlow 2 and newer packages no longer have:
  * tensorflow.examples.tutorials.mnist.input_data is tensh's file, which is plain Python over TensorFlow;
  * np.float, np.int, np.bool and np.object are Python's types again;
  * tf.__version__ is 1.15.0;
  * datasets are printed as in TensorFlow 1.15, and the cross entropies require the names of their arguments;
  * the flag log_dir is free, which newer versions of absl define;
  * figures are not shown.
"""
import json
import os
import select
import signal
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def add_input_data(tf1):
    package = None
    for name in ('tensorflow.examples', 'tensorflow.examples.tutorials', 'tensorflow.examples.tutorials.mnist',
                 'tensorflow.examples.tutorials.mnist.input_data'):
        module = sys.modules[name] = types.ModuleType(name)
        setattr(package or tf1, name.rpartition('.')[2], module)
        package = module
    package.tf = tf1
    with open(os.path.join(ROOT, 'shell/tensorflow/python/data/input_data.py'), encoding='utf-8') as f:
        exec(compile(f.read(), 'input_data.py', 'exec'), package.__dict__)


def use_tf1_forms(tf1):
    """Prints datasets, and refuses arguments, as TensorFlow 1.15 does."""
    from absl import flags
    from tensorflow.python.data.ops import dataset_ops

    def dataset_repr(self):
        shapes = tf1.nest.map_structure(str, dataset_ops.get_legacy_output_shapes(self))
        types = tf1.nest.map_structure(repr, dataset_ops.get_legacy_output_types(self))
        return ('<DatasetV1Adapter shapes: %s, types: %s>' % (shapes, types)).replace("'", '')
    dataset_ops.DatasetV2.__repr__ = dataset_ops.DatasetV2.__str__ = dataset_repr
    for name in ('sigmoid_cross_entropy_with_logits', 'softmax_cross_entropy_with_logits',
                 'sparse_softmax_cross_entropy_with_logits'):
        def named(*args, function=getattr(tf1.nn, name), name=name, **kwargs):
            if args:
                raise ValueError('Only call `%s` with named arguments (labels=..., logits=..., ...)' % name)
            return function(**kwargs)
        setattr(tf1.nn, name, named)
    if 'log_dir' in flags.FLAGS:
        delattr(flags.FLAGS, 'log_dir')


def load():
    sys.path.insert(0, os.path.join(ROOT, 'tests/golden'))
    import logging
    import warnings
    warnings.simplefilter('ignore')
    import numpy
    import make_golden as golden
    import tensorflow  # noqa: F401  loads tensorflow.python
    import tensorflow.compat.v1 as tf1
    from tensorflow.python.framework import ops, random_seed
    logging.disable(logging.CRITICAL)
    tf1.disable_v2_behavior()
    tf1.python = sys.modules['tensorflow.python']
    tf1.__version__ = tf1.VERSION = '1.15.0'
    if int(numpy.__version__.split('.')[0]) > 1:
        numpy.set_printoptions(legacy='1.25')
    for name, kind in (('float', float), ('int', int), ('bool', bool), ('object', object), ('str', str)):
        setattr(numpy, name, kind)
    golden.use_tf1_seeds(ops, random_seed)
    golden.use_tf1_nodes(tf1, ops, random_seed)
    golden.use_tf1_layers(tf1)
    golden.use_tf1_keras(tf1)
    use_tf1_forms(tf1)
    add_input_data(tf1)
    try:
        import matplotlib.pyplot
        matplotlib.pyplot.show = lambda *args, **kwargs: None
    except ImportError:
        pass
    sys.path.pop(0)
    return golden, tf1


def use_other_seeds(distance):
    """Gives seeds that are larger by the distance to random ops whose seed is the number of nodes in their graph."""
    from tensorflow.python.framework import ops, random_seed
    counted = random_seed.get_seed

    def get_seed(op_seed):
        graph = ops.get_default_graph()
        if op_seed is None and graph.seed is not None:
            op_seed = len(graph.get_operations()) + distance
        return counted(op_seed)
    random_seed.get_seed = get_seed


def play(golden, tf1, folder, name, again):
    os.chdir(folder)
    if again:
        use_other_seeds(again)
    sys.argv, sys.path[0] = [name], folder
    with open(name, encoding='utf-8') as f:
        source = f.read()
    for word, use in (('estimator', golden.use_tf1_estimator), ('contrib', golden.use_tf1_contrib),
                      ('slim', golden.use_tf1_contrib)):
        if word in source:
            try:
                use(tf1)
            except ImportError:
                pass
    sys.modules['tensorflow'] = tf1
    main = sys.modules['__main__'] = types.ModuleType('__main__')
    main.__file__ = name
    exec(compile(source, name, 'exec'), main.__dict__)


def ended(child, limit):
    """Waits for a process that leads a group, and kills the group after the limit, in seconds of wall time. Returns the
    exit code, or None at the limit, and the processor time in seconds."""
    handle = os.pidfd_open(child)
    in_time = select.select([handle], [], [], limit)[0]
    os.close(handle)
    if not in_time:
        os.killpg(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status) if in_time else None, used.ru_utime + used.ru_stime


def run(golden, tf1, request):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setsid()
        write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        for fd, path, flags in ((0, os.devnull, os.O_RDONLY), (1, request['out'], write), (2, request['err'], write)):
            os.dup2(os.open(path, flags), fd)
        code = 0
        try:
            play(golden, tf1, request['folder'], request['name'], request['again'])
        except SystemExit as e:
            code = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        except BaseException:
            import traceback
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    code, seconds = ended(child, request['limit'])
    return {'code': code, 'seconds': seconds}


def main():
    answers = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    golden, tf1 = load()
    for line in sys.stdin:
        answers.write(json.dumps(run(golden, tf1, json.loads(line))) + '\n')
        answers.flush()


if __name__ == '__main__':
    main()
