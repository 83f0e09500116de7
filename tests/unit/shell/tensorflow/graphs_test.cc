// Graphs: collections, devices, finalizing, import and export, functions that look into a graph,
// and how names are scoped when several of these are combined.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Graphs, Collections) {
  test::Rows().Check({
      {"g = tf.get_default_graph()\n"
       "g.add_to_collection('c', 1)\n"
       "tf.add_to_collection('c', 2)",
       "g.get_collection('c'), tf.get_collection('nope'), g.get_all_collection_keys()",
       "[1, 2] [] ['c']"},
      {"tf.add_to_collections(['a', 'b'], 5)\n"
       "tf.add_to_collections('a', 6)",
       "tf.get_collection('a'), tf.get_collection('b')", "[5, 6] [5]"},
      {"with tf.name_scope('s'): x = tf.constant(1)\n"
       "y = tf.constant(2)\n"
       "tf.add_to_collection('c', x)\n"
       "tf.add_to_collection('c', y)",
       "[t.name for t in tf.get_collection('c', 's')], [t.name for t in tf.get_collection('c', "
       "scope='C')]",
       "['s/Const:0'] ['Const:0']"},
      {"ref = tf.get_collection_ref('c')\n"
       "ref.append(3)\n"
       "got = tf.get_collection('c')\n"
       "got.append(4)",
       "tf.get_collection('c'), tf.get_collection_ref('c') is ref", "[3] True"},
      {"g = tf.get_default_graph()\n"
       "g.add_to_collection('c', 1)\n"
       "g.clear_collection('c')",
       "g.get_collection('c')", "[]"},
      {"v = tf.Variable(1., name='v')\n"
       "w = tf.Variable(1., trainable=False, name='w')\n"
       "l = tf.Variable(1., collections=[tf.GraphKeys.LOCAL_VARIABLES], name='l')",
       "[[v.op.name for v in f()] for f in (tf.global_variables, tf.trainable_variables, "
       "tf.local_variables, tf.all_variables)]",
       "[['v', 'w'], ['v', 'l'], ['l'], ['v', 'w']]"},
      {"with tf.name_scope('s'): v = tf.Variable(1., name='v')\n"
       "w = tf.Variable(1., name='w')",
       "[x.name for x in tf.global_variables('s')], [x.name for x in "
       "tf.trainable_variables(scope='w')]",
       "['s/v:0'] ['w:0']"},
      {"",
       "tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.UPDATE_OPS, "
       "tf.GraphKeys.REGULARIZATION_LOSSES, tf.GraphKeys.SUMMARIES",
       "variables trainable_variables update_ops regularization_losses summaries"},
      {"tf.losses.mean_squared_error([1.], [2.])",
       "[t.name for t in tf.get_collection(tf.GraphKeys.LOSSES)]",
       "['mean_squared_error/value:0']"},
  });
}

TEST(Graphs, Devices) {
  test::Rows().Check({
      {"with tf.device('/cpu:0'):\n"
       "  a = tf.constant(1)\n"
       "  with tf.device('/gpu:2'): b = tf.constant(1)\n"
       "  with tf.device(None): c = tf.constant(1)\n"
       "  d = tf.constant(1)",
       "[t.device for t in (a, b, c, d)]",
       "['/device:CPU:0', '/device:GPU:2', '', '/device:CPU:0']"},
      {"with tf.device('/job:ps/task:1'):\n"
       "  with tf.device('/cpu:0'): a = tf.constant(1)",
       "a.device", "/job:ps/task:1/device:CPU:0"},
      {"with tf.device(lambda op: '/gpu:1' if op.type == 'Const' else '/cpu:0'):\n"
       "  a = tf.constant(1, name='a')\n"
       "  b = tf.identity(a)",
       "a.device, b.device", "/gpu:1 /cpu:0"},
      {"with tf.device('nonsense!'): tf.constant(1)", "1",
       "ValueError: Unknown attribute: 'nonsense!'"},
      {"d = tf.DeviceSpec(job='ps', task=1, device_type='GPU', device_index=0)",
       "d.to_string(), d.job, d.task, d.replica", "/job:ps/task:1/device:GPU:0 ps 1 None"},
      {"d = tf.DeviceSpec.from_string('/job:worker/replica:2/task:3/device:CPU:4')",
       "d.job, d.replica, d.task, d.device_type, d.device_index", "worker 2 3 CPU 4"},
      {"", "tf.DeviceSpec.from_string('/nope:1')",
       "ValueError: Unknown attribute: 'nope' in '/nope:1'"},
      {"d = tf.train.replica_device_setter(ps_tasks=2)\n"
       "with tf.device(d):\n"
       "  v = [tf.Variable(1., name='v%d' % i) for i in range(3)]\n"
       "  c = tf.constant(1)",
       "[x.device for x in v], c.device",
       "['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0'] /job:worker"},
      {"with tf.device('/cpu:1'): v = tf.get_variable('v', [2])",
       "v.device, v.initializer.device, v.op.device", "/device:CPU:1 /device:CPU:1 /device:CPU:1"},
  });
}

