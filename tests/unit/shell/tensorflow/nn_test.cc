// Neural networks: convolutions, pools, normalizations, losses, embeddings and recurrent cells.
// Values are small enough to check by hand.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Convolution, Values) {
  test::Rows().Check({
      {"x = tf.reshape(tf.range(9.), [1, 3, 3, 1])",
       "tf.Session().run(tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], 'VALID')).ravel()",
       "[ 8. 12. 20. 24.]"},
      {"x = tf.reshape(tf.range(9.), [1, 3, 3, 1])",
       "tf.Session().run(tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], 'SAME')).ravel()",
       "[ 8.  7. 13.  8.]"},
      {"x = tf.reshape(tf.range(4.), [1, 4, 1])",
       "tf.Session().run(tf.nn.conv1d(x, tf.ones([2, 1, 1]), 1, 'VALID')).ravel()", "[1. 3. 5.]"},
      {"x = tf.reshape(tf.range(4.), [1, 2, 2, 1])",
       "tf.Session().run(tf.nn.conv2d_transpose(x, tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], [1, 2, 2, "
       "1]))[0, :, :, 0].tolist()",
       "[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0], [2.0, 2.0, 3.0, 3.0]]"},
      {"x = tf.ones([1, 3, 3, 2])",
       "tf.Session().run(tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "
       "'VALID'))[0, 0, 0], tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 3]), [1, 1, 1, 1], "
       "'SAME').shape",
       "[4. 4.] (1, 3, 3, 6)"},
      {"x = tf.ones([1, 3, 3, 2])",
       "tf.Session().run(tf.nn.separable_conv2d(x, tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 3]), "
       "[1, 1, 1, 1], 'VALID'))[0, 0, 0]",
       "[8. 8. 8.]"},
      {"x = tf.reshape(tf.range(25.), [1, 5, 5, 1])",
       "tf.Session().run(tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), 2, 'VALID')).ravel(), "
       "tf.nn.convolution(x, tf.ones([2, 2, 1, 1]), 'VALID', dilation_rate=[2, 2]).shape",
       "[24. 28. 32. 44. 48. 52. 64. 68. 72.] (1, 3, 3, 1)"},
      {"",
       "tf.nn.conv3d(tf.ones([1, 3, 3, 3, 1]), tf.ones([2, 2, 2, 1, 4]), [1, 1, 1, 1, 1], "
       "'SAME').shape",
       "(1, 3, 3, 3, 4)"},
      {"", "tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([4, 4, 1, 1]), [1, 1, 1, 1], 'VALID')",
       "ValueError: Negative dimension size caused by subtracting 4 from 3: the window is larger "
       "than the input"},
      {"", "tf.nn.conv2d(tf.ones([3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], 'VALID')",
       "ValueError: Shape must be rank 4 but is rank 3 for input 0, which has shape [3,3,1]"},
      {"y = tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), strides=2, padding='SAME')",
       "y.op.get_attr('strides'), y.op.get_attr('padding'), y.op.get_attr('data_format'), "
       "y.op.get_attr('dilations')",
       "[1, 2, 2, 1] b'SAME' b'NHWC' [1, 1, 1, 1]"},
  });
}

TEST(Pools, Values) {
  test::Rows().Check({
      {"x = tf.reshape(tf.range(16.), [1, 4, 4, 1])",
       "tf.Session().run([tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'), "
       "tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')])",
       "[array([[[[ 5.],\n"
       "         [ 7.]],\n"
       "\n"
       "        [[13.],\n"
       "         [15.]]]], dtype=float32), array([[[[ 2.5],\n"
       "         [ 4.5]],\n"
       "\n"
       "        [[10.5],\n"
       "         [12.5]]]], dtype=float32)]"},
      {"x = tf.reshape(tf.range(9.), [1, 3, 3, 1])",
       "tf.Session().run(tf.nn.max_pool(x, 2, 2, 'SAME')).ravel(), "
       "tf.Session().run(tf.nn.avg_pool(x, 2, 2, 'SAME')).ravel()",
       "[4. 5. 7. 8.] [2.  3.5 6.5 8. ]"},
      {"x = tf.reshape(tf.range(16.), [1, 4, 4, 1])",
       "tf.Session().run(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "
       "'VALID').argmax).ravel()",
       "[ 5  7 13 15]"},
      {"x = tf.reshape(tf.range(4.), [1, 4, 1])",
       "tf.Session().run(tf.nn.pool(x, [2], 'MAX', 'VALID')).ravel(), "
       "tf.Session().run(tf.nn.pool(x, [2], 'AVG', 'VALID', strides=[2])).ravel()",
       "[1. 2. 3.] [0.5 2.5]"},
      {"", "tf.nn.pool(tf.zeros([1, 4, 1]), [2], 'MIN', 'VALID')",
       "ValueError: `pooling_type` must be one of MAX, AVG. Received: pooling_type=MIN"},
      {"", "tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 5, 5, 1], [1, 1, 1, 1], 'VALID')",
       "ValueError: Negative dimension size caused by subtracting 5 from 4: the window is larger "
       "than the input"},
  });
}

