// Arithmetic, reductions, rearranging and linear algebra: defaults, names, results and type rules
// of the functions that wrap one op or a few.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Math, Names) {
  test::Rows().Check({
      {"",
       "[f([1., 2.]).op.name for f in (tf.exp, tf.log, tf.sqrt, tf.square, tf.sin, tf.floor, "
       "tf.ceil, tf.round, tf.sign, tf.rsqrt)]",
       "['Exp', 'Log', 'Sqrt', 'Square', 'Sin', 'Floor', 'Ceil', 'Round', 'Sign', 'Rsqrt']"},
      {"",
       "[f([1., 2.]).op.name for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, "
       "tf.reduce_min, tf.reduce_prod, tf.reduce_logsumexp)]",
       "['Sum', 'Mean', 'Max', 'Min', 'Prod', 'ReduceLogSumExp']"},
      {"",
       "[f([1., 2.]).op.type for f in (tf.nn.softmax, tf.sigmoid, tf.tanh, tf.nn.relu, tf.nn.elu, "
       "tf.nn.softplus, tf.erf, tf.lgamma, tf.digamma)]",
       "['Softmax', 'Sigmoid', 'Tanh', 'Relu', 'Elu', 'Softplus', 'Erf', 'Lgamma', 'Digamma']"},
      {"",
       "[f([1, 2], [1, 3]).op.type for f in (tf.equal, tf.not_equal, tf.less, tf.greater_equal, "
       "tf.floordiv, tf.truediv, tf.squared_difference)]",
       "['Equal', 'NotEqual', 'Less', 'GreaterEqual', 'FloorDiv', 'RealDiv', 'SquaredDifference']"},
      {"",
       "[t.op.type for t in (tf.to_float(1), tf.to_int32(1.), tf.cast(1, tf.int32), "
       "tf.saturate_cast(300, tf.uint8), tf.to_bfloat16(1.))]",
       "['Cast', 'Cast', 'Const', 'Cast', 'Cast']"},
      {"",
       "tf.reduce_sum([1.], name='r').name, tf.argmax([1.], name='a').name, tf.add_n([1, 2], "
       "name='n').name",
       "r:0 a:0 n:0"},
      {"x = tf.constant([[1., 2.]])\n"
       "y = tf.matmul(x, x, transpose_a=True)",
       "y.op.name, y.op.get_attr('transpose_a'), tf.matmul(tf.zeros([2, 2, 2]), tf.zeros([2, 2, "
       "2])).op.type",
       "MatMul True BatchMatMulV2"},
  });
}

