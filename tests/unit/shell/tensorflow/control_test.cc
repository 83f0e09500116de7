// Control flow: conditions, loops, cases, grouping and tensor arrays: the nodes that they add, the
// values that they return, and the errors for misuse.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Cond, Results) {
  test::Rows().Check({
      {"p = tf.placeholder(tf.bool)\n"
       "y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))",
       "[tf.Session().run(y, {p: v}) for v in (True, False)], y.op.type", "[1, 2] Merge"},
      {"p = tf.placeholder(tf.bool)\n"
       "a, (b, c) = tf.cond(p, lambda: [1, (2, 3)], lambda: [4, (5, 6)])",
       "tf.Session().run([a, b, c], {p: False})", "[4, 5, 6]"},
      {"v = tf.Variable(0)\n"
       "y = tf.cond(tf.constant(True), lambda: v.assign(5), lambda: v.assign(6))\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(y), s.run(v)", "5 5"},
      {"x = tf.constant(3.)\n"
       "y = tf.cond(x > 2, lambda: x * x, lambda: -x)",
       "tf.Session().run(tf.gradients(y, x)), tf.Session().run(y)", "[6.0] 9.0"},
      {"p = tf.placeholder(tf.bool)\n"
       "y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([2, 4]))",
       "y.shape", "(2, ?)"},
      {"", "tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(2))",
       "TypeError: pred must not be a Python bool"},
      {"", "tf.cond(tf.constant(True), 1, 2)", "TypeError: true_fn must be callable."},
      {"", "tf.cond(tf.constant(True), lambda: 1, lambda: 2.)",
       "ValueError: Outputs of true_fn and false_fn must have the same type: int32, float32"},
      {"", "tf.cond(tf.constant(True), lambda: [1], lambda: [1, 2])",
       "ValueError: Incompatible return values of true_fn and false_fn: The two structures don't "
       "have the same nested structure.\n"
       "\n"
       "First structure: 1\n"
       "\n"
       "Second structure: [1, 2]\n"
       "\n"
       "More specifically: Substructure \"type=list str=[1, 2]\" is a sequence, while substructure "
       "\"type=int str=1\" is not"},
      {"", "tf.cond(tf.constant(True), lambda: None, lambda: 1)",
       "ValueError: true_fn must have a return value."},
      {"r = []\n"
       "f = lambda: r.append('t') or tf.constant(1)\n"
       "g = lambda: r.append('f') or tf.constant(2)\n"
       "tf.cond(tf.constant(True), f, g)",
       "r", "['t', 'f']"},
      {"p = tf.constant(True)\n"
       "y = tf.cond(p, lambda: tf.cond(p, lambda: 1, lambda: 2), lambda: 3)",
       "tf.Session().run(y), y.op.name", "1 cond/Merge"},
  });
}

