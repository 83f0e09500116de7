// Tensors and operations as objects: operators and the nodes they add, the inputs, outputs,
// attributes and device of a node, and misuse.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Tensors, Operators) {
  test::Rows().Check({
      {"x = tf.constant([6, 7], name='x')",
       "*[t.op.type for t in (x + 1, x - 1, x * 2, x / 2, x // 2, x % 4, x ** 2, -x, abs(x))]",
       "AddV2 Sub Mul RealDiv FloorDiv FloorMod Pow Neg Abs"},
      {"x = tf.constant([6, 7], name='x')",
       "*[t.op.name for t in (1 + x, 1 - x, 2 * x, 2 / x, 2 // x, 4 % x, 2 ** x)]",
       "add sub mul truediv floordiv mod pow"},
      {"x = tf.constant([6, 7], name='x')", "*[t.op.type for t in (x < 1, x <= 1, x > 1, x >= 1)]",
       "Less LessEqual Greater GreaterEqual"},
      {"b = tf.constant([True, False], name='b')",
       "*[t.op.type for t in (b & True, b | b, ~b, b ^ b)]",
       "LogicalAnd LogicalOr LogicalNot LogicalAnd"},
      {"b = tf.constant([True, False], name='b')",
       "[v.tolist() for v in tf.Session().run([b & True, b | True, ~b, b ^ True, False | b])]",
       "[[True, False], [True, True], [False, True], [False, True], [True, False]]"},
      {"x = tf.constant([[1, 2], [3, 4]])", "tf.Session().run(x @ x).tolist(), (x @ x).op.type",
       "[[7, 10], [15, 22]] MatMul"},
      {"x = tf.constant([-7, 7])", "tf.Session().run([x // 2, x % 3, -x // 3, 17 // x])",
       "[array([-4,  3], dtype=int32), array([2, 1], dtype=int32), array([ 2, -3], dtype=int32), "
       "array([-3,  2], dtype=int32)]"},
      {"x = tf.constant([-7., 7.])", "tf.Session().run([x // 2, x % 3, x / 2, 2. ** x])",
       "[array([-4.,  3.], dtype=float32), array([2., 1.], dtype=float32), array([-3.5,  3.5], "
       "dtype=float32), array([7.8125e-03, 1.2800e+02], dtype=float32)]"},
      {"x = tf.constant(2.)", "x == x, x != x, x == 2., hash(x) == hash(x), x in [x]",
       "True False False True True"},
      {"x = tf.constant([1, 2])", "(x + True).dtype", "<dtype: 'int32'>"},
      {"x = tf.constant([1, 2])", "x + 1.5",
       "TypeError: Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of "
       "argument 'x'."},
      {"x = tf.constant([1, 2])", "x + 'a'",
       "TypeError: Input 'y' of 'AddV2' Op has type string that does not match type int32 of "
       "argument 'x'."},
      {"x = tf.constant(1.)", "x & x",
       "TypeError: Input 'x' of 'LogicalAnd' Op has type float32 that does not match expected type "
       "of bool."},
  });
}

