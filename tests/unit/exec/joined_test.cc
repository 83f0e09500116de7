// Kernels that make their output in parts, with which the rest of a chain continues: the values are
// bit for bit those of the single kernels, and the parts take no other memory.
#include <gtest/gtest.h>

#include <random>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/fused.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

using Attributes = std::vector<NamedAttr>;

class Joined : public ::testing::TestWithParam<int> {
 protected:
  Joined() : graph_(test::AllOps()) {
    RegisterDevice_cpu(registry_);
    devices_ = *DeviceMgr::Create(registry_,
                                  {.device_count = {{"CPU", 1}}, .intra_op_threads = GetParam()});
  }

  Output Node(const std::string& op, std::vector<Output> inputs, Attributes attrs = {}) {
    NodeSpec spec{};
    spec.op = op;
    spec.inputs = inputs;
    spec.attrs = attrs;
    const Result<NodeId> made = graph_.Append({&spec, 1});
    EXPECT_TRUE(made.ok()) << op << ": " << made.status().message();
    return {*made, 0};
  }
  // A placeholder, and the value that is fed to it.
  Output Fed(const Shape& shape, bool known = true) {
    feeds_.push_back(test::RandomFloats(rng_, shape));
    Attributes attrs = {{"dtype", DType::kFloat}};
    if (known) attrs.push_back({"shape", shape});
    fed_.push_back(Node("Placeholder", {}, attrs));
    return fed_.back();
  }
  Output Conv(Output x, int64_t channels, int64_t outputs, int64_t size = 3) {
    return Node("Conv2D", {x, Fed({size, size, channels, outputs})},
                {{"strides", AttrValue::Ints{1, 1, 1, 1}}, {"padding", "SAME"}});
  }
  // Batch normalization with given statistics, the variance of which is positive.
  Output Norm(Output x, int64_t channels) {
    const Output scale = Fed({channels}), offset = Fed({channels}), mean = Fed({channels});
    const Output variance = Node("Square", {Fed({channels})});
    return Node("FusedBatchNormV3", {x, scale, offset, mean, variance}, {{"is_training", false}});
  }

  std::shared_ptr<Plan> MakePlan(const std::vector<Output>& fetches, bool optimize = true) {
    RunSignature signature;
    for (const Output& o : fed_) signature.feeds.push_back(graph_.output(o.node, o.index));
    for (const Output& o : fetches) signature.fetches.push_back(graph_.output(o.node, o.index));
    CompileOptions options{devices_.get(), &resources_, {}};
    options.optimize = optimize;
    auto plan = Compile(graph_, std::move(signature), options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return *plan;
  }

  std::vector<Tensor> Run(Plan& plan) {
    std::vector<Tensor> fetched(plan.stages.signature.fetches.size());
    const Status status = RunStep(plan, feeds_, fetched, {});
    EXPECT_TRUE(status.ok()) << status.message();
    return fetched;
  }

  // Returns the nodes of the only chain that a kernel begins, with the same values as without it.
  size_t Joins(const std::vector<Output>& fetches) {
    const auto plan = MakePlan(fetches), each = MakePlan(fetches, false);
    EXPECT_TRUE(each->program()->parts[0].fused.empty());
    size_t nodes = 0;
    for (const FusedCode& chain : plan->program()->parts[0].fused)
      if (chain.has_maker) nodes += chain.end - chain.begin;
    for (int step = 0; step < 2; ++step) {
      const std::vector<Tensor> got = Run(*plan), wanted = Run(*each);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].shape(), wanted[i].shape()) << "fetch " << i;
        EXPECT_EQ(std::memcmp(got[i].raw(), wanted[i].raw(), static_cast<size_t>(got[i].bytes())),
                  0)
            << "fetch " << i << ", step " << step;
      }
    }
    return nodes;
  }

  // Returns the nodes that the first one of the chain is computed with, in a traced step.
  std::vector<std::string> ComputedWith(const std::vector<Output>& fetches, NodeId first) {
    const auto plan = MakePlan(fetches);
    std::vector<Tensor> fetched(fetches.size());
    StepTrace trace;
    StepOptions options;
    options.trace = &trace;
    EXPECT_TRUE(RunStep(*plan, feeds_, fetched, options).ok());
    std::vector<std::string> names;
    for (const StepEvent& event : trace.events) {
      if (event.with != first) continue;
      EXPECT_EQ(event.start_ns, event.end_ns);
      names.emplace_back(graph_.op(event.node).name);
    }
    return names;
  }

  Graph graph_;
  DeviceRegistry registry_;
  std::unique_ptr<DeviceMgr> devices_;
  ResourceTable resources_;
  std::mt19937 rng_{3};
  std::vector<Output> fed_;
  std::vector<Tensor> feeds_;
};

