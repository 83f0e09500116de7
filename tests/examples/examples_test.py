#!/usr/bin/env python3
"""Runs the example calls of every op and compares what they print with what the op's file says.

    python3 tests/examples/examples_test.py --tensh build/tensh [OP ...]
"""
import argparse
import concurrent.futures
import json
import subprocess
import sys

TIMEOUT_S = 60


def run(tensh, text):
    done = subprocess.run([tensh, '-c', text], capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.stdout.rstrip('\n'), done.stderr, done.returncode


def check(tensh, op, call, want):
    out, err, code = run(tensh, 'eval ' + call)
    if code == 0 and out == want:
        return None
    return '%s: %s\n  want %s\n  got  %s\n%s' % (op, call, want, out, err)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('ops', nargs='*')
    args = parser.parse_args()
    catalogue, err, code = run(args.tensh, 'ops --json')
    if code:
        sys.exit(err)
    examples = [(op['name'], e['call'], e['result'])
                for op in json.loads(catalogue) for e in op['examples']
                if not args.ops or op['name'] in args.ops]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda example: check(args.tensh, *example), examples)
        problems = [r for r in results if r]
    print('\n'.join(problems + ['examples: %d, %d wrong' % (len(examples), len(problems))]))
    return 1 if problems or not examples else 0


if __name__ == '__main__':
    sys.exit(main())
