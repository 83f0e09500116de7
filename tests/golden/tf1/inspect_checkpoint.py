# The Saver guide inspects a checkpoint with a module of tensorflow.python.tools.
import tempfile

import tensorflow as tf
from tensorflow.python.tools import inspect_checkpoint as chkp

v1 = tf.get_variable('v1', shape=[3], initializer=tf.ones_initializer)
v2 = tf.get_variable('scope/v2', shape=[2, 2], dtype=tf.int32, initializer=tf.zeros_initializer)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, tempfile.mkdtemp() + '/model.ckpt')
chkp.print_tensors_in_checkpoint_file(path, tensor_name='', all_tensors=True)
chkp.print_tensors_in_checkpoint_file(path, tensor_name='v1', all_tensors=False)
chkp.print_tensors_in_checkpoint_file(path, tensor_name='nope', all_tensors=False)
chkp.print_tensors_in_checkpoint_file(path, tensor_name='', all_tensors=False, all_tensor_names=True)
chkp.print_tensors_in_checkpoint_file(path, tensor_name='', all_tensors=False)
chkp.print_tensors_in_checkpoint_file(path, '', True, count_exclude_pattern='scope')
