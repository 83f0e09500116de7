// Static shapes and types, as TensorFlow 1.15 prints them: TensorShape, Dimension, DType, the types
// of literals, and the shapes that functions infer.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(TensorShapes, TheClass) {
  test::Rows().Check({
      {"", "tf.TensorShape([2, None])", "(2, ?)"},
      {"", "tf.TensorShape([])", "()"},
      {"", "tf.TensorShape([3])", "(3,)"},
      {"", "tf.TensorShape(None)", "<unknown>"},
      {"", "repr(tf.TensorShape([2, None]))", "TensorShape([Dimension(2), Dimension(None)])"},
      {"", "repr(tf.TensorShape(None))", "TensorShape(None)"},
      {"s = tf.TensorShape([2, 3])", "s.num_elements(), s.ndims, s.as_list(), len(s)",
       "6 2 [2, 3] 2"},
      {"s = tf.TensorShape([2, None])", "s.num_elements(), s.is_fully_defined()", "None False"},
      {"s = tf.TensorShape([2, 3, 4])", "s[1:], s[-1], s[:1]", "(3, 4) 4 (2,)"},
      {"", "tf.TensorShape([2]).concatenate([3, None])", "(2, 3, ?)"},
      {"", "tf.TensorShape([2]).concatenate(None)", "<unknown>"},
      {"", "tf.TensorShape([2, None]).merge_with([None, 5])", "(2, 5)"},
      {"", "tf.TensorShape([2]).merge_with([3])",
       "ValueError: Shapes (2,) and (3,) are not compatible"},
      {"", "tf.TensorShape([2, None]).is_compatible_with([2, 9])", "True"},
      {"", "tf.TensorShape([2, None]).is_compatible_with([2])", "False"},
      {"", "tf.TensorShape(None).is_compatible_with([2])", "True"},
      {"", "tf.TensorShape([2]).with_rank(2)", "ValueError: Shape (2,) must have rank 2"},
      {"", "tf.TensorShape(None).with_rank(2)", "(?, ?)"},
      {"", "tf.TensorShape([2]).with_rank_at_least(2)",
       "ValueError: Shape (2,) must have rank at least 2"},
      {"", "tf.TensorShape([2, 3]).with_rank_at_most(1)",
       "ValueError: Shape (2, 3) must have rank at most 1"},
      {"", "tf.TensorShape([None]).assert_is_fully_defined()",
       "ValueError: Shape (?,) is not fully defined"},
      {"", "tf.TensorShape(None).as_list()",
       "ValueError: as_list() is not defined on an unknown TensorShape."},
  });
}

TEST(TensorShapes, Dimensions) {
  test::Rows().Check({
      {"d = tf.Dimension(7)", "d + 2, d - 2, d * 2, d // 2, d % 4", "9 5 14 3 3"},
      {"d = tf.Dimension(None)", "d + 2, d * 2, d.value, repr(d)", "? ? None Dimension(None)"},
      {"d = tf.Dimension(7)", "d == 7, d != 7, d < 8, d >= 8, int(d)", "True False True False 7"},
      {"d = tf.Dimension(None)", "d == 7, d < 7", "None None"},
      {"", "tf.Dimension(2).merge_with(None)", "2"},
      {"", "tf.Dimension(2).merge_with(3)", "ValueError: Dimensions 2 and 3 are not compatible"},
  });
}

