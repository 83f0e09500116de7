#!/usr/bin/env python3
"""Records the element types that values/ leaves out in types/<Op>.json (see README.md).

    python tests/oracle/record_types.py [OP ...]

The cases are a few of each op from cases*.py for float or int32, with their inputs converted to the other type. The
types are those with CPU kernels in TensorFlow (opdefs.json).
"""
import json
import os
import sys
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import runner_tf as tfr
from record import OPS, attrs_json, write
from cases import Maker
from tensor_text import DTYPES, Ref, encode

EACH = 4
FLOATING = ('half', 'bfloat16', 'complex64', 'complex128')
INTEGERS = ('int8', 'uint8', 'int16', 'uint16', 'uint32', 'uint64')
# Random streams of 16-bit floats are recorded by hand, and matrix decompositions are not unique.
SKIP = ('Qr', 'Svd', 'SelfAdjointEigV2', 'Cast', 'Const', 'Bitcast', 'RandomShuffle')


def kernel_types(op):
    for d in json.load(open(os.path.join(HERE, 'opdefs.json'))):
        if d['name'] == op:
            attrs = [a['name'] for a in d['attrs'] if a['type'] == 'type']
            best = set()
            for kernel in d['kernels']:
                for name in attrs[:1] + [a for a in attrs if a == 'T']:
                    best |= set(kernel.get(name, []))
            return best
    return set()


def converted(value, source, target, random):
    if isinstance(value, list):
        return [converted(v, source, target, random) for v in value]
    if isinstance(value, Ref):
        return Ref(converted(value.value, source, target, random), value.initialized)
    if value.dtype != DTYPES[source]:
        return value
    if target.startswith('complex'):
        imag = np.asarray(random.uniform(-1, 1, value.shape)).round(2)
        return np.asarray(value + 1j * imag).astype(DTYPES[target])
    if target[0] == 'u':
        value = np.abs(value) % 100
    elif source == 'int32':
        value = np.clip(value, -100, 100)
    return np.asarray(value).astype(DTYPES[target])


def has(value, source):
    if isinstance(value, list):
        return any(has(v, source) for v in value)
    if isinstance(value, Ref):
        return has(value.value, source)
    return value.dtype == DTYPES[source]


def finite(value):
    if isinstance(value, list):
        return all(finite(v) for v in value)
    if isinstance(value, Ref):
        return finite(value.value)
    return value.dtype.kind != 'f' or bool(np.isfinite(value).all())


def record(op):
    random = np.random.RandomState(zlib.crc32(op.encode()))
    rows = []
    types = kernel_types(op)
    for source, targets in (('float', FLOATING), ('int32', INTEGERS)):
        cases = [row for row in OPS[op](Maker(op, 7)) if any(has(v, source) for v in row[0])
                 and all(finite(v) for v in row[0])]
        if source == 'int32' and any(has(v, 'float') for row in cases for v in row[0]):
            cases = [row for row in cases if not any(has(v, 'float') for v in row[0])]
        step = max(1, len(cases) // EACH)
        for target in targets:
            if target not in types:
                continue
            for row in cases[::step][:EACH]:
                inputs = [converted(v, source, target, random) for v in row[0]]
                attrs = {k: target if v == source else v for k, v in row[1].items()}
                case = tfr.Case(op, inputs, attrs, *row[2:])
                got = tfr.run_values(case)
                if 'error' in got:
                    continue
                out = {'in': [encode(v) for v in inputs]}
                if attrs:
                    out['attrs'] = attrs_json(attrs)
                out.update(got)
                if target.startswith('complex') and not case.variables:
                    grad = tfr.gradients(case, random)
                    if grad and 'grad' in grad and any(g is not None for g in grad['grad']):
                        out.update(grad)
                rows.append(out)
    write(os.path.join(HERE, 'types'), op, rows)
    print('%-36s %4d cases' % (op, len(rows)), flush=True)


def main():
    for op in sys.argv[1:] or open(os.path.join(HERE, 'ops.txt')).read().split():
        if op in OPS and op not in SKIP:
            record(op)


if __name__ == '__main__':
    main()
