#!/usr/bin/env python3
"""Checks that every public name of the shell is used in some golden script (tests/golden, samples).

    unused_names.py --tensh build/tensh [--list]        --list prints what is in no script, by module

A name of a module counts as used if a script writes it after the module's name or imports it with `from … import`. A
name of one of tf's modules counts after any of them, because many names are in several modules (tf.abs, tf.math.abs).
In a script with getattr(module, …), the words of its strings count too. A method counts if its name follows a dot,
and a builtin or an exception wherever it occurs.
"""
import argparse
import ast
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TYPES = ['str', 'bytes', 'list', 'tuple', 'dict', 'set', 'frozenset', 'int', 'float', 'complex', 'range', 'slice']
# Names that have no script, with the reason.
WITHOUT = {
    **{'os.' + name: 'starts programs or changes nothing that a script can see'
       for name in ('popen', 'putenv', 'removedirs', 'system')},
    **{'sys.' + name: 'constants of the interpreter, and settings without an effect'
       for name in ('copyright', 'dont_write_bytecode', 'exec_prefix', 'executable', 'flags', 'prefix',
                    'setcheckinterval', 'setdefaultencoding', 'setswitchinterval')},
    **{'tensorflow.contrib.factorization.' + name: 'a name of a metric or of an initialization'
       for name in ('COSINE_DISTANCE', 'KMC2_INIT', 'KMEANS_PLUS_PLUS_INIT')},
    'tensorflow.contrib.estimator.inputs.pandas_input_fn': 'needs pandas; tests/python_bridge calls it',
    'tensorflow.contrib.keras.utils.multi_gpu_model': 'refused when it is called',
    'tensorflow.audio_summary': 'a name of TensorFlow 0.x, whose example runs it',
    'tensorflow.core.framework.variable_pb2.VariableDef': 'a message that scripts only import',
    'concurrent.futures.DoneAndNotDoneFutures': 'the type of the result of wait()',
    'glob.fnmatchcase': 'a function of another module',
    'gzip.READ': 'a constant that scripts do not use',
    'gzip.WRITE': 'a constant that scripts do not use',
    'tensorflow.PartitionedVariable': 'what tf.get_variable(partitioner=...) makes',
    'tensorflow.assert_': 'the op of tf.Assert',
    'tensorflow.conv': 'an op alone; the oracle has its values',
    'tensorflow.count_up_to': 'an op alone; the oracle has its values',
    'tensorflow.diag': 'an op alone; the oracle has its values',
    'tensorflow.estimator.inputs.pandas_input_fn': 'needs pandas; tests/python_bridge calls it',
    'tensorflow.io.TFRecordCompressionType': 'a class of constants, tf.python_io.TFRecordCompressionType',
    'tensorflow.keras.utils.multi_gpu_model': 'refused when it is called',
    'tensorflow.load_op_library': 'needs a compiled library: tests/install',
    'tensorflow.matrix_square_root': 'an op alone; the oracle has its values',
    'tensorflow.python_io.TFRecordCompressionType': 'a class of constants',
    'tensorflow.random.categorical': 'draws as tf.multinomial does',
    'tensorflow.ragged_fill_empty_rows': 'an op alone; the oracle has its values',
    'tensorflow.ragged_fill_empty_rows_grad': 'an op alone; the oracle has its values',
}

PROBE = '''
import sys
import %s
seen = set()
def public(module):
    return [n for n in sorted(set(dir(module))) if n[0] != '_']
def walk(path, module, depth):
    for n in public(module):
        try:
            v = getattr(module, n)
        except Exception:
            continue
        if type(v).__name__ == 'module':
            inner = path + '.' + n
            known = v.__name__ if hasattr(v, '__name__') else ''
            if depth and inner not in seen and n not in ('compat', 'python', 'raw_ops') and known.split('.')[0] == path.split('.')[0]:
                seen.add(inner)
                walk(inner, v, depth - 1)
        else:
            print(path + '.' + n + '=' + str(getattr(v, '__name__', n)))
walk(%r, %s, %d)
'''
MODULES = ['builtins', 'tensorflow', 'numpy', 'math', 'random', 'time', 'os', 'os.path', 'sys', 'collections', 'string', 'itertools', 'functools',
           'operator', 'copy', 'contextlib', 'inspect', 'argparse', 'pprint', 'six', 'abc', 'enum', 'types', 'warnings', 'traceback', 'threading',
           'queue', 'concurrent.futures', 'heapq', 'bisect', 're', 'json', 'datetime', 'csv', 'struct', 'pickle', 'hashlib', 'base64', 'binascii',
           'codecs', 'textwrap', 'statistics', 'fractions', 'gzip', 'zlib', 'glob', 'fnmatch', 'shutil', 'tempfile', 'io', 'logging', 'unittest',
           'timeit', 'platform', 'getpass', 'gc', 'keyword', 'importlib', 'numbers', 'collections.abc']


