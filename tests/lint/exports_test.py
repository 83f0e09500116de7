#!/usr/bin/env python3
"""Checks that the unit tests of the C API call every function that the headers export.

    python3 tests/lint/exports_test.py

tests/unit/api/nonsense_test.cc calls them with null handles, ids that do not exist and structs of a wrong size;
op_test.cc does so for tensh_op.h, inside kernels and shape functions. A new function needs such a call too.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPORTED = re.compile(r'TSH_EXPORT\s[^;(]*?\b(tsh_\w+)\(')


def read(pattern):
    texts = []
    for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
        with open(path, encoding='utf-8') as f:
            texts.append(f.read())
    return '\n'.join(texts)


def main():
    functions = sorted(set(EXPORTED.findall(read('runtime/include/tensh/*.h'))))
    tests = read('tests/unit/api/*.cc')
    missing = [name for name in functions if not re.search(r'\b%s\(' % name, tests)]
    for name in missing:
        print('%s: no test in tests/unit/api calls it' % name)
    print('exports: %d functions, %d without a test' % (len(functions), len(missing)))
    return 1 if missing or not functions else 0


if __name__ == '__main__':
    sys.exit(main())
