#!/usr/bin/env python3
"""Makes the architectures of keras.applications with random weights, and runs each beside Keras.

    keras_models.py --tensh build/tensh --python VENV/bin/python [--folder DIR] [--markdown FILE] [NAME …]

VENV has Keras 3 with TensorFlow. The models are kept in DIR (~/.cache/tensh-zoo/keras), so that a second run only compares.
Prints a table, and exits with 1 if a model does not open or an output differs by more than 1e-4 of the largest.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

NAMES = {'MobileNetV2': 96, 'MobileNetV3Small': 96, 'ResNet50': 96, 'EfficientNetB0': 96, 'DenseNet121': 96, 'InceptionV3': 107,
         'ConvNeXtTiny': 96, 'NASNetMobile': 224, 'Xception': 107, 'VGG16': 64, 'ResNet50V2': 96, 'MobileNet': 96, 'EfficientNetV2B0': 96,
         'InceptionResNetV2': 107}

# Run in Keras: makes a model and records its output.
MAKE = '''
import json, os, sys, time
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['TF_ENABLE_ONEDNN_OPTS'] = '0'
import keras, numpy as np
name, size, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
keras.utils.set_random_seed(7)
model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10)
rng = np.random.RandomState(1)
for w in model.weights:
    if 'moving_variance' in w.path or 'gamma' in w.path:
        w.assign(rng.uniform(.8, 1.2, w.shape))
    elif len(w.shape) == 1 and w.shape[0] > 3:
        w.assign(rng.uniform(-.1, .1, w.shape))
x = rng.uniform(0, 255 if 'Efficient' in name or 'V3' in name or 'ConvNeXt' in name else 1, (1, size, size, 3)).astype('float32')
y, spent = np.array(model(x, training=False)), 1e9
f = __import__('tensorflow').function(model)
for _ in range(4):
    began = time.perf_counter()
    f(x, training=False)
    spent = min(spent, time.perf_counter() - began)
model.save(path)
np.save(path + '.x.npy', x)
np.save(path + '.y.npy', y)
json.dump({'ms': spent * 1000}, open(path + '.json', 'w'))
'''
# Run in tensh: opens the model and compares.
RUN = '''
import json, time
began = time.time()
open %(path)r as m
opened = time.time() - began
x, y = np.load(%(path)r + '.x.npy'), np.load(%(path)r + '.y.npy')
made = list(m.run(x).values())[0]
spent = 1e9
for _ in range(4):
    began = time.perf_counter()
    m.run(x)
    spent = min(spent, time.perf_counter() - began)
print(json.dumps({'opened': opened, 'ms': spent * 1000, 'error': float(np.max(np.abs(made - y)) / np.max(np.abs(y))),
                  'spread': float(np.max(y) - np.min(y)), 'missing': m._about['missing'], 'parameters': m._about['parameters']}))
'''
HEADS = ['model', 'parameters', 'MB on disk', 'opens in s', 'worst difference', 'ms', 'ms TensorFlow', 'MB of memory']


def compare(options, name):
    """Returns the row of the table, and a problem or None."""
    path = os.path.join(options.folder, name + '.keras')
    if not os.path.exists(path + '.json'):
        made = subprocess.run([options.python, '-c', MAKE, name, str(NAMES[name]), path], capture_output=True, text=True)
        if made.returncode:
            return None, 'cannot be made: ' + made.stderr.strip()[-300:]
    with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
        script.write(RUN % {'path': path})
        script.flush()
        done = subprocess.run(['/usr/bin/time', '-f', '@%M', options.tensh, script.name] if os.path.exists('/usr/bin/time') else
                              [options.tensh, script.name], capture_output=True, text=True, timeout=900)
    if done.returncode:
        return None, done.stderr.strip()[-600:]
    found = json.loads(done.stdout)
    memory = [line[1:] for line in done.stderr.splitlines() if line.startswith('@')]
    row = [name, '{:,}'.format(found['parameters']), '%.1f' % (os.path.getsize(path) / 1e6), '%.2f' % found['opened'],
           '%.1e' % found['error'], '%.1f' % found['ms'], '%.1f' % json.load(open(path + '.json'))['ms'],
           '%.0f' % (int(memory[-1]) / 1000) if memory else '']
    if found['missing']:
        return row, found['missing'][0]
    if not found['error'] <= 1e-4 or found['spread'] == 0:
        return row, 'its output differs by %.1e' % found['error']
    return row, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--python', required=True)
    parser.add_argument('--folder', default=os.path.expanduser('~/.cache/tensh-zoo/keras'))
    parser.add_argument('--markdown')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    options.tensh, options.folder = os.path.abspath(options.tensh), os.path.abspath(options.folder)
    os.makedirs(options.folder, exist_ok=True)
    rows, failed = [], 0
    print('%-18s %12s %10s %10s %16s %8s %13s %12s' % tuple(HEADS))
    for name in options.names or NAMES:
        row, problem = compare(options, name)
        rows += [row] if row else []
        print('%-18s %12s %10s %10s %16s %8s %13s %12s' % tuple(row or [name] + [''] * 7), flush=True)
        if problem:
            failed += 1
            print('    ' + problem)
    if options.markdown:
        with open(options.markdown, 'w') as f:
            for row in [HEADS, ['---'] * len(HEADS)] + rows:
                f.write('| %s |\n' % ' | '.join(row))
    print('keras: %d models, %d problems' % (len(rows), failed))
    return 1 if failed or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
