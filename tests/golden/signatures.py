#!/usr/bin/env python3
"""Compares the signatures of tensh's tf functions with TensorFlow's: the order, names and defaults of parameters.

    signatures.py --tensh build/tensh            compares with signatures.txt; prints what differs
    PYTHON_WITH_TENSORFLOW signatures.py --record    writes signatures.txt

signatures.txt contains the signatures of TensorFlow's compat.v1. DIFFERENT lists deviations, each with its reason: TF
1.15 differed, or the shell differs on purpose.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, 'signatures.txt')
MODULES = ['', 'nn', 'nn.rnn_cell', 'layers', 'losses', 'metrics', 'train', 'image', 'linalg', 'math', 'random', 'sparse', 'strings',
           'data', 'summary', 'gfile', 'initializers', 'debugging', 'bitwise', 'io', 'lookup', 'signal', 'quantization', 'test', 'app',
           'logging', 'sets', 'audio', 'dtypes', 'manip', 'nest']
# Excludes methods of Python's object model and of tf.keras.
CLASSES_WITH_METHODS = ['Graph', 'Operation', 'Tensor', 'TensorShape', 'Session', 'InteractiveSession', 'Variable', 'VariableScope',
                        'train.Saver', 'train.Coordinator', 'train.Optimizer', 'train.GradientDescentOptimizer',
                        'train.ExponentialMovingAverage', 'summary.FileWriter', 'QueueBase', 'FIFOQueue', 'TensorArray',
                        'SparseTensor', 'data.Dataset', 'nn.rnn_cell.BasicLSTMCell', 'train.QueueRunner', 'IndexedSlices']
# Parameters that were added after TF 1.15.
LATER = set('handle_data use_pybind11_proto layout bad_indices_policy allow_last_axis_squeeze grad_a grad_b '
            'experimental_is_anonymous value_index_offset fn_output_signature allow_fast_lookup exponential_avg_factor '
            'index_type alg sparse_gradient use_own_namescope_for_non_slot_vars save_graph_def '
            'skip_gradients_aggregation synchronous use_unbounded_threadpool output_signature'.split())
LATER_OF = {'lin_space': ['axis'], 'linspace': ['axis'], 'matmul': ['output_type'], 'linalg.matmul': ['output_type'],
            'nn.swish': ['beta'], 'train.FtrlOptimizer': ['beta'], 'data.Dataset.batch': ['num_parallel_calls'],
            'data.FixedLengthRecordDataset': ['compression_type', 'num_parallel_reads', 'name'],
            'layers.InputSpec': ['name'], 'data.Dataset.interleave': ['name'], 'nn.top_k': ['index_type'],
            'image.non_max_suppression_padded': ['sorted_input', 'canonicalized_coordinates', 'tile_size']}
DIFFERENT = {
    'data.Iterator': 'only its factories call the constructor',
    'VariableScope': 'only tf.variable_scope creates it', 'VariableScope.get_variable': 'scripts do not have the store',
    'nn.rnn_cell.BasicLSTMCell.build': 'the recorded one is a decorator',
    'SparseTensor.from_value': 'scripts pass it by position', 'ReaderBase': 'no script derives from it',
    'data.Dataset.from_generator': 'types were required in TF 1.15', 'data.Dataset.interleave': 'TF 1.15 interleaves one at a time',
}


def shown(v):
    """Returns a default as text, or '?' if it has no stable text."""
    if v is None or isinstance(v, (bool, int, float, str)):
        return repr(v)
    if isinstance(v, (tuple, list)):
        parts = [shown(x) for x in v]
        return '?' if '?' in parts else '[%s]' % ', '.join(parts)
    text = repr(v)
    return text if text.startswith('tf.') and len(text) < 20 and '(' not in text else '?'


def line(name, parameters):
    """`parameters` come from inspect. The receiver is left out."""
    out, starred = [], False
    for p in parameters:
        if p.kind == p.VAR_POSITIONAL:
            out.append('*' + p.name)
            starred = True
            continue
        if p.kind == p.VAR_KEYWORD:
            out.append('**' + p.name)
            continue
        if p.kind == p.KEYWORD_ONLY and not starred:
            out.append('*')
            starred = True
        out.append(p.name if p.default is p.empty else p.name + '=' + shown(p.default))
    return '%s(%s)' % (name, ', '.join(out))


COLLECT = '''
def find(root, path):
    for part in path.split('.') if path else []:
        root = attribute(root, part)
    return root


def parameters(f):
    found = list(inspect.signature(f).parameters.values())
    return found[1:] if found and found[0].name in ('self', 'cls', '_cls') else found


def members(cls, name):
    yield name, cls.__init__ if hasattr(cls.__init__, '__code__') else cls
    if name in CLASSES_WITH_METHODS:
        for method in sorted(set(dir(cls))):
            if not method.startswith('_') and callable(attribute(cls, method)):
                yield name + '.' + method, getattr(cls, method)


def attribute(owner, name):
    """Lazily loaded packages may fail to load."""
    try:
        return getattr(owner, name, None)
    except ImportError:
        return None


def public(tf, wanted=None):
    for path in MODULES:
        module = find(tf, path)
        if module is None:
            continue
        for short in sorted(wanted.get(path, []) if wanted is not None else set(dir(module))):
            value = None if short.startswith('_') else attribute(module, short)
            name = (path + '.' if path else '') + short
            if isinstance(value, type):
                for pair in members(value, name):
                    yield pair
            elif callable(value) and not inspect.ismodule(value):
                yield name, value


def write(tf, wanted=None):
    lines = []
    for name, value in public(tf, wanted):
        try:
            lines.append(line(name, parameters(value)))
        except (TypeError, ValueError):
            pass
    return lines
'''


def record():
    os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
    import inspect
    import tensorflow.compat.v1 as tf
    import make_golden
    tf.disable_v2_behavior()
    make_golden.use_tf1_layers(tf)
    space = dict(globals(), inspect=inspect)
    exec(COLLECT, space)
    lines = [text for text in space['write'](tf) if '.keras.' not in text]
    with open(TABLE, 'w') as f:
        f.write('\n'.join(sorted(set(lines))) + '\n')
    print('%d signatures' % len(lines))


def source_of_helpers():
    with open(__file__) as f:
        text = f.read()
    begin, end = text.index('def shown'), text.index('COLLECT = ')
    return text[begin:end]


def ours(tensh, wanted):
    script = 'import inspect\nimport tensorflow as tf\nMODULES = %r\nCLASSES_WITH_METHODS = %r\n%s%s\nwanted = %r\nprint("\\n".join(write(tf, wanted)))\n' % (
        MODULES, CLASSES_WITH_METHODS, source_of_helpers(), COLLECT, wanted)
    done = subprocess.run([tensh, '-'], input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit('tensh: exit %d\n%s' % (done.returncode, done.stderr.decode()[-2000:]))
    return done.stdout.decode().split('\n')


def pieces(text):
    out, piece, depth = [], '', 0
    for c in text[text.index('(') + 1:-1]:
        depth += (c in '([') - (c in ')]')
        if c == ',' and depth == 0:
            out.append(piece.strip())
            piece = ''
        else:
            piece += c
    return out + [piece.strip()] if piece.strip() else out


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def same_default(a, b):
    """In our signatures, None means the op's default. A dtype may be given by its name."""
    return a == b or '?' in (a, b) or b == 'None' or number(a) == number(b) or a == 'tf.' + b.strip("'") or (
        (a, b) == ('None', "'int32'"))


