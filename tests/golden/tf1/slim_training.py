# slim.learning, slim.losses, slim.metrics and variables restored by name.
import os
import tempfile
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

np.set_printoptions(precision=4, suppress=True)
x_data = (np.arange(24) % 7).reshape(8, 3).astype(np.float32) / 7
y_data = (x_data.sum(1, keepdims=True) * 2 - 1).astype(np.float32)
zeros = tf.zeros_initializer()
folder = tempfile.mkdtemp()


def model(x, scope='model', reuse=None):
    with tf.variable_scope(scope, reuse=reuse):
        net = slim.fully_connected(x, 4, weights_initializer=tf.constant_initializer(0.1), scope='hidden',
                                   weights_regularizer=slim.l1_regularizer(0.01))
        return slim.fully_connected(net, 1, activation_fn=None, weights_initializer=tf.constant_initializer(0.2), scope='out')


with tf.Graph().as_default():
    predictions = model(tf.constant(x_data))
    slim.losses.mean_squared_error(predictions, tf.constant(y_data))
    total = slim.losses.get_total_loss()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = slim.learning.create_train_op(total, optimizer, gradient_multipliers={'model/out/biases': 0.5}, clip_gradient_norm=2.0)
    print(train_op.op.name, train_op.shape)
    loss = slim.learning.train(train_op, folder, number_of_steps=12, log_every_n_steps=5, save_summaries_secs=0)
    print('%.4f' % loss)
    print(sorted(n for n in os.listdir(folder) if n.startswith('model.ckpt-12')), tf.train.latest_checkpoint(folder)[-13:])

with tf.Graph().as_default():
    fit = model(tf.constant(x_data), 'other')
    restored = slim.get_variables_to_restore(exclude=['other/out'])
    named = {v.op.name.replace('other', 'model'): v for v in restored}
    init_fn = slim.assign_from_checkpoint_fn(tf.train.latest_checkpoint(folder), named)
    assign, feeds = slim.assign_from_checkpoint(tf.train.latest_checkpoint(folder), {'model/out/weights': slim.get_unique_variable('other/out/weights')})
    assign_values = slim.assign_from_values_fn({'other/out/biases': np.array([7.], np.float32)})
    print(assign.name, [p.name for p in feeds], sorted(named))
    names = {'mse': slim.metrics.streaming_mean_squared_error(fit, tf.constant(y_data)),
             'mean': slim.metrics.streaming_mean(fit),
             'accuracy': slim.metrics.streaming_accuracy(tf.cast(fit > 0, tf.int32), tf.cast(tf.constant(y_data) > 0, tf.int32)),
             'recall at 1': slim.metrics.streaming_recall_at_k(tf.constant([[.1, .9], [.8, .2]]), tf.constant([1, 1]), 1)}
    names_to_values, names_to_updates = slim.metrics.aggregate_metric_map(names)
    values, updates = slim.metrics.aggregate_metrics(*names.values())
    print(sorted(names_to_values), names_to_updates['mse'].name, len(values), len(updates))
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        init_fn(sess)
        sess.run(assign, feeds)
        assign_values(sess)
        for v in slim.get_model_variables():
            print(v.op.name, sess.run(v).reshape(-1))
        sess.run(list(names_to_updates.values()))
        for name in sorted(names_to_values):
            print(name, '%.4f' % sess.run(names_to_values[name]))
    print([v.name for v in slim.get_local_variables('mean')])
    print([v.name for v in slim.filter_variables(tf.global_variables(), ['weights'], ['out'])])

with tf.Graph().as_default():
    p = tf.constant([[0.2, 0.7, 0.1], [0.5, 0.3, 0.2]])
    labels = tf.constant([[0., 1., 0.], [1., 0., 0.]])
    losses = slim.losses
    made = [losses.absolute_difference(p, labels), losses.mean_squared_error(p, labels, weights=[1., 0.]),
            losses.log_loss(p, labels, weights=0.5), losses.softmax_cross_entropy(p, labels, label_smoothing=0.1),
            losses.sparse_softmax_cross_entropy(p, tf.constant([1, 0])), losses.sigmoid_cross_entropy(p, labels, label_smoothing=0.1),
            losses.cosine_distance(p, labels, dim=1), losses.mean_pairwise_squared_error(p, labels),
            losses.compute_weighted_loss(tf.constant([1., 2.]), weights=[2., 4.]), tf.reduce_sum(losses.hinge_loss(p, labels))]
    losses.add_loss(tf.constant(3.), loss_collection=None)
    slim.losses.add_loss(tf.constant(0.5))
    print([t.name for t in losses.get_losses()], losses.get_regularization_losses())
    with tf.Session() as sess:
        print(np.array(sess.run(made)), '%.4f' % sess.run(losses.get_total_loss()))

with tf.Graph().as_default():
    w = slim.model_variable('w', shape=[2], initializer=tf.ones_initializer(), regularizer=slim.l2_regularizer(0.5), device='/cpu:0')
    v = slim.variable('v', [1], initializer=zeros, trainable=False)
    l, g = slim.local_variable(1., name='l'), slim.global_variable(2., name='g')
    slim.add_model_variable(v)
    slim.add_model_variable(v)
    for name in ('model', 'trainable', 'local'):
        print(name, [u.name for u in getattr(slim, 'get_%s_variables' % name)()])
    print(w.device, [u.name for u in slim.get_variables()], len(tf.losses.get_regularization_losses()))
    step = slim.get_or_create_global_step()
    print(slim.get_global_step().name, slim.assert_or_get_global_step(None, step).dtype, slim.get_variable_full_name(w))
    grads = [(tf.constant([3., 4.]), w), (None, v)]
    clipped = slim.learning.clip_gradient_norms(grads, 1.0)
    more = slim.learning.clip_gradient_norms_fn(2.0)(grads) if hasattr(slim.learning, 'clip_gradient_norms_fn') else slim.learning.clip_gradient_norms(grads, 2.0)
    times = slim.learning.multiply_gradients(grads, {'w': 10.})
    scaled = slim.scale_gradient(w * 1., tf.constant(3.))
    back = tf.gradients(scaled, w)
    print(clipped[1][0], more[0][1] is w, [s.name.split(':')[0] for s in slim.learning.add_gradients_summaries(grads)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([clipped[0][0], more[0][0], times[0][0], back[0]]))
    for bad in (lambda: slim.learning.multiply_gradients(grads, {}), lambda: slim.learning.multiply_gradients(grads, {'v': 1.}),
                lambda: slim.get_unique_variable('nowhere'), lambda: slim.get_variables_to_restore(include='w'),
                lambda: slim.assign_from_checkpoint_fn('x', []), lambda: slim.assign_from_values({'nowhere': 1}),
                lambda: slim.learning.train(None, None), lambda: slim.learning.train(1, None, number_of_steps=0)):
        try:
            bad()
        except (ValueError, TypeError) as e:
            print(e)
