#!/usr/bin/env python3
"""Opens Keras models whose configs are damaged, and damaged archives.

    hostile_test.py --tensh build/tensh [--recorded FOLDER] [--seed N] [--count N] [--sanitized]

In a damaged config, values are removed, exchanged, or replaced by others. Each model must open or be refused with an error of
Python, and run or fail so, in limited memory and time.
"""
import argparse
import copy
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import zipfile

from recorded import HERE, unpacked

MEMORY = 3 << 30
SECONDS = 60

SCRIPT = '''
import sys, time
from _library import opening, report
for path in sys.argv[1:]:
    began = time.time()
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            model = opening.open_path(path, '', session, None)
            opening.named(model, 'm')
            report.text(model, 100)
            report.as_json(model)
            result = 'open'
            inputs, path = model.run.inputs, ''  # what fails from here on is a run
            if all(int(np.prod([float(1 if d is None else d) for d in v.shape.as_list()])) < 200000 for v in inputs.values()):
                model.run(*[np.zeros([1 if d is None else d for d in v.shape.as_list()], v.dtype.as_numpy_dtype) if v.dtype != tf.string else
                            np.full([1 if d is None else d for d in v.shape.as_list()], 'a') for v in inputs.values()])
                result = 'runs'
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as e:
        result = type(e).__name__ + ': ' + str(e)
        if path not in result:
            result = 'FAILED, because it does not name the file: ' + result
    print('%.2f' % (time.time() - began), repr(result)[:300], flush=True)
'''

STRANGE = (None, True, False, 0, -1, 1, 7, 1 << 20, 1 << 40, 1 << 62, 1 << 70, 1.5, -1e300, '', 'x', 'relu', 'é' * 40, [], {}, [[]],
           [1 << 40], [-1], [0, 0], [None], {'class_name': 'Dense', 'config': {}}, 'channels_first', ['dense', 0, 0], 'same')


def places(value, path=()):
    """Yields the paths of all values inside of a JSON value."""
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in rows:
        yield path + (key,)
        for found in places(inside, path + (key,)):
            yield found


def changed(config, rng):
    config = copy.deepcopy(config)
    found = list(places(config))
    for _ in range(rng.choice((1, 1, 2, 5))):
        path = rng.choice(found)
        try:
            inside = config
            for key in path[:-1]:
                inside = inside[key]
            kind = rng.randrange(4)
            if kind == 0:
                del inside[path[-1]]
            elif kind == 1:
                other = config
                for key in rng.choice(found):
                    other = other[key]
                inside[path[-1]] = copy.deepcopy(other)
            else:
                inside[path[-1]] = rng.choice(STRANGE)
        except (KeyError, IndexError, TypeError):
            pass
    return config


def rewritten(data, config):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, json.dumps(config) if name == 'config.json' else old.read(name))
    return out.getvalue()


def nested(depth, kind):
    """A model in a model in a model, or a wrapper in a wrapper."""
    inner = {'class_name': 'Dense', 'config': {'name': 'd', 'units': 1}}
    for i in range(depth):
        config = {'name': 'n%d' % i, 'layers': [{'class_name': 'InputLayer', 'config': {'name': 'i', 'batch_shape': [None, 2]}},
                                                inner]} if kind == 'Sequential' else {'name': 'n%d' % i, 'layer': inner}
        inner = {'class_name': kind, 'config': config}
    return {'class_name': 'Sequential', 'config': {'name': 's', 'layers': [
        {'class_name': 'InputLayer', 'config': {'name': 'i', 'batch_shape': [None, 2]}}, inner]}}


def models(folder, names, rng, count):
    """Yields damaged models."""
    for i, depth in enumerate((20, 100, 900, 20000)):
        for kind in ('Sequential', 'TimeDistributed', 'Bidirectional'):
            text = json.dumps(nested(min(depth, 150), kind))
            if depth > 150:
                text = text.replace('"units": 1', '"units": ' + '[' * depth + ']' * depth)
            out = io.BytesIO()
            with zipfile.ZipFile(out, 'w') as z:
                z.writestr('config.json', text)
                z.writestr('metadata.json', '{"keras_version": "3.0"}')
                z.writestr('model.weights.h5', b'\x89HDF\r\n\x1a\n')
            yield out.getvalue()
    for name in names:
        with open(os.path.join(folder, name), 'rb') as f:
            data = f.read()
        config = json.loads(zipfile.ZipFile(io.BytesIO(data)).read('config.json'))
        for _ in range(count):
            yield rewritten(data, changed(config, rng))
        for _ in range((count + 7) // 8):
            yield data[:rng.randrange(len(data))]
            made = bytearray(data)
            at = rng.choice((rng.randrange(len(made)), len(made) - 1 - rng.randrange(300)))
            made[at] ^= 1 << rng.randrange(8)
            yield bytes(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--recorded', default=os.path.join(HERE, 'recorded.tar.xz'))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=8)
    parser.add_argument('--sanitized', action='store_true', help='no limit of the memory, and fewer models')
    parser.add_argument('--keep', help='a folder in which the damaged models stay')
    options = parser.parse_args()

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if options.sanitized:
        options.count = min(options.count, 3)
    problems, count, opened, slowest = [], 0, 0, 0.
    with tempfile.TemporaryDirectory() as scratch:
        os.makedirs(os.path.join(scratch, 'recorded'))
        folder = unpacked(options.recorded, os.path.join(scratch, 'recorded'))
        names = sorted(n for n in os.listdir(folder) if n.endswith('.keras'))
        script = os.path.join(scratch, 'run.py')
        with open(script, 'w') as f:
            f.write(SCRIPT)
        keep = options.keep or scratch
        os.makedirs(keep, exist_ok=True)
        paths = []
        for i, data in enumerate(models(folder, names, random.Random(options.seed), options.count)):
            paths.append(os.path.join(keep, '%d.keras' % i))
            with open(paths[-1], 'wb') as f:
                f.write(data)
        for first in range(0, len(paths), 50):
            part = paths[first:first + 50]
            try:
                done = subprocess.run([options.tensh, script] + part, capture_output=True, text=True, errors='replace', timeout=1200,
                                      preexec_fn=None if options.sanitized else limit)
                lines, code, message = done.stdout.splitlines(), done.returncode, done.stderr.strip()[-600:]
            except subprocess.TimeoutExpired as e:
                lines, code, message = (e.stdout or b'').decode().splitlines(), -1, 'it does not end'
            if code or len(lines) != len(part):
                problems.append('tensh ended with %d at %s: %s' % (code, part[min(len(lines), len(part) - 1)], message))
            for path, line in zip(part, lines):
                seconds, result = line.split(' ', 1)
                slowest, opened = max(slowest, float(seconds)), opened + (result in ("'open'", "'runs'"))
                if 'FAILED' in result or float(seconds) > SECONDS:
                    problems.append('%s took %s s: %s' % (path, seconds, result))
                if options.keep:
                    print(os.path.basename(path), line)
            count += len(part)
    for problem in problems:
        print(problem)
    print('%d damaged models, %d open, the slowest in %.1f s, %d problems' % (count, opened, slowest, len(problems)))
    return 1 if problems or not count else 0


if __name__ == '__main__':
    sys.exit(main())
