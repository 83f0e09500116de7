// The lookup of nodes, devices and lessons by name, the answers to names that do not exist, and the
// help on values, as rows of typed lines.
#include "shell/commands/base/habits.h"
#include "tests/unit/shell/commands/typed.h"

namespace tensh::shell {
namespace {

TEST(Names, InVerbs) {
  CheckPrints({
      {"eval c:0", "[4. 6.]\n"},
      {"eval p * 2 feed p=[1,2]", "[2. 4.]\n"},
      {"d = a\n"
       "del a\n"
       "eval a * 2",
       "[2. 4.]\n"},
      {"eval p feed p=[1,2]\n"
       "eval p feed again",
       "[1. 2.]\n"
       "[1. 2.]\n"},
      {"explain p",
       " ① graph @5 · 8 nodes       ② pruned   ③ placed  why\n"
       " ●  p  Placeholder  f32[2]  ◇ assumed  cpu:0     feed arrives here\n"
       " ✂ 7 nodes pruned: no path to a fetch; list them: explain p --pruned\n"
       " ◇ assumed to be fed: p f32[2]; feed it: explain p feed p=[0., 0.]\n"
       " ④ partitions   one: 0 nodes on cpu:0, nothing to send\n"
       " next: explain analyze p feed p=[0., 0.] · why p · why not a\n"},
      {"why p",
       "p (Placeholder, f32[2]) is on cpu:0: its feed arrives there. Its consumers: lo p\n"},
  });
}

TEST(Names, InVerbsRefuse) {
  CheckFails({
      {"eval aa", "NameError", "name 'aa' is not defined"},
      {"eval c:1", "NameError", "'c' has 1 output. Type: eval c:0"},
      {"eval v:0", "FailedPreconditionError",
       "Attempting to use uninitialized value v. Run: run tf.global_variables_initializer()"},
      {"eval c feed q=1", "NameError", "name 'q' is not defined"},
      {"why nope", "NameError", "name 'nope' is not defined"},
      {"place c on nonsense", "ValueError",
       "no device is named nonsense. The devices are /cpu:0, /cpu:1"},
      {"place c on /cpu:7", "ValueError",
       "there is no device /cpu:7. The devices are /cpu:0, /cpu:1"},
      {"explain cc", "NameError", "name 'cc' is not defined"},
      {"learn graph", "ValueError", "no lesson is named 'graph'; did you mean 'graphs'?"},
      {"eval p", "InvalidArgumentError",
       "You must feed a value for placeholder tensor 'p' with dtype float and shape [2]. Type: "
       "eval p feed p=[0., 0.]"},
      {"eval p * 2 feed again", "RuntimeError",
       "feed again: no verb has fed this graph yet. Type the feeds once: eval p * 2 feed X=VALUE"},
  });
}

TEST(Names, Help) {
  CheckPrints({
      {"p?",
       "p = Placeholder() f32[2]\n"
       "  made in     line 6: p = tf.placeholder(tf.float32, [2], name='p')\n"
       "  device      none is requested; a run decides\n"
       " next: help Placeholder · why p · graph p · p??\n"},
      {"c?",
       "c = AddV2(a, b) f32[2]\n"
       "  made in     line 3: c = tf.add(a, b, name='c')\n"
       "  device      none is requested; a run decides\n"
       "  inputs      a f32[2] · b f32[2]\n"
       "  value       [4. 6.]\n"
       " next: help AddV2 · why c · graph c · c??\n"},
      {"f = 1\n"
       "f?",
       "int: 1\n"},
      {"def f(u, w=2):\n"
       "    \"\"\"Doubles.\"\"\"\n"
       "    return u * w\n"
       "\n"
       "f?",
       "f(u, w=2)\n"
       "\n"
       "Doubles.\n"
       "\n"
       "Defined in <test>, line 1. Its source: f??\n"},
      {"?placehold",
       "  ops         Placeholder PlaceholderWithDefault\n"
       "  tf          tf.keras.backend.placeholder tf.placeholder tf.placeholder_with_default "
       "tf.sparse.placeholder tf.sparse_placeholder\n"},
      {"help(c)",
       "c = AddV2(a, b) f32[2]\n"
       "  made in     line 3: c = tf.add(a, b, name='c')\n"
       "  device      none is requested; a run decides\n"
       "  inputs      a f32[2] · b f32[2]\n"
       "  value       [4. 6.]\n"
       " next: help AddV2 · why c · graph c · c??\n"},
  });
}

// The kinds of rows of the catalogue: a second name, an op of tf.raw_ops, a value that a variable holds,
// and a module, which lists its names.
TEST(Names, HaveExamples) {
  CheckPrints({
      {"help tf.math.xlogy",
       "tf.math.xlogy(x, y, name=None)\n\n"
       "Elementwise xlogy of x and y.\n\n"
       "The same as tf.xlogy.\n\n"
       "example\n"
       "  >>> eval tf.math.xlogy([0., 1.], [0., 2.])\n"
       "  [0.        0.6931472]\n"},
      {"help tf.raw_ops.Relu",
       "tf.raw_ops.Relu(features, name=None)\n\n"
       "The op Relu.\n\n"
       "example\n"
       "  >>> eval tf.nn.relu([-1., 2.])\n"
       "  [0. 2.]\n"},
      {"f = tf.global_norm\n"
       "f?",
       "tf.global_norm(t_list, name=None)\n\n"
       "The common norm of all tensors.\n\n"
       "example\n"
       "  >>> eval tf.global_norm([tf.constant([3.]), tf.constant([4.])])\n"
       "  5.0\n"},
      {"help tf.nest",
       "tf.nest\n\n"
       "Nested structures of lists, tuples and dicts.\n\n"
       "assert_same_structure flatten is_nested is_sequence map_structure pack_sequence_as\n"},
  });
}

// A view of the scope would dangle while the inner ops enter their own scopes.
TEST(Names, OfScopesOutliveInnerOps) {
  CheckPrints({{"eval tf.nn.log_sigmoid([0., 2.])", "[-0.6931472 -0.126928 ]\n"},
               {"eval tf.nn.embedding_lookup([[1., 2.], [3., 4.]], [1, 0])", "[3. 1.]\n"},
               {"print(tf.data.Dataset.from_tensors('a').output_types)", "<dtype: 'string'>\n"}});
}

TEST(Names, OfOtherPrompts) {
  const struct {
    const char *line, *hint;
  } kRows[] = {
      {"ls", "in Python: import os; os.listdir()"},
      {"  cd /tmp", "in Python: import os; os.chdir(DIR)"},
      {"clear", "Ctrl-L clears the screen"},
      {"man tf.add", "`help X` describes X"},
      {":q", "`quit` leaves, as Ctrl-D does"},
      {"eval(y + 1)", "eval y + 1"},
      {"y.numpy()", "eval y"},
      {"v = (y + 1).numpy()", "v = .eval (y + 1)"},
      {"session.run(y)", "session = tf.Session()"},
      {"%timeit c", "`bench X` repeats a step and measures it"},
      {"%whos", "`dir()` lists the variables"},
      {"%unknown", "`help` lists the verbs"},
      {"\\d", "`nodes` lists the graph, `vars` the variables"},
      {"\\q", "`quit` leaves, as Ctrl-D does"},
      {"!make", "The shell runs no other programs. Ctrl-Z suspends it, and fg continues"},
      {"lsx", ""},
      {"a = !b", ""},
      {"", ""},
  };
  for (const auto& row : kRows) EXPECT_EQ(HabitHint(row.line).text, row.hint) << row.line;
}

}  // namespace
}  // namespace tensh::shell
