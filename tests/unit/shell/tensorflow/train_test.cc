// Training: gradients, optimizers and their slots, learning rates, savers, coordinators, hooks and
// monitored sessions.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Gradients, Values) {
  test::Rows().Check({
      {"x = tf.constant([1., 2.])",
       "tf.Session().run(tf.gradients(x * x, x)), tf.Session().run(tf.gradients([x * 3, x * x], "
       "x)), tf.Session().run(tf.gradients(x * x, x, grad_ys=[[10., 1.]]))",
       "[array([2., 4.], dtype=float32)] [array([5., 7.], dtype=float32)] [array([20.,  4.], "
       "dtype=float32)]"},
      {"x, y = tf.constant(2.), tf.constant(3.)",
       "tf.Session().run(tf.gradients(x * y, [x, y])), tf.gradients(x * 2, [x, y])[1]",
       "[3.0, 2.0] None"},
      {"x = tf.constant(2.)\n"
       "y = x * x",
       "tf.gradients(y * y, x, stop_gradients=[y])", "[None]"},
      {"x = tf.constant(3.)",
       "tf.Session().run(tf.hessians(x ** 3, x)), tf.Session().run(tf.gradients(tf.gradients(x ** "
       "3, x)[0], x))",
       "[18.0] [18.0]"},
      {"x = tf.constant(3.)",
       "tf.gradients(tf.constant(1.), x, unconnected_gradients='zero')[0].op.type, "
       "tf.gradients(tf.argmax([x, x]), x)",
       "Const [None]"},
      {"x = tf.constant([1., 2., 3.])",
       "type(tf.gradients(tf.gather(x, [0, 0]), x)[0]).__name__, "
       "tf.Session().run(tf.gradients(tf.reduce_max(x), x)[0])",
       "IndexedSlices [0. 0. 1.]"},
      {"x = tf.constant(2.)", "tf.gradients(x * x, x, grad_ys=[None, None])",
       "ValueError: Passed 2 grad_ys for 1 ys"},
      {"@tf.custom_gradient\n"
       "def f(x): return x * x, lambda dy: dy * 100.\n"
       "x = tf.constant(3.)",
       "tf.Session().run([f(x), tf.gradients(f(x), x)[0]])", "[9.0, 100.0]"},
      {"@tf.RegisterGradient('TimesTen%d' % id(object()))\n"
       "def g(op, dy): return dy * 10.",
       "callable(g)", "True"},
      {"x = tf.constant(2.)",
       "tf.Session().run(tf.gradients(tf.stop_gradient(x) * x, x)), "
       "tf.gradients(tf.stop_gradient(x), x)",
       "[2.0] [None]"},
      {"x = tf.constant([[1., 2.]])",
       "tf.Session().run(tf.gradients(tf.matmul(x, [[3.], [4.]]), x)[0]), "
       "tf.Session().run(tf.gradients(tf.reduce_mean(x), x)[0])",
       "[[3. 4.]] [[0.5 0.5]]"},
  });
}

TEST(Optimizers, Steps) {
  const std::string prefix =
      "def steps(o, n=1):\n"
      "  v = tf.Variable([1., 2.])\n"
      "  t = o.minimize(tf.reduce_sum(v * v))\n"
      "  s = tf.Session()\n"
      "  s.run(tf.global_variables_initializer())\n"
      "  for _ in range(n): s.run(t)\n"
      "  return np.round(s.run(v), 4).tolist()\n";
  test::Rows().Check({
      {prefix,
       "steps(tf.train.GradientDescentOptimizer(.1)), steps(tf.train.MomentumOptimizer(.1, .9), "
       "2), steps(tf.train.MomentumOptimizer(.1, .9, use_nesterov=True), 2)",
       "[0.800000011920929, 1.600000023841858] [0.46000000834465027, 0.9200000166893005] "
       "[0.2223999947309494, 0.4447999894618988]"},
      {prefix,
       "steps(tf.train.AdagradOptimizer(.1), 2), steps(tf.train.AdamOptimizer(.1), 2), "
       "steps(tf.train.RMSPropOptimizer(.1), 2), steps(tf.train.AdadeltaOptimizer(1.), 2)",
       "[0.8346999883651733, 1.8315000534057617] [0.8004000186920166, 1.8001999855041504] "
       "[0.6873000264167786, 1.559499979019165] [0.9991000294685364, 1.9990999698638916]"},
      {prefix,
       "steps(tf.train.FtrlOptimizer(.1), 2), steps(tf.train.ProximalGradientDescentOptimizer(.1, "
       "l1_regularization_strength=.5)), steps(tf.train.ProximalAdagradOptimizer(.1), 2)",
       "[0.6858000159263611, 1.6770999431610107] [0.75, 1.5499999523162842] [0.8346999883651733, "
       "1.8315000534057617]"},
  });
}

