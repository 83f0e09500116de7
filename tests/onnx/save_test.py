#!/usr/bin/env python3
"""Writes the programs of save_cases.py as models of ONNX and TensorFlow Lite, and compares what the models compute with what
tensh computed.

    python3 tests/onnx/save_test.py --tensh build/tensh [--runtime] [NAME …]

The models are opened in tensh again. With --runtime, onnx checks them and onnxruntime runs them, and ai-edge-litert runs those of
TensorFlow Lite. The exit code is 77 if none of these packages is installed for this Python, or for those of TENSH_ONNX_PYTHON
and TENSH_TFLITE_PYTHON.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from save_cases import CASES, NOT_LITE

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
    lite = [t for k, t in enumerate(y) if k not in %(not_lite)s]
    save %(name)s.tflite lite on sess
    values = sess.run(y, feeds)
np.savez('%(name)s.npz', **dict([(p.op.name, v) for p, v in feeds.items()] + [(t.op.name, v) for t, v in zip(y, values)]))
'''
OPEN = '''
open %(name)s.%(format)s as model_%(name)s_%(format)s
data = np.load('%(name)s.npz')
run_it = model_%(name)s_%(format)s.%(signature)s
got = run_it(**{k: data[k] for k in run_it.inputs})
for k in got:
    check('%(name)s.%(format)s', k, got[k], data[k])
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
ONNX = '''
import glob
import numpy as np
import onnx
import onnxruntime
onnxruntime.set_default_logger_severity(3)
for path in sorted(glob.glob('*.onnx')):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session, data = onnxruntime.InferenceSession(path), np.load(path[:-5] + '.npz')
    got = session.run(None, {i.name: data[i.name] for i in session.get_inputs()})
    for output, value in zip(session.get_outputs(), got):
        check(path, output.name, value, data[output.name])
'''
LITE = '''
import glob
import numpy as np
from ai_edge_litert.interpreter import Interpreter
for path in sorted(glob.glob('*.tflite')):
    run, data = Interpreter(path, num_threads=1).get_signature_runner(), np.load(path[:-7] + '.npz')
    for key, value in run(**{k: data[k] for k in run.get_input_details()}).items():
        check(path, key, value, data[key])
'''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--runtime', action='store_true')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    tensh = os.path.abspath(args.tensh)
    runtimes = []
    for variable, modules, script in (('TENSH_ONNX_PYTHON', 'onnx, onnxruntime', ONNX), ('TENSH_TFLITE_PYTHON', 'ai_edge_litert', LITE)):
        python = os.environ.get(variable) or sys.executable
        if args.runtime and not subprocess.run([python, '-c', 'import ' + modules], capture_output=True).returncode:
            runtimes.append((python, script))
    if args.runtime and not runtimes:
        print('onnxruntime and ai_edge_litert are not installed')
        sys.exit(77)
    cases = [(name.replace(' ', '_'), program) for name, program in CASES if not args.names or name in args.names]
    with tempfile.TemporaryDirectory() as folder:
        def run(command, script, quiet=True):
            done = subprocess.run(command, input=script, capture_output=True, text=True, cwd=folder, timeout=600)
            problems = [line for line in done.stdout.split('\n') if line.startswith('DIFFERS')]
            if done.returncode or problems or quiet and done.stderr:
                print('\n'.join(problems), done.stderr, done.stdout[-2000:], sep='\n')
                sys.exit('save_test: failed: ' + ' '.join(command))
        run([tensh], START + ''.join(SAVE % {'name': name, 'program': program, 'not_lite': NOT_LITE.get(name, ())}
                                     for name, program in cases))
        for python, script in runtimes:
            run([python, '-'], CHECK % TOLERANCE + script, False)
        if not args.runtime:
            run([tensh], CHECK % TOLERANCE + ''.join(OPEN % {'name': name, 'format': form, 'signature': signature} for name, _ in cases
                                                     for form, signature in (('onnx', 'run'), ('tflite', 'serving_default'))))
    print('%d models agree' % len(cases))


if __name__ == '__main__':
    main()
