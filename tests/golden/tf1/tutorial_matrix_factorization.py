"""Collaborative filtering from a CSV file through queues, with Ftrl."""
import numpy as np, tensorflow as tf, csv, io, collections, os, tempfile
import argparse
from collections import defaultdict
rows = [(u, i, float((u * 3 + i * 5) % 5 + 1)) for u in range(6) for i in range(5) if (u + i) % 3]
path = os.path.join(tempfile.mkdtemp(), 'ratings.csv')
with open(path, 'w') as f:
    f.write('user,item,rating\n')
    for r in rows:
        f.write('%d,%d,%.1f\n' % r)
graph = tf.Graph()
with graph.as_default():
    filename_queue = tf.train.string_input_producer([path], num_epochs=None, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(filename_queue)
    u, i, r = tf.decode_csv(value, record_defaults=[[0], [0], [0.0]])
    users, items, rates = tf.train.batch([u, i, r], batch_size=5)
    dim, reg = 3, 0.05
    with tf.device('/cpu:0'):
        with tf.variable_scope('lsi', reuse=tf.AUTO_REUSE):
            bias_global = tf.get_variable('bias_global', shape=[], initializer=tf.constant_initializer(3.))
            w_bias_user = tf.get_variable('embd_bias_user', shape=[6], initializer=tf.zeros_initializer())
            w_bias_item = tf.get_variable('embd_bias_item', shape=[5], initializer=tf.zeros_initializer())
            w_user = tf.get_variable('embd_user', shape=[6, dim], initializer=tf.truncated_normal_initializer(stddev=0.2, seed=1))
            w_item = tf.get_variable('embd_item', shape=[5, dim], initializer=tf.truncated_normal_initializer(stddev=0.2, seed=2))
            bias_user = tf.nn.embedding_lookup(w_bias_user, users, name='bias_user')
            bias_item = tf.nn.embedding_lookup(w_bias_item, items, name='bias_item')
            embd_user = tf.nn.embedding_lookup(w_user, users, name='embedding_user')
            embd_item = tf.nn.embedding_lookup(w_item, items, name='embedding_item')
    infer = tf.reduce_sum(tf.multiply(embd_user, embd_item), 1)
    infer = tf.add(infer, bias_global)
    infer = tf.add(infer, bias_user)
    infer = tf.add(infer, bias_item, name='svd_inference')
    regularizer = tf.add(tf.nn.l2_loss(embd_user), tf.nn.l2_loss(embd_item), name='svd_regularizer')
    global_step = tf.train.get_or_create_global_step()
    cost_l2 = tf.nn.l2_loss(tf.subtract(infer, rates))
    penalty = tf.constant(reg, dtype=tf.float32, shape=[], name='l2')
    cost = tf.add(cost_l2, tf.multiply(regularizer, penalty))
    train_op = tf.train.FtrlOptimizer(0.05).minimize(cost, global_step=global_step)
    init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    with tf.Session() as sess:
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord, sess=sess)
        errors = collections.deque(maxlen=4)
        try:
            while not coord.should_stop():
                _, pred, rate, gs = sess.run([train_op, infer, rates, global_step])
                pred = np.clip(pred, 1.0, 5.0)
                errors.append(np.power(pred - rate, 2))
                if gs % 4 == 0:
                    print('{:3d} {:f}'.format(gs, np.sqrt(np.mean(errors))))
                if gs >= 12:
                    coord.request_stop()
        except tf.errors.OutOfRangeError:
            print('Done')
        finally:
            coord.request_stop()
            coord.join(threads)
        print(np.round(sess.run(tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1], [2, 3]], [1., 2.], [3, 4])) + 1), 1))
