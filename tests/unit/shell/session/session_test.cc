// The state of a session: versions and their view, results, runs, watches, effects, sessions and
// trial placements, each tested alone, without verbs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/session/effects.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/session/output.h"
#include "shell/session/placements.h"
#include "shell/session/recording.h"
#include "shell/session/results.h"
#include "shell/session/runs.h"
#include "shell/session/sessions.h"
#include "shell/session/versions.h"
#include "shell/session/watches.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

class Session : public testing::Test {
 protected:
  Session() {
    tf::AddTensorFlow(interp_);
    interp_.set_stdout([this](std::string_view text) { out_ += text; });
    interp_.set_stderr([this](std::string_view text) { err_ += text; });
  }
  void Type(const std::string& text) { interp_.Exec(text + "\n", "<test>", ExecMode::kFile); }
  Value Eval(const std::string& text) { return interp_.Eval(text); }

  // Returns the error that `body` throws, or "".
  template <class F>
  static std::string ErrorOf(F body) {
    try {
      body();
    } catch (const PyError& error) {
      return error.ClassName() + ": " + error.Message();
    }
    return "";
  }

  Interp interp_;
  std::string out_, err_;
};

// ---- output ----

TEST_F(Session, OutputOfAPipe) {
  ShellOptions options;
  Output out(interp_, options);
  out.PrintLine("a → b");
  out.Note("only at a prompt");
  options.ascii = true;
  out.PrintLine("a → b");
  out.PrintError("µ\n");
  interp_.Flush();
  EXPECT_EQ(out_, "a → b\na -> b\n");
  EXPECT_EQ(err_, "u\n");
}

TEST_F(Session, CaptureIsNotPrinted) {
  ShellOptions options{.interactive = true, .ascii = true};
  Output out(interp_, options);
  const std::string text = out.Capture([&] {
    EXPECT_TRUE(out.capturing());
    out.Print("→");
    out.Note("a note is not part of a file");
  });
  EXPECT_EQ(text, "→");
  EXPECT_FALSE(out.capturing());
  EXPECT_EQ(ErrorOf([&] { out.Capture([] { throw ValueError("x"); }); }), "ValueError: x");
  EXPECT_FALSE(out.capturing());
  interp_.Flush();
  EXPECT_EQ(out_, "");
}

TEST_F(Session, WriteFileReportsTheReason) {
  ShellOptions options;
  Output out(interp_, options);
  EXPECT_EQ(ErrorOf([&] { out.WriteFile("/dev/null/file", "x"); }),
            "OSError: cannot write /dev/null/file: Not a directory");
}

// ---- versions ----

// Statements, each of which may make a version.
class VersionTest : public Session {
 protected:
  void Statement(const std::string& text) {
    versions_.Begin(HasGraph() ? CurrentGraph() : GraphHandle());
    BeginAll(1, false);
    Type(text);
    CommitAll();
    if (HasGraph()) versions_.Commit(CurrentGraph(), ++line_, text.substr(0, text.find('\n')));
  }
  // "@1 0-1 a = …" for each version of the current graph.
  std::string List() {
    std::string text;
    for (const Version* version : versions_.Of(CurrentGraph()))
      text += "@" + std::to_string(version->number) + " " + std::to_string(version->first) + "-" +
              std::to_string(version->end) + " " + version->text + "\n";
    return text;
  }
  std::string Visible() {
    return std::to_string(versions_.Visible(CurrentGraph())) + " of " +
           std::to_string(CurrentGraph().size()) + (versions_.earlier() ? " earlier" : "");
  }

  Versions versions_;
  int line_ = 0;
};

TEST_F(VersionTest, OneForEachStatementThatAddsNodes) {
  Statement("a = tf.constant(1, name='a')");
  Statement("x = 3");
  Statement("b = a + 1\nc = -b");
  EXPECT_EQ(List(), "@1 0-1 a = tf.constant(1, name='a')\n@2 1-4 b = a + 1\n");
  EXPECT_EQ(versions_.NodesAt(CurrentGraph(), 0), 0u);
  EXPECT_EQ(versions_.NodesAt(CurrentGraph(), 1), 1u);
  EXPECT_EQ(versions_.NodesAt(CurrentGraph(), 2), 4u);
  EXPECT_EQ(versions_.NodesAt(CurrentGraph(), 9), 4u);
}

