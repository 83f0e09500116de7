// Functions in a session: calls, recursion, mismatched arguments, and loops that are cancelled.
#include <gtest/gtest.h>

#include "devices/cpu/cpu_device.h"
#include "runtime/session/session.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

using Node = FunctionSpec::Node;

FuncAttr Func(const std::string& name) { return {name}; }

Node Int(const char* name, int32_t value) {
  return {name, "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}}};
}
Node Call(const char* name, const std::string& f, std::vector<std::string> inputs,
          AttrValue::Types in, AttrValue::Types out) {
  return {name, "PartitionedCall", std::move(inputs), {{"Tin", in}, {"Tout", out}, {"f", Func(f)}}};
}
Node Op(const char* name, const char* op, std::vector<std::string> inputs) {
  return {name, op, std::move(inputs), {{"T", DType::kInt32}}};
}

class Functions : public ::testing::Test {
 protected:
  Functions() { RegisterDevice_cpu(registry_); }
  ~Functions() override { graph_->Unref(); }

  // Defines a function whose name follows from the prefix, so that the function can call itself.
  std::string Define(const std::string& prefix, const FunctionSpec& spec) {
    auto name = graph_->functions().Define(prefix, spec);
    EXPECT_TRUE(name.ok()) << name.status().message();
    return name.ok() ? *name : "";
  }

  NodeId Add(const char* op, std::vector<Output> inputs, std::vector<NamedAttr> attrs) {
    const NodeSpec spec{
        .op = op, .name = {}, .device = {}, .inputs = inputs, .controls = {}, .attrs = attrs};
    auto node = graph_->Append({&spec, 1});
    EXPECT_TRUE(node.ok()) << node.status().message();
    return node.ok() ? *node : kNoNode;
  }
  NodeId Number(int32_t value) {
    return Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}});
  }

  Result<Tensor> Run(NodeId node, bool reference = false, int64_t timeout_ms = 0) {
    SessionConfig config;
    config.evaluator = reference ? RunReference : nullptr;
    auto session = MakeDirectSessionFactory(registry_)->Create(graph_, "", config);
    EXPECT_TRUE(session.ok());
    const Output fetch{node, 0};
    Tensor out;
    TENSH_RETURN_IF_ERROR(
        (*session)->Run({{}, {&fetch, 1}, {}}, {}, {&out, 1}, timeout_ms, nullptr));
    return out;
  }

  DeviceRegistry registry_;
  Graph* graph_ = new Graph(test::AllOps());
};

const AttrValue::Types kInt = {DType::kInt32};

TEST_F(Functions, MayCallThemselves) {
  // fact(n) = n if n < 2 else n * fact(n - 1). Names are numbered in order, starting at 0.
  FunctionSpec fact, less, more;
  less.args = more.args = fact.args = {{"n", DType::kInt32}};
  less.results = {{"r", DType::kInt32, "n"}};
  more.nodes = {Int("one", 1), Op("sub", "Sub", {"n", "one:output:0"}),
                Call("call", "fact_2", {"sub:z:0"}, kInt, kInt),
                Op("mul", "Mul", {"n", "call:output:0"})};
  more.results = {{"r", DType::kInt32, "mul:z:0"}};
  fact.nodes = {Int("two", 2),
                Op("less", "Less", {"n", "two:output:0"}),
                {"if",
                 "If",
                 {"less:z:0", "n"},
                 {{"Tcond", DType::kBool},
                  {"Tin", kInt},
                  {"Tout", kInt},
                  {"then_branch", Func("less_0")},
                  {"else_branch", Func("more_1")}}}};
  fact.results = {{"r", DType::kInt32, "if:output:0"}};
  ASSERT_EQ(Define("less", less), "less_0");
  ASSERT_EQ(Define("more", more), "more_1");
  ASSERT_EQ(Define("fact", fact), "fact_2");
  const NodeId call = Add("fact_2", {{Number(6), 0}}, {});
  for (bool reference : {false, true}) {
    auto out = Run(call, reference);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ(*out->data<int32_t>(), 720);
  }
}

TEST_F(Functions, ThatNeverStopCallingThemselvesEndInAnError) {
  FunctionSpec f;
  f.args = {{"n", DType::kInt32}};
  f.nodes = {Call("call", "f_0", {"n"}, kInt, kInt)};
  f.results = {{"r", DType::kInt32, "call:output:0"}};
  ASSERT_EQ(Define("f", f), "f_0");
  const NodeId call = Add("f_0", {{Number(1), 0}}, {});
  for (bool reference : {false, true}) {
    auto out = Run(call, reference);
    EXPECT_EQ(out.status().code(), Code::kResourceExhausted) << out.status().message();
  }
}

