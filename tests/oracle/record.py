#!/usr/bin/env python3
"""Records TensorFlow's results for the cases of cases*.py in values/<Op>.json and gradients/<Op>.json.

    python tests/oracle/record.py [OP ...] [--seed N] [--out FOLDER]

Runs under any Python with TensorFlow 2.x. Without arguments, it records all ops. Another seed gives other inputs
(./dev oracle).
"""
import argparse
import json
import os
import sys
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from cases import MATH, Maker, without_denormals
from cases_array import ARRAY
from cases_audio import AUDIO
from cases_boxes import BOXES
from cases_codecs import CODECS
from cases_complex import COMPLEX
from cases_conv import CONV
from cases_crosses import CROSSES
from cases_example import EXAMPLES
from cases_filled import FILLED
from cases_image import IMAGE
from cases_linalg import LINALG
from cases_messages import MESSAGES
from cases_models import MODELS
from cases_more import MORE
from cases_nn import NN
from cases_pools import POOLS
from cases_products import PRODUCTS
from cases_ragged import RAGGED
from cases_recurrent import RECURRENT
from cases_rest import REST
from cases_scatter import SCATTER
from cases_sets import SETS
from cases_sparse import SPARSE
from cases_state import STATE
from cases_streams import STREAMS
from cases_vision import VISION
from tensor_text import Ref, encode
from workers import in_workers

OPS = {**MATH, **ARRAY, **NN, **IMAGE, **MORE, **STATE, **SCATTER, **SPARSE, **COMPLEX,
       **PRODUCTS, **VISION, **REST, **EXAMPLES, **CONV, **CODECS, **BOXES, **MESSAGES, **CROSSES,
       **POOLS, **SETS, **RECURRENT, **AUDIO, **LINALG, **MODELS, **RAGGED, **STREAMS}
# minimum number of cases per op; if there are few shapes and attributes, the values vary
LEAST = 30
ROUNDS = 100
MAX_GRADIENTS = 14
# maximum number of cases with partially known shapes, because more of them add little
MOST_SHAPES = 200
# Not recorded: types without a kernel in TensorFlow, and errors of TensorFlow (integer division by
# zero, erf(inf) of doubles).
LEFT_OUT = ('No OpKernel was registered', 'Unexpected error in binary operator')
TF_WRONG = (['Erf', encode(np.array(without_denormals('double'), np.float64))],)
# Gradients that are not recorded. tensh does not have those of ragged tensors. NextIteration has one outside of loops. A second run of a random
# op draws other numbers. TensorFlow's gradient of the V2 ops pads on the other side than the op,
# and that of BlockLSTMV2 uses the gate order of the first version.
NO_GRADIENTS = ('RaggedTensorToTensor', 'RaggedGather', 'NextIteration', 'ReciprocalGrad', 'RandomGamma', 'MatrixDiagV2', 'MatrixDiagPartV2', 'MatrixSetDiagV2', 'BlockLSTMV2')
# TensorFlow counts an unknown extent as -1 in these
NO_SHAPES = ('MatrixDiagV3', 'MatrixSetDiagV3', 'MatrixDiagV2', 'MatrixSetDiagV2')


class _Runner:
    """runner_tf, which is imported with TensorFlow on first use."""

    def __getattr__(self, name):
        import runner_tf
        return getattr(runner_tf, name)


tfr = _Runner()


def flatten(inputs):
    return [v for value in inputs for v in (value if isinstance(value, list) else [value])]


def shape_variants(case, random, blurred):
    """Yields (shapes, const names): known shapes, and for blurred cases partially known and unknown shapes. Then
    shape-like inputs are constants."""
    flat = flatten(case.inputs)
    shapes = [list(v.value.shape) if isinstance(v, Ref) else list(v.shape) for v in flat]
    small = [n for n, v in zip(case.names, case.inputs)
             if isinstance(v, np.ndarray) and v.ndim <= 2 and v.dtype.kind == 'i']
    if len(small) == len(case.names):
        small = small[-1:]

    def blur():
        out = []
        for s in shapes:
            keep = random.rand()
            out.append(None if keep < .12 else [d if random.rand() < .6 else None for d in s])
        return out
    for const in ((), small) if small else ((),):
        yield shapes, const
        if blurred:
            yield blur(), const


def attrs_json(attrs):
    return {k: encode(v) if isinstance(v, np.ndarray) else v for k, v in attrs.items()}


