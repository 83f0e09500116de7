// The effects of each verb on the session, and the errors for misuse, as rows of typed lines.
#include "tests/unit/shell/commands/typed.h"

namespace tensh::shell {
namespace {

TEST(Verbs, TablesOfTheGraph) {
  CheckPrints({
      {"nodes addv2",
       "name  op     type    device  inputs\n"
       "c     AddV2  f32[2]          a, b\n"},
      {"nodes where op == Const limit 2",
       "name  op     type    device  inputs\n"
       "a     Const  f32[2]\n"
       "b     Const  f32[2]\n"},
      {"nodes matmul", ""},
      {"nodes order name desc limit 1",
       "name    op        type   device  inputs\n"
       "v/read  Identity  f32[]          v\n"},
      {"edges c",
       "from  to  kind  output  input  type    bytes\n"
       "a     c   data       0      0  f32[2]    8 B\n"
       "b     c   data       0      1  f32[2]    8 B\n"},
      {"nodes --json limit 1",
       "[{\"id\": 0, \"name\": \"a\", \"op\": \"Const\", \"type\": \"f32[2]\", \"device\": \"\", "
       "\"inputs\": \"\"}]\n"},
      {"graph c", "a = Const() f32[2]\nb = Const() f32[2]\nc = AddV2(a, b) f32[2]\n"},
      {"graph v", "v = VariableV2() f32&[]\n"},
      {"at @1 nodes",
       "name  op     type    device  inputs\n"
       "a     Const  f32[2]\n"},
      {"at @3 graph", "a = Const() f32[2]\nb = Const() f32[2]\nc = AddV2(a, b) f32[2]\n"},
      {"devices",
       "/job:localhost/replica:0/task:0/device:CPU:0\n"
       "/job:localhost/replica:0/task:0/device:CPU:1\n"},
  });
  CheckFails({
      {"nodes where nope", "KeyError", "no column 'nope'"},
      {"nodes a b", "SyntaxError", "expects one PATTERN and then clauses, not 'a b'"},
      {"graph nope", "NameError", "name 'nope' is not defined"},
      {"graph c +", "SyntaxError", ""},
      {"ops NoSuchOpAtAll", "LookupError", "no op has 'NoSuchOpAtAll'"},
      {"at @99 nodes", "SyntaxError", "the graph is at @5, there is no @99 yet"},
      {"at 1 nodes", "SyntaxError", "a version is written @7, not '1'"},
      {"at @1", "SyntaxError", "at"},
  });
}

TEST(Verbs, EvalAndRun) {
  CheckPrints({
      {"eval c", "[4. 6.]\n"},
      {"eval c, a", "[4. 6.]\n[1. 2.]\n"},
      {"eval c feed a=[5., 6.]", "[ 8. 10.]\n"},
      {"eval p feed p=[1., 2.]", "[1. 2.]\n"},
      {"eval c * 2 feed a=[0., 0.], b=[1., 1.]", "[2. 2.]\n"},
      {"eval 1 + 1", "2\n"},
      {"eval c\nprint(_[0])", "[4. 6.]\n4.0\n"},
      {"run c times 2", "[4. 6.]\n"},
      {"run c until 1", "[4. 6.]\n"},
      {"run i\neval v", "7.0\n"},
      {"run i\ntf.assign_add(v, 1., name='up')\nrun up times 3", "10.0\n"},
      {"run i\ntf.assign_add(v, 1., name='up')\nrun up until v > 9", "10.0\n"},
  });
  CheckFails({
      {"eval", "SyntaxError", "eval: needs an expression"},
      {"eval p", "InvalidArgumentError", "You must feed a value for placeholder tensor 'p'"},
      {"eval p", "InvalidArgumentError", "eval p feed p="},  // the line to type next
      {"eval p feed p=[1.]", "ValueError", "Cannot feed value of shape (1,)"},
      {"eval c feed a", "SyntaxError", "feed expects NAME=VALUE or again, not 'a'"},
      {"eval c feed nope=1", "NameError", "nope"},
      {"eval c on nope", "NameError", "nope"},
      {"eval v", "FailedPreconditionError", "uninitialized value v"},
      {"bench c times 0", "ValueError", "times must be at least 1, got 0"},
      {"plot 5", "ValueError", "one number is not a curve"},
      {"plot", "SyntaxError", "plot: needs an expression"},
  });
}

// Each session has separate variables.
TEST(Verbs, VarsTellWhatIsInitialized) {
  const auto initialized = [](const char* lines) {
    return Typed(std::string(lines) + "vars where initialized").out.find("f32[]") !=
           std::string::npos;
  };
  EXPECT_FALSE(initialized(""));
  EXPECT_TRUE(initialized("run i\n"));
  EXPECT_FALSE(initialized("run i\nsession new other\n"));
  EXPECT_TRUE(initialized("run i\nsession new other\nsession use default\n"));
}

TEST(Verbs, UndoAndRedo) {
  const auto last_nodes = [](const char* lines) {
    const std::string out = Typed(std::string(lines) + "\nprint('--')\nnodes --csv").out;
    std::string names;
    for (size_t at = out.find('\n', out.find("--\n") + 3) + 1; at < out.size();
         at = out.find('\n', at) + 1) {
      const size_t comma = out.find(',', at);
      names +=
          (names.empty() ? "" : " ") + out.substr(comma + 1, out.find(',', comma + 1) - comma - 1);
    }
    return names;
  };
  EXPECT_EQ(last_nodes(""), "a b c v/initial_value v v/Assign v/read p");
  EXPECT_EQ(last_nodes("undo"), "a b c v/initial_value v v/Assign v/read");
  EXPECT_EQ(last_nodes("undo\nundo"), "a b c");
  EXPECT_EQ(last_nodes("undo\nundo\nundo\nredo"), "a b c");
  EXPECT_EQ(last_nodes("undo\nredo"), last_nodes(""));
  EXPECT_EQ(last_nodes("undo\nundo\nd = tf.constant(1, name='d')"),
            "a b c v/initial_value v v/Assign v/read p d")
      << "a new node shows all of them again";
  CheckFails({
      {"redo", "RuntimeError", "nothing to redo"},
      {"undo 1", "SyntaxError", "undo"},
  });
}

TEST(Verbs, Placement) {
  CheckPrints({
      {"place c on /cpu:1\ngraph c",
       "a = Const() f32[2]\nb = Const() f32[2]\nc = AddV2(a, b) f32[2] cpu:1\n"},
      {"place c on /cpu:1\nplace c on none\ngraph c",
       "a = Const() f32[2]\nb = Const() f32[2]\nc = AddV2(a, b) f32[2]\n"},
      {"apply c=/cpu:1\ngraph c",
       "a = Const() f32[2]\nb = Const() f32[2]\nc = AddV2(a, b) f32[2] cpu:1\n"},
      {"apply c=/cpu:1\neval c", "[4. 6.]\n"},
  });
  CheckFails({
      {"apply", "RuntimeError", "nothing to apply"},
      {"place nope on /cpu:0", "NameError", "nope"},
      {"place c", "SyntaxError", "place"},
  });
  EXPECT_NE(Typed("eval c\nwhy c").out.find("is on cpu:0"), std::string::npos);
  EXPECT_NE(Typed("place c on /cpu:1\neval c\nwhy c").out.find("is on cpu:1"), std::string::npos);
  EXPECT_NE(Typed("why a -> c").out.find("nothing is sent"), std::string::npos);
  EXPECT_NE(Typed("why error").out.find("no error yet"), std::string::npos);
}

// `explain … with` only tries a placement; `apply` keeps it.
TEST(Verbs, ExplainTriesAndApplyKeeps) {
  const std::string asked = "c = AddV2(a, b) f32[2] cpu:1\n";
  EXPECT_EQ(Typed("explain c with c=/cpu:1\ngraph c").out.find(asked), std::string::npos);
  EXPECT_NE(Typed("explain c with c=/cpu:1\napply\ngraph c").out.find(asked), std::string::npos);
  const std::string pruned = Typed("explain c --stage 2").out;
  EXPECT_NE(pruned.find("pruned"), std::string::npos);
  EXPECT_EQ(pruned.find("cpu:0"), std::string::npos) << "placed in stage 3\n" << pruned;
  CheckFails({
      {"explain", "SyntaxError", "explain: needs an expression"},
      {"explain c --stage 9", "SyntaxError", "--stage must be 1 to 5, not '9'"},
      {"explain c with c", "SyntaxError", "explain"},
      {"explain c with c=/cpu:1 with", "SyntaxError", ""},
  });
}

TEST(Verbs, Sessions) {
  CheckPrints({
      {"run i\nsession new other\nsession use default\neval v", "7.0\n"},
      {"session new other\nrun i\ntf.assign(v, 1., name='set')\nrun set\n"
       "session use default\nrun i\neval v on other\neval v",
       "1.0\n1.0\n7.0\n"},
  });
  CheckFails({
      {"session", "SyntaxError", "session: expects new, use or close"},
      {"session use nope", "NameError", "nope"},
      {"session new 3x", "SyntaxError", ""},
  });
}

TEST(Verbs, Settings) {
  CheckPrints({
      {"set json on\nnodes limit 1",
       "[{\"id\": 0, \"name\": \"a\", \"op\": \"Const\", \"type\": \"f32[2]\", \"device\": \"\", "
       "\"inputs\": \"\"}]\n"},
      {"set json on\nset json off\nnodes a limit 1",
       "name  op     type    device  inputs\na     Const  f32[2]\n"},
  });
  const std::string all = Typed("set").out;
  for (const char* key : {"ascii", "color", "json", "keep-going", "timing"})
    EXPECT_NE(all.find(key), std::string::npos) << key;
  CheckFails({
      {"set nope on", "LookupError", "no setting 'nope'"},
      {"set ascii maybe", "SyntaxError", "ascii must be on or off, not 'maybe'"},
      {"trace maybe", "SyntaxError", "trace: expects on, off or save FILE"},
  });
}

TEST(Verbs, WatchesAndSteps) {
  CheckFails({
      {"unwatch c", "ValueError", "c is not watched"},
      {"watch nope", "NameError", "nope"},
  });
  CheckPrints({
      {"watch c\nunwatch c\neval c", "[4. 6.]\n"},
      {"unwatch\neval c", "[4. 6.]\n"},
  });
}

TEST(Verbs, JsonNamesPythonFunctions) {
  const std::string out =
      Typed("q = tf.py_func(lambda x: x, [a], tf.float32, name='q')\ngraph --json").out;
  EXPECT_NE(out.find(R"("name":"q","op":"PyFunc")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"("name":"p","op":"Placeholder")"), std::string::npos) << out;
}

// A step changes variables, so one that is too large to walk through is refused before it runs.
TEST(Verbs, LongSteps) {
  const std::string make =
      "run tf.global_variables_initializer()\n"
      "def chain(n, x):\n    for i in range(n): x = tf.reduce_sum(tf.stack([x, x]))\n    return "
      "x\n\n";
  const std::string walk = Typed(make + "step chain(1010, v)\nstep 99999").out;
  EXPECT_NE(walk.find(" 2,000 of 2,000 "), std::string::npos) << walk;
  EXPECT_NE(walk.find("the walk ends here; the step had "), std::string::npos) << walk;
  EXPECT_NE(walk.find(" more"), std::string::npos) << walk;
  const auto large = Typed(make + "n = v.assign_add(1.)\nlarge = chain(7000, n)\nstep large");
  EXPECT_NE(large.error.find("nothing was run"), std::string::npos) << large.error;
  EXPECT_NE(large.error.find("explain analyze large"), std::string::npos) << large.error;
}

TEST(Verbs, ScriptsOfTheSession) {
  const std::string dump = Typed("eval c\nnope = 3\nnodes\ndump").out;
  EXPECT_NE(dump.find("c = tf.add(a, b, name='c')\n"), std::string::npos) << dump;
  EXPECT_NE(dump.find("nope = 3\n"), std::string::npos);
  EXPECT_EQ(dump.find("\nnodes\n"), std::string::npos) << "read-only verbs are left out";
  EXPECT_EQ(Typed("reset\nnodes").out, "");
  CheckFails({
      {"read nope.tsh", "FileNotFoundError", "nope.tsh"},
      {"load nope", "NotFoundError", "nope"},
      {"open nope", "FileNotFoundError", "nope"},
      {"save x", "FailedPreconditionError", "uninitialized value v"},
      {"save graph /tmp/none/x.pb", "ValueError", "save /tmp/none/x.pb"},
      {"save my model.pb", "NameError", "model"},
      {"reset graph", "SyntaxError", "reset"},
  });
}

TEST(Verbs, Help) {
  for (const char* topic : {"eval", "tf.matmul", "MatMul", "c"}) {
    const Ran ran = Typed(std::string("help ") + topic);
    EXPECT_EQ(ran.error, "") << topic;
    EXPECT_GT(ran.out.size(), 10u) << topic;
  }
  EXPECT_EQ(Typed("tf.matmul?").out, Typed("help tf.matmul").out);
  CheckFails({
      {"help nope", "NameError", "no help on 'nope'"},
      {"learn 99", "ValueError", "there is no lesson 99, only 1 to "},
  });
}

TEST(Verbs, OnTheGraph) {
  CheckPrints({
      {"eval tf.exp(c) - tf.exp(c)\n"
       "nodes where op == Exp",
       "[0. 0.]\n"},
      {"run i\n"
       "eval v + 1.\n"
       "nodes where op == Add",
       "8.0\n"},
      {"with tf.Graph().as_default():\n"
       "  z = tf.constant(5., name='z')\n"
       "eval z",
       "5.0\n"},
      {"place c on /cpu:1\n"
       "devices",
       "/job:localhost/replica:0/task:0/device:CPU:0\n"
       "/job:localhost/replica:0/task:0/device:CPU:1\n"},
      {"place c on cpu:1\n"
       "graph c\n"
       "place c on none\n"
       "graph c",
       "a = Const() f32[2]\n"
       "b = Const() f32[2]\n"
       "c = AddV2(a, b) f32[2] cpu:1\n"
       "a = Const() f32[2]\n"
       "b = Const() f32[2]\n"
       "c = AddV2(a, b) f32[2]\n"},
      {"explain c with c=/cpu:1\n"
       "apply\n"
       "dump",
       " ① graph @5 · 8 nodes   ② pruned  ③ placed  why\n"
       " ●    a  Const  f32[2]  ● runs    cpu:1     follows consumer\n"
       " │ ●  b  Const  f32[2]  ● runs    cpu:1     follows consumer\n"
       " ├─╯\n"
       " ●    c  AddV2  f32[2]  ★ fetch   cpu:1     asked\n"
       " ✂ 5 nodes pruned: no path to a fetch; list them: explain c --pruned\n"
       " ④ partitions   one: 3 nodes on cpu:1, nothing to send\n"
       " what if   with c=/cpu:1\n"
       "   a  cpu:0 → cpu:1  (follows consumer)\n"
       "   b  cpu:0 → cpu:1  (follows consumer)\n"
       "   c  cpu:0 → cpu:1  (asked)\n"
       "   partitions 1 → 1 · Send/Recv pairs 0 → 0 · 0 B → 0 B\n"
       "   no times yet. Measure them: explain analyze c\n"
       " nothing was changed; next: apply\n"
       "# Rebuilds a session of tensh: read FILE, or tensh FILE.\n"
       "a = tf.constant([1., 2.], name='a')\n"
       "b = tf.constant([3., 4.], name='b')\n"
       "c = tf.add(a, b, name='c')\n"
       "v = tf.Variable(7., name='v')\n"
       "i = v.initializer\n"
       "p = tf.placeholder(tf.float32, [2], name='p')\n"
       "apply c=/cpu:1\n"},
      {"run i\n"
       "run v.assign_add(1.) times 3\n"
       "eval v",
       "10.0\n"
       "10.0\n"},
      {"undo\n"
       "nodes where op == Placeholder\n"
       "redo\n"
       "nodes where op == Placeholder",
       " hidden @5: p = tf.placeholder(tf.float32, [2], name='p') (1 node); 7 nodes of 8 in view\n"
       " back @5: p = tf.placeholder(tf.float32, [2], name='p') (1 node); 8 nodes of 8 in view\n"
       "name  op           type    device  inputs\n"
       "p     Placeholder  f32[2]\n"},
      {"at @1 nodes",
       "name  op     type    device  inputs\n"
       "a     Const  f32[2]\n"},
      {"explain diff @1 @3",
       " @1 → @3   + 2 nodes\n"
       "   @2  b = tf.constant([3., 4.], name='b')\n"
       "   @3  c = tf.add(a, b, name='c')\n"
       "   + b = Const() f32[2]\n"
       "   + c = AddV2(a, b) f32[2]\n"
       " the earlier nodes run as before, because a graph only grows. Compare runs: explain X at "
       "each version\n"},
      {"watch v\n"
       "run i\n"
       "watch",
       " v\n"},
  });
}

TEST(Verbs, OnTheGraphRefuse) {
  CheckFails({
      {"apply", "RuntimeError", "nothing to apply. Try one first: explain X with NODE=/cpu:1"},
      {"step nope", "NameError", "name 'nope' is not defined"},
      {"redo", "RuntimeError", "nothing to redo. `history` lists the versions"},
      {"at @99 nodes", "SyntaxError",
       "at: the graph is at @5, there is no @99 yet. Usage: at @VERSION VERB … | at GRAPH VERB …"},
      {"at g7 nodes", "SyntaxError",
       "at: no graph is called g7; graphs lists them. Usage: at @VERSION VERB … | at GRAPH VERB …"},
      {"rerun 3", "LookupError", "no cell 3 to run again. Type: cells"},
      {"undo 99", "SyntaxError", "undo: takes no '99'. Usage: undo"},
      {"run v times nope", "NameError", "name 'nope' is not defined"},
      {"explain c with c=/cpu:9", "InvalidArgumentError",
       "Cannot assign a device for operation c: node c (AddV2) was explicitly assigned to "
       "/device:CPU:9 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, "
       "/job:localhost/replica:0/task:0/device:CPU:1 ]. Make sure the device specification refers "
       "to a valid device. Place it where there is one (place c on cpu:0), or let it move: "
       "tf.ConfigProto(allow_soft_placement=True)"},
      {"explain c with nope=/cpu:1", "NameError", "name 'nope' is not defined"},
      // Words that are nearly those of the verb.
      {"run c tiems 3", "SyntaxError", "invalid syntax; did you mean 'times'?"},
      {"eval c feeed a=1", "SyntaxError", "invalid syntax; did you mean 'feed'?"},
      {"explain anlyze c", "SyntaxError", "invalid syntax; did you mean 'analyze'?"},
      {"nodes wher op == Const", "SyntaxError",
       "nodes: expects one PATTERN and then clauses, not 'wher op == Const'; did you mean "
       "'where'?"},
      {"ops Matmull", "LookupError",
       "no op has 'Matmull' in its name or documentation; did you mean 'MatMul'?"},
      {"eval c feed {a: [1., 2.]}", "SyntaxError",
       "eval: feed expects NAME=VALUE or again, not '{a: [1., 2.]}'. Write a=[1., 2.]"},
      {"run c feed_dict={a: 1}", "SyntaxError", "invalid syntax. Write feed NAME=VALUE"},
      {"return c", "SyntaxError", "'return' outside function"},
      {"session use 3", "TypeError",
       "'int' object is not a tf.Session. Give a variable that holds a session; `session new NAME` "
       "sets one"},
      {"session use nope", "NameError",
       "name 'nope' is not defined. Give a variable that holds a session; `session new NAME` sets "
       "one"},
      {"break if nope > 1", "NameError", "name 'nope' is not defined"},
      {"watch nope", "NameError", "name 'nope' is not defined"},
      {"place nope on /cpu:1", "NameError", "name 'nope' is not defined"},
      {"sql SELECT kind FROM edges WHERE kind = control", "KeyError",
       "\"no column 'control'\". A string needs quotes: 'control'. Columns: bytes, dtype, "
       "elements, "
       "input, kind, output, rank, shape, source, source_id, target, target_id, type"},
      {"sql SELECT name FROM nodes ORDER BY nam", "KeyError",
       "\"no column 'nam'\"; did you mean 'name'?"},
      {"sql SELECT upper(name, 1) FROM nodes", "ValueError",
       "SQL: wrong number of arguments to function upper()"},
      {"sql SELECT nosuch(name) FROM nodes", "NameError", "SQL has no function 'nosuch'"},
  });
}

}  // namespace
}  // namespace tensh::shell
