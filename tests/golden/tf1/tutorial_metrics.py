# tf.metrics over several batches.
import numpy as np
import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
predictions = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
weights = tf.placeholder(tf.float32, [None])
metrics = [
    ('accuracy', tf.metrics.accuracy(labels, predictions)),
    ('weighted', tf.metrics.accuracy(labels, predictions, weights=weights)),
    ('precision', tf.metrics.precision(labels, predictions)),
    ('recall', tf.metrics.recall(labels, predictions)),
    ('mean', tf.metrics.mean(scores)),
    ('mse', tf.metrics.mean_squared_error(tf.cast(labels, tf.float32), scores)),
    ('rmse', tf.metrics.root_mean_squared_error(tf.cast(labels, tf.float32), scores)),
    ('mae', tf.metrics.mean_absolute_error(tf.cast(labels, tf.float32), scores)),
    ('tp', tf.metrics.true_positives(labels, predictions)),
    ('fp', tf.metrics.false_positives(labels, predictions)),
    ('fn', tf.metrics.false_negatives(labels, predictions)),
    ('below', tf.metrics.percentage_below(scores, 0.5)),
    ('auc', tf.metrics.auc(labels, scores, num_thresholds=20)),
]
print(metrics[0][1][0].name, metrics[0][1][1].name, metrics[2][1][0].name)
print([v.name for v in tf.local_variables()][:6])
batches = [([1, 0, 1, 1], [1, 0, 0, 1], [0.9, 0.2, 0.4, 0.8], [1., 1., 0.5, 0.5]),
           ([0, 0, 1, 0], [0, 1, 1, 0], [0.1, 0.7, 0.6, 0.3], [2., 0., 1., 1.])]
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for l, p, s, w in batches:
        feed = {labels: l, predictions: p, scores: s, weights: w}
        updated = sess.run([m[1] for _, m in metrics], feed)
        print(['%.4f' % v for v in updated])
    for name, (value, _) in metrics:
        print(name, '%.4f' % sess.run(value))
    sess.run(tf.variables_initializer(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)))
    print(sess.run(metrics[0][1][0]))
