#!/usr/bin/env python3
"""Opens damaged TensorFlow Lite models: truncated, with flipped bits, with sizes that are not true, and that call themselves.

    python3 tests/tflite/hostile_test.py --tensh build/tensh [--seed N] [--count N]

Each must end with an error of Python or open as a model, in limited memory and time. All of them are opened in a few processes.
"""
import argparse
import base64
import json
import lzma
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY = 2 << 30

SCRIPT = '''
from _library import tflite
import sys
for i in range(int(sys.argv[1])):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            opened = tflite.open_model('%d.tflite' % i, '', session)
            tflite.describe(opened, None, tflite.labels_of(opened.model))
            for _, inputs, outputs in opened.signatures[:1]:
                feeds = {v: np.zeros([d or 1 for d in v.shape.as_list()] if v.shape.ndims else [], v.dtype.as_numpy_dtype)
                         for v in inputs.values() if v.dtype != tf.string and (v.shape.num_elements() or 0) < 1000000}
                session.run(list(outputs.values()), feeds)
            result = 'ok'
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as e:
            result = type(e).__name__ + ': ' + str(e)
        print(i, repr(result)[1:-1][:300], flush=True)
'''


def table(fields):
    """A table of the FlatBuffer: {number: bytes of a scalar, or what it points to: a Table, a list of Tables, bytes, text}."""
    return ('table', fields)


def flat(root):
    """Writes tables front to back, so that every offset points forward."""
    data = bytearray(b'\0\0\0\0TFL3')

    def pad():
        while len(data) % 8:
            data.append(0)

    def write(value):
        pad()
        if isinstance(value, tuple) and value[0] == 'table':
            fields = value[1]
            size = 4 + 2 * (max(fields or [0]) + 1)
            at = len(data)
            data.extend(struct.pack('<HH', size, 4) + bytes(size - 4))
            pad()
            start = len(data)
            data.extend(struct.pack('<i', start - at))
            later = []
            for number, v in sorted(fields.items()):
                if isinstance(v, bytes):
                    while len(data) % len(v):
                        data.append(0)
                place = len(data)
                data[at + 4 + 2 * number:at + 6 + 2 * number] = struct.pack('<H', place - start)
                if isinstance(v, bytes):
                    data.extend(v)
                else:
                    data.extend(bytes(4))
                    later.append((place, v))
            for place, v in later:
                target = write(v)
                data[place:place + 4] = struct.pack('<I', target - place)
            return start
        if isinstance(value, list):
            at = len(data)
            data.extend(struct.pack('<I', len(value)))
            places = len(data)
            data.extend(bytes(4 * len(value)))
            for i, v in enumerate(value):
                target = write(v)
                data[places + 4 * i:places + 4 * i + 4] = struct.pack('<I', target - places - 4 * i)
            return at
        kind, content = value if isinstance(value, tuple) else ('bytes', value)
        at = len(data)
        count = len(content) // {'i32': 4}.get(kind, 1)
        data.extend(struct.pack('<I', count) + content)
        return at
    data[:4] = struct.pack('<I', write(root))
    return bytes(data)


def ints(*values):
    return ('i32', struct.pack('<%di' % len(values), *values))


def text(value):
    return ('text', value.encode())


def u32(v):
    return struct.pack('<I', v)


def tensor(name, dims, kind=0, buffer=0, **more):
    return table(dict({0: ints(*dims), 1: bytes([kind]), 2: u32(buffer), 3: text(name)}, **more))


def operator(code, inputs, outputs, options=None, kind=0):
    fields = {0: u32(code), 1: ints(*inputs), 2: ints(*outputs)}
    if options is not None:
        fields.update({3: bytes([kind]), 4: table(options)})
    return table(fields)


def graph(tensors, inputs, outputs, operators):
    return table({0: tensors, 1: ints(*inputs), 2: ints(*outputs), 3: operators})


def model(graphs, codes, buffers=()):
    return flat(table({0: u32(3), 1: [table({0: bytes([min(c, 127)]), 3: struct.pack('<i', c)}) for c in codes], 2: graphs,
                       4: [table({})] + [table({0: ('data', b)}) for b in buffers]}))


def one(code, dims, options=None, extra=(), buffers=(), kind=0):
    """A model of one operator on x and constants."""
    tensors = [tensor('x', dims)] + list(extra) + [tensor('y', dims)]
    return model([graph(tensors, [0], [len(tensors) - 1], [operator(0, list(range(len(tensors) - 1)), [len(tensors) - 1], options, kind)])],
                 [code], buffers)