TEST(Math, Values) {
  test::Rows().Check({
      {"",
       "tf.Session().run([tf.floordiv(-7, 2), tf.mod(-7, 3), tf.truncatediv(-7, 2), "
       "tf.truncatemod(-7, 3), tf.div(-7, 2)])",
       "[-4, 2, -3, -1, -4]"},
      {"",
       "tf.Session().run([tf.round([0.5, 1.5, -2.5]), tf.rint([0.5, 1.5]), tf.ceil([0.2]), "
       "tf.floor([-0.2]), tf.sign([-3., 0.])])",
       "[array([ 0.,  2., -2.], dtype=float32), array([0., 2.], dtype=float32), array([1.], "
       "dtype=float32), array([-1.], dtype=float32), array([-1.,  0.], dtype=float32)]"},
      {"",
       "tf.Session().run([tf.clip_by_value([1, 5, 9], 2, 6), tf.maximum([1, 5], 3), tf.minimum([1, "
       "5], 3)])",
       "[array([2, 5, 6], dtype=int32), array([3, 5], dtype=int32), array([1, 3], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.cumsum([1, 2, 3]), tf.cumsum([1, 2, 3], exclusive=True), "
       "tf.cumsum([1, 2, 3], reverse=True), tf.cumprod([1, 2, 3])])",
       "[array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32), array([6, 5, 3], "
       "dtype=int32), array([1, 2, 6], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.reduce_sum([[1, 2], [3, 4]], 0), tf.reduce_prod([[1, 2], [3, 4]], 1), "
       "tf.reduce_max([[1, 2], [3, 4]], [0, 1])])",
       "[array([4, 6], dtype=int32), array([ 2, 12], dtype=int32), 4]"},
      {"",
       "tf.Session().run([tf.reduce_all([True, False]), tf.reduce_any([[True, False], [False, "
       "False]], 1), tf.reduce_mean([1, 2, 4])])",
       "[False, array([ True, False]), 2]"},
      {"",
       "tf.Session().run(tf.reduce_sum([[1, 2], [3, 4]], -1, keepdims=True)).tolist(), "
       "tf.reduce_sum(tf.zeros([2, 3]), reduction_indices=1).shape",
       "[[3], [7]] (2,)"},
      {"",
       "tf.Session().run([tf.argmax([[1, 9], [8, 2]], 0), tf.argmin([3, 1, 2]), tf.argmax([1, 2], "
       "output_type=tf.int32)])",
       "[array([1, 0]), 1, 1]"},
      {"",
       "tf.Session().run([tf.count_nonzero([0, 3, 4]), tf.count_nonzero([[0, 1], [1, 1]], 1, "
       "dtype=tf.int32)])",
       "[2, array([1, 2], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.complex(1., 2.), tf.real(1 + 2j), tf.imag(1 + 2j), tf.conj(1 + 2j), "
       "tf.abs(3 + 4j), tf.angle(1j * 1)])",
       "[(1+2j), 1.0, 2.0, (1-2j), 5.0, 1.5707963267948966]"},
      {"", "tf.Session().run([tf.bitcast(1.0, tf.int32), tf.saturate_cast([-5, 300], tf.uint8)])",
       "[1065353216, array([  0, 255], dtype=uint8)]"},
      {"",
       "tf.Session().run([tf.bitwise.bitwise_and(6, 3), tf.bitwise.bitwise_or(6, 3), "
       "tf.bitwise.bitwise_xor(6, 3), tf.bitwise.invert(0), tf.bitwise.left_shift(1, 4)])",
       "[2, 7, 5, -1, 16]"},
      {"",
       "tf.Session().run([tf.is_nan([1., float('nan')]), tf.is_inf([float('inf'), 1.]), "
       "tf.is_finite([float('-inf'), 0.])])",
       "[array([False,  True]), array([ True, False]), array([False,  True])]"},
      {"",
       "tf.Session().run([tf.logical_and(True, False), tf.logical_or([True, False], False), "
       "tf.logical_xor(True, True), tf.logical_not(True)])",
       "[False, array([ True, False]), False, False]"},
      {"",
       "tf.Session().run([tf.range(5), tf.range(2, 8, 3), tf.range(3, 0, -1), tf.linspace(0., 1., "
       "3), tf.range(0., 1., .5)])",
       "[array([0, 1, 2, 3, 4], dtype=int32), array([2, 5], dtype=int32), array([3, 2, 1], "
       "dtype=int32), array([0. , 0.5, 1. ], dtype=float32), array([0. , 0.5], dtype=float32)]"},
      {"",
       "tf.Session().run([tf.cross([1, 0, 0], [0, 1, 0]), tf.tensordot([[1, 2], [3, 4]], [5, 6], "
       "1), tf.tensordot([1, 2], [3, 4], 0)])",
       "[array([0, 0, 1], dtype=int32), array([17, 39], dtype=int32), array([[3, 4],\n"
       "       [6, 8]], dtype=int32)]"},
      {"", "tf.einsum('ij,jk->ik', tf.zeros([2]), tf.zeros([2, 2]))",
       "ValueError: Invalid equation: ij axes for a tensor of shape (2,)"},
      {"",
       "tf.Session().run([tf.bincount([1, 1, 3]), tf.histogram_fixed_width([0., 1., 5., 9.], [0., "
       "10.], 2), tf.confusion_matrix([0, 1, 1], [1, 1, 0])])",
       "[array([0, 2, 0, 1], dtype=int32), array([2, 2], dtype=int32), array([[0, 1],\n"
       "       [1, 1]], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.accumulate_n([[1, 2], [3, 4]]), tf.add_n([[1, 2], [3, 4], [5, 6]]), "
       "tf.scalar_mul(3, tf.constant([1, 2]))])",
       "[array([4, 6], dtype=int32), array([ 9, 12], dtype=int32), array([3, 6], dtype=int32)]"},
      {"", "tf.scalar_mul([1, 2], tf.constant([1, 2]))",
       "ValueError: Only scalar multiply works, got shape (2,)"},
      {"",
       "tf.Session().run([tf.norm([3., 4.]), tf.norm([3., -4.], 1), tf.norm([3., -4.], np.inf), "
       "tf.norm([[3., 4.], [6., 8.]], axis=1)])",
       "[5.0, 7.0, 4.0, array([ 5., 10.], dtype=float32)]"},
      {"", "tf.norm([1.], ord='abc')",
       "ValueError: 'ord' must be 'euclidean', 1, 2 or np.inf here, got 'abc'"},
      {"",
       "tf.Session().run([tf.nn.zero_fraction([0., 1., 0., 0.]), tf.nn.l2_loss([3., 4.]), "
       "tf.lbeta([1., 1.]), tf.reduce_logsumexp([0., 0.]) > 0.69])",
       "[0.75, 12.5, 0.0, True]"},
      {"",
       "tf.Session().run(tf.clip_by_norm([3., 4.], 2.5)), "
       "tf.Session().run(tf.global_norm([tf.constant([3.]), tf.constant([4.])]))",
       "[1.5 2. ] 5.0"},
      {"c, n = tf.clip_by_global_norm([tf.constant([3.]), None, tf.constant([4.])], 2.5)",
       "tf.Session().run([c[0], c[2], n]), c[1]",
       "[array([1.5], dtype=float32), array([2.], dtype=float32), 5.0] None"},
  });
}

