# The ops of quantized graphs, on many values of each type and mode. Sums of bytes stand for large results.
import numpy as np
import tensorflow as tf

raw = tf.raw_ops
random = np.random.RandomState(5)
sess = tf.Session()
RANGES = ((-1., 1.), (0., 6.), (-3.3, .7), (0., 255.), (-.02, 12.5))


def show(what, results):
    out = []
    for r in sess.run(list(results)):
        if r.ndim == 0:
            out.append(repr(float(r)) if r.dtype == np.float32 else int(r))
        elif r.size > 40:
            out.append((r.shape, int(np.sum(r.astype(np.int64) * (1 + np.arange(r.size).reshape(r.shape) % 97)))))
        else:
            out.append(r.tolist())
    print(what, *out)


def bits(values, dtype):
    plain = {tf.quint8: np.uint8, tf.qint8: np.int8, tf.qint32: np.int32, tf.qint16: np.int16, tf.quint16: np.uint16}[dtype]
    return tf.bitcast(tf.constant(np.asarray(values, plain)), dtype)


def some(dtype, *shape):
    low, high = {tf.quint8: (0, 256), tf.qint8: (-128, 128), tf.qint32: (-2**31, 2**31)}[dtype]
    return bits(random.randint(low, high, shape), dtype)


x = np.round(random.uniform(-4, 14, [40]), 3).astype(np.float32)
for dtype in (tf.quint8, tf.qint8, tf.quint16, tf.qint16):
    for mode in ('MIN_COMBINED', 'MIN_FIRST', 'SCALED'):
        for low, high in RANGES:
            q = raw.QuantizeV2(input=x, min_range=low, max_range=high, T=dtype, mode=mode)
            show('QuantizeV2 %s %s' % (dtype.name, mode), q)
            d = raw.Dequantize(input=q.output, min_range=q.output_min, max_range=q.output_max, mode=mode)
            print([float(v) for v in np.round(sess.run(d), 4)])
for narrow in (True, False):
    for round_mode in ('HALF_TO_EVEN', 'HALF_AWAY_FROM_ZERO'):
        show('SCALED', raw.QuantizeV2(input=np.arange(-4, 5, dtype=np.float32) / 2, min_range=-2., max_range=1., T=tf.qint8, mode='SCALED',
                                      narrow_range=narrow, round_mode=round_mode))
m = np.round(random.uniform(-2, 2, [2, 3, 2]), 2).astype(np.float32)
for mode in ('MIN_COMBINED', 'SCALED'):
    q = raw.QuantizeV2(input=m, min_range=[-2., -1., 0.], max_range=[2., 1., .5], T=tf.qint8, mode=mode, axis=1)
    show('axis', q)
    print(np.round(sess.run(raw.Dequantize(input=q.output, min_range=q.output_min, max_range=q.output_max, mode=mode, axis=1)), 4).tolist())
show('equal', raw.QuantizeV2(input=[0., 1.], min_range=0., max_range=0., T=tf.quint8))

for low, high in RANGES:
    wide = some(tf.qint32, 30)
    show('RequantizationRange', raw.RequantizationRange(input=wide, input_min=low, input_max=high))
    show('QuantizeDownAndShrinkRange', raw.QuantizeDownAndShrinkRange(input=wide, input_min=low, input_max=high, out_type=tf.quint8))
    for out_type in (tf.quint8, tf.qint8):
        show('Requantize', raw.Requantize(input=wide, input_min=low, input_max=high, requested_output_min=-.5, requested_output_max=1.5,
                                          out_type=out_type))

for (low, high), (low2, high2) in zip(RANGES, RANGES[1:] + RANGES[:1]):
    for ta, tb in ((False, False), (True, False), (False, True), (True, True)):
        a, b = some(tf.quint8, *([5, 4] if ta else [4, 5])), some(tf.quint8, *([3, 5] if tb else [5, 3]))
        show('QuantizedMatMul', raw.QuantizedMatMul(a=a, b=b, min_a=low, max_a=high, min_b=low2, max_b=high2, transpose_a=ta, transpose_b=tb))
    for padding, stride in (('SAME', 1), ('VALID', 2), ('SAME', 2)):
        show('QuantizedConv2D', raw.QuantizedConv2D(
            input=some(tf.quint8, 2, 6, 5, 3), filter=some(tf.quint8, 3, 2, 3, 4), min_input=min(low, 0.), max_input=high,
            min_filter=low2, max_filter=high2, strides=[1, stride, stride, 1], padding=padding))
    x8, y8 = some(tf.quint8, 3, 4), some(tf.quint8, 3, 4)
    for y in (y8, y8[0], y8[0, 0]):
        show('QuantizedMul', raw.QuantizedMul(x=x8, y=y, min_x=low, max_x=high, min_y=low2, max_y=high2))
    # TensorFlow adds in single precision, and is off by a few steps of the 2**32.
    if max(high, high2) < 20:
        for kind in (tf.quint8, tf.qint8):
            z = raw.QuantizedBiasAdd(input=some(kind, 3, 4), bias=some(kind, 4), min_input=low, max_input=high, min_bias=low2, max_bias=high2,
                                     out_type=tf.qint32)
            total, least, most = sess.run(list(z))
            print('QuantizedBiasAdd', np.round(total / 64.).astype(int).tolist(), least, most)
    for kind in (tf.quint8, tf.qint32):
        f = some(kind, 20)
        show('QuantizedRelu', raw.QuantizedRelu(features=f, min_features=low, max_features=high, out_type=kind))
        show('QuantizedRelu6', raw.QuantizedRelu6(features=f, min_features=low, max_features=high, out_type=kind))
        show('QuantizedConcat', raw.QuantizedConcat(concat_dim=1, values=[some(kind, 2, 3), some(kind, 2, 2), some(kind, 2, 1)],
                                                    input_mins=[low, low2, low], input_maxes=[high, high2, high]))
        show('QuantizedConcat', raw.QuantizedConcat(concat_dim=0, values=[some(kind, 2, 3), some(kind, 1, 3)], input_mins=[low, low],
                                                    input_maxes=[high, high]))
    for kind in (tf.quint8, tf.qint8):
        for padding in ('SAME', 'VALID'):
            image = some(kind, 2, 5, 4, 3)
            for name in ('QuantizedMaxPool', 'QuantizedAvgPool'):
                show(name, getattr(raw, name)(input=image, min_input=low, max_input=high, ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding=padding))
show('QuantizedReshape', raw.QuantizedReshape(tensor=some(tf.quint8, 2, 3), shape=[3, -1], input_min=-1., input_max=1.))

# Static shapes, and errors.
i, f = tf.placeholder(tf.quint8, [None, 8, 8, 3]), tf.placeholder(tf.quint8, [3, 3, 3, 5])
conv = raw.QuantizedConv2D(input=i, filter=f, min_input=0., max_input=1., min_filter=0., max_filter=1., strides=[1, 2, 2, 1], padding='SAME')
print([t.shape for t in conv], [t.dtype.name for t in conv])
print(raw.QuantizedMaxPool(input=i, min_input=0., max_input=1., ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID').output.shape)
for call in (lambda: raw.QuantizeV2(input=[1.], min_range=1., max_range=-1., T=tf.quint8),
             lambda: raw.Requantize(input=some(tf.qint32, 2), input_min=0., input_max=1., requested_output_min=1., requested_output_max=2.,
                                    out_type=tf.quint8)):
    try:
        sess.run(list(call()))
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__)
