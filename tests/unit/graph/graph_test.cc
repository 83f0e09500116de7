// The append-only store: names, all-or-nothing appends, rollback, constants known before a run,
// gradients.
#include "runtime/graph/graph.h"

#include <gtest/gtest.h>

#include "tests/support/graph_text.h"

namespace tensh {
namespace {

using test::AppendText;
using test::Value;

class GraphTest : public ::testing::Test {
 protected:
  GraphTest() : g_(new Graph(test::AllOps())) {}
  ~GraphTest() override { g_->Unref(); }
  std::string NamesFrom(uint32_t first) {
    std::string out;
    for (uint32_t i = first; i < g_->size(); ++i)
      out += std::string(i > first ? " " : "") + std::string(g_->name(NodeId{i})) + ":" +
             g_->op(NodeId{i}).name;
    return out;
  }
  Graph* g_;
};

TEST_F(GraphTest, UniqueNamesIgnoreCase) {
  const char* kAsked[] = {"add", "Add", "add", "add_1", "ADD", "scope/x", "scope/X"};
  std::string got;
  for (const char* name : kAsked) got += g_->UniqueName(name, true) + " ";
  // Like Graph.unique_name of TensorFlow 1.15.
  EXPECT_EQ(got, "add Add_1 add_2 add_1_1 ADD_3 scope/x scope/X_1 ");
  EXPECT_EQ(g_->UniqueName("add", false), g_->UniqueName("add", false));
}

TEST_F(GraphTest, AFailedAppendLeavesNothing) {
  AppendText(*g_, "a;b=Neg(a)");
  Output a{g_->Find("a"), 0}, none{NodeId{99}, 0};
  std::vector<NodeSpec> specs = {{"Neg", "c", "", {&a, 1}, {}, {}},
                                 {"Neg", "d", "", {&none, 1}, {}, {}}};
  auto result = g_->Append(specs);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().node(), "d");
  EXPECT_EQ(g_->size(), 2u);
  EXPECT_EQ(g_->Find("c"), kNoNode);
  specs.pop_back();
  EXPECT_TRUE(g_->Append(specs).ok()) << "the name is free";
}

TEST_F(GraphTest, RefusesWhatIsNotANode) {
  AppendText(*g_, "a");
  Output a{g_->Find("a"), 0}, second{g_->Find("a"), 1};
  struct Row {
    NodeSpec spec;
    Code code;
    const char* says;
  };
  NamedAttr unknown[] = {{"nonsense", AttrValue(1)}},
            wrong_type[] = {{"T", AttrValue(DType::kInt32)}};
  const Row kRows[] = {
      {{"Negg", "n", "", {&a, 1}, {}, {}}, Code::kNotFound, "no op 'Negg'"},
      {{"Neg", "a", "", {&a, 1}, {}, {}}, Code::kAlreadyExists, "node 'a'"},
      {{"Neg", "-bad", "", {&a, 1}, {}, {}}, Code::kInvalidArgument, "not a valid node name"},
      {{"Neg", "n", "", {}, {}, {}}, Code::kInvalidArgument, "takes 1 input"},
      {{"Neg", "n", "", {&second, 1}, {}, {}}, Code::kOutOfRange, "does not have output 1"},
      {{"Neg", "n", "", {&a, 1}, {}, unknown}, Code::kInvalidArgument, "no attribute 'nonsense'"},
      {{"Neg", "n", "", {&a, 1}, {}, wrong_type}, Code::kInvalidArgument, "expected type of int32"},
      {{"Neg", "n", "cpu::0/", {&a, 1}, {}, {}}, Code::kInvalidArgument, "Malformed device"},
      {{"Assign", "n", "", {&a, 1}, {}, {}}, Code::kInvalidArgument, "l-value"},
  };
  for (const Row& r : kRows) {
    auto result = g_->Append({&r.spec, 1});
    ASSERT_FALSE(result.ok()) << r.says;
    EXPECT_EQ(result.status().code(), r.code) << result.status().message();
    EXPECT_NE(result.status().message().find(r.says), std::string::npos)
        << result.status().message();
  }
  EXPECT_EQ(g_->size(), 1u);
}

TEST_F(GraphTest, RollbackForgetsNodesAndNames) {
  AppendText(*g_, "a");
  g_->Begin();
  EXPECT_EQ(g_->UniqueName("scope", true), "scope");
  AppendText(*g_, "b=Neg(a);c=Neg(b)");
  uint32_t generation = g_->generation();
  g_->Rollback();
  EXPECT_EQ(g_->size(), 1u);
  EXPECT_EQ(g_->valid_below(generation), 1u);
  EXPECT_EQ(g_->UniqueName("scope", true), "scope");
  AppendText(*g_, "b=Square(a)");
  EXPECT_EQ(NamesFrom(0), "a:Const b:Square");
}

TEST_F(GraphTest, AMillionNamesAreFound) {
  AppendText(*g_, "a");
  Output a{g_->Find("a"), 0};
  for (int i = 0; i < 100000; ++i) {
    std::string name = "n" + std::to_string(i);
    NodeSpec spec{"Neg", name, "", {&a, 1}, {}, {}};
    ASSERT_TRUE(g_->Append({&spec, 1}).ok());
  }
  EXPECT_EQ(Index(g_->Find("n99999")), 100000u);
  EXPECT_EQ(g_->Find("N99999"), kNoNode) << "finding is exact";
  EXPECT_EQ(g_->UniqueName("N99999", false), "N99999_1") << "uniqueness is not";
}

TEST_F(GraphTest, ConstantsFoldBeforeAnyRun) {
  AppendText(*g_, "a;x?;b=Neg(a);s=Shape(b);r=Rank(b);y=Neg(x)");
  EXPECT_EQ(*g_->Constant(Value(*g_, "b")).data<float>(), -1.f);
  EXPECT_EQ(g_->Constant(Value(*g_, "s")).num_elements(), 0);
  EXPECT_EQ(g_->Constant(Value(*g_, "r")).IntScalar(), 0);
  EXPECT_FALSE(g_->Constant(Value(*g_, "y")));
}

TEST_F(GraphTest, GradientsAddTensorFlowsNodes) {
  AppendText(*g_, "x?;b;m=Mul(x,b);s=Square(m)");
  uint32_t before = g_->size();
  Output y{g_->Find("s"), 0}, x{g_->Find("x"), 0}, b{g_->Find("b"), 0};
  std::vector<Output> ys = {y}, xs = {x, b};
  auto dxs = AddGradients(*g_, {ys, xs, {}, "gradients"});
  ASSERT_TRUE(dxs.ok()) << dxs.status().message();
  EXPECT_NE((*dxs)[0].node, kNoNode);
  std::string names = NamesFrom(before);
  for (const char* wanted : {"gradients/grad_ys_0:Const", "gradients/Fill:Fill",
                             "gradients/m_grad/Mul:Mul", "gradients/s_grad/Mul:Mul"})
    EXPECT_NE(names.find(wanted), std::string::npos) << names;
}

TEST_F(GraphTest, NoPathGivesNoGradientAndNoDefinitionIsAnError) {
  AppendText(*g_, "x?;b;m=Neg(b)");
  std::vector<Output> ys = {{g_->Find("m"), 0}}, xs = {{g_->Find("x"), 0}};
  auto dxs = AddGradients(*g_, {ys, xs, {}, "gradients"});
  ASSERT_TRUE(dxs.ok());
  EXPECT_EQ((*dxs)[0].node, kNoNode);
}

TEST_F(GraphTest, GradientsPassBesideIntegerPaths) {
  // b reaches the axes of the sum only through its rank, which carries no gradient, so the search
  // must not wait for one.
  AppendText(*g_, "x?;b=Square(x);r=Rank(b);z=ZerosLike(r);l=Range(z,r,r);s=Sum(b,l)");
  std::vector<Output> ys = {{g_->Find("s"), 0}}, xs = {{g_->Find("x"), 0}};
  auto dxs = AddGradients(*g_, {ys, xs, {}, "gradients"});
  ASSERT_TRUE(dxs.ok()) << dxs.status().message();
  EXPECT_NE((*dxs)[0].node, kNoNode);
}

TEST_F(GraphTest, CountsReferences) {
  int live = 0;
  Graph::ForEachLive([&](const Graph& g) { live += &g == g_; });
  EXPECT_EQ(live, 1);
  g_->Ref();
  EXPECT_EQ(g_->refs(), 2);
  g_->Unref();
}

}  // namespace
}  // namespace tensh
