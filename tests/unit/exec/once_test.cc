// Values that a frame holds from one step to the next: they are those of the reference evaluator,
// and their kernels run again only if a shape has changed.
#include <gtest/gtest.h>

#include <cstring>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/once.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

using test::AppendText;
using test::Values;

class Once : public ::testing::Test {
 protected:
  Once() : graph_(test::AllOps()) {
    RegisterDevice_cpu(registry_);
    devices_ = *DeviceMgr::Create(registry_, {.device_count = {{"CPU", 1}}});
  }

  NodeId Node(const std::string& name, const std::string& op, std::vector<Output> inputs,
              std::vector<NamedAttr> attrs = {}) {
    NodeSpec spec{};
    spec.op = op, spec.name = name, spec.inputs = inputs, spec.attrs = attrs;
    const Result<NodeId> made = graph_.Append({&spec, 1});
    EXPECT_TRUE(made.ok()) << op << ": " << made.status().message();
    return *made;
  }
  Output Ints(const std::string& name, const std::vector<int32_t>& values) {
    return {Node(name, "Const", {},
                 {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(values)}}),
            0};
  }
  Output Int(const std::string& name, int32_t value) {
    return {Node(name, "Const", {},
                 {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(value)}}),
            0};
  }
  Output At(const std::string& name) { return {graph_.Find(name), 0}; }

  std::shared_ptr<Plan> MakePlan(const std::string& fed, const std::string& fetches,
                                 bool optimize = true) {
    CompileOptions options{devices_.get(), &resources_, {}};
    options.optimize = optimize;
    auto plan = Compile(graph_, {Values(graph_, fed), Values(graph_, fetches), {}}, options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return *plan;
  }

  // Runs a traced step, compares what it fetches with the reference evaluator, and returns the ops of
  // the kernels that ran.
  std::string Run(Plan& plan, const std::vector<Tensor>& feeds, bool keep_values = false) {
    std::vector<Tensor> got(plan.stages.signature.fetches.size()), wanted(got.size());
    EXPECT_TRUE(RunReference(plan.stages, feeds, wanted, {.resources = &resources_}).ok());
    StepTrace trace;
    trace.keep_values = keep_values;
    StepOptions options;
    options.trace = &trace;
    const Status status = RunStep(plan, feeds, got, options);
    EXPECT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < got.size() && status.ok(); ++i) {
      EXPECT_EQ(got[i].shape(), wanted[i].shape()) << "fetch " << i;
      EXPECT_EQ(std::memcmp(got[i].raw(), wanted[i].raw(), static_cast<size_t>(got[i].bytes())), 0)
          << "fetch " << i;
    }
    std::string ops;
    for (const StepEvent& event : trace.events)
      if (event.kind == StepEvent::kCompute) ops += StrCat(graph_.op(event.node).name, " ");
    return ops;
  }

  Tensor Random(const Shape& shape) { return test::RandomFloats(rng_, shape); }

  Graph graph_;
  DeviceRegistry registry_;
  std::unique_ptr<DeviceMgr> devices_;
  ResourceTable resources_;
  std::mt19937 rng_{5};
};

// The gradient of a sum of two values of different shapes, as tf.gradients writes it.
constexpr char kGradient[] =
    "x?;y?;s=Shape(x);t=Shape(y);args=BroadcastGradientArgs(s,t);sum=Sum(x,args);"
    "r=Reshape(sum,s);n=Neg(r)";

TEST_F(Once, WhatFollowsFromShapesRunsAgainForOtherShapes) {
  AppendText(graph_, kGradient);
  auto plan = MakePlan("x,y", "n");
  const std::string all = "Shape Shape BroadcastGradientArgs Sum Reshape Neg ";
  EXPECT_EQ(Run(*plan, {Random({2, 3}), Random({3})}), all);
  EXPECT_EQ(Run(*plan, {Random({2, 3}), Random({3})}), "Sum Reshape Neg ");
  EXPECT_EQ(Run(*plan, {Random({2, 3}), Random({2, 3})}),
            "Shape BroadcastGradientArgs Sum Reshape Neg ");
  EXPECT_EQ(Run(*plan, {Random({3, 2}), Random({3, 2})}), all);
  EXPECT_EQ(Run(*plan, {Random({6}), Random({6})}), all);
  EXPECT_EQ(Run(*plan, {Random({6}), Random({6})}), "Sum Reshape Neg ");
  // A step that keeps all values runs all kernels, and so does a plan without the optimizer.
  EXPECT_EQ(Run(*plan, {Random({6}), Random({6})}, true), all);
  EXPECT_EQ(Run(*plan, {Random({6}), Random({6})}), "Sum Reshape Neg ");
  plan = MakePlan("x,y", "n", false);
  for (int step = 0; step < 2; ++step) EXPECT_EQ(Run(*plan, {Random({6}), Random({6})}), all);
}

