"""tf.train: init_from_checkpoint, checkpoints_iterator, joined batches, SyncReplicasOptimizer in one process, raw_rnn's states."""
import os
import shutil
import numpy as np
import tensorflow as tf

folder = 'helpers_demo'
os.makedirs(folder)
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable('old/w', initializer=[1., 2.])
    tf.get_variable('old/b', initializer=3.)
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, folder + '/m')
with tf.Graph().as_default(), tf.Session() as sess:
    with tf.variable_scope('new'):
        w, b = tf.get_variable('w', [2]), tf.get_variable('b', [])
    tf.train.init_from_checkpoint(folder, {'old/': 'new/'})
    sess.run(tf.global_variables_initializer())
    print(sess.run([w, b]))
with tf.Graph().as_default(), tf.Session() as sess:
    w, b = tf.get_variable('w2', [2]), tf.get_variable('b2', [])
    tf.train.init_from_checkpoint(path, {'old/w': w, 'old/b': 'b2'})
    sess.run(tf.global_variables_initializer())
    print(sess.run([w, b]))
    for wrong in ({'old/c': w}, {'old/b': w}, {'old/': 'nowhere/'}):
        try:
            tf.train.init_from_checkpoint(path, wrong)
        except ValueError as e:
            print(type(e).__name__)
print([os.path.basename(p) for p in tf.train.checkpoints_iterator(folder, timeout=0)], list(tf.train.checkpoints_iterator('nowhere', timeout=0, timeout_fn=lambda: True)))
print([t > 0 for t in tf.train.get_checkpoint_mtimes([path])])
shutil.rmtree(folder)
with tf.Graph().as_default():
    step = tf.train.create_global_step()
    tf.train.assert_global_step(step)
    for wrong in (tf.constant(1.), tf.constant([1]), 3):
        try:
            tf.train.assert_global_step(wrong)
        except TypeError as e:
            print(type(e).__name__)
    joined = tf.train.batch_join([[tf.constant(1), tf.constant([1., 2.])], [tf.constant(1), tf.constant([1., 2.])]], batch_size=3)
    mixed = tf.train.shuffle_batch_join([{'a': tf.constant(7)}, {'a': tf.constant(7)}], 2, 8, 2)
    rows = tf.train.batch_join([[tf.constant([4, 4])]], 3, enqueue_many=True)
    print(joined, mixed, rows)
    with tf.train.MonitoredSession() as sess:
        print(sess.run([joined, mixed, rows]))
    for wrong in (lambda: tf.train.batch_join([[tf.constant(1)], [tf.constant(1.)]], 2),):
        try:
            wrong()
        except (TypeError, ValueError) as e:
            print(type(e).__name__)
with tf.Graph().as_default():
    w = tf.Variable([1., 2.], name='w')
    step = tf.train.get_or_create_global_step()
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(.1), replicas_to_aggregate=1, total_num_replicas=1)
    for early in (opt.get_chief_queue_runner, opt.get_init_tokens_op):
        try:
            early()
        except ValueError as e:
            print(e)
    try:
        opt.apply_gradients([(tf.constant([1., 1.]), w)])
    except ValueError as e:
        print(e)
    train = opt.minimize(tf.reduce_sum(w * w), global_step=step)
    hook = opt.make_session_run_hook(True)
    print(train.name, type(hook).__name__, opt.get_chief_queue_runner().queue.name, opt.get_chief_queue_runner().cancel_op.type, opt.get_chief_queue_runner().close_op.type, [v.name for v in tf.local_variables()], opt.get_slot_names())
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        sess.run(opt.chief_init_op)
        sess.run(opt.get_init_tokens_op())
        runner = opt.get_chief_queue_runner()
        print(sess.run(train))
        sess.run(runner.enqueue_ops[0])
        print(np.round(sess.run(w), 4), sess.run(step))
calls = []


def loop(sv_session):
    calls.append(sv_session.run(counted))
    if len(calls) == 3:
        supervisor.request_stop()


with tf.Graph().as_default():
    counted = tf.assign_add(tf.Variable(0), 1)
    supervisor = tf.train.Supervisor(logdir=None)
    tf.train.basic_train_loop(supervisor, loop)
    print(calls)
