# Ops of graphs from before resources, and of those after: stacks by reference, temporary variables, checkpoints of the first
# version, readers' states, writers of summaries.
import os
import tempfile

import numpy as np
import tensorflow as tf

ops = tf.raw_ops
folder = tempfile.mkdtemp()
sess = tf.Session()


def show(t):
    print(np.array(sess.run(t)).tolist())


variable = ops.TemporaryVariable(shape=[2], dtype=tf.float32, var_name='t')
variable = tf.assign_add(tf.assign(variable, [1.0, 2.0]), [3.0, 3.0])
show(ops.DestroyTemporaryVariable(ref=variable, var_name='t'))

stack = ops.Stack(elem_type=tf.float32)
with tf.control_dependencies([ops.StackPush(handle=stack, elem=[7.0])]):
    show(ops.StackPop(handle=stack, elem_type=tf.float32))

names, values = ['w', 'n', 's'], [[[1.0, 2.0], [3.0, 4.0]], tf.constant([5, -70000], tf.int64), ['a', 'bc']]
path = os.path.join(folder, 'model')
sess.run(ops.Save(filename=path, tensor_names=names, data=values))
for name, dtype in zip(names, (tf.float32, tf.int64, tf.string)):
    show(ops.Restore(file_pattern=path, tensor_name=name, dt=dtype))
sess.run(ops.SaveSlices(filename=path + '2', tensor_names=['x', 'x'], shapes_and_slices=['4 2 0,2:-', '4 2 2,2:-'],
                        data=[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]))
show(ops.Restore(file_pattern=path + '2', tensor_name='x', dt=tf.float32))
show(ops.RestoreSlice(file_pattern=path + '2', tensor_name='x', shape_and_slice='4 2 1,2:1,1', dt=tf.float32))
for bad in (dict(tensor_name='y', dt=tf.float32), dict(tensor_name='w', dt=tf.int32)):
    try:
        sess.run(ops.Restore(file_pattern=path, **bad))
    except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__)

reader = ops.IdentityReaderV2()
show(ops.ReaderSerializeStateV2(reader_handle=reader))
sess.run(ops.ReaderRestoreStateV2(reader_handle=reader, state=b'\x08\x02\x10\x02\x18\x05'))
show([ops.ReaderNumRecordsProducedV2(reader_handle=reader), ops.ReaderNumWorkUnitsCompletedV2(reader_handle=reader)])
try:
    sess.run(ops.ReaderRestoreStateV2(reader_handle=reader, state='?'))
except tf.errors.InvalidArgumentError:
    print('refused')

writer = ops.SummaryWriter()
try:
    sess.run(ops.FlushSummaryWriter(writer=writer))
except tf.errors.NotFoundError:
    print('not created')
sess.run(ops.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=10, flush_millis=1000, filename_suffix='.s'))
sess.run(ops.WriteScalarSummary(writer=writer, step=1, tag='loss', value=1.5))
sess.run(ops.WriteHistogramSummary(writer=writer, step=2, tag='h', values=[1.0, 2.0]))
sess.run(ops.FlushSummaryWriter(writer=writer))
files = [f for f in os.listdir(folder) if 'tfevents' in f]
print(len(files), files[0].endswith('.s'))
