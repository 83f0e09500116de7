#!/usr/bin/env python3
"""Records models of single operators, and the values that TensorFlow Lite's reference kernels compute for them.

    TENSH_TF_PYTHON tests/tflite/record.py [--out FILE] [NAME …]

The file (tests/tflite/recorded.json.xz) has a list of {name, model, inputs, outputs, tolerance, off}. Models are in
base64; an array is {dtype, shape, values}, whose texts are in hexadecimal. With names, only those operators are run, and nothing is
written unless --out is given.
"""
import argparse
import base64
import json
import lzma
import os
import sys

from build_model import np, one_operator, run
from cases import CASES
from graphs import MODELS

HERE = os.path.dirname(os.path.abspath(__file__))


def encoded(array):
    array = np.asarray(array)
    if array.dtype.kind in 'SOU':
        values = [(v if isinstance(v, bytes) else v.encode()).hex() for v in array.reshape(-1).tolist()]
        return {'dtype': 'string', 'shape': list(array.shape), 'values': values}
    if array.dtype.kind == 'c':
        values = [v for z in array.reshape(-1).tolist() for v in (float(np.float32(z.real)), float(np.float32(z.imag)))]
    else:
        values = array.reshape(-1).tolist()
    if array.dtype.kind in 'fc':
        values = [float('%.9g' % v) for v in values]
    return {'dtype': array.dtype.name, 'shape': list(array.shape), 'values': values}


def record(case):
    feeds = [t.value for t in case['ins'] if t is not None and t.kind == 'feed']

    def built():
        return one_operator(case['name'], case['ins'], case['outs'], case['opts'], case['version'], case['custom'], case['custom_options'], case['extra'])
    if 'expected' in case:
        return row(case, built(), feeds, [case['expected']])
    for version in [case['version']] + list(range(1, 9)):  # a kernel is registered for some versions
        case['version'] = version
        try:
            outputs = run(built(), feeds, 1, case['reference'])
            break
        except ValueError as e:
            if "Didn't find op" not in str(e):
                raise
    else:
        raise ValueError('there is no kernel')
    for t, value in zip(case['outs'], outputs):
        t.shape = list(np.shape(value))
    model = built()
    runs = [run(model, feeds, n + 1, case['reference']) for n in range(case['times'])]
    return row(case, model, feeds, runs)


def row(case, model, feeds, runs):
    return {'name': (case['custom'] or case['name']) + (' ' + case['label'] if case['label'] else ''), 'model': base64.b64encode(model).decode(),
            'inputs': [encoded(v) for v in feeds], 'outputs': [[encoded(v) for v in r] for r in runs],
            'tolerance': case['tolerance'], 'off': case['off']}


def record_graph(name, build, feeds, times, reference):
    """Values of a model that is not one operator. If its kernels are not in the interpreter, the values stand in place of the number of runs."""
    model = build()
    runs = [times] if isinstance(times, list) else [run(model, feeds, n + 1, reference) for n in range(times)]
    return row({'name': name, 'label': '', 'custom': None, 'tolerance': 1e-4, 'off': 0}, model, feeds, runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--out')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    rows, failed = [], 0
    for case in CASES:
        if args.names and (case['custom'] or case['name']) not in args.names:
            continue
        try:
            rows.append(record(case))
        except Exception as e:
            failed += 1
            print('%s %s: %s' % (case['name'], case['label'], str(e).split('\n')[0][:300]))
    for graph in MODELS:
        if args.names and graph[0].split()[0] not in args.names:
            continue
        try:
            rows.append(record_graph(*graph))
        except Exception as e:
            failed += 1
            print('%s: %s' % (graph[0], str(e).split('\n')[0][:300]))
    path = args.out or (None if args.names else os.path.join(HERE, 'recorded.json.xz'))
    if path:
        with lzma.open(path, 'wt', preset=9) as f:
            json.dump(rows, f, separators=(',', ':'))
    print('%d cases, %d operators, %d failed' % (len(rows), len(set(r['name'].split()[0] for r in rows)), failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
