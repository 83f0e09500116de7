// Layers, losses and metrics: the variables they create, the collections they fill, and their
// values.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Layers, Variables) {
  test::Rows().Check({
      {"y = tf.layers.dense(tf.ones([2, 3]), 4, name='d')",
       "y.name, y.shape, [(v.name, v.shape.as_list()) for v in tf.trainable_variables()]",
       "d/BiasAdd:0 (2, 4) [('d/kernel:0', [3, 4]), ('d/bias:0', [4])]"},
      {"y = tf.layers.dense(tf.ones([2, 3]), 4, activation=tf.nn.relu, use_bias=False)",
       "y.name, [v.name for v in tf.global_variables()]", "dense/Relu:0 ['dense/kernel:0']"},
      {"a, b = tf.layers.dense(tf.ones([2, 3]), 4), tf.layers.dense(tf.ones([2, 3]), 4)",
       "[v.name for v in tf.global_variables()]",
       "['dense/kernel:0', 'dense/bias:0', 'dense_1/kernel:0', 'dense_1/bias:0']"},
      {"x = tf.ones([2, 3])\n"
       "a = tf.layers.dense(x, 4, name='d')\n"
       "b = tf.layers.dense(x, 4, name='d', reuse=True)",
       "len(tf.global_variables()), a.name, b.name", "2 d/BiasAdd:0 d_1/BiasAdd:0"},
      {"y = tf.layers.conv2d(tf.ones([1, 5, 5, 2]), 3, 2, name='c')",
       "y.shape, [(v.name, v.shape.as_list()) for v in tf.global_variables()]",
       "(1, 4, 4, 3) [('c/kernel:0', [2, 2, 2, 3]), ('c/bias:0', [3])]"},
      {"x = tf.ones([1, 6, 6, 2])",
       "tf.layers.max_pooling2d(x, 2, 2).shape, tf.layers.average_pooling2d(x, 3, 1, "
       "'same').shape, tf.layers.flatten(x).shape",
       "(1, 3, 3, 2) (1, 6, 6, 2) (1, 72)"},
      {"",
       "tf.layers.conv2d_transpose(tf.ones([1, 3, 3, 2]), 4, 2, 2).shape, "
       "tf.layers.separable_conv2d(tf.ones([1, 3, 3, 2]), 4, 2).shape, "
       "tf.layers.conv1d(tf.ones([1, 5, 2]), 3, 2, strides=2).shape",
       "(1, 6, 6, 4) (1, 2, 2, 4) (1, 2, 3)"},
      {"x = tf.ones([3])\n"
       "y = tf.layers.dropout(x, .5, training=False)",
       "tf.Session().run(y), tf.layers.dropout(x, training=True).shape", "[1. 1. 1.] (3,)"},
      {"l = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer(), "
       "bias_initializer=tf.constant_initializer(1.))\n"
       "y, z = l(tf.ones([1, 3])), l(tf.zeros([1, 3]))\n"
       "s = tf.Session()\n"
       "s.run(tf.global_variables_initializer())",
       "s.run([y, z]), l.kernel.name, l.units",
       "[array([[4., 4.]], dtype=float32), array([[1., 1.]], dtype=float32)] dense/kernel:0 2"},
      {"y = tf.layers.dense(tf.ones([2, 3]), 1, kernel_regularizer=lambda w: tf.reduce_sum(w, "
       "name='pen'))",
       "[t.name for t in tf.losses.get_regularization_losses()]",
       "['dense/kernel/Regularizer/pen:0']"},
      {"", "tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 4)",
       "ValueError: The last dimension of the inputs to `Dense` should be defined. Found `None`."},
      {"", "tf.layers.dense(tf.ones([2, 3]), 4, name='d', reuse=True)",
       "ValueError: Variable d/kernel does not exist, or was not created with tf.get_variable(). "
       "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"},
      {"",
       "tf.layers.dense(tf.placeholder(tf.float32, [None, None, 3]), 4).shape, "
       "tf.layers.flatten(tf.placeholder(tf.float32, [None, 2, 3])).shape",
       "(?, ?, 4) (?, 6)"},
      {"", "tf.layers.conv2d(tf.ones([5, 5, 2]), 3, 2)",
       "ValueError: Input 0 of layer conv2d_1 is incompatible with the layer: expected ndim=4, "
       "found ndim=3. Full shape received: [5, 5, 2]"},
      {"", "tf.layers.max_pooling2d(tf.ones([5, 5, 2]), 2, 2)",
       "ValueError: Input 0 of layer max_pooling2d_1 is incompatible with the layer: expected "
       "ndim=4, found ndim=3. Full shape received: [5, 5, 2]"},
  });
}