class Uses(ast.NodeVisitor):
    """Returns the full names that a script uses: tf.nn.relu is tensorflow.nn.relu, whatever name was imported."""

    def __init__(self, names):
        self.names = names
        self.full = {'tf': 'tensorflow', 'np': 'numpy'}
        self.asked, self.words = set(), set()

    def read(self, text):
        self.visit(ast.parse(text))
        self.names.update('%s.%s' % (module, word) for module in self.asked for word in self.words)
        self.names.update('.' + word for word in self.words if self.asked)

    def path(self, node):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        return '.'.join([self.full.get(node.id, node.id)] + parts[::-1]) if isinstance(node, ast.Name) else ''

    def visit_Assign(self, node):
        """flags = tf.app.flags"""
        path = self.path(node.value)
        if path.split('.')[0] in self.full.values() and isinstance(node.targets[0], ast.Name):
            self.full.setdefault(node.targets[0].id, path)
        self.generic_visit(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == 'getattr' and node.args:
            self.asked.add(self.path(node.args[0]))
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self.words.update(re.findall(r'[A-Za-z_]\w*', node.value))

    def visit_Import(self, node):
        for a in node.names:
            self.names.add(a.name)
            self.full[a.asname or a.name.split('.')[0]] = plain(a.name if a.asname else a.name.split('.')[0])

    def visit_ImportFrom(self, node):
        for a in node.names:
            path = plain('%s.%s' % (node.module, a.name))
            self.names.add(path)
            self.full[a.asname or a.name] = path

    def visit_Name(self, node):
        self.names.add(self.full.get(node.id, 'builtins.' + node.id))

    def visit_Attribute(self, node):
        self.names.update(('.' + node.attr, self.path(node)))
        self.generic_visit(node)


def plain(path):
    return re.sub(r'^tensorflow\.compat\.v1\b', 'tensorflow', path)


def sources():
    for folder in ('tests/golden', 'samples'):
        for at, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith(('.py', '.tsh')) and os.path.join(at, name) != os.path.abspath(__file__):
                    with open(os.path.join(at, name), encoding='utf-8', errors='replace') as f:
                        yield f.read()


def read_transcript(text, names):
    """Returns the typed lines. A line with a verb is not Python, so its words are returned."""
    uses = Uses(names)
    for line in text.split('\n'):
        try:
            uses.read(line[4:] if line[:4] in ('>>> ', '... ') else line)
        except (SyntaxError, ValueError):
            for word in re.findall(r'[A-Za-z_][\w.]*', line):
                names.add(re.sub(r'^np\b', 'numpy', re.sub(r'^tf\b', 'tensorflow', word)))
                names.add('builtins.' + word)
                names.update('.' + part for part in word.split('.')[1:])


def used():
    names = set()
    for text in sources():
        try:
            Uses(names).read(text)
        except (SyntaxError, ValueError):
            read_transcript(text, names)
    names.update('tensorflow.' + n.split('.')[-1] for n in list(names) if n.startswith('tensorflow.'))
    return names


def run(tensh, script):
    done = subprocess.run([tensh, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit('%s\n%s' % (script, done.stderr.decode()))
    return done.stdout.decode().split()


def known(tensh):
    for module in MODULES:
        for line in run(tensh, PROBE % (module, module, module, 3)):
            name, _, own = line.partition('=')
            if name.startswith('tensorflow.'):
                OWN[name] = 'tensorflow.' + own
            yield name
    for kind in TYPES:
        for name in run(tensh, 'print("\\n".join(n for n in dir(%s) if n[0] != "_"))' % kind):
            yield '%s..%s' % (kind, name)


# What a name of tf's modules is called in tf: tf.linalg.inv is tf.matrix_inverse.
OWN = {}


def is_used(name, names):
    kind, _, method = name.partition('..')
    if method:
        return '.' + method in names
    if name in names or OWN.get(name) in names:
        return True
    return name.startswith('tensorflow.') and 'tensorflow.' + name.split('.')[-1] in names


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--list', action='store_true')
    o = a.parse_args()
    names, every = used(), sorted(set(known(o.tensh)))
    missing = [n for n in every if not is_used(n, names) and n not in WITHOUT]
    by_module = {}
    for name in missing:
        module, _, last = name.rpartition('.')
        by_module.setdefault(module, []).append(last)
    for module, found in sorted(by_module.items()):
        print('%s: %s' % (module, ' '.join(found)))
    print('%d names, %d are in no golden script' % (len(every), len(missing)))
    if missing and not o.list:
        print('Write a golden script that uses them (CONTRIBUTING.md), or say in WITHOUT why there is none.')
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