TEST(Math, Types) {
  test::Rows().Check({
      {"",
       "tf.add(tf.constant(1, tf.int64), 2).dtype, tf.multiply(2, tf.constant(1.)).dtype, "
       "tf.pow(tf.constant(2.), 3).dtype",
       "TypeError: Input 'y' of 'Mul' Op has type float32 that does not match type int32 of "
       "argument 'x'."},
      {"", "tf.add(1, tf.constant(1.)).dtype, (tf.constant(1, tf.uint8) * 2).dtype",
       "TypeError: Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of "
       "argument 'x'."},
      {"", "tf.multiply(tf.constant(1), tf.constant(1.))",
       "TypeError: Input 'y' of 'Mul' Op has type float32 that does not match type int32 of "
       "argument 'x'."},
      {"", "tf.truediv(tf.constant(1), tf.constant(1.))",
       "TypeError: x and y must have the same dtype, got tf.int32 != tf.float32"},
      {"",
       "(tf.constant(1, tf.int8) / 2).dtype, (tf.constant(1, tf.int64) / 2).dtype, (tf.constant(1, "
       "tf.int16) / 2).dtype",
       "<dtype: 'float32'> <dtype: 'float64'> <dtype: 'float32'>"},
      {"", "tf.sqrt(2)",
       "TypeError: Value passed to parameter 'x' has DataType int32 not in list of allowed values: "
       "bfloat16, float16, float32, float64, complex64, complex128"},
      {"", "tf.reduce_mean(['a'])",
       "TypeError: Value passed to parameter 'input' has DataType string not in list of allowed "
       "values: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, "
       "complex128, float16, uint32, uint64"},
      {"", "tf.reduce_all([1, 2])",
       "TypeError: Expected bool passed to parameter 'input' of op 'All', got [1, 2] of type "
       "'list' instead. Error: Expected bool, got 1 of type 'int' instead."},
      {"", "tf.logical_and(1, 2)",
       "TypeError: Expected bool passed to parameter 'x' of op 'LogicalAnd', got 1 of type 'int' "
       "instead. Error: Expected bool, got 1 of type 'int' instead."},
      {"", "tf.argmax(['a'])",
       "TypeError: Value passed to parameter 'input' has DataType string not in list of allowed "
       "values: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, "
       "uint32, uint64, bool"},
      {"",
       "tf.cast([1.7, -1.7], tf.int32).dtype, tf.Session().run(tf.cast([1.7, -1.7], tf.int32)), "
       "tf.Session().run(tf.cast([0, 2], tf.bool))",
       "<dtype: 'int32'> [ 1 -1] [False  True]"},
      {"", "tf.cast(tf.constant(1), tf.int32).op.type, tf.cast(1 + 2j, tf.float32).dtype",
       "Const <dtype: 'float32'>"},
      {"", "tf.cast(1, 'nope')", "TypeError: Cannot convert value 'nope' to a TensorFlow DType."},
  });
}

