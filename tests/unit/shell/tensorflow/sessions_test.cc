// Sessions: fetches and feeds, closing, partial runs, callables, and the messages for configuration
// and metadata.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Sessions, Fetches) {
  test::Rows().Check({
      {"x = tf.constant([1, 2], name='x')\n"
       "s = tf.Session()",
       "s.run([]), s.run(()), s.run({})", "[] () {}"},
      {"import collections\n"
       "P = collections.namedtuple('P', 'a b')\n"
       "x = tf.constant([1, 2])",
       "tf.Session().run(P(x, [x + 1]))",
       "P(a=array([1, 2], dtype=int32), b=[array([2, 3], dtype=int32)])"},
      {"import collections\n"
       "x = tf.constant(1)",
       "tf.Session().run(collections.OrderedDict([('b', x), ('a', x + 1)]))",
       "OrderedDict([('b', 1), ('a', 2)])"},
      {"x = tf.constant(1, name='x')", "tf.Session().run([x, x.op, 'x:0', 'x'])",
       "[1, None, 1, None]"},
      {"v = tf.Variable(3, name='v')\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v), s.run([v, v.value()]), s.run('v:0')", "3 [3, 3] 3"},
      {"s = tf.SparseTensor([[0, 1]], [5], [2, 2])", "tf.Session().run(s)",
       "SparseTensorValue(indices=array([[0, 1]]), values=array([5], dtype=int32), "
       "dense_shape=array([2, 2]))"},
      {"s = tf.IndexedSlices(tf.constant([1.]), tf.constant([2]))",
       "tf.Session().run(s).indices, tf.Session().run(s).values, tf.Session().run(s).dense_shape",
       "[2] [1.] None"},
      {"", "tf.Session().run(tf.constant('é')), type(tf.Session().run(tf.constant('a'))).__name__",
       "b'\\xc3\\xa9' bytes"},
      {"",
       "[v.dtype for v in tf.Session().run([tf.constant(1, t) for t in (tf.int8, tf.uint16, "
       "tf.float16, tf.complex128)])]",
       "[dtype('int8'), dtype('uint16'), dtype('float16'), dtype('complex128')]"},
      {"g = tf.Graph()\n"
       "with g.as_default(): x = tf.constant(1)\n"
       "y = tf.constant(1)",
       "tf.Session().run(x)",
       "ValueError: Fetch argument <tf.Tensor 'Const:0' shape=() dtype=int32> cannot be "
       "interpreted as a Tensor. (Tensor Tensor(\"Const:0\", shape=(), dtype=int32) is not an "
       "element of this graph.)"},
      {"x = tf.constant(1)", "tf.Session().run([x, 3.5])",
       "TypeError: Fetch argument 3.5 has invalid type <class 'float'>, must be a string or "
       "Tensor. (Can not convert a float into a Tensor or Operation.)"},
      {"x = tf.constant(1)", "tf.Session().run([x, [x, None]])",
       "TypeError: Fetch argument None has invalid type <class 'NoneType'>"},
      {"x = tf.constant(1)", "tf.Session().run('x')",
       "ValueError: Fetch argument 'x' cannot be interpreted as a Tensor. (\"The name 'x' refers "
       "to an Operation not in the graph.\")"},
  });
}