TEST(Optimizers, Nodes) {
  test::Rows().Check({
      {"v = tf.Variable([1., 2.], name='v')\n"
       "o = tf.train.AdamOptimizer(.1)\n"
       "t = o.minimize(tf.reduce_sum(v * v))",
       "o.get_slot_names(), o.get_slot(v, 'm').name, o.get_slot(v, 'nope'), [x.name for x in "
       "o.variables()], t.type",
       "['m', 'v'] v/Adam:0 None ['beta1_power:0', 'beta2_power:0', 'v/Adam:0', 'v/Adam_1:0'] "
       "NoOp"},
      {"v = tf.Variable([1., 2.], name='v')\n"
       "o = tf.train.MomentumOptimizer(.1, .9, name='M')\n"
       "gv = o.compute_gradients(tf.reduce_sum(v * v))",
       "[(g.shape.as_list(), x.name) for g, x in gv], o.apply_gradients(gv).name, o.get_name()",
       "[([2], 'v:0')] M M"},
      {"v = tf.Variable([1., 2., 3.], name='v')\n"
       "o = tf.train.GradientDescentOptimizer(.5)\n"
       "t = o.minimize(tf.reduce_sum(tf.gather(v, [1, 1])))\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)\n"
       "s.run(t)",
       "s.run(v), [op.type for op in t.graph.get_operations() if op.type.startswith('Scatter')]",
       "[1. 1. 3.] ['ScatterSub']"},
      {"v = tf.Variable(1., name='v')\n"
       "w = tf.Variable(1., name='w', trainable=False)\n"
       "step = tf.train.get_or_create_global_step()\n"
       "t = tf.train.GradientDescentOptimizer(.5).minimize(v * w, global_step=step)\n"
       "s = tf.Session()\n"
       "s.run(tf.global_variables_initializer())\n"
       "s.run(t)\n"
       "s.run(t)",
       "s.run([v, w, step]), t.name, t.type", "[0.0, 1.0, 2] GradientDescent AssignAdd"},
      {"v = tf.Variable(1., name='v')", "tf.train.GradientDescentOptimizer(.5).apply_gradients([])",
       "ValueError: No variables provided."},
      {"v = tf.Variable(1., name='v')",
       "tf.train.GradientDescentOptimizer(.5).apply_gradients([(None, v)])",
       "ValueError: No gradients provided for any variable, check your graph for ops that do not "
       "support gradients, between variables ['v:0']."},
      {"v = tf.Variable(1, name='v')", "tf.train.GradientDescentOptimizer(.5).minimize(v * v)",
       "ValueError: Invalid type tf.int32 for mul:0, expected: [tf.float32, tf.float64, "
       "tf.float16, tf.bfloat16]."},
      {"v = tf.Variable(1., name='v')",
       "tf.train.GradientDescentOptimizer(.5).minimize(tf.constant(2.), var_list=[v])",
       "ValueError: No gradients provided for any variable, check your graph for ops that do not "
       "support gradients, between variables and loss Tensor(\"Const:0\", shape=(), "
       "dtype=float32)."},
      {"v = tf.Variable(5., constraint=lambda x: tf.clip_by_value(x, 0., 1.))\n"
       "t = tf.train.GradientDescentOptimizer(.1).minimize(v)\n"
       "s = tf.Session()\n"
       "s.run(v.initializer)\n"
       "s.run(t)",
       "s.run(v)", "1.0"},
  });
}