TEST_F(Once, ValuesThatAreFetchedOrFedAreComputedInEachStep) {
  AppendText(graph_, "x?;a;e=Exp(a);f=Exp(e);g=Mul(x,f);h=Neg(f)");
  auto plan = MakePlan("x", "g,f,h");
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(Run(*plan, {Random({2})}), step ? "Exp Mul Neg " : "Exp Exp Mul Neg ");
  plan = MakePlan("x,e", "g");
  for (int step = 0; step < 3; ++step) EXPECT_EQ(Run(*plan, {Random({2}), Random({})}), "Exp Mul ");
}

TEST_F(Once, ConsumersDoNotOverwriteHeldValues) {
  AppendText(graph_, "x?;a;e=Exp(a);n=Neg(e);s=Square(n);m=Mul(x,s);o=AddV2(m,n)");
  auto plan = MakePlan("x", "o");
  for (int step = 0; step < 4; ++step) (void)Run(*plan, {Random({})});
  EXPECT_EQ(Run(*plan, {Random({})}), "Mul AddV2 ");
}

TEST_F(Once, NodesWithStateRunInEachStep) {
  Node("u", "RandomUniform", {Ints("shape", {3})}, {{"dtype", DType::kFloat}});
  AppendText(graph_, "v!;a;w=Assign(v,a);n=Neg(v);m=Neg(u)");
  CompileOptions options{devices_.get(), &resources_, {}};
  auto plan = *Compile(graph_, {{}, Values(graph_, "w,m"), {graph_.Find("n")}}, options);
  Tensor last;
  for (int step = 0; step < 3; ++step) {
    std::vector<Tensor> fetched(2);
    ASSERT_TRUE(RunStep(*plan, {}, fetched, {}).ok());
    if (last) {
      EXPECT_NE(std::memcmp(last.raw(), fetched[1].raw(), 12), 0);
    }
    last = fetched[1];
  }
  for (const Instr& instr : plan->program()->parts[0].code) EXPECT_NE(instr.kind, Instr::kOnce);
}

TEST_F(Once, AFailureAppearsInEachStep) {
  AppendText(graph_, "x?");
  const Output size = Int("size", 2);
  Node("zero", "Sub", {size, Int("two", 2)});
  Node("divided", "FloorDiv", {size, At("zero")});
  Node("filled", "Fill", {Ints("dims", {1}), At("divided")});
  Node("cast", "Cast", {At("filled")}, {{"DstT", DType::kFloat}});
  Node("sum", "AddV2", {At("x"), At("cast")});
  auto plan = MakePlan("x", "sum");
  const std::vector<Tensor> feeds = {Random({1})};
  for (int step = 0; step < 2; ++step) {
    std::vector<Tensor> fetched(1);
    const Status got = RunStep(*plan, feeds, fetched, {});
    const Status wanted = RunReference(plan->stages, feeds, fetched, {.resources = &resources_});
    EXPECT_FALSE(got.ok());
    EXPECT_EQ(got.message(), wanted.message());
  }
}

TEST_F(Once, AVectorThatIsLargerThanExpectedIsNotHeld) {
  AppendText(graph_, "x?;y?");
  const Output shape{Node("s", "Shape", {At("x")}), 0};
  Node("n", "Prod", {shape, Ints("axis", {0})});
  Node("range", "Range", {Int("start", 0), At("n"), Int("delta", 1)});
  Node("cast", "Cast", {At("range")}, {{"DstT", DType::kFloat}});
  Node("sum", "AddV2", {At("y"), At("cast")});
  auto plan = MakePlan("x,y", "sum");
  const std::string all = "Shape Prod Range Cast AddV2 ";
  EXPECT_EQ(Run(*plan, {Random({20}), Random({20})}), all);
  EXPECT_EQ(Run(*plan, {Random({20}), Random({20})}), "Cast AddV2 ");
  const int64_t large = kMostHeldBytes / 4 + 1;
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(Run(*plan, {Random({large}), Random({large})}), all);
  EXPECT_EQ(Run(*plan, {Random({20}), Random({20})}), all);
}

}  // namespace
}  // namespace tensh
