#!/usr/bin/env python3
"""Opens recorded Keras models in tensh, runs them, and compares the outputs with those of Keras.

    keras_test.py --tensh build/tensh [--recorded FOLDER] [--files] [NAME …]

The models are those of cases.py, which record.py wrote and recorded.py packed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from recorded import HERE, unpacked

TOLERANCE, ROUGH = 2e-4, 2e-2  # of outputs that are computed in 32 and in 16 bits

SCRIPT = '''
import json, sys
from _library import opening
def decoded(a):
    if a['dtype'] == 'string':
        return np.array([v.encode() for v in a['values']], object).reshape(a['shape'])
    return np.array(a['values']).reshape(a['shape']).astype(a['dtype'])
def encoded(a):
    a = np.asarray(a)
    flat = a.reshape([-1]).tolist()
    return {'dtype': a.dtype.name, 'shape': list(a.shape), 'values': [float(v) if not isinstance(v, bytes) else v.decode() for v in flat]}
for name in sys.argv[1:]:
    with open(name) as f:
        row = json.loads(f.read())
    folder = name.rsplit('/', 1)[0] + '/'
    for path in [p for p in row['files'] if not p.endswith('.weights.h5')]:
        result = {'file': path}
        try:
            with tf.Graph().as_default(), tf.Session() as session:
                model = opening.open_path(folder + path, '', session, None)
                opening.named(model, 'm')
                result['missing'] = model._about['missing']
                result['names'] = list(model.run.outputs)
                made = model.run(*[decoded(v) for v in row['inputs']])
                result['outputs'] = [encoded(v) for v in made.values()]
                if row.get('second'):
                    result['second'] = [encoded(v) for v in model.run(*[decoded(v) for v in row['inputs']]).values()]
                weights = [p for p in row['files'] if p.endswith('.weights.h5')]
                if weights:
                    from _library import workspace
                    for v in tf.global_variables():
                        v.load(np.zeros(v.shape.as_list(), v.dtype.base_dtype.as_numpy_dtype), session)
                    result['loaded'] = workspace.load_variables(folder + weights[0], session)
                    made = model.run(*[decoded(v) for v in row['inputs']])
                    result['again'] = [encoded(v) for v in made.values()]
        except Exception as e:
            result['error'] = type(e).__name__ + ': ' + str(e)[:600]
        print(json.dumps(result))
'''


def worst(ours, theirs, rough):
    """Returns what differs between two outputs, or None."""
    if ours['shape'] != theirs['shape']:
        return 'shape %s, not %s' % (ours['shape'], theirs['shape'])
    for i, (a, b) in enumerate(zip(ours['values'], theirs['values'])):
        if isinstance(b, str) or isinstance(a, str):
            if a != b:
                return 'element %d is %r, not %r' % (i, a, b)
        elif not abs(a - b) <= (ROUGH if rough else TOLERANCE) * max(1, abs(b)):
            return 'element %d is %r, not %r' % (i, a, b)
    return None


def path_is_custom(path):
    return path.split('-')[1].startswith('custom')


def check(result, row):
    """Returns the problems of one file."""
    problems = []
    if 'error' in result:
        problems.append(result['error'])
    problems += result.get('missing', [])
    if path_is_custom(result['file']):
        return [] if len(problems) == 2 and "layer 'mine' (Doubled)" in problems[0] and 'its code is not in the file' in \
            problems[1] else ['its unknown layer is not named'] + problems
    for key, wanted, when in (('outputs', 'outputs', ''), ('second', 'second', ' in the second run'), ('again', 'outputs', ' after load')):
        for name, a, b in zip(result.get('names', []), result.get(key, []), row.get(wanted, [])):
            wrong = worst(a, b, row.get('rough'))
            if wrong:
                problems.append('%s%s: %s' % (name, when, wrong))
    if len(result.get('outputs', row['outputs'])) != len(row['outputs']):
        problems.append('%d outputs, not %d' % (len(result['outputs']), len(row['outputs'])))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--recorded', default=os.path.join(HERE, 'recorded.tar.xz'))
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    failed = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = unpacked(options.recorded, os.path.join(scratch, ''))
        rows = {n[:-5]: json.load(open(os.path.join(folder, n))) for n in sorted(os.listdir(folder)) if n.endswith('.json')}
        rows = {n: r for n, r in rows.items() if not options.names or any(w in n for w in options.names)}
        script = os.path.join(scratch, 'run.py')
        with open(script, 'w') as f:
            f.write(SCRIPT)
        done = subprocess.run([options.tensh, script] + [os.path.join(folder, n + '.json') for n in rows], capture_output=True,
                              text=True, timeout=600)
        found = {}
        for line in done.stdout.splitlines():
            result = json.loads(line)
            found[result['file']] = result
        if done.returncode:
            failed += 1
            print('tensh ended with %d: %s' % (done.returncode, done.stderr.strip()[-1500:]))
        for name, row in rows.items():
            for path in [p for p in row['files'] if not p.endswith('.weights.h5')]:
                count += 1
                problems = check(found[path], row) if path in found else ['not run']
                failed += bool(problems)
                for problem in problems:
                    print('%s: %s' % (path, problem))
    print('%d files, %d with problems' % (count, failed))
    return 1 if failed or not count else 0


if __name__ == '__main__':
    sys.exit(main())