TEST(Sessions, Feeds) {
  test::Rows().Check({
      {"x = tf.placeholder(tf.float32, [2], name='x')\n"
       "s = tf.Session()",
       "s.run(x, {x: (1, 2)}), s.run(x, {x: np.array([1, 2])}), s.run(x, {'x:0': [True, 2]})",
       "[1. 2.] [1. 2.] [1. 2.]"},
      {"x = tf.placeholder(tf.int32, name='x')\n"
       "s = tf.Session()",
       "s.run(x, {x: 2.0})", "2"},
      {"x = tf.placeholder(tf.float32, [2], name='x')", "tf.Session().run(x)",
       "InvalidArgumentError: You must feed a value for placeholder tensor 'x' with dtype float "
       "and shape [2]"},
      {"x = tf.placeholder(tf.float32, [2], name='x')", "tf.Session().run(x * 2, {x: [1, 'a']})",
       "ValueError: setting an array element with a sequence."},
      {"x = tf.placeholder(tf.float32, [2], name='x')", "tf.Session().run(x, {'nope:0': 1})",
       "TypeError: Cannot interpret feed_dict key as Tensor: \"The name 'nope:0' refers to a "
       "Tensor which does not exist. The operation, 'nope', does not exist in the graph.\""},
      {"x = tf.placeholder(tf.float32, [2], name='x')", "tf.Session().run(x, {3: 1})",
       "TypeError: Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor "
       "or Operation."},
      {"x = tf.placeholder(tf.float32, [2], name='x')",
       "tf.Session().run(x, {x: tf.constant([1., 2.])})",
       "TypeError: The value of a feed cannot be a tf.Tensor object. Acceptable feed values "
       "include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, "
       "the tensor object was Tensor(\"Const:0\", shape=(2,), dtype=float32) which was passed to "
       "the feed with key Tensor(\"x:0\", shape=(2,), dtype=float32)."},
      {"x = tf.placeholder(tf.float32, [2], name='x')", "tf.Session().run(x, [1])",
       "TypeError: The feed_dict argument must be a dictionary, got [1]"},
      {"p = tf.sparse_placeholder(tf.int32)\n"
       "d = tf.sparse_tensor_to_dense(p)",
       "tf.Session().run(d, {p: ([[0, 1]], [7], [1, 3])}), tf.Session().run(d, {p: "
       "tf.SparseTensorValue([[0, 0]], [7], [1, 2])})",
       "[[0 7 0]] [[7 0]]"},
      {"x = tf.placeholder_with_default([1, 2], [None])",
       "tf.Session().run(x), tf.Session().run(x, {x: [3]})", "[1 2] [3]"},
      {"x = tf.placeholder_with_default([1, 2], [2])", "tf.Session().run(x, {x: [3]})",
       "ValueError: Cannot feed value of shape (1,) for Tensor 'PlaceholderWithDefault:0', which "
       "has shape '(2,)'"},
      {"a = tf.constant(2)\n"
       "b = a * 3\n"
       "c = b + 1",
       "tf.Session().run([c, b], {b: 10}), tf.Session().run(c, {a: 1})",
       "[11, array(10, dtype=int32)] 4"},
      {"x = tf.placeholder(tf.float32, [None, 2])",
       "tf.Session().run(tf.reduce_sum(x, 0), {x: np.zeros([0, 2])})", "[0. 0.]"},
      {"x = tf.placeholder(tf.bool)",
       "tf.Session().run(tf.logical_not(x), {x: 1}), tf.Session().run(x, {x: np.bool_(False)})",
       "False False"},
  });
}

TEST(Sessions, BeginAndEnd) {
  test::Rows().Check({
      {"s = tf.Session()\n"
       "x = tf.constant(1)\n"
       "s.close()\n"
       "s.close()",
       "s.run(x)", "RuntimeError: Attempted to use a closed Session."},
      {"with tf.Session() as s: x = tf.constant(1).eval()", "x, True", "1 True"},
      {"s = tf.InteractiveSession()\n"
       "x = tf.constant(4).eval()\n"
       "s.close()",
       "x, tf.get_default_session()", "4 None"},
      {"g = tf.Graph()\n"
       "with tf.Session(graph=g) as s: x = tf.constant(2)",
       "s.graph is g, x.graph is g, tf.get_default_graph() is g", "True True False"},
      {"s = tf.Session()\n"
       "with s.as_default(): a = tf.get_default_session() is s\n"
       "x = tf.constant(1)",
       "a, s.run(x)", "True 1"},
      {"with tf.Session() as a:\n"
       "  with tf.Session() as b: inner = tf.get_default_session() is b\n"
       "  outer = tf.get_default_session() is a",
       "inner, outer, tf.get_default_session()", "True True None"},
      {"v = tf.Variable(1)\n"
       "a, b = tf.Session(), tf.Session()\n"
       "a.run(v.initializer)\n"
       "a.run(v.assign(5))\n"
       "b.run(v.initializer)",
       "a.run(v), b.run(v)", "5 1"},
      {"", "tf.Session('nowhere').run(tf.constant(1))",
       "NotFoundError: no session factory accepts the target 'nowhere'"},
      {"", "tf.Session(graph=3)", "TypeError: graph must be a tf.Graph, but got <class 'int'>"},
      {"", "tf.Session(config=3)",
       "TypeError: config must be a tf.ConfigProto, but got <class 'int'>"},
      {"x = tf.constant(1)\n"
       "x.op.run()",
       "1",
       "ValueError: Cannot execute operation using `run()`: No default session is registered. Use "
       "`with sess.as_default():` or pass an explicit session to `run(session=sess)`"},
      {"s = tf.Session()\n"
       "x = tf.constant(1)\n"
       "a = s.run(x)\n"
       "y = x + 1",
       "a, s.run(y)", "1 2"},
  });
}

