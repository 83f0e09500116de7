#!/usr/bin/env python3
"""./dev oracle [OP ...] [--seed N] [--cases N]: compares ops with an installed TensorFlow on fresh random inputs.

TensorFlow is the one of $TENSH_TF_PYTHON, else .venv/bin/python. --cases: at least so many of each op (1000 at night).
The seed is printed, so that a difference can be seen again. The comparison itself is oracle_test's.
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


def count(folder):
    """How many ops, how many cases and programs of them."""
    cases = {}
    for kind in ('values', 'programs'):
        for path in glob.glob(os.path.join(folder, kind, '*.json')):
            with open(path) as f:
                cases[os.path.basename(path)] = cases.get(os.path.basename(path), 0) + len(json.load(f)['cases'])
    return len(cases), sum(cases.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('op', nargs='*')
    parser.add_argument('--seed', type=int, default=random.randrange(1, 2**31))
    parser.add_argument('--cases', type=int, default=30)
    options = parser.parse_args()
    python = tf_python()
    subprocess.run(['ninja', '-C', BUILD, '--quiet', 'oracle_test'], check=True, stdout=sys.stderr)
    print('oracle: seed %d' % options.seed)
    with tempfile.TemporaryDirectory() as folder:
        for script in ('record.py', 'record_programs.py'):
            recorded = subprocess.run([python, os.path.join(HERE, script), '--seed', str(options.seed), '--cases', str(options.cases),
                                       '--out', folder] + options.op, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if recorded.returncode:  # some calls end TensorFlow: what it did before is compared
                print('oracle: %s ended with %d after\n%s%s' % (script, recorded.returncode, recorded.stdout[-200:], recorded.stderr[-600:]))
        print('oracle: %d ops, %d cases' % count(folder))
        done = subprocess.run([os.path.join(BUILD, 'tests', 'oracle_test'), '--gtest_brief=1', '--gtest_filter=-*Definitions*'],
                              env=dict(os.environ, TENSH_ORACLE_RECORD=folder))
    sys.exit(done.returncode)


if __name__ == '__main__':
    main()