TEST(Case, Results) {
  test::Rows().Check({
      {"x = tf.placeholder(tf.int32, [])\n"
       "y = tf.case([(x > 5, lambda: 1), (x > 3, lambda: 2)], default=lambda: 3)",
       "[tf.Session().run(y, {x: v}) for v in (9, 4, 0)]", "[1, 2, 3]"},
      {"x = tf.placeholder(tf.int32, [])\n"
       "y = tf.case({x > 5: lambda: 1, x < 3: lambda: 2}, default=lambda: 3, exclusive=True)",
       "[tf.Session().run(y, {x: v}) for v in (9, 4, 0)]", "[1, 3, 2]"},
      {"x = tf.placeholder(tf.int32, [])\n"
       "y = tf.case([(x > 5, lambda: 1), (x > 3, lambda: 2)], default=lambda: 3, exclusive=True)\n"
       "try: tf.Session().run(y, {x: 9})\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "'More than one condition evaluated as True' in m", "False"},
      {"", "tf.case([])", "ValueError: Must specify at least one of pred_fn_pairs"},
      {"", "tf.case(3)", "TypeError: fns must be a list, tuple, or dict"},
      {"i = tf.placeholder(tf.int32, [])\n"
       "y = tf.switch_case(i, [lambda: 10, lambda: 20], default=lambda: 30)",
       "[tf.Session().run(y, {i: v}) for v in (0, 1, 7, -1)]", "[10, 20, 30, 30]"},
  });
}

TEST(Loops, Results) {
  test::Rows().Check({
      {"y = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), [0, 0])",
       "tf.Session().run(y), [t.op.name for t in y]", "(5, 10) ['while/Exit', 'while/Exit_1']"},
      {"y = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, "
       "tf.zeros([1])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])",
       "y[1].shape, tf.Session().run(y[1]).shape", "(?,) (8,)"},
      {"",
       "tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, "
       "tf.zeros([1])])",
       "ValueError: Input tensor 'zeros:0' enters the loop with shape (1,), but has shape (2,) "
       "after one iteration. To allow the shape to vary across iterations, use the "
       "`shape_invariants` argument of tf.while_loop to specify a less-specific shape."},
      {"", "tf.while_loop(lambda i: i < 3, lambda i: (i, i), [tf.constant(0)])",
       "ValueError: The two structures don't have the same nested structure.\n"
       "\n"
       "First structure: [<tf.Tensor 'while/Identity:0' shape=() dtype=int32>]\n"
       "\n"
       "Second structure: [<tf.Tensor 'while/Identity:0' shape=() dtype=int32>, <tf.Tensor "
       "'while/Identity:0' shape=() dtype=int32>]\n"
       "\n"
       "More specifically: The two structures don't have the same number of elements. First "
       "structure: [<tf.Tensor 'while/Identity:0' shape=() dtype=int32>]. Second structure: "
       "[<tf.Tensor 'while/Identity:0' shape=() dtype=int32>, <tf.Tensor 'while/Identity:0' "
       "shape=() dtype=int32>]"},
      {"", "tf.while_loop(1, lambda i: i, [0])", "TypeError: cond must be callable."},
      {"", "tf.while_loop(lambda i: i < 3, 1, [0])", "TypeError: body must be callable."},
      {"", "tf.while_loop(lambda: True, lambda: 1, [])", "ValueError: No loop variables provided"},
      {"", "tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], parallel_iterations=0)",
       "TypeError: parallel_iterations must be a positive integer."},
      {"y = tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=7)",
       "tf.Session().run(y)", "7"},
      {"x = tf.constant(2.)\n"
       "y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]",
       "tf.Session().run([y, tf.gradients(y, x)[0]])", "[16.0, 32.0]"},
      {"y = tf.while_loop(lambda i, d: i < 2, lambda i, d: (i + 1, {'a': d['a'] + 1, 'b': d['b'] * "
       "2}), [0, {'a': 0, 'b': 1}])",
       "tf.Session().run(y)", "(2, {'a': 2, 'b': 4})"},
      {"def outer(i, s):\n"
       "  return i + 1, tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), [0, s])[1]",
       "tf.Session().run(tf.while_loop(lambda i, s: i < 5, outer, [0, 0]))", "(5, 10)"},
      {"y = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name='L')",
       "sorted({o.name.split('/')[0] for o in tf.get_default_graph().get_operations()}), "
       "y.op.name, y.op.get_attr('T')",
       "['L'] L/Exit <dtype: 'int32'>"},
      {"y = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], parallel_iterations=4, name='L')\n"
       "e = tf.get_default_graph().get_operation_by_name('L/Enter')",
       "e.get_attr('parallel_iterations'), e.get_attr('frame_name'), e.get_attr('is_constant')",
       "4 b'L/while_context' False"},
      {"x = tf.constant(3)\n"
       "y = tf.while_loop(lambda i: i < x, lambda i: i + x, [0])",
       "[(o.name, o.get_attr('is_constant')) for o in tf.get_default_graph().get_operations() if "
       "o.type == 'Enter']",
       "[('while/Enter', False), ('while/Less/Enter', True)]"},
  });
}

TEST(Groups, OfNodes) {
  test::Rows().Check({
      {"a, b = tf.constant(1, name='a'), tf.constant(2, name='b')\n"
       "x, y = tf.tuple([a, b])",
       "x.op.name, y.op.name, [o.name for o in x.op.control_inputs], tf.Session().run([x, y])",
       "tuple/control_dependency tuple/control_dependency_1 ['tuple/group_deps'] [1, 2]"},
      {"", "tf.tuple([])", "ValueError: Must have at least one Tensor: []"},
      {"", "tf.tuple([None])", "ValueError: Must have at least one Tensor: [None]"},
      {"a = tf.constant(1, name='a')\n"
       "with tf.device('/gpu:0'): b = tf.constant(2, name='b')\n"
       "g = tf.group(a, b, name='g')",
       "[(o.name, o.device) for o in tf.get_default_graph().get_operations() if o.type == 'NoOp'], "
       "[o.name for o in g.control_inputs]",
       "[('g/NoOp', ''), ('g/NoOp_1', '/device:GPU:0'), ('g', '')] ['g/NoOp', 'g/NoOp_1']"},
      {"", "tf.group(3)",
       "TypeError: Expected tf.group() expected Tensor objects not None, got 3 with type <class "
       "'int'>"},
      {"a = tf.constant(1, name='a')",
       "tf.group([a, [a]]).control_inputs[0].name, len(tf.group(a, a).control_inputs)", "a 1"},
      {"v = tf.Variable(1)\n"
       "with tf.control_dependencies([v.assign_add(1)]): y = tf.identity(v)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(y), s.run(y)", "2 3"},
      {"a = tf.Assert(tf.constant(False), ['wrong', tf.constant([1, 2])])\n"
       "try: tf.Session().run(a)\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "m.split('\\n')[0].split(' [[')[0]", "assertion failed: [wrong] [1 2]"},
      {"x = tf.constant(1)\n"
       "y = tf.Print(x, [x, 'a'], 'seen: ')",
       "y.op.type, y.op.get_attr('message'), y.op.get_attr('first_n'), y.op.get_attr('summarize')",
       "Print b'seen: ' -1 3"},
      {"a = tf.assert_rank(tf.zeros([2, 3]), 2)", "a.type", "NoOp"},
      {"", "tf.assert_rank(tf.zeros([2, 3]), 3, message='here')",
       "ValueError: here.  Tensor zeros:0 must have rank 3.  Received rank 2, shape (2, 3)"},
      {"", "tf.assert_type(tf.constant(1), tf.float32)",
       "TypeError:   Const:0 must be of type <dtype: 'float32'>"},
      {"x = tf.placeholder(tf.int32)\n"
       "with tf.control_dependencies([tf.assert_positive(x, message='must be')]): y = "
       "tf.identity(x)\n"
       "try: tf.Session().run(y, {x: [1, -1]})\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "'must be' in m, 'x > 0' in m, tf.Session().run(y, {x: 3})", "True True 3"},
      {"", "tf.assert_equal([1, 2], [1, 3])",
       "InvalidArgumentError: Condition x == y did not hold element-wise:\n"
       "x (assert_equal/x:0) = \n"
       "[1 2]\n"
       "y (assert_equal/y:0) = \n"
       "[1 3]"},
  });
}

TEST(TensorArrays, Use) {
  test::Rows().Check({
      {"a = tf.TensorArray(tf.int32, 3)\n"
       "a = a.write(0, 5).write(2, 7).write(1, 6)",
       "tf.Session().run(a.stack()), tf.Session().run(a.read(2)), tf.Session().run(a.size())",
       "[5 6 7] 7 3"},
      {"a = tf.TensorArray(tf.float32, 2).unstack([[1., 2.], [3., 4.]])",
       "tf.Session().run(a.concat()), tf.Session().run(a.gather([1])), a.dtype",
       "[1. 2. 3. 4.] [[3. 4.]] <dtype: 'float32'>"},
      {"a = tf.TensorArray(tf.int32, 0, dynamic_size=True)\n"
       "_, a = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, i * i)), [0, a])",
       "tf.Session().run(a.stack())", "[0 1 4 9]"},
      {"a = tf.TensorArray(tf.int32, 3).split([1, 2, 3, 4], [1, 1, 2])",
       "tf.Session().run([a.read(2), a.size()])",
       "InvalidArgumentError: TensorArray TensorArray_0: Could not write to TensorArray index 2 "
       "because the value shape is [2] which is incompatible with the TensorArray's inferred "
       "element shape: [1] (consider setting infer_shape=False)."},
      {"a = tf.TensorArray(tf.int32, 2).scatter([1, 0], [10, 20])",
       "tf.Session().run(a.stack()), a.flow.dtype, a.handle.dtype",
       "[20 10] <dtype: 'float32'> <dtype: 'resource'>"},
      {"a = tf.TensorArray(tf.int32, 1)\n"
       "try: tf.Session().run(a.write(1, 5).flow)\n"
       "except tf.errors.OpError as e: m = e",
       "type(m).__name__", "InvalidArgumentError"},
      {"a = tf.TensorArray(tf.int32, 1).write(0, 1)\n"
       "r = a.read(0)\n"
       "with tf.control_dependencies([r]): w = a.read(0)\n"
       "try: tf.Session().run(w)\n"
       "except tf.errors.OpError as e: m = e",
       "type(m).__name__, 'clear_after_read' in m.message", "InvalidArgumentError True"},
      {"a = tf.TensorArray(tf.int32, 1, clear_after_read=False).write(0, 1)",
       "tf.Session().run(a.read(0) + a.read(0))", "2"},
      {"", "tf.Session().run(tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])))", "[1 4 9]"},
      {"",
       "tf.Session().run(tf.map_fn(lambda t: (t[0] + t[1], t[0]), (tf.constant([1, 2]), "
       "tf.constant([10, 20]))))",
       "(array([11, 22], dtype=int32), array([1, 2], dtype=int32))"},
      {"",
       "tf.Session().run(tf.map_fn(lambda x: tf.to_float(x) / 2, tf.constant([1, 2]), "
       "dtype=tf.float32))",
       "[0.5 1. ]"},
      {"",
       "tf.Session().run([tf.foldl(lambda a, x: a - x, tf.constant([1, 2, 3])), tf.foldr(lambda a, "
       "x: a - x, tf.constant([1, 2, 3]))])",
       "[-4, 0]"},
      {"",
       "tf.Session().run([tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])), tf.scan(lambda a, "
       "x: a * x, [1, 2, 3], 10), tf.scan(lambda a, x: a + x, [1, 2], reverse=True)])",
       "IndexError: list index out of range"},
      {"", "tf.map_fn(lambda x: x, tf.constant(1))",
       "ValueError: Elements in elems must be 1+ dimensional Tensors, not scalars"},
  });
}

}  // namespace
}  // namespace tensh::shell
