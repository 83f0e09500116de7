#!/usr/bin/env python3
"""Names that the shell knows and no golden script, sample or tutorial uses.

    unused_names.py --tensh build/tensh [MODULE…]        tf, np, tf.nn, builtins, …; default: all

A list to write scripts from, not a test.
"""
import argparse
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ['builtins', 'tf', 'tf.nn', 'tf.train', 'tf.layers', 'tf.losses', 'tf.metrics', 'tf.image', 'tf.linalg', 'tf.math', 'tf.errors',
           'tf.summary', 'tf.contrib', 'tf.data', 'tf.app', 'tf.gfile', 'tf.strings', 'tf.random', 'tf.sparse', 'tf.test', 'np', 'np.random',
           'np.linalg', 'math', 'random', 'itertools', 'functools', 'collections', 'operator', 'string', 'copy', 'os', 'os.path', 'sys', 'time']
TYPES = ['str', 'bytes', 'list', 'tuple', 'dict', 'set', 'int', 'float', 'complex', 'range']


def used():
    """Every name that follows a dot or stands alone in a script, by how it is spelled."""
    words = set()
    for folder in ('tests/golden', 'samples', 'tests/unit/shell'):
        for at, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith(('.py', '.tsh', '.cc')):
                    with open(os.path.join(at, name), encoding='utf-8') as f:
                        words.update(re.findall(r'[A-Za-z_]\w*', f.read()))
    return words


def known(tensh, module):
    imports = 'import tensorflow as tf, numpy as np, os, sys, time, math, random, itertools, functools, collections, operator, string, copy\n'
    what = 'import builtins' if module == 'builtins' else ''
    script = imports + what + '\nprint("\\n".join(dir(%s)))' % module
    done = subprocess.run([tensh, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [n for n in done.stdout.decode().split('\n') if n and not n.startswith('__')]


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('modules', nargs='*')
    o = a.parse_args()
    words = used()
    total = 0
    for module in o.modules or MODULES + TYPES:
        names = known(o.tensh, module)
        missing = [n for n in names if n not in words]
        total += len(missing)
        print('%s: %d of %d unused%s' % (module, len(missing), len(names), ': ' + ' '.join(missing) if missing else ''))
    print('%d names are in no script' % total)


if __name__ == '__main__':
    main()