TEST(Tensors, AreNotValues) {
  test::Rows().Check({
      {"x = tf.constant([1, 2])", "bool(x)",
       "OperatorNotAllowedInGraphError: Using a `tf.Tensor` as a Python `bool` is not allowed. Use "
       "`if t is not None:` instead of `if t:` to test if a tensor is defined, and use TensorFlow "
       "ops such as tf.cond to execute subgraphs conditioned on the value of a tensor."},
      {"x = tf.placeholder(tf.float32, [None])", "[v for v in x]",
       "OperatorNotAllowedInGraphError: Tensor objects are only iterable when eager execution is "
       "enabled. To iterate over this tensor use tf.map_fn."},
      {"x = tf.placeholder(tf.float32)", "len(x)",
       "TypeError: object of type 'Tensor' has no len()"},
      {"x = tf.constant([1, 2, 3])", "[v.name for v in x]",
       "OperatorNotAllowedInGraphError: Tensor objects are only iterable when eager execution is "
       "enabled. To iterate over this tensor use tf.map_fn."},
      {"x = tf.constant(3)", "x.foo", "AttributeError: 'Tensor' object has no attribute 'foo'"},
      {"x = tf.constant(3)\n"
       "if x: pass",
       "1",
       "OperatorNotAllowedInGraphError: Using a `tf.Tensor` as a Python `bool` is not allowed. Use "
       "`if t is not None:` instead of `if t:` to test if a tensor is defined, and use TensorFlow "
       "ops such as tf.cond to execute subgraphs conditioned on the value of a tensor."},
      {"x = tf.constant([1., 2.])", "int(x)",
       "TypeError: int() argument must be a string, a bytes-like object or a real number, not "
       "'Tensor'"},
      {"x = tf.constant(2, name='x')", "x, x.op.outputs",
       "Tensor(\"x:0\", shape=(), dtype=int32) [<tf.Tensor 'x:0' shape=() dtype=int32>]"},
      {"x = tf.placeholder(tf.int64, [None, 3], name='p')", "repr(x), str(x)",
       "<tf.Tensor 'p:0' shape=(?, 3) dtype=int64> Tensor(\"p:0\", shape=(?, 3), dtype=int64)"},
      {"x = tf.split(tf.zeros([4]), 2)", "x[1], x[1].value_index, x[1].op.outputs[0].name",
       "Tensor(\"split:1\", shape=(2,), dtype=float32) 1 split:0"},
      {"x = tf.zeros([2, 3])",
       "x.shape, x.get_shape().as_list(), x.shape.ndims, x.device == '', x.graph is "
       "tf.get_default_graph()",
       "(2, 3) [2, 3] 2 True True"},
      {"x = tf.placeholder(tf.float32)\n"
       "x.set_shape([None, 4])\n"
       "x.set_shape([2, None])",
       "x.shape", "(2, 4)"},
      {"x = tf.placeholder(tf.float32, [2, 3])\n"
       "x.set_shape([3, 2])",
       "x.shape", "ValueError: Shapes [2,3] and [3,2] are not compatible"},
      {"x = tf.constant([1, 2])\n"
       "y = x * 2",
       "y.consumers(), [op.name for op in x.consumers()]", "[] ['mul']"},
      {"x = tf.placeholder(tf.float32, [])\n"
       "y = x * 2",
       "y.eval({x: 4.}, tf.Session()), y.op.run(session=tf.Session(), feed_dict={x: 1.})",
       "8.0 None"},
  });
}

TEST(Tensors, Slices) {
  test::Rows().Check({
      {"x = tf.reshape(tf.range(24), [2, 3, 4])",
       "[x[k].shape.as_list() for k in (0, slice(1), (0, 1), (0, 1, 2), (Ellipsis, 0), "
       "(slice(None), -1))]",
       "[[3, 4], [1, 3, 4], [4], [], [2, 3], [2, 4]]"},
      {"x = tf.reshape(tf.range(24), [2, 3, 4])",
       "tf.Session().run([x[1, 2, 3], x[0, ::2, 1], x[-1, -1, ::-1], x[..., 1:3][1, 0]])",
       "[23, array([1, 9], dtype=int32), array([23, 22, 21, 20], dtype=int32), array([13, 14], "
       "dtype=int32)]"},
      {"x = tf.range(10)\n"
       "i = tf.constant(3)",
       "tf.Session().run([x[i], x[i:], x[:i], x[i:i + 2], x[::i]])",
       "[3, array([3, 4, 5, 6, 7, 8, 9], dtype=int32), array([0, 1, 2], dtype=int32), array([3, "
       "4], dtype=int32), array([0, 3, 6, 9], dtype=int32)]"},
      {"x = tf.range(10)", "x[2:5].op.type, [t.op.name for t in x[2:5].op.inputs]",
       "StridedSlice ['range', 'strided_slice_1/stack', 'strided_slice_1/stack_1', "
       "'strided_slice_1/stack_2']"},
      {"x = tf.reshape(tf.range(6), [2, 3])",
       "{k: x[0:1, ..., tf.newaxis, 2].op.get_attr(k) for k in ('begin_mask', 'end_mask', "
       "'ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')}",
       "{'begin_mask': 0, 'end_mask': 0, 'ellipsis_mask': 2, 'new_axis_mask': 4, "
       "'shrink_axis_mask': 8}"},
      {"x = tf.reshape(tf.range(6), [2, 3])",
       "{k: x[:, 1:].op.get_attr(k) for k in ('begin_mask', 'end_mask', 'ellipsis_mask', "
       "'new_axis_mask', 'shrink_axis_mask')}",
       "{'begin_mask': 1, 'end_mask': 3, 'ellipsis_mask': 0, 'new_axis_mask': 0, "
       "'shrink_axis_mask': 0}"},
      {"x = tf.zeros([2, 3])", "x[0, 0, 0]",
       "ValueError: Index out of range using input dim 2; input has only 2 dims"},
      {"x = tf.zeros([2, 3])", "x[2]", "ValueError: slice index 2 of dimension 0 out of bounds."},
      {"x = tf.zeros([2, 3])", "x[0.5]",
       "TypeError: Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
       "tf.int32/tf.int64 tensors are valid indices, got 0.5"},
      {"x = tf.zeros([2, 3])", "x['a']",
       "TypeError: Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
       "tf.int32/tf.int64 tensors are valid indices, got 'a'"},
      {"x = tf.zeros([2, 3])", "x[..., 0, ...]",
       "ValueError: Multiple ellipses in slice spec not allowed"},
      {"x = tf.zeros([2, 3])\n"
       "x[0] = 1.",
       "1", "TypeError: 'Tensor' object does not support item assignment"},
      {"x = tf.constant([[1, 2], [3, 4], [5, 6]])",
       "tf.Session().run(tf.boolean_mask(x, [True, False, True])).tolist(), "
       "tf.Session().run(x[tf.newaxis]).shape",
       "[[1, 2], [5, 6]] (1, 3, 2)"},
  });
}

