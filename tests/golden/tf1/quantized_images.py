# Quantized images that are resized and normalized, on many values. Sums of integers stand for large results.
import numpy as np
import tensorflow as tf

raw = tf.raw_ops
random = np.random.RandomState(7)
sess = tf.Session()
RANGES = ((-1., 1.), (0., 6.), (-3.3, .7), (0., 255.), (-.02, 12.5))


def bytes_of(*shape):
    return tf.bitcast(tf.constant(random.randint(0, 256, shape).astype(np.uint8)), tf.quint8)


def wide(*shape):
    return tf.bitcast(tf.constant(random.randint(-2**31, 2**31, shape).astype(np.int32)), tf.qint32)


def show(what, results):
    values, low, high = sess.run(list(results))
    total = int(np.sum(values.astype(np.int64) * (1 + np.arange(values.size).reshape(values.shape) % 97)))
    print(what, values.dtype.name, values.shape, total, values.flat[0], values.flat[-1], float(low), float(high))


for some in (bytes_of, wide):
    for size in ((4, 4), (9, 7), (3, 10), (1, 1), (5, 6)):
        for attrs in ({}, {'align_corners': True}, {'half_pixel_centers': True}):
            for channels in (1, 3, 2):
                show('QuantizedResizeBilinear', raw.QuantizedResizeBilinear(images=some(2, 5, 6, channels), size=size, min=-1., max=2.5, **attrs))

for number, (low, high) in enumerate(RANGES):
    for scales in (True, False):
        ranges = [RANGES[(number + k) % len(RANGES)] for k in range(4)]
        (m_min, m_max), (v_min, v_max), (b_min, b_max), (g_min, g_max) = ranges
        result = raw.QuantizedBatchNormWithGlobalNormalization(
            t=bytes_of(2, 3, 4, 5), t_min=low, t_max=high, m=bytes_of(5), m_min=m_min, m_max=m_max, v=bytes_of(5), v_min=0., v_max=max(v_max, 1.),
            beta=bytes_of(5), beta_min=b_min, beta_max=b_max, gamma=bytes_of(5), gamma_min=g_min, gamma_max=g_max, out_type=tf.qint32,
            variance_epsilon=.01, scale_after_normalization=scales)
        show('QuantizedBatchNormWithGlobalNormalization', result)
