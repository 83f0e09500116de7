// Variables: the nodes and collections of each way to make one, values through assignments and
// scatters, scopes with reuse, initializers and regularizers, and partitioned variables.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Variables, Made) {
  test::Rows().Check({
      {"v = tf.Variable([1, 2], name='v')",
       "v.name, v.shape, v.dtype.base_dtype, v.initializer.name, v.value().name, v.op.type, "
       "v.graph is tf.get_default_graph()",
       "v:0 (2,) <dtype: 'int32'> v/Assign v/read:0 VariableV2 True"},
      {"v = tf.Variable(lambda: tf.ones([2]), name='v')",
       "v.shape, [o.name for o in tf.get_default_graph().get_operations()]",
       "(2,) ['v/Initializer/ones', 'v', 'v/Assign', 'v/read']"},
      {"v = tf.Variable(1.5, dtype=tf.float64, name='v')",
       "v.dtype.base_dtype, v.initial_value.dtype", "<dtype: 'float64'> <dtype: 'float64'>"},
      {"v = tf.Variable(tf.zeros([2, 3]), name='v')", "v, repr(v)",
       "<tf.Variable 'v:0' shape=(2, 3) dtype=float32_ref> <tf.Variable 'v:0' shape=(2, 3) "
       "dtype=float32_ref>"},
      {"v = tf.Variable(1., name='v', use_resource=True)",
       "v.op.type, v.dtype, v.handle.dtype, [o.type for o in "
       "tf.get_default_graph().get_operations()]",
       "VarHandleOp <dtype: 'float32'> <dtype: 'resource'> ['Const', 'VarHandleOp', "
       "'VarIsInitializedOp', 'AssignVariableOp', 'ReadVariableOp']"},
      {"v = tf.get_variable('v', [2, 3], use_resource=True)", "v, v.name, v.shape, v.op.type",
       "<tf.Variable 'v:0' shape=(2, 3) dtype=float32> v:0 (2, 3) VarHandleOp"},
      {"", "tf.Variable()", "ValueError: initial_value must be specified."},
      {"", "tf.get_variable('v')",
       "ValueError: Shape of a new variable (v) must be fully defined, but instead was <unknown>."},
      {"", "tf.get_variable('v', [2, None])",
       "ValueError: Shape of a new variable (v) must be fully defined, but instead was (2, ?)."},
      {"",
       "tf.get_variable('v', initializer=tf.constant([1., 2.])).shape, tf.get_variable('w', "
       "initializer=3).dtype.base_dtype",
       "(2,) <dtype: 'int32'>"},
      {"", "tf.get_variable('v', [2], initializer=tf.constant([1., 2.]))",
       "ValueError: If initializer is a constant, do not specify shape."},
      {"", "tf.get_variable('v', [2], dtype=tf.int32).initializer.inputs[1].op.name",
       "v/Initializer/zeros"},
      {"", "[v.name for v in (tf.Variable(1, name='v'), tf.Variable(1, name='v'), tf.Variable(1))]",
       "['v:0', 'v_1:0', 'Variable:0']"},
      {"v = tf.Variable(1., trainable=False, collections=['mine'], name='v')",
       "tf.get_collection('mine')[0] is v, tf.global_variables(), v.trainable", "True [] False"},
      {"v = tf.Variable(2., name='v')\n"
       "w = tf.Variable(v.initialized_value() * 3, name='w')\n"
       "s = tf.Session()\n"
       "s.run(tf.global_variables_initializer())",
       "s.run([v, w])", "[2.0, 6.0]"},
      {"v = tf.Variable(2., constraint=lambda x: x * 0, name='v')", "v.constraint(3)", "0"},
  });
}

