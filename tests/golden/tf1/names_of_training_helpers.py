# tf.train's sessions, hooks and files that say where a checkpoint is.
import os
import shutil
import tempfile
import tensorflow as tf

folder = tempfile.mkdtemp()


def at(name):
    return os.path.join(folder, name)


class Listener(tf.train.CheckpointSaverListener):
    def begin(self):
        print('listener: begin')

    def before_save(self, session, global_step_value):
        print('listener: before save at', global_step_value)

    def after_save(self, session, global_step_value):
        print('listener: after save at', global_step_value)

    def end(self, session, global_step_value):
        print('listener: end at', global_step_value)


class Watch(tf.train.SessionRunHook):
    def before_run(self, run_context):
        assert isinstance(run_context, tf.train.SessionRunContext)
        return tf.train.SessionRunArgs(loss)

    def after_run(self, run_context, run_values):
        assert isinstance(run_values, tf.train.SessionRunValues)
        print('loss %.4f' % run_values.results)


with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable('w', initializer=5.0)
    loss = tf.square(w - 1.0)
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step)
    tf.summary.scalar('loss', loss)
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(), init_op=tf.global_variables_initializer())
    saver_hook = tf.train.CheckpointSaverHook(folder, save_steps=2, scaffold=scaffold, listeners=[Listener()])
    summary_hook = tf.train.SummarySaverHook(save_steps=2, output_dir=folder, summary_op=tf.summary.merge_all())
    counter = tf.train.StepCounterHook(every_n_steps=1000, output_dir=folder)
    creator = tf.train.ChiefSessionCreator(scaffold=scaffold)
    hooks = [saver_hook, summary_hook, counter, Watch(), tf.train.StopAtStepHook(last_step=3)]
    with tf.train.MonitoredSession(creator, hooks=hooks) as sess:
        while not sess.should_stop():
            sess.run(train)
print(tf.train.latest_checkpoint(folder) == os.path.join(folder, 'model.ckpt-3'))
reader = tf.train.load_checkpoint(folder)
print(reader.get_tensor('w'), reader.get_tensor('global_step'), sorted(reader.get_variable_to_shape_map()))
print(any(name.startswith('events.out') for name in os.listdir(folder)))

print('--- a worker that waits')
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    waiter = tf.train.GlobalStepWaiterHook(wait_until_step=0)
    worker = tf.train.WorkerSessionCreator
    print(worker.__name__, isinstance(waiter, tf.train.SessionRunHook))

print('--- the state file')
tf.train.update_checkpoint_state(folder, at('model.ckpt-3'), [at('model.ckpt-2'), at('model.ckpt-3')])
with open(at('checkpoint')) as f:
    print(f.read().replace(folder, 'FOLDER'))
tf.train.remove_checkpoint(at('model.ckpt-2'))
print(tf.train.checkpoint_exists(at('model.ckpt-2')), tf.train.checkpoint_exists(at('model.ckpt-3')))

print('--- graphs as files')
with tf.Graph().as_default() as g:
    a = tf.constant(2.0, name='a')
    b = tf.Variable(a * 3.0, name='b')
    print(tf.train.write_graph(g, folder, 'graph.pbtxt') == at('graph.pbtxt'))
    tf.train.write_graph(g.as_graph_def(), folder, 'graph.pb', as_text=False)
    print(os.path.getsize(at('graph.pb')) > 100)
    with open(at('graph.pbtxt')) as f:
        print(f.readline().strip(), f.readline().strip())
    meta = tf.train.export_meta_graph(at('all.meta'))
    print(len(meta.graph_def.node), os.path.exists(at('all.meta')))
with tf.Graph().as_default() as g:
    tf.train.import_meta_graph(at('all.meta'))
    print([op.name for op in g.get_operations()][:4])

print('--- files that match')
for name in ('one.txt', 'two.txt'):
    open(at(name), 'w').close()
with tf.Graph().as_default(), tf.Session() as sess:
    names = tf.train.match_filenames_once(at('*.txt'))
    sess.run(tf.local_variables_initializer())
    print([os.path.basename(name).decode() for name in sess.run(names)])

print('--- devices of a cluster')
with tf.Graph().as_default():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        print([tf.Variable(float(i)).device for i in range(3)], (tf.constant(1.0) + 1).device)

print('--- tf.data of files')
with open(at('lines.txt'), 'w') as f:
    f.write('one\ntwo\nthree\n')
with tf.python_io.TFRecordWriter(at('some.tfrecord')) as writer:
    writer.write(b'first')
    writer.write(b'second')
with tf.Graph().as_default(), tf.Session() as sess:
    lines = tf.data.TextLineDataset(at('lines.txt')).skip(1).make_one_shot_iterator().get_next()
    records = tf.data.TFRecordDataset([at('some.tfrecord')]).make_one_shot_iterator().get_next()
    print(sess.run([lines, records]), sess.run([lines, records]))
tf.gfile.MkDir(at('made'))
with tf.gfile.FastGFile(at('made/note.txt'), 'w') as f:
    f.write('a note')
print(tf.gfile.FastGFile(at('made/note.txt')).read(), tf.gfile.IsDirectory(at('made')))
shutil.rmtree(folder)
