#!/usr/bin/env python3
"""onnxruntime's own operators: the outputs of models of one operator, compared with those that onnxruntime computed.

    python3 tests/onnx/contrib_test.py --tensh build/tensh [--record]

With --record, onnxruntime computes the values, and the test prints them for the table below.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from onnx_file import FLOAT, UINT8, graph, model, node, tensor, value

INT32 = 6
SOME = (([2, 3, 4], FLOAT), ([4, 12], FLOAT), ([12], FLOAT))  # x, weights and bias of Attention
HEADS = ([2, 3, 4], FLOAT)
BYTES, STEP, MIDDLE = ([3, 5], UINT8), .02, 120

# (operator, inputs, attributes, every seventh element of onnxruntime's first output). An input is (extents, type), a number,
# which is a scalar of float32 or uint8, or None.
CASES = (
    ('BiasGelu', (HEADS, ([4], FLOAT)), {}, [-0.14, -0.147, 0.033, -0.08]),
    ('SkipSimplifiedLayerNormalization', (HEADS, HEADS, ([4], FLOAT)), {'epsilon': 1e-6}, [0.55, 0.451, -0.527, -0.009]),
    ('EmbedLayerNormalization', (([2, 3], INT32), ([2, 3], INT32), ([5, 4], FLOAT), ([8, 4], FLOAT), ([2, 4], FLOAT), ([4], FLOAT), ([4], FLOAT)),
     {'epsilon': 1e-6}, [0.773, 0.211, 0.015, -0.131]),
    ('Attention', SOME, {'num_heads': 2}, [0.248, 0.169, -0.441, -0.685]),
    ('Attention', SOME + (([2, 3], INT32),), {'num_heads': 2}, [-0.199, -0.262, 0.277, -1.492]),
    ('Attention', SOME + (([2], INT32),), {'num_heads': 2, 'unidirectional': 1}, [0.465, 0.381, -0.078, -0.685]),
    ('Attention', SOME + (None, ([2, 2, 2, 5, 2], FLOAT)), {'num_heads': 2}, [0.126, 0.051, -0.226, -0.265]),
    ('MultiHeadAttention', (HEADS, HEADS, HEADS, ([12], FLOAT), ([2, 3], INT32)), {'num_heads': 2}, [0.188, -0.062, 0.0, -0.875]),
    ('MatMulNBits', (([2, 3, 40], FLOAT), ([6, 3, 8], UINT8), ([18], FLOAT)), {'K': 40, 'N': 6, 'bits': 4, 'block_size': 16},
     [1.641, -4.43, 4.488, -1.492, 1.895, 17.109]),
    ('MatMulNBits', (([2, 3, 40], FLOAT), ([6, 3, 8], UINT8), ([18], FLOAT), ([12], UINT8)), {'K': 40, 'N': 6, 'bits': 4, 'block_size': 16},
     [2.801, -5.086, 4.168, -2.668, 2.16, 17.145]),
    ('QGemm', (BYTES, STEP, MIDDLE, ([4, 5], UINT8), .01, MIDDLE, ([4], INT32), .05, MIDDLE), {'transB': 1}, [187.0, 54.0]),
    ('QGemm', (BYTES, STEP, MIDDLE, ([5, 4], UINT8), .01, MIDDLE), {}, [1.288, -3.202]),
    ('QLinearAveragePool', (([1, 2, 6, 6], UINT8), STEP, MIDDLE, STEP, 118), {'kernel_shape': [2, 2], 'strides': [2, 2]}, [65.0, 211.0, 169.0]),
    ('QLinearSoftmax', (BYTES, STEP, MIDDLE, 1 / 256, 0), {'axis': -1, 'opset': 13}, [7.0, 2.0, 2.0]),
    ('DequantizeLinear', (BYTES, STEP, MIDDLE), {}, [-2.4, -2.24, -2.08]),
)


def numbers(dims, kind, seed):
    count = 1
    for d in dims:
        count *= d
    if kind == FLOAT:
        return [((7 * i + 3 * seed) % 23 - 11) / 16 for i in range(count)]
    return [(37 * i + 11 * seed) % 251 if kind == UINT8 else (5 * i + seed) % 3 % 2 for i in range(count)]


def built(case):
    """A model whose first input is fed."""
    op, inputs, attributes, _ = case
    names, made = [], []
    for i, given in enumerate(inputs):
        names.append('' if given is None else 'a%d' % i)
        if isinstance(given, tuple) and i:
            made.append(tensor('a%d' % i, given[0], (packed if given[1] == INT32 else list)(numbers(*given, i)), given[1]))
        elif isinstance(given, (int, float)):
            made.append(tensor('a%d' % i, [], [given], FLOAT if isinstance(given, float) else UINT8))
    dims, kind = inputs[0]
    outputs = ['y', 'more'] if op == 'EmbedLayerNormalization' or op == 'Attention' and len(names) > 4 else ['y']
    result = UINT8 if op.startswith('QLinear') or op == 'QGemm' and len(inputs) > 6 else FLOAT
    made = graph([node(op, names, outputs, domain='com.microsoft', **attributes)], [value('a0', dims, kind)], [value('y', ['?'], result)], made)
    return model(made, opsets=[('com.microsoft', 1)])


def packed(values):
    return b''.join(v.to_bytes(4, 'little') for v in values)


def recorded(case):
    import numpy as np
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    dims, kind = case[1][0]
    x = np.array(numbers(dims, kind, 0)).reshape(dims).astype({FLOAT: 'f', UINT8: 'B', INT32: 'i'}[kind])
    y = onnxruntime.InferenceSession(built(case), options).run(['y'], {'a0': x})[0]
    return [round(float(v), 3) for v in y.reshape(-1)[::7]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--record', action='store_true')
    options = parser.parse_args()
    if options.record:
        for case in CASES:
            print(case[0], recorded(case))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for i, case in enumerate(CASES):
            with open(os.path.join(folder, 'm%d.onnx' % i), 'wb') as out:
                out.write(built(case))
            dims, kind = case[1][0]
            lines += ['open m%d.onnx as m%d' % (i, i), 'x = np.array(%r).reshape(%r)' % (numbers(dims, kind, 0), dims),
                      'print([round(float(v), 3) for v in m%d(a0=x)["y"].reshape(-1)[::7]])' % i]
        done = subprocess.run([os.path.abspath(options.tensh), '--keep-going'], input='\n'.join(lines) + '\n', capture_output=True, text=True,
                              cwd=folder, timeout=120)
        sys.stderr.write(done.stderr)
        got = [[float(v) for v in line.strip('[]').split(', ')] for line in done.stdout.split('\n') if line.startswith('[')]
    bad = [case[0] for case, values in zip(CASES, got) if len(values) != len(case[3]) or any(abs(a - b) > .002 for a, b in zip(values, case[3]))]
    print('%d of %d operators agree%s' % (len(CASES) - len(bad), len(CASES), ': ' + ', '.join(bad) if bad else ''))
    return 0 if not bad and len(got) == len(CASES) else 1


if __name__ == '__main__':
    sys.exit(main())
