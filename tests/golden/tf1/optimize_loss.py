# tf.contrib.layers.optimize_loss, and Session.graph_def.
import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers


def build(*args, **kwargs):
    with tf.Graph().as_default():
        w = tf.get_variable('w', initializer=[[1., 2.], [3., 4.]], use_resource=True)
        b = tf.get_variable('b', initializer=[1.], use_resource=True)
        rows = tf.nn.embedding_lookup(w, [1, 1])
        loss = tf.reduce_sum(rows * rows) + tf.reduce_sum(b * b)
        step = tf.train.get_or_create_global_step()
        if kwargs.pop('update', False):
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(tf.get_variable('c', initializer=0.), 1.).op)
        try:
            train = layers.optimize_loss(loss, step, *args, **kwargs)
        except ValueError as e:
            print(e)
            return
        print(train.name, [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)], [v.name for v in tf.global_variables()])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(2):
                value = sess.run(train)
            print('%.3f' % value, [np.round(sess.run(v), 3).tolist() for v in tf.global_variables()])
            print(len(sess.graph_def.node) == len(sess.graph.get_operations()))


build(0.1, 'SGD')
build(0.1, 'Adam', clip_gradients=1.0, name='mine', update=True)
build(0.1, tf.train.AdagradOptimizer, summaries=['gradients', 'gradient_norm', 'loss'])
build(0.1, lambda rate: tf.train.MomentumOptimizer(rate, 0.5), learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 1, 0.5))
build(None, tf.train.GradientDescentOptimizer(0.01), gradient_multipliers={'b:0': 10.}, increment_global_step=False, summaries=[])
build(0.1, 'SGD', clip_gradients=lambda pairs: [(g, v) for g, v in pairs if v.op.name == 'b'])
build(0.1, 'Nothing')
build(None, 'SGD')
build(-1.0, 'SGD')
build(1, 'SGD')
build(0.1, 3)
build(0.1, 'SGD', summaries=['all'])
build(0.1, 'SGD', clip_gradients='much')
