# One task of a cluster: a server holds the parameters, and two workers train them at the same time.
#
# python parameter_server.py worker 0 ps=127.0.0.1:2221 worker=127.0.0.1:2222,127.0.0.1:2223
import sys
try:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf
import numpy as np

job, index = sys.argv[1], int(sys.argv[2])
cluster = tf.train.ClusterSpec({name: tasks.split(',') for name, tasks in (arg.split('=') for arg in sys.argv[3:])})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == 'ps':
    server.join()

with tf.device(tf.train.replica_device_setter(worker_device='/job:worker/task:%d' % index, cluster=cluster)):
    w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
    done = tf.get_variable('done', [], tf.int32, initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(tf.square(w * x + b - (2. * x + 1.)))
    train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
    finish = done.assign_add(1)

with tf.Session(server.target) as sess:
    if index == 0:
        sess.run(tf.global_variables_initializer())
    while len(sess.run(tf.report_uninitialized_variables([w, b, done]))):
        pass
    for step in range(400):
        sess.run(train, {x: np.arange(8) * 0.5 + index * 0.1})
    sess.run(finish)
    while sess.run(done) < 2:  # the worker ends with its task
        pass
    print('w', round(float(sess.run(w)), 1), 'b', round(float(sess.run(b)), 1))
