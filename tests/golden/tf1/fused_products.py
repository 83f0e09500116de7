# Quantized products of matrices of graphs for oneDNN. TensorFlow runs them with TF_ENABLE_ONEDNN_OPTS=1 only. If min_a is not 0,
# TensorFlow 2.21 scales its share of the bias twice, except in the sums of a bias of integers and with SCALED.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

raw = tf.raw_ops
random = np.random.RandomState(5)


def show(what, op, a, b, bias, min_a=0., **more):
    with tf.Graph().as_default(), tf.Session() as sess:
        bits = tf.constant(bias) if bias.dtype == np.float32 else tf.bitcast(tf.constant(bias), tf.qint32)
        result = op(a=tf.bitcast(tf.constant(a), tf.quint8), b=tf.bitcast(tf.constant(b), tf.qint8), bias=bits, min_a=min_a, max_a=6.,
                    min_b=-1.5, max_b=1.25, **more)
        if isinstance(result, tf.Tensor):
            print(what, np.round(sess.run(result), 3).tolist())
        else:
            out, low, high = sess.run(list(result))
            print(what, out.dtype.name, out.tolist(), round(float(low), 1), round(float(high), 1))


for m, k, n in ((1, 3, 2), (4, 7, 5)):
    a = random.randint(0, 256, (m, k)).astype(np.uint8)
    b = random.randint(-127, 128, (k, n)).astype(np.int8)
    bias = np.round(random.uniform(-3, 3, n), 2).astype(np.float32)
    whole = random.randint(-3000, 3000, n).astype(np.int32)
    for mode in ('MIN_FIRST', 'SCALED'):
        show('bias', raw.QuantizedMatMulWithBias, a, b, bias, input_quant_mode=mode)
        show('integers', raw.QuantizedMatMulWithBias, a, b, whole, -1., input_quant_mode=mode)
        show('relu', raw.QuantizedMatMulWithBiasAndRelu, a, b, bias, input_quant_mode=mode)
        show('requantize', raw.QuantizedMatMulWithBiasAndRequantize, a, b, bias, min_freezed_output=-20., max_freezed_output=30., Toutput=tf.quint8,
             input_quant_mode=mode)
        show('relu, requantize', raw.QuantizedMatMulWithBiasAndReluAndRequantize, a, b, bias, min_freezed_output=0., max_freezed_output=20.,
             input_quant_mode=mode)
        show('dequantize', raw.QuantizedMatMulWithBiasAndDequantize, a, b, bias, -1. if mode == 'SCALED' else 0., min_freezed_output=0.,
             max_freezed_output=20., Toutput=tf.float32, input_quant_mode=mode)
