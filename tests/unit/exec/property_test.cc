// Random graphs: the compiled plan must agree with the reference interpreter, on one and on three
// devices, however the graph was extended and whatever is fed. Seeds are fixed, and a failure
// prints the graph's text.
#include <gtest/gtest.h>

#include <random>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

// Returns "n0;n1=Neg(n0);n2=AddV2(n1,n0)@cpu:1^n1;…", with variables that are initialized and
// updated in between.
std::string RandomGraph(std::mt19937& rng, int nodes) {
  auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  std::string text = "a0;b1;c2";
  for (int i = 3; i < nodes; ++i) {
    static constexpr const char* kUnary[] = {"Neg", "Identity", "Square", "Tanh"};
    static constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul", "Maximum"};
    auto name = [](int k) {
      return k < 3 ? std::string(1, "abc"[k]) + std::to_string(k) : "n" + std::to_string(k);
    };
    std::string in0 = name(below(i)), in1 = name(below(i));
    std::string call = below(2) ? std::string(kUnary[below(4)]) + "(" + in0 + ")"
                                : std::string(kBinary[below(4)]) + "(" + in0 + "," + in1 + ")";
    text += ";" + name(i) + "=" + call;
    if (below(4) == 0) text += "^" + name(below(i));
    if (below(2)) text += "@cpu:" + std::to_string(below(3));
  }
  return text;
}

class RandomGraphs : public ::testing::TestWithParam<int> {};

Tensor RunOn(Graph& graph, const RunSignature& signature, const std::vector<Tensor>& feeds,
             int devices_count, bool reference) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  auto devices = *DeviceMgr::Create(registry, {.device_count = {{"CPU", devices_count}}});
  ResourceTable resources;
  CompileOptions options{devices.get(), &resources, {.allow_soft_placement = true}};
  auto plan = Compile(graph, signature, options);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  Tensor fetched;
  for (int step = 0; step < 2; ++step) {  // the second step runs in a recycled frame
    Status status =
        reference ? RunReference((*plan)->stages, feeds, {&fetched, 1}, {.resources = &resources})
                  : RunStep(**plan, feeds, {&fetched, 1}, {});
    EXPECT_TRUE(status.ok()) << status.message();
  }
  return fetched;
}

TEST_P(RandomGraphs, PlansAgreeWithTheReference) {
  std::mt19937 rng(static_cast<unsigned>(GetParam()));
  int nodes = 5 + static_cast<int>(rng() % 40);
  std::string text = RandomGraph(rng, nodes);
  SCOPED_TRACE(text);
  auto* whole = new Graph(test::AllOps());
  auto* split = new Graph(test::AllOps());
  test::AppendText(*whole, text);
  test::AppendText(*split, text, /*one_by_one=*/true);
  std::string last = "n" + std::to_string(nodes - 1),
              middle = "n" + std::to_string(
                                 3 + static_cast<int>(rng() % static_cast<unsigned>(nodes - 3)));
  for (bool feed : {false, true}) {
    RunSignature signature{feed ? test::Values(*whole, middle) : std::vector<ValueId>(),
                           test::Values(*whole, last),
                           {}};
    std::vector<Tensor> feeds;
    if (feed) feeds.push_back(Tensor::Scalar(0.25f));
    float wanted = *RunOn(*whole, signature, feeds, 1, true).data<float>();
    auto same = [&](float got) { return got == wanted || (got != got && wanted != wanted); };
    EXPECT_TRUE(same(*RunOn(*whole, signature, feeds, 1, false).data<float>())) << "plan";
    EXPECT_TRUE(same(*RunOn(*whole, signature, feeds, 3, false).data<float>())) << "three devices";
    EXPECT_TRUE(same(*RunOn(*split, signature, feeds, 1, false).data<float>()))
        << "extended node by node";
  }
  whole->Unref();
  split->Unref();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, ::testing::Range(0, 200));

}  // namespace
}  // namespace tensh
