"""Sharded savers: one file for the variables of each device, and one index."""
import os
import shutil
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

folder = tempfile.mkdtemp()
with tf.device('/cpu:0'):
    a = tf.get_variable('a', initializer=[1., 2.])
    b = tf.get_variable('b', initializer=[[3, 4]], use_resource=True)
with tf.device('/cpu:1'):
    c = tf.get_variable('c', initializer=np.arange(6.).reshape([2, 3]))
saver = tf.train.Saver(sharded=True, max_to_keep=2)
print(saver.saver_def.sharded)
prefix = os.path.join(folder, 'model')
config = tf.ConfigProto(device_count={'CPU': 2})
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        print(saver.save(sess, prefix, global_step=step)[len(folder):])
        sess.run(a.assign_add([1., 1.]))
    print(sorted(n for n in os.listdir(folder) if not n.endswith('.meta')))
    sess.run([a.assign([0., 0.]), b.assign([[0, 0]]), c.assign(np.zeros([2, 3]))])
    saver.restore(sess, prefix + '-2')
    for v in (a, b, c):
        print(sess.run(v))
    # The same name again: the old files are replaced.
    sess.run(a.assign([7., 8.]))
    saver.save(sess, prefix, global_step=2)
    sess.run(a.assign([0., 0.]))
    tf.train.Saver().restore(sess, prefix + '-2')  # a Saver that is not sharded reads it
    print(sess.run(a))
reader = tf.train.NewCheckpointReader(prefix + '-2')
print(sorted(reader.get_variable_to_shape_map().items()))
print(reader.get_tensor('c'))
shutil.rmtree(folder)
