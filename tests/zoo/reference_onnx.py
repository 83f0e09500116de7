#!/usr/bin/env python3
"""Runs an ONNX model in onnxruntime on random inputs.

    reference_onnx.py MODEL.onnx OUT.json

Writes what reference_tf.py writes, with the one signature `run`.
"""
import json
import os
import sys

os.environ.setdefault('OMP_NUM_THREADS', '2')
import numpy as np
import onnxruntime

from reference_arrays import encoded, least

TYPES = {'float': 'float32', 'double': 'float64', 'float16': 'float16', 'int64': 'int64', 'int32': 'int32', 'uint8': 'uint8', 'int8': 'int8', 'bool': 'bool'}
# Extents that the models leave open, by name of the model, and values that an input must have.
SIZES = {'melspectrogram': [1, 16000], 'embedding_model': [1, 76, 32, 1], 'ch_PP-OCRv4_det_infer': [1, 3, 96, 96], 'ch_PP-OCRv4_rec_infer': [1, 3, 48, 160],
         'ch_ppocr_mobile_v2.0_cls_infer': [1, 3, 48, 192], '320n': [1, 3, 320, 320], 'common': [1, 1, 64, 128], 'common_old': [1, 1, 64, 128],
         'common_det': [1, 3, 416, 416], 'ppocrv5_det': [1, 3, 96, 96], 'ppocrv5_rec': [1, 3, 48, 160], 'ppocrv5_cls': [1, 3, 80, 160],
         'PP-OCRv6_det_small': [1, 3, 96, 96], 'PP-OCRv6_rec_small': [1, 3, 48, 160], 'ch_ppocr_mobile_v2.0_cls_mobile': [1, 3, 48, 192]}
VALUES = {'sr': 16000}


def value_for(model, info, rng):
    free = SIZES.get(model)
    dims = [d if isinstance(d, int) else 0 for d in info.shape]
    if 'vad' in model:
        free = {'input': [1, 512 + (64 if 'silero_vad' in model and model != 'vad_v4' else 0)], 'state': [2, 1, 128], 'h': [2, 1, 64], 'c': [2, 1, 64]}.get(info.name)
    if free is not None and len(free) == len(dims):
        dims = [d or n for d, n in zip(dims, free)]
    dims = [d or (1 if i == 0 else 16) for i, d in enumerate(dims)]
    kind = np.dtype(TYPES[info.type[7:-1]])
    if info.name in VALUES:
        return np.full(dims, VALUES[info.name], kind)
    if kind.kind == 'f':
        return rng.random(dims).astype(kind)
    return rng.integers(0, 20, dims).astype(kind) if kind != bool else rng.random(dims) < .5


def main():
    path, out = sys.argv[1:3]
    model = os.path.splitext(os.path.basename(path))[0]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
    rng = np.random.default_rng(1)
    inputs = {i.name: value_for(model, i, rng) for i in session.get_inputs()}
    row = {'signature': 'run', 'inputs': {k: encoded(v) for k, v in inputs.items()}}
    names = [o.name for o in session.get_outputs()]
    try:
        row['outputs'] = {k: encoded(v) for k, v in zip(names, session.run(names, inputs))}
        row['ms'] = least(lambda: session.run(names, inputs))
    except Exception as e:
        row['error'] = '%s: %s' % (type(e).__name__, str(e).split('\n')[0][:200])
    with open(out, 'w') as f:
        json.dump([row], f)


if __name__ == '__main__':
    main()
