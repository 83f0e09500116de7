# needs pandas
# Hooks of a monitored session write a table.
import logging
import os
import tempfile
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
flags = tf.app.flags
flags.DEFINE_string('logs', None, 'Where to write.')
flags.DEFINE_integer('max_steps', 6, 'How many steps.')
flags.DEFINE_boolean('verbose', False, 'Print more.')
flags.DEFINE_enum('kind', 'sgd', ['sgd', 'adam'], 'Which optimizer.')
FLAGS = flags.FLAGS


class TableHook(tf.train.SessionRunHook):
    def __init__(self, tensors, every=2):
        self.tensors, self.every, self.rows, self.events = tensors, every, [], []

    def begin(self):
        self.events.append('begin')
        self.step = -1

    def after_create_session(self, session, coord):
        self.events.append('created')

    def before_run(self, run_context):
        self.step += 1
        if self.step % self.every == 0:
            return tf.train.SessionRunArgs(self.tensors)

    def after_run(self, run_context, run_values):
        if run_values.results is not None:
            self.rows.append(dict(run_values.results, at=self.step))
        if run_context.original_args.fetches is None or self.step > 50:
            run_context.request_stop()

    def end(self, session):
        self.events.append('end')
        self.table = pd.DataFrame(self.rows).set_index('at')


class Failing(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        raise ValueError('from a hook')


def main(_):
    folder = FLAGS.logs or tempfile.mkdtemp()
    x = tf.get_variable('x', initializer=4.)
    loss = tf.square(x - 1.)
    step = tf.train.get_or_create_global_step()
    cls = {'sgd': tf.train.GradientDescentOptimizer, 'adam': tf.train.AdamOptimizer}[FLAGS.kind]
    train = cls(0.25).minimize(loss, global_step=step)
    tf.summary.scalar('loss', loss)
    hook = TableHook({'loss': loss, 'x': x})
    hooks = [hook, tf.train.StopAtStepHook(last_step=FLAGS.max_steps), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_summaries_steps=3, log_step_count_steps=None) as sess:
        while not sess.should_stop():
            sess.run(train)
    print(hook.events, len(hook.table), sorted(hook.table.columns))
    print(hook.table.loss.is_monotonic_decreasing, hook.table.x.iloc[-1].round(2))
    latest = tf.train.latest_checkpoint(folder)
    print(os.path.basename(latest), any(f.startswith('events') for f in os.listdir(folder)))
    print(tf.train.load_variable(latest, 'x').round(3), tf.train.list_variables(latest))
    try:
        with tf.train.SingularMonitoredSession(hooks=[Failing()], checkpoint_dir=folder) as sess:
            print('restored', sess.run(step))
    except ValueError as e:
        print('ValueError:', e)
    print(FLAGS.max_steps, FLAGS.verbose, FLAGS['kind'].value if hasattr(FLAGS, '__getitem__') else '')


if __name__ == '__main__':
    tf.app.run()
