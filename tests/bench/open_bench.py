#!/usr/bin/env python3
"""./dev bench open [CASE …] [--mb N] [--write]

Measures opening models with large weights, and one run of each: the time and the peak memory of a process of tensh, and
of TensorFlow ($TENSH_TF_PYTHON) and onnxruntime ($TENSH_ORT_PYTHON) if they are there, whose imports are not
counted. Then a checkpoint of twice the size is saved and restored, beside the rate at which `cat` reads it from the page cache.
The files are written to a temporary folder. CASE selects the rows whose names contain it. --write updates the section "Models"
of docs/performance.md.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TENSH = os.path.join(os.environ.get('TENSH_BUILD', os.path.join(ROOT, 'build')), 'tensh')
PAGE = os.path.join(ROOT, 'docs', 'performance.md')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'models'))
from nets import cpu_name  # noqa: E402
from wire import FLOAT, attr, f, kind, placeholder, shape_of, varint, versions  # noqa: E402

PARTS, COLUMNS = 8, 1024


# ---- files ----

def elements(rows):
    """The bytes of a matrix [rows, COLUMNS] of floats, which are not constant."""
    line = struct.pack('<%df' % COLUMNS, *[i % 97 / 97.0 for i in range(COLUMNS)])
    return line * rows


def bytes_field(out, number, size):
    out.write(varint(number << 3 | 2) + varint(size))


def nested(out, numbers, inner, size):
    """Writes the heads of messages in each other; each one has (field, bytes before the next) and the last one `size` bytes."""
    sizes = [size]
    for number, before in reversed(inner):
        sizes.append(len(before) + len(varint(number << 3 | 2)) + len(varint(sizes[-1])) + sizes[-1])
    sizes.reverse()
    bytes_field(out, numbers, sizes[0])
    for (number, before), inside in zip(inner, sizes[1:]):
        out.write(before)
        bytes_field(out, number, inside)


def write_frozen(path, rows, data):
    with open(path, 'wb') as out:
        out.write(placeholder('x', [1, rows]))
        for i in range(PARTS):
            tensor = f(1, FLOAT) + f(2, shape_of([rows, COLUMNS]))
            nested(out, 1, [(5, f(1, 'w%d' % i) + f(2, 'Const') + kind(FLOAT, 'dtype')), (2, f(1, 'value')), (8, b''), (4, tensor)],
                   len(data))
            out.write(data)
        for i in range(PARTS):
            out.write(f(1, f(1, 'm%d' % i) + f(2, 'MatMul') + f(3, 'x') + f(3, 'w%d' % i) + kind(FLOAT)))
        out.write(f(1, f(1, 'y') + f(2, 'AddN') + b''.join(f(3, 'm%d' % i) for i in range(PARTS)) + kind(FLOAT) +
                    attr('N', f(3, PARTS))) + versions())


def write_onnx(path, rows, data, external):
    io = lambda name, dims: f(1, name) + f(2, f(1, f(1, 1) + f(2, b''.join(f(1, f(1, d)) for d in dims))))
    tail = b''.join(f(1, f(1, 'x') + f(1, 'w%d' % i) + f(2, 'm%d' % i) + f(4, 'MatMul')) for i in range(PARTS))
    tail += f(1, b''.join(f(1, 'm%d' % i) for i in range(PARTS)) + f(2, 'y') + f(4, 'Sum'))
    tail += f(2, 'g') + f(11, io('x', [1, rows])) + f(12, io('y', [1, COLUMNS]))
    heads = []
    for i in range(PARTS):
        tensor = f(1, rows) + f(1, COLUMNS) + f(2, 1) + f(8, 'w%d' % i)
        if external:
            place = {'location': external, 'offset': i * len(data), 'length': len(data)}
            heads.append(f(5, tensor + b''.join(f(13, f(1, k) + f(2, str(v))) for k, v in place.items()) + f(14, 1)))
            continue
        raw = varint(9 << 3 | 2) + varint(len(data))
        heads.append(varint(5 << 3 | 2) + varint(len(tensor) + len(raw) + len(data)) + tensor + raw)
    size = len(tail) + sum(len(h) + (0 if external else len(data)) for h in heads)
    with open(path, 'wb') as out:
        out.write(f(1, 8) + f(8, f(1, '') + f(2, 13)))
        bytes_field(out, 7, size)
        for head in heads:
            out.write(head)
            if not external:
                out.write(data)
        out.write(tail)
    if external:
        with open(os.path.join(os.path.dirname(path), external), 'wb') as out:
            for _ in range(PARTS):
                out.write(data)


def write_safetensors(path, rows, data):
    head = json.dumps({'w%d' % i: {'dtype': 'F32', 'shape': [rows, COLUMNS], 'data_offsets': [i * len(data), (i + 1) * len(data)]}
                       for i in range(PARTS)}).encode()
    with open(path, 'wb') as out:
        out.write(struct.pack('<Q', len(head)) + head)
        for _ in range(PARTS):
            out.write(data)


def write_npz(path, rows, data):
    import zipfile
    head = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, COLUMNS)).encode()
    head += b' ' * (63 - (len(head) + 10) % 64) + b'\n'
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as out:
        for i in range(PARTS):
            with out.open('w%d.npy' % i, 'w') as member:
                member.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + data)


MODEL = '''
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [1, %(rows)d], name='x')
w = [tf.Variable(tf.fill([%(rows)d, %(columns)d], .5 + i), name='w%%d' %% i) for i in range(%(parts)d)]
y = tf.add_n([tf.matmul(x, v) for v in w], name='y')
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(s, 'saved', {'x': x}, {'y': y})
'''

# Prints the peak memory of a process. What wait4 tells includes the process that started it.
PEAK = "print('PEAK', open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
# The other programs print the seconds that they need after their imports.
FROZEN = '''
import time, numpy as np, tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
t = time.time()
g = tf.GraphDef()
g.ParseFromString(open('frozen.pb', 'rb').read())
tf.import_graph_def(g, name='')
with tf.Session() as s:
    if %(run)d: s.run('y:0', {'x:0': np.ones([1, %(rows)d], np.float32)})
print('SECONDS', time.time() - t)
''' + PEAK
SAVED = '''
import time, numpy as np, tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
t = time.time()
with tf.Session() as s:
    tf.saved_model.loader.load(s, ['serve'], 'saved')
    if %(run)d: s.run('y:0', {'x:0': np.ones([1, %(rows)d], np.float32)})
print('SECONDS', time.time() - t)
''' + PEAK
ORT = '''
import time, numpy as np, onnxruntime
t = time.time()
s = onnxruntime.InferenceSession('%(file)s', providers=['CPUExecutionProvider'])
if %(run)d: s.run(None, {'x': np.ones([1, %(rows)d], np.float32)})
print('SECONDS', time.time() - t)
''' + PEAK
ARRAYS = '''
import time, numpy as np, tensorflow
t = time.time()
a = np.load('weights.npz')
if %(run)d: a['w3'].sum()
print('SECONDS', time.time() - t)
''' + PEAK
CHECKPOINT = '''
import time, tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
vs = [tf.Variable(tf.fill([%(rows)d, %(columns)d], float(i) + .5), name='v%%d' %% i) for i in range(2 * %(parts)d)]
saver = tf.train.Saver()
best = {}
def timed(name, call):
    t = time.time()
    call()
    best[name] = min(time.time() - t, best.get(name, 1e9))
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for i in range(3):
        timed('save', lambda: saver.save(s, 'ckpt_%(side)s/model', write_meta_graph=False))
for i in range(3):
    with tf.Session() as s:
        timed('restore', lambda: saver.restore(s, 'ckpt_%(side)s/model'))
        timed('again', lambda: saver.restore(s, 'ckpt_%(side)s/model'))
print('TIMES', best['save'], best['restore'], best['again'])
'''
GRAPH = '''
import tensorflow.compat.v1 as tf
x = tf.placeholder(tf.float32, [1], name='x')
for i in range(1000000 - 1):
    x = tf.negative(x)
open('million.pb', 'wb').write(tf.get_default_graph().as_graph_def().SerializeToString())
'''


# ---- measurements ----

def process(args, folder):
    """Returns the seconds and the output of a process."""
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='', PYTHONWARNINGS='ignore')
    start = time.time()
    done = subprocess.run(args, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    seconds = time.time() - start
    if done.returncode != 0:
        sys.exit('open: %s failed:\n%s' % (' '.join(args)[:200], done.stdout[-2000:]))
    return seconds, done.stdout


def best_of(rounds, args, folder):
    """Returns the least seconds and the least peak memory. A program that prints SECONDS has measured itself."""
    seconds, memory = 1e9, 1e18
    for _ in range(rounds):
        took, text = process(args, folder)
        told = dict(line.split() for line in text.split('\n') if line.startswith(('SECONDS ', 'PEAK ')))
        seconds = min(seconds, float(told.get('SECONDS', took)))
        memory = min(memory, float(told['PEAK']) * 1024)
    return seconds, memory


def cell(measured):
    return '' if measured is None else '%.2f s, %.0f MB' % (measured[0], measured[1] / 1e6)


def models(folder, rows, selected, pythons, rounds):
    """Yields the rows of the table of models."""
    ones = 'feed x=np.ones([1,%d],np.float32)' % rows
    cases = [('GraphDef', 'frozen.pb', 'eval y ' + ones, FROZEN, 'tf'), ('SavedModel', 'saved', 'eval y ' + ones, SAVED, 'tf'),
             ('ONNX', 'raw.onnx', 'eval y ' + ones, ORT, 'ort'), ('ONNX, external data', 'ext.onnx', 'eval y ' + ones, ORT, 'ort'),
             ('safetensors', 'weights.safetensors', "print(np.sum(m['w3']))", None, None),
             ('npz', 'weights.npz', "print(np.sum(m['w3']))", ARRAYS, 'tf')]
    for name, file, run, script, who in cases:
        if not selected(name):
            continue
        scope = ' as m' if file.startswith('weights') else ''
        for with_run in (0, 1):
            args = [TENSH, '-c', 'open %s%s' % (file, scope)] + (['-c', run] if with_run else []) + ['-c', PEAK]
            other = pythons.get(who)
            theirs = best_of(rounds, [other, '-c', script % {'run': with_run, 'rows': rows, 'file': file}], folder) if other else None
            yield ['%s, %s' % (name, 'opened and run' if with_run else 'opened'), cell(best_of(rounds, args, folder)),
                   cell(theirs) + (' (onnxruntime)' if theirs and who == 'ort' else '')]


def checkpoints(folder, rows, pythons):
    """Yields the rows of the table for a checkpoint, and for reading its file."""
    sides, places = {}, {'rows': rows, 'columns': COLUMNS, 'parts': PARTS}
    for side, program in (('tensh', TENSH), ('tf', pythons.get('tf'))):
        if program:
            path = os.path.join(folder, 'ckpt.py')
            with open(path, 'w', encoding='utf-8') as out:
                out.write(CHECKPOINT % dict(places, side=side))
            _, text = process([program, path], folder)
            sides[side] = [float(t) for t in text.split('TIMES ')[1].split()[:3]]
    data = os.path.join(folder, 'ckpt_tensh', 'model.data-00000-of-00001')
    size, read = os.path.getsize(data), 1e9
    for _ in range(3):
        start = time.time()
        with open(os.devnull, 'wb') as null:
            subprocess.run('cat %s | cat' % data, shell=True, stdout=null, check=True)
        start_dd = time.time()
        subprocess.run(['dd', 'if=' + data, 'of=/dev/null', 'bs=1M'], stderr=subprocess.DEVNULL, check=True)
        read = min(read, time.time() - start_dd, start_dd - start)
    rate = lambda seconds: '%.2f s, %.1f GB/s' % (seconds, size / seconds / 1e9)
    for i, what in enumerate(('saved', 'restored', 'restored again')):
        yield ['a checkpoint of %.1f GB, %s' % (size / 1e9, what)] + [rate(sides[s][i]) if s in sides else '' for s in ('tensh', 'tf')]
    yield ['reading its file: dd or cat', rate(read), '']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('case', nargs='*')
    parser.add_argument('--mb', type=int, default=500)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--folder', help='where the files are written')
    parser.add_argument('--write', action='store_true')
    args = parser.parse_args()
    selected = lambda name: not args.case or any(part.lower() in name.lower() for part in args.case)
    pythons = {'tf': os.environ.get('TENSH_TF_PYTHON', os.path.join(ROOT, '.venv', 'bin', 'python')),
               'ort': os.environ.get('TENSH_ORT_PYTHON', '')}
    pythons = {k: v for k, v in pythons.items() if os.path.exists(v)}
    rows = args.mb * 1000000 // (PARTS * COLUMNS * 4)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        data = elements(rows)
        at = lambda name: os.path.join(folder, name)
        write_frozen(at('frozen.pb'), rows, data)
        write_onnx(at('raw.onnx'), rows, data, None)
        write_onnx(at('ext.onnx'), rows, data, 'ext.bin')
        write_safetensors(at('weights.safetensors'), rows, data)
        write_npz(at('weights.npz'), rows, data)
        del data
        if selected('SavedModel'):
            process([TENSH, '-c', MODEL % {'rows': rows, 'columns': COLUMNS, 'parts': PARTS}], folder)
        lines = list(models(folder, rows, selected, pythons, args.rounds))
        if selected('checkpoint'):
            lines += list(checkpoints(folder, rows, pythons))
        if selected('million nodes'):
            process([TENSH, '-c', GRAPH], folder)
            lines.append(['a graph of a million nodes, opened', cell(best_of(args.rounds, [TENSH, '-c', 'open million.pb', '-c', PEAK], folder)), ''])
    text = table_of(lines)
    print(text)
    if args.write:
        write(text, args.mb)


def table_of(lines):
    lines = [['weights', 'tensh', 'TensorFlow']] + lines
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    out = ['| %s |' % ' | '.join(c.ljust(w) for c, w in zip(line, widths)) for line in lines]
    out.insert(1, '|%s|' % '|'.join('-' * (w + 2) for w in widths))
    return '\n'.join(out)


def write(text, megabytes):
    with open(PAGE, encoding='utf-8') as page:
        whole = page.read()
    begin, end = '<!-- open: begin -->', '<!-- open: end -->'
    about = 'Measured on %s, %s, with %d MB of weights; load average %.1f.' % (
        time.strftime('%Y-%m-%d'), cpu_name(), megabytes, os.getloadavg()[0])
    with open(PAGE, 'w', encoding='utf-8') as page:
        page.write('%s%s\n%s\n\n%s\n%s%s' % (whole.split(begin)[0], begin, about, text, end, whole.split(end)[1]))


if __name__ == '__main__':
    main()
