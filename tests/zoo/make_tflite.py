#!/usr/bin/env python3
"""Makes TensorFlow Lite models of whole nets with the installed TensorFlow, and runs them in its interpreter.

    make_tflite.py DIR [NAME …]

For each net and each way to quantize it, writes DIR/NAME.WAY.tflite and DIR/NAME.WAY.json: the inputs and outputs of
each signature, and the least time of ten runs. A model that this version of TensorFlow cannot make is reported and left out.
Other models in DIR are only run; one that the interpreter cannot run has no signatures in its JSON file.
"""
import glob
import json
import os
import sys
import traceback

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from reference_tf import encoded, least

keras = tf.keras
layers = keras.layers
NETS = {}
WAYS = ('float', 'float16', 'dynamic', 'int8', 'int16x8')
LOOPS = ('lstm', 'gru', 'bidirectional')  # TensorFlow's calibrator ends with a segmentation fault on nets with loops


def net(f):
    NETS[f.__name__] = f
    return f


@net
def mobilenet_v2():
    return keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3), classes=10, alpha=0.35)


@net
def mobilenet_v3():
    return keras.applications.MobileNetV3Small(weights=None, input_shape=(96, 96, 3), classes=10, include_preprocessing=False)


@net
def efficientnet_b0():
    return keras.applications.EfficientNetB0(weights=None, input_shape=(64, 64, 3), classes=10)


@net
def resnet_50():
    return keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10)


@net
def unet():
    x = keras.Input((32, 32, 3), batch_size=1)
    a = layers.Conv2D(8, 3, padding='same', activation='relu')(x)
    b = layers.Conv2D(16, 3, padding='same', activation='relu')(layers.MaxPooling2D()(a))
    c = layers.Conv2D(32, 3, padding='same', activation='relu')(layers.MaxPooling2D()(b))
    d = layers.concatenate([layers.Conv2DTranspose(16, 2, 2)(c), b])
    e = layers.concatenate([layers.UpSampling2D(interpolation='bilinear')(layers.Conv2D(8, 3, padding='same', activation='relu')(d)), a])
    return keras.Model(x, layers.Conv2D(2, 1, activation='sigmoid')(e))


@net
def lstm():
    return keras.Sequential([keras.Input((12, 8), batch_size=1), layers.LSTM(16, return_sequences=True), layers.LSTM(8), layers.Dense(3)])


@net
def lstm_unrolled():
    return keras.Sequential([keras.Input((6, 8), batch_size=1), layers.LSTM(8, unroll=True), layers.Dense(3)])


@net
def gru():
    return keras.Sequential([keras.Input((12, 8), batch_size=1), layers.GRU(16, return_sequences=True), layers.GRU(8), layers.Dense(3)])


@net
def bidirectional():
    return keras.Sequential([keras.Input((12, 8), batch_size=1), layers.Bidirectional(layers.LSTM(8)), layers.Dense(3)])


@net
def bert():
    ids = keras.Input((16,), batch_size=1, dtype='int32')
    x = layers.Embedding(100, 32)(ids) + layers.Embedding(16, 32)(tf.range(16))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, 'gelu')(x)))
    return keras.Model(ids, layers.Dense(2)(x[:, 0]))


@net
def separable_1d():
    return keras.Sequential([keras.Input((40, 6), batch_size=1), layers.SeparableConv1D(8, 5, padding='same', activation='relu'), layers.BatchNormalization(),
                             layers.Conv1D(8, 3, dilation_rate=2, padding='causal'), layers.GlobalAveragePooling1D(), layers.Dense(4, 'softmax')])


def samples(model, rng):
    def make(t):
        shape = [1 if d is None else d for d in t.shape]
        return rng.integers(0, 90, shape).astype(np.int32) if 'int' in str(t.dtype) else rng.random(shape).astype(np.float32) * 2 - 1
    return [make(t) for t in model.inputs]


def randomized(model, rng):
    """Gives the statistics of batch normalization values that are not 0 and 1."""
    for w in model.weights:
        if 'moving_var' in w.path or 'gamma' in w.path:
            w.assign(.8 + .4 * rng.random(w.shape))
        elif 'moving_mean' in w.path or 'bias' in w.path:
            w.assign(.2 * rng.random(w.shape) - .1)
        elif 'beta' in w.path:
            w.assign(.5 * rng.random(w.shape))


