#!/usr/bin/env python3
"""Writes docs/ops.md and docs/commands.md from what the binary says of itself.

    docs.py --tensh build/tensh [--check]      --check writes nothing and fails when a page is out of date
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def ask(tensh, *args):
    return subprocess.run([tensh] + list(args), stdout=subprocess.PIPE, check=True).stdout.decode()


def text_of(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"%s"' % value
    if isinstance(value, list):
        return '[%s]' % ', '.join(map(text_of, value))
    return str(value)


def attr(a):
    text = '%s: %s' % (a['name'], a['type'])
    if a.get('minimum') is not None:
        text += ' >= %s' % a['minimum']
    if a.get('allowed'):
        text += ' in {%s}' % ', '.join(map(str, a['allowed']))
    if a.get('default') is not None:
        text += ' = %s' % text_of(a['default'])
    return text


def op(row):
    def args(items):
        return ', '.join('%(name)s: %(type)s' % x for x in items)
    lines = ['## ' + row['name'], '', '`(%s) → (%s)`' % (args(row['inputs']), args(row['outputs'])), '']
    if row.get('doc'):
        lines += [row['doc'], '']
    lines += ['* `%s: %s`' % (rule['input'], rule['text']) for rule in row['contract']]
    lines += ['* `%s`' % attr(a) for a in row['attrs']]
    flags = [f for f in ('stateful', 'commutative', 'aggregate') if row.get(f)]
    if flags:
        lines.append('* ' + ', '.join(flags))
    if row['contract'] or row['attrs'] or flags:
        lines.append('')
    for example in row.get('examples') or []:
        lines += ['```python', '>>> eval ' + example['call'], example['result'], '```', '']
    return lines


def ops_page(tensh):
    rows = sorted(json.loads(ask(tensh, '-c', 'ops --json')), key=lambda row: row['name'])
    lines = ['# Operations', '', 'Written by `./dev docs` from the registry. %d operations, named and defined as in TensorFlow; '
             '`NAME?` in the shell shows the same.' % len(rows), '']
    for row in rows:
        lines += op(row)
    return '\n'.join(lines).rstrip('\n') + '\n'


def main():
    tensh = os.path.abspath(sys.argv[sys.argv.index('--tensh') + 1])
    stale = 0
    for name, text in [('ops.md', ops_page(tensh)), ('commands.md', ask(tensh, '--dump-docs', 'commands'))]:
        path = os.path.join(ROOT, 'docs', name)
        old = open(path, encoding='utf-8').read() if os.path.exists(path) else ''
        if old == text:
            continue
        if '--check' in sys.argv:
            print('docs/%s is out of date: ./dev docs' % name)
            stale = 1
        else:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
            print('wrote docs/' + name)
    return stale


if __name__ == '__main__':
    sys.exit(main())
