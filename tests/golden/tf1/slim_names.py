# The names of tf.contrib's layers.utils and metrics that no other script here uses.
import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, metrics, slim
from tensorflow.contrib.layers import utils

x = tf.placeholder(tf.float32, [None, 4], name='x')
flag = tf.placeholder(tf.bool, [], name='flag')
first = utils.append_tensor_alias(x + 1., 'first/')
print(utils.get_tensor_aliases(first), utils.get_tensor_aliases(x), utils.gather_tensors_aliases([first, x]))
print(utils.NamedOutputs('n', x).name, utils.channel_dimension(x.shape, 'channels_last'), utils.last_dimension(x.shape))
print(utils.two_element_tuple(3), utils.two_element_tuple([1, 2]), utils.n_positive_integers(3, 2), utils.n_positive_integers(2, (4, 5)))
print(utils.get_variable_collections({'a': ['b']}, 'a'), utils.get_variable_collections({'a': ['b']}, 'c'), utils.get_variable_collections(['d'], 'c'))
print(utils.constant_value(tf.constant(3)), utils.constant_value(x), utils.constant_value(True))
print(utils.static_cond(False, lambda: 1, lambda: 2), utils.smart_cond(True, lambda: 3, lambda: 4), utils.smart_cond(flag, lambda: x, lambda: -x).op.type)
print(layers.convolution1d.__name__, slim.convolution3d.__name__, slim.separable_convolution2d is slim.separable_conv2d)
for bad in (lambda: utils.two_element_tuple([1, 2, 3]), lambda: utils.n_positive_integers(2, (1, 2, 3)), lambda: utils.n_positive_integers(1, 0),
            lambda: utils.channel_dimension(x.shape, 'channels_first', min_rank=4), lambda: utils.last_dimension(tf.TensorShape([2, None])),
            lambda: utils.constant_value(None), lambda: utils.static_cond(True, 1, 2)):
    try:
        print(bad())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)

predictions = tf.constant([0.1, 0.8, 0.6, 0.4])
labels = tf.constant([0, 1, 0, 1])
right = tf.constant([0, 1, 1, 0])
pairs = {name: getattr(metrics, name)(right, labels) for name in
         ('streaming_precision', 'streaming_recall', 'streaming_false_negatives', 'streaming_false_positives',
          'streaming_true_negatives', 'streaming_true_positives')}
targets = tf.cast(labels, tf.float32)
for name in ('streaming_mean_absolute_error', 'streaming_root_mean_squared_error'):
    pairs[name] = getattr(metrics, name)(predictions, targets)
pairs['relative'] = metrics.streaming_mean_relative_error(predictions, targets, tf.constant([1., 2., 1., 2.]))
pairs['auc'] = metrics.streaming_auc(predictions, labels, num_thresholds=50)
pairs['iou'] = slim.metrics.streaming_mean_iou(right, labels, 2)
pairs['tensor'] = metrics.streaming_mean_tensor(predictions)
pairs['less'] = metrics.streaming_percentage_less(predictions, 0.5)
pairs['cosine'] = metrics.streaming_mean_cosine_distance(predictions[:, None], targets[:, None], dim=1)
pairs['precision at'] = metrics.streaming_precision_at_thresholds(predictions, labels, [0.3, 0.7])
pairs['recall at'] = metrics.streaming_recall_at_thresholds(predictions, labels, [0.3, 0.7])
pairs['sensitivity'] = metrics.streaming_sensitivity_at_specificity(predictions, labels, 0.5)
pairs['specificity'] = metrics.streaming_specificity_at_sensitivity(predictions, labels, 0.5)
values, updates = metrics.aggregate_metric_map(pairs)
step = tf.train.get_or_create_global_step()
print([v.op.name for v in tf.contrib.framework.get_trainable_variables()])
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    sess.run(updates)
    for name in sorted(values):
        print(name, values[name].op.name, np.round(sess.run(values[name]), 3))
    print(slim.learning.train_step(sess, tf.constant(2.), step, {'should_stop': tf.constant(True)}))
