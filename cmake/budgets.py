#!/usr/bin/env python3
"""Checks the maximum number of lines per file. Columns are checked by clang-format. Each exemption has a reason.

    python3 cmake/budgets.py [ROOT]      prints the files over their limit; exits with 1 if there are any
"""
import os
import sys

FILE_LINES = 600
# path: (allowed lines, reason)
EXEMPT = {
    'shell/python/vm/vm_loop.cc': (700, 'one dispatch loop, one case an instruction'),
}


def sources(root):
    for top in ('runtime', 'ops', 'devices', 'shell', 'samples', 'tests'):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(('.h', '.cc', '.c', '.cu')) or (top == 'shell' and name.endswith('.py')):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def check_file(root, path):
    with open(os.path.join(root, path), encoding='utf-8', errors='replace') as f:
        lines = f.read().split('\n')
    if lines[-1] == '':
        lines.pop()
    cap, _ = EXEMPT.get(path, (FILE_LINES, ''))
    if len(lines) > cap:
        yield 1, '%d lines, the cap is %d: split by topic' % (len(lines), cap)
    for number, line in enumerate(lines, 1):
        if line.endswith((' ', '\t')):
            yield number, 'trailing space'


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(here)
    files = list(sources(root))
    problems = 0
    for path in files:
        for number, what in check_file(root, path):
            print('%s:%d: %s' % (path, number, what))
            problems += 1
    here_too = len(sys.argv) < 2  # in another source tree, these files need not exist
    for path in EXEMPT if here_too else ():
        if path not in files:
            print('%s: exempt, but it is not there' % path)
            problems += 1
    print('budgets: %d files, %d problems' % (len(files), problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
