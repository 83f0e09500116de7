// The names of nodes, scopes and variables, and the nodes that control flow and gradients create,
// in TensorFlow 1.15's order.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

// All nodes of the graph.
constexpr const char* kNodes = "*[op.name for op in tf.get_default_graph().get_operations()]";

TEST(Names, AreUnique) {
  test::Rows().Check({
      {"for i in range(3): tf.constant(i, name='x')", kNodes, "x x_1 x_2"},
      {"for n in ['x', 'x', 'x_1']: tf.constant(1, name=n)", kNodes, "x x_1 x_1_1"},
      {"for n in ['a', 'A']: tf.constant(1, name=n)", kNodes, "a A_1"},  // case does not count
      {"g = tf.get_default_graph()", "g.unique_name('a'), g.unique_name('a'), g.unique_name('a_1')",
       "a a_1 a_1_1"},
      {"g = tf.get_default_graph()", "g.unique_name('a', mark_as_used=False), g.unique_name('a')",
       "a a"},
      {"x = tf.constant(1, name='x')", "x.name, x.op.name, x.value_index", "x:0 x 0"},
      {"", "[t.name for t in tf.split([1, 2], 2)]", "['split:0', 'split:1']"},
      {"", "tf.identity(1, name='a/b').name", "a/b:0"},
      {"", "tf.constant(1, name='a b')", "ValueError: 'a b' is not a valid node name"},
      {"", "tf.constant(1, name='_a')", "ValueError: '_a' is not a valid node name"},
  });
}

TEST(Names, Scopes) {
  test::Rows().Check({
      {"with tf.name_scope('a') as s: tf.constant(1)", "s, " + std::string(kNodes), "a/ a/Const"},
      {"for i in range(2):\n  with tf.name_scope('a'): tf.constant(1)", kNodes,
       "a/Const a_1/Const"},
      {"with tf.name_scope('a') as s: pass\nwith tf.name_scope(s): tf.constant(1)", kNodes,
       "a/Const"},
      {"with tf.name_scope('a'):\n  with tf.name_scope('b'): tf.constant(1)\n"
       "  with tf.name_scope(None): tf.constant(2)",
       kNodes, "a/b/Const Const"},
      {"with tf.name_scope(None, 'd', [1]) as s: pass", "s", "d/"},
      {"with tf.name_scope('n', 'd', [1]) as s: pass", "s", "n/"},
      {"with tf.name_scope('a'): x = tf.constant(1) + 2", kNodes, "a/Const a/add/y a/add"},
      {"with tf.variable_scope('v'): w = tf.get_variable('w', [1])", "w.name, w.op.name",
       "v/w:0 v/w"},
      {"for i in range(2):\n  with tf.variable_scope('v') as s: tf.constant(1)",
       std::string("s.name, s.original_name_scope, ") + kNodes, "v v_1/ v/Const v_1/Const"},
      {"with tf.variable_scope('v'): tf.get_variable('w', [1])\n"
       "with tf.variable_scope('v', reuse=True): w = tf.get_variable('w', [1])",
       "w.name", "v/w:0"},
      {"with tf.variable_scope('v', reuse=True): tf.get_variable('w', [1])", "0",
       "ValueError: Variable v/w does not exist, or was not created with tf.get_variable(). Did "
       "you mean to set reuse=tf.AUTO_REUSE in VarScope?"},
      {"with tf.variable_scope('v', reuse=tf.AUTO_REUSE):\n"
       "  a = tf.get_variable('w', [1])\n  b = tf.get_variable('w', [1])",
       "a is b", "True"},
      {"with tf.name_scope('n'): w = tf.get_variable('w', [1])", "w.name", "w:0"},
      {"with tf.name_scope('n'): w = tf.Variable(1., name='w')", "w.name", "n/w:0"},
  });
}

TEST(Names, Lookup) {
  const std::string g = "x = tf.constant(1, name='x')\ng = tf.get_default_graph()\n";
  test::Rows().Check({
      {g, "g.get_tensor_by_name('x:0') is x, g.get_operation_by_name('x') is x.op", "True True"},
      {g, "g.get_tensor_by_name('x')",
       "ValueError: The name 'x' refers to an Operation, not a Tensor. Tensor names must be of "
       "the form \"<op_name>:<output_index>\"."},
      {g, "g.get_tensor_by_name('nope:0')",
       "KeyError: \"The name 'nope:0' refers to a Tensor which does not exist. The operation, "
       "'nope', does not exist in the graph.\""},
      {g, "g.get_tensor_by_name('x:1')",
       "KeyError: \"The name 'x:1' refers to a Tensor which does not exist. The operation, 'x', "
       "exists but only has 1 outputs.\""},
      {g, "g.get_operation_by_name('x:0')",
       "ValueError: Name 'x:0' appears to refer to a Tensor, not a Operation."},
      {g, "g.get_operation_by_name('nope')",
       "KeyError: \"The name 'nope' refers to an Operation not in the graph.\""},
      {g, "g.as_graph_element('x').name, g.as_graph_element('x:0').name", "x x:0"},
      {g, "g.as_graph_element(3)", "TypeError: Can not convert a int into a Tensor or Operation."},
  });
}

