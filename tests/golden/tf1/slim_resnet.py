"""A residual block with batch normalisation in tf.contrib.slim."""
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.framework import arg_scope, add_arg_scope
from tensorflow.contrib.layers import utils

def subsample(inputs, factor, scope=None):
    return inputs if factor == 1 else slim.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, outputs_collections=None, scope=None):
    with tf.variable_scope(scope, 'bottleneck_v1', [inputs]) as sc:
        depth_in = utils.last_dimension(inputs.get_shape(), min_rank=4)
        if depth == depth_in:
            shortcut = subsample(inputs, stride, 'shortcut')
        else:
            shortcut = slim.conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope='shortcut')
        residual = slim.conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        residual = slim.conv2d(residual, depth_bottleneck, 3, stride=stride, scope='conv2')
        residual = slim.conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope='conv3')
        output = tf.nn.relu(shortcut + residual)
        return utils.collect_named_outputs(outputs_collections, sc.name, output)


def resnet_arg_scope(weight_decay=0.0001, decay=0.9, is_training=True):
    batch_norm_params = {'decay': decay, 'epsilon': 1e-5, 'scale': True,
                         'updates_collections': tf.GraphKeys.UPDATE_OPS, 'is_training': is_training}
    with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(weight_decay),
                        weights_initializer=slim.variance_scaling_initializer(seed=1),
                        activation_fn=tf.nn.relu, normalizer_fn=slim.batch_norm,
                        normalizer_params=batch_norm_params):
        with slim.arg_scope([slim.max_pool2d], padding='SAME') as sc:
            return sc


def resnet(inputs, num_classes, reuse=None, scope='resnet'):
    with tf.variable_scope(scope, 'resnet_v1', [inputs], reuse=reuse) as sc:
        end_points_collection = sc.name + '_end_points'
        with slim.arg_scope([slim.conv2d, bottleneck], outputs_collections=end_points_collection):
            net = slim.conv2d(inputs, 4, 3, stride=2, scope='conv1')
            net = slim.max_pool2d(net, [3, 3], stride=2, scope='pool1')
            with tf.variable_scope('block1', values=[net]):
                for i, (depth, mid, stride) in enumerate([(8, 2, 1), (8, 2, 2)]):
                    with tf.variable_scope('unit_%d' % (i + 1), values=[net]):
                        net = bottleneck(net, depth=depth, depth_bottleneck=mid, stride=stride)
            net = tf.reduce_mean(net, [1, 2], name='pool5', keep_dims=True)
            net = slim.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope='logits')
            logits = tf.squeeze(net, [1, 2], name='SpatialSqueeze')
        end_points = utils.convert_collection_to_dict(end_points_collection)
        end_points['predictions'] = slim.softmax(logits, scope='predictions')
        return logits, end_points


images = np.arange(2 * 16 * 16 * 3).reshape(2, 16, 16, 3).astype(np.float32) % 7 / 7
x = tf.placeholder(tf.float32, [2, 16, 16, 3])
with slim.arg_scope(resnet_arg_scope()):
    logits, end_points = resnet(x, 3)
with slim.arg_scope(resnet_arg_scope(is_training=False)):
    eval_logits, _ = resnet(x, 3, reuse=True)
for name, value in end_points.items():
    print(name, value.name, value.shape)
print(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
print([op.name for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
for v in slim.get_model_variables():
    print(v.op.name, v.shape, v in tf.trainable_variables())
print([v.op.name for v in slim.get_variables_to_restore(include=['resnet/block1/unit_1'])])
loss = slim.losses.sparse_softmax_cross_entropy(logits, tf.constant([0, 2]))
total = tf.losses.get_total_loss()
train = slim.learning.create_train_op(total, tf.train.MomentumOptimizer(0.05, 0.9))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        print(step, '%.4f' % sess.run(train, {x: images}))
    print(np.round(sess.run(eval_logits, {x: images}), 2).shape)
    mean = [v for v in slim.get_variables_by_name('moving_mean', 'resnet/conv1')][0]
    print(mean.name, np.round(sess.run(mean), 3))
for op in tf.get_default_graph().get_operations():
    if op.type in ('Placeholder', 'Conv2D', 'FusedBatchNormV3', 'Relu', 'AssignSub', 'MaxPool', 'VariableV2', 'L2Loss'): print(op.name, op.type)
