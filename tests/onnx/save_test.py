#!/usr/bin/env python3
"""Writes the programs of save_cases.py as ONNX models, and compares what the models compute with what tensh computed.

    python3 tests/onnx/save_test.py --tensh build/tensh [--runtime] [NAME …]

The models are opened in tensh again. With --runtime, onnx checks them and onnxruntime runs them; the exit code is 77 if
these packages are not installed for this Python, or for that of TENSH_ONNX_PYTHON.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from save_cases import CASES

TOLERANCE = 2e-6  # relative to the largest element
START = '''
def x(shape):
    p = tf.placeholder(tf.float32, shape, name='x')
    feeds[p] = np.random.randn(*[2 if d is None else d for d in shape]).astype(np.float32)
    return p
def i(shape, most):
    p = tf.placeholder(tf.int32, shape, name='i')
    feeds[p] = np.random.randint(0, most, shape).astype(np.int32) if shape else np.array(1, np.int32)
    return p
def flat(y):
    return y if isinstance(y, list) else [y]
np.random.seed(7)
'''
SAVE = '''
feeds = {}
%(program)s
y = flat(y)
y = [tf.identity(t, name='out') for t in y]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    save %(name)s.onnx y on sess
    values = sess.run(y, feeds)
np.savez('%(name)s.npz', **dict([(p.op.name, v) for p, v in feeds.items()] + [(t.op.name, v) for t, v in zip(y, values)]))
'''
OPEN = '''
open %(name)s.onnx as model_%(name)s
data = np.load('%(name)s.npz')
run_it = model_%(name)s.run
got = run_it(**{k: data[k] for k in run_it.inputs})
for k in got:
    check('%(name)s', k, got[k], data[k])
'''
CHECK = '''
def check(name, key, got, want):
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        print('DIFFERS', name, key, got.shape, got.dtype, want.shape, want.dtype)
    elif want.size:
        error = np.max(np.abs(got.astype(np.float64) - want.astype(np.float64)))
        scale = max(1.0, np.max(np.abs(want.astype(np.float64))))
        if not error <= %g * scale:
            print('DIFFERS', name, key, error, scale)
'''
RUNTIME = '''
import glob, sys
import numpy as np
try:
    import onnx
    import onnxruntime
except ImportError:
    sys.exit(77)
onnxruntime.set_default_logger_severity(3)
for path in sorted(glob.glob('*.onnx')):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session, data = onnxruntime.InferenceSession(path), np.load(path[:-5] + '.npz')
    got = session.run(None, {i.name: data[i.name] for i in session.get_inputs()})
    for output, value in zip(session.get_outputs(), got):
        check(path, output.name, value, data[output.name])
'''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--runtime', action='store_true')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    tensh = os.path.abspath(args.tensh)
    python = os.environ.get('TENSH_ONNX_PYTHON') or sys.executable
    if args.runtime and subprocess.run([python, '-c', 'import onnx, onnxruntime'], capture_output=True).returncode:
        print('onnx and onnxruntime are not installed')
        sys.exit(77)
    cases = [(name.replace(' ', '_'), program) for name, program in CASES if not args.names or name in args.names]
    with tempfile.TemporaryDirectory() as folder:
        def run(command, script):
            done = subprocess.run(command, input=script, capture_output=True, text=True, cwd=folder, timeout=600)
            problems = [line for line in done.stdout.split('\n') if line.startswith('DIFFERS')]
            if done.returncode or problems or done.stderr:
                print('\n'.join(problems), done.stderr, done.stdout[-2000:], sep='\n')
                sys.exit('save_test: failed: ' + ' '.join(command))
        run([tensh], START + ''.join(SAVE % {'name': name, 'program': program} for name, program in cases))
        if args.runtime:
            run([python, '-'], CHECK % TOLERANCE + RUNTIME)
        else:
            run([tensh], CHECK % TOLERANCE + ''.join(OPEN % {'name': name} for name, _ in cases))
    print('%d models agree' % len(cases))


if __name__ == '__main__':
    main()
