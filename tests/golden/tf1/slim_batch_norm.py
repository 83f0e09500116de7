# slim.batch_norm: rows and images, updates at once or later, as a decision of the step.
import numpy as np
import tensorflow as tf
slim = tf.contrib.slim
np.set_printoptions(precision=4, suppress=True)
rows = np.arange(8.).reshape(4, 2).astype(np.float32)
images = (np.arange(2 * 3 * 3 * 2) % 5).reshape(2, 3, 3, 2).astype(np.float32)


def show(title, make, given, feeds=({},)):
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, given.shape, name='x')
        out = make(x)
        print(title, out.name, out.shape, [op.name for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
        print([(v.op.name, v.trainable) for v in slim.get_model_variables()])
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for feed in feeds:
                feed = {g.get_tensor_by_name(k): v for k, v in feed.items()}
                feed[x] = given
                value = sess.run([out] + updates, feed)[0]
                print(value.reshape(-1)[:6])
            for v in tf.global_variables():
                print(v.name, sess.run(v))


show('rows', lambda x: slim.batch_norm(x), rows)
show('rows, at once', lambda x: slim.batch_norm(x, decay=0.5, updates_collections=None, scale=True), rows)
show('rows, not training', lambda x: slim.batch_norm(x, is_training=False, scope='bn'), rows)
show('images', lambda x: slim.batch_norm(x, decay=0.9, activation_fn=tf.nn.relu), images)
show('images, at once', lambda x: slim.batch_norm(x, decay=0.9, center=False, updates_collections=None), images)
show('images, mine', lambda x: slim.batch_norm(x, decay=0.9, updates_collections='mine'), images)
show('not fused', lambda x: slim.batch_norm(x, decay=0.9, fused=False), images)
show('not fused, at once', lambda x: slim.batch_norm(x, decay=0.9, fused=False, updates_collections=None), images)
show('weighted', lambda x: slim.batch_norm(x, decay=0.9, batch_weights=[1., 3.], updates_collections=None), images)
show('channels first', lambda x: slim.batch_norm(tf.transpose(x, [0, 3, 1, 2]), decay=0.9, fused=False, data_format='NCHW', updates_collections=None), images)
show('initial', lambda x: slim.batch_norm(x, decay=0.9, scale=True, param_initializers={'gamma': tf.constant_initializer(2.), 'moving_mean': tf.ones_initializer()}), images)
show('regular', lambda x: slim.batch_norm(x, scale=True, param_regularizers={'gamma': slim.l2_regularizer(.1)}) + tf.add_n(tf.losses.get_regularization_losses()), images)
for fused in (True, False):
    for later in (tf.GraphKeys.UPDATE_OPS, None):
        def decided(x):
            return slim.batch_norm(x, decay=0.9, is_training=tf.placeholder(tf.bool, [], name='t'), fused=fused, updates_collections=later)
        show('decided in the step', decided, images, [{'t:0': True}, {'t:0': False}])
