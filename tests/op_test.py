#!/usr/bin/env python3
"""Runs all tests of some ops alone, which `./dev test` otherwise runs for all ops together.

    op_test.py --build build OP|FILE|FOLDER ...      for example: OneHot, one_hot, ops/array/one_hot.cc, ops/array

A file stands for the ops that it registers. The tests are the examples, the record of TensorFlow with the numeric gradients
(tests/oracle), the unit tests of kernels, the contracts, and hostile calls (tests/fuzz).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def names_by_file(build):
    """Returns the names of each file of ops, from the table that cmake/op_names.cmake generates."""
    table = os.path.join(build, 'generated', 'ops_list.cc')
    with open(table + '.files', encoding='utf-8') as f:
        files = {name: set() for name in f.read().split()}
    in_order = list(files.values())
    with open(table, encoding='utf-8') as f:
        for name, index in re.findall(r'{"(\w+)", (\d+)}', f.read()):
            in_order[int(index)].add(name)
    return files


def select(filters, ops, files):
    """Returns the names of the ops that the filters select."""
    found = set()
    for wanted in filters:
        names = {wanted} if wanted in ops else set()
        path = wanted.rstrip('/')
        for file, registered in files.items():
            if path == file or path == os.path.basename(file)[:-3] or file.startswith(path + '/'):
                names |= registered & set(ops)
        if not names:
            sys.exit('op_test: %s is neither an op nor a file that registers ops' % wanted)
        found |= names
    return sorted(found)


def parts(build, names, ops):
    """Returns the name, the command and the additional environment of each part of the tests."""
    def script(path, *args):
        return [sys.executable, os.path.join(ROOT, 'tests', path), '--tensh', os.path.join(build, 'tensh'), *args]

    def program(name, *args):
        return [os.path.join(build, 'tests', name), '--gtest_brief=1', *args]
    listed = ','.join(names)
    if any(ops[name]['examples'] for name in names):
        yield 'examples', script('examples/examples_test.py', *names), {}
    yield 'oracle', program('oracle_test', '--gtest_filter=' + ':'.join('*/' + name for name in names)), {}
    yield 'unit.ops', program('ops_test'), {'TENSH_EMPTY_SHAPES': '600 1 ' + ' '.join(names)}
    if any(ops[name]['contract'] for name in names):
        yield 'fuzz.contracts', script('fuzz/contracts.py', '--ops', listed), {}
    yield 'fuzz.ops', script('fuzz/ops_hostile.py', '--count', '8', '--ops', listed), {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('filters', nargs='+', metavar='OP')
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    listing = subprocess.run([os.path.join(build, 'tensh'), '-c', 'ops --json'], stdout=subprocess.PIPE, check=True).stdout
    ops = {op['name']: op for op in json.loads(listing)}
    names = select(args.filters, ops, names_by_file(build))
    print('Tests of %s' % ', '.join(names), flush=True)
    failed = []
    for name, command, environment in parts(build, names, ops):
        start = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, env={**os.environ, **environment})
        text = done.stdout.decode('utf-8', 'replace')
        if done.returncode:
            failed.append(name)
            print(text.rstrip())
        ran = re.search(r'^\[=+\] (\d+ tests?) ', text, re.M)
        result = 'failed' if done.returncode else ran.group(1) if ran else text.rstrip().split('\n')[-1]
        print('%-14s  %5.2f s  %s' % (name, time.monotonic() - start, result), flush=True)
    if failed:
        sys.exit('op_test: failed: ' + ', '.join(failed))


if __name__ == '__main__':
    main()