TEST(LearningRates, Values) {
  test::Rows().Check({
      {"g = tf.placeholder(tf.int32, [])\n"
       "f = [tf.train.exponential_decay(1., g, 10, .5), tf.train.exponential_decay(1., g, 10, .5, "
       "staircase=True), tf.train.polynomial_decay(1., g, 10, 0.), tf.train.inverse_time_decay(1., "
       "g, 10, 1.)]",
       "[np.round(tf.Session().run(f, {g: v}), 4).tolist() for v in (0, 5, 15)]",
       "[[1.0, 1.0, 1.0, 1.0], [0.707099974155426, 1.0, 0.5, 0.666700005531311], "
       "[0.35359999537467957, 0.5, 0.0, 0.4000000059604645]]"},
      {"g = tf.placeholder(tf.int32, [])\n"
       "f = tf.train.piecewise_constant(g, [3, 6], [1., .5, .25])",
       "[tf.Session().run(f, {g: v}).tolist() for v in (0, 3, 4, 6, 7)]",
       "[1.0, 1.0, 0.5, 0.5, 0.25]"},
      {"g = tf.placeholder(tf.int32, [])\n"
       "f = [tf.train.cosine_decay(1., g, 10), tf.train.natural_exp_decay(1., g, 10, 1.), "
       "tf.train.linear_cosine_decay(1., g, 10)]",
       "[np.round(tf.Session().run(f, {g: v}), 3).tolist() for v in (0, 5)]",
       "[[1.0, 1.0, 1.0010000467300415], [0.5, 0.6069999933242798, 0.25099998712539673]]"},
      {"", "tf.train.exponential_decay(1., None, 10, .5)",
       "ValueError: global_step is required for exponential_decay."},
      {"", "tf.train.piecewise_constant(tf.constant(1), [1, 2], [1., 2.])",
       "ValueError: The length of boundaries should be 1 less than the length of values"},
      {"s = tf.train.create_global_step()",
       "s.name, s.dtype.base_dtype, tf.train.get_global_step() is s, [v.name for v in "
       "tf.get_collection(tf.GraphKeys.GLOBAL_STEP)]",
       "global_step:0 <dtype: 'int64'> True ['global_step:0']"},
      {"tf.train.create_global_step()\n"
       "tf.train.create_global_step()",
       "1", "ValueError: \"global_step\" already exists."},
      {"", "tf.train.get_global_step(), tf.train.global_step.__name__", "None global_step"},
      {"s = tf.train.get_or_create_global_step()\n"
       "t = tf.Session()\n"
       "t.run(s.initializer)",
       "tf.train.global_step(t, s), tf.train.get_or_create_global_step() is s", "0 True"},
  });
}

TEST(Averages, Values) {
  test::Rows().Check({
      {"v = tf.Variable(1., name='v')\n"
       "e = tf.train.ExponentialMovingAverage(.5)\n"
       "a = e.apply([v])\n"
       "s = tf.Session()\n"
       "s.run(tf.global_variables_initializer())\n"
       "s.run(v.assign(3.))\n"
       "s.run(a)",
       "s.run(e.average(v)), e.average(v).op.name, e.average_name(v), "
       "sorted(e.variables_to_restore())",
       "2.0 v/ExponentialMovingAverage v/ExponentialMovingAverage ['v/ExponentialMovingAverage']"},
      {"v = tf.Variable(1., name='v')\n"
       "e = tf.train.ExponentialMovingAverage(.9, num_updates=0)\n"
       "a = e.apply([v])\n"
       "s = tf.Session()\n"
       "s.run(tf.global_variables_initializer())\n"
       "s.run(v.assign(2.))\n"
       "s.run(a)",
       "np.round(s.run(e.average(v)), 4), [v.name for v in tf.moving_average_variables()]",
       "1.9 ['v:0']"},
      {"x = tf.constant(1, name='x')", "tf.train.ExponentialMovingAverage(.9).apply([x])",
       "TypeError: The variables must be half, float, or double: x:0"},
      {"", "tf.train.ExponentialMovingAverage(.9).average(tf.Variable(1.))", "None"},
  });
}

