#!/usr/bin/env python3
"""Runs small random programs in tensh and in this Python (CPython 3.11), and prints each statement whose output
differs.

    lang_diff.py --tensh build/tensh [--seed N] [--count PROGRAMS] [--statements N]

lang_programs.py generates the programs. Exit code 0: no difference; 1: differences; 77: this Python is not CPython
3.11, whose messages the shell prints.
"""
import argparse
import concurrent.futures
import os
import re
import resource
import subprocess
import sys
import tempfile

from lang_programs import program

ADDRESS = re.compile("0x[0-9a-f]{8,}|'0', 'x'(, '[0-9a-f]'){8,}")
MARK = re.compile(r'^#(\d+)$')
# CPython names the file of a module that lacks a name; the shell's modules have no files.
LOCATION = re.compile(r"(cannot import name '\w+' from '\w+') \(.*\)")
MEMORY = 4 << 30


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(command, path):
    try:
        p = subprocess.run(command + [path], capture_output=True, timeout=60, preexec_fn=limit, env={'PYTHONHASHSEED': '0'})
        text = LOCATION.sub(r'\1', ADDRESS.sub('0x', p.stdout.decode('utf-8', 'replace')))
        return text, p.returncode, p.stderr.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b'').decode('utf-8', 'replace') + '\nTIMEOUT', -1, ''


def split(text):
    """Returns the output of each statement by its number."""
    out, at = {}, None
    for line in text.split('\n'):
        mark = MARK.match(line)
        if mark:
            at = int(mark.group(1))
            out[at] = []
        elif at is not None:
            out[at].append(line)
    return out


def alike(want, got, lines):
    """Returns true if the outputs are equal, or contain the same characters in another order in a statement that
    prints a set."""
    if want == got or want is None or got is None:
        return want == got
    return 'set' in ''.join(lines) and sorted(''.join(want)) == sorted(''.join(got))


def compare(tensh, seed, statements):
    """Returns [(lines of the statement, expected, actual)], and problems with the run itself."""
    text, parts = program(seed, statements)
    with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as f:
        f.write(text)
    ours, code, err = run([tensh, '--sandbox'], f.name)
    theirs, their_code, their_err = run([sys.executable, '-W', 'ignore'], f.name)
    os.unlink(f.name)
    if their_code == -1:  # the program does not end in CPython either
        return [], ''
    a, b = split(theirs), split(ours)
    bad = [(parts[n], a.get(n), b.get(n)) for n in range(statements) if not alike(a.get(n), b.get(n), parts[n])]
    trouble = ''
    if their_code != 0:
        trouble = 'CPython: exit %d %s' % (their_code, their_err.strip()[-300:])
    elif code != 0:
        trouble = 'tensh: exit %d %s' % (code, err.strip()[-600:])
    return bad, trouble


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--count', type=int, default=20)
    a.add_argument('--statements', type=int, default=200)
    a.add_argument('--jobs', type=int, default=2)
    o = a.parse_args()
    if sys.version_info[:2] != (3, 11) or sys.implementation.name != 'cpython':
        print('skipped: the programs are compared with CPython 3.11, this is %s' % sys.version.split()[0])
        return 77
    failures = total = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        seeds = range(o.seed, o.seed + o.count)
        for seed, (bad, trouble) in zip(seeds, pool.map(lambda s: compare(o.tensh, s, o.statements), seeds)):
            total += o.statements
            failures += len(bad) + bool(trouble)
            if trouble:
                print('seed %d: %s' % (seed, trouble))
            for lines, want, got in bad:
                print('seed %d:\n    %s\n  - %s\n  + %s' % (seed, '\n    '.join(lines), '\n  - '.join(want or ['(nothing)']),
                                                       '\n  + '.join(got or ['(nothing)'])))
    print('%d statements, %d differ' % (total, failures))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