TEST_F(Functions, ThatAreNotThereAreNotFound) {
  const NodeId call = Add("PartitionedCall", {{Number(1), 0}},
                          {{"Tin", kInt}, {"Tout", kInt}, {"f", Func("nobody")}});
  EXPECT_EQ(Run(call).status().code(), Code::kNotFound);
}

TEST_F(Functions, AreDefinedOnce) {
  FunctionSpec f;
  f.args = {{"n", DType::kInt32}};
  f.results = {{"r", DType::kInt32, "n"}};
  const std::string name = Define("f", f);
  const std::string message = graph_->functions().Message();
  EXPECT_TRUE(graph_->functions().AddLibrary(message).ok());
  FunctionLibrary other(test::AllOps());
  f.args[0].dtype = f.results[0].dtype = DType::kFloat;
  ASSERT_EQ(*other.Define("f", f), name);
  EXPECT_EQ(graph_->functions().AddLibrary(other.Message()).code(), Code::kInvalidArgument);
  EXPECT_EQ(graph_->functions().size(), 1u);
}

TEST_F(Functions, ThatDoNotFitTogetherSayWhy) {
  const std::pair<std::vector<Node>, std::string> bad[] = {
      {{Op("neg", "Neg", {"nowhere"})}, "neg:y:0"},
      {{Op("neg", "Neg", {"n"})}, "neg:y:1"},
      {{Op("neg", "Neg", {"n"})}, "neg"},
      {{Op("a", "Neg", {"b:y:0"}), Op("b", "Neg", {"a:y:0"})}, "a:y:0"},
      {{Op("a", "Neg", {"n"}), Op("a", "Neg", {"n"})}, "a:y:0"},
      {{Op("a", "Neg", {"n", "n"})}, "a:y:0"},
      {{Op("a", "NoSuchOp", {"n"})}, "a:y:0"},
      {{{"a", "Neg", {"n"}, {}}}, "a:y:0"},
      {{{"a", "Neg", {"n"}, {{"T", DType::kFloat}}}}, "a:y:0"},
      {{{"a", "Split", {"n", "n"}, {{"T", DType::kInt32}, {"num_split", int64_t{1} << 40}}}},
       "a:output:0"},
  };
  for (const auto& [nodes, from] : bad) {
    FunctionSpec f;
    f.args = {{"n", DType::kInt32}};
    f.nodes = nodes;
    f.results = {{"r", DType::kInt32, from}};
    const NodeId call = Add(Define("f", f).c_str(), {{Number(1), 0}}, {});
    const Status status = Run(call).status();
    EXPECT_TRUE(status.code() == Code::kInvalidArgument || status.code() == Code::kNotFound)
        << from << ": " << status.message();
  }
}

TEST_F(Functions, LoopsWithoutAnEndStopAtTheirTime) {
  FunctionSpec cond, body;
  cond.args = body.args = {{"n", DType::kInt32}};
  cond.nodes = {Op("same", "Equal", {"n", "n"})};
  cond.results = {{"r", DType::kBool, "same:z:0"}};
  body.results = {{"r", DType::kInt32, "n"}};
  const std::string c = Define("cond", cond), b = Define("body", body);
  const NodeId loop =
      Add("While", {{Number(1), 0}}, {{"T", kInt}, {"cond", Func(c)}, {"body", Func(b)}});
  EXPECT_EQ(Run(loop, false, 50).status().code(), Code::kDeadlineExceeded);
}

// Returns "path op iteration inner value" for each event inside of loops and calls.
std::vector<std::string> Lines(const StepTrace& trace) {
  std::vector<std::string> lines;
  for (const LoopEvent& e : trace.in_loops)
    lines.push_back(e.path + " " + e.op + " " + std::to_string(e.iteration) + " " +
                    std::to_string(e.inner) + " " + e.value);
  return lines;
}

