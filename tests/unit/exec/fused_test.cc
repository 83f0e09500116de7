// Chains of elementwise nodes as one pass over the elements: the values are bit for bit those of
// the single kernels, and intermediate values take no memory.
#include <gtest/gtest.h>

#include <random>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/fused.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

using test::AppendText;
using test::Values;

// Counts allocations that are as large as the tensors of a test.
class CountingAllocator : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    large_ += bytes >= kFewestFused * sizeof(float);
    return HostAllocator()->Allocate(bytes);
  }
  void Free(void* data, size_t bytes) override { HostAllocator()->Free(data, bytes); }
  int TakeLarge() { return large_.exchange(0); }

 private:
  std::atomic<int> large_{0};
};

class Fused : public ::testing::Test {
 protected:
  Fused() : graph_(test::AllOps()) {
    RegisterDevice_cpu(registry_);
    devices_ = *DeviceMgr::Create(registry_, {.device_count = {{"CPU", 1}}, .intra_op_threads = 2});
  }

  // Compiles a plan that fetches `fetches` from the graph in the text, with the placeholders `fed`
  // as feeds.
  std::shared_ptr<Plan> MakePlan(const std::string& text, const std::string& fed,
                                 const std::string& fetches) {
    AppendText(graph_, text);
    CompileOptions options{devices_.get(), &resources_, {}};
    options.allocator = &memory_;
    auto plan = Compile(graph_, {Values(graph_, fed), Values(graph_, fetches), {}}, options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return *plan;
  }

  std::vector<Tensor> Run(Plan& plan, const std::vector<Tensor>& feeds) {
    std::vector<Tensor> fetched(plan.stages.signature.fetches.size());
    memory_.TakeLarge();
    const Status status = RunStep(plan, feeds, fetched, {});
    EXPECT_TRUE(status.ok()) << status.message();
    return fetched;
  }

  void ExpectSameAsOneByOne(Plan& plan, const std::vector<Tensor>& feeds) {
    std::vector<Tensor> wanted(plan.stages.signature.fetches.size());
    ASSERT_TRUE(RunReference(plan.stages, feeds, wanted, {.resources = &resources_}).ok());
    const std::vector<Tensor> got = Run(plan, feeds);
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].shape(), wanted[i].shape()) << "fetch " << i;
      EXPECT_EQ(std::memcmp(got[i].raw(), wanted[i].raw(), static_cast<size_t>(got[i].bytes())), 0)
          << "fetch " << i;
    }
  }

  Tensor Random(const Shape& shape) { return test::RandomFloats(rng_, shape); }

  Graph graph_;
  DeviceRegistry registry_;
  std::unique_ptr<DeviceMgr> devices_;
  ResourceTable resources_;
  CountingAllocator memory_;
  std::mt19937 rng_{7};
};

constexpr char kChain[] = "x?;y?;z?;m=Mul(x,y);s=AddV2(m,z);e=Exp(s);t=Tanh(e)";

TEST_F(Fused, AChainIsOnePassWhereItIsLarge) {
  auto plan = MakePlan(kChain, "x,y,z", "t");
  ASSERT_EQ(plan->program()->parts[0].fused.size(), 1u);
  EXPECT_EQ(plan->program()->parts[0].fused[0].steps.size(), 4u);
  const Shape large({kFewestFused + 37});  // the last block is not a whole number of vectors
  ExpectSameAsOneByOne(*plan, {Random(large), Random(large), Random(large)});
  EXPECT_EQ(memory_.TakeLarge(), 1);
  ExpectSameAsOneByOne(*plan, {Random({5}), Random({5}), Random({5})});
}

TEST_F(Fused, ScalarsAndRowsGoAlong) {
  auto plan = MakePlan(kChain, "x,y,z", "t");
  const Shape matrix({4000, 77});
  ExpectSameAsOneByOne(*plan, {Random(matrix), Random({}), Random({77})});
  EXPECT_EQ(memory_.TakeLarge(), 1);
  ExpectSameAsOneByOne(*plan, {Random({}), Random({1}), Random(matrix)});
  EXPECT_EQ(memory_.TakeLarge(), 1);
  ExpectSameAsOneByOne(*plan, {Random({77}), Random(matrix), Random({1, 1})});
  EXPECT_EQ(memory_.TakeLarge(), 1);
}

