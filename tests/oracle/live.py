#!/usr/bin/env python3
"""./dev oracle [OP ...] [--seed N] [--cases N]: compares ops with an installed TensorFlow on fresh random inputs.

TensorFlow comes from $TENSH_TF_PYTHON, or otherwise .venv/bin/python. --cases sets the minimum number of cases per op
(1000 at night). Ops run in groups, the most frequently used first, and the differences of each group are printed when
it is done. --from 40 begins at that group. The seed is printed, so that a difference can be reproduced. oracle_test
does the comparison.
"""
import argparse
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('TENSH_BUILD', os.path.join(ROOT, 'build'))


def tf_python():
    for path in (os.environ.get('TENSH_TF_PYTHON'), os.path.join(ROOT, '.venv', 'bin', 'python')):
        if path and os.path.exists(path):
            return path
    sys.exit('oracle: no TensorFlow: set TENSH_TF_PYTHON, or python3 -m venv .venv && .venv/bin/pip install tensorflow-cpu')


GROUP = 12  # ops per group, so that the cases fit in memory and differences are reported early


def count(folder):
    """Returns the number of cases and programs."""
    cases = 0
    for kind in ('values', 'programs'):
        for path in glob.glob(os.path.join(folder, kind, '*.json')):
            with open(path) as f:
                cases += len(json.load(f)['cases'])
    return cases


def compare(python, ops, options):
    """Returns (number of cases, whether all agree) for a group of ops."""
    with tempfile.TemporaryDirectory() as folder:
        for script in ('record.py', 'record_programs.py'):
            recorded = subprocess.run([python, os.path.join(HERE, script), '--seed', str(options.seed), '--cases', str(options.cases),
                                       '--out', folder] + ops, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for line in recorded.stdout.splitlines():
                if 'ends TensorFlow' in line:
                    print('oracle: ' + line)
            if recorded.returncode:
                print('oracle: %s: %s' % (script, recorded.stderr[-600:]))
        done = subprocess.run([os.path.join(BUILD, 'tests', 'oracle_test'), '--gtest_brief=1', '--gtest_filter=-*Definitions*:*Numeric*'],
                              env=dict(os.environ, TENSH_ORACLE_RECORD=folder), stdout=subprocess.PIPE, text=True)
        if done.returncode:
            print(done.stdout)
        return count(folder), done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('op', nargs='*')
    parser.add_argument('--seed', type=int, default=random.randrange(1, 2**31))
    parser.add_argument('--cases', type=int, default=30)
    parser.add_argument('--from', type=int, default=1, dest='first', metavar='GROUP')
    options = parser.parse_args()
    python = tf_python()
    subprocess.run(['ninja', '-C', BUILD, '--quiet', 'oracle_test'], check=True, stdout=sys.stderr)
    print('oracle: seed %d' % options.seed)
    with open(os.path.join(HERE, 'ops.txt')) as f:
        ops = options.op or f.read().split()
    groups = [ops[at:at + GROUP] for at in range(0, len(ops), GROUP)]
    total, bad = 0, 0
    for number, group in enumerate(groups[options.first - 1:], options.first):
        cases, agree = compare(python, group, options)
        total += cases
        bad += not agree
        print('oracle: group %d of %d, %s … %s: %d cases%s' % (number, len(groups), group[0], group[-1], cases,
                                                           '' if agree else ', not all agree'), flush=True)
    print('oracle: %d cases in all' % total)
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
