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

from onnx_file import FLOAT, INT64, UINT8, graph, model, node, tensor, value

INT32 = 6
SOME = (([2, 3, 4], FLOAT), ([4, 12], FLOAT), ([12], FLOAT))  # x, weights and bias of Attention
HEADS = ([2, 3, 4], FLOAT)
PAST, QUERIES = ([2, 2, 4, 16], FLOAT), {'num_heads': 4, 'kv_num_heads': 2}
ANGLES = ([8, 8], FLOAT), ([8, 8], FLOAT)
BYTES, STEP, MIDDLE = ([3, 5], UINT8), .02, 120

# (operator, inputs, attributes, every seventh element of onnxruntime's first output). An input is (extents, type), a number,
# which is a scalar of float32 or uint8, a list, which is a vector of int32, or None.
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
    ('QAttention', (([2, 3, 4], UINT8), ([4, 12], UINT8), ([12], FLOAT), STEP, .01, None, MIDDLE, MIDDLE), {'num_heads': 2},
     [-0.12, 0.034, 0.099, 1.116]),
    ('RotaryEmbedding', (([2, 3, 16], FLOAT), ([2, 3], INT64), ([5, 4], FLOAT), ([5, 4], FLOAT)), {},
     [0.07, 0.102, 0.41, -0.152, 0.012, 0.031, -0.227, 0.586, 0.059, 0.098, 0.246, -0.125, -0.016, 0.02]),
    ('RotaryEmbedding', (([2, 2, 3, 8], FLOAT), ([1], INT64), ([5, 4], FLOAT), ([5, 4], FLOAT)), {'interleaved': 1},
     [0.047, 0.094, -0.105, -0.148, 0.152, -0.078, -0.27, 0.035, -0.102, 0.129, -0.254, 0.223, 0.004, -0.094]),
    ('GroupQueryAttention', (([2, 3, 64], FLOAT), ([2, 3, 32], FLOAT), ([2, 3, 32], FLOAT), None, None, [2, 1], [3]), QUERIES,
     [
         -0.312, -0.125, 0.062, 0.438, 0.625, -0.625, -0.438, -0.062, 0.125, 0.312, -0.026, 0.161, -0.153, 0.035, 0.223, 0.411,
         -0.101, -0.453, -0.266, 0.094, 0.282, 0.26, -0.236, -0.024, -0.275, -0.088, 0.22, 0.097, 0.312, 0.5, -0.562, -0.375,
         -0.188, 0.0, 0.188, 0.562, -0.688, -0.332, -0.144, 0.236, 0.424, -0.054, 0.136, -0.453, -0.053, 0.134, -0.175, 0.012,
         -0.166, 0.022, 0.209, 0.408, -0.249, -0.539, -0.351]),
    ('GroupQueryAttention', (([2, 1, 128], FLOAT), None, None, PAST, PAST, [4, 2], [5]) + ANGLES, {'do_rotary': 1, 'softcap': 2., **QUERIES},
     [
         -0.26, -0.072, 0.115, 0.243, 0.147, 0.157, 0.065, -0.158, -0.28, -0.092, -0.441, -0.254, 0.1, 0.287, 0.1, 0.287, 0.235,
         -0.106, -0.401]),
    ('GroupQueryAttention', (([1, 2, 128], FLOAT), None, None, ([1, 2, 4, 16], FLOAT), ([1, 2, 4, 16], FLOAT), [5], [6]) + ANGLES + (None, ([1, 1, 2, 6], FLOAT)),
     {'do_rotary': 1, 'rotary_interleaved': 1, 'local_window_size': 2, 'smooth_softmax': 1, **QUERIES},
     [
         -0.271, -0.153, -0.035, 0.202, 0.32, -0.224, -0.109, 0.104, -0.127, -0.012, -0.443, -0.317, -0.066, 0.06, 0.185, 0.31,
         -0.401, -0.276, -0.15]),
    ('GatherBlockQuantized', (([6, 16], UINT8), ([2, 3], INT32), ([6, 2], FLOAT)), {'block_size': 16, 'bits': 4, 'quantize_axis': 1},
     [
         1.125, 2.25, -3.375, -2.188, -0.875, 1.875, -0.312, -0.75, -0.875, -0.625, -2.188, -1.562, -0.125, 0.75, 3.938, 3.375,
         0.438, -3.062, -3.062, 1.25, -1.875, -0.375, -0.25, 2.5, 1.25, 2.5, 0.5, -0.875]),
    ('GatherBlockQuantized', (([6, 16], UINT8), ([2, 3], INT32), ([6, 2], FLOAT), ([6, 1], UINT8)), {'block_size': 16, 'bits': 4, 'quantize_axis': 1},
     [
         2.25, 3.375, -2.25, -3.938, -2.625, -0.312, -2.5, 0.0, -0.125, 0.125, -4.375, -3.75, 0.625, 1.5, 5.062, 4.5, -1.312,
         -4.812, -4.812, -0.938, -4.062, 0.375, 0.5, 0.312, -0.938, 0.312, 1.25, -0.125]),
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
        elif isinstance(given, list):
            made.append(tensor('a%d' % i, [len(given)], packed(given), INT32))
        elif isinstance(given, (int, float)):
            made.append(tensor('a%d' % i, [], [given], FLOAT if isinstance(given, float) else UINT8))
    dims, kind = inputs[0]
    outputs = ['y', 'keys', 'values'] if op == 'GroupQueryAttention' else ['y', 'more'] if op == 'EmbedLayerNormalization' or op == 'Attention' and len(names) > 4 else ['y']
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