TEST_F(Fused, OtherShapesGoOneByOne) {
  auto plan = MakePlan(kChain, "x,y,z", "t");
  ExpectSameAsOneByOne(*plan, {Random({600, 1}), Random({1, 600}), Random({600, 600})});
  ExpectSameAsOneByOne(*plan, {Random({600, 600}), Random({600, 1}), Random({})});
  ExpectSameAsOneByOne(*plan, {Random({1, 600, 600}), Random({600, 600}), Random({600})});
  ExpectSameAsOneByOne(*plan, {Random({0}), Random({}), Random({0})});
}

TEST_F(Fused, WhatOthersWantIsMadeToo) {
  auto plan = MakePlan(StrCat(kChain, ";n=Neg(s);r=L2Loss(m)"), "x,y,z", "t,s,n,r");
  ASSERT_GE(plan->program()->parts[0].fused.size(), 1u);
  const Shape large({kFewestFused});
  ExpectSameAsOneByOne(*plan, {Random(large), Random(large), Random(large)});
}

TEST_F(Fused, AFailureIsReportedAsOneByOne) {
  AppendText(graph_, "x?;y?");
  auto plan = MakePlan("s=AddV2(x,y);e=ReluGrad(s,y)", "x,y", "e");
  std::vector<Tensor> fetched(1);
  const std::vector<Tensor> feeds = {Random({kFewestFused}), Random({})};
  const Status got = RunStep(*plan, feeds, fetched, {});
  const Status wanted = RunReference(plan->stages, feeds, fetched, {.resources = &resources_});
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.message(), wanted.message());
}

TEST_F(Fused, ATimeLimitEndsAPass) {
  std::string text = "x?;n0=Exp(x)";
  for (int k = 1; k < 30; ++k)
    text += ";n" + std::to_string(k) + (k % 2 ? "=Tanh(n" : "=Exp(n") + std::to_string(k - 1) + ")";
  auto plan = MakePlan(text, "x", "n29");
  const std::vector<Tensor> feeds = {Random({int64_t{1} << 22})};
  std::vector<Tensor> fetched(1);
  CancelFlag cancel;
  ASSERT_TRUE(cancel.StartLimit(1).ok());
  StepOptions options;
  options.cancel = &cancel;
  const Status status = RunStep(*plan, feeds, fetched, options);
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status.message();
  cancel.EndLimit();
  EXPECT_TRUE(RunStep(*plan, feeds, fetched, options).ok());
}

// Random chains with random shapes of inputs.
TEST_F(Fused, RandomChainsAgreeWithTheReference) {
  constexpr const char* kUnary[] = {"Neg", "Exp", "Tanh", "Sigmoid", "Relu", "Square", "Abs"};
  constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul", "Maximum", "Div", "SquaredDifference"};
  auto below = [&](int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); };
  int passes = 0;
  for (int round = 0; round < 40; ++round) {
    const std::string prefix = "r" + std::to_string(round) + "_";
    const auto name = [&](int k) { return prefix + std::to_string(k); };
    std::string fed, fetches;
    std::vector<Tensor> feeds;
    const Shape whole = round % 2 ? Shape({kFewestFused + round}) : Shape({2700 + round, 100});
    for (int k = 0; k < 3; ++k) {
      fed += (k ? "," : "") + name(k);
      const int kind = k ? below(4) : 0;
      feeds.push_back(Random(kind < 2                      ? whole
                             : kind == 2 && round % 2 == 0 ? Shape({100})
                                                           : Shape()));
    }
    const int n = 6 + below(40);
    const std::string text = test::RandomChain(rng_, prefix, 3, n, kUnary, kBinary);
    fetches = name(n - 1) + "," + name(3 + below(n - 3));
    SCOPED_TRACE(text);
    auto plan = MakePlan(text, fed, fetches);
    passes += !plan->program()->parts[0].fused.empty();
    ExpectSameAsOneByOne(*plan, feeds);
  }
  EXPECT_GT(passes, 30);
}

}  // namespace
}  // namespace tensh