TEST(Sessions, CallablesAndPartialRuns) {
  test::Rows().Check({
      {"x = tf.placeholder(tf.int32, [])\n"
       "f = tf.Session().make_callable([x * 2, x], feed_list=[x])",
       "f(3), f(4)", "[6, array(3, dtype=int32)] [8, array(4, dtype=int32)]"},
      {"x = tf.placeholder(tf.int32, [])\n"
       "f = tf.Session().make_callable(x * 2, [x])",
       "f(1, 2)", "2"},
      {"x = tf.placeholder(tf.int32, [])\n"
       "y = tf.placeholder(tf.int32, [])\n"
       "s = tf.Session()\n"
       "a, b = x + 1, x + y\n"
       "h = s.partial_run_setup([a, b], [x, y])",
       "s.partial_run(h, a, {x: 1}), s.partial_run(h, b, {y: 10})", "2 11"},
      {"x = tf.placeholder(tf.int32, [], name='x')\n"
       "s = tf.Session()\n"
       "a = x + 1\n"
       "h = s.partial_run_setup([a], [x])\n"
       "s.partial_run(h, a, {x: 1})",
       "s.partial_run(h, a, {x: 1})",
       "InvalidArgumentError: Must run 'setup' before performing partial runs!"},
      {"x = tf.placeholder(tf.int32, [])\n"
       "s = tf.Session()\n"
       "h = s.partial_run_setup([x + 1], [x])",
       "s.partial_run(h, x * 2)",
       "InvalidArgumentError: The fetch mul:0 was not specified in partial_run_setup."},
  });
}

TEST(Sessions, Messages) {
  test::Rows().Check({
      {"c = tf.ConfigProto(allow_soft_placement=True, intra_op_parallelism_threads=3)", "c",
       "intra_op_parallelism_threads: 3\n"
       "allow_soft_placement: true\n"},
      {"c = tf.ConfigProto()\n"
       "c.gpu_options.allow_growth = True\n"
       "c.gpu_options.per_process_gpu_memory_fraction = 0.5\n"
       "c.device_count['CPU'] = 2",
       "c",
       "device_count {\n"
       "  key: \"CPU\"\n"
       "  value: 2\n"
       "}\n"
       "gpu_options {\n"
       "  per_process_gpu_memory_fraction: 0.5\n"
       "  allow_growth: true\n"
       "}\n"},
      {"c = tf.ConfigProto()\n"
       "c.nope = 1",
       "1", "AttributeError: Protocol message ConfigProto has no \"nope\" field."},
      {"r = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=5)",
       "r.trace_level, r.timeout_in_ms, tf.RunOptions.NO_TRACE", "3 5 0"},
      {"m = tf.RunMetadata()\n"
       "x = tf.constant([1., 2.], name='x')\n"
       "y = tf.reduce_sum(x * x, name='y')\n"
       "tf.Session().run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), "
       "run_metadata=m)",
       "len(m.step_stats.dev_stats) > 0", "True"},
      {"c = tf.ConfigProto(device_count={'CPU': 2})\n"
       "s = tf.Session(config=c)\n"
       "with tf.device('/cpu:1'): x = tf.constant(3)",
       "s.run(x), len([d for d in s.list_devices() if d.device_type == 'CPU'])", "3 2"},
      {"with tf.device('/gpu:7'): x = tf.constant(3)",
       "tf.Session(config=tf.ConfigProto(allow_soft_placement=True)).run(x)", "3"},
      {"d = tf.Session().list_devices()[0]", "d.name, d.device_type",
       "/job:localhost/replica:0/task:0/device:CPU:0 CPU"},
  });
}

TEST(Sessions, ErrorsOfSteps) {
  test::Rows().Check({
      {"x = tf.placeholder(tf.int32, name='x')\n"
       "try: tf.Session().run(tf.gather([1, 2], x, name='g'), {x: 5})\n"
       "except tf.errors.InvalidArgumentError as e: m = e",
       "m.op.name, m.error_code, m.message.split('\\n')[0]", "g 3 indices = 5 is not in [0, 2)"},
      {"x = tf.placeholder(tf.float32, name='x')\n"
       "try: tf.Session().run(tf.matmul(x, x), {x: [[1., 2.]]})\n"
       "except tf.errors.OpError as e: m = e",
       "type(m).__name__, m.op.type, isinstance(m, tf.errors.OpError)",
       "InvalidArgumentError BatchMatMulV2 True"},
      {"try: tf.Session().run(tf.check_numerics(tf.constant([1., float('nan')]), 'bad'))\n"
       "except tf.errors.InvalidArgumentError as e: m = e",
       "'bad : Tensor had NaN values' in m.message", "True"},
      {"q = tf.FIFOQueue(1, tf.int32)\n"
       "s = tf.Session()\n"
       "s.run(q.close())\n"
       "try: s.run(q.dequeue())\n"
       "except tf.errors.OutOfRangeError as e: m = e",
       "m.error_code == tf.errors.OUT_OF_RANGE", "True"},
      {"try: tf.Session().run(tf.constant(1) // tf.constant(0))\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "m.split('\\n')[0][:24]", "Integer division by zero"},
      {"",
       "[c.__name__ for c in tf.errors.NotFoundError.__mro__[:3]], tf.errors.NOT_FOUND, "
       "tf.errors.OK, tf.errors.DATA_LOSS",
       "['NotFoundError', 'OpError', 'Exception'] 5 0 15"},
      {"e = tf.errors.AbortedError(None, None, 'gone')",
       "e.message, e.op, e.node_def, e.error_code, str(e)", "gone None None 10 gone"},
  });
}

}  // namespace
}  // namespace tensh::shell
