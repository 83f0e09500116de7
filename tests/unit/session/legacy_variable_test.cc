// Variables of graphs written before 2017, whose op is Variable and not VariableV2: both ops behave
// alike in the compiled plan, in the token program, and in the reference evaluator.
#include <gtest/gtest.h>

#include "devices/cpu/cpu_device.h"
#include "runtime/session/session.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

class LegacyVariable : public ::testing::TestWithParam<const char*> {
 protected:
  LegacyVariable() { RegisterDevice_cpu(registry_); }
  ~LegacyVariable() override { graph_->Unref(); }

  Output Add(const char* op, std::vector<Output> inputs, std::vector<NamedAttr> attrs = {}) {
    const NodeSpec spec{
        .op = op, .name = {}, .device = {}, .inputs = inputs, .controls = {}, .attrs = attrs};
    auto node = graph_->Append({&spec, 1});
    EXPECT_TRUE(node.ok()) << op << ": " << node.status().message();
    return {node.ok() ? *node : kNoNode, 0};
  }
  Output Vector(std::vector<float> values) {
    return Add("Const", {}, {{"dtype", DType::kFloat}, {"value", Tensor::Vector<float>(values)}});
  }
  Output Number(int32_t value) {
    return Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}});
  }

  // The elements of the fetched value, or the error.
  std::string Run(Session& session, Output fetch) {
    Tensor out;
    const Status status = session.Run({{}, {&fetch, 1}, {}}, {}, {&out, 1}, 0, nullptr);
    if (!status.ok()) return StrCat(static_cast<int>(status.code()));
    if (out.dtype() == DType::kBool) return *out.data<bool>() ? "true" : "false";
    std::string text;
    for (float v : out.flat<float>()) text += StrCat(text.empty() ? "" : " ", v);
    return text;
  }

  DeviceRegistry registry_;
  Graph* graph_ = new Graph(test::AllOps());
};

TEST_P(LegacyVariable, IsAVariable) {
  const Output v = Add(GetParam(), {}, {{"shape", Shape({2})}, {"dtype", DType::kFloat}});
  const Output twos = Vector({2, 3}), two = Vector({2});
  const Output first = Number(0);
  // With a branch, the nodes cannot be ordered beforehand, so the plan may be a token program.
  const Output yes = Add("Const", {}, {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}});
  const Output taken = Add("Switch", {Add("Identity", {v}), yes});
  const struct {
    Output fetch;
    const char* want;
  } rows[] = {
      {Add("IsVariableInitialized", {v}), "false"},
      {Add("Identity", {v}), "9"},
      {v, "9"},
      {Add("Assign", {v, twos}), "2 3"},
      {Add("IsVariableInitialized", {v}), "true"},
      {Add("Identity", {v}), "2 3"},
      {v, "2 3"},
      {Add("AssignAdd", {v, twos}), "4 6"},
      {Add("ScatterUpdate", {v, Add("ExpandDims", {first, first}), two}), "2 6"},
      {Add("Neg", {v}), "-2 -6"},
      {{taken.node, 1}, "2 6"},
      {Add("ApplyGradientDescent", {v, Add("Reshape", {Vector({1}), Add("Shape", {first})}), twos}),
       "0 3"},
  };
  for (const bool reference : {false, true}) {
    SessionConfig config;
    config.evaluator = reference ? RunReference : nullptr;
    auto session = MakeDirectSessionFactory(registry_)->Create(graph_, "", config);
    ASSERT_TRUE(session.ok());
    int row = 0;
    for (const auto& [fetch, want] : rows) {
      EXPECT_EQ(Run(**session, fetch), want) << "row " << row << (reference ? ", reference" : "");
      ++row;
    }
  }
}

// In these graphs, a scalar shape means that the shape is unknown.
TEST_P(LegacyVariable, MayBeOfAnyShape) {
  const Output v = Add(GetParam(), {}, {{"shape", Shape()}, {"dtype", DType::kFloat}});
  const bool old = GetParam() == std::string("Variable");
  EXPECT_EQ(graph_->shape(graph_->output(v.node, 0)).has_rank(), !old);
  if (!old) return;
  const Output assign = Add("Assign", {v, Vector({2, 3})}, {{"validate_shape", false}});
  auto session = MakeDirectSessionFactory(registry_)->Create(graph_, "", {});
  EXPECT_EQ(Run(**session, assign), "2 3");
  EXPECT_EQ(Run(**session, v), "2 3");
}

INSTANTIATE_TEST_SUITE_P(Ops, LegacyVariable, ::testing::Values("VariableV2", "Variable"));

}  // namespace
}  // namespace tensh