TEST_F(VersionTest, GraphsAreApart) {
  Statement("a = tf.constant(1)");
  Statement("g = tf.Graph().as_default(); g.__enter__(); b = tf.constant(2); c = tf.constant(3)");
  ASSERT_EQ(versions_.Of(CurrentGraph()).size(), 1u);
  EXPECT_EQ(versions_.Of(CurrentGraph())[0]->nodes(), 2u);
  EXPECT_FALSE(versions_.BeganIn(CurrentGraph()));
  EXPECT_EQ(versions_.all().size(), 2u);
  Type("g.__exit__(None, None, None)");
  EXPECT_EQ(List(), "@1 0-1 a = tf.constant(1)\n");
}

// A statement may extend a graph that is current neither before nor after it.
TEST_F(VersionTest, OtherGraphsHaveVersionsToo) {
  Type("g = tf.Graph()");
  Statement("a = tf.constant(1)");
  const GraphHandle other = FindGraph(GraphName(LiveGraphs()[0]));
  ASSERT_TRUE(other);
  versions_.Undo(CurrentGraph());
  const auto extend = [&](const std::string& text) {
    versions_.Begin(CurrentGraph());
    Type(text);
    return versions_.CommitOther(other, 7, text);
  };
  const Version* first = extend("with g.as_default(): b = tf.constant(2); c = -b");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->nodes(), 2u);
  EXPECT_EQ(extend("x = 1"), nullptr);
  const Version* second = extend("with g.as_default(): d = -c");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->first, 2u);
  EXPECT_EQ(second->nodes(), 1u);
  EXPECT_TRUE(versions_.earlier()) << "the view is of the current graph";
}

TEST_F(Session, AGraphIsTheCurrentOneForAWhile) {
  Type(
      "g = tf.Graph()\nwith g.as_default(): b = tf.constant(2, name='b')\na = tf.constant(1, "
      "name='a')");
  for (const GraphHandle& graph : LiveGraphs()) {
    const AtGraph at(graph);
    EXPECT_EQ(CurrentGraph().get(), graph.get());
    EXPECT_EQ(FindByName("a").is_null(), graph.Find("a") == TSH_NO_NODE);
  }
  EXPECT_EQ(LiveGraphs().size(), 2u);
  EXPECT_FALSE(FindByName("a").is_null());
  EXPECT_FALSE(FindGraph("g99"));
  EXPECT_FALSE(FindGraph("x"));
}

TEST_F(VersionTest, UndoAndRedoMoveTheView) {
  Statement("a = tf.constant(1, name='a')");
  Statement("b = tf.negative(a, name='b')");
  Statement("c = tf.negative(b, name='c')");
  const GraphHandle graph = CurrentGraph();
  const auto moved = [](const Version* version) {
    return version == nullptr ? "none" : "@" + std::to_string(version->number);
  };
  EXPECT_EQ(Visible(), "3 of 3");
  EXPECT_EQ(moved(versions_.Redo(graph)), "none");
  EXPECT_EQ(moved(versions_.Undo(graph)), "@3");
  EXPECT_EQ(Visible(), "2 of 3 earlier");
  EXPECT_EQ(versions_.VisibleNumber(graph), 2);
  EXPECT_EQ(moved(versions_.Undo(graph)), "@2");
  EXPECT_EQ(moved(versions_.Undo(graph)), "@1");
  EXPECT_EQ(moved(versions_.Undo(graph)), "none");
  EXPECT_EQ(Visible(), "0 of 3 earlier");
  EXPECT_EQ(versions_.VisibleNumber(graph), 0);
  EXPECT_EQ(moved(versions_.Redo(graph)), "@1");
  EXPECT_EQ(moved(versions_.Redo(graph)), "@2");
  EXPECT_TRUE(versions_.earlier());
  EXPECT_EQ(moved(versions_.Redo(graph)), "@3");
  EXPECT_EQ(Visible(), "3 of 3");
}

TEST_F(VersionTest, ExtendEndsTheView) {
  Statement("a = tf.constant(1)");
  versions_.Undo(CurrentGraph());
  Statement("x = 1");
  EXPECT_TRUE(versions_.earlier());
  Statement("b = tf.constant(1)");
  EXPECT_FALSE(versions_.earlier());
}

