# Quantized integers: constants, feeds, moves, checkpoints and names.
import os
import numpy as np
import tensorflow as tf

for name in ('qint8', 'quint8', 'qint16', 'quint16', 'qint32'):
    t = getattr(tf, name)
    print(t, repr(t), t.size, t.is_quantized, t.is_integer, t.is_floating, t.as_datatype_enum, tf.as_dtype(name) == t)
    try:
        print(t.max)
    except TypeError as e:
        print(e)
print(tf.int8.is_quantized)

q = tf.bitcast(tf.constant([[1, 2, 255], [0, 7, 128]], tf.uint8), tf.quint8)
s = tf.bitcast(tf.constant([-5, 5], tf.int8), tf.qint8)
w = tf.bitcast(tf.constant([-100000, 7]), tf.qint32)
p = tf.placeholder(tf.quint8, [2])
v = tf.Variable(tf.bitcast(tf.constant([3, 4], tf.int8), tf.qint8), name='v')
here = './tmp%d_q' % os.getpid()
with tf.Session() as sess:
    for x in (q, s, w, tf.identity(q), tf.reshape(q, [3, 2]), q[:, 1:], tf.concat([s, s], 0), tf.gather(w, [1, 0]),
              tf.expand_dims(s, 0), tf.bitcast(w, tf.int32), tf.shape(q)):
        value = sess.run(x)
        print(x.dtype.name, x.shape, value.dtype, value.tolist())
    for fed in ([3, 4], np.array([5, 255], np.uint8)):
        print(sess.run(tf.identity(p), {p: fed}))
    sess.run(tf.global_variables_initializer())
    saver = tf.train.Saver()
    saver.save(sess, here, write_meta_graph=False, write_state=False)
    sess.run(v.initializer)
    saver.restore(sess, here)
    print(sess.run(v), v.dtype)
    print(tf.train.NewCheckpointReader(here).get_variable_to_dtype_map())
g = tf.get_default_graph().as_graph_def()
with tf.Graph().as_default():
    tf.import_graph_def(g, name='')
    with tf.Session() as sess:
        print(sess.run('Bitcast:0').tolist())
for name in os.listdir('.'):
    if name.startswith(here[2:]):
        os.remove(name)
