"""VGG-like nets in tf.contrib.slim: repeat, stack, nested and saved arg_scopes, layers of one's own."""
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

FIXED = tf.constant_initializer(0.05)


def vgg(inputs, num_classes, is_training=True, reuse=None):
    with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu, weights_initializer=FIXED,
                        weights_regularizer=slim.l2_regularizer(0.0005), variables_collections=['all_of_vgg']):
        with slim.arg_scope([slim.conv2d], padding='SAME'):
            with slim.arg_scope([slim.conv2d, slim.max_pool2d], stride=1, outputs_collections='outputs'):
                net = slim.repeat(inputs, 2, slim.conv2d, 4, [3, 3], scope='conv1')
                net = slim.max_pool2d(net, [2, 2], stride=2, scope='pool1')
                net = slim.stack(net, slim.conv2d, [(4, [3, 3]), (6, [1, 1])], scope='conv2')
                net = slim.avg_pool2d(net, [2, 2], scope='pool2')
        net = slim.flatten(net, scope='flat')
        net = slim.stack(net, slim.fully_connected, [8, 6], scope='fc')
        net = slim.dropout(net, 1.0, is_training=is_training, scope='dropout6')
        return slim.fully_connected(net, num_classes, activation_fn=None, normalizer_fn=None, scope='fc8')


x = tf.placeholder(tf.float32, [None, 8, 8, 1])
with tf.variable_scope('vgg'):
    logits = vgg(x, 3)
with tf.variable_scope('vgg', reuse=True):
    again = vgg(x, 3, is_training=False)
print(logits, again.name)
for v in tf.trainable_variables():
    print(v.name, v.shape)
print([v.name for v in tf.get_collection('all_of_vgg')])
print(slim.utils.convert_collection_to_dict('outputs', clear_collection=True))
print(tf.get_collection('outputs'), len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))


@slim.add_arg_scope
def scaled(x, by=1.0, name=None, shift=0.0):
    return x * by + shift


print(slim.has_arg_scope(scaled), slim.has_arg_scope(slim.conv2d), slim.arg_scoped_arguments(scaled), scaled.__name__)
with slim.arg_scope([scaled], by=2.0):
    print(scaled(3.0), scaled(3.0, by=4.0))
    with slim.arg_scope([scaled], shift=1.0) as sc:
        print(scaled(3.0), sorted(slim.current_arg_scope()[slim.arg_scope_func_key(scaled)].items()))
print(scaled(3.0))
with slim.arg_scope(sc):
    print(scaled(3.0))
with slim.arg_scope((scaled,), by=10.0):
    print(scaled(3.0))
try:
    with slim.arg_scope(scaled, by=1):
        pass
except TypeError as e:
    print(e)
try:
    with slim.arg_scope([tf.nn.relu], by=1):
        pass
except ValueError as e:
    print(type(e).__name__)
try:
    with slim.arg_scope(sc, by=1):
        pass
except ValueError as e:
    print(e)


@slim.arg_scope([scaled], by=5.0)
def decorated():
    return scaled(1.0)


print(decorated(), slim.current_arg_scope() == {})

tf.reset_default_graph()
img = tf.constant(np.arange(2 * 6 * 6 * 2).reshape(2, 6, 6, 2) / 144., tf.float32)
ones = tf.ones_initializer()
outs = [
    slim.separable_conv2d(img, 3, [3, 3], depth_multiplier=2, weights_initializer=ones),
    slim.separable_conv2d(img, None, 3, 1, stride=2, rate=1, weights_initializer=FIXED, activation_fn=None),
    slim.separable_conv2d(img, None, 3, 1, weights_initializer=FIXED, normalizer_fn=slim.batch_norm),
    slim.conv2d_transpose(img, 3, [3, 3], stride=2, weights_initializer=FIXED),
    slim.convolution2d_transpose(img, 3, 2, 2, padding='VALID', weights_initializer=FIXED, biases_initializer=None),
    slim.conv1d(img[:, 0], 3, 3, weights_initializer=FIXED),
    slim.conv3d(img[:, :, :, :, tf.newaxis], 3, [2, 2, 2], weights_initializer=FIXED, data_format='NDHWC'),
    slim.conv2d(img, 3, 3, rate=2, padding='VALID', weights_initializer=FIXED),
    slim.pool(img, [2, 2], 'MAX', stride=2), slim.pool(img, [3, 2], 'AVG', padding='SAME'),
    slim.unit_norm(img, 3), slim.maxout(img, 1), slim.bias_add(img, initializer=tf.constant_initializer([1., 2.])),
    slim.layer_norm(img), slim.layer_norm(img, begin_norm_axis=2, center=False, activation_fn=tf.nn.relu),
    slim.linear(img[:, 0, 0], 2, weights_initializer=FIXED), slim.relu(img, 2, weights_initializer=FIXED),
    slim.relu6(img[:, 0, 0] * 100, 2, weights_initializer=FIXED), slim.elu(-img[:, 0, 0], 2, weights_initializer=FIXED),
    slim.softmax(img), slim.one_hot_encoding([1, 0], 3),
    slim.stack(img[:, 0, 0], slim.linear, [2, 3], weights_initializer=FIXED),
    slim.repeat(img, 2, slim.max_pool2d, 2),
]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for t in outs:
        v = sess.run(t)
        print(t.name, t.shape, '%.3g' % np.abs(v).sum())
for v in tf.global_variables():
    print(v.name, v.shape, v.trainable)
for build in (lambda: slim.conv2d(img[0], 3, 3), lambda: slim.fully_connected(img, 2.5), lambda: slim.max_pool2d(img, 2, data_format='X'),
              lambda: slim.stack(img, slim.conv2d, 3), lambda: slim.unit_norm(img, 7), lambda: slim.maxout(img, 3),
              lambda: slim.l1_regularizer(3), lambda: slim.l2_regularizer(-1.), lambda: slim.variance_scaling_initializer(mode='X')):
    try:
        print(build())
    except Exception as e:
        print(type(e).__name__, e)
