"""Generators whose state is a variable, and numbers that no seed determines."""
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

raw = tf.raw_ops
state = tf.get_variable('state', initializer=np.int64([5, 7, 9]), use_resource=True)
with tf.Session() as sess:
    sess.run(state.initializer)
    handle = state.handle
    for dtype in (tf.int32, tf.int64, tf.uint32, tf.uint64):
        drawn = sess.run(raw.NonDeterministicInts(shape=[2, 50], dtype=dtype))
        print(drawn.dtype, drawn.shape, len(np.unique(drawn)) > 90)
    before = sess.run(raw.RngReadAndSkip(resource=handle, alg=1, delta=tf.constant(3, tf.uint64)))
    print(before, sess.run(state))
    key, counter = tf.constant(before[2:], tf.uint64), tf.constant(before[:2], tf.uint64)
    print(sess.run(raw.StatelessRandomUniformV2(shape=[3], key=key, counter=counter, alg=1)))
    sess.run(raw.RngSkip(resource=handle, algorithm=1, delta=np.int64(2)))
    print(sess.run(raw.StatefulUniform(resource=handle, algorithm=1, shape=[3], dtype=tf.float32)), sess.run(state))
    drawn = raw.StatefulUniformInt(resource=handle, algorithm=1, shape=[4], minval=np.int64(0), maxval=np.int64(10))
    print(sess.run(drawn), sess.run(drawn), sess.run(state))
    try:
        sess.run(raw.StatefulUniform(resource=handle, algorithm=2, shape=[3], dtype=tf.float32))
    except tf.errors.UnimplementedError as e:
        print('ThreeFry' in e.message)
