#!/usr/bin/env python3
"""Runs ONNX's backend tests with tensh, three times, each time all cases in one process.

    python3 tests/onnx/backend_test.py --tensh build/tensh [--data FOLDER] [--list]

Without --data, the cases are those of Debian's libonnx-testdata. Cases that fail for a known reason are in
expected_failures.txt; NAME@MODE is a case in one mode. Exits with 1 if another case fails or if one of these passes, and with 77 if there are no cases.
--list prints every case that does not pass.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DEBIAN = '/usr/share/libonnx-testdata/data'
MODES = ('fed', 'unknown', 'constants')  # see cases.py
KINDS = ('node', 'simple', 'pytorch-operator', 'pytorch-converted')


def cases(data):
    """Returns the folders of the cases."""
    found = []
    for kind in KINDS:
        folder = os.path.join(data, kind)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if os.path.exists(os.path.join(folder, name, 'model.onnx')):
                found.append(os.path.join(folder, name))
    return found


def expected():
    """Returns the reasons of the expected failures by case. A reason that begins with "random" allows success."""
    reasons = {}
    with open(os.path.join(HERE, 'expected_failures.txt')) as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                name, reason = line.rstrip('\n').split(None, 1)
                reasons[name] = reason
    return reasons


def case_name(folder, mode):
    return '/'.join(folder.split('/')[-2:]) + ('@' + mode if mode != 'fed' else '')


def run(tensh, folders, mode):
    """Runs cases.py, and returns the result of each case by name and mode."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as listed:
        listed.write('\n'.join(folders) + '\n')
        listed.flush()
        done = subprocess.run([tensh, os.path.join(HERE, 'cases.py'), listed.name, mode], capture_output=True, text=True,
                              timeout=600)
    if done.returncode:
        sys.exit('cases.py ended with %d: %s' % (done.returncode, done.stderr[-2000:]))
    results = {}
    for line in done.stdout.splitlines():
        folder, result = line.split('\t', 1)
        results[case_name(folder, mode)] = result
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--data', default=DEBIAN)
    parser.add_argument('--list', action='store_true')
    args = parser.parse_args()
    folders = cases(args.data)
    if not folders:
        print('no cases in %s: apt-get install libonnx-testdata' % args.data)
        return 77
    results, reasons, bad = {}, expected(), []
    for mode in MODES:
        results.update(run(args.tensh, folders, mode))
    for name in [case_name(folder, mode) for mode in MODES for folder in folders]:
        result = results.get(name, 'no result')
        if result == 'ok' and name in reasons and not reasons[name].startswith('random') and args.data == DEBIAN:
            bad.append('%s passes; remove it from expected_failures.txt' % name)
        if name not in reasons:
            name = name.split('@')[0]
        if args.list and result != 'ok':
            print('%s: %s' % (name, result))
        if result != 'ok' and name not in reasons:
            bad.append('%s: %s' % (name, result))
    print('\n'.join(bad))
    for mode in MODES:
        own = [results.get(case_name(folder, mode)) for folder in folders]
        nodes = [results.get(case_name(folder, mode)) for folder in folders if '/node/' in folder]
        print('%-9s %d of %d cases pass; %d of %d node tests (%.1f %%)' % (
            mode, own.count('ok'), len(own), nodes.count('ok'), len(nodes), 100. * nodes.count('ok') / max(len(nodes), 1)))
    print('%d unexpected' % len(bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