TEST(Arrays, Values) {
  test::Rows().Check({
      {"x = tf.constant([[1, 2, 3], [4, 5, 6]])",
       "tf.Session().run([tf.transpose(x), tf.reverse(x, [1]), tf.reshape(x, [-1])[::2]])",
       "[array([[1, 4],\n"
       "       [2, 5],\n"
       "       [3, 6]], dtype=int32), array([[3, 2, 1],\n"
       "       [6, 5, 4]], dtype=int32), array([1, 3, 5], dtype=int32)]"},
      {"x = tf.constant([[1, 2, 3], [4, 5, 6]])",
       "tf.Session().run([tf.gather(x, [1, 1]), tf.gather(x, [2], axis=1), tf.gather_nd(x, [[0, "
       "2], [1, 0]])])",
       "[array([[4, 5, 6],\n"
       "       [4, 5, 6]], dtype=int32), array([[3],\n"
       "       [6]], dtype=int32), array([3, 4], dtype=int32)]"},
      {"x = tf.constant([1, 2, 3, 4])",
       "tf.Session().run([tf.split(x, 2), tf.split(x, [1, 3]), tf.unstack(x)])",
       "[[array([1, 2], dtype=int32), array([3, 4], dtype=int32)], [array([1], dtype=int32), "
       "array([2, 3, 4], dtype=int32)], [1, 2, 3, 4]]"},
      {"",
       "tf.Session().run([tf.concat([[1], [2, 3]], 0), tf.stack([[1, 2], [3, 4]], 1), tf.tile([1, "
       "2], [2])])",
       "[array([1, 2, 3], dtype=int32), array([[1, 3],\n"
       "       [2, 4]], dtype=int32), array([1, 2, 1, 2], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.pad([1, 2], [[1, 2]]), tf.pad([1, 2, 3], [[2, 0]], 'REFLECT'), "
       "tf.pad([1, 2], [[1, 1]], 'SYMMETRIC'), tf.pad([1], [[0, 1]], constant_values=9)])",
       "[array([0, 1, 2, 0, 0], dtype=int32), array([3, 2, 1, 2, 3], dtype=int32), array([1, 1, 2, "
       "2], dtype=int32), array([1, 9], dtype=int32)]"},
      {"", "tf.pad([1, 2], [[1, 1]], 'WRAP')", "ValueError: Unknown padding mode: WRAP"},
      {"",
       "tf.Session().run(tf.one_hot([0, 2, -1], 3)).tolist(), tf.Session().run(tf.one_hot(1, 3, 5, "
       "0)).tolist(), tf.one_hot([0], 2, on_value=True, off_value=False).dtype",
       "[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]] [0, 5, 0] <dtype: 'bool'>"},
      {"", "tf.Session().run([tf.sequence_mask([1, 3]), tf.sequence_mask([1], 2, tf.int32)])",
       "[array([[ True, False, False],\n"
       "       [ True,  True,  True]]), array([[1, 0]], dtype=int32)]"},
      {"", "tf.Session().run(tf.meshgrid([1, 2], [3, 4]))",
       "[array([[1, 2],\n"
       "       [1, 2]], dtype=int32), array([[3, 3],\n"
       "       [4, 4]], dtype=int32)]"},
      {"",
       "tf.Session().run(tf.unique([5, 5, 7])), tf.Session().run(tf.unique_with_counts([5, 5, "
       "7]).count), tf.Session().run(tf.setdiff1d([1, 2, 3], [2]).out)",
       "Unique(y=array([5, 7], dtype=int32), idx=array([0, 0, 1], dtype=int32)) [2 1] [1 3]"},
      {"",
       "tf.Session().run(tf.nn.top_k([1, 9, 5], 2)), tf.Session().run(tf.nn.in_top_k([[.1, .9]], "
       "[1], 1))",
       "TopKV2(values=array([9, 5], dtype=int32), indices=array([1, 2], dtype=int32)) [ True]"},
      {"",
       "tf.Session().run([tf.where([True, False, True]), tf.where([True, False], [1, 2], [3, 4])])",
       "[array([[0],\n"
       "       [2]]), array([1, 4], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.sort([3, 1, 2]), tf.sort([3, 1, 2], direction='DESCENDING'), "
       "tf.argsort([3, 1, 2])])",
       "[array([1, 2, 3], dtype=int32), array([3, 2, 1], dtype=int32), array([1, 2, 0], "
       "dtype=int32)]"},
      {"", "tf.sort([3, 1], direction='UP')",
       "ValueError: `direction` must be one of ['ASCENDING', 'DESCENDING']; received: UP"},
      {"",
       "tf.Session().run([tf.segment_sum([1, 2, 3], [0, 0, 1]), tf.unsorted_segment_max([1, 2, 3], "
       "[1, 1, 0], 2), tf.segment_mean([2., 4.], [0, 0])])",
       "[array([3, 3], dtype=int32), array([3, 2], dtype=int32), array([3.], dtype=float32)]"},
      {"",
       "tf.Session().run([tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2), tf.dynamic_stitch([[0, "
       "2], [1]], [[1, 3], [2]])])",
       "[[array([1, 3], dtype=int32), array([2], dtype=int32)], array([1, 2, 3], dtype=int32)]"},
      {"",
       "tf.Session().run([tf.scatter_nd([[1], [3]], [7, 8], [5]), tf.tensor_scatter_update([1, 2, "
       "3], [[1]], [9]), tf.invert_permutation([2, 0, 1])])",
       "[array([0, 7, 0, 8, 0], dtype=int32), array([1, 9, 3], dtype=int32), array([1, 2, 0], "
       "dtype=int32)]"},
      {"",
       "tf.Session().run([tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2), tf.sequence_mask(2, "
       "3), tf.reverse_sequence([[1, 2, 3]], [2], 1)])",
       "[array([[[[1, 2, 3, 4]]]], dtype=int32), array([ True,  True, False]), array([[2, 1, 3]], "
       "dtype=int32)]"},
      {"",
       "tf.Session().run([tf.matrix_band_part([[1, 2], [3, 4]], 0, -1), tf.eye(2), tf.diag([1, "
       "2]), tf.diag_part([[1, 2], [3, 4]]), tf.matrix_diag([1, 2])])",
       "[array([[1, 2],\n"
       "       [0, 4]], dtype=int32), array([[1., 0.],\n"
       "       [0., 1.]], dtype=float32), array([[1, 0],\n"
       "       [0, 2]], dtype=int32), array([1, 4], dtype=int32), array([[1, 0],\n"
       "       [0, 2]], dtype=int32)]"},
      {"", "tf.Session().run([tf.broadcast_to([1, 2], [2, 2]), tf.roll([1, 2, 3], 1, 0), 0])",
       "TypeError: Fetch argument 0 has invalid type <class 'int'>, must be a string or Tensor. "
       "(Can not convert a int into a Tensor or Operation.)"},
      {"",
       "tf.Session().run([tf.shape([[1, 2]]), tf.size([[1, 2]]), tf.rank([[1, 2]]), "
       "tf.shape_n([[1], [2, 3]])]), tf.shape([1], out_type=tf.int64).dtype",
       "[array([1, 2], dtype=int32), 2, 2, [array([1], dtype=int32), array([2], dtype=int32)]] "
       "<dtype: 'int64'>"},
      {"",
       "tf.Session().run([tf.squeeze([[[1]]]), tf.squeeze([[[1]]], [0]), tf.expand_dims(1, 0), "
       "tf.expand_dims([1], -1)])",
       "[1, array([[1]], dtype=int32), array([1], dtype=int32), array([[1]], dtype=int32)]"},
      {"", "tf.expand_dims([1], axis=0, dim=0)",
       "ValueError: Cannot specify both 'dim' and 'axis'."},
      {"",
       "tf.Session().run(tf.extract_image_patches([[[[1], [2]], [[3], [4]]]], [1, 2, 2, 1], [1, 1, "
       "1, 1], [1, 1, 1, 1], 'VALID')).tolist()",
       "[[[[1, 2, 3, 4]]]]"},
      {"",
       "tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])), "
       "tf.Session().run(tf.broadcast_dynamic_shape([2, 1], [3]))",
       "(2, 3) [2 3]"},
      {"", "tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))",
       "ValueError: Incompatible shapes for broadcasting: (2,) and (3,)"},
  });
}

