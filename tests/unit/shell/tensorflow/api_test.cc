// The TensorFlow 1.x API in the language: scripts and their output. Values, names, numbers of nodes
// and messages are those of TensorFlow 1.15.
#include <gtest/gtest.h>

#include <string>

#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

// Returns the output of the script, followed by the class and message of the error that ended it.
std::string Play(const std::string& script) {
  Interp interp;
  tf::AddTensorFlow(interp);
  std::string out;
  interp.set_stdout([&out](std::string_view text) { out.append(text); });
  interp.set_stderr([](std::string_view) {});
  try {
    interp.Exec(script, "test.py", ExecMode::kFile);
    interp.Flush();
  } catch (const PyError& e) {
    interp.Flush();
    out += e.ClassName() + ": " + e.Message() + "\n";
  }
  return out;
}

struct Row {
  const char* script;
  const char* prints;
};

class Api : public testing::TestWithParam<Row> {};

TEST_P(Api, Prints) { EXPECT_EQ(Play(GetParam().script), GetParam().prints) << GetParam().script; }

// Prints the names of all nodes of the default graph in order.
#define NODES "\nprint(*[op.name for op in tf.get_default_graph().get_operations()])"

const Row kNames[] = {
    {"a = tf.constant(1.0)\nb = a + 2.0\nc = 3.0 - a" NODES, "Const add/y add sub/x sub\n"},
    {"tf.add(1, 2)\ntf.add(1, 2, name='sum')" NODES, "Add/x Add/y Add sum/x sum/y sum\n"},
    {"x = tf.constant([1, 2])\ny = x / 2" NODES,
     "Const truediv/y truediv/Cast truediv/Cast_1 truediv\n"},
    {"x = tf.constant([1, 2])\n-x\nabs(x)\nx > 1" NODES, "Const Neg Abs Greater/y Greater\n"},
    {"w = tf.Variable(1.0, name='w')" NODES, "w/initial_value w w/Assign w/read\n"},
    {"tf.random_normal([2])" NODES,
     "random_normal/shape random_normal/mean random_normal/stddev "
     "random_normal/RandomStandardNormal random_normal/mul random_normal\n"},
    {"x = tf.zeros([3, 2])\nx[1, :]" NODES,
     "zeros strided_slice/stack strided_slice/stack_1 strided_slice/stack_2 strided_slice\n"},
    {"tf.reduce_mean(tf.ones([2, 2]))\ntf.reduce_sum(tf.ones([2]), axis=0)" NODES,
     "ones Const Mean ones_1 Sum/reduction_indices Sum\n"},
    {"tf.ones([1000])" NODES, "ones/shape_as_tensor ones/Const ones\n"},
    {"tf.stack([tf.constant(1), 2], axis=-1)" NODES, "Const stack/values_1 stack\n"},
    {"tf.convert_to_tensor([tf.constant(1), 2])" NODES, "Const packed/1 packed\n"},
    {"tf.get_variable('w', [2], initializer=tf.zeros_initializer())" NODES,
     "w/Initializer/zeros w w/Assign w/read\n"},
    {"v = tf.Variable(1.0, name='v')\nwith tf.name_scope('s'):\n  tf.assign(v, 2.0)" NODES,
     "v/initial_value v v/Assign v/read s/Assign/value s/Assign\n"},
    {"w = tf.Variable(1.0, name='w')\nt = tf.train.AdamOptimizer().minimize(w * w)\n"
     "print(t.name, *[v.name for v in tf.global_variables()])",
     "Adam w:0 beta1_power:0 beta2_power:0 w/Adam:0 w/Adam_1:0\n"},
    {"with tf.variable_scope('a'):\n"
     "  with tf.variable_scope(None, 'b'):\n    print(tf.get_variable('v', [1]).name)\n"
     "  with tf.variable_scope(None, 'b'):\n    print(tf.get_variable('v', [1]).name)",
     "a/b/v:0\na/b_1/v:0\n"},
};

