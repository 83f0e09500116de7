#!/usr/bin/env python3
"""Runs the example calls of every op. Each must print what the op's file says and run a kernel of the op.

    python3 tests/examples/examples_test.py --tensh build/tensh [OP ...]
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

TIMEOUT_S = 60
TOGETHER = 40  # examples in a process: with sanitizers its start takes longer than an example

# Ops whose kernel no expression runs, with the reason. Ops that take functions are found by their attributes: an
# expression cannot define a function, and tests/oracle/programs runs their kernels.
LOOP = 'the plan compiles it into the loop'
BOUND = 'the plan binds it to a slot'
PARTITIONED = 'only a partition has it'
NO_KERNEL = {
    'Const': BOUND, 'Placeholder': BOUND, 'Variable': BOUND, 'VariableV2': BOUND,
    'Enter': LOOP, 'Exit': LOOP, 'NextIteration': LOOP, 'RefEnter': LOOP, 'RefExit': LOOP, 'RefNextIteration': LOOP,
    '_HostRecv': PARTITIONED, '_HostSend': PARTITIONED, '_Recv': PARTITIONED, '_Send': PARTITIONED,
    'Unsupported': 'its kernel only fails; tests/onnx runs it',
    'ParseSequenceExampleV2': 'no function of tf builds it; tests/oracle/values runs it',
}


class Example:
    def __init__(self, op, call, want, runs):
        self.op, self.call, self.want, self.runs = op, call, want, runs


def run(tensh, text, folder):
    """Examples may write files, so every process has its own folder."""
    done = subprocess.run([tensh, '-c', text], capture_output=True, text=True, timeout=TIMEOUT_S, cwd=folder)
    return done.stdout.rstrip('\n'), done.stderr, done.returncode


def script(examples):
    lines = []
    for i, e in enumerate(examples):
        lines += ['tf.reset_default_graph()', "print('@%d')" % i]
        lines += ['trace on', 'eval ' + e.call, 'trace save %d.json' % i, 'trace off'] if e.runs else ['eval ' + e.call]
    return '\n'.join(lines) + '\n'


def traced(folder, i):
    """The ops whose kernels ran."""
    with open(os.path.join(folder, '%d.json' % i)) as f:
        events = json.load(f)['traceEvents']
    return collections.Counter(e['name'].split()[0] for e in events if e.get('cat') not in (None, 'step'))


def check(tensh, examples):
    """Returns the problems of some examples. They run together; if there is a problem, each runs alone."""
    wanted = ''.join('@%d\n%s' % (i, e.want + '\n' if e.want else '') for i, e in enumerate(examples))
    with tempfile.TemporaryDirectory() as folder:
        out, err, code = run(tensh, script(examples), folder)
        problem = None
        if code or out != wanted.rstrip('\n'):
            problem = 'want %s\n  got  %s\n%s' % (wanted, out, err)
        else:
            for i, e in enumerate(examples):
                if e.runs and not traced(folder, i)[e.op]:
                    problem = 'runs no kernel of %s, only of: %s' % (e.op, ' '.join(sorted(traced(folder, i))) or 'none')
    if not problem:
        return []
    if len(examples) > 1:
        return sum((check(tensh, [e]) for e in examples), [])
    return ['%s: %s\n  %s' % (examples[0].op, examples[0].call, problem)]


def takes_function(op):
    return any(a['type'].startswith(('func', 'list(func')) for a in op['attrs'])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('ops', nargs='*')
    args = parser.parse_args()
    tensh = os.path.abspath(args.tensh)
    catalogue, err, code = run(tensh, 'ops --json', None)
    if code:
        sys.exit(err)
    ops = json.loads(catalogue)
    problems = ['%s is exempt, but it does not exist' % op for op in NO_KERNEL if op not in {o['name'] for o in ops}]
    examples = [Example(op['name'], e['call'], e['result'], op['name'] not in NO_KERNEL and not takes_function(op))
                for op in ops for e in op['examples'] if not args.ops or op['name'] in args.ops]
    groups = [examples[at:at + TOGETHER] for at in range(0, len(examples), TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = sum(pool.map(lambda group: check(tensh, group), groups), problems)
    print('\n'.join(problems + ['examples: %d, %d run a kernel of their op, %d wrong' %
                                (len(examples), sum(e.runs for e in examples), len(problems))]))
    return 1 if problems or not examples else 0


if __name__ == '__main__':
    sys.exit(main())
