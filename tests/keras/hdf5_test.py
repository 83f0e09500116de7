#!/usr/bin/env python3
"""Reads recorded HDF5 files in tensh, compares them with what h5py read, and then reads damaged copies of them.

    hdf5_test.py --tensh build/tensh [--recorded FOLDER] [--seed N] [--count N] [--sound]

A damaged file must be refused with an error of Python, or give arrays, in limited memory and time: truncated copies, flipped
bits, and positions and sizes that are replaced by others. The files are those of make_hdf5.py.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

from recorded import HERE, unpacked

MEMORY = 2 << 30

SCRIPT = '''
import json, sys, time
from _library import hdf5
def told(a):
    a = np.asarray(a)
    if a.dtype.kind in 'OSU':
        return [v.decode('utf-8', 'replace') if isinstance(v, bytes) else str(v) for v in a.reshape([-1]).tolist()]
    flat = a.astype(np.float64).reshape([-1])
    return [a.dtype.name, list(a.shape), float(flat.sum()), float((flat * np.arange(flat.size)).sum())]
def read(path, strict):
    found, file = {}, hdf5.open_file(path)
    for name, dataset in file.datasets().items():
        try:
            found[name] = told(dataset.read())
            if found[name][:2] != [dataset.dtype_name, list(dataset.shape)] and dataset.dtype_name != 'object':
                found[name] = 'the type or shape that it says is not that of its array'
        except ValueError as e:
            found[name] = None if strict and 'compound' in str(e) else str(e)
    for group in [''] + ['many'] * ('many' in file):
        group = file[group]
        found.update({'%s@%s' % (group.name, k): told(v) for k, v in group.attributes.items()})
    return found
for path in sys.argv[2:]:
    began = time.time()
    try:
        result = read(path, sys.argv[1] == 'sound')
    except ValueError as e:
        result = 'ValueError: ' + str(e)
    except Exception as e:
        result = 'FAILED ' + type(e).__name__ + ': ' + str(e)
    if sys.argv[1] == 'sound':
        print(json.dumps(result), flush=True)
    else:
        print('%.2f' % (time.time() - began), repr(result)[:200] if isinstance(result, str) else 'read', flush=True)
'''


def close(a, b):
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b) == 4 and isinstance(a[1], list):
        return a[:2] == b[:2] and all(abs(x - y) <= 1e-6 * max(1, abs(y)) for x, y in zip(a[2:], b[2:]))
    return a == b


def run(options, script, mode, paths):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return subprocess.run([options.tensh, script, mode] + paths, capture_output=True, text=True, errors='replace', timeout=900,
                          preexec_fn=None if mode == 'sound' or options.sanitized else limit)


def sound(options, script, folder, names):
    problems = []
    for name in names:
        done = run(options, script, 'sound', [os.path.join(folder, name + '.h5')])
        if done.returncode:
            problems.append('%s: %s' % (name, done.stderr.strip()[-600:]))
            continue
        found, wanted = json.loads(done.stdout), json.load(open(os.path.join(folder, name + '.json')))
        if isinstance(found, str):
            problems.append('%s: %s' % (name, found))
            continue
        for key in sorted(set(found) | set(wanted)):
            if not close(found.get(key, 'not there'), wanted.get(key, 'not there')):
                problems.append('%s: %s is %s, and h5py reads %s' % (name, key, str(found.get(key, 'not there'))[:200], str(
                    wanted.get(key, 'not there'))[:200]))
    return problems


def damaged(data, rng, count):
    """Yields damaged copies of a file."""
    step = max(64, len(data) // 64 // max(1, count // 4) * 64)
    for size in range(0, len(data), step):
        yield data[:size]
    for _ in range(count):
        made = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 8))):
            made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
        yield bytes(made)
    for _ in range(count):
        made, at = bytearray(data), rng.randrange(len(data) - 16) // 8 * 8
        value = rng.choice((0, 1, at, len(data) - 1, len(data), 1 << 31, (1 << 63) - 1, (1 << 64) - 1, rng.randrange(len(data))))
        made[at:at + 8] = value.to_bytes(8, 'little')
        yield bytes(made)


def hostile(options, script, folder, names, scratch):
    problems, count, slowest, refused = [], 0, 0., 0
    rng = random.Random(options.seed)
    for name in names:
        data = open(os.path.join(folder, name + '.h5'), 'rb').read()
        paths = []
        for i, made in enumerate(damaged(data, rng, options.count)):
            paths.append(os.path.join(scratch, '%s-%d.h5' % (name, i)))
            with open(paths[-1], 'wb') as f:
                f.write(made)
        for first in range(0, len(paths), 200):
            part = paths[first:first + 200]
            done = run(options, script, 'hostile', part)
            lines = done.stdout.splitlines()
            if done.returncode or len(lines) != len(part):
                problems.append('tensh ended with %d at %s: %s' % (done.returncode, part[min(len(lines), len(part) - 1)],
                                                                  done.stderr.strip()[-600:]))
            for path, line in zip(part, lines):
                seconds, result = line.split(' ', 1)
                slowest, refused = max(slowest, float(seconds)), refused + (result != 'read')
                if 'FAILED' in result:
                    problems.append('%s: %s' % (os.path.basename(path), result))
                elif not options.keep:
                    os.unlink(path)
            count += len(part)
    print('%d damaged files, %d refused, the slowest in %.1f s' % (count, refused, slowest))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--recorded', default=os.path.join(HERE, 'hdf5.tar.xz'))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--sound', action='store_true', help='no damaged files')
    parser.add_argument('--sanitized', action='store_true', help='no limit of the memory, for sanitizers')
    parser.add_argument('--keep', help='a folder in which damaged files stay')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = unpacked(options.recorded, os.path.join(scratch, ''))
        names = sorted(n[:-5] for n in os.listdir(folder) if n.endswith('.json'))
        script = os.path.join(scratch, 'read.py')
        with open(script, 'w') as f:
            f.write(SCRIPT)
        problems = sound(options, script, folder, names)
        if not options.sound:
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
            problems += hostile(options, script, folder, names, options.keep or scratch)
    for problem in problems:
        print(problem)
    print('%d files, %d problems' % (len(names), len(problems)))
    return 1 if problems or not names else 0


if __name__ == '__main__':
    sys.exit(main())