const Row kErrors[] = {
    {"tf.constant(1.0) + tf.constant(1)",
     "TypeError: Input 'y' of 'AddV2' Op has type int32 that does not match type float32 of "
     "argument 'x'.\n"},
    {"tf.constant('a', tf.float32)",
     "TypeError: Expected float32, got 'a' of type 'str' instead.\n"},
    {"tf.constant(1.5, tf.int32)", "TypeError: Expected int32, got 1.5 of type 'float' instead.\n"},
    {"tf.constant(None)", "ValueError: None values not supported.\n"},
    {"tf.Session().run(None)",
     "RuntimeError: The Session graph is empty.  Add operations to the graph before calling "
     "run().\n"},
    {"c = tf.constant(1)\ntf.Session().run(None)",
     "TypeError: Fetch argument None has invalid type <class 'NoneType'>\n"},
    {"c = tf.constant(1)\ns = tf.Session()\ns.close()\ns.run(c)",
     "RuntimeError: Attempted to use a closed Session.\n"},
    {"x = tf.placeholder(tf.float32, [None, 2], name='x')\ntf.Session().run(x, {x: [1., 2., 3.]})",
     "ValueError: Cannot feed value of shape (3,) for Tensor 'x:0', which has shape '(?, 2)'\n"},
    {"with tf.variable_scope('s'):\n  tf.get_variable('w', [1])\n  tf.get_variable('w', [1])",
     "ValueError: Variable s/w already exists, disallowed. Did you mean to set reuse=True or "
     "reuse=tf.AUTO_REUSE in VarScope?\n"},
    {"tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))",
     "ValueError: No variables to optimize.\n"},
    {"tf.Variable(tf.placeholder(tf.float32))",
     "ValueError: initial_value must have a shape specified: Tensor(\"Placeholder:0\", "
     "dtype=float32)\n"},
    {"tf.name_scope(3)", "TypeError: name for name_scope must be a string.\n"},
    {"with tf.name_scope('a b'): pass", "ValueError: 'a b' is not a valid scope name\n"},
    {"tf.nn.softmax_cross_entropy_with_logits(tf.zeros([1]), tf.zeros([1]))",
     "ValueError: Only call `softmax_cross_entropy_with_logits` with named arguments (labels=..., "
     "logits=..., ...)\n"},
    {"tf.ConfigProto(gpus=1)", "ValueError: Protocol message ConfigProto has no \"gpus\" field.\n"},
};

const Row kRuns[] = {
    {"a = tf.constant(1)\ns = tf.Session()\nprint(s.run({'k': a, 'l': [a, (a + 1, tf.no_op())]}))",
     "{'k': 1, 'l': [1, (2, None)]}\n"},
    {"x = tf.placeholder(tf.int32, [], name='x')\nprint(tf.Session().run('x:0', {'x:0': 7}))",
     "7\n"},
    {"v = tf.Variable([1., 2.])\nwith tf.Session() as s:\n  v.initializer.run()\n"
     "  v.load([5., 6.], s)\n  print(v.eval(), s.run(v.assign_add([1., 1.])))",
     "[5. 6.] [6. 7.]\n"},
    {"v = tf.Variable(1)\nwith tf.control_dependencies([v.assign(5)]):\n  r = v * 2\n"
     "with tf.Session() as s:\n  s.run(v.initializer)\n  print(s.run(r))",
     "10\n"},
    {"x = tf.constant(3.0)\ng, = tf.gradients(x * x, x)\nprint(tf.Session().run(g))", "6.0\n"},
    {"tf.set_random_seed(1)\na = tf.random_normal([1])\n"
     "print(a.op.inputs[0].op.inputs[0].op.get_attr('seed2'))",
     "3\n"},
    {"f = tf.Session().make_callable(tf.constant(2) * 3)\nprint(f())", "6\n"},
};

INSTANTIATE_TEST_SUITE_P(Names, Api, testing::ValuesIn(kNames));
INSTANTIATE_TEST_SUITE_P(Errors, Api, testing::ValuesIn(kErrors));
INSTANTIATE_TEST_SUITE_P(Runs, Api, testing::ValuesIn(kRuns));

TEST(Rollback, LeavesNothing) {
  Interp interp;
  tf::AddTensorFlow(interp);
  std::string out;
  interp.set_stdout([&out](std::string_view text) { out.append(text); });
  interp.Exec("g = tf.get_default_graph()\nkeep = tf.Variable(1.0)\n", "t", ExecMode::kFile);
  tf::GraphObject& g = tf::DefaultGraph();
  tsh_graph_begin(g.raw());
  interp.Exec("gone = tf.Variable(2.0)\nw = tf.get_variable('w', [1])\n", "t", ExecMode::kFile);
  tsh_graph_rollback(g.raw());
  interp.Exec(
      "print(len(g.get_operations()), len(tf.global_variables()))\n"
      "try:\n  tf.add(gone, 1.0)\nexcept ValueError as e:\n  print('rolled back' in str(e))\n"
      "w = tf.get_variable('w', [1])\nprint(w.name, keep.name)\n",
      "t", ExecMode::kFile);
  interp.Flush();
  EXPECT_EQ(out, "4 1\nTrue\nw:0 Variable:0\n");
}

}  // namespace
}  // namespace tensh::shell
