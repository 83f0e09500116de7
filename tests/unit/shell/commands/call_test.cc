// The arguments of a verb: its text, its flags and the file after `>`, and runs and versions as
// typed.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "shell/commands/base/moves.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/value_json.h"
#include "shell/commands/base/versions.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"

namespace tensh::shell {
namespace {

class Calls : public testing::Test {
 protected:
  Calls() {
    interp_.set_stdout([this](std::string_view piece) { out_ += piece; });
    shell_.emplace(interp_, ShellOptions());
  }
  void Type(const std::string& text) { interp_.Exec(text + "\n", "<test>", ExecMode::kFile); }

  // Returns what `get` returns for a call of this verb, or its error.
  template <class F>
  std::string Get(const std::string& text, F get, const char* usage = "v EXPR [--json]") {
    const Command command{.name = "v", .usage = usage, .summary = ""};
    try {
      CommandCall call(*shell_, command, text);
      return get(call);
    } catch (const PyError& error) {
      return error.ClassName() + ": " + error.Message();
    }
  }

  Interp interp_;
  std::optional<Shell> shell_;
  std::string out_;
};

struct Row {
  const char *text, *want;
};

TEST_F(Calls, FlagsAreTakenFromBothEnds) {
  const char* usage = "v EXPR [--json] [--stage N] [--svg] [--all]";
  const auto shown = [](CommandCall& call) {
    std::string text = "<" + std::string(call.text()) + ">";
    for (const char* flag : {"--json", "--svg", "--all"})
      if (call.Has(flag)) text += std::string(" ") + flag;
    if (call.Has("--stage")) text += " --stage=" + std::string(call.Option("--stage"));
    if (!call.file().empty()) text += " > " + std::string(call.file());
    return text;
  };
  const Row rows[] = {
      {"", "<>"},
      {"  a  ", "<a>"},
      {"--json", "<> --json"},
      {"--json a", "<a> --json"},
      {"a --json", "<a> --json"},
      {"--all a, b --json", "<a, b> --json --all"},
      {"a --stage 2 --json", "<a> --json --stage=2"},
      {"--stage 2 a", "<a> --stage=2"},
      {"a --json --stage 2", "<a> --json --stage=2"},
      {"a --json b", "<a --json b>"},  // in the middle it is an expression
      {"a --b", "<a --b>"},            // b is a variable, so it is a - (-b)
      {"a --c", "SyntaxError: v: no flag --c"},
      {"a --stage", "SyntaxError: v: --stage needs a value"},
      {"--stage", "SyntaxError: v: --stage needs a value"},
      {"--none a", "SyntaxError: v: no flag --none"},
      {"a --two-words", "SyntaxError: v: no flag --two-words"},
      {"--none", "SyntaxError: v: no flag --none"},
      {"a --svg > x.svg", "<a> --svg > x.svg"},
      {"a --json --svg > dir/x.svg", "<a> --json --svg > dir/x.svg"},
      {"--json > x", "<> --json > x"},
      {"a > b", "<a > b>"},  // a comparison
      {"a --svg >", "<a --svg >>"},
      {"a > x.svg", "<a> --svg > x.svg"},  // the ending tells the format
      {"a, b > dir/x.json", "<a, b> --json > dir/x.json"},
      {"> x.svg", "<> --svg > x.svg"},
      {"a > x.txt", "<a> > x.txt"},
      {"a > .svg", "<a > .svg>"},
      {"a > x.pdf",
       "SyntaxError: v: cannot write x.pdf; it writes > FILE.json, FILE.svg or FILE.txt"},
      {"a > x.png",
       "SyntaxError: v: cannot write x.png; it writes > FILE.json, FILE.svg or FILE.txt"},
  };
  Type("b = 1");
  for (const Row& row : rows) EXPECT_EQ(Get(row.text, shown, usage), row.want) << row.text;
  EXPECT_EQ(Get("@1 nodes --csv", shown, "v @VERSION VERB …"), "<@1 nodes --csv>");
}

TEST_F(Calls, FlagsOfAUsage) {
  const Row rows[] = {
      {"v", ""},
      {"v EXPR", ""},
      {"v [--json]", "--json"},
      {"v [a|b] X[, …] [--n N] [--all] [on S]", "--n= --all"},
      {"v [--a][--b B]", "--a --b="},
      {"v --not-optional", ""},
  };
  for (const Row& row : rows) {
    std::string text;
    for (const auto& [flag, value] : FlagsOf(row.text))
      text += (text.empty() ? "" : " ") + std::string(flag) + (value ? "=" : "");
    EXPECT_EQ(text, row.want) << row.text;
  }
}

TEST_F(Calls, WantNothing) {
  const auto nothing = [](CommandCall& call) { return call.WantNothing(), std::string("ok"); };
  EXPECT_EQ(Get("--json", nothing), "ok");
  EXPECT_EQ(Get("x", nothing), "SyntaxError: v: takes no 'x'");
}

TEST_F(Calls, Versions) {
  const auto version = [](CommandCall& call) {
    return std::to_string(ParseVersion(call, call.text()));
  };
  const std::string no = "SyntaxError: v: a version is written @7, not '";
  const struct {
    const char* text;
    std::string want;
  } rows[] = {
      {"@7", "7"},
      {"@0", "0"},
      {"@123456789012", "123456789012"},
      {"7", no + "7'; history lists them"},
      {"@", no + "@'; history lists them"},
      {"", no + "'; history lists them"},
      {"@-1", no + "@-1'; history lists them"},
      {"@7x", no + "@7x'; history lists them"},
      {"@99999999999999999999", no + "@99999999999999999999'; history lists them"},
  };
  for (const auto& row : rows) EXPECT_EQ(Get(row.text, version), row.want) << row.text;
}

TEST_F(Calls, Runs) {
  Type(
      "x = tf.placeholder(tf.float32, name='x')\n"
      "y = tf.negative(x, name='layer/y')\n"
      "s = tf.Session()\n"
      "n = 3");
  const auto run = [](CommandCall& call) {
    const RunRequest request = ParseRun(call, call.text());
    std::string text;
    for (size_t i = 0; i < request.fetches.size(); ++i)
      text += std::string(i ? ", " : "") + std::string(request.pieces[i]) + "=" +
              TypeOf(request.fetches[i]).name;
    if (!request.feeds.is_null()) text += " feeds " + Repr(request.feeds);
    if (!request.session.is_null()) text += " on a session";
    if (!request.times.empty()) text += " times " + std::string(request.times);
    if (!request.until.empty()) text += " until " + std::string(request.until);
    return text;
  };
  const Row rows[] = {
      {"y", "y=Tensor"},
      {"y, n", "y=Tensor, n=int"},
      {"layer/y", "layer/y=Tensor"},  // a node by its name
      {"layer/y:0", "layer/y:0=Tensor"},
      {"[y, x]", "[y, x]=list"},
      {"n + 1", "n + 1=int"},
      {"n/n", "n/n=float"},  // a division, because both are values
      {"1 feed n=2", "1=int feeds {3: 2}"},
      {"1 feed n=[1, 2], 5=(3, 4)", "1=int feeds {3: [1, 2], 5: (3, 4)}"},
      {"y on s", "y=Tensor on a session"},
      {"y times 5 until n < 3", "y=Tensor times 5 until n < 3"},
      {"", "SyntaxError: v: needs an expression"},
      {"y,,x", "SyntaxError: v: an expression is missing between two commas"},
      {"y feed", "SyntaxError: v: nothing follows 'feed'"},
      {"y feed x", "SyntaxError: v: feed expects NAME=VALUE or again, not 'x'"},
      {"y feed x=", "SyntaxError: v: feed expects NAME=VALUE or again, not 'x='"},
      {"y feed x == 1", "SyntaxError: v: feed expects NAME=VALUE or again, not 'x == 1'"},
      {"nothing", "NameError: name 'nothing' is not defined"},
  };
  for (const Row& row : rows) EXPECT_EQ(Get(row.text, run), row.want) << row.text;
}

TEST_F(Calls, WhatIfPutsTheDevicesBack) {
  Type(
      "a = tf.constant(1., name='a')\n"
      "with tf.device('/cpu:1'):\n"
      "  b = tf.negative(a, name='b')");
  const auto devices = [&] {
    const GraphHandle graph = CurrentGraph();
    return std::string(tsh_node_device(graph.get(), 0)) + " " + tsh_node_device(graph.get(), 1);
  };
  const std::string before = devices();
  const auto tried = [&](CommandCall& call) {
    const TrialMoves trial(ParseMoves(call, call.text()));
    return devices();
  };
  const Row rows[] = {
      {"a=/cpu:1", "/device:CPU:1 /device:CPU:1"},
      {"a=cpu:1", "/device:CPU:1 /device:CPU:1"},
      {"b=none", " "},
      {"a=cpu:1, b=cpu:0", "/device:CPU:1 /device:CPU:0"},
      {"b=cpu:0, b=none", " "},  // the last one counts
      {"'a'=cpu:1", "/device:CPU:1 /device:CPU:1"},
      {"", "SyntaxError: v: expects NODE=DEVICE"},
      {"a", "SyntaxError: v: expects NODE=DEVICE, not 'a'"},
      {"a=", "SyntaxError: v: expects NODE=DEVICE, not 'a='"},
      {"=cpu:0", "SyntaxError: v: expects NODE=DEVICE, not '=cpu:0'"},
      {"3=cpu:0", "TypeError: '3' is not a node of a graph"},
      {"a=cpu:1, b=c pu", "InvalidArgumentError: Malformed device specification '/c pu'"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Get(row.text, tried), row.want) << row.text;
    EXPECT_EQ(devices(), before) << row.text;
  }
}

TEST_F(Calls, ValuesAsJson) {
  const Row rows[] = {
      {"None", "null"},
      {"True", "true"},
      {"-3", "-3"},
      {"0.5", "0.5"},
      {"'a\"b\\n'", "\"a\\\"b\\n\""},
      {"[1, [2.5, 'x']]", "[1, [2.5, \"x\"]]"},
      {"(1, 2)", "[1, 2]"},
      {"{'k': 1, 'l': []}", "{\"k\": 1, \"l\": []}"},
      {"np.array([[1, 2], [3, 4]])", "[[1, 2], [3, 4]]"},
      {"np.float32(0.25)", "0.25"},
      {"np.zeros([0])", "[]"},
      {"[]", "[]"},
      {"{}", "{}"},
  };
  for (const Row& row : rows) EXPECT_EQ(ValueJson(interp_.Eval(row.text)), row.want) << row.text;
}

}  // namespace
}  // namespace tensh::shell