TEST(TensorShapes, Inferred) {
  const std::string x = "x = tf.placeholder(tf.float32, [None, 3])\n";
  const std::string z = "z = tf.zeros([2, 3, 4])\n";
  test::Rows().Check({
      {"", "tf.placeholder(tf.float32).shape", "<unknown>"},
      {x, "x.shape, x.get_shape(), x.shape[1], x.shape[0]", "(?, 3) (?, 3) 3 ?"},
      {x, "tf.matmul(x, tf.zeros([3, 4])).shape", "(?, 4)"},
      {x, "tf.matmul(x, x, transpose_b=True).shape", "(?, ?)"},
      {x, "(x + tf.zeros([5, 1])).shape", "(5, 3)"},
      {x, "(x + tf.zeros([1, 1])).shape", "(?, 3)"},
      {x, "tf.concat([x, x], 0).shape, tf.concat([x, x], 1).shape", "(?, 3) (?, 6)"},
      {x, "tf.reshape(x, [-1]).shape, tf.reshape(x, [-1, 3, 1]).shape", "(?,) (?, 3, 1)"},
      {x, "tf.reshape(x, tf.shape(x)).shape", "(?, 3)"},
      {x, "tf.reduce_sum(x).shape, tf.reduce_sum(x, 1, keepdims=True).shape", "() (?, 1)"},
      {x, "tf.transpose(x).shape, tf.expand_dims(x, -1).shape", "(3, ?) (?, 3, 1)"},
      {x, "tf.argmax(x, 1).shape, tf.argmax(x, 1).dtype", "(?,) <dtype: 'int64'>"},
      {x, "tf.shape(x).shape, tf.size(x).shape, tf.rank(x).shape", "(2,) () ()"},
      {x, "tf.stack([x, x], axis=1).shape, len(tf.unstack(x, axis=1))", "(?, 2, 3) 3"},
      {x, "tf.unstack(x)", "ValueError: Cannot infer num from shape (?, 3)"},
      {z, "z[0].shape, z[:, 1].shape, z[..., 0].shape", "(3, 4) (2, 4) (2, 3)"},
      {z, "z[..., tf.newaxis].shape, z[::2].shape, z[-1:, 0:0].shape",
       "(2, 3, 4, 1) (1, 3, 4) (1, 0, 4)"},
      {z, "tf.squeeze(z[:1]).shape, tf.reshape(z, [4, -1]).shape", "(3, 4) (4, 6)"},
      {z, "tf.tile(z, [1, 2, 3]).shape, tf.pad(z, [[1, 0], [0, 2], [1, 1]]).shape",
       "(2, 6, 12) (3, 5, 6)"},
      {z, "[t.shape.as_list() for t in tf.split(z, [1, 3], 2)]", "[[2, 3, 1], [2, 3, 3]]"},
      {z, "tf.gather(z, [[0, 1, 1]], axis=1).shape", "(2, 1, 3, 4)"},
      {"", "tf.one_hot([1, 2], 3).shape, tf.range(2, 9, 3).shape, tf.fill([2, 1], 0.).shape",
       "(2, 3) (3,) (2, 1)"},
      {"", "tf.Variable(tf.zeros([2, 5])).shape, tf.eye(3).shape", "(2, 5) (3, 3)"},
  });
}

TEST(Types, Literals) {
  test::Rows().Check({
      {"", "tf.constant(1).dtype", "<dtype: 'int32'>"},
      {"", "tf.constant(1.).dtype, tf.constant([1, 2.]).dtype",
       "<dtype: 'float32'> <dtype: 'float32'>"},
      {"", "tf.constant(2 ** 40).dtype", "<dtype: 'int64'>"},
      {"", "tf.constant(True).dtype, tf.constant('a').dtype, tf.constant(b'a').dtype",
       "<dtype: 'bool'> <dtype: 'string'> <dtype: 'string'>"},
      {"", "tf.constant(1j).dtype, tf.constant([]).dtype",
       "<dtype: 'complex128'> <dtype: 'float32'>"},
      {"", "tf.constant(1, tf.float16).dtype, tf.constant(1, 'uint8').dtype",
       "<dtype: 'float16'> <dtype: 'uint8'>"},
      {"", "(tf.constant([1, 2], tf.int64) + 1).dtype", "<dtype: 'int64'>"},
      {"", "(tf.constant(1, tf.int32) / 2).dtype", "<dtype: 'float64'>"},
      {"", "(tf.constant(1, tf.int32) // 2).dtype", "<dtype: 'int32'>"},
      {"", "tf.Variable(1.).dtype, tf.Variable(1.).value().dtype",
       "<dtype: 'float32_ref'> <dtype: 'float32'>"},
      {"", "tf.cast([1, 2], tf.bool).dtype, tf.to_float(1).dtype",
       "<dtype: 'bool'> <dtype: 'float32'>"},
      {"", "(tf.constant(1) > 0).dtype, tf.equal(1, 2).dtype", "<dtype: 'bool'> <dtype: 'bool'>"},
  });
}

TEST(Types, TheClass) {
  test::Rows().Check({
      {"", "tf.float32, repr(tf.float32), tf.float32.name",
       "<dtype: 'float32'> tf.float32 float32"},
      {"", "tf.as_dtype('half') is tf.float16, tf.as_dtype(3) is tf.int32", "True True"},
      {"", "tf.int8.min, tf.int8.max, tf.int32.max, tf.uint16.max", "-128 127 2147483647 65535"},
      {"", "tf.int8.size, tf.complex128.size, tf.float64.is_floating, tf.int8.is_floating",
       "1 16 True False"},
      {"", "tf.bool.is_bool, tf.uint8.is_unsigned, tf.int8.is_unsigned, tf.int8.is_integer",
       "True True False True"},
      {"", "tf.complex64.real_dtype, tf.float32.real_dtype",
       "<dtype: 'float32'> <dtype: 'float32'>"},
      {"", "tf.float32.as_datatype_enum, tf.string.as_datatype_enum", "1 7"},
      {"", "tf.float32 == 'float32', tf.float32 == tf.float64, tf.float32 != 1",
       "True False False"},
      {"", "tf.as_dtype('nope')", "TypeError: Cannot convert value 'nope' to a TensorFlow DType."},
      {"v = tf.Variable(1.)",
       "v.dtype == tf.float32, v.dtype.base_dtype, v.dtype.is_compatible_with("
       "tf.float32)",
       "False <dtype: 'float32'> True"},
  });
}

}  // namespace
}  // namespace tensh::shell
