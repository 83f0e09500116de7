#!/usr/bin/env python3
"""Records tests/package/saved_model with TensorFlow, for package_test.py.

    record.py      run it with a Python that has TensorFlow
"""
import os
import shutil

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow.compat.v1 as tf  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'saved_model')

shutil.rmtree(FOLDER, ignore_errors=True)
tf.disable_v2_behavior()
with tf.Session(graph=tf.Graph()) as sess:
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', initializer=[[1., 2., 3.], [4., 5., 6.]])
    y = tf.nn.relu(tf.matmul(x, w) - 10., name='y')
    sess.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(sess, FOLDER, inputs={'x': x}, outputs={'y': y})