TEST_F(VersionTest, HiddenNodesAreRefused) {
  Statement("a = tf.constant(1, name='a')");
  Statement("b = tf.negative(a, name='b')");
  const GraphHandle graph = CurrentGraph();
  versions_.Begin(graph);
  {
    const EarlierView view(versions_, 1);
    EXPECT_EQ(ErrorOf([&] { versions_.CheckVisible(graph, 0); }), "");
    EXPECT_EQ(ErrorOf([&] { versions_.CheckVisible(graph, 1); }),
              "ValueError: b is not in this view of the graph: it came with @2");
    Type("c = tf.negative(b, name='c')");  // a node of the current statement
    EXPECT_EQ(ErrorOf([&] { versions_.CheckVisible(graph, 2); }), "");
  }
  EXPECT_FALSE(versions_.earlier());
  EXPECT_EQ(ErrorOf([&] { versions_.CheckVisible(graph, 1); }), "");
}

// ---- results ----

TEST_F(Session, OutKeepsTheMostRecentResults) {
  Results results;
  const int count = static_cast<int>(Results::kMax) + 3;
  for (int cell = 1; cell <= count; ++cell)
    results.Add(interp_, Value::Int(cell * 10),
                {.cell = cell, .text = "t" + std::to_string(cell), .seed = ""});
  EXPECT_EQ(results.origins().size(), Results::kMax);
  EXPECT_EQ(results.origins().front().cell, 4);
  EXPECT_EQ(results.origins().back().text, "t" + std::to_string(count));
  EXPECT_EQ(Eval("len(Out)").as_int(), static_cast<int64_t>(Results::kMax));
  EXPECT_EQ(Eval("Out[4]").as_int(), 40);
  EXPECT_TRUE(Truth(Eval("3 not in Out")));
}

TEST_F(Session, OutIsMadeAgainIfItWasReplaced) {
  Results results;
  Type("Out = 'mine'");
  results.Add(interp_, Value::Int(7), {.cell = 1, .text = "", .seed = ""});
  EXPECT_EQ(Repr(Eval("Out")), "{1: 7}");
}

// ---- watches ----

TEST(WatchesTest, NumbersOutliveTheWatch) {
  Watches watches;
  watches.Add("loss");
  watches.Add("loss");
  ASSERT_EQ(watches.all().size(), 1u);
  EXPECT_EQ(watches.FindNumbers("loss"), nullptr);
  watches.all()[0].numbers = {1, 2};
  EXPECT_FALSE(watches.Remove("other"));
  EXPECT_TRUE(watches.Remove("loss"));
  EXPECT_FALSE(watches.Remove("loss"));
  ASSERT_NE(watches.FindNumbers("loss"), nullptr);
  EXPECT_EQ(watches.FindNumbers("loss")->numbers.size(), 2u);
  watches.Add("loss");
  EXPECT_TRUE(watches.all()[0].on);
  watches.Add("x");
  watches.RemoveAll();
  for (const Watch& watch : watches.all()) EXPECT_FALSE(watch.on);
}

// ---- runs ----

TEST_F(Session, RunsOfAScriptAreExplainedWhenAsked) {
  Runs runs;
  EXPECT_EQ(runs.last().report, "");
  Type(
      "x = tf.placeholder(tf.float32, name='x')\n"
      "y = tf.negative(x, name='y')\n"
      "s = tf.Session()\n"
      "s.run(y, {x: 1.})");
  EXPECT_EQ(runs.last().request, "y feed x=0.");
  EXPECT_EQ(runs.last().target, "y");
  EXPECT_NE(runs.last().report.find("\"partitions\""), std::string::npos);
  EXPECT_EQ(runs.last_traced().request, "");
  Type("s.run([y, x, tf.group(y, name='g')], {x: 1.})");
  EXPECT_EQ(runs.last().target, "y, x, g");
  const uint64_t number = Runs::number();
  {
    const SideRuns aside;
    Type("s.run(y, {x: 1.})");
  }
  EXPECT_EQ(Runs::number(), number);
  Type("s.run(y, {x: 1.})");
  runs.Skip();
  EXPECT_EQ(runs.last().target, "y, x, g");
}

TEST_F(Session, RunsOfVerbs) {
  Runs runs;
  runs.Add({"a feed x=1", "a", "small"}, false);
  runs.Add({"b", "b", std::string(1 << 20, ' ')}, true);  // too large to be kept
  EXPECT_EQ(runs.last().request, "b");
  EXPECT_EQ(runs.last_traced().request, "b");
  runs.Add({"c", "c", "small"}, false);
  EXPECT_EQ(runs.last_traced().request, "b");
  ASSERT_EQ(runs.recent().size(), 2u);
  for (int i = 0; i < 100; ++i) runs.Add({"d", "d", ""}, false);
  EXPECT_LT(runs.recent().size(), 100u);
  EXPECT_EQ(runs.recent().front().request, "d");
}

