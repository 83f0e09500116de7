"""tf.metrics streaming, local variables, confusion matrix, in the style of the docs and blog posts."""
import numpy as np
import tensorflow as tf

labels = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0]], dtype=np.uint8)
predictions = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]], dtype=np.uint8)
n_batches = len(labels)
graph = tf.Graph()
with graph.as_default():
    tf_label = tf.placeholder(dtype=tf.int32, shape=[None])
    tf_prediction = tf.placeholder(dtype=tf.int32, shape=[None])
    tf_metric, tf_metric_update = tf.metrics.accuracy(tf_label, tf_prediction, name="my_metric")
    running_vars = tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope="my_metric")
    running_vars_initializer = tf.variables_initializer(var_list=running_vars)
    print(tf_metric, tf_metric_update, running_vars)
with tf.Session(graph=graph) as session:
    session.run(tf.global_variables_initializer())
    session.run(running_vars_initializer)
    for i in range(n_batches):
        feed_dict = {tf_label: labels[i], tf_prediction: predictions[i]}
        session.run(tf_metric_update, feed_dict=feed_dict)
    score = session.run(tf_metric)
    print("[TF] SCORE: ", score)
    session.run(running_vars_initializer)
    for i in range(n_batches):
        session.run(running_vars_initializer)
        session.run(tf_metric_update, feed_dict={tf_label: labels[i], tf_prediction: predictions[i]})
        print("[TF] batch {} score: {}".format(i, session.run(tf_metric)))
with tf.Graph().as_default(), tf.Session() as sess:
    y = tf.constant([0, 1, 1, 0, 1, 2, 2, 0]); p = tf.constant([0, 1, 0, 0, 1, 2, 1, 1])
    b, q = tf.equal(y, 1), tf.equal(p, 1)
    ms = {
        'precision': tf.metrics.precision(b, q), 'recall': tf.metrics.recall(b, q), 'auc': tf.metrics.auc(b, tf.constant([.1, .9, .4, .2, .8, .1, .6, .7])),
        'mean_iou': tf.metrics.mean_iou(y, p, 3), 'mean': tf.metrics.mean([1., 2., 4.]), 'mse': tf.metrics.mean_squared_error([1., 2.], [1., 4.]),
        'mae': tf.metrics.mean_absolute_error([1., 2.], [1., 4.]), 'rmse': tf.metrics.root_mean_squared_error([1., 2.], [1., 4.]),
        'fp': tf.metrics.false_positives(b, q), 'fn': tf.metrics.false_negatives(b, q), 'tp': tf.metrics.true_positives(b, q),
        'mpca': tf.metrics.mean_per_class_accuracy(y, p, 3),
        'cos': tf.metrics.mean_cosine_distance([[1., 0.]], [[0., 1.]], 1), 'pct': tf.metrics.percentage_below([1., 2., 3.], 2.5),
        'topk': tf.metrics.recall_at_k(tf.constant([[1], [2]], tf.int64), [[.1, .8, .1], [.2, .5, .3]], 2),
        'sens': tf.metrics.sensitivity_at_specificity(b, tf.constant([.1, .9, .4, .2, .8, .1, .6, .7]), .5),
    }
    sess.run(tf.local_variables_initializer())
    updates = {k: v[1] for k, v in ms.items()}
    values = {k: v[0] for k, v in ms.items()}
    u = sess.run(updates)
    v = sess.run(values)
    for k in sorted(values):
        print(k, np.round(v[k], 5), np.shape(u[k]), values[k].name, updates[k].name)
    cm = tf.confusion_matrix(y, p, num_classes=3)
    print(cm.shape, cm.dtype, cm.eval())
    print([v.name for v in tf.local_variables()][:5], len(tf.local_variables()), tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)[0] is tf.local_variables()[0])
    w = tf.confusion_matrix([0, 1], [1, 1], weights=[2, 3], dtype=tf.float32).eval(); print(w)
    print(tf.nn.in_top_k([[.1, .8, .1], [.2, .5, .3]], [1, 0], 2).eval())
    d = tf.nn.l2_normalize([[3., 4.]], dim=1); print(d.eval())
