#!/usr/bin/env python3
"""Runs the recorded operators of TensorFlow Lite in one process of tensh, and compares the outputs.

    python3 tests/tflite/ops_test.py --tensh build/tensh [--file recorded.json.xz] [NAME …]

Floats agree to the tolerance of the case, relative to the largest value; integers exactly, or to the difference that the
case allows.
"""
import argparse
import base64
import json
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Prints a line of JSON for each case: the outputs of all runs, or an error.
SCRIPT = '''
import json
from _library import tflite
with open('cases.json') as f:
    cases = json.loads(f.read())
def decoded(a):
    if a['dtype'] == 'string':
        return np.array([bytes.fromhex(v) for v in a['values']], object).reshape(a['shape'])
    if a['dtype'].startswith('complex'):
        v = np.array(a['values'], np.float32).reshape(-1, 2)
        return (v[:, 0] + 1j * v[:, 1]).astype(a['dtype']).reshape(a['shape'])
    return np.array(a['values']).astype(a['dtype']).reshape(a['shape'])
def encoded(a):
    a = np.asarray(a)
    flat = a.reshape([-1]).tolist()
    if a.dtype == object or a.dtype.kind in 'SO':
        return {'dtype': 'string', 'shape': list(a.shape), 'values': [v.hex() for v in flat]}
    if a.dtype.kind == 'c':
        flat = [x for v in flat for x in (v.real, v.imag)]
    return {'dtype': a.dtype.name, 'shape': list(a.shape), 'values': [repr(v) for v in flat]}
for i, case in enumerate(cases):
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            opened = tflite.open_model('%d.tflite' % i, '', session)
            if opened.refused:
                raise ValueError(opened.refused[0][1])
            _, inputs, outputs = opened.signatures[0]
            feeds = dict(zip(inputs.values(), [decoded(v) for v in case['inputs']]))
            runs = [[encoded(v) for v in session.run(list(outputs.values()), feeds)] for _ in range(case['times'])]
        print(json.dumps({'runs': runs}), flush=True)
    except Exception as e:
        print(json.dumps({'error': type(e).__name__ + ': ' + str(e)}), flush=True)
'''


def problem(got, want, case):
    """Returns what differs between two arrays, or None."""
    if got['dtype'] != want['dtype'] or got['shape'] != want['shape']:
        return '%s%s, not %s%s' % (got['dtype'], got['shape'], want['dtype'], want['shape'])
    if want['dtype'] == 'string':
        return None if got['values'] == want['values'] else 'texts differ'
    a = [{'True': 1., 'False': 0.}.get(v) if v in ('True', 'False') else float(v.replace('nan', 'NaN')) for v in got['values']]
    b = [float(v) for v in want['values']]
    floats = want['dtype'].startswith(('float', 'complex'))
    size = max([1.] + [abs(v) for v in b if v == v and abs(v) < 1e30])
    limit = case['tolerance'] * size if floats else case['off']
    worst = [(abs(x - y), x, y) for x, y in zip(a, b) if x != y and not (x != x and y != y)]
    if worst and not max(worst)[0] <= limit:
        return '%d of %d differ; %g, not %g' % (sum(w[0] > limit for w in worst), len(a), max(worst)[1], max(worst)[2])
    return None


def run(tensh, cases):
    """Returns the result of each case, as SCRIPT prints it."""
    with tempfile.TemporaryDirectory() as folder:
        for i, case in enumerate(cases):
            with open(os.path.join(folder, '%d.tflite' % i), 'wb') as f:
                f.write(base64.b64decode(case['model']))
        with open(os.path.join(folder, 'cases.json'), 'w') as f:
            json.dump([{'inputs': c['inputs'], 'times': len(c['outputs'])} for c in cases], f)
        with open(os.path.join(folder, 'run.py'), 'w') as f:
            f.write(SCRIPT)
        done = subprocess.run([tensh, 'run.py'], capture_output=True, text=True, cwd=folder, timeout=600)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return rows + [{'error': 'tensh ended with %d: %s' % (done.returncode, done.stderr[-1000:])}] * (len(cases) - len(rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--file', default=os.path.join(HERE, 'recorded.json.xz'))
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    with lzma.open(args.file, 'rt') as f:
        cases = [c for c in json.load(f) if not args.names or c['name'].split()[0] in args.names]
    bad = 0
    for case, result in zip(cases, run(os.path.abspath(args.tensh), cases)):
        problems = [result['error']] if 'error' in result else []
        for number, (got, want) in enumerate(zip(result.get('runs', []), case['outputs'])):
            if len(got) != len(want):
                problems.append('%d outputs, not %d' % (len(got), len(want)))
            problems += ['run %d, output %d: %s' % (number, i, p) for i, (a, b) in enumerate(zip(got, want)) for p in [problem(a, b, case)] if p]
        if problems:
            bad += 1
            print('%s: %s' % (case['name'], '; '.join(problems)))
    print('%d of %d cases agree, %d operators' % (len(cases) - bad, len(cases), len(set(c['name'].split()[0] for c in cases))))
    return 1 if bad or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