TEST(Variables, Values) {
  test::Rows().Check({
      {"v = tf.Variable([1., 2.])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v.assign_add([1., 1.])), s.run(v.assign_sub([5., 5.])), s.run(tf.assign(v, [9., "
       "9.])), s.run(v)",
       "[2. 3.] [-3. -2.] [9. 9.] [9. 9.]"},
      {"v = tf.Variable([1., 2.])", "v.assign([1., 2., 3.])",
       "ValueError: Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and "
       "[3]."},
      {"v = tf.Variable([1., 2.])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)\n"
       "s.run(tf.assign(v, [1., 2., 3.], validate_shape=False))",
       "s.run(v.value().op.outputs[0] + 0.)", "[1. 2. 3.]"},
      {"v = tf.Variable([1., 2., 3.])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(tf.scatter_update(v, [0, 2], [7., 8.])), s.run(tf.scatter_add(v, [0, 0], [1., 1.])), "
       "s.run(tf.scatter_sub(v, 1, 2.))",
       "[7. 2. 8.] [9. 2. 8.] [9. 0. 8.]"},
      {"v = tf.Variable([8., 2., 3.])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(tf.scatter_mul(v, [0], [2.])), s.run(tf.scatter_div(v, [0], [4.])), "
       "s.run(tf.scatter_max(v, [1], [9.])), s.run(tf.scatter_min(v, [2], [-1.]))",
       "[16.  2.  3.] [4. 2. 3.] [4. 9. 3.] [ 4.  9. -1.]"},
      {"v = tf.Variable([[1, 2], [3, 4]])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(tf.scatter_nd_update(v, [[0, 1]], [9])).tolist(), s.run(v.scatter_nd_add([[1]], [[1, "
       "1]])).tolist()",
       "[[1, 9], [3, 4]] [[1, 9], [4, 5]]"},
      {"v = tf.Variable([1, 2, 3, 4])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v[1:3].assign([8, 9]))", "[1 8 9 4]"},
      {"v = tf.Variable(1)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v.count_up_to(3)), s.run(v), v.eval(s)", "1 2 2"},
      {"v = tf.Variable(1)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)\n"
       "v.load(7, s)",
       "s.run(v), s.run(v + 1), s.run(-v), s.run(v ** 2), s.run(v > 3)", "7 8 -7 49 True"},
      {"v = tf.Variable([1., 2., 3.])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v[1]), s.run(v[::-1]), s.run(2 * v)", "2.0 [3. 2. 1.] [2. 4. 6.]"},
      {"v, w = tf.Variable(1, name='v'), tf.Variable(2, name='w')\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(tf.report_uninitialized_variables()), s.run(tf.is_variable_initialized(v)), "
       "s.run(tf.is_variable_initialized(w))",
       "[b'w'] True False"},
      {"v = tf.Variable(1, name='v')\n"
       "s = tf.Session()\n"
       "s.run(tf.variables_initializer([v], name='mine'))",
       "s.run(v), tf.variables_initializer([]).type, "
       "tf.get_default_graph().get_operation_by_name('mine').type",
       "1 NoOp NoOp"},
      {"v = tf.Variable(1., use_resource=True)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v.assign_add(2.)), s.run(v.read_value()), s.run(v.assign(8., read_value=False))",
       "3.0 3.0 None"},
      {"v = tf.Variable([1., 2., 3.], use_resource=True)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(tf.scatter_add(v, [0], [5.])), s.run(tf.gather(v, [2, 0])), "
       "s.run(v.sparse_read([1]))",
       "[6. 2. 3.] [3. 6.] [2.]"},
  });
}