TEST(Activations, Values) {
  test::Rows().Check({
      {"x = tf.constant([-2., 0., 3., 9.])",
       "tf.Session().run([tf.nn.relu(x), tf.nn.relu6(x), tf.nn.leaky_relu(x, .5), "
       "tf.nn.softsign(x), tf.nn.crelu(x)])",
       "[array([0., 0., 3., 9.], dtype=float32), array([0., 0., 3., 6.], dtype=float32), "
       "array([-1.,  0.,  3.,  9.], dtype=float32), array([-0.6666667,  0.       ,  0.75     ,  "
       "0.9      ], dtype=float32), array([0., 0., 3., 9., 2., 0., 0., 0.], dtype=float32)]"},
      {"",
       "tf.Session().run([tf.nn.softmax([0., 0.]), tf.nn.softmax([[0., 0.], [0., 0.]], 0), "
       "tf.sigmoid(0.), tf.nn.log_softmax([0.])])",
       "[array([0.5, 0.5], dtype=float32), array([[0.5, 0.5],\n"
       "       [0.5, 0.5]], dtype=float32), 0.5, array([0.], dtype=float32)]"},
      {"", "tf.nn.softmax([1., 2.], axis=0, dim=0)",
       "ValueError: Cannot specify both 'dim' and 'axis'."},
      {"",
       "tf.Session().run([tf.nn.bias_add([[1., 2.]], [10., 20.]), tf.nn.xw_plus_b([[1., 2.]], "
       "[[3.], [4.]], [5.]), tf.nn.relu_layer([[1.]], [[-3.]], [1.])])",
       "[array([[11., 22.]], dtype=float32), array([[16.]], dtype=float32), array([[0.]], "
       "dtype=float32)]"},
      {"",
       "tf.nn.relu(1.).op.name, tf.nn.softmax([1.]).op.name, tf.nn.leaky_relu([1.]).op.name, "
       "tf.nn.elu([1.]).op.name",
       "Relu Softmax LeakyRelu Elu"},
      {"",
       "tf.Session().run(tf.nn.l2_normalize([3., 4.], 0)), "
       "tf.Session().run(tf.nn.moments(tf.constant([1., 3.]), [0]))",
       "[0.6 0.8] (2.0, 1.0)"},
      {"m, v = tf.nn.moments(tf.constant([[1., 2.], [3., 6.]]), [0], keep_dims=True)",
       "tf.Session().run([m, v])",
       "[array([[2., 4.]], dtype=float32), array([[1., 4.]], dtype=float32)]"},
      {"m, v = tf.nn.weighted_moments(tf.constant([1., 3.]), [0], tf.constant([3., 1.]))",
       "tf.Session().run([m, v])", "[1.5, 0.75]"},
      {"y, m, v = tf.nn.fused_batch_norm(tf.reshape(tf.constant([1., 3.]), [1, 1, 2, 1]), [1.], "
       "[0.], epsilon=0.)",
       "tf.Session().run([m, v]), y.op.type",
       "[array([2.], dtype=float32), array([2.], dtype=float32)] FusedBatchNormV3"},
      {"",
       "tf.Session().run(tf.nn.lrn(tf.ones([1, 1, 1, 2]), depth_radius=1, bias=0., alpha=1., "
       "beta=1.)).ravel()",
       "[0.5 0.5]"},
      {"x = tf.ones([1000])\n"
       "y = tf.Session().run(tf.nn.dropout(x, rate=.25, seed=3))",
       "sorted(set(np.round(y, 4).tolist())), bool(abs((y == 0).mean() - .25) < .1)",
       "[0.0, 1.333299994468689] True"},
      {"x = tf.ones([3])", "tf.nn.dropout(x, 1.) is x, tf.nn.dropout(x, keep_prob=.5).shape",
       "True (3,)"},
      {"", "tf.nn.dropout(tf.ones([3]), keep_prob=.5, rate=.5)",
       "ValueError: Cannot specify both 'keep_prob' and 'rate'."},
  });
}