TEST_P(Joined, ConvolutionsWithBiasAndActivation) {
  for (const char* activation :
       {"Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Sigmoid", "Tanh", "Softplus"}) {
    SCOPED_TRACE(activation);
    const Output conv = Conv(Fed({2, 40, 37, 3}), 3, 24);
    EXPECT_EQ(Joins({Node(activation, {Node("BiasAdd", {conv, Fed({24})})})}), 3u);
  }
}

TEST_P(Joined, AVectorThatBroadcastsIsABias) {
  const Output conv = Conv(Fed({1, 50, 50, 8}), 8, 16);
  EXPECT_EQ(Joins({Node("Relu", {Node("AddV2", {conv, Fed({16})})})}), 3u);
  const Output other = Conv(Fed({1, 50, 50, 8}), 8, 16);
  EXPECT_EQ(Joins({Node("Mul", {Fed({1, 1, 1, 16}), other})}), 2u);
}

TEST_P(Joined, NormalizationAndResidual) {
  const Output x = Fed({2, 30, 30, 16});
  const Output a = Node("Relu", {Norm(Conv(x, 16, 32), 32)});
  const Output b = Norm(Conv(a, 32, 32), 32), side = Norm(Conv(x, 16, 32, 1), 32);
  EXPECT_EQ(Joins({Node("Relu6", {Node("AddV2", {side, b})})}), 3u + 2u + 4u);
}

