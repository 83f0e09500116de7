"""LeNet in tf.contrib.slim, with arg_scope, end points, regularisers, and a training loop."""
import numpy as np
import tensorflow as tf
slim = tf.contrib.slim


def lenet_arg_scope(weight_decay=0.01):
    with slim.arg_scope([slim.conv2d, slim.fully_connected],
                        weights_regularizer=slim.l2_regularizer(weight_decay),
                        weights_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3),
                        activation_fn=tf.nn.relu) as sc:
        return sc


def lenet(images, num_classes=4, is_training=False, dropout_keep_prob=0.5, scope='LeNet'):
    end_points = {}
    with tf.variable_scope(scope, 'LeNet', [images]):
        net = end_points['conv1'] = slim.conv2d(images, 6, [5, 5], scope='conv1')
        net = end_points['pool1'] = slim.max_pool2d(net, [2, 2], 2, scope='pool1')
        net = end_points['conv2'] = slim.conv2d(net, 8, [5, 5], scope='conv2')
        net = end_points['pool2'] = slim.max_pool2d(net, [2, 2], 2, scope='pool2')
        net = slim.flatten(net)
        end_points['Flatten'] = net
        net = end_points['fc3'] = slim.fully_connected(net, 16, scope='fc3')
        net = end_points['dropout3'] = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope='dropout3')
        logits = end_points['Logits'] = slim.fully_connected(net, num_classes, activation_fn=None, scope='fc4')
    end_points['Predictions'] = slim.softmax(logits, scope='Predictions')
    return logits, end_points


np.random.seed(0)
tf.set_random_seed(5)
x = np.random.rand(8, 12, 12, 1).astype(np.float32)
y = np.arange(8) % 4
images = tf.placeholder(tf.float32, [None, 12, 12, 1], name='images')
labels = tf.placeholder(tf.int64, [None], name='labels')
with slim.arg_scope(lenet_arg_scope()):
    logits, end_points = lenet(images, is_training=True)
for name in sorted(end_points):
    print(name, end_points[name])
onehot = slim.one_hot_encoding(labels, 4)
slim.losses.softmax_cross_entropy(logits, onehot)
total = slim.losses.get_total_loss()
print(total.name, [l.name for l in slim.losses.get_losses()], [l.name for l in slim.losses.get_regularization_losses()])
for v in slim.get_model_variables():
    print(v.name, v.shape, v in tf.trainable_variables())
print([v.name for v in slim.get_variables('LeNet/conv1')])
print([v.name for v in slim.get_variables_by_name('weights')])
print([v.name for v in slim.get_variables_by_suffix('biases')])
print([v.name for v in slim.get_variables_to_restore(exclude=['LeNet/fc3', 'LeNet/fc4'])])
optimizer = tf.train.GradientDescentOptimizer(0.1)
train_op = slim.learning.create_train_op(total, optimizer, clip_gradient_norm=1.0)
print(train_op.name, slim.get_or_create_global_step().name, [t.name for t in tf.get_collection('train_op')])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        loss = sess.run(train_op, {images: x, labels: y})
        print(i, '%.3f' % loss, sess.run(tf.train.get_global_step()))
