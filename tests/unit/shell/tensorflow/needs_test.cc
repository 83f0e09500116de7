// The nodes that a run needs, and the data that the error of a failed run carries.
#include "shell/tensorflow/graph/needs.h"

#include <gtest/gtest.h>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell::tf {
namespace {

class Needs : public testing::Test {
 protected:
  Needs() {
    AddTensorFlow(interp_);
    interp_.Exec(
        "a = tf.placeholder(tf.float32, [2], name='a')\n"
        "b = tf.placeholder(tf.float32, name='b')\n"
        "d = tf.placeholder_with_default(1., [], name='d')\n"
        "v = tf.Variable(1., name='v')\n"
        "with tf.control_dependencies([b]): c = tf.negative(a, name='c')\n"
        "e = tf.add(c, d, name='e')\n"
        "f = tf.negative(v, name='f')\n"
        "s = tf.Session()\n",
        "needs.py", ExecMode::kFile);
  }
  // Returns "a b" for the placeholders that a run of these nodes needs but does not feed.
  std::string Unfed(const std::vector<std::string>& fetches,
                    const std::vector<std::string>& feeds) {
    const GraphHandle& graph = DefaultGraph().handle();
    std::vector<tsh_output> outs, fed;
    for (const std::string& name : fetches) outs.push_back({graph.Find(name), 0});
    for (const std::string& name : feeds) fed.push_back({graph.Find(name), 0});
    tsh_run run{};
    run.fetches = outs.data();
    run.n_fetches = outs.size();
    run.feeds = fed.data();
    run.n_feeds = fed.size();
    std::string text;
    for (const tsh_node node : UnfedPlaceholders(graph, run))
      text += (text.empty() ? "" : " ") + std::string(graph.NodeName(node));
    return text;
  }
  // The kind of the hint, its text, the missing feeds, and whether there is an explanation.
  std::string Error(const std::string& script) {
    try {
      interp_.Exec(script + "\n", "run.py", ExecMode::kFile);
    } catch (const PyError& error) {
      const ExceptionObject& e = error.exception();
      const char* const kinds[] = {"phrase", "type", "run", "question"};
      std::string text = error.ClassName() + " " + kinds[static_cast<int>(e.hint.kind)] + ": " +
                         e.hint.text + " |";
      for (const std::string& name : e.missing_feeds) text += " " + name;
      return text + (e.explanation.empty() ? "" : " | explained");
    }
    return "no error";
  }

  Interp interp_;
};

TEST_F(Needs, UnfedPlaceholders) {
  const struct {
    std::vector<std::string> fetches, feeds;
    const char* want;
  } rows[] = {
      {{"a"}, {}, "a"},         {{"a"}, {"a"}, ""},       {{"c"}, {}, "a b"}, {{"c"}, {"a"}, "b"},
      {{"c"}, {"c"}, ""},       {{"e"}, {"c"}, ""},       {{"d"}, {}, ""},    {{"f"}, {}, ""},
      {{"e", "f"}, {"b"}, "a"}, {{"c", "b"}, {"c"}, "b"}, {{}, {}, ""},
  };
  for (const auto& row : rows) EXPECT_EQ(Unfed(row.fetches, row.feeds), row.want);
}

TEST_F(Needs, NodesThatDoNotExist) {
  EXPECT_EQ(Unfed({"no such node"}, {}), "");
  EXPECT_EQ(Unfed({"a"}, {"no such node"}), "a");
}

TEST_F(Needs, ErrorsOfRuns) {
  const struct {
    const char *script, *want;
  } rows[] = {
      {"s.run(c)",
       "InvalidArgumentError phrase: pass feed_dict={'a:0': [0., 0.], 'b:0': 0.} | a b | "
       "explained"},
      {"s.run(c, {a: [1., 2.]})",
       "InvalidArgumentError phrase: pass feed_dict={'b:0': 0.} | b | explained"},
      {"s.run(f)",
       "FailedPreconditionError run: run tf.global_variables_initializer() | | explained"},
      {"s.run(tf.reshape(a, [3]), {a: [1., 2.]})", "ValueError phrase:  |"},
      {"s.run(a, {a: [1., 2., 3.]})", "ValueError phrase:  | | explained"},
      {"s.run('nothing')", "ValueError phrase:  |"},
      // As in TensorFlow, the node is added to the graph of its input.
      {"with tf.Graph().as_default(): tf.negative(a)", "no error"},
      {"t = tf.Session(); t.close(); t.run(f)",
       "RuntimeError phrase: Open another: sess = tf.Session() | | explained"},
      {"tf.get_default_graph().finalize()\ntf.constant(1)", "RuntimeError phrase:  | | explained"},
      {"tf.mat_mul(1, 2)", "AttributeError question: did you mean 'matmul'? |"},
  };
  for (const auto& row : rows) EXPECT_EQ(Error(row.script), row.want) << row.script;
}

}  // namespace
}  // namespace tensh::shell::tf