TEST_F(Session, RecordedStepsHaveValues) {
  Type("a = tf.constant(2., name='a'); b = tf.exp(a, name='b'); s = tf.Session(); s.run(b)");
  EXPECT_EQ(RecordedReport(), "");
  {
    const RecordingSteps recording;
    Type("s.run(b)");
    EXPECT_NE(RecordedReport(), "");
    bool found = false;
    for (const RecordedValue& value : RecordedValues())
      found = found || CurrentGraph().NodeName(value.of.node) == std::string_view("b");
    EXPECT_TRUE(found);
    Runs runs;
    EXPECT_EQ(runs.last_traced().target, "b");
  }
  EXPECT_TRUE(RecordedValues().empty());
}

TEST_F(Session, TracedRun) {
  Type("a = tf.constant([1., 2.], name='a'); s = tf.Session()");
  const Fetch a = AsFetch(Eval("a"));
  tsh_run run{};
  run.fetches = &a.output;
  run.n_fetches = 1;
  std::vector<TensorHandle> fetched;
  const std::string report = RunTraced(SessionOf(Eval("s")), run, &fetched);
  EXPECT_NE(report.find("wall_ns"), std::string::npos);
  ASSERT_EQ(fetched.size(), 1u);
  EXPECT_EQ(fetched[0].elements(), 2);
}

// ---- fetches ----

TEST_F(Session, FetchesOfValues) {
  Type(
      "a = tf.constant(1., name='a')\n"
      "op = tf.group(a, name='op')\n"
      "v = tf.Variable(1., name='v')\n"
      "two = tf.split([1, 2], 2, name='two')");
  const struct {
    const char *text, *kind, *node;
    bool runnable;
  } rows[] = {
      {"a", "tensor", "a", true},
      {"op", "operation", "op", true},
      {"a.op", "operation", "a", true},
      {"v", "tensor", "v", true},
      {"two[1]", "tensor", "two", true},
      {"'a'", "name of tensor", "a", false},
      {"'a:0'", "name of tensor", "a", false},
      {"'two:1'", "name of tensor", "two", false},
      {"'op'", "name of operation", "op", false},
      {"'two:2'", "neither", "", false},
      {"'a:x'", "neither", "", false},
      {"'op:0'", "neither", "", false},
      {"'none'", "neither", "", false},
      {"3", "neither", "", false},
      {"None", "neither", "", false},
      {"[1, (2, {'k': a})]", "neither", "", true},
      {"[1, 'a']", "neither", "", false},
  };
  for (const auto& row : rows) {
    const Value value = Eval(row.text);
    const Fetch fetch = ToFetch(value);
    const std::string kind = !fetch ? "neither" : fetch.is_tensor() ? "tensor" : "operation";
    EXPECT_EQ((fetch && !AsFetch(value) ? "name of " : "") + kind, row.kind) << row.text;
    EXPECT_STREQ(fetch ? fetch.graph.NodeName(fetch.node) : "", row.node) << row.text;
    EXPECT_EQ(IsRunnable(value), row.runnable) << row.text;
  }
}

// ---- sessions ----

TEST_F(Session, TheChosenSessionIsUsedUntilItIsClosed) {
  Sessions sessions(3);
  Type("a = tf.constant(1); s = tf.Session()");
  const Value own = sessions.Current();
  EXPECT_TRUE(sessions.Current().Is(own));
  const std::string devices = TakeText(tsh_session_devices_json(SessionOf(own)));
  EXPECT_NE(devices.find("CPU:2"), std::string::npos);
  EXPECT_EQ(devices.find("CPU:3"), std::string::npos);
  sessions.Use(Eval("s"));
  EXPECT_TRUE(sessions.Current().Is(Eval("s")));
  sessions.StopUsing(own);
  EXPECT_TRUE(sessions.Current().Is(Eval("s")));
  Type("s.close()");
  EXPECT_TRUE(sessions.Current().Is(own));
  sessions.Use(sessions.New());
  EXPECT_FALSE(sessions.Current().Is(own));
  sessions.StopUsing(sessions.Current());
  EXPECT_TRUE(sessions.Current().Is(own));
  EXPECT_EQ(ErrorOf([&] { sessions.Use(Value::Int(3)); }),
            "TypeError: 'int' object is not a tf.Session");
  EXPECT_EQ(ErrorOf([&] { sessions.Use(Eval("s")); }),
            "RuntimeError: Attempted to use a closed Session.");
}

