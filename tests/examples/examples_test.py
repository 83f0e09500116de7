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
TOGETHER = 40  # examples in a process: with sanitizers its start takes longer than an example


def run(tensh, text):
    done = subprocess.run([tensh, '-c', text], capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.stdout.rstrip('\n'), done.stderr, done.returncode


def check(tensh, op, call, want):
    out, err, code = run(tensh, 'eval ' + call)
    if code == 0 and out == want:
        return None
    return '%s: %s\n  want %s\n  got  %s\n%s' % (op, call, want, out, err)


def check_together(tensh, examples):
    """What is wrong with them. Each is at last looked at alone, unless all together are right."""
    text = ''.join("tf.reset_default_graph()\nprint('@%d')\neval %s\n" % (i, call) for i, (_, call, _) in enumerate(examples))
    wanted = ''.join('@%d\n%s' % (i, want + '\n' if want else '') for i, (_, _, want) in enumerate(examples))
    out, _, code = run(tensh, text)
    if code == 0 and out == wanted.rstrip('\n'):
        return []
    return [p for p in (check(tensh, *example) for example in examples) if p]


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
    groups = [examples[at:at + TOGETHER] for at in range(0, len(examples), TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = sum(pool.map(lambda group: check_together(args.tensh, group), groups), [])
    print('\n'.join(problems + ['examples: %d, %d wrong' % (len(examples), len(problems))]))
    return 1 if problems or not examples else 0


if __name__ == '__main__':
    sys.exit(main())
