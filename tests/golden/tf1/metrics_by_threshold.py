"""tf.metrics at thresholds and among the k best, value and update, with and without weights."""
import numpy as np
import tensorflow as tf

labels = tf.constant([True, False, True, True, False, False])
scores = tf.constant([.9, .8, .6, .4, .35, .1])
weights = tf.constant([1., 1., 2., .5, 1., 1.])
limits = [.2, .5, .85]
several = tf.constant([[0, 2], [1, 2], [3, 0]], tf.int64)
single = tf.constant([[2], [1], [0]], tf.int64)
likely = tf.constant([[.1, .2, .6, .1], [.5, .3, .1, .1], [.2, .1, .3, .4]])
best = tf.constant([[2, 1], [0, 1], [3, 2]], tf.int64)
m = tf.metrics
found = [
    m.true_positives_at_thresholds(labels, scores, limits), m.true_negatives_at_thresholds(labels, scores, limits),
    m.false_positives_at_thresholds(labels, scores, limits), m.false_negatives_at_thresholds(labels, scores, limits, weights),
    m.precision_at_thresholds(labels, scores, limits), m.recall_at_thresholds(labels, scores, limits, weights),
    m.sensitivity_at_specificity(labels, scores, .6), m.specificity_at_sensitivity(labels, scores, .6),
    m.recall_at_k(several, likely, 2), m.recall_at_k(single, likely, 1), m.recall_at_top_k(several, best),
    m.precision_at_k(several, likely, 2), m.precision_at_top_k(single, best), m.precision_at_k(several, likely, 2, class_id=2),
    m.sparse_precision_at_k(several, likely, 1), m.mean_per_class_accuracy(tf.constant([0, 1, 2, 1]), tf.constant([0, 1, 1, 1]), 3),
    m.mean_per_class_accuracy(tf.constant([[0], [1]]), tf.constant([[0], [0]]), 2, weights=tf.constant([[1.], [2.]]))]
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for value, update in found:
        once, twice = sess.run(update), sess.run(update)
        print(np.round(once, 5), np.round(twice, 5), np.round(sess.run(value), 5))
    print([u.dtype.name for _, u in found][:3], m.recall_at_k(several, likely, 2)[0].op.type)
    for bad in (-.1, 1.5):
        try:
            m.sensitivity_at_specificity(labels, scores, bad)
        except ValueError as e:
            print(type(e).__name__)
