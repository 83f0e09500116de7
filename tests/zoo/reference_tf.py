#!/usr/bin/env python3
"""Runs every signature of a SavedModel in TensorFlow on random inputs.

    reference_tf.py MODEL OUT.json

Writes a list of {signature, inputs, outputs, ms}; an array is {dtype, shape, values}, with strings in hexadecimal.
"""
import json
import os
import sys
import time

# oneDNN's kernels round differently from one release to the next.
os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')
import numpy as np
import tensorflow as tf


def encoded(array):
    array = np.asarray(array)
    if array.dtype == object or array.dtype.kind == 'S':
        values = [v.hex() for v in array.reshape(-1).tolist()]
        return {'dtype': 'string', 'shape': list(array.shape), 'values': values}
    values = array.reshape(-1).astype(np.float64 if array.dtype.kind == 'f' or array.dtype.name == 'bfloat16' else array.dtype)
    return {'dtype': array.dtype.name, 'shape': list(array.shape), 'values': values.tolist()}


def example():
    feature = tf.train.Feature
    return tf.train.Example(features=tf.train.Features(feature={
        'x': feature(float_list=tf.train.FloatList(value=[1., 2., 3.])), 'tags': feature(bytes_list=tf.train.BytesList(value=[b'a', b'b'])),
        'ids': feature(int64_list=tf.train.Int64List(value=[7, 8]))})).SerializeToString()


def value_for(name, spec, rng):
    rank = spec.shape.rank
    dims = [1] if rank is None else spec.shape.as_list()
    free = 64 if len(dims) == 4 and dims[3] in (1, 3, 4) else 256 if len(dims) == 1 else 16
    dims = [(2 if i == 0 and len(dims) > 1 else free) if d is None else d for i, d in enumerate(dims)]
    if spec.dtype == tf.string:
        dims = [3 if d == free else d for d in dims]
        words = [b'the cat sat', b'on a mat', b'the dog', b'import os\nprint(os.name)\n']
        if 'example' in name:
            words = [example()]
        n = int(np.prod(dims))
        return np.array([words[i % len(words)] for i in range(n)], object).reshape(dims)
    if spec.dtype == tf.bool:
        return rng.random(dims) < .5
    if spec.dtype.is_floating:
        return rng.random(dims).astype(spec.dtype.as_numpy_dtype)
    return rng.integers(0, 20, dims).astype(spec.dtype.as_numpy_dtype)


def least(run):
    """Returns the least time of ten runs, in milliseconds."""
    times = []
    for _ in range(10):
        started = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - started))
    return min(times)


class Spec(object):
    """The type and shape of an input."""

    def __init__(self, info):
        self.dtype, self.shape = tf.as_dtype(info.dtype), tf.TensorShape(info.tensor_shape)


def by_graph(path):
    """Runs the signatures with the loader of TensorFlow 1, for models whose objects this version cannot restore."""
    tf1, rows = tf.compat.v1, []
    with tf.Graph().as_default(), tf1.Session() as session:
        meta = tf1.saved_model.load(session, ['serve'], path)
        for name, signature in sorted(meta.signature_def.items()):
            if name.startswith('__'):
                continue
            rng = np.random.default_rng(1)
            inputs = {k: value_for(k, Spec(i), rng) for k, i in sorted(signature.inputs.items())}
            row = {'signature': name, 'inputs': {k: encoded(v) for k, v in inputs.items()}}
            fetches = {k: i.name for k, i in signature.outputs.items()}
            feeds = {signature.inputs[k].name: v for k, v in inputs.items()}
            try:
                row['outputs'] = {k: encoded(v) for k, v in session.run(fetches, feeds).items()}
                row['ms'] = least(lambda: session.run(fetches, feeds))
            except Exception as e:
                row['error'] = '%s: %s' % (type(e).__name__, str(e).split('\n')[0][:200])
            rows.append(row)
    return rows


def by_object(path):
    model = tf.saved_model.load(path, tags=['serve'])
    rows = []
    for name in sorted(model.signatures):
        function = model.signatures[name]
        rng = np.random.default_rng(1)
        inputs = {k: value_for(k, s, rng) for k, s in sorted(function.structured_input_signature[1].items())}
        row = {'signature': name, 'inputs': {k: encoded(v) for k, v in inputs.items()}}
        try:
            fed = {k: tf.constant(v, function.structured_input_signature[1][k].dtype) for k, v in inputs.items()}
            result = function(**fed)
            row['ms'] = least(lambda: function(**fed))
            row['outputs'] = {k: encoded(v.numpy()) for k, v in result.items()}
        except Exception as e:
            row['error'] = '%s: %s' % (type(e).__name__, str(e).split('\n')[0][:200])
        rows.append(row)
    return rows


def main():
    path, out = sys.argv[1:3]
    try:
        rows = by_object(path)
    except Exception:
        rows = by_graph(path)
    with open(out, 'w') as f:
        json.dump(rows, f)


if __name__ == '__main__':
    main()
