#!/usr/bin/env python3
"""Compares the array printer with numpy 1.26 on random arrays. A developer's tool, not a test.

    PYTHON_WITH_NUMPY_1.26 tests/fuzz/print_diff.py [CASES] [SEED]
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DTYPES = {'float32': 1, 'float64': 2, 'int32': 3, 'uint8': 4, 'int16': 5, 'int8': 6, 'complex64': 8,
          'int64': 9, 'bool': 10, 'uint16': 17, 'complex128': 18, 'float16': 19, 'uint32': 22,
          'uint64': 23}
MODES = ['fixed', 'unique', 'maxprec', 'maxprec_equal']


def build():
    out = os.path.join(tempfile.gettempdir(), 'tensh_print_cases')
    subprocess.check_call(['g++', '-std=c++20', '-O1', '-I' + ROOT, '-o', out,
                           os.path.join(ROOT, 'tests/fuzz/print_cases.cc'),
                           os.path.join(ROOT, 'shell/print/tensor_printer.cc'),
                           os.path.join(ROOT, 'shell/text/float_text.cc')])
    return out


def floats(rng, n):
    kind = rng.integers(0, 9)
    if kind == 0:
        a = rng.standard_normal(n)
    elif kind == 1:
        a = rng.integers(-20, 20, n) / rng.choice([1, 2, 3, 4, 10, 100])
    elif kind == 2:
        a = rng.standard_normal(n) * 10.0 ** rng.integers(-12, 12, n)
    elif kind == 3:
        a = np.round(rng.standard_normal(n) * 10, rng.integers(0, 5))
    elif kind == 4:
        a = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64).copy()
    elif kind == 5:
        a = rng.standard_normal(n) * 10.0 ** rng.integers(-8, 9)
    elif kind == 6:
        a = rng.integers(-2000, 2000, n) * 10.0 ** rng.integers(-6, 7)
    elif kind == 7:
        a = 10.0 ** rng.integers(-10, 20, n) * rng.choice([1, -1, 2.5, .5], n)
    else:
        a = rng.integers(-2**20, 2**20, n) / 2.0 ** rng.integers(0, 30, n)
    if rng.random() < .3 and n:
        for special in (np.nan, np.inf, -np.inf, 0., -0.):
            if rng.random() < .4:
                a[rng.integers(0, n, max(1, n // 5))] = special
    return a


def make_case(rng):
    name = rng.choice(list(DTYPES)) if rng.random() < .5 else rng.choice(['float32', 'float64'])
    rank = int(rng.choice([0, 1, 1, 1, 2, 2, 2, 3, 4]))
    big = rng.random() < .1
    top = {0: 1, 1: 1500 if big else 30, 2: 60 if big else 9, 3: 12 if big else 5, 4: 4}[rank]
    dims = [int(d) for d in rng.integers(0 if rng.random() < .1 else 1, top + 1, rank)]
    n = int(np.prod(dims))
    if name == 'bool':
        a = rng.integers(0, 2, n).astype(bool)
    elif name.startswith('complex'):
        with np.errstate(all='ignore'):
            a = np.empty(n, name)
            a.real = floats(rng, n)
            a.imag = floats(rng, n)
    elif name.startswith('float'):
        with np.errstate(all='ignore'):
            a = floats(rng, n).astype(name)
    else:
        info = np.iinfo(name)
        a = (rng.integers(info.min, info.max, n, dtype=name, endpoint=True) if rng.random() < .3
             else rng.integers(max(info.min, -9), 100, n).astype(name))
    options = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False, sign='-',
                   floatmode='maxprec')
    if rng.random() < .4:
        options['precision'] = int(rng.integers(0, 20))
    if rng.random() < .2:
        options['suppress'] = True
    if rng.random() < .2:
        options['linewidth'] = int(rng.integers(1, 140))
    if rng.random() < .2:
        options['threshold'] = int(rng.integers(0, 50))
        options['edgeitems'] = int(rng.integers(1, 5))
    if rng.random() < .1:
        options['sign'] = str(rng.choice(['-', '+', ' ']))
    if rng.random() < .15:
        options['floatmode'] = str(rng.choice(MODES))
    return a.reshape(dims), options


def line(a, o):
    raw = np.ascontiguousarray(a).tobytes().hex() or '-'
    return ' '.join(map(str, [DTYPES[a.dtype.name], a.ndim, *a.shape, o['precision'], o['threshold'],
                              o['edgeitems'], o['linewidth'], int(o['suppress']),
                              o['sign'].replace(' ', '_'), MODES.index(o['floatmode']), a.itemsize,
                              a.dtype.name, raw])) + '\n'


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    cases = [make_case(rng) for _ in range(count)]
    text = ''.join(line(a, o) for a, o in cases).encode()
    out = subprocess.run([build()], input=text, stdout=subprocess.PIPE, check=True).stdout
    at = bad = 0
    for a, o in cases:
        got = []
        for _ in range(2):
            end = out.index(b'\n', at)
            size = int(out[at:end])
            got.append(out[end + 1:end + 1 + size].decode())
            at = end + 2 + size
        with np.printoptions(**o), np.errstate(all='ignore'):
            want = [str(a if a.ndim else a[()]), repr(a)]
        if got != want:
            bad += 1
            if bad <= 5:
                print('---', a.dtype, a.shape, o, '\nWANT', want[0], '\nGOT ', got[0], '\nWANT',
                      want[1], '\nGOT ', got[1])
    print('%d cases, %d differ' % (count, bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
