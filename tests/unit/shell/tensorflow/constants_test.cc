// Constants: the types and shapes that Python and numpy values become, how they are packed, and
// constant_value, which returns a value without a run.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Constants, TypesOfLiterals) {
  test::Rows().Check({
      {"",
       "[tf.constant(v).dtype.name for v in (1, 1.5, True, 'a', b'a', 1j, [1, 2.5], [True], 2 ** "
       "31, -2 ** 31)]",
       "['int32', 'float32', 'bool', 'string', 'string', 'complex128', 'float32', 'bool', 'int64', "
       "'int32']"},
      {"", "[tf.constant(np.array(v)).dtype.name for v in (1, 1.5, True, 1j)]",
       "['int64', 'float64', 'bool', 'complex128']"},
      {"",
       "[tf.constant(np.zeros(2, t)).dtype.name for t in ('i1', 'u1', 'i2', 'u2', 'i4', 'i8', "
       "'f2', 'f4', 'f8', 'c8', '?')]",
       "['int8', 'uint8', 'int16', 'uint16', 'int32', 'int64', 'float16', 'float32', 'float64', "
       "'complex64', 'bool']"},
      {"", "tf.constant(300, tf.uint8)", "Tensor(\"Const:0\", shape=(), dtype=uint8)"},
      {"", "tf.constant(-1, tf.uint8)", "Tensor(\"Const:0\", shape=(), dtype=uint8)"},
      {"", "tf.constant(1.0, tf.int32)",
       "TypeError: Expected int32, got 1.0 of type 'float' instead."},
      {"", "tf.constant(1, tf.bool)", "TypeError: Expected bool, got 1 of type 'int' instead."},
      {"", "tf.constant('1', tf.int32)",
       "TypeError: Expected int32, got '1' of type 'str' instead."},
      {"", "tf.constant([1, [2]])",
       "ValueError: Argument must be a dense tensor: [1, [2]] has rows of different lengths or "
       "depths."},
      {"", "tf.constant([[1, 2], [3]])",
       "ValueError: Argument must be a dense tensor: [[1, 2], [3]] has rows of different lengths "
       "or depths."},
      {"", "tf.constant({1: 2})",
       "TypeError: Failed to convert object of type <class 'dict'> to Tensor. Contents: {1: 2}. "
       "Consider casting elements to a supported type."},
      {"", "tf.constant([1, None])",
       "TypeError: Failed to convert object of type <class 'list'> to Tensor. Contents: [1, None]. "
       "Consider casting elements to a supported type."},
      {"", "tf.Session().run(tf.constant([1, True], tf.int32)).tolist()", "[1, 1]"},
      {"", "tf.constant(np.float32(2)).dtype, tf.constant([np.int64(1), 2]).dtype",
       "<dtype: 'float32'> <dtype: 'int32'>"},
      {"", "tf.constant((1, 2)).shape, tf.constant([[]]).shape, tf.constant([[], []]).shape",
       "(2,) (1, 0) (2, 0)"},
  });
}

TEST(Constants, Shapes) {
  test::Rows().Check({
      {"", "tf.Session().run(tf.constant(7, shape=[2, 2])).tolist()", "[[7, 7], [7, 7]]"},
      {"", "tf.Session().run(tf.constant([1, 2], shape=[2, 2])).tolist()", "[[1, 2], [2, 2]]"},
      {"", "tf.Session().run(tf.constant([1, 2, 3, 4], shape=[2, 2])).tolist()",
       "[[1, 2], [3, 4]]"},
      {"", "tf.constant([1, 2, 3], shape=[2])",
       "ValueError: Too many elements provided. Needed at most 2, but received 3"},
      {"", "tf.constant([1, 2], shape=[2, 2], verify_shape=True)",
       "TypeError: Expected Tensor's shape: (2, 2), got (2,)."},
      {"", "tf.constant(1, shape=[]).shape, tf.constant([], shape=[0, 3]).shape", "() (0, 3)"},
  });
}