TEST(ControlFlow, Nodes) {
  test::Rows().Check({
      {"p = tf.constant(True, name='p')\n"
       "y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))",
       std::string("y.name, ") + kNodes,
       "cond/Merge:0 p cond/Switch cond/switch_t cond/switch_f cond/pred_id cond/Const "
       "cond/Const_1 cond/Merge"},
      {"p = tf.constant(True, name='p')\nx = tf.constant(1, name='x')\n"
       "y = tf.cond(p, lambda: x + 1, lambda: x)",
       kNodes,
       "p x cond/Switch cond/switch_t cond/switch_f cond/pred_id cond/add/y cond/add "
       "cond/add/Switch "
       "cond/Switch_1 cond/Merge"},
      {"y = tf.while_loop(lambda i: tf.less(i, 3), lambda i: tf.add(i, 1), [tf.constant(0)])",
       std::string("y.name, ") + kNodes,
       "while/Exit:0 Const while/Enter while/Merge while/Less/y while/Less while/LoopCond "
       "while/Switch while/Identity while/Add/y while/Add while/NextIteration while/Exit"},
      {"a = tf.no_op(name='a')\nwith tf.control_dependencies([a]): b = tf.constant(1, name='b')",
       "[op.name for op in b.op.control_inputs]", "['a']"},
      {"a = tf.no_op(name='a')\nwith tf.control_dependencies([a]):\n"
       "  with tf.control_dependencies(None): b = tf.constant(1)",
       "b.op.control_inputs", "[]"},
      {"a = tf.constant(1)\nb = tf.group(a, tf.no_op(), name='g')", "b.type, b.name", "NoOp g"},
      {"", "tf.group().type", "NoOp"},
  });
}

TEST(Gradients, Nodes) {
  test::Rows().Check({
      {"x = tf.constant(3., name='x')\ny = tf.multiply(x, x, name='y')\ng, = tf.gradients(y, x)",
       std::string("g.name, ") + kNodes,
       "gradients/AddN:0 x y gradients/Shape gradients/grad_ys_0 gradients/Fill "
       "gradients/y_grad/Mul gradients/y_grad/Mul_1 gradients/AddN"},
      {"x = tf.constant(3., name='x')\ny = tf.exp(x, name='y')\ng, = tf.gradients(y, x, name='d')",
       kNodes, "x y d/Shape d/grad_ys_0 d/Fill d/y_grad/mul"},
      {"x = tf.constant(3.)", "tf.gradients(tf.constant(1.), x)", "[None]"},
      {"x = tf.constant(3.)\ny = tf.stop_gradient(x)", "tf.gradients(y, x)", "[None]"},
      {"x = tf.constant(3)", "tf.gradients(x * x, x)", "[None]"},
  });
}

TEST(Session, FetchesAndFeeds) {
  const std::string s = "x = tf.constant(2, name='x')\ny = x * 3\ns = tf.Session()\n";
  test::Rows().Check({
      {s, "s.run(y), s.run([]), s.run([y, x]), s.run((y,)), s.run({'k': [x]})",
       "6 [] [6, 2] (6,) {'k': [2]}"},
      {s, "s.run('x:0'), s.run('x'), s.run(x.op)", "2 None None"},
      {s, "s.run([x, [x, x]])", "[2, [2, 2]]"},
      {s, "s.run(y, {x: 5}), s.run(y, {'x:0': 7}), s.run(x, {x: 9})", "15 21 9"},
      {s, "s.run(y, {y: 1})", "1"},
      {s, "type(s.run(y)).__name__, s.run(y).dtype", "int32 int32"},
      {s, "s.run('nope:0')",
       "ValueError: Fetch argument 'nope:0' cannot be interpreted as a Tensor. (\"The name "
       "'nope:0' refers to a Tensor which does not exist. The operation, 'nope', does not exist "
       "in the graph.\")"},
      {s, "s.run(3)",
       "TypeError: Fetch argument 3 has invalid type <class 'int'>, must be a "
       "string or Tensor. (Can not convert a int into a Tensor or Operation.)"},
      {s, "s.run(y, {x: [1, 2]})",
       "ValueError: Cannot feed value of shape (2,) for Tensor 'x:0', which has shape '()'"},
      {s + "z = tf.placeholder(tf.float32, [2], name='z')", "s.run(z + 1, {z: [1, 2.5]})",
       "[2.  3.5]"},
      {"with tf.Session() as s: pass", "tf.get_default_session()", "None"},
      {"with tf.Session() as s: inside = tf.get_default_session() is s", "inside", "True"},
      {"x = tf.constant(1)", "x.eval()",
       "ValueError: Cannot evaluate tensor using `eval()`: No default session is registered. Use "
       "`with sess.as_default()` or pass an explicit session to `eval(session=sess)`"},
      {"x = tf.constant(1)\nh = tf.Graph()", "tf.Session(graph=h).run(x)",
       "RuntimeError: The Session graph is empty.  Add operations to the graph before calling "
       "run()."},
  });
}

}  // namespace
}  // namespace tensh::shell
