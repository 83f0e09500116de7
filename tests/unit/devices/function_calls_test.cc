// Functions called on the fake GPU: their bodies run there, and the values of a loop stay there.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/session/session.h"
#include "tests/support/fake_gpu.h"

namespace tensh::cuda {
namespace {

using Node = FunctionSpec::Node;

Node Op(const char* name, const char* op, std::vector<std::string> inputs, DType type) {
  return {name, op, std::move(inputs), {{"T", type}}};
}

class FunctionCalls : public ::testing::Test {
 protected:
  FunctionCalls() {
    const FakeGpus fake = MakeFakeGpus(1);
    driver_ = fake.driver;
    session_ = *MakeDirectSessionFactory(*fake.devices)->Create(graph_, "", {});
    Define();
  }
  ~FunctionCalls() override {
    EXPECT_TRUE(session_->Close().ok());
    graph_->Unref();
  }

  // going(i, n, x) = i < n; twice(i, n, x) = i + 1, n, x + x.
  void Define() {
    FunctionSpec going, twice;
    going.args = twice.args = {{"i", DType::kInt32}, {"n", DType::kInt32}, {"x", DType::kFloat}};
    going.nodes = {Op("less", "Less", {"i", "n"}, DType::kInt32)};
    going.results = {{"r", DType::kBool, "less:z:0"}};
    twice.nodes = {
        {"one", "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(1)}}},
        Op("next", "AddV2", {"i", "one:output:0"}, DType::kInt32),
        Op("sum", "AddV2", {"x", "x"}, DType::kFloat)};
    twice.results = {{"next_i", DType::kInt32, "next:z:0"},
                     {"same_n", DType::kInt32, "n"},
                     {"sum_x", DType::kFloat, "sum:z:0"}};
    going_ = *graph_->functions().Define("going", going);
    twice_ = *graph_->functions().Define("twice", twice);
  }

  Output Add(const std::string& op, std::vector<Output> inputs, std::vector<NamedAttr> attrs,
             const char* device = "") {
    const NodeSpec spec{
        .op = op, .name = {}, .device = device, .inputs = inputs, .controls = {}, .attrs = attrs};
    auto node = graph_->Append({&spec, 1});
    EXPECT_TRUE(node.ok()) << node.status().message();
    return {node.ok() ? *node : kNoNode, 0};
  }
  Output Number(int32_t value) {
    return Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}});
  }
  Output Numbers() {
    return Add("Const", {},
               {{"dtype", DType::kFloat}, {"value", Tensor::Vector<float>(std::vector{1.f, 3.f})}});
  }
  // Returns the third value of a loop with this number of iterations.
  Output Loop(int32_t times) {
    const Output loop = Add("While", {Number(0), Number(times), Numbers()},
                            {{"T", AttrValue::Types{DType::kInt32, DType::kInt32, DType::kFloat}},
                             {"cond", FuncAttr{going_}},
                             {"body", FuncAttr{twice_}}});
    return {loop.node, 2};
  }

  std::vector<float> Run(Output fetch) {
    mark_ = driver_->calls().size();
    Tensor out;
    const Status status = session_->Run({{}, {&fetch, 1}, {}}, {}, {&out, 1}, 0, nullptr);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    return {out.data<float>(), out.data<float>() + out.num_elements()};
  }
  // Returns the number of driver calls in the last Run with this prefix.
  long Calls(std::string_view begin) {
    const auto calls = driver_->calls();
    return std::count_if(calls.begin() + static_cast<ptrdiff_t>(mark_), calls.end(),
                         [&](const auto& call) { return call.starts_with(begin); });
  }

  FakeDriver* driver_ = nullptr;
  tensh::Graph* graph_ = new tensh::Graph(OpsWithKernels());
  std::unique_ptr<Session> session_;
  std::string going_, twice_;
  size_t mark_ = 0;
};

TEST_F(FunctionCalls, WhatGoesRoundInALoopStaysOnTheGpu) {
  const Output few = Loop(2), many = Loop(20);
  EXPECT_EQ(Run(few), (std::vector{4.f, 12.f}));
  const long copies = Calls("copy");
  EXPECT_GT(Calls("launch"), 0);
  EXPECT_EQ(Run(many), (std::vector{1048576.f, 3145728.f}));
  EXPECT_EQ(Calls("copy"), copies);
}

TEST_F(FunctionCalls, ABodyRunsWhereItIsCalled) {
  const std::vector<Output> inputs = {Number(0), Number(0), Numbers()};
  for (const char* device : {"", "/gpu:0", "/cpu:0"}) {
    const Output call = Add(twice_, inputs, {}, device);
    EXPECT_EQ(Run({call.node, 2}), (std::vector{2.f, 6.f})) << device;
    EXPECT_EQ(Calls("launch") > 0, device != std::string_view("/cpu:0")) << device;
  }
}

}  // namespace
}  // namespace tensh::cuda