// ---- effects ----

TEST_F(Session, EffectsThatDidNotRunAreNamedOnce) {
  Type(
      "a = tf.constant(1., name='a')\n"
      "b = tf.negative(a, name='b')\n"
      "p = tf.Print(b, [b], name='p')\n"
      "v = tf.Variable(1., name='v')\n"
      "u = v.assign(b, name='u')\n"
      "w = v.assign(5., name='w')");
  const GraphHandle graph = CurrentGraph();
  Effects effects;
  const auto not_run = [&](const char* fetched) {
    const Fetch fetch = ToFetch(MakeStr(fetched));
    tsh_run run{};
    run.fetches = &fetch.output;
    run.n_fetches = 1;
    std::string names;
    for (const tsh_node node : effects.NotRun(graph, run))
      names += (names.empty() ? "" : " ") + std::string(graph.NodeName(node));
    return names;
  };
  EXPECT_EQ(not_run("a"), "");
  EXPECT_EQ(not_run("u"), "p");  // not v/Assign and w, which are meant for a later run
  EXPECT_EQ(not_run("u"), "");
  Type("q = tf.Print(b, [b]); r = q + 1.");
  EXPECT_EQ(not_run("b"), "");  // another run may need q
}

TEST_F(Session, AStatementWhoseResultIsNotKeptIsMeantToRun) {
  Type(
      "v = tf.Variable(1., name='v')\n"
      "loss = tf.multiply(v, v, name='loss')\n"
      "train = tf.train.AdamOptimizer(0.1).minimize(loss)");
  const GraphHandle graph = CurrentGraph();
  Effects effects;
  const auto type = [&](const std::string& line) {
    const size_t first = graph.size();
    effects.Unassigned(graph, AsFetch(Eval(line)).node, first);
  };
  const auto not_run = [&](const char* text) {
    const Fetch fetch = ToFetch(MakeStr(text));
    tsh_run run{};
    run.fetches = &fetch.output;
    run.n_fetches = fetch.is_tensor() ? 1 : 0;
    run.targets = &fetch.node;
    run.n_targets = fetch.is_tensor() ? 0 : 1;
    std::string names;
    for (const tsh_node node : effects.NotRun(graph, run))
      names += (names.empty() ? "" : " ") + std::string(graph.NodeName(node));
    return names;
  };
  type("v.initializer");                 // makes no node
  type("loss * 2.");                     // has no effect
  type("tf.summary.scalar('s', loss)");  // is for a later merge_all
  type("v.assign(3., name='set')");
  type("tf.train.GradientDescentOptimizer(0.1).minimize(loss, name='bare')");
  Type("init = tf.global_variables_initializer()");
  EXPECT_EQ(not_run("init"), "");  // it needs v, but reads nothing
  EXPECT_EQ(not_run("loss"), "set bare");
  EXPECT_EQ(not_run("loss"), "");
}

// ---- placements ----

TEST_F(Session, TrialMovesAreTakenBack) {
  Type(
      "a = tf.constant(1., name='a')\n"
      "with tf.device('/cpu:1'): b = tf.negative(a, name='b')");
  const GraphHandle graph = CurrentGraph();
  const auto devices = [&] {
    return std::string(tsh_node_device(graph.get(), 0)) + " " + tsh_node_device(graph.get(), 1);
  };
  {
    const TrialMoves trial({{graph, 0, "/cpu:1"}, {graph, 0, "/cpu:0"}, {graph, 1, ""}});
    EXPECT_EQ(devices(), "/device:CPU:0 ");
  }
  EXPECT_EQ(devices(), " /device:CPU:1");
  EXPECT_EQ(ErrorOf([&] {
              const TrialMoves bad({{graph, 0, "/cpu:1"}, {graph, 1, "/c pu"}});
            }),
            "InvalidArgumentError: Malformed device specification '/c pu'");
  EXPECT_EQ(devices(), " /device:CPU:1");
  ApplyMoves({{graph, 1, "/cpu:0"}});
  EXPECT_EQ(devices(), " /device:CPU:0");
}

}  // namespace
}  // namespace tensh::shell
