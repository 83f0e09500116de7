// Loops and branches as raw graphs: the usual forms, and forms that only a general executor can
// run. The plan and the reference interpreter must agree, however the graph was extended.
#include <gtest/gtest.h>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

struct Spec {
  std::string op, name;
  std::vector<Output> inputs;
  std::vector<NamedAttr> attrs = {};
};

Output At(uint32_t node, uint32_t index = 0) { return {NodeId{node}, index}; }

std::vector<NamedAttr> Frame(bool constant) {
  return {{"frame_name", std::string("f")}, {"is_constant", constant}};
}

Spec Int(const char* name, int32_t value) {
  return {"Const", name, {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}}};
}

// i = 0; while i < limit: i += 1. Uses the nodes base … base + 9. If `with_cond` is set, the test
// goes through a LoopCond.
std::vector<Spec> Counter(uint32_t base, uint32_t zero, uint32_t limit, uint32_t one,
                          bool with_cond) {
  const std::string p = "n" + std::to_string(base) + "_";
  const uint32_t test = with_cond ? base + 5 : base + 4;
  return {{"Enter", p + "0", {At(zero)}, Frame(false)},
          {"Enter", p + "1", {At(limit)}, Frame(true)},
          {"Enter", p + "2", {At(one)}, Frame(true)},
          {"Merge", p + "3", {At(base), At(base + 8)}},
          {"Less", p + "4", {At(base + 3), At(base + 1)}},
          {"LoopCond", p + "5", {At(base + 4)}},
          {"Switch", p + "6", {At(base + 3), At(test)}},
          {"AddV2", p + "7", {At(base + 6, 1), At(base + 2)}},
          {"NextIteration", p + "8", {At(base + 7)}},
          {"Exit", p + "9", {At(base + 6, 0)}}};
}

Status Add(Graph& graph, const std::vector<Spec>& specs) {
  std::vector<NodeSpec> list;
  for (const Spec& s : specs)
    list.push_back({.op = s.op,
                    .name = s.name,
                    .device = {},
                    .inputs = s.inputs,
                    .controls = {},
                    .attrs = s.attrs});
  return graph.Append(list).status();
}

std::vector<int32_t> RunBoth(Graph& graph, const std::vector<uint32_t>& fetches) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  auto devices = *DeviceMgr::Create(registry, {.device_count = {{"CPU", 2}}});
  ResourceTable resources;
  RunSignature signature;
  for (uint32_t n : fetches) signature.fetches.push_back(graph.output(NodeId{n}, 0));
  auto plan = Compile(graph, signature, {devices.get(), &resources, {}});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  if (!plan.ok()) return {};
  std::vector<int32_t> got[3];
  for (int k = 0; k < 3; ++k) {  // the second step runs in a recycled frame
    std::vector<Tensor> fetched(fetches.size());
    Status status = k < 2 ? RunStep(**plan, {}, fetched, {})
                          : RunReference((*plan)->stages, {}, fetched, {.resources = &resources});
    EXPECT_TRUE(status.ok()) << status.message();
    for (const Tensor& t : fetched) got[k].push_back(t ? *t.data<int32_t>() : -1);
  }
  EXPECT_EQ(got[0], got[1]);
  EXPECT_EQ(got[0], got[2]);
  return got[0];
}

struct Graphs {
  Graph* graph = new Graph(test::AllOps());
  ~Graphs() { graph->Unref(); }
};

TEST(Flow, ALoopComesInOneExtendOrNodeByNode) {
  for (bool whole : {true, false}) {
    Graphs g;
    std::vector<Spec> specs = {Int("zero", 0), Int("limit", 10), Int("one", 1)};
    for (Spec& s : Counter(3, 0, 1, 2, true)) specs.push_back(std::move(s));
    if (whole) {
      ASSERT_TRUE(Add(*g.graph, specs).ok());
    } else {
      for (Spec& s : specs) {
        if (s.op == "Merge") s.inputs[1] = s.inputs[0];
        ASSERT_TRUE(Add(*g.graph, {s}).ok());
      }
      ASSERT_TRUE(g.graph->SetInput(NodeId{6}, 1, At(11)).ok());
    }
    EXPECT_EQ(RunBoth(*g.graph, {12}), std::vector<int32_t>{10});
  }
}