TEST(CrossEntropy, Values) {
  test::Rows().Check({
      {"",
       "np.round(tf.Session().run(tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0., 1.]], "
       "logits=[[0., 0.]])), 4)",
       "[0.6931]"},
      {"",
       "np.round(tf.Session().run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], "
       "logits=[[0., 0.]])), 4)",
       "[0.6931]"},
      {"",
       "np.round(tf.Session().run(tf.nn.sigmoid_cross_entropy_with_logits(labels=[1., 0.], "
       "logits=[0., 0.])), 4)",
       "[0.6931 0.6931]"},
      {"",
       "np.round(tf.Session().run(tf.nn.weighted_cross_entropy_with_logits([1.], [0.], 3.)), 4)",
       "[2.0794]"},
      {"", "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1]], logits=[[0., 0.]])",
       "ValueError: Rank mismatch: Rank of labels (received 2) should equal rank of logits minus 1 "
       "(received 2)."},
      {"", "tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.], logits=[1., 2.])",
       "ValueError: logits and labels must have the same shape ((2,) vs (1,))"},
      {"",
       "tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.zeros([2, 3]), logits=tf.zeros([2, "
       "4]))",
       "ValueError: logits and labels must be broadcastable: logits_size=[2,4] labels_size=[2,3]"},
      {"x = tf.constant([[1., 2.]])\n"
       "l = tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0., 1.]], logits=x)",
       "np.round(tf.Session().run(tf.gradients(l, x)[0]), 4)", "[[ 0.2689 -0.2689]]"},
  });
}

TEST(Embeddings, Values) {
  test::Rows().Check({
      {"e = tf.constant([[0., 0.], [1., 1.], [2., 2.]])",
       "tf.Session().run(tf.nn.embedding_lookup(e, [2, 0])).tolist(), tf.nn.embedding_lookup(e, "
       "[[1]]).shape",
       "[[2.0, 2.0], [0.0, 0.0]] (1, 1, 2)"},
      {"e = [tf.constant([[0.], [2.]]), tf.constant([[1.], [3.]])]",
       "tf.Session().run(tf.nn.embedding_lookup(e, [3, 0, 1])).ravel(), "
       "tf.Session().run(tf.nn.embedding_lookup([tf.constant([[0.], [1.]]), tf.constant([[2.]])], "
       "[2, 1], 'div')).ravel()",
       "[3. 0. 1.] [2. 1.]"},
      {"", "tf.nn.embedding_lookup(tf.zeros([2, 2]), [0], partition_strategy='nope')",
       "Tensor(\"embedding_lookup/Identity:0\", shape=(1, 2), dtype=float32)"},
      {"", "tf.nn.embedding_lookup([], [0])", "ValueError: Need at least one param"},
      {"e = tf.constant([[1.], [2.], [4.]])\n"
       "s = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2])",
       "[tf.Session().run(tf.nn.embedding_lookup_sparse(e, s, None, combiner=c)).ravel().tolist() "
       "for c in ('sum', 'mean')]",
       "[[5.0, 2.0], [2.5, 2.0]]"},
      {"v = tf.Variable([[1.], [2.], [3.]])\n"
       "g = tf.gradients(tf.reduce_sum(tf.nn.embedding_lookup(v, [2, 2])), v)[0]",
       "type(g).__name__, tf.Session().run(g.indices), g.dense_shape is not None",
       "IndexedSlices [2 2] True"},
  });
}

