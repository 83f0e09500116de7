#!/usr/bin/env python3
"""Runs a model of Keras in an HDF5 file on random inputs.

    reference_keras.py MODEL.h5 OUT.json

Writes what reference_tf.py writes, with the one signature `run`.
"""
import json
import os
import sys

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
import keras
import numpy as np

from reference_arrays import encoded, least

LENGTH = 10100  # of a sequence; SpliceAI crops 5000 elements at either end


def main():
    path, out = sys.argv[1:3]
    model = keras.models.load_model(path, compile=False)
    rng = np.random.default_rng(1)
    inputs = {i.name: rng.random([1] + [d or LENGTH for d in i.shape[1:]]).astype('float32') for i in model.inputs}
    values = [inputs[i.name] for i in model.inputs]
    call = lambda: model(values if len(values) > 1 else values[0], training=False)
    result = call()
    result = result if isinstance(result, (list, tuple)) else [result]
    row = {'signature': 'run', 'inputs': {k: encoded(v) for k, v in inputs.items()},
           'outputs': {k: encoded(np.asarray(v)) for k, v in zip(model.output_names, result)}, 'ms': least(call)}
    with open(out, 'w') as f:
        json.dump([row], f)


if __name__ == '__main__':
    main()