// The trace of a step has the nodes of the functions that it called, and the iterations of a While.
TEST_F(Functions, TracesGoIntoCalls) {
  FunctionSpec cond, body, then, other;
  cond.args = body.args = then.args = other.args = {{"n", DType::kInt32}};
  then.nodes = {Int("two", 2), Op("double", "Mul", {"n", "two:output:0"})};
  then.results = {{"r", DType::kInt32, "double:z:0"}};
  other.results = {{"r", DType::kInt32, "n"}};
  const std::string t = Define("then", then), o = Define("else", other);
  cond.nodes = {Int("limit", 4), Op("less", "Less", {"n", "limit:output:0"})};
  cond.results = {{"r", DType::kBool, "less:z:0"}};
  body.nodes = {{"pick",
                 "If",
                 {"n", "n"},
                 {{"Tcond", DType::kInt32},
                  {"Tin", kInt},
                  {"Tout", kInt},
                  {"then_branch", Func(t)},
                  {"else_branch", Func(o)}}}};
  body.results = {{"r", DType::kInt32, "pick:output:0"}};
  const std::string c = Define("cond", cond), b = Define("body", body);
  const NodeId loop =
      Add("While", {{Number(1), 0}}, {{"T", kInt}, {"cond", Func(c)}, {"body", Func(b)}});
  auto session = MakeDirectSessionFactory(registry_)->Create(graph_, "", {});
  ASSERT_TRUE(session.ok());
  const Output fetch{loop, 0};
  Tensor out;
  RunTrace trace;
  trace.step.keep_values = true;
  ASSERT_TRUE((*session)->Run({{}, {&fetch, 1}, {}}, {}, {&out, 1}, 0, &trace).ok());
  const std::vector<std::string> want = {"While/cond/less Less 1 0 True",
                                         "While/body/pick/then/double Mul 1 0 2",
                                         "While/body/pick If 1 0 2",
                                         "While/cond/less Less 2 0 True",
                                         "While/body/pick/then/double Mul 2 0 4",
                                         "While/body/pick If 2 0 4",
                                         "While/cond/less Less 3 0 False"};
  EXPECT_EQ(Lines(trace.step), want);
  EXPECT_EQ(trace.step.calls["While/cond/"], 3);
  EXPECT_EQ(trace.step.calls["While/body/"], 2);
  EXPECT_EQ(trace.step.calls["While/body/pick/then/"], 2);
  EXPECT_EQ(trace.step.calls.count("While/body/pick/else/"), 0u);
  EXPECT_EQ(trace.step.called_sums["While/body/pick/then/double"].sum.calls, 2);
  ASSERT_EQ(trace.step.events.size(), 1u);
  EXPECT_EQ(trace.step.events[0].iterations, 2);
}

// A long loop is counted in full, although only its first events are kept.
TEST_F(Functions, TracesOfLongLoopsAreLimited) {
  FunctionSpec cond, body;
  cond.args = body.args = {{"n", DType::kInt32}};
  cond.nodes = {Int("limit", 2000), Op("less", "Less", {"n", "limit:output:0"})};
  cond.results = {{"r", DType::kBool, "less:z:0"}};
  body.nodes = {Int("one", 1), Op("add", "AddV2", {"n", "one:output:0"})};
  body.results = {{"r", DType::kInt32, "add:z:0"}};
  const std::string c = Define("cond", cond), b = Define("body", body);
  const NodeId loop =
      Add("While", {{Number(0), 0}}, {{"T", kInt}, {"cond", Func(c)}, {"body", Func(b)}});
  auto session = MakeDirectSessionFactory(registry_)->Create(graph_, "", {});
  ASSERT_TRUE(session.ok());
  const Output fetch{loop, 0};
  Tensor out;
  RunTrace trace;
  ASSERT_TRUE((*session)->Run({{}, {&fetch, 1}, {}}, {}, {&out, 1}, 0, &trace).ok());
  EXPECT_EQ(trace.step.in_loops.size(), kLoopEvents);
  EXPECT_EQ(trace.step.called_sums["While/body/add"].sum.calls, 2000);
  EXPECT_EQ(trace.step.events[0].iterations, 2000);
}

// Deeply nested lists are handled without deep recursion.
TEST_F(Functions, ListsMayBeNestedVeryDeep) {
  const AttrValue::Types types = {DType::kInt32, DType::kVariant};
  FunctionSpec cond, body;
  cond.args = body.args = {{"n", DType::kInt32}, {"list", DType::kVariant}};
  cond.nodes = {Int("limit", 100000), Op("less", "Less", {"n", "limit:output:0"})};
  cond.results = {{"r", DType::kBool, "less:z:0"}};
  body.nodes = {Int("one", 1),
                Int("any", -1),
                Op("add", "AddV2", {"n", "one:output:0"}),
                {"new",
                 "EmptyTensorList",
                 {"any:output:0", "any:output:0"},
                 {{"element_dtype", DType::kVariant}, {"shape_type", DType::kInt32}}},
                {"push",
                 "TensorListPushBack",
                 {"new:handle:0", "list"},
                 {{"element_dtype", DType::kVariant}}}};
  body.results = {{"r0", DType::kInt32, "add:z:0"},
                  {"r1", DType::kVariant, "push:output_handle:0"}};
  const std::string c = Define("cond", cond), b = Define("body", body);
  const NodeId any = Number(-1);
  const NodeId list =
      Add("EmptyTensorList", {{any, 0}, {any, 0}}, {{"element_dtype", DType::kVariant}});
  const NodeId loop = Add("While", {{Number(0), 0}, {list, 0}},
                          {{"T", types}, {"cond", Func(c)}, {"body", Func(b)}});
  auto out = Run(loop);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ(*out->data<int32_t>(), 100000);
  const NodeId zeros = Add("ZerosLike", {{loop, 1}}, {});
  const NodeId length = Add("TensorListLength", {{zeros, 0}}, {});
  EXPECT_EQ(Run(length).status().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace tensh