TEST(Graphs, AreObjects) {
  test::Rows().Check({
      {"g = tf.Graph()\n"
       "with g.as_default():\n"
       "  x = tf.constant(1)",
       "x.graph is g, tf.get_default_graph() is g, len(g.get_operations()), g.version",
       "True False 1 1"},
      {"g = tf.Graph()\n"
       "g.finalize()\n"
       "with g.as_default(): tf.constant(1)",
       "1", "RuntimeError: Graph is finalized and cannot be modified."},
      {"g = tf.Graph()\n"
       "g.finalize()",
       "g.finalized", "True"},
      {"g = tf.Graph()\n"
       "with g.as_default(), g.name_scope('a'): x = tf.constant(1)",
       "x.name", "a/Const:0"},
      {"g = tf.get_default_graph()\n"
       "with g.as_default(): tf.reset_default_graph()",
       "1",
       "AssertionError: Do not use tf.reset_default_graph() to clear nested graphs. If you need a "
       "cleared graph, exit the nesting and create a new graph."},
      {"tf.set_random_seed(7)", "tf.get_default_graph().seed, tf.get_seed(3), tf.get_seed(None)",
       "7 (7, 3) (7, 0)"},
      {"g = tf.get_default_graph()\n"
       "a = tf.no_op('a')\n"
       "with g.control_dependencies([a]): b = tf.no_op('b')",
       "[c.name for c in b.control_inputs]", "['a']"},
      {"with tf.control_dependencies(['nope']): tf.no_op()", "1",
       "KeyError: \"The name 'nope' refers to an Operation not in the graph.\""},
      {"with tf.control_dependencies(3): tf.no_op()", "1",
       "TypeError: 'int' object is not iterable"},
      {"with tf.control_dependencies([tf.constant(1, name='a'), tf.no_op('b')]): c = "
       "tf.identity(2)",
       "[o.name for o in c.op.control_inputs], [o.name for o in c.op.inputs[0].op.control_inputs]",
       "[] ['a', 'b']"},
      {"def f(): pass\n"
       "with tf.control_dependencies([f]): tf.no_op()",
       "1", "TypeError: Can not convert a function into a Tensor or Operation."},
  });
}

TEST(Graphs, Messages) {
  test::Rows().Check({
      {"x = tf.constant(2., name='x')\n"
       "with tf.control_dependencies([x]): y = tf.square(3., name='y')",
       "[list(n.input) for n in tf.get_default_graph().as_graph_def().node]",
       "[[], ['^x'], ['y/x']]"},
      {"with tf.device('/cpu:1'): x = tf.constant(2., name='x')",
       "tf.get_default_graph().as_graph_def().node[0].device", "/device:CPU:1"},
      {"x = tf.constant(2., name='x')\n"
       "y = tf.identity(x, name='y')\n"
       "d = tf.get_default_graph().as_graph_def()\n"
       "tf.reset_default_graph()\n"
       "z, = tf.import_graph_def(d, return_elements=['y:0'], name='i')",
       "z.name, tf.Session().run(z), [o.name for o in tf.get_default_graph().get_operations()]",
       "i/y:0 2.0 ['i/x', 'i/y']"},
      {"x = tf.placeholder(tf.float32, name='x')\n"
       "y = tf.multiply(x, 2., name='y')\n"
       "d = tf.get_default_graph().as_graph_def()\n"
       "tf.reset_default_graph()\n"
       "z, = tf.import_graph_def(d, {'x:0': tf.constant(5.)}, ['y'], name='')",
       "z.name, tf.Session().run(z.outputs[0]), [o.name for o in "
       "tf.get_default_graph().get_operations()]",
       "y 10.0 ['Const', 'x', 'y/y', 'y']"},
      {"tf.import_graph_def(3)", "1", "TypeError: graph_def must be a GraphDef proto."},
      {"x = tf.constant(1, name='x')\n"
       "y = tf.identity(x, name='y')\n"
       "z = tf.identity(x, name='z')\n"
       "d = tf.graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), ['y'])",
       "[n.name for n in d.node]", "['x', 'y']"},
      {"v = tf.Variable(3., name='v')\n"
       "y = tf.multiply(v, 2., name='y')\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)\n"
       "d = tf.graph_util.convert_variables_to_constants(s, tf.get_default_graph().as_graph_def(), "
       "['y'])",
       "[(n.name, n.op) for n in d.node]",
       "[('v', 'Const'), ('v/read', 'Identity'), ('y/y', 'Const'), ('y', 'Mul')]"},
  });
}

}  // namespace
}  // namespace tensh::shell