def difference(want, got):
    """Returns why a call that fits `want` might not fit `got`, or ''."""
    wanted, given = pieces(want), pieces(got)
    if any(p.startswith('*') and len(p) > 1 for p in wanted):
        return ''
    name_of = want.split('(')[0]
    later = LATER.union(LATER_OF.get(name_of, []), ['name', 'deterministic'] if name_of.startswith('data.') else [])
    wanted = [p for p in wanted if p.partition('=')[0] not in later]
    given = [p for p in given if p.partition('=')[0] != '_sentinel']
    names = [p.split('=')[0] for p in given]
    loose = any(p.startswith('**') for p in given)
    only = False
    for i, p in enumerate(wanted):
        if p == '*':
            only = True
            continue
        name, equals, default = p.partition('=')
        if name not in names:
            if loose:
                continue
            return 'no parameter %s' % name
        if not only and (i >= len(names) or names[i] != name):
            return 'parameter %d is %s, not %s' % (i + 1, names[i] if i < len(names) else 'missing', name)
        ours_default = given[names.index(name)].partition('=')[2]
        if equals and not ours_default:
            return '%s has no default' % name
        if equals and not same_default(default, ours_default):
            return '%s defaults to %s, not %s' % (name, ours_default, default)
    return ''


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh')
    a.add_argument('--record', action='store_true')
    o = a.parse_args()
    if o.record:
        return record()
    with open(TABLE) as f:
        want = {text.split('(')[0]: text for text in f.read().split('\n') if text}
    by_module = {}
    for name in want:
        parts = name.split('.')
        for path in MODULES:
            if '.'.join(parts[:-1]) == path:
                by_module.setdefault(path, []).append(parts[-1])
    got = {text.split('(')[0]: text for text in ours(o.tensh, by_module) if text}
    bad = 0
    for name in sorted(got):
        why = difference(want[name], got[name]) if name in want else ''
        if why and DIFFERENT.get(name, '') == '':
            bad += 1
            print('%s: %s\n  want %s\n  got  %s' % (name, why, want[name], got[name]))
        if not why and name in DIFFERENT:
            bad += 1
            print('%s is listed as different and is not' % name)
    print('%d names, %d differ' % (len(got), bad))
    return 1 if bad or len(got) < 300 else 0


if __name__ == '__main__':
    sys.exit(main())