TEST(Operations, SayWhatTheyAre) {
  test::Rows().Check({
      {"x = tf.constant([[1., 2.]], name='x')\n"
       "y = tf.matmul(x, x, transpose_b=True, name='y')",
       "y.op.type, y.op.name, [t.name for t in y.op.inputs], y.op.get_attr('transpose_b'), "
       "y.op.get_attr('T')",
       "MatMul y ['x:0', 'x:0'] True <dtype: 'float32'>"},
      {"x = tf.constant(1)", "x.op.get_attr('nope')",
       "ValueError: Operation 'Const' has no attr named 'nope'."},
      {"s = tf.split(tf.zeros([4, 2]), [1, 3], name='s')",
       "s[0].op.get_attr('num_split'), len(s[0].op.outputs), [o.shape.as_list() for o in "
       "s[0].op.outputs]",
       "2 2 [[1, 2], [3, 2]]"},
      {"with tf.device('/gpu:1'): x = tf.constant(1)", "x.device, x.op.device",
       "/device:GPU:1 /device:GPU:1"},
      {"a = tf.constant(1, name='a')\n"
       "with tf.control_dependencies([a]): b = tf.identity(a, name='b')",
       "[o.name for o in b.op.control_inputs], len(b.op.inputs), b.op.node_def.input",
       "[] 1 ['a']"},
      {"with tf.name_scope('s'): n = tf.no_op()",
       "n.name, n.type, n.graph is tf.get_default_graph()", "s/NoOp NoOp True"},
      {"x = tf.constant(1)\n"
       "g2 = tf.Graph()\n"
       "with g2.as_default(): y = tf.constant(2)",
       "x + y",
       "ValueError: Tensor(\"Const:0\", shape=(), dtype=int32) must be from the same graph as "
       "Tensor(\"Const:0\", shape=(), dtype=int32)."},
      {"a = tf.constant(1)\n"
       "y = tf.add_n([a, a, a])",
       "y.op.get_attr('N'), len(y.op.inputs), y.op.type", "3 3 AddN"},
      {"", "tf.add_n([])",
       "ValueError: inputs must be a list of at least one Tensor/IndexedSlices with the same dtype "
       "and shape"},
      {"", "tf.add_n([tf.constant(1), tf.constant(1.)])",
       "TypeError: Tensors in list passed to 'inputs' of 'AddN' Op have types [int32, float32] "
       "that don't all match."},
  });
}