def has_float(case):
    return any(isinstance(v, np.ndarray) and v.dtype.kind in 'fc' for v in flatten(case.inputs))


def finite(case):
    return all(np.isfinite(v).all() for v in flatten(case.inputs)
               if isinstance(v, np.ndarray) and v.dtype.kind == 'f')


def record_values(op, cases, random):
    rows, seen = [], set()
    for case in cases:
        row = {'in': [encode(v) for v in case.inputs]}
        if case.attrs:
            row['attrs'] = attrs_json(case.attrs)
        row.update(tfr.run_values(case))
        if row.get('message', '').startswith(LEFT_OUT) or [op] + row['in'][:1] in TF_WRONG:
            continue
        variants = []
        for shapes, const in () if op in NO_SHAPES else shape_variants(case, random, len(rows) < MOST_SHAPES):
            asked = tfr.infer(case, shapes, const)
            key = json.dumps([asked, attrs_json(case.attrs), const and row['in']])
            # a row with an error says that it may occur during construction
            if key not in seen or isinstance(asked[1], str):
                seen.add(key)
                variants.append(asked)
        if variants:
            row['shapes'] = variants
        rows.append(row)
    return rows


def record_gradients(cases, rows, random):
    """Returns rows for up to MAX_GRADIENTS of the successful cases, most of them with finite inputs only."""
    good = [c for c, r in zip(cases, rows) if 'error' not in r and has_float(c) and not c.variables]
    plain, rest = [c for c in good if finite(c)], [c for c in good if not finite(c)]
    step = max(1, len(plain) // MAX_GRADIENTS)
    out = []
    for case in plain[::step][:MAX_GRADIENTS] + rest[:2]:
        got = tfr.gradients(case, random)
        if got and 'grad' in got and any(g is not None for g in got['grad']):
            row = {'in': [encode(v) for v in case.inputs]}
            if case.attrs:
                row['attrs'] = attrs_json(case.attrs)
            out.append({**row, **got})
    return out


def write(folder, op, rows):
    path = os.path.join(folder, op + '.json')
    if not rows:
        if os.path.exists(path):
            os.remove(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    lines = ',\n'.join(json.dumps(r, separators=(',', ':')) for r in rows)
    with open(path, 'w') as f:
        f.write('{"op":"%s","cases":[\n%s\n]}\n' % (op, lines))


def cases_of(op, seed, least):
    """Returns the op's rows, with additional ones from other seeds until there are enough."""
    rows, seen = [], set()
    for again in range(ROUNDS):
        begin = len(rows)
        for row in OPS[op](Maker(op, seed + 7919 * again)):
            key = json.dumps([encode(v) for v in row[0]]) + json.dumps(attrs_json(row[1]), sort_keys=True)
            if key not in seen or not again:
                seen.add(key)
                rows.append(row)
            if again and len(rows) >= least:
                break
        if len(rows) >= least or len(rows) == begin:
            break
    maker = Maker(op, seed + 1)
    while op in FILLED and len(rows) < least:
        rows.append(FILLED[op](maker))
    return [tfr.Case(op, *row) for row in rows]


def record(op, seed, out, least=LEAST):
    cases = cases_of(op, seed, least)
    random = np.random.RandomState(zlib.crc32(op.encode()) ^ (seed + 1))
    rows = record_values(op, cases, random)
    write(os.path.join(out, 'values'), op, rows)
    grads = [] if op in NO_GRADIENTS else record_gradients(cases, rows, random)
    write(os.path.join(out, 'gradients'), op, grads)
    errors = sum('error' in r for r in rows)
    print('%-36s %4d cases, %3d errors, %3d gradients' % (op, len(rows), errors, len(grads)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('op', nargs='*')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--out', default=HERE)
    parser.add_argument('--cases', type=int, default=LEAST, help='at least so many an op')
    parser.add_argument('--here', action='store_true', help='in this process')
    options = parser.parse_args()
    with open(os.path.join(HERE, 'ops.txt')) as f:
        ops = [op for op in options.op or f.read().split() if op in OPS]
    if not options.here:
        in_workers(__file__, ['--seed', str(options.seed), '--out', options.out, '--cases', str(options.cases)], ops)
        return
    for op in ops:
        try:
            record(op, options.seed, options.out, options.cases)
        except NotImplementedError as e:  # the op was removed from GraphDefs
            print('%-36s %s' % (op, e), flush=True)


if __name__ == '__main__':
    main()