TEST(Variables, Scopes) {
  test::Rows().Check({
      {"with tf.variable_scope('a'):\n"
       "  with tf.variable_scope('b'): v = tf.get_variable('v', [1])",
       "v.name, v.op.name", "a/b/v:0 a/b/v"},
      {"with tf.variable_scope('a') as s: pass\n"
       "with tf.variable_scope(s, reuse=tf.AUTO_REUSE): v = tf.get_variable('v', [1])",
       "v.name, s.name, s.reuse, s.original_name_scope", "a/v:0 a False a/"},
      {"with tf.variable_scope('a') as s:\n"
       "  v = tf.get_variable('v', [1])\n"
       "  s.reuse_variables()\n"
       "  w = tf.get_variable('v', [1])",
       "v is w", "True"},
      {"with tf.variable_scope('a'):\n"
       "  tf.get_variable_scope().reuse_variables()\n"
       "  with tf.variable_scope('b') as b: pass",
       "b.reuse, tf.get_variable_scope().reuse", "True False"},
      {"with tf.variable_scope('a'): v = tf.get_variable('v', [1])\n"
       "with tf.variable_scope('a', reuse=True): tf.get_variable('v', [2])",
       "1",
       "ValueError: Trying to share variable a/v, but specified shape (2,) and found shape (1,)."},
      {"with tf.variable_scope('a'): v = tf.get_variable('v', [1])\n"
       "with tf.variable_scope('a', reuse=True): tf.get_variable('v', [1], tf.int32)",
       "1",
       "ValueError: Trying to share variable a/v, but specified dtype int32 and found dtype "
       "float32_ref."},
      {"with tf.variable_scope('a', initializer=tf.constant_initializer(3.)): v = "
       "tf.get_variable('v', [2])\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v)", "[3. 3.]"},
      {"with tf.variable_scope('a', dtype=tf.float64): v = tf.get_variable('v', [2])",
       "v.dtype.base_dtype", "<dtype: 'float64'>"},
      {"with tf.variable_scope('a', regularizer=lambda x: tf.reduce_sum(x, name='r')): v = "
       "tf.get_variable('v', [2])",
       "[t.name for t in tf.losses.get_regularization_losses()]", "['a/v/Regularizer/r:0']"},
      {"with tf.variable_scope(None, 'd') as a: pass\n"
       "with tf.variable_scope(None, 'd') as b: pass",
       "a.name, b.name", "d d_1"},
      {"with tf.variable_scope(None): pass", "1",
       "TypeError: If default_name is None then name_or_scope is required"},
      {"with tf.variable_scope(''): v = tf.get_variable('v', [1])",
       "v.name, tf.get_variable_scope().name", "v:0 "},
      {"def getter(getter, name, *args, **kwargs): return getter(name + '_x', *args, **kwargs)\n"
       "with tf.variable_scope('a', custom_getter=getter): v = tf.get_variable('v', [1])",
       "v.name", "a/v_x:0"},
      {"with tf.variable_scope('a', auxiliary_name_scope=False): x = tf.constant(1)", "x.name",
       "Const:0"},
      {"with tf.variable_scope('a', values=[tf.constant(1)]) as s: pass", "s.name", "a"},
      {"with tf.variable_op_scope([tf.constant(1)], None, 'd') as s: v = tf.get_variable('v', [1])",
       "v.name", "d/v:0"},
      {"t = tf.make_template('t', lambda x: tf.get_variable('w', [1]) * x)\n"
       "a, b = t(1.), t(2.)",
       "[v.name for v in tf.global_variables()], a.op.name, b.op.name", "['t/w:0'] t/mul t_1/mul"},
      {"with tf.variable_scope('a', reuse=tf.AUTO_REUSE) as a:\n"
       "  v, w = tf.get_variable('v', [1]), tf.get_variable('v', [1])",
       "v is w, len(tf.global_variables()), a.reuse", "True 1 _ReuseMode.AUTO_REUSE"},
      {"",
       "tf.get_local_variable('l', [1]).name, [v.name for v in tf.local_variables()], "
       "tf.global_variables()",
       "l:0 ['l:0'] []"},
      {"with tf.variable_scope('a'):\n"
       "  with tf.name_scope('n'): v, c = tf.get_variable('v', [1]), tf.constant(1)",
       "v.name, c.name", "a/v:0 a/n/Const:0"},
  });
}