TEST(LinearAlgebra, Values) {
  test::Rows().Check({
      {"m = tf.constant([[2., 0.], [0., 4.]])",
       "tf.Session().run([tf.matrix_inverse(m), tf.matrix_determinant(m), tf.trace(m), "
       "tf.matrix_solve(m, [[2.], [4.]])])",
       "[array([[0.5 , 0.  ],\n"
       "       [0.  , 0.25]], dtype=float32), 8.0, 6.0, array([[1.],\n"
       "       [1.]], dtype=float32)]"},
      {"m = tf.constant([[4., 0.], [0., 9.]])",
       "tf.Session().run([tf.cholesky(m), tf.svd(m, compute_uv=False), tf.self_adjoint_eigvals(m), "
       "tf.matrix_triangular_solve(m, [[4.], [9.]])])",
       "[array([[2., 0.],\n"
       "       [0., 3.]], dtype=float32), array([9., 4.], dtype=float32), array([4., 9.], "
       "dtype=float32), array([[1.],\n"
       "       [1.]], dtype=float32)]"},
      {"", "tf.Session().run(tf.matrix_inverse(tf.zeros([2, 2], name='z'), name='i'))",
       "InvalidArgumentError: Input is not invertible."},
      {"", "tf.matrix_inverse(tf.zeros([2, 3]))",
       "ValueError: Dimensions must be equal, but are 2 and 3"},
      {"",
       "tf.Session().run([tf.matmul([[1, 2]], [[3], [4]]), tf.matmul([[1, 2]], [[3, 4]], "
       "transpose_b=True), tf.matrix_transpose([[1, 2]])])",
       "[array([[11]], dtype=int32), array([[11]], dtype=int32), array([[1],\n"
       "       [2]], dtype=int32)]"},
      {"",
       "tf.Session().run(tf.matmul([[1., 2.]], [[3.], [4.]], a_is_sparse=True)).tolist(), "
       "tf.matmul([[1j]], [[1j]], adjoint_b=True).op.get_attr('transpose_b')",
       "[[11.0]] True"},
      {"", "tf.matmul([[1.]], [[1.]], transpose_a=True, adjoint_a=True)",
       "ValueError: Only one of transpose_a and adjoint_a can be True."},
      {"q, r = tf.qr([[3., 0.], [4., 5.]])",
       "tf.Session().run(tf.reduce_all(tf.abs(tf.matmul(q, r) - [[3., 0.], [4., 5.]]) < 1e-5))",
       "True"},
      {"",
       "tf.Session().run([tf.linalg.logdet([[1., 0.], [0., 1.]]), tf.linalg.norm([3., 4.]), "
       "tf.linalg.trace([[1, 2], [3, 4]]), tf.linalg.matvec([[1, 2], [3, 4]], [1, 1])])",
       "[0.0, 5.0, 5, array([3, 7], dtype=int32)]"},
  });
}

