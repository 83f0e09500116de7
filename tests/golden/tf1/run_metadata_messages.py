# The report of a run as a message: its fields, its encoded form, a timeline and an event file. (not under: reference, fake-gpu)
import glob
import json
import os
import tempfile

import tensorflow as tf
from tensorflow.python.client import timeline

x = tf.placeholder(tf.float32, [2, 2], name='x')
y = tf.matmul(x, x, name='y')
element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
print(len(metadata.step_stats.dev_stats), metadata.SerializeToString(), str(metadata) == '', metadata.HasField('step_stats'))
with tf.Session() as sess:
    print(sess.run(y, {x: [[1., 2.], [3., 4.]]}, options=options, run_metadata=metadata))
    nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
    named = [node for node in nodes if node.node_name == 'y']
    print(len(named), named[0].timeline_label.startswith('y'), named[0].all_end_rel_micros >= 0, named[0].all_start_micros > 1e15)
    print([output.tensor_description.dtype for output in named[0].output], [
        [d.size for d in output.tensor_description.shape.dim] for output in named[0].output])
    copy = tf.RunMetadata.FromString(metadata.SerializeToString())
    print(copy == metadata, metadata.HasField('step_stats'), len(metadata.partition_graphs), type(metadata.step_stats).__name__)
    trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True))
    print('traceEvents' in trace, 'y' in [e['args'].get('name') for e in trace['traceEvents'] if e.get('ph') == 'X'])
    print([sess.run(element, options=options, run_metadata=metadata) for _ in range(3)])
    with tempfile.TemporaryDirectory() as folder:
        with tf.summary.FileWriter(folder, sess.graph) as writer:
            sess.run(y, {x: [[1., 2.], [3., 4.]]}, options=options, run_metadata=metadata)
            writer.add_run_metadata(metadata, 'step%03d' % 7, 7)
        for event in tf.train.summary_iterator(glob.glob(os.path.join(folder, '*'))[0]):
            if event.HasField('tagged_run_metadata'):
                kept = tf.RunMetadata()
                kept.ParseFromString(event.tagged_run_metadata.run_metadata)
                print(event.step, event.tagged_run_metadata.tag, kept == metadata)
        with open(os.path.join(folder, 'metadata'), 'wb') as f:
            f.write(metadata.SerializeToString())
        print(os.path.getsize(os.path.join(folder, 'metadata')) > 50)