TEST(Recurrent, Cells) {
  test::Rows().Check({
      {"c = tf.nn.rnn_cell.BasicRNNCell(3)\n"
       "y, s = c(tf.ones([2, 4]), c.zero_state(2, tf.float32))",
       "y.shape, s is y, c.state_size, c.output_size, [v.name for v in c.variables], "
       "[v.shape.as_list() for v in c.variables]",
       "(2, 3) True 3 3 ['basic_rnn_cell/kernel:0', 'basic_rnn_cell/bias:0'] [[7, 3], [3]]"},
      {"c = tf.nn.rnn_cell.LSTMCell(3)\n"
       "y, s = c(tf.ones([2, 4]), c.zero_state(2, tf.float32))",
       "type(s).__name__, s._fields, y is s.h, [(v.name, v.shape.as_list()) for v in "
       "tf.trainable_variables()]",
       "LSTMStateTuple ('c', 'h') True [('lstm_cell/kernel:0', [7, 12]), ('lstm_cell/bias:0', "
       "[12])]"},
      {"c = tf.nn.rnn_cell.GRUCell(3)\n"
       "y, s = c(tf.ones([2, 4]), c.zero_state(2, tf.float32))",
       "[(v.name, v.shape.as_list()) for v in tf.trainable_variables()]",
       "[('gru_cell/gates/kernel:0', [7, 6]), ('gru_cell/gates/bias:0', [6]), "
       "('gru_cell/candidate/kernel:0', [7, 3]), ('gru_cell/candidate/bias:0', [3])]"},
      {"c = tf.nn.rnn_cell.BasicLSTMCell(3, forget_bias=0., state_is_tuple=True)\n"
       "s = c.zero_state(2, tf.float32)",
       "s.c.name, s.h.name, s.c.shape, c.state_size",
       "BasicLSTMCellZeroState/zeros:0 BasicLSTMCellZeroState/zeros_1:0 (2, 3) LSTMStateTuple(c=3, "
       "h=3)"},
      {"c = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(n) for n in (2, 3)])\n"
       "y, s = tf.nn.dynamic_rnn(c, tf.ones([1, 4, 5]), dtype=tf.float32)",
       "y.shape, [x.shape.as_list() for x in s], [v.name for v in tf.trainable_variables()]",
       "(1, 4, 3) [[1, 2], [1, 3]] ['rnn/multi_rnn_cell/cell_0/gru_cell/gates/kernel:0', "
       "'rnn/multi_rnn_cell/cell_0/gru_cell/gates/bias:0', "
       "'rnn/multi_rnn_cell/cell_0/gru_cell/candidate/kernel:0', "
       "'rnn/multi_rnn_cell/cell_0/gru_cell/candidate/bias:0', "
       "'rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel:0', "
       "'rnn/multi_rnn_cell/cell_1/gru_cell/gates/bias:0', "
       "'rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel:0', "
       "'rnn/multi_rnn_cell/cell_1/gru_cell/candidate/bias:0']"},
      {"c = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), output_keep_prob=1.0)",
       "c.state_size, c.output_size, c.zero_state(1, tf.float32).shape", "2 2 (1, 2)"},
      {"with tf.variable_scope('r', initializer=tf.ones_initializer()):\n"
       "  y, s = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(1, activation=tf.identity), "
       "tf.ones([1, 3, 1]), dtype=tf.float32)\n"
       "with tf.Session() as t:\n"
       "  t.run(tf.global_variables_initializer())\n"
       "  got = t.run([y, s])",
       "got[0].ravel(), got[1].ravel()", "[1. 2. 3.] [3.]"},
      {"with tf.variable_scope('r', initializer=tf.ones_initializer()):\n"
       "  y, s = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(1, activation=tf.identity), "
       "tf.ones([2, 3, 1]), [1, 3], dtype=tf.float32)\n"
       "with tf.Session() as t:\n"
       "  t.run(tf.global_variables_initializer())\n"
       "  got = t.run([y, s])",
       "got[0][:, :, 0].tolist(), got[1].ravel()", "[[1.0, 0.0, 0.0], [1.0, 2.0, 3.0]] [1. 3.]"},
      {"ys, s = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), [tf.ones([1, 3])] * 2, "
       "dtype=tf.float32)",
       "len(ys), ys[0].shape, s.shape, [y.op.name for y in ys]",
       "2 (1, 2) (1, 2) ['rnn/gru_cell/add', 'rnn/gru_cell/add_1']"},
      {"y, s = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), "
       "tf.nn.rnn_cell.GRUCell(2), tf.ones([1, 3, 4]), dtype=tf.float32)",
       "[x.shape.as_list() for x in y], [v.name for v in tf.trainable_variables()]",
       "[[1, 3, 2], [1, 3, 2]] ['bidirectional_rnn/fw/gru_cell/gates/kernel:0', "
       "'bidirectional_rnn/fw/gru_cell/gates/bias:0', "
       "'bidirectional_rnn/fw/gru_cell/candidate/kernel:0', "
       "'bidirectional_rnn/fw/gru_cell/candidate/bias:0', "
       "'bidirectional_rnn/bw/gru_cell/gates/kernel:0', "
       "'bidirectional_rnn/bw/gru_cell/gates/bias:0', "
       "'bidirectional_rnn/bw/gru_cell/candidate/kernel:0', "
       "'bidirectional_rnn/bw/gru_cell/candidate/bias:0']"},
      {"", "tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), tf.ones([1, 3, 4]))",
       "ValueError: If there is no initial_state, you must give a dtype."},
      {"", "tf.nn.dynamic_rnn(3, tf.ones([1, 3, 4]), dtype=tf.float32)",
       "TypeError: The argument 'cell' (3) is not an RNNCell: 'output_size' property is missing, "
       "'state_size' property is missing, either 'zero_state' or 'get_initial_state' method is "
       "required, is not callable."},
      {"", "tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), tf.ones([1, 3]), dtype=tf.float32)",
       "TypeError: inputs must be a sequence"},
  });
}

}  // namespace
}  // namespace tensh::shell