TEST(Random, Nodes) {
  test::Rows().Check({
      {"tf.set_random_seed(3)\n"
       "a = tf.random_uniform([2], seed=5)",
       "[(o.get_attr('seed'), o.get_attr('seed2')) for o in "
       "tf.get_default_graph().get_operations() if o.type == 'RandomUniform']",
       "[(3, 5)]"},
      {"a = tf.random_uniform([2], seed=5)",
       "[(o.get_attr('seed'), o.get_attr('seed2')) for o in "
       "tf.get_default_graph().get_operations() if o.type == 'RandomUniform']",
       "[(87654321, 5)]"},
      {"a = tf.random_uniform([2])",
       "[(o.get_attr('seed'), o.get_attr('seed2')) for o in "
       "tf.get_default_graph().get_operations() if o.type == 'RandomUniform']",
       "[(0, 0)]"},
      {"a = tf.random_normal([3], seed=1)\n"
       "s, t = tf.Session(), tf.Session()",
       "(s.run(a) == t.run(a)).all(), (s.run(a) == s.run(a)).any()", "True False"},
      {"", "tf.random_uniform([2], dtype=tf.int32)",
       "ValueError: Must specify maxval for integer dtype tf.int32"},
      {"",
       "tf.random_uniform([2], 0, 5, tf.int32, seed=1).op.type, tf.random_shuffle([1, 2, "
       "3]).op.type, tf.multinomial([[0., 0.]], 3).shape",
       "RandomUniformInt RandomShuffle (1, 3)"},
      {"x = tf.Session().run(tf.random_uniform([200], 3, 7, tf.int32, seed=1))",
       "sorted(set(x.tolist()))", "[3, 4, 5, 6]"},
      {"x = tf.Session().run(tf.random_shuffle(tf.range(20), seed=1))",
       "sorted(x.tolist()) == list(range(20))", "True"},
      {"",
       "tf.truncated_normal([2, 3]).shape, tf.random_gamma([2], [1., 2.]).shape, "
       "tf.random_poisson([1., 2.], [4]).shape",
       "(2, 3) (2, 2) (4, 2)"},
      {"",
       "tf.random_crop(tf.zeros([5, 5]), [2, 3]).shape, tf.random.uniform([2]).op.name, "
       "tf.random.normal([2]).op.name",
       "(2, 3) random_uniform random_normal"},
  });
}

}  // namespace
}  // namespace tensh::shell
