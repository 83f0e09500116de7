// Chains of elementwise kernels on the fake GPU with the real kernels: one launch per chain, with
// the same values as separate launches.
#include <gtest/gtest.h>

#include <random>

#include "runtime/exec/step.h"
#include "tests/support/fake_gpu.h"

namespace tensh::cuda {
namespace {

class Chains : public ::testing::Test {
 protected:
  Chains() {
    const FakeGpus fake = MakeFakeGpus(1);
    driver_ = fake.driver;
    devices_ = *DeviceMgr::Create(*fake.devices, {});
  }

  std::shared_ptr<Plan> MakePlan(const std::string& fed, const std::string& fetches, bool fuse) {
    CompileOptions options{devices_.get(), &resources_, {}};
    options.optimize = fuse;
    auto plan =
        Compile(graph_, {test::Values(graph_, fed), test::Values(graph_, fetches), {}}, options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return *plan;
  }

  struct Ran {
    std::vector<Tensor> values;
    long launches;
  };
  Ran Run(Plan& plan, const std::vector<Tensor>& feeds) {
    Ran ran{std::vector<Tensor>(plan.stages.signature.fetches.size()), 0};
    const size_t before = driver_->calls().size();
    const Status status = RunStep(plan, feeds, ran.values, {});
    EXPECT_TRUE(status.ok()) << status.message();
    const auto calls = driver_->calls();
    const auto first = calls.begin() + static_cast<ptrdiff_t>(before);
    // Without those that bring the feeds to the GPU.
    ran.launches =
        std::count(first, calls.end(), "launch") -
        std::count_if(first, calls.end(), [](const auto& c) { return c.starts_with("put "); });
    return ran;
  }

  // Returns the numbers of launches with and without chains. The values must be the same.
  std::pair<long, long> Compare(const std::string& fed, const std::vector<Tensor>& feeds,
                                const std::string& fetches) {
    const Ran chain = Run(*MakePlan(fed, fetches, true), feeds);
    const Ran single = Run(*MakePlan(fed, fetches, false), feeds);
    for (size_t i = 0; i < single.values.size(); ++i) {
      const Tensor &a = chain.values[i], &b = single.values[i];
      EXPECT_EQ(a.shape(), b.shape());
      EXPECT_EQ(std::memcmp(a.raw(), b.raw(), static_cast<size_t>(b.bytes())), 0) << "fetch " << i;
    }
    return {chain.launches, single.launches};
  }

  Tensor Random(const Shape& shape) { return test::RandomFloats(rng_, shape); }

  FakeDriver* driver_ = nullptr;
  std::unique_ptr<DeviceMgr> devices_;
  ResourceTable resources_;
  tensh::Graph graph_{OpsWithKernels()};
  std::mt19937 rng_{11};
};

TEST_F(Chains, OneLaunchWhateverTheSize) {
  test::AppendText(graph_, "x?;y?;z?;m=Mul(x,y);s=AddV2(m,z);e=Exp(s);t=Tanh(e)");
  for (const int64_t n : {1, 3, 4, 5, 1026, 4096}) {
    const auto [chain, single] = Compare("x,y,z", {Random({n}), Random({n}), Random({})}, "t");
    EXPECT_EQ(chain, 1) << n;
    EXPECT_EQ(single, 4) << n;
  }
  EXPECT_EQ(Compare("x,y,z", {Random({6, 5}), Random({5}), Random({1})}, "t"), std::pair(1l, 4l));
  // Shapes that a chain does not support.
  EXPECT_EQ(Compare("x,y,z", {Random({6, 1}), Random({1, 5}), Random({})}, "t"), std::pair(4l, 4l));
  EXPECT_EQ(Compare("x,y,z", {Random({0}), Random({}), Random({})}, "t"), std::pair(0l, 0l));
}

TEST_F(Chains, WhatIsInBetweenComesBefore) {
  test::AppendText(graph_,
                   "x?;y?;a=Neg(x);p=L2Loss(y);b=Square(a);q=Neg(p);c=AddV2(b,q);d=Tanh(b)^c");
  const auto [chain, single] = Compare("x,y", {Random({100}), Random({100})}, "c,d,a");
  EXPECT_LT(chain, single);
}

TEST_F(Chains, MoreWaitingValuesThanRegistersGoOneByOne) {
  std::string text = "x?;", sum = "v0";
  for (int k = 0; k < 8; ++k)
    text += "v" + std::to_string(k) + "=Square(" + (k ? "v" + std::to_string(k - 1) : "x") + ");";
  for (int k = 0; k < 8; ++k) {
    const std::string next = "s" + std::to_string(k);
    text += next + "=Mul(" + sum + ",v" + std::to_string(k) + ");";
    sum = next;
  }
  test::AppendText(graph_, text + "end=Neg(" + sum + ")");
  Compare("x", {Random({50})}, "end");
}

TEST_F(Chains, RandomOnesGiveWhatTheirKernelsGive) {
  constexpr const char* kUnary[] = {"Neg",  "Abs",   "Square",  "Sign",     "Exp",   "Expm1",
                                    "Tanh", "Floor", "Sigmoid", "Softplus", "Relu6", "Rint"};
  constexpr const char* kBinary[] = {"AddV2",   "Sub",     "Mul",      "RealDiv",
                                     "Maximum", "Minimum", "DivNoNan", "SquaredDifference"};
  auto below = [&](int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); };
  long chains = 0, singles = 0;
  for (int round = 0; round < 60; ++round) {
    const std::string prefix = "r" + std::to_string(round) + "_";
    const auto name = [&](int k) { return prefix + std::to_string(k); };
    std::string fed;
    std::vector<Tensor> feeds;
    for (int k = 0; k < 3; ++k) {
      fed += (k ? "," : "") + name(k);
      const int kind = k ? below(3) : 0;
      feeds.push_back(Random(kind == 0   ? Shape({3, 1 + round})
                             : kind == 1 ? Shape({1 + round})
                                         : Shape()));
    }
    const int n = 6 + below(50);
    const std::string text = test::RandomChain(rng_, prefix, 3, n, kUnary, kBinary);
    SCOPED_TRACE(text);
    test::AppendText(graph_, text);
    const auto [chain, single] = Compare(fed, feeds, name(n - 1) + "," + name(3 + below(n - 3)));
    chains += chain;
    singles += single;
  }
  EXPECT_LT(chains * 2, singles);
}

}  // namespace
}  // namespace tensh::cuda
