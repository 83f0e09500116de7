# Quantized convolutions of graphs for oneDNN, on many values. TensorFlow runs them with TF_ENABLE_ONEDNN_OPTS=1 only.
import numpy as np
import tensorflow as tf

raw = tf.raw_ops
random = np.random.RandomState(3)
sess = tf.Session()


def bits(values, kind):
    return tf.bitcast(tf.constant(values.astype(np.int8 if kind == tf.qint8 else np.uint8 if kind == tf.quint8 else np.int32)), kind)


def some(kind, *shape):
    low, high = {tf.quint8: (0, 256), tf.qint8: (-127, 128), tf.qint32: (-2**20, 2**20)}[kind]
    return bits(random.randint(low, high, shape), kind)


def show(what, results, step=1):
    """Prints sums. Where a sum of floats is rounded to an integer, the last digit depends on their order; then step is larger."""
    values, low, high = sess.run(list(results))
    values = np.floor_divide(values, step)
    total = int(np.sum(values.astype(np.int64) * (1 + np.arange(values.size).reshape(values.shape) % 97)))
    ends = np.round(np.asarray([low, high], np.float64).reshape([-1]) / 1e-2)
    print(what, values.dtype.name, values.shape, total, values.flat[0], values.flat[-1], ends.astype(int).tolist())


for outputs, padding, stride, channels in ((4, 'SAME', 1, 3), (5, 'VALID', 2, 2), (3, 'SAME', 2, 4)):
    x, w = some(tf.quint8, 2, 6, 5, channels), some(tf.qint8, 3, 2, channels, outputs)
    dw = some(tf.qint8, 3, 2, channels, 1)
    bias = np.round(random.uniform(-3, 3, outputs), 2).astype(np.float32)
    dw_bias = np.round(random.uniform(-3, 3, channels), 2).astype(np.float32)
    high = np.round(random.uniform(.3, 2, outputs), 2).astype(np.float32)
    common = dict(input=x, min_input=0., max_input=6., strides=[1, stride, stride, 1], padding=padding)
    full = dict(common, filter=w, min_filter=-high, max_filter=high)
    deep = dict(common, filter=dw, min_filter=-high[0] * np.ones(channels, np.float32), max_filter=high[0] * np.ones(channels, np.float32))
    # TensorFlow 2.21 scales integers of 32 bits to the widest range of a channel, but gives each channel its own range. Earlier
    # versions, which made such graphs, did not.
    equal = dict(full, min_filter=-high[0] * np.ones(outputs, np.float32), max_filter=high[0] * np.ones(outputs, np.float32))
    show('PerChannel', raw.QuantizedConv2DPerChannel(out_type=tf.qint32, dilations=[1, 1, 1, 1], **equal))
    show('WithBias', raw.QuantizedConv2DWithBias(bias=bias, **equal), 16)
    show('AndRelu', raw.QuantizedConv2DAndRelu(**equal))
    show('WithBiasAndRelu', raw.QuantizedConv2DWithBiasAndRelu(bias=bias, **equal), 16)
    show('WithBiasAndRequantize', raw.QuantizedConv2DWithBiasAndRequantize(bias=bias, min_freezed_output=-9., max_freezed_output=8., **full))
    show('WithBiasAndReluAndRequantize', raw.QuantizedConv2DWithBiasAndReluAndRequantize(
        bias=bias, min_freezed_output=0., max_freezed_output=11., **full))
    show('WithBiasAndReluAndRequantize of qint32', raw.QuantizedConv2DWithBiasAndReluAndRequantize(
        bias=some(tf.qint32, outputs), min_freezed_output=0., max_freezed_output=40., **full))
    show('Depthwise', raw.QuantizedDepthwiseConv2D(**deep))
    show('DepthwiseWithBias', raw.QuantizedDepthwiseConv2DWithBias(bias=dw_bias, **deep))
    show('DepthwiseWithBiasAndRelu', raw.QuantizedDepthwiseConv2DWithBiasAndRelu(bias=dw_bias, **deep))
    show('DepthwiseWithBiasAndReluAndRequantize', raw.QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize(
        bias=dw_bias, min_freezed_output=0., max_freezed_output=5., **deep))

for out_type in (tf.quint8, tf.qint8):
    for high in ([1., 2., 3.], [.5, .5, 4.]):
        wide = some(tf.qint32, 2, 2, 3, 3)
        ranges = dict(input=wide, input_min=np.negative(high).astype(np.float32), input_max=np.asarray(high, np.float32))
        print([float(v) for v in sess.run(list(raw.RequantizationRangePerChannel(clip_value_max=1e9, **ranges)))])
        show('RequantizePerChannel', raw.RequantizePerChannel(
            requested_output_min=0. if out_type == tf.quint8 else -1e-3, requested_output_max=1e-3, out_type=out_type, **ranges))