TEST_P(Joined, OtherMakers) {
  const Output x = Fed({2, 60, 60, 16});
  const Output depthwise = Node("DepthwiseConv2dNative", {x, Fed({3, 3, 16, 1})},
                                {{"strides", AttrValue::Ints{1, 2, 2, 1}}, {"padding", "SAME"}});
  EXPECT_EQ(Joins({Node("Relu6", {Norm(depthwise, 16)})}), 3u);
  const Output product = Node("MatMul", {Fed({300, 70}), Fed({70, 64})});
  EXPECT_EQ(Joins({Node("Tanh", {Node("BiasAdd", {product, Fed({64})})})}), 3u);
  const int32_t sizes[] = {2, 60, 60, 16};
  const Output shape =
      Node("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(sizes)}});
  const Output back = Node("Conv2DBackpropInput", {shape, Fed({3, 3, 16, 8}), Fed({2, 60, 60, 8})},
                           {{"strides", AttrValue::Ints{1, 1, 1, 1}}, {"padding", "SAME"}});
  EXPECT_EQ(Joins({Node("ReluGrad", {back, x})}), 2u);
}

TEST_P(Joined, AnIdentityDoesNotEndAChain) {
  const Output conv = Conv(Fed({1, 50, 50, 8}), 8, 16);
  const Output bias = Node("BiasAdd", {Node("Identity", {conv}), Fed({16})});
  const Output relu = Node("Relu", {Node("Identity", {bias})});
  EXPECT_EQ(Joins({relu}), 3u);
  EXPECT_EQ(Joins({Node("Identity", {relu})}), 3u);
  const Output copy = Node("Identity", {Conv(Fed({1, 50, 50, 8}), 8, 16)});
  EXPECT_EQ(Joins({Node("Relu", {copy}), copy}), 0u);
}

TEST_P(Joined, ValuesThatOthersUseAreMadeToo) {
  const Output conv = Conv(Fed({2, 40, 40, 8}), 8, 16);
  const Output bias = Node("BiasAdd", {conv, Fed({16})}), relu = Node("Relu", {bias});
  EXPECT_EQ(Joins({relu, conv}), 3u);
  EXPECT_EQ(Joins({relu, bias}), 3u);
  EXPECT_EQ(Joins({relu, bias, conv, Node("Sigmoid", {conv})}), 4u);
}

TEST_P(Joined, ShapesThatDoNotFitRunOneByOne) {
  // Rows that are no whole vectors, outputs that are too small, and shapes that are unknown before.
  for (const int64_t outputs : {5, 12})
    (void)Joins(
        {Node("Tanh", {Node("BiasAdd", {Conv(Fed({1, 70, 70, 3}), 3, outputs), Fed({outputs})})})});
  (void)Joins({Node("Relu", {Conv(Fed({1, 4, 4, 3}, false), 3, 8)})});
  (void)Joins({Node("AddV2", {Conv(Fed({1, 60, 60, 3}, false), 3, 8), Fed({60, 60, 1}, false)})});
  (void)Joins(
      {Node("AddV2", {Conv(Fed({1, 60, 60, 3}, false), 3, 8), Fed({3, 60, 60, 8}, false)})});
  EXPECT_EQ(Joins({Node("Relu", {Norm(Conv(Fed({1, 60, 60, 3}, false), 3, 8), 8)})}), 3u);
}

// A product with fewer rows than columns makes no parts. If its output is too small for a pass, the
// step continues behind the product instead of running it again.
TEST_P(Joined, AKernelThatMakesNoPartsRunsOnce) {
  const Output product = Node("MatMul", {Fed({100, 300}), Fed({300, 400})});
  const auto plan = MakePlan({Node("Relu", {product})});
  const PartitionCode& code = plan->program()->parts[0];
  ASSERT_EQ(code.fused.size(), 1u);
  const KernelCall& call = code.code[code.fused[0].begin].call;
  std::vector<Tensor> slots(code.n_slots);
  for (uint32_t i = 0; i < call.n_in; ++i) slots[call.in[i]] = feeds_[i];
  EXPECT_EQ(RunFused(code, code.fused[0], slots, nullptr, nullptr), 1u);
  EXPECT_EQ(slots[call.out[0]].shape(), Shape({100, 400}));
}

TEST_P(Joined, StatisticsThatAreFetchedKeepTheWholeKernel) {
  const Output norm = Norm(Conv(Fed({2, 30, 30, 8}), 8, 16), 16);
  EXPECT_EQ(Joins({norm, {norm.node, 1}}), 0u);
}

TEST_P(Joined, AFailureIsReportedByItsNode) {
  const Output conv = Conv(Fed({2, 40, 40, 8}, false), 8, 16);
  const Output bad = Node("BiasAdd", {conv, Fed({17}, false)});
  const auto plan = MakePlan({Node("Relu", {bad})});
  std::vector<Tensor> fetched(1);
  const Status got = RunStep(*plan, feeds_, fetched, {});
  const Status wanted = RunReference(plan->stages, feeds_, fetched, {.resources = &resources_});
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.message(), wanted.message());
}

TEST_P(Joined, ATraceTellsWhatOneKernelMade) {
  const Output conv = Conv(Fed({2, 40, 40, 8}), 8, 16);
  const Output relu = Node("Relu", {Norm(conv, 16)});
  EXPECT_EQ(ComputedWith({relu}, conv.node),
            (std::vector<std::string>{"FusedBatchNormV3", "Relu"}));
}

INSTANTIATE_TEST_SUITE_P(Threads, Joined, ::testing::Values(1, 2));

}  // namespace
}  // namespace tensh