TEST(Variables, Initializers) {
  test::Rows().Check({
      {"i = [tf.zeros_initializer(), tf.ones_initializer(), tf.constant_initializer([1, 2, 3]), "
       "tf.constant_initializer(5)]",
       "[tf.Session().run(f([3])).tolist() for f in i]",
       "[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [5.0, 5.0, 5.0]]"},
      {"", "tf.Session().run(tf.constant_initializer([1, 2])([2, 2])).tolist()",
       "[[1.0, 2.0], [2.0, 2.0]]"},
      {"", "tf.Session().run(tf.constant_initializer([1, 2, 3])([2]))",
       "ValueError: Too many elements provided. Needed at most 2, but received 3"},
      {"a = tf.Session().run(tf.orthogonal_initializer(seed=1)([3, 3]))",
       "np.allclose(a.dot(a.T), np.eye(3), atol=1e-5)", "True"},
      {"a = tf.Session().run([f(seed=1)([64, 64]) for f in (tf.glorot_uniform_initializer, "
       "tf.glorot_normal_initializer)])",
       "[bool(abs(x).max() <= (6 / 128) ** .5 * 2) for x in a], [x.shape for x in a]",
       "[True, True] [(64, 64), (64, 64)]"},
      {"a = tf.Session().run(tf.random_uniform_initializer(2, 3, seed=1)([100]))",
       "a.min() >= 2, a.max() < 3, a.dtype", "True True float32"},
      {"a = tf.Session().run(tf.truncated_normal_initializer(stddev=.5, seed=1)([1000]))",
       "bool(abs(a).max() <= 1.0), bool(a.std() > .3)", "True True"},
      {"", "[o.type for o in tf.random_normal_initializer(1., 2.)([2]).graph.get_operations()]",
       "['Const', 'Const', 'Const', 'RandomStandardNormal', 'Mul', 'AddV2']"},
      {"", "tf.variance_scaling_initializer(mode='fan_sideways')",
       "ValueError: Invalid `mode` argument: fan_sideways"},
      {"", "tf.variance_scaling_initializer(scale=-1.)",
       "ValueError: `scale` must be positive float."},
      {"v = tf.get_variable('v', [4], initializer=tf.initializers.ones)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)",
       "s.run(v), [o.name for o in tf.get_default_graph().get_operations()]",
       "[1. 1. 1. 1.] ['v/Initializer/ones', 'v', 'v/Assign', 'v/read']"},
      {"v = tf.get_variable('v', [2, 2])",
       "[o.name for o in tf.get_default_graph().get_operations()][:7]",
       "['v/Initializer/random_uniform/shape', 'v/Initializer/random_uniform/min', "
       "'v/Initializer/random_uniform/max', 'v/Initializer/random_uniform/RandomUniform', "
       "'v/Initializer/random_uniform/sub', 'v/Initializer/random_uniform/mul', "
       "'v/Initializer/random_uniform']"},
  });
}

TEST(Variables, Partitioned) {
  test::Rows().Check({
      {"with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(2)): v = "
       "tf.get_variable('v', [5, 2])",
       "[p.name for p in v], [p.shape.as_list() for p in v], v.shape, v.name",
       "['s/v/part_0:0', 's/v/part_1:0'] [[3, 2], [2, 2]] (5, 2) s/v"},
      {"v = tf.get_variable('v', [4], partitioner=tf.fixed_size_partitioner(2), "
       "initializer=tf.constant_initializer([1, 2, 3, 4]))",
       "v.as_tensor().name, len(tf.global_variables())",
       "ValueError: Too many elements provided. Needed at most 2, but received 4"},
      {"v = tf.get_variable('v', [3, 4], partitioner=tf.fixed_size_partitioner(2, axis=1))",
       "[p.shape.as_list() for p in v]", "[[3, 2], [3, 2]]"},
      {"",
       "tf.min_max_variable_partitioner(max_partitions=3, min_slice_size=8)(tf.TensorShape([4, "
       "4]), tf.float32)",
       "[3, 1]"},
      {"", "tf.variable_axis_size_partitioner(16)(tf.TensorShape([8, 2]), tf.float32)", "[4, 1]"},
      {"", "tf.get_variable('v', [2], partitioner=3)",
       "ValueError: Partitioner must be callable, but received: 3"},
      {"v = tf.get_variable('v', [5], partitioner=tf.fixed_size_partitioner(2), "
       "initializer=tf.zeros_initializer())\n"
       "s = tf.Session()\n"
       "s.run(tf.global_variables_initializer())",
       "s.run(tf.convert_to_tensor(v)), s.run(tf.nn.embedding_lookup(v, [4, 0]))",
       "[0. 0. 0. 0. 0.] [0. 0.]"},
  });
}

}  // namespace
}  // namespace tensh::shell