TEST(Operations, WrongArguments) {
  test::Rows().Check({
      {"", "tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))",
       "ValueError: Dimensions must be equal, but are 3 and 2: inner sizes differ, [2,3] x [2,3]"},
      {"", "tf.matmul(tf.zeros([2, 3]), tf.zeros([3], tf.int32))",
       "TypeError: Input 'b' of 'MatMul' Op has type int32 that does not match type float32 of "
       "argument 'a'."},
      {"", "tf.concat([tf.zeros([2, 3]), tf.zeros([3, 3])], 1)",
       "ValueError: Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,?] "
       "and [3,?]."},
      {"", "tf.reshape(tf.zeros([2, 3]), [4, 2])",
       "ValueError: Cannot reshape a tensor with 6 elements to shape [4,2] (8 elements)"},
      {"", "tf.reshape(tf.zeros([2, 3]), [-1, -1])",
       "Tensor(\"Reshape:0\", shape=(?, ?), dtype=float32)"},
      {"", "tf.zeros([2, 3]) + tf.zeros([2, 4])",
       "ValueError: Incompatible shapes: [2,3] vs. [2,4]"},
      {"", "tf.reduce_sum(tf.zeros([2, 3]), 2)",
       "ValueError: Invalid reduction dimension (2 for input with 2 dimension(s)"},
      {"", "tf.transpose(tf.zeros([2, 3]), [0, 1, 2])", "ValueError: Dimension must be 2 but is 3"},
      {"", "tf.split(tf.zeros([4, 3]), 3)",
       "ValueError: Dimension size must be evenly divisible by 3 but is 4. Number of ways to split "
       "should evenly divide the split dimension"},
      {"", "tf.gather(tf.zeros([3]), [0.5])",
       "TypeError: Value passed to parameter 'indices' has DataType float32 not in list of allowed "
       "values: int16, int32, int64"},
      {"", "tf.cast('a', tf.float32).op.type", "Cast"},
      {"", "tf.nn.relu(tf.constant(['a']))",
       "TypeError: Value passed to parameter 'features' has DataType string not in list of allowed "
       "values: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, "
       "uint32, uint64"},
      {"", "tf.argmax(tf.zeros([2]), 1)", "Tensor(\"ArgMax:0\", shape=(), dtype=int64)"},
      {"", "tf.squeeze(tf.zeros([2, 1]), [0])",
       "ValueError: Can not squeeze dim[0], expected a dimension of 1, got 2"},
      {"", "tf.expand_dims(tf.zeros([2]), 3)",
       "ValueError: Tried to expand dim index 3 for tensor with 1 dimensions."},
      {"", "tf.stack([tf.zeros([2]), tf.zeros([3])])",
       "ValueError: Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and "
       "[3]. From merging shape 0 with other shapes."},
      {"", "tf.unstack(tf.zeros([3]), 4)", "ValueError: Dimension must be 4 but is 3"},
      {"", "tf.one_hot([1, 2])",
       "TypeError: one_hot() missing 1 required positional argument: 'depth'"},
      {"", "tf.add(1)", "TypeError: add() missing 1 required positional argument: 'y'"},
      {"", "tf.add(1, 2, nam='x')", "TypeError: add() got an unexpected keyword argument 'nam'"},
      {"", "tf.fill([-1], 0.)", "ValueError: Dimension -1 must be >= 0"},
      {"", "tf.slice(tf.zeros([3]), [1], [5])", "Tensor(\"Slice:0\", shape=(5,), dtype=float32)"},
      {"", "tf.nn.conv2d(tf.zeros([1, 4, 4, 2]), tf.zeros([2, 2, 3, 1]), [1, 1, 1, 1], 'SAME')",
       "ValueError: input depth must be evenly divisible by filter depth: 2 vs 3 (input [1,4,4,2], "
       "filter [2,2,3,1])"},
      {"", "tf.nn.conv2d(tf.zeros([1, 4, 4, 2]), tf.zeros([2, 2, 2, 1]), [1, 1, 1, 1], 'FULL')",
       "ValueError: Value for attr 'padding' of 'FULL' is not in the list of allowed values: "
       "'SAME', 'VALID', 'EXPLICIT'; op: Conv2D"},
      {"", "tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([2]))",
       "ValueError: Dimensions must be equal, but are 3 and 2: bias [2] for value [2,3]"},
      {"", "tf.placeholder(tf.float32, name='p').shape.as_list()",
       "ValueError: as_list() is not defined on an unknown TensorShape."},
      {"", "tf.placeholder('floaty')",
       "TypeError: Cannot convert value 'floaty' to a TensorFlow DType."},
      {"", "tf.random_normal([2], dtype=tf.int32)",
       "TypeError: Expected int32, got 0.0 of type 'float' instead."},
      {"", "tf.tile(tf.zeros([2, 3]), [2])", "ValueError: Shape must be rank 1 but is rank 2"},
      {"", "tf.where(tf.constant([True]), tf.zeros([2]), tf.zeros([3]))",
       "ValueError: Shapes must be equal: then is [2], else is [3]"},
  });
}

}  // namespace
}  // namespace tensh::shell