TEST(Savers, Files) {
  test::Rows().Check({
      {"import tempfile, os\n"
       "d = tempfile.mkdtemp()\n"
       "v, w = tf.Variable(1., name='v'), tf.Variable([2, 3], name='w')\n"
       "saver = tf.train.Saver()\n"
       "with tf.Session() as s:\n"
       "  s.run(tf.global_variables_initializer())\n"
       "  p = saver.save(s, d + '/m', global_step=7)\n"
       "  s.run([v.assign(9.), w.assign([9, 9])])\n"
       "  saver.restore(s, p)\n"
       "  got = s.run([v, w])",
       "p == d + '/m-7', got, tf.train.latest_checkpoint(d) == p, tf.train.checkpoint_exists(p)",
       "True [1.0, array([2, 3], dtype=int32)] True True"},
      {"import tempfile, os\n"
       "d = tempfile.mkdtemp()\n"
       "v = tf.Variable(1., name='v')\n"
       "saver = tf.train.Saver(max_to_keep=2)\n"
       "with tf.Session() as s:\n"
       "  s.run(tf.global_variables_initializer())\n"
       "  for i in range(4): saver.save(s, d + '/m', global_step=i, write_meta_graph=False)",
       "sorted(f for f in os.listdir(d) if f.endswith('.index')), [p[len(d):] for p in "
       "saver.last_checkpoints]",
       "['m-2.index', 'm-3.index'] ['/m-2', '/m-3']"},
      {"import tempfile, os\n"
       "d = tempfile.mkdtemp()\n"
       "v = tf.Variable(1., name='v')\n"
       "with tf.Session() as s:\n"
       "  s.run(v.initializer)\n"
       "  p = tf.train.Saver({'other': v}).save(s, d + '/m')",
       "tf.train.list_variables(p), tf.train.load_variable(p, 'other'), sorted(os.listdir(d))",
       "[('other', [])] 1.0 ['checkpoint', 'm.data-00000-of-00001', 'm.index', 'm.meta']"},
      {"import tempfile\n"
       "d = tempfile.mkdtemp()\n"
       "v = tf.Variable(1., name='v')\n"
       "with tf.Session() as s:\n"
       "  s.run(v.initializer)\n"
       "  p = tf.train.Saver().save(s, d + '/m')\n"
       "r = tf.train.NewCheckpointReader(p)",
       "r.has_tensor('v'), r.has_tensor('w'), r.get_variable_to_shape_map(), r.get_tensor('v'), "
       "r.get_variable_to_dtype_map()",
       "True False {'v': []} 1.0 {'v': tf.float32}"},
      {"import tempfile\n"
       "d = tempfile.mkdtemp()\n"
       "v = tf.Variable(1., name='v')\n"
       "with tf.Session() as s:\n"
       "  s.run(v.initializer)\n"
       "  p = tf.train.Saver().save(s, d + '/m')\n"
       "  w = tf.Variable(1., name='w')\n"
       "  try: tf.train.Saver([w]).restore(s, p)\n"
       "  except tf.errors.NotFoundError as e: m = e.message",
       "'Key w not found in checkpoint' in m", "True"},
      {"", "tf.train.Saver()", "ValueError: No variables to save"},
      {"v = tf.Variable(1.)", "tf.train.Saver([v, v])",
       "ValueError: At least two variables have the same name: Variable"},
      {"v = tf.Variable(1.)\n"
       "with tf.Session() as s: tf.train.Saver().restore(s, None)",
       "1", "ValueError: Can't load save_path when it is None."},
      {"import tempfile\n"
       "d = tempfile.mkdtemp()\n"
       "v = tf.Variable(3., name='v')\n"
       "y = tf.multiply(v, 2., name='y')\n"
       "with tf.Session() as s:\n"
       "  s.run(v.initializer)\n"
       "  p = tf.train.Saver().save(s, d + '/m')\n"
       "tf.reset_default_graph()\n"
       "with tf.Session() as s:\n"
       "  tf.train.import_meta_graph(p + '.meta').restore(s, p)\n"
       "  got = s.run('y:0')",
       "got, [v.name for v in tf.global_variables()]", "6.0 ['v:0']"},
  });
}

