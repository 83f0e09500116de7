# Layers as objects, pools of other dimensions, schedules and producers of input.
import numpy as np
import tensorflow as tf

x3 = tf.ones([2, 6, 3])
x4 = tf.ones([1, 4, 4, 2])
one = tf.ones_initializer()
for name, made in [('Conv1D', tf.layers.Conv1D(2, 3, kernel_initializer=one)(x3)), ('SeparableConv2D', tf.layers.SeparableConv2D(3, 2, depthwise_initializer=one, pointwise_initializer=one)(x4)),
                   ('Conv2DTranspose', tf.layers.Conv2DTranspose(1, 2, strides=2, kernel_initializer=one)(x4)),
                   ('MaxPooling1D', tf.layers.MaxPooling1D(2, 2)(x3)), ('AveragePooling1D', tf.layers.AveragePooling1D(2, 2)(x3)), ('max_pooling1d', tf.layers.max_pooling1d(x3, 3, 1)),
                   ('average_pooling1d', tf.layers.average_pooling1d(x3, 3, 1, padding='same')), ('MaxPooling2D', tf.layers.MaxPooling2D(2, 2)(x4)),
                   ('AveragePooling2D', tf.layers.AveragePooling2D(2, 1)(x4)), ('Dropout', tf.layers.Dropout(0.5)(x4))]:
    print(name, made.name, made.get_shape())
print([v.name for v in tf.global_variables()])
step = tf.placeholder(tf.int32, [])
rate = tf.train.piecewise_constant(step, [10, 20], [1.0, 0.5, 0.1])
again = tf.train.piecewise_constant_decay(step, [10], [3, 4])
restarts = tf.train.cosine_decay_restarts(1.0, step, 10)
with tf.Session() as sess:
    print([[round(float(v), 4) for v in sess.run([rate, again, restarts], {step: s})] for s in (0, 10, 11, 15, 25)])
limited = tf.train.limit_epochs(tf.constant([1, 2]), num_epochs=2)
numbers = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
names = tf.train.input_producer(tf.constant(['a', 'b']), num_epochs=1, shuffle=False).dequeue()
value, update = tf.metrics.mean_tensor(tf.constant([1., 3.]))
iou, iou_update = tf.metrics.mean_iou(tf.constant([0, 1, 1]), tf.constant([0, 1, 0]), 2)
relative, relative_update = tf.metrics.mean_relative_error(tf.constant([1., 2.]), tf.constant([2., 2.]), tf.constant([2., 2.]))
negatives, negatives_update = tf.metrics.true_negatives([0, 1, 0], [0, 0, 1])
cosine, cosine_update = tf.metrics.mean_cosine_distance(tf.constant([[1., 0.]]), tf.constant([[0., 1.]]), 1)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run(limited), [int(sess.run(numbers)) for _ in range(4)], [sess.run(names) for _ in range(2)])
    coord.request_stop()
    coord.join(threads)
    sess.run([update, iou_update, relative_update, negatives_update, cosine_update])
    print(sess.run([value, relative, negatives, cosine]), round(float(sess.run(iou)), 4))
cell = tf.nn.rnn_cell.BasicRNNCell(2)
outputs, first, last = tf.nn.static_bidirectional_rnn(cell, tf.nn.rnn_cell.BasicRNNCell(2), [tf.ones([1, 3])] * 2, dtype=tf.float32)
print(len(outputs), outputs[0].get_shape(), first.name, last.get_shape())
print(tf.train.ClusterSpec({'worker': ['h:1', 'h:2']}).num_tasks('worker'))
