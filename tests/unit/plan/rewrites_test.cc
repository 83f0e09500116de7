// The rewrites of the optimizer: they leave out the nodes that they should and no others, and the
// values are bit for bit those of the reference evaluator, which runs all nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "devices/cpu/cpu_device.h"
#include "ops/support/isa.h"
#include "runtime/exec/step.h"
#include "tests/support/graph_text.h"
#include "tests/support/reference.h"

namespace tensh {
namespace {

using test::AppendText;
using test::Values;

class Rewriting : public ::testing::Test {
 protected:
  Rewriting() : graph_(test::AllOps()) {
    RegisterDevice_cpu(registry_);
    devices_ = *DeviceMgr::Create(registry_, {.device_count = {{"CPU", 2}}});
  }

  // Adds the transpose by `axes` of the node `x`.
  void Transpose(const std::string& name, const std::string& x, const std::vector<int32_t>& axes) {
    NodeSpec perm{}, spec{};
    const std::string perm_name = name + "_axes";
    const std::vector<NamedAttr> attrs = {{"dtype", DType::kInt32},
                                          {"value", Tensor::Vector<int32_t>(axes)}};
    perm.op = "Const", perm.name = perm_name, perm.attrs = attrs;
    const Result<NodeId> made = graph_.Append({&perm, 1});
    ASSERT_TRUE(made.ok());
    const std::vector<Output> inputs = {{graph_.Find(x), 0}, {*made, 0}};
    spec.op = "Transpose", spec.name = name, spec.inputs = inputs;
    ASSERT_TRUE(graph_.Append({&spec, 1}).ok());
  }
  void Placeholder(const std::string& name, const Shape& shape) {
    const std::vector<NamedAttr> attrs = {{"dtype", DType::kFloat}, {"shape", shape}};
    NodeSpec spec{};
    spec.op = "Placeholder", spec.name = name, spec.attrs = attrs;
    ASSERT_TRUE(graph_.Append({&spec, 1}).ok());
  }

  // Runs two steps and compares what they fetch with the reference evaluator. Returns the nodes that
  // are left out: "y=x z=x".
  std::string LeftOut(const std::string& fed, const std::string& fetches,
                      const std::vector<Tensor>& feeds, bool optimize = true) {
    CompileOptions options{devices_.get(), &resources_, {}};
    options.optimize = optimize;
    auto plan = *Compile(graph_, {Values(graph_, fed), Values(graph_, fetches), {}}, options);
    std::vector<Tensor> got(plan->stages.signature.fetches.size()), wanted(got.size());
    EXPECT_TRUE(RunReference(plan->stages, feeds, wanted, {.resources = &resources_}).ok());
    for (int step = 0; step < 2; ++step) {
      const Status status = RunStep(*plan, feeds, got, {});
      EXPECT_TRUE(status.ok()) << status.message();
      for (size_t i = 0; i < got.size() && status.ok(); ++i) {
        EXPECT_EQ(got[i].shape(), wanted[i].shape()) << "fetch " << i;
        EXPECT_EQ(std::memcmp(got[i].raw(), wanted[i].raw(), static_cast<size_t>(got[i].bytes())),
                  0)
            << "fetch " << i;
      }
    }
    std::string text;
    const Rewrites& rewrites = plan->stages.rewrites;
    for (const NodeId node : plan->stages.pruned.nodes) {
      if (!rewrites.LeavesOut(node)) continue;
      const uint32_t by = rewrites.values.Find(Index(graph_.output(node, 0)));
      text += StrCat(text.empty() ? "" : " ", graph_.name(node), "=",
                     by == UINT32_MAX ? "" : graph_.name(graph_.node_of(ValueId{by})));
    }
    return text;
  }

