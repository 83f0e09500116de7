# MonitoredTrainingSession and its hooks.
import os
import numpy as np
import tensorflow as tf

folder = 'tmp_monitored'
if tf.gfile.Exists(folder):
    tf.gfile.DeleteRecursively(folder)


class Watch(tf.train.SessionRunHook):
    def begin(self):
        print('begin')

    def after_create_session(self, session, coord):
        print('created', type(session).__name__)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({'w': 'w:0'})

    def after_run(self, run_context, run_values):
        print('after', run_values.results['w'].round(3), run_context.original_args.fetches is train)

    def end(self, session):
        print('end', session.run(step))


def build():
    global step, train, loss, w
    tf.reset_default_graph()
    step = tf.train.get_or_create_global_step()
    w = tf.Variable(1., name='w')
    loss = tf.square(w - 3.)
    tf.summary.scalar('loss', loss)
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step)


build()
with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=2, save_checkpoint_secs=None,
                                       hooks=[tf.train.StopAtStepHook(last_step=3), Watch()]) as sess:
    while not sess.should_stop():
        sess.run(train)
    print(sess.should_stop(), tf.get_default_graph().finalized)
print(os.path.basename(tf.train.latest_checkpoint(folder)))
print(sorted(n for n in os.listdir(folder) if n.endswith('.index')))

build()
with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(num_steps=2)]) as sess:
    print(sess.run([step, w]))
    while not sess.should_stop():
        print(sess.run([train, loss])[1].round(4))

build()
with tf.train.SingularMonitoredSession(hooks=[tf.train.FinalOpsHook(w)]) as sess:
    sess.run(train)
    print(sess.raw_session().run(step))

build()
x = tf.placeholder(tf.float32, name='x')
bad = tf.log(x)
with tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {x: 2.})]) as sess:
    print('%.4f' % sess.run(bad))
    try:
        sess.run(bad, {x: 1.})
    except RuntimeError as e:
        print('RuntimeError')
build()
x = tf.placeholder(tf.float32, name='x')
bad = tf.log(x)
try:
    with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(bad)]) as sess:
        sess.run(bad, {x: 1.})
        sess.run(bad, {x: -1.})
except tf.train.NanLossDuringTrainingError as e:
    print('NanLossDuringTrainingError', e)
for make in (lambda: tf.train.StopAtStepHook(), lambda: tf.train.LoggingTensorHook(['a'])):
    try:
        make()
    except ValueError as e:
        print(e)
lines = []
build()
with tf.train.MonitoredSession(hooks=[tf.train.LoggingTensorHook({'loss': loss, 'w': w}, every_n_iter=2,
                                                                 formatter=lambda v: lines.append(sorted(v)) or 'x')]) as sess:
    for _ in range(5):
        sess.run(train)
print(lines)
timer = tf.train.SecondOrStepTimer(every_steps=3)
print([timer.should_trigger_for_step(1), timer.update_last_triggered_step(1), timer.should_trigger_for_step(3), timer.should_trigger_for_step(4)])

build()
sv = tf.train.Supervisor(logdir=None)
with sv.managed_session() as sess:
    for _ in range(3):
        if sv.should_stop():
            break
        sess.run(train)
    print(sess.run([step, w]))
tf.gfile.DeleteRecursively(folder)
