#!/usr/bin/env python3
"""Imports the graphs that record.py recorded, runs them, and compares the values with TensorFlow's.

    functions_test.py --tensh build/tensh [--mode fake-gpu] [NAME ...]
"""
import argparse
import ast
import concurrent.futures
import json
import math
import os
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'graphs')
SCRIPT = '''import tensorflow as tf
gd = tf.GraphDef()
with open(%r, 'rb') as f: gd.ParseFromString(f.read())
tf.import_graph_def(gd, name='')
with tf.Session() as s:
    for op in %r: s.run(op)
    for i in range(%d):
        try:
            print(repr([v.tolist() for v in s.run(%r, feed_dict=%r)]))
        except tf.errors.OpError as e:
            print(repr(type(e).__name__))
'''


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=2e-5, abs_tol=1e-6)
    return a == b


def check(tensh, modes, name):
    path = os.path.join(HERE, name)
    with open(path + '.json') as f:
        case = json.load(f)
    script = SCRIPT % (path + '.pb', case['inits'], len(case['runs']), case['fetches'], case['feeds'])
    problems = []
    for mode in modes:
        done = subprocess.run([tensh, '-c', script], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, TENSH_MODE=mode))
        try:
            got = [ast.literal_eval(line) for line in done.stdout.splitlines()]
        except (SyntaxError, ValueError):
            got = None
        if done.returncode or not same(got, case['runs']):
            problems.append('%s %s: want %s\n  got  %s\n%s' %
                            (name, mode, case['runs'], done.stdout, done.stderr))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--mode', action='append', help='of TENSH_MODE; without: those that every build has')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    modes = args.mode or ['cpu', 'reference', 'two-devices']
    names = args.names or sorted(f[:-5] for f in os.listdir(HERE) if f.endswith('.json'))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [p for ps in pool.map(lambda name: check(args.tensh, modes, name), names) for p in ps]
    print('\n'.join(problems + ['functions: %d graphs, %d problems' % (len(names), len(problems))]))
    return 1 if problems or not names else 0


if __name__ == '__main__':
    sys.exit(main())
