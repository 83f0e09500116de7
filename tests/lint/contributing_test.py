#!/usr/bin/env python3
"""Checks that every diff in CONTRIBUTING.md applies to the source tree."""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    with open(os.path.join(ROOT, 'CONTRIBUTING.md'), encoding='utf-8') as f:
        diffs = re.findall(r'^```diff\n(.*?)^```$', f.read(), re.S | re.M)
    if not shutil.which('git'):
        print('git is not installed')
        sys.exit(77)
    failed = len(diffs) != 4
    for diff in diffs:
        done = subprocess.run(['git', 'apply', '--check', '-'], input=diff, text=True, capture_output=True, cwd=ROOT)
        if done.returncode:
            print('%s\n%s' % (diff.split('\n')[0], done.stderr))
            failed = True
    print('contributing: %d diffs' % len(diffs))
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