def lies():
    huge = 0x7fffffff
    yield one(19, [2])  # a sound model of RELU
    yield b'\x08\0\0\0TFL3'
    yield b'\xff\xff\xff\xffTFL3' + bytes(100)
    yield b'\x08\0\0\0TFL3' + b'\xff' * 100
    yield model([], [])
    yield model([graph([tensor('x', [2])], [5], [9], [])], [])
    yield model([graph([tensor('x', [2])], [0], [0], [operator(7, [0], [0])])], [19])
    yield model([graph([tensor('x', [2]), tensor('y', [2])], [0], [1], [operator(0, [1], [1])])], [19])  # an operator that reads its own output
    yield model([graph([tensor('x', [2]), tensor('y', [2])], [0], [1], [])], [19])
    for dims in ([huge, huge], [huge] * 9, [-5, 3], [1] * 100, [0, huge]):
        yield one(19, dims)
        yield one(0, dims, {}, [tensor('c', dims, 0, 1)], [b'\0' * 8])
    for kind in (-1, 5, 13, 14, 17, 19, 99):
        yield one(0, [2], {}, [tensor('c', [3], kind & 255, 1)], [b'\xff' * 8])
    yield one(0, [2], {}, [tensor('c', [2], 0, 77)])
    for n in (0, 1, huge):  # texts
        yield one(0, [2], {}, [tensor('c', [2], 5, 1)], [struct.pack('<Iii', n, 4, -9) + b'abc'])
    for code in range(210):  # each operator with an input, with inputs that are absurd numbers, and without options
        numbers = struct.pack('<4i', huge, -huge, 1 << 30, -1)
        yield one(code, [1, 4], {}, [tensor('c', [4], 2, 1), tensor('d', [4], 2, 1)], [numbers])
        yield one(code, [2, 2], {n: struct.pack('<i', huge if n % 2 else -huge) for n in range(6)}, [tensor('c', [2, 2], 2, 1)], [numbers])
    # Graphs that call themselves, and that call another twice: 2^20 graphs.
    call, options = 31, {0: u32(0)}
    yield model([graph([tensor('x', [2]), tensor('y', [2])], [0], [1], [operator(0, [0], [1], options, 99)])], [call])
    yield model([graph([tensor('x', [2]), tensor('y', [2]), tensor('z', [2])], [0], [2], [
        operator(0, [0], [1], {0: u32(i + 1)}, 99), operator(0, [1], [2], {0: u32(i + 1)}, 99)]) for i in range(20)], [call])
    for code in (118, 119, 129, 200, 206, 209):
        yield model([graph([tensor('p', [], 6), tensor('x', [2]), tensor('y', [], 6), tensor('z', [2])], [0, 1], [2, 3], [
            operator(0, [0, 1], [2, 3], {0: u32(0), 1: u32(0)}, 99)])], [code])
    yield same_tables()


def same_tables():
    """A list of 60,000 graphs that are all the same one."""
    data = bytearray(model([graph([tensor('x', [2])], [0], [0], [])], [19]))
    root = struct.unpack_from('<I', data, 0)[0]
    vtable = root - struct.unpack_from('<i', data, root)[0]
    place = root + struct.unpack_from('<H', data, vtable + 4 + 4)[0]
    old = place + struct.unpack_from('<I', data, place)[0]
    target = old + 4 + struct.unpack_from('<I', data, old + 4)[0]
    while len(data) % 4:
        data.append(0)
    # An offset is unsigned, so the list is in front of the graph in a copy of the file.
    n = 60000
    shift = 4 + 4 * n
    shift += -shift % 8
    copy = bytearray(data[:8]) + bytearray(shift) + data[8:]
    struct.pack_into('<I', copy, 0, root + shift)
    struct.pack_into('<I', copy, 8, n)
    for i in range(n):
        struct.pack_into('<I', copy, 12 + 4 * i, target + shift - 12 - 4 * i)
    struct.pack_into('<I', copy, place + shift, (8 - place - shift) & 0xffffffff)
    return bytes(copy)


def damaged(sound, count, rng):
    for data in sound:
        for size in range(0, len(data), 64):
            yield data[:size]
    for i in range(count):
        data = bytearray(rng.choice(sound))
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(len(data))
            if rng.random() < .5:
                data[at] ^= 1 << rng.randrange(8)
            else:
                data[at] = rng.choice((0, 1, 127, 128, 255))
        yield bytes(data)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(tensh, files, sanitized):
    """Opens the files. Returns the problems."""
    with tempfile.TemporaryDirectory() as folder:
        for i, data in enumerate(files):
            with open(os.path.join(folder, '%d.tflite' % i), 'wb') as f:
                f.write(data)
        with open(os.path.join(folder, 'run.py'), 'w') as f:
            f.write(SCRIPT)
        done = subprocess.run([tensh, 'run.py', str(len(files))], cwd=folder, capture_output=True, text=True, errors='replace',
                              timeout=1200, preexec_fn=None if sanitized else limited)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(files):
        return ['file %d: tensh ended with %d: %s' % (len(lines), done.returncode, done.stderr[-2000:])], lines
    return [], lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--sanitized', action='store_true', help='no limit of addresses')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--keep', help='where the file at which tensh ended is written')
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with lzma.open(os.path.join(HERE, 'recorded.json.xz'), 'rt') as f:
        recorded = {c['name']: base64.b64decode(c['model']) for c in json.load(f)}
    whole = [recorded[n] for n in ('CONV_2D int8', 'WHILE', 'VAR_HANDLE', 'HASHTABLE', 'UNIDIRECTIONAL_SEQUENCE_LSTM', 'DENSIFY',
                                   'TFLite_Detection_PostProcess', 'ADD signatures', 'FlexMatrixInverse')]
    files = list(lies()) + list(damaged(whole, args.count, rng))
    tensh, problems, opened = os.path.abspath(args.tensh), [], 0
    for begin in range(0, len(files), 400):
        part = files[begin:begin + 400]
        found, lines = run(tensh, part, args.sanitized)
        problems += found
        opened += sum(line.split(' ', 1)[1] == 'ok' for line in lines)
        if args.list:
            print('\n'.join('%d %s' % (begin + i, line) for i, line in enumerate(lines)))
        if found and args.keep:
            with open(args.keep, 'wb') as f:
                f.write(part[len(lines)])
    print('\n'.join(problems))
    print('%d files, %d open, %d problems' % (len(files), opened, len(problems)))
    return 1 if problems or not opened else 0


if __name__ == '__main__':
    sys.exit(main())