TEST(Losses, Values) {
  test::Rows().Check({
      {"s = tf.Session()",
       "s.run([tf.losses.mean_squared_error([1., 2.], [1., 4.]), "
       "tf.losses.absolute_difference([1., 2.], [1., 4.]), tf.losses.huber_loss([0.], [3.])])",
       "[2.0, 1.0, 2.5]"},
      {"s = tf.Session()",
       "np.round(s.run([tf.losses.log_loss([1.], [.5]), tf.losses.hinge_loss([1.], [.5]), "
       "tf.losses.sigmoid_cross_entropy([[1.]], [[0.]])]), 4)",
       "[0.6931 0.5    0.6931]"},
      {"s = tf.Session()",
       "np.round(s.run([tf.losses.softmax_cross_entropy([[0., 1.]], [[0., 0.]]), "
       "tf.losses.sparse_softmax_cross_entropy([1], [[0., 0.]]), tf.losses.cosine_distance([1., "
       "0.], [0., 1.], axis=0)]), 4)",
       "[0.6931 0.6931 1.    ]"},
      {"s = tf.Session()",
       "[s.run(tf.losses.mean_squared_error([1., 2.], [2., 4.], weights=w)) for w in (1., 2., [1., "
       "0.])]",
       "[2.5, 5.0, 1.0]"},
      {"s = tf.Session()",
       "[s.run(tf.losses.mean_squared_error([1., 2.], [2., 4.], reduction=r)).tolist() for r in "
       "('none', 'weighted_sum', 'weighted_mean', 'weighted_sum_over_batch_size')]",
       "[[1.0, 4.0], 5.0, 2.5, 2.5]"},
      {"", "tf.losses.mean_squared_error([1.], [1., 2.])",
       "ValueError: Shapes (2,) and (1,) are incompatible"},
      {"", "tf.losses.mean_squared_error(None, [1.])", "ValueError: labels must not be None."},
      {"", "tf.losses.mean_squared_error([1.], [1.], reduction='nope')",
       "ValueError: Invalid ReductionKey nope."},
      {"tf.losses.mean_squared_error([1.], [2.], loss_collection=None)\n"
       "tf.losses.mean_squared_error([1.], [3.])\n"
       "tf.losses.add_loss(tf.constant(5.))",
       "len(tf.losses.get_losses()), tf.Session().run(tf.losses.get_total_loss()), "
       "tf.losses.get_total_loss().op.name",
       "2 9.0 total_loss_1"},
      {"with tf.name_scope('a'): tf.losses.mean_squared_error([1.], [2.])\n"
       "tf.losses.mean_squared_error([1.], [2.])",
       "len(tf.losses.get_losses('a')), len(tf.losses.get_losses()), "
       "tf.Session().run(tf.losses.get_regularization_loss())",
       "1 2 0.0"},
      {"s = tf.Session()",
       "s.run(tf.losses.compute_weighted_loss([1., 3.], [1., 1.])), "
       "s.run(tf.losses.mean_pairwise_squared_error([[0., 1.]], [[0., 3.]]))",
       "2.0 4.0"},
  });
}

TEST(Metrics, Values) {
  test::Rows().Check({
      {"value, update = tf.metrics.mean([1., 2., 6.])\n"
       "s = tf.Session()\n"
       "s.run(tf.local_variables_initializer())",
       "s.run(value), s.run(update), s.run(value), [v.name for v in tf.local_variables()]",
       "0.0 3.0 3.0 ['mean/total:0', 'mean/count:0']"},
      {"x = tf.placeholder(tf.float32, [None])\n"
       "value, update = tf.metrics.mean(x, name='m')\n"
       "s = tf.Session()\n"
       "s.run(tf.local_variables_initializer())",
       "s.run(update, {x: [2.]}), s.run(update, {x: [4., 6.]}), value.name, update.name",
       "2.0 4.0 m/value:0 m/update_op:0"},
      {"value, update = tf.metrics.accuracy([1, 0, 1], [1, 1, 1])\n"
       "s = tf.Session()\n"
       "s.run(tf.local_variables_initializer())",
       "np.round(s.run([update, value])[0], 4), [v.name for v in "
       "tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)]",
       "0.6667 ['accuracy/total:0', 'accuracy/count:0']"},
      {"s = tf.Session()\n"
       "m = [tf.metrics.precision([1, 0, 1], [1, 1, 0]), tf.metrics.recall([1, 0, 1], [1, 1, 0]), "
       "tf.metrics.true_positives([1, 0], [1, 1]), tf.metrics.false_positives([1, 0], [1, 1])]\n"
       "s.run(tf.local_variables_initializer())",
       "s.run([u for _, u in m])", "[0.5, 0.5, 1.0, 1.0]"},
      {"s = tf.Session()\n"
       "m = [tf.metrics.mean_squared_error([1., 2.], [1., 4.]), "
       "tf.metrics.mean_absolute_error([1., 2.], [1., 4.]), "
       "tf.metrics.root_mean_squared_error([0.], [3.])]\n"
       "s.run(tf.local_variables_initializer())",
       "s.run([u for _, u in m])", "[2.0, 1.0, 3.0]"},
      {"s = tf.Session()\n"
       "m = tf.metrics.mean_iou([0, 1, 1], [0, 1, 0], 2)\n"
       "s.run(tf.local_variables_initializer())",
       "s.run(m[1]).tolist(), np.round(s.run(m[0]), 4)",
       "AttributeError: 'list' object has no attribute 'get_shape'"},
      {"s = tf.Session()\n"
       "m = tf.metrics.mean([1., 5.], weights=[3., 1.])\n"
       "s.run(tf.local_variables_initializer())",
       "s.run(m[1])", "2.0"},
      {"tf.metrics.mean([1.], metrics_collections=['m'], updates_collections='u')",
       "len(tf.get_collection('m')), len(tf.get_collection('u'))", "1 1"},
      {"", "tf.metrics.accuracy([1], [1, 2])", "ValueError: Shapes (2,) and (1,) are incompatible"},
      {"s = tf.Session()\n"
       "m = tf.metrics.percentage_below([1., 2., 3., 4.], 2.5)\n"
       "t = tf.metrics.mean_tensor([1., 3.])\n"
       "s.run(tf.local_variables_initializer())",
       "s.run(m[1]), s.run(t[1])", "0.5 [1. 3.]"},
  });
}

}  // namespace
}  // namespace tensh::shell
