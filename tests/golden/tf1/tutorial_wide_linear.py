"""A linear classifier on columns of a table, without an Estimator: csv, buckets, crossed columns by hash, pickled weights."""
import csv
import hashlib
import io
import logging
import pickle
import struct
import tempfile
import os
from collections import OrderedDict
from enum import Enum

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


class Column(Enum):
    AGE = 0
    JOB = 1
    HOURS = 2
    LABEL = 3


TABLE = """age,job,hours,label
39,clerk,40,0
50,manager,13,1
38,cleaner,40,0
53,cleaner,40,0
28,manager,60,1
37,manager,45,1
49,clerk,16,0
52,manager,45,1
31,clerk,50,1
42,manager,40,1
23,cleaner,30,0
25,clerk,20,0
"""


def buckets(value, edges):
    return sum(value >= e for e in edges)


def crossed(*parts):
    digest = hashlib.md5('_'.join(map(str, parts)).encode('utf-8')).digest()
    return struct.unpack('<Q', digest[:8])[0] % 10


rows = list(csv.DictReader(io.StringIO(TABLE)))
jobs = OrderedDict((job, i) for i, job in enumerate(sorted(set(r['job'] for r in rows))))
print(len(rows), jobs['manager'], [c.name.lower() for c in Column] == list(rows[0]))
features = np.zeros([len(rows), 3 + 3 + 10], np.float32)
labels = np.array([[float(r[Column.LABEL.name.lower()])] for r in rows], np.float32)
for i, r in enumerate(rows):
    age = buckets(int(r['age']), [30, 45])
    features[i, age] = 1.
    features[i, 3 + jobs[r['job']]] = 1.
    features[i, 6 + crossed(age, r['job'])] = int(r['hours']) / 40.
print(features.sum(axis=0))

x = tf.placeholder(tf.float32, [None, features.shape[1]], 'x')
y = tf.placeholder(tf.float32, [None, 1], 'y')
with tf.variable_scope('linear', regularizer=lambda w: 0.001 * tf.nn.l2_loss(w)):
    w = tf.get_variable('weights', [features.shape[1], 1], initializer=tf.zeros_initializer())
    b = tf.get_variable('bias', [1], initializer=tf.zeros_initializer(), regularizer=None)
logits = tf.matmul(x, w) + b
loss = tf.losses.sigmoid_cross_entropy(y, logits) + tf.losses.get_regularization_loss()
global_step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.5, global_step, 20, 0.9, staircase=True)
train = tf.train.FtrlOptimizer(rate, l1_regularization_strength=0.001).minimize(loss, global_step)
accuracy, update = tf.metrics.accuracy(y, tf.round(tf.sigmoid(logits)))
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for step in range(60):
        _, l, g = sess.run([train, loss, global_step], {x: features, y: labels})
        if step % 20 == 0:
            print('step %d: loss %.4f, rate %.3f' % (g, l, sess.run(rate)))
            log.info('step %d', g)
    sess.run(update, {x: features, y: labels})
    print('accuracy %.3f' % sess.run(accuracy))
    path = os.path.join(folder, 'weights.pkl')
    with open(path, 'wb') as f:
        pickle.dump({'w': sess.run(w), 'b': sess.run(b), 'jobs': jobs}, f)
with open(path, 'rb') as f:
    kept = pickle.load(f)
print(sorted(kept), kept['w'].shape, kept['w'].dtype, list(kept['jobs'].items())[0], np.argmax(kept['w'][3:6]))
