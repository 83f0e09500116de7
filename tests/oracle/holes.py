#!/usr/bin/env python3
"""Lists the element types for which TensorFlow's CPU has kernels (opdefs.json) and tensh has none, by op.

    python tests/oracle/holes.py build/tensh
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def holes(ours, theirs):
    """Returns {attribute: types} for which `theirs` has a kernel and `ours` has none."""
    rows = [k for k in ours['kernels'] if k['device'] == 'CPU']
    if any(k['type'] == 'any' for k in rows):
        return {}
    mine, out = {}, {}
    for k in rows:
        mine.setdefault(k['attr'], set()).add(k['type'])
    for attr, have in mine.items():
        allowed = next((a.get('allowed') for a in ours['attrs'] if a['name'] == attr), None)
        want = {t for k in theirs['kernels'] for t in k.get(attr, []) if not t.startswith('q')}
        if allowed:
            want &= set(allowed)
        if want - have:
            out[attr] = sorted(want - have)
    return out


def main():
    ours = json.loads(subprocess.run([sys.argv[1], '-c', 'ops --json'], capture_output=True, text=True).stdout)
    theirs = {d['name']: d for d in json.load(open(os.path.join(HERE, 'opdefs.json')))}
    count = 0
    for op in ours:
        for attr, types in holes(op, theirs.get(op['name'], {'kernels': []})).items():
            print('%-36s %-8s %s' % (op['name'], attr, ' '.join(types)))
            count += 1
    print('%d ops of %d lack types' % (count, len(ours)))


if __name__ == '__main__':
    main()
