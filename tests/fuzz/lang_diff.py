#!/usr/bin/env python3
"""Random small programs, run by tensh and by this Python; prints each whose output differs.

    lang_diff.py --tensh build/tensh [--seed N] [--count N]

Programs are made of expressions and statements that both must treat alike; both print either the value or the
exception's class. Nothing here is a test by itself: what it finds becomes a golden script.
"""
import argparse
import difflib
import os
import random
import subprocess
import sys
import tempfile

ATOMS = ['0', '1', '-1', '2', '7', '10**20', '-2**63', '0.5', '-1.5', '1e20', '1e-7', '2.5', 'True', 'False', 'None',
         "''", "'abc'", "'a,b'", "'é日'", "b'xy'", '[]', '[1, 2, 3]', '(1,)', '()', "{'a': 1}", '{}', '{1, 2}', 'range(4)',
         "['b', 'a']", '[0.5, 2]', "'%s'", "'{}'", '3+4j']
BINARY = ['+', '-', '*', '/', '//', '%', '**', '<', '<=', '==', '!=', '>', 'in', 'not in', 'is', 'and', 'or', '&', '|', '^',
          '<<', '>>']
UNARY = ['-', '+', '~', 'not ']
CALLS = ['len', 'abs', 'repr', 'str', 'int', 'float', 'bool', 'list', 'tuple', 'sorted', 'sum', 'max', 'min', 'round',
         'any', 'all', 'type', 'set', 'reversed', 'enumerate', 'hex', 'chr', 'ord', 'iter', 'dict', 'zip', 'bytes']
METHODS = ['upper()', 'split()', "split(',')", "replace('a', 'b')", 'strip()', "find('b')", 'title()', "join(['x', 'y'])",
           'index(1)', 'count(1)', 'copy()', 'keys()', 'items()', 'values()', "get('a')", 'pop()', 'append(5)', 'reverse()',
           'sort()', 'zfill(6)', 'center(9)', 'is_integer()', 'bit_length()', "startswith('a')", 'union([3])', "encode()",
           'splitlines()', "format(1)", "rjust(5, '*')", "partition('b')", 'real', 'add(3)', 'isdigit()']
SPECS = ['', '5', '<7', '>7', '^7', '05', '+', ',', '.2f', '.3g', 'e', 'x', 'b', '%', 's', '.1', '10.3f', '*^9', '_', '#x']


def expression(r, depth):
    if depth <= 0 or r.random() < 0.2:
        return r.choice(ATOMS + ['x', 'y'])
    sub = lambda: expression(r, depth - 1)
    kind = r.randrange(11)
    if kind < 3:
        return '(%s %s %s)' % (sub(), r.choice(BINARY), sub())
    if kind == 3:
        return '(%s%s)' % (r.choice(UNARY), sub())
    if kind == 4:
        return '%s(%s)' % (r.choice(CALLS), sub())
    if kind == 5:
        return '(%s).%s' % (sub(), r.choice(METHODS))
    if kind == 6:
        return '(%s)[%s]' % (sub(), r.choice(['0', '-1', '1:', '::-1', ':2', "'a'", sub()]))
    if kind == 7:
        return '(%s if %s else %s)' % (sub(), sub(), sub())
    if kind == 8:
        return '[%s for v in %s]' % (r.choice(['v', 'v * 2', '(v, x)', 'str(v)']), sub())
    if kind == 9:
        return "format(%s, %r)" % (sub(), r.choice(SPECS))
    return '(%r %% %s)' % (r.choice(['%d', '%s', '%r', '%5.2f', '%x', '%g', '%05d', '%-4s|', '%e', '%c']), sub())


def program(r, lines):
    out = ['x = 3', "y = 'ab'"]
    for _ in range(lines):
        out.append('try: print(%s)' % expression(r, 3))
        out.append('except RecursionError: pass')
        out.append('except Exception as e: print(type(e).__name__, e)')
        if r.random() < 0.3:
            out.append('try: %s = %s' % (r.choice(['x', 'y', 'x, y', '*x, y', 'x[0]', 'y[1:2]']), expression(r, 2)))
            out.append('except Exception as e: print(type(e).__name__)')
    return '\n'.join(out) + '\n'


def run(command, path):
    try:
        p = subprocess.run(command + [path], capture_output=True, timeout=20)
        return p.stdout.decode('utf-8', 'replace').splitlines(), p.returncode, p.stderr.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired:
        return ['TIMEOUT'], -1, ''


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--count', type=int, default=20)
    o = a.parse_args()
    failures = 0
    for seed in range(o.seed, o.seed + o.count):
        r = random.Random(seed)
        text = program(r, 200)
        with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as f:
            f.write(text)
        ours, code, err = run([o.tensh], f.name)
        theirs, _, _ = run([sys.executable, '-W', 'ignore'], f.name)
        if code != 0 or ours != theirs:
            failures += 1
            print('seed %d: exit %d %s' % (seed, code, err.strip()[-300:]))
            for line in difflib.unified_diff(theirs, ours, 'python', 'tensh', n=0, lineterm=''):
                if line[0] in '+-' and line[:3] not in ('+++', '---'):
                    print('  ' + line[:200])
        os.unlink(f.name)
    print('%d of %d programs differ' % (failures, o.count))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
