# Types of 4 and 8 bits, tf.quantization with real quantized types, and tf.container.
import glob
import os

import tensorflow as tf

few = tf.dtypes.experimental
X = [0., 1., -2.5, 300., 1e6, float('nan'), float('inf'), -float('inf'), .001, 448., 464., 465., 480., 17., 18., 19.,
     57344., 61440., 61441., -0., 1e-9, -1., -9., 7.9, 15.9, .002, .00293, 1.0625, 1.1875, 3.4e38, 2**-16, 2**-17,
     1.5 * 2**-17, 2**-9, 2**-10, 1.5 * 2**-10]
with tf.device('/cpu:0'), tf.Session() as s:  # GPUs do not cast to these types
    for t in (few.float8_e5m2, few.float8_e4m3fn, few.int4, few.uint4):
        print(repr(t), t.name, t.size, t.as_datatype_enum, t.is_floating, t.is_integer, t.is_quantized, float(t.min), float(t.max))
        c = tf.constant([[1, 2], [3, 15 if t == few.uint4 else -1]], t)
        print(c, s.run(c).tolist(), tf.as_dtype(t.name) == t, tf.as_dtype(t.as_datatype_enum) == t)
        wide = tf.float32 if t.is_floating else tf.int32
        print(s.run(tf.cast(c, wide)).tolist(), s.run(tf.identity(tf.reshape(c, [4]))).tolist())
        x = tf.placeholder(t, [3])
        print(s.run(tf.cast(x, wide), {x: [1, 2, 3]}).tolist(), s.run(x, {x: s.run(c)[0, [0, 1, 1]]}).tolist())
        if t.is_floating:
            print(s.run(tf.cast(tf.cast(X, t), tf.float32)).tolist())
            for other in (tf.float16, tf.bfloat16, tf.float64):
                print(s.run(tf.cast(tf.cast(tf.cast([0, 7, 9, 15, -9, 120], other), t), tf.float32)).tolist(), end=' ')
            print(s.run([tf.transpose(c), tf.stack([c, c])[1], c[1, :], tf.gather(c, [1])])[1].tolist())
        else:
            every = [0, 1, -2, 7, 8, 9, 15, 16, -8, -9, 120, 255]
            print(s.run(tf.cast(tf.cast(every, t), tf.int32)).tolist())
            print(s.run(tf.cast(tf.cast(every, t), tf.uint16)).tolist())
        print(s.run(tf.zeros([2], t)).tolist(), s.run(tf.ones([2], t)).tolist())
        v = tf.Variable(c, use_resource=True, name='v_' + t.name)
        s.run(v.initializer)
        path = tf.train.Saver([v]).save(s, './few')
        reader = tf.train.NewCheckpointReader(path)
        print(reader.get_variable_to_dtype_map(), reader.get_tensor('v_' + t.name).tolist())
        with tf.Graph().as_default():
            g = tf.GraphDef()
            g.ParseFromString(c.graph.as_graph_def().SerializeToString())
            back, = tf.import_graph_def(g, return_elements=[c.name])
            with tf.Session() as other:
                print(other.run(back).tolist())

print('-- real quantized types')
with tf.Session() as s:
    for mode in ('MIN_COMBINED', 'MIN_FIRST', 'SCALED'):
        q, low, high = tf.quantization.quantize([-1., 0., .3, 2.], -1., 2., tf.qint8, mode=mode)
        print(mode, s.run(q).tolist(), s.run([low, high]), s.run(tf.quantization.dequantize(q, low, high, mode=mode)))
    q = tf.quantization.quantize(tf.constant([[-1., 0.], [.3, 2.]]), [-1., -2.], [1., 2.], tf.qint8, mode='SCALED', axis=-1,
                                 name='q')
    print(q[0].op.name, s.run(q[0]).tolist(), s.run(q[1]), s.run(tf.quantization.dequantize(*q, mode='SCALED', axis=1)))
    print(s.run(tf.quantize_v2([0., .5, 1.], 0., 1., tf.quint8).output).tolist())

print('-- sums and norms of quantized numbers')


def quint8(values):
    return tf.bitcast(tf.constant(values, tf.uint8), tf.quint8)


with tf.Session() as s:
    # TensorFlow's sums are off by up to half a step of the second input.
    for x, y in (([[0, 50, 255], [128, 7, 200]], [[255, 13, 0], [90, 200, 31]]), ([[0, 50, 255], [128, 7, 200]], [9, 99, 199])):
        z, low, high = tf.raw_ops.QuantizedAdd(x=quint8(x), y=quint8(y), min_x=-1.5, max_x=3., min_y=0., max_y=10.)
        wanted = tf.quantization.dequantize(quint8(x), -1.5, 3.) + tf.quantization.dequantize(quint8(y), 0., 10.)
        sums = tf.cast(tf.bitcast(z, tf.int32), tf.float64) * tf.cast(high - low, tf.float64) / 2**32
        print(s.run([low, high]), s.run(tf.reduce_all(abs(tf.cast(sums, tf.float32) - wanted) < .02)))
    x = quint8([[[[87, 25], [199, 243], [92, 74]], [[190, 46], [160, 216], [151, 183]]],
                [[[253, 205], [6, 52], [213, 198]], [[2, 76], [219, 149], [203, 7]]]])
    for more in ({}, {'output_range_given': True, 'given_y_min': -2., 'given_y_max': 2.},
                 {'variance_epsilon': 1., 'min_separation': 10.}):
        y, low, high = s.run(tf.raw_ops.QuantizedInstanceNorm(x=x, x_min=-1., x_max=4., **more))
        print(y.tolist(), '%.4f %.4f' % (low, high))

print('-- containers')
g = tf.Graph()
with g.as_default():
    with tf.container('one') as name:
        tf.Variable(1., use_resource=False, name='a')
        tf.FIFOQueue(1, tf.float32, name='b')
        with g.container('two'):
            tf.get_variable('c', [1], use_resource=True)
        tf.Variable(1., use_resource=False, name='d')
    tf.Variable(1., use_resource=False, name='e')
    print(name, [(n, g.get_operation_by_name(n).get_attr('container').decode()
                  if isinstance(g.get_operation_by_name(n).get_attr('container'), bytes) else
                  g.get_operation_by_name(n).get_attr('container')) for n in 'abcde'])

for name in glob.glob('few.*') + ['checkpoint']:
    os.remove(name)
