#!/usr/bin/env python3
"""Records the cases of cases.py: model files of Keras, and the outputs of Keras for random inputs.

    record.py [--library keras|tf_keras] [--out FOLDER] [CASE …]

Run it with a Python that has TensorFlow, and tf_keras for Keras 2. For each case it writes FOLDER/LIBRARY-CASE.keras,
.h5 and .json, and FOLDER/LIBRARY-CASE.weights.h5 for a few. recorded.py packs them.
"""
import argparse
import importlib
import json
import os
import sys
import zipfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
import numpy as np  # noqa: E402

import cases  # noqa: E402


def encoded(a):
    a = np.asarray(a)
    if a.dtype.kind in 'OSU':
        return {'dtype': 'string', 'shape': list(a.shape), 'values': [v.decode() if isinstance(v, bytes) else str(v) for v in a.reshape(-1)]}
    if a.dtype.kind == 'b':
        return {'dtype': 'bool', 'shape': list(a.shape), 'values': [int(v) for v in a.reshape(-1)]}
    if a.dtype.kind in 'iu':
        return {'dtype': a.dtype.name, 'shape': list(a.shape), 'values': [int(v) for v in a.reshape(-1)]}
    return {'dtype': 'float32', 'shape': list(a.shape), 'values': [float('%.6g' % v) for v in a.astype('float64').reshape(-1)]}


def record(K, case, out):
    K.utils.set_random_seed(7)
    K.backend.clear_session()
    model = case(K)
    cases.randomize(model)
    feeds = cases.values(model)
    import tensorflow as tf
    given = [tf.constant(feeds[x.name.split(':')[0]]) for x in model.inputs]
    # The CPU's kernels for convolutions do not have the channels first, but the compiler does.
    run = tf.function(model, jit_compile=True) if case.__name__ == 'channels_first' else model
    found = run(given if len(given) > 1 else given[0], training=False)
    found = found if isinstance(found, (list, tuple)) else [found]
    second = run(given[0], training=False) if case is cases.stateful else []
    if case.__name__ == 'sequential':
        model.compile('adam', 'sparse_categorical_crossentropy')
    base = os.path.join(out, '%s-%s' % (K.__name__, case.__name__))
    files = []
    for ending in ('.keras', '.h5', '.weights.h5'):
        try:
            if ending == '.weights.h5':
                if case.__name__ not in ('nested', 'sequential'):
                    continue
                model.save_weights(base + ending)
            else:
                if case is cases.adapted and ending == '.h5':
                    continue  # Keras leaves vocabularies out
                model.save(base + ending)
            files.append(os.path.basename(base + ending))
        except Exception as e:
            print('%s%s: %s' % (base, ending, str(e)[:200].replace('\n', ' ')), file=sys.stderr)
            if os.path.exists(base + ending):
                os.unlink(base + ending)
    if case.__name__ == 'sequential' and K.__name__ == 'keras':
        with zipfile.ZipFile(base + '.keras') as old, zipfile.ZipFile(base + '-deflated.keras', 'w', zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))
        files.append(os.path.basename(base + '-deflated.keras'))
    with open(base + '.json', 'w') as f:
        json.dump({'files': files, 'rough': case is cases.mixed, 'inputs': [encoded(feeds[x.name.split(':')[0]]) for x in model.inputs],
                   'outputs': [encoded(y.numpy() if hasattr(y, 'numpy') else y) for y in found],
                   'second': [encoded(y.numpy()) for y in second]}, f)
    print(base, files, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--library', default='keras')
    parser.add_argument('--out', default='recorded')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    K = importlib.import_module(options.library)
    os.makedirs(options.out, exist_ok=True)
    for case in cases.CASES:
        if options.names and case.__name__ not in options.names:
            continue
        try:
            record(K, case, options.out)
        except Exception as e:
            print('%s %s: %s: %s' % (options.library, case.__name__, type(e).__name__, str(e)[:1500]), file=sys.stderr)


if __name__ == '__main__':
    main()