  // Adds a node whose inputs are outputs 0 of these nodes.
  void Node(const std::string& op, const std::string& name, const std::vector<std::string>& from,
            const std::vector<NamedAttr>& attrs = {}) {
    std::vector<Output> inputs;
    for (const std::string& in : from) inputs.push_back({graph_.Find(in), 0});
    NodeSpec spec{};
    spec.op = op, spec.name = name, spec.inputs = inputs, spec.attrs = attrs;
    const Result<NodeId> made = graph_.Append({&spec, 1});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  void Constant(const std::string& name, const Tensor& value) {
    Node("Const", name, {}, {{"dtype", value.dtype()}, {"value", value}});
  }
  void Cast(const std::string& name, const std::string& x, DType to) {
    Node("Cast", name, {x}, {{"DstT", to}});
  }
  // Adds the nodes that multiply x by high + low and by right, and round twice. `high` and `low` are
  // vectors of n elements, or scalars for 0.
  void Scaled(const std::string& name, const std::string& x, int64_t n) {
    const auto vector = [&](double first, double step) {
      if (!n) return Tensor::Scalar<double>(first);
      std::vector<double> values;
      for (int64_t i = 0; i < n; ++i) values.push_back(first + step * static_cast<double>(i % 7));
      return Tensor::Vector<double>(values);
    };
    Constant(name + "h", vector(20000, 311)), Constant(name + "l", vector(.25, .0625));
    Constant(name + "r", vector(.03125, 0));
    Constant(name + "c", Tensor::Scalar<double>(1.0 / 32768));
    Constant(name + "d", Tensor::Scalar<double>(.5));
    Node("Mul", name + "1", {x, name + "h"}), Node("Mul", name + "2", {x, name + "l"});
    Node("Floor", name + "3", {name + "2"}), Node("AddV2", name + "4", {name + "1", name + "3"});
    Node("Mul", name + "5", {name + "4", name + "c"});
    Node("AddV2", name + "6", {name + "5", name + "d"}), Node("Floor", name + "7", {name + "6"});
    Node("Abs", name + "8", {name + "7"}), Node("Mul", name + "9", {name + "8", name + "r"});
    Node("AddV2", name + "10", {name + "9", name + "d"}), Node("Floor", name + "11", {name + "10"});
    Node("Sign", name + "12", {name + "7"});
    Node("Mul", name, {name + "11", name + "12"});
  }
  // Adds the nodes that move x by 3, limit it to the range of 8 bits, and make it integers.
  void Limited(const std::string& name, const std::string& x) {
    Constant(name + "z", Tensor::Scalar<double>(3));
    Constant(name + "a", Tensor::Scalar<double>(-128)),
        Constant(name + "b", Tensor::Scalar<double>(127));
    Node("AddV2", name + "1", {x, name + "z"}),
        Node("Maximum", name + "2", {name + "1", name + "a"});
    Node("Minimum", name + "3", {name + "2", name + "b"});
    Cast(name, name + "3", DType::kInt8);
  }

  Tensor Random(const Shape& shape) { return test::RandomFloats(rng_, shape); }

  Graph graph_;
  DeviceRegistry registry_;
  std::unique_ptr<DeviceMgr> devices_;
  ResourceTable resources_;
  std::mt19937 rng_{9};
};

TEST_F(Rewriting, NodesThatPassOnTheirInput) {
  AppendText(graph_, "x?;i=Identity(x);j=Identity(i);n=Neg(j);k=Identity(n)^i;e=Exp(k)");
  EXPECT_EQ(LeftOut("x", "e", {Random({3})}), "i=x j=x k=n");
  EXPECT_EQ(LeftOut("x", "e", {Random({3})}, false), "");
  EXPECT_EQ(LeftOut("x", "e,k", {Random({3})}), "i=x j=x");               // fetched
  EXPECT_EQ(LeftOut("x,i", "e", {Random({3}), Random({3})}), "j=i k=n");  // fed
}

TEST_F(Rewriting, AVariableIsReadWhereItWasRead) {
  AppendText(graph_,
             "v!;a;b;w=Assign(v,a);r=Identity(v)^w;u=AssignAdd(v,b)^r;n=Neg(r)^u;m=Neg(v)^u");
  EXPECT_EQ(LeftOut("", "n,m", {}), "");
}

TEST_F(Rewriting, EqualNodes) {
  AppendText(graph_, "x?;e=Exp(x);f=Exp(x);s=AddV2(e,f);t=AddV2(f,e);n=Neg(s);m=Neg(t)");
  EXPECT_EQ(LeftOut("x", "n,m", {Random({3})}), "f=e t=s");
  EXPECT_EQ(LeftOut("x,f", "n,m", {Random({3}), Random({3})}), "");
  EXPECT_EQ(LeftOut("x", "n,f", {Random({3})}), "");
  EXPECT_EQ(LeftOut("x", "n,e", {Random({3})}), "f=e");
}

TEST_F(Rewriting, ConstantsAreEqualIfTheirElementsAre) {
  AppendText(graph_, "x?;b1;b2;c1;m=Mul(x,b1);n=Mul(x,b2);o=Mul(x,c1);s=AddV2(m,n);t=AddV2(s,o)");
  EXPECT_EQ(LeftOut("x", "t", {Random({3})}), "n=m");
}

TEST_F(Rewriting, NodesWithControlInputsAreComputedAgain) {
  AppendText(graph_, "x?;e=Exp(x);n=Neg(e);f=Exp(x)^n;s=AddV2(n,f)");
  EXPECT_EQ(LeftOut("x", "s", {Random({3})}), "");
}

TEST_F(Rewriting, PartitionsKeepTheirSendsAndReceives) {
  AppendText(graph_,
             "x?;e=Exp(x)@cpu:0;i=Identity(e)@cpu:1;j=Identity(i)@cpu:0;f=Exp(x)@cpu:1;"
             "g=Exp(x)@cpu:1;s=AddV2(j,f)@cpu:0;t=AddV2(s,g)@cpu:1;u=AddV2(t,i)@cpu:0");
  EXPECT_EQ(LeftOut("x", "u", {Random({3})}), "i=e j=i g=f");
  CompileOptions options{devices_.get(), &resources_, {}};
  const auto plan = *Compile(graph_, {Values(graph_, "x"), Values(graph_, "u"), {}}, options);
  options.optimize = false;
  const auto each = *Compile(graph_, {Values(graph_, "x"), Values(graph_, "u"), {}}, options);
  EXPECT_EQ(plan->stages.partitioned.transfers.size(), each->stages.partitioned.transfers.size());
}

TEST_F(Rewriting, TransposesThatUndoEachOther) {
  Placeholder("x", Shape({2, 3, 4}));
  Transpose("t", "x", {2, 0, 1});
  Transpose("back", "t", {1, 2, 0});
  Transpose("on", "t", {2, 0, 1});
  AppendText(graph_, "n=Neg(back);m=Neg(on);o=Neg(t)");
  const Tensor x = Random({2, 3, 4});
  EXPECT_EQ(LeftOut("x", "n", {x}), "t= back=x");
  EXPECT_EQ(LeftOut("x", "n,m", {x}), "back=x");
  EXPECT_EQ(LeftOut("x", "n,o", {x}), "back=x");
  EXPECT_EQ(LeftOut("x", "n,t", {x}), "back=x");
  EXPECT_EQ(LeftOut("x,t", "n", {x, Random({4, 2, 3})}), "");
  const std::vector<int32_t> axes = {2, 1, 0};
  EXPECT_EQ(LeftOut("x,back_axes", "n", {x, Tensor::Vector<int32_t>(axes)}), "");
}

TEST_F(Rewriting, TransposesOfUnknownRankMayFail) {
  AppendText(graph_, "x?");
  Transpose("t", "x", {1, 0});
  Transpose("back", "t", {1, 0});
  AppendText(graph_, "n=Neg(back)");
  EXPECT_EQ(LeftOut("x", "n", {Random({2, 3})}), "");
}

// The products of these extents, with both matrices transposed by a node of their own, have the bits of
// those without the optimizer. The extents select each kind of loop.
TEST_F(Rewriting, TransposesOfProductsAreFlags) {
  const int64_t extents[][3] = {{2, 3, 4},     {1, 700, 640},   {5, 90, 130},
                                {640, 600, 1}, {1024, 33, 600}, {90, 70, 80}};
  for (const auto& [m, k, n] : extents) {
    const std::string id = StrCat("_", m, "_", k, "_", n);
    const auto name = [&](const char* prefix) { return prefix + id; };
    Placeholder(name("a"), Shape({k, m}));
    Placeholder(name("b"), Shape({n, k}));
    Transpose(name("s"), name("a"), {1, 0});
    Transpose(name("t"), name("b"), {1, 0});
    AppendText(graph_, StrCat(name("p"), "=MatMul(", name("s"), ",", name("t"), ");", name("n"),
                              "=Neg(", name("p"), ")"));
    EXPECT_EQ(LeftOut(name("a") + "," + name("b"), name("n"), {Random({k, m}), Random({n, k})}),
              StrCat(name("s"), "= ", name("t"), "="));
  }
}

TEST_F(Rewriting, TransposesThatOthersUseStay) {
  Placeholder("x", Shape({2, 3, 4}));
  Placeholder("y", Shape({2, 5, 4}));
  Transpose("t", "y", {0, 2, 1});
  AppendText(graph_, "p=BatchMatMulV2(x,t);n=Neg(p);m=Neg(t)");
  const Tensor x = Random({2, 3, 4}), y = Random({2, 5, 4});
  EXPECT_EQ(LeftOut("x,y", "n", {x, y}), "t=");
  EXPECT_EQ(LeftOut("x,y", "p", {x, y}), "t=");
  EXPECT_EQ(LeftOut("x,y", "n,m", {x, y}), "");
  EXPECT_EQ(LeftOut("x,y", "n,t", {x, y}), "");
  EXPECT_EQ(LeftOut("x,t", "n", {x, Random({2, 4, 5})}), "");
  EXPECT_EQ(LeftOut("x,y", "n", {x, y}, false), "");
}

// The input of a transpose may be the memory of a variable, which is written before the product runs.
TEST_F(Rewriting, AProductAfterAnAssignmentUsesTheValueBeforeIt) {
  Placeholder("x", Shape({2, 2}));
  const std::vector<NamedAttr> attrs = {{"dtype", DType::kFloat}, {"shape", Shape({2, 2})}};
  NodeSpec variable{};
  variable.op = "VariableV2", variable.name = "v", variable.attrs = attrs;
  ASSERT_TRUE(graph_.Append({&variable, 1}).ok());
  AppendText(graph_, "w=Assign(v,x);r=Identity(v)^w");
  Transpose("t", "r", {1, 0});
  AppendText(graph_, "m=MatMul(x,t);u=AssignAdd(v,x)^t;n=MatMul(x,t)^u;p=AddV2(m,n)");
  EXPECT_EQ(LeftOut("x", "p", {Random({2, 2})}), "");
  EXPECT_EQ(LeftOut("x", "m", {Random({2, 2})}), "t=");
}

// Counts the nodes that are left out, and compares the values.
size_t CountOf(const std::string& left_out) {
  return left_out.empty()
             ? 0
             : 1 + static_cast<size_t>(std::count(left_out.begin(), left_out.end(), ' '));
}

TEST_F(Rewriting, TheScalingOfALayerIsOnePass) {
  for (const int64_t channels : {int64_t{0}, int64_t{1}, int64_t{5}, int64_t{64}, int64_t{700}}) {
    const std::string p = StrCat("n", channels);
    const Shape shape({3, 7, channels ? channels : 9});
    Placeholder(p, shape);
    Cast(p + "w", p, DType::kDouble);
    Scaled(p + "s", p + "w", channels);
    Limited(p + "y", p + "s");
    Tensor x = Random(shape);
    for (int64_t i = 0; i < x.num_elements(); ++i)
      x.data<float>()[i] = std::round(3000 * x.data<float>()[i]);
    EXPECT_EQ(CountOf(LeftOut(p, p + "y", {x})), 17) << channels;
    EXPECT_EQ(LeftOut(p, p + "y", {x}, false), "");
    EXPECT_EQ(CountOf(LeftOut(p, p + "y," + p + "s7", {x})), 0);  // a value inside is fetched
    EXPECT_EQ(CountOf(LeftOut(p + "," + p + "sh", p + "y", {x, Tensor::Scalar<double>(30000)})), 0);
  }
}

TEST_F(Rewriting, SmallIntegersAreShiftedInOnePass) {
  const std::vector<NamedAttr> attrs = {{"dtype", DType::kInt8}, {"shape", Shape({4, 6})}};
  Node("Placeholder", "x", {}, attrs), Node("Placeholder", "y", {}, attrs);
  Constant("z", Tensor::Scalar<int32_t>(-7)), Constant("k", Tensor::Scalar<int32_t>(1 << 20));
  for (const std::string v : {"x", "y"}) {
    Cast(v + "1", v, DType::kInt32), Node("Sub", v + "2", {v + "1", "z"});
    Cast(v + "f", v + "2", DType::kFloat);
    Node("Mul", v + "3", {v + "2", "k"}), Cast(v + "4", v + "3", DType::kDouble);
    Scaled(v + "s", v + "4", 0);
  }
  Node("Sub", "d", {"xs", "ys"}), Limited("o", "d");
  Tensor x = *Tensor::Make(DType::kInt8, Shape({4, 6}), HostAllocator()),
         y = *Tensor::Make(DType::kInt8, Shape({4, 6}), HostAllocator());
  for (int64_t i = 0; i < 24; ++i) {
    x.data<int8_t>()[i] = static_cast<int8_t>(11 * i - 128);
    y.data<int8_t>()[i] = static_cast<int8_t>(127 - 9 * i);
  }
  EXPECT_EQ(CountOf(LeftOut("x", "xf", {x})), 2);
  EXPECT_EQ(CountOf(LeftOut("x,y", "o", {x, y})), 38);
  EXPECT_EQ(CountOf(LeftOut("x,y", "o,xf", {x, y})), 38);
}

// Layers of integers: bytes minus a zero point, a convolution, a bias, and the scaling. Where the CPU multiplies
// bytes, the convolution is part of the pattern.
TEST_F(Rewriting, ALayerOfIntegersHasTheSumsOfFloats) {
  const size_t more = ops::CpuMultipliesBytes() ? 4 : 0;
  for (const bool depthwise : {false, true}) {
    for (const int64_t channels : {int64_t{1}, int64_t{5}, int64_t{16}, int64_t{70}}) {
      const std::string p = StrCat(depthwise ? "d" : "c", channels, "_");
      const Shape shape({2, 7, 6, channels});
      Node("Placeholder", p, {}, {{"dtype", DType::kInt8}, {"shape", shape}});
      Constant(p + "z", Tensor::Scalar<int32_t>(-5));
      Cast(p + "1", p, DType::kInt32), Node("Sub", p + "2", {p + "1", p + "z"});
      Cast(p + "3", p + "2", DType::kFloat);
      Tensor w = Random(depthwise ? Shape({3, 3, channels, 1}) : Shape({3, 3, channels, 5}));
      for (int64_t i = 0; i < w.num_elements(); ++i)
        w.data<float>()[i] = std::round(std::clamp(60 * w.data<float>()[i], -127.F, 127.F));
      Constant(p + "w", w);
      Node(depthwise ? "DepthwiseConv2dNative" : "Conv2D", p + "4", {p + "3", p + "w"},
           {{"strides", std::vector<int64_t>{1, 2, 2, 1}}, {"padding", std::string("SAME")}});
      Cast(p + "5", p + "4", DType::kDouble);
      const int64_t columns = w.dim(depthwise ? 2 : 3);
      std::vector<double> bias;
      for (int64_t i = 0; i < columns; ++i) bias.push_back(static_cast<double>(31 * i - 99));
      Constant(p + "b", Tensor::Vector<double>(bias));
      Node("AddV2", p + "6", {p + "5", p + "b"});
      Scaled(p + "s", p + "6", columns), Limited(p + "y", p + "s");
      Tensor x = *Tensor::Make(DType::kInt8, shape, HostAllocator());
      for (int64_t i = 0; i < x.num_elements(); ++i)
        x.data<int8_t>()[i] = static_cast<int8_t>(37 * i + i / 256);
      EXPECT_EQ(CountOf(LeftOut(p, p + "y", {x})), 18 + (more ? more : 2)) << p;
    }
  }
}

}  // namespace
}  // namespace tensh