TEST(Constants, Conversions) {
  test::Rows().Check({
      {"x = tf.constant(1)", "tf.convert_to_tensor(x) is x, tf.convert_to_tensor([x, 2]).op.type",
       "True Pack"},
      {"x = tf.constant(1)",
       "tf.convert_to_tensor([[x, 2], [3, x]]).shape, len(tf.get_default_graph().get_operations())",
       "(2, 2) 6"},
      {"x = tf.constant(1)", "tf.convert_to_tensor(x, tf.float32)",
       "ValueError: Tensor conversion requested dtype float32 for Tensor with dtype int32: "
       "<tf.Tensor 'Const:0' shape=() dtype=int32>"},
      {"",
       "tf.convert_to_tensor(1, tf.float32).dtype, tf.convert_to_tensor(1, "
       "preferred_dtype=tf.float64).dtype",
       "<dtype: 'float32'> <dtype: 'float64'>"},
      {"", "tf.convert_to_tensor('a', preferred_dtype=tf.float64).dtype", "<dtype: 'string'>"},
      {"x = tf.constant(1.)", "tf.convert_to_tensor([x, 1]).dtype", "<dtype: 'float32'>"},
      {"x = tf.constant([1, 2])", "tf.convert_to_tensor([x, 1])",
       "ValueError: Shapes must be equal rank, but are 1 and 0 From merging shape 0 with other "
       "shapes."},
      {"",
       "tf.convert_to_tensor(tf.TensorShape([2, 3])).dtype, "
       "tf.convert_to_tensor(tf.TensorShape([2, 3]), tf.int64).dtype",
       "<dtype: 'int32'> <dtype: 'int64'>"},
      {"", "tf.convert_to_tensor(tf.TensorShape([2, None]))",
       "ValueError: Cannot convert a partially known TensorShape to a Tensor: (2, ?)"},
      {"", "tf.convert_to_tensor(tf.zeros([2]).shape[0]).dtype", "<dtype: 'int32'>"},
      {"v = tf.Variable([1., 2.], name='v')",
       "tf.convert_to_tensor(v).name, tf.convert_to_tensor(v).dtype",
       "v/read:0 <dtype: 'float32'>"},
      {"s = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]), tf.constant([3, 2]))",
       "tf.Session().run(tf.convert_to_tensor(s)).tolist(), tf.convert_to_tensor(s).op.type",
       "[[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]] UnsortedSegmentSum"},
      {"", "tf.convert_to_tensor(None)", "ValueError: None values not supported."},
      {"", "tf.convert_to_tensor(tf.no_op())",
       "TypeError: Can't convert Operation 'NoOp' to Tensor (target dtype=None, name='Const', "
       "as_ref=False)"},
      {"",
       "tf.Session().run(tf.ones_like([[1, 2]])).tolist(), tf.zeros_like(tf.constant(['a'])).dtype",
       "[[1, 1]] <dtype: 'string'>"},
      {"",
       "tf.zeros_like(tf.constant([1, 2]), tf.float32).dtype, "
       "tf.zeros_like(tf.placeholder(tf.int32, [None])).op.type",
       "<dtype: 'float32'> ZerosLike"},
      {"",
       "[t.op.type for t in (tf.zeros([2]), tf.zeros([1000]), tf.ones([2]), tf.fill([2], 1), "
       "tf.zeros(tf.shape([1])))]",
       "['Const', 'Fill', 'Const', 'Fill', 'Fill']"},
  });
}

TEST(Constants, StaticValues) {
  test::Rows().Check({
      {"", "tf.get_static_value(tf.constant([1, 2]))", "[1 2]"},
      {"",
       "tf.get_static_value(tf.placeholder(tf.int32)), tf.get_static_value(tf.shape(tf.zeros([2, "
       "3])))",
       "None [2 3]"},
      {"",
       "tf.get_static_value(tf.range(4)), tf.get_static_value(tf.cast(tf.constant(2), tf.float32))",
       "[0 1 2 3] 2.0"},
      {"",
       "tf.get_static_value(tf.size(tf.zeros([2, 3]))), tf.get_static_value(tf.rank(tf.zeros([2, "
       "3])))",
       "6 2"},
      {"",
       "tf.get_static_value(tf.stack([1, 2])), tf.get_static_value(tf.concat([[1], [2, 3]], 0))",
       "[1 2] [1 2 3]"},
      {"", "tf.reshape(tf.zeros([6]), tf.stack([2, tf.constant(3)])).shape", "(2, 3)"},
      {"", "tf.zeros(tf.concat([[2], tf.shape(tf.zeros([3, 4]))[1:]], 0)).shape", "(2, 4)"},
      {"x = tf.placeholder(tf.float32, [None, 5])",
       "tf.reshape(x, [tf.shape(x)[0], 5, 1]).shape, tf.tile(x, [2, 3]).shape, "
       "tf.fill(tf.shape(x), 0.).shape",
       "(?, 5, 1) (?, 15) (?, 5)"},
      {"x = tf.placeholder(tf.int32, [2])",
       "tf.zeros(x).shape, tf.reshape(tf.zeros([4]), x).shape, tf.random_normal(x).shape",
       "(?, ?) (?, ?) (?, ?)"},
      {"",
       "tf.range(tf.constant(2), 10, 3).shape, tf.range(0., 1., 0.25).shape, "
       "tf.range(tf.placeholder(tf.int32)).shape",
       "(3,) (4,) (?,)"},
      {"", "tf.linspace(0., 1., 5).shape, tf.linspace(0., 1., tf.placeholder(tf.int32)).shape",
       "(5,) (?,)"},
  });
}

}  // namespace
}  // namespace tensh::shell
