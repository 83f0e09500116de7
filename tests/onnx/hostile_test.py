#!/usr/bin/env python3
"""Opens damaged ONNX models: truncated, with flipped bits, with sizes that are not true, and nested too deeply.

    python3 tests/onnx/hostile_test.py --tensh build/tensh [--seed N] [--count N]

Each must end with an error of Python or open as a model, in limited memory and time. All of them are opened in a few
processes.
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile

from onnx_file import FLOAT, INT64, field, graph, model, node, tensor, value, varint

MEMORY = 2 << 30

SCRIPT = '''
from _library import onnx
import sys
import time
for i in range(int(sys.argv[1])):
    began = time.time()
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            opened = onnx.open_model('%d.onnx' % i)
            onnx.describe(opened)
            feeds = {v: np.zeros([d or 1 for d in v.shape.as_list()] if v.shape.ndims else [], v.dtype.as_numpy_dtype)
                     for _, v in opened.feeds if isinstance(v, tf.Tensor) and v.dtype != tf.string
                     and (v.shape.num_elements() or 0) < 1000000}
            for _, v in opened.fetches:
                session.run(v, feeds)
            result = 'ok'
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as e:
            result = type(e).__name__ + ': ' + str(e)
        if len(sys.argv) > 2:
            print('%.2f s' % (time.time() - began), end=' ')
        print(i, repr(result)[1:300], flush=True)
'''


def sound():
    """A model with most kinds of fields."""
    body = graph([node('Add', ['s', 'x'], ['t']), node('Identity', ['c'], ['d'])],
                 [value('i', [], INT64), value('c', [], 9), value('s', [2])], [value('d', [], 9), value('t', [2])])
    nodes = [node('Loop', ['n', '', 'x'], ['l'], body=body), node('Reshape', ['l', 'shape'], ['r']),
             node('Softmax', ['r'], ['p'], axis=1), node('MatMul', ['p', 'w'], ['m']),
             node('Conv', ['image', 'k'], ['v'], pads=[1, 1, 1, 1], strides=[1, 1]),
             node('MaxPool', ['v'], ['q'], kernel_shape=[2, 2], auto_pad='SAME_UPPER'),
             node('LSTM', ['seq', 'lw', 'lr'], ['', 'h'], hidden_size=1)]
    return model(graph(nodes, [value('n', [], INT64), value('x', [2]), value('image', [1, 1, 'h', 3]), value('seq', [2, 1, 1])],
                       [value('m', [1, 2]), value('q', [1, 1, 'h', 3]), value('h', [1, 1, 1])],
                       [tensor('shape', [2], [1, 2], INT64), tensor('w', [2, 2], [1, 2, 3, 4]),
                        tensor('k', [1, 1, 3, 3], [1.] * 9), tensor('lw', [1, 4, 1], [1.] * 4), tensor('lr', [1, 4, 1], [1.] * 4)]))


def with_tensor(t):
    return model(graph([node('Neg', ['w'], ['y'])], [], [value('y', [2])], [t]))


def lies():
    """Models with sizes that are not true."""
    huge = (1 << 62) - 1
    for dims in ([1 << 40], [1 << 31, 1 << 31], [huge, huge], [0, huge, huge], [-1], [1] * 9, [1] * 100000, [3], [1]):
        yield with_tensor(tensor('w', dims, [1., 2.]))
    yield with_tensor(field(1, [1 << 40]) + field(2, FLOAT) + field(8, 'w'))
    yield with_tensor(field(1, [1 << 40]) + field(2, 8) + field(8, 'w') + field(6, 'text'))
    yield with_tensor(field(1, [4]) + field(2, INT64) + field(8, 'w') + field(7, b'\x01\x02\xff'))
    for kind in (0, 17, 20, 21, 22, 23, 99, -5):
        yield with_tensor(field(1, [2]) + field(2, kind) + field(8, 'w') + field(9, b'\x12'))
    yield with_tensor(tensor('w', [1 << 40], b'', external={'location': 'x'}))


def absurd():
    """Operators that are asked for results of absurd sizes."""
    huge = (1 << 62) - 1
    for op, inputs, extra in (('ConstantOfShape', ['s'], {}), ('Expand', ['x', 's'], {}), ('Tile', ['x', 's'], {}),
                              ('Reshape', ['x', 's'], {}), ('Pad', ['x', 's2'], {}), ('Upsample', ['x', 'f'], {}),
                              ('Resize', ['x', '', 'f'], {}), ('Range', ['z', 's', 'o'], {}), ('TopK', ['x', 's'], {}),
                              ('Split', ['x', 's'], {}), ('Gather', ['x', 's'], {'axis': 7}), ('Transpose', ['x'], {'perm': [5]}),
                              ('Transpose', ['x'], {'perm': [-1 << 62]}), ('Concat', ['x', 'x'], {'axis': huge}),
                              ('MaxPool', ['x'], {'kernel_shape': [huge, huge]}), ('Softmax', ['x'], {'axis': -huge}),
                              ('Squeeze', ['x', 's'], {}), ('Unsqueeze', ['x', 's'], {}), ('OneHot', ['s', 's', 'x'], {}),
                              ('EyeLike', ['x'], {'k': huge}), ('DepthToSpace', ['x'], {'blocksize': 0}),
                              ('DepthToSpace', ['x'], {'blocksize': huge}), ('Flatten', ['x'], {'axis': huge}),
                              ('MaxPool', ['x'], {'kernel_shape': [30000, 30000], 'dilations': [2, 2]}),
                              ('LRN', ['x'], {'size': 1 << 40}), ('Loop', ['s', '', 'x'], {}), ('If', ['x'], {}),
                              ('Einsum', ['x'], {'equation': '->->,,'}), ('Cast', ['x'], {'to': 77}),
                              ('HannWindow', ['s'], {}), ('DFT', ['x', 's'], {}), ('Col2Im', ['x', 's', 's'], {}),
                              ('RandomNormal', [], {'shape': [1 << 40]}), ('MelWeightMatrix', ['s'] * 5, {}),
                              ('CenterCropPad', ['x', 's'], {}), ('SequenceAt', ['x', 's'], {}), ('Scan', ['x'], {}),
                              ('GRU', ['x', 'x', 'x'], {'hidden_size': -1}), ('TfIdfVectorizer', ['x'], {}),
                              ('StringNormalizer', ['x'], {}), ('ConvTranspose', ['x', 'x'], {'output_shape': [huge, huge]})):
        yield model(graph([node(op, inputs, ['y'], **extra)], [value('x', [1, 1, 2, 2])], [value('y', [2])], [
            tensor('s', [1], [1 << 50], INT64), tensor('s2', [8], [1 << 40] * 8, INT64), tensor('o', [], [1], INT64),
            tensor('z', [], [0], INT64), tensor('f', [4], [1e9] * 4)]))


def nested(depth):
    made = graph([node('Neg', ['x'], ['y'])], [], [value('y', [2])])
    for _ in range(depth):
        made = graph([node('If', ['c'], ['y'], then_branch=made, else_branch=made)] if depth < 5 else
                     [node('If', ['c'], ['y'], then_branch=made)], [], [value('y', [2])])
    return model(graph([node('If', ['c'], ['y'], then_branch=made, else_branch=made)], [value('c', [], 9), value('x', [2])],
                       [value('y', [2])]))


def recursive():
    calls = field(1, 'F') + field(4, 'v') + field(5, 'w') + field(7, [node('F', ['v'], ['w'], domain='mine')]) + field(
        9, field(2, 17)) + field(10, 'mine')
    return model(graph([node('F', ['x'], ['y'], domain='mine')], [value('x', [2])], [value('y', [2])]), functions=[calls])


def doubling():
    """Functions that call each other twice, which are 2^30 nodes when they are written out."""
    made = []
    for i in range(30):
        made.append(field(1, 'F%d' % i) + field(4, 'v') + field(5, 'w') + field(7, [
            node('F%d' % (i + 1), ['v'], ['a'], domain='mine'), node('F%d' % (i + 1), ['a'], ['w'], domain='mine')]) + field(
                9, field(2, 17)) + field(10, 'mine'))
    return model(graph([node('F0', ['x'], ['y'], domain='mine')], [value('x', [2])], [value('y', [2])]), functions=made)


def damaged(rng, count):
    data = sound()
    for at in range(0, len(data), max(1, len(data) // count)):
        yield data[:at]
    for _ in range(count):
        bad = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 8))):
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        yield bytes(bad)
    for _ in range(count // 2):
        at = rng.randrange(len(data))
        yield data[:at] + varint(rng.getrandbits(rng.choice((8, 32, 63)))) + data[at + 1:]


def large():
    yield field(7, b'') * 300000
    yield model(b'\x0a\x00' * 300000)
    yield model(graph([node('Neg', ['x'], ['x'])] * 2000, [value('x', [2])], [value('x', [2])]))


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=150)
    parser.add_argument('--sanitized', action='store_true', help='without a limit of memory, and without models that take seconds or much memory')
    args = parser.parse_args()
    rng = random.Random(args.seed)
    models = [sound()] + list(lies()) + [nested(3), nested(40), nested(80), recursive()] + list(damaged(rng, args.count))
    if not args.sanitized:
        models += list(absurd()) + [doubling()] + list(large())
    tensh = os.path.abspath(args.tensh)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'open.py'), 'w') as f:
            f.write(SCRIPT)
        for i, data in enumerate(models):
            with open(os.path.join(folder, '%d.onnx' % i), 'wb') as f:
                f.write(data)
        done = subprocess.run([tensh, 'open.py', str(len(models))], cwd=folder, capture_output=True, text=True, errors='backslashreplace', timeout=600,
                              preexec_fn=None if args.sanitized else limit_memory)
    lines = done.stdout.rstrip('\n').split('\n')
    if done.returncode or len(lines) != len(models):
        print('stopped with %d at model %d of %d: %s' % (done.returncode, len(lines), len(models), done.stderr[-1000:]))
        bad = 1
    if lines and lines[0] != "0 ok'":
        print('the sound model failed: ' + lines[0])
        bad = 1
    kinds = {}
    for line in lines:
        kind = line.split(' ', 1)[1].split(':')[0].rstrip("'")
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind in ('SystemError', 'RecursionError', 'InternalError', 'UnboundLocalError', 'NameError'):
            print('not an error for a user: ' + line)
            bad = 1
    print('%d models: %s' % (len(lines), ', '.join('%s %d' % row for row in sorted(kinds.items()))))
    return bad


if __name__ == '__main__':
    sys.exit(main())
