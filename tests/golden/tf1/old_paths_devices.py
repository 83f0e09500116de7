# Devices and timelines by the paths inside TensorFlow that old scripts import. (not under: reference, fake-gpu)
import json

import tensorflow as tf
from tensorflow.python.client import device_lib, timeline

devices = device_lib.list_local_devices()
print(devices[0].name, devices[0].device_type, sorted(set([d.device_type for d in devices])))
print([d.name for d in devices if d.device_type == 'GPU'])
x = tf.constant([[1., 2.]], name='x')
y = tf.matmul(x, x, transpose_b=True, name='product')
options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
with tf.Session() as sess:
    print(sess.run(y, options=options, run_metadata=metadata))
trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
print(sorted(trace), len(trace['traceEvents']) > 0)
