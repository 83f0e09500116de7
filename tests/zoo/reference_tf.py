#!/usr/bin/env python3
"""Runs every signature of a SavedModel in TensorFlow on random inputs.

    reference_tf.py MODEL OUT.json

Writes a list of {signature, inputs, outputs, ms}; an array is {dtype, shape, values}, with strings in hexadecimal.
"""
import json
import os
import sys

# oneDNN's kernels round differently from one release to the next.
os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')
import numpy as np
import tensorflow as tf

from reference_arrays import encoded, least


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


def of_graph(path):
    """Runs a frozen graph, or a meta graph with its checkpoint, from x to y."""
    tf1 = tf.compat.v1
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        if path.endswith('.meta'):
            tf1.train.import_meta_graph(path).restore(session, path[:-5])
        else:
            message = tf1.GraphDef()
            with open(path, 'rb') as f:
                if path.endswith('.pbtxt'):
                    from google.protobuf import text_format
                    text_format.Parse(f.read(), message)
                else:
                    message.ParseFromString(f.read())
            tf.import_graph_def(message, name='')
        x, y = graph.get_tensor_by_name('x:0'), graph.get_tensor_by_name('y:0')
        value = np.random.default_rng(1).random([2, x.shape[1]]).astype('float32')
        return [{'signature': '', 'inputs': {'x': encoded(value)}, 'outputs': {'y': encoded(session.run(y, {x: value}))},
                 'ms': least(lambda: session.run(y, {x: value}))}]


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
    if os.path.isfile(path):
        rows = of_graph(path)
    else:
        try:
            rows = by_object(path)
        except Exception:
            rows = by_graph(path)
    with open(out, 'w') as f:
        json.dump(rows, f)


if __name__ == '__main__':
    main()