def converted(model, way):
    rng = np.random.default_rng(5)
    fixed = [tf.TensorSpec([1 if d is None else d for d in t.shape], t.dtype, name='x%d' % i) for i, t in enumerate(model.inputs)]
    serve = tf.function(lambda *args: model(args if len(args) > 1 else args[0], training=False), input_signature=fixed)
    frozen = convert_variables_to_constants_v2(serve.get_concrete_function())
    converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen], model)
    if way != 'float':
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if way == 'float16':
        converter.target_spec.supported_types = [tf.float16]
    if way in ('int8', 'int16x8'):
        converter.representative_dataset = lambda: (samples(model, rng) for _ in range(10))
    if way == 'int16x8':
        converter.target_spec.supported_ops = [tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8, tf.lite.OpsSet.TFLITE_BUILTINS]
    if way == 'int8':
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8, tf.lite.OpsSet.TFLITE_BUILTINS]
        if model.inputs[0].dtype == 'float32':
            converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def reference(data, seed=11):
    """The inputs and outputs of every signature, from the reference kernels."""
    interpreter = tf.lite.Interpreter(model_content=data, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF)
    try:
        fast = tf.lite.Interpreter(model_content=data, num_threads=1)
        fast.allocate_tensors()
    except RuntimeError:  # its delegate refuses the model
        fast = tf.lite.Interpreter(model_content=data, num_threads=1,
                                   experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    rows = []
    rng = np.random.default_rng(seed)
    for name in sorted(interpreter.get_signature_list()) or ['']:
        def call(i, feeds):
            if name:
                return i.get_signature_runner(name)(**feeds)
            i.allocate_tensors()
            for d in i.get_input_details():
                i.set_tensor(d['index'], feeds[d['name']])
            i.invoke()
            return {d['name']: i.get_tensor(d['index']) for d in i.get_output_details()}
        details = interpreter.get_signature_runner(name).get_input_details() if name else {d['name']: d for d in interpreter.get_input_details()}
        inputs = {}
        for key, d in details.items():
            dtype = np.dtype(d['dtype'])
            shape = list(d['shape'])
            inputs[key] = (rng.random(shape) * 2 - 1).astype(dtype) if dtype.kind == 'f' else rng.integers(
                -100 if dtype.kind == 'i' and dtype.itemsize < 4 else 0, 90, shape).astype(dtype)
        outputs = call(interpreter, inputs)
        scales = {}
        for key, d in (interpreter.get_signature_runner(name).get_output_details() if name else {d['name']: d for d in interpreter.get_output_details()}).items():
            scales[key] = float(d['quantization'][0])
        rows.append({'signature': name or 'run', 'inputs': {k: encoded(v) for k, v in inputs.items()}, 'scales': scales,
                     'outputs': {k: encoded(v) for k, v in outputs.items()}, 'ms': least(lambda: call(fast, inputs))})
    return rows


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    for name, make in NETS.items():
        ways = [w for w in WAYS if not names or name in names or name + '.' + w in names]
        ways = [w for w in ways if not (name in LOOPS and w.startswith('int'))]
        ways = [w for w in ways if not os.path.exists(os.path.join(folder, '%s.%s.json' % (name, w)))]
        if not ways:
            continue
        keras.utils.set_random_seed(1)
        model = make()
        randomized(model, np.random.default_rng(2))
        for way in ways:
            path = os.path.join(folder, '%s.%s' % (name, way))
            try:
                data = converted(model, way)
                rows = reference(data)
                with open(path + '.tflite', 'wb') as f:
                    f.write(data)
                with open(path + '.json', 'w') as f:
                    json.dump(rows, f)
                print('made', path, len(data), flush=True)
            except Exception:
                print('cannot make', path, traceback.format_exc().strip().split('\n')[-1][:300], flush=True)


    for path in sorted(glob.glob(os.path.join(folder, '*.tflite'))):
        if not os.path.exists(path[:-7] + '.json') and (not names or os.path.basename(path)[:-7] in names):
            with open(path, 'rb') as f:
                data = f.read()
            try:
                rows = reference(data)
            except (RuntimeError, ValueError) as e:
                print('cannot run', path, str(e)[:300])
                rows = []
            with open(path[:-7] + '.json', 'w') as f:
                json.dump(rows, f)


if __name__ == '__main__':
    main()