TEST(Coordinators, Threads) {
  test::Rows().Check({
      {"c = tf.train.Coordinator()\n"
       "try:\n"
       "  with c.stop_on_exception(): raise ValueError('broken')\n"
       "  c.join([])\n"
       "except ValueError as e: m = str(e)",
       "m, c.should_stop()", "broken True"},
      {"c = tf.train.Coordinator()\n"
       "c.request_stop(tf.errors.OutOfRangeError(None, None, 'end'))",
       "c.join()", "None"},
      {"x, = tf.train.slice_input_producer([tf.constant([1, 2, 3])], num_epochs=1, shuffle=False)\n"
       "b = tf.train.batch([x], 2, allow_smaller_final_batch=True)\n"
       "with tf.Session() as s:\n"
       "  s.run(tf.local_variables_initializer())\n"
       "  c = tf.train.Coordinator()\n"
       "  t = tf.train.start_queue_runners(s, c)\n"
       "  got = [s.run(b).tolist(), s.run(b).tolist()]\n"
       "  c.request_stop()\n"
       "  c.join(t)",
       "got, b.shape", "[[1, 2], [3]] (?,)"},
      {"", "tf.train.start_queue_runners()",
       "ValueError: Cannot start queue runners: No default session is registered. Use `with "
       "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"},
  });
}

TEST(MonitoredSessions, Hooks) {
  test::Rows().Check({
      {"class H(tf.train.SessionRunHook):\n"
       "  log = []\n"
       "  def begin(self): self.log.append('begin')\n"
       "  def after_create_session(self, session, coord): self.log.append('create')\n"
       "  def before_run(self, c): self.log.append('before'); return tf.train.SessionRunArgs(x)\n"
       "  def after_run(self, c, v): self.log.append(int(v.results))\n"
       "  def end(self, session): self.log.append('end')\n"
       "x = tf.constant(5)\n"
       "h = H()\n"
       "with tf.train.MonitoredSession(hooks=[h]) as s: r = s.run(x + 1)",
       "r, h.log", "RuntimeError: Graph is finalized and cannot be modified."},
      {"step = tf.train.get_or_create_global_step()\n"
       "t = tf.assign_add(step, 1)\n"
       "with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as "
       "s:\n"
       "  got = []\n"
       "  while not s.should_stop(): got.append(int(s.run(t)))",
       "got", "[1, 2, 3]"},
      {"", "tf.train.StopAtStepHook()",
       "ValueError: One of num_steps or last_step must be specified."},
      {"", "tf.train.StopAtStepHook(num_steps=1, last_step=2)",
       "ValueError: Only one of num_steps or last_step can be specified."},
      {"v = tf.Variable(4., name='v')\n"
       "with tf.train.MonitoredSession() as s: got = s.run(v)",
       "got, tf.get_default_graph().finalized", "4.0 False"},
      {"v = tf.Variable(4., name='v')\n"
       "s = tf.train.SingularMonitoredSession()\n"
       "got = s.run(v)\n"
       "s.close()",
       "got, s.should_stop()", "4.0 True"},
      {"x = tf.constant(float('nan'), name='x')\n"
       "try:\n"
       "  with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(x)]) as s: s.run(x)\n"
       "except tf.train.NanLossDuringTrainingError as e: m = str(e)",
       "m", "NaN loss during training."},
      {"t = tf.train.SecondOrStepTimer(every_steps=3)",
       "t.should_trigger_for_step(1), t.update_last_triggered_step(1), "
       "t.should_trigger_for_step(2), t.should_trigger_for_step(4)",
       "True (None, None) False True"},
      {"", "tf.train.SecondOrStepTimer()",
       "ValueError: Either every_secs or every_steps should be provided."},
  });
}

}  // namespace
}  // namespace tensh::shell