TEST(Flow, ALoopThatEndsAtOnceAndOneThatDoesNotBegin) {
  Graphs g;
  std::vector<Spec> specs = {Int("zero", 7), Int("limit", 3), Int("one", 1)};
  for (Spec& s : Counter(3, 0, 1, 2, true)) specs.push_back(std::move(s));
  ASSERT_TRUE(Add(*g.graph, specs).ok());
  EXPECT_EQ(RunBoth(*g.graph, {12}), std::vector<int32_t>{7});
}

// Two variables of one frame that end at different times, so that no LoopCond controls the whole
// loop.
TEST(Flow, VariablesOfALoopMayEndOneByOne) {
  for (bool with_cond : {true, false}) {
    Graphs g;
    std::vector<Spec> specs = {Int("zero", 0), Int("three", 3), Int("one", 1), Int("five", 5)};
    for (Spec& s : Counter(4, 0, 1, 2, with_cond)) specs.push_back(std::move(s));
    for (Spec& s : Counter(14, 0, 3, 2, with_cond)) specs.push_back(std::move(s));
    ASSERT_TRUE(Add(*g.graph, specs).ok());
    EXPECT_EQ(RunBoth(*g.graph, {13, 23}), (std::vector<int32_t>{3, 5}));
  }
}

TEST(Flow, OnlyANextIterationMayComeBehindWhatItFeeds) {
  Graphs g;
  std::vector<Spec> specs = {Int("zero", 0), Int("limit", 10), Int("one", 1)};
  for (Spec& s : Counter(3, 0, 1, 2, true)) specs.push_back(std::move(s));
  ASSERT_TRUE(Add(*g.graph, specs).ok());
  EXPECT_FALSE(g.graph->SetInput(NodeId{7}, 1, At(11)).ok());   // a Less
  EXPECT_FALSE(g.graph->SetInput(NodeId{6}, 1, At(10)).ok());   // an AddV2
  EXPECT_FALSE(g.graph->SetInput(NodeId{6}, 2, At(11)).ok());   // no such input
  EXPECT_FALSE(g.graph->SetInput(NodeId{99}, 0, At(11)).ok());  // no such node
  Graphs other;
  std::vector<Spec> circle = {Int("a", 0), {"AddV2", "b", {At(0), At(2)}}, {"Neg", "c", {At(1)}}};
  EXPECT_FALSE(Add(*other.graph, circle).ok());
  EXPECT_EQ(other.graph->size(), 0u);
}

TEST(Flow, RollbackOpensTheLoopAgain) {
  Graphs g;
  std::vector<Spec> specs = {Int("zero", 0), Int("limit", 10), Int("one", 1)};
  for (Spec& s : Counter(3, 0, 1, 2, true)) specs.push_back(std::move(s));
  specs[6].inputs[1] = specs[6].inputs[0];
  ASSERT_TRUE(Add(*g.graph, specs).ok());
  g.graph->Begin();
  ASSERT_TRUE(g.graph->SetInput(NodeId{6}, 1, At(11)).ok());
  ASSERT_TRUE(Add(*g.graph, {Int("more", 1)}).ok());
  g.graph->Rollback();
  EXPECT_EQ(g.graph->input(NodeId{6}, 1), g.graph->output(NodeId{3}, 0));
}

TEST(Flow, WhatIsInsideALoopCannotBeFetched) {
  Graphs g;
  std::vector<Spec> specs = {Int("zero", 0), Int("limit", 10), Int("one", 1)};
  for (Spec& s : Counter(3, 0, 1, 2, true)) specs.push_back(std::move(s));
  ASSERT_TRUE(Add(*g.graph, specs).ok());
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  auto devices = *DeviceMgr::Create(registry, {});
  ResourceTable resources;
  RunSignature signature{{}, {g.graph->output(NodeId{10}, 0)}, {}};
  auto plan = Compile(*g.graph, signature, {devices.get(), &resources, {}});
  EXPECT_EQ(plan.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tensh
