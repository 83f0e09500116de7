// The C++ API (tensh.hpp): tensors, graphs, steps, and both ways of reporting errors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tensh/tensh.hpp"

namespace {

using tensh::v0::Error;
using tensh::v0::Graph;
using tensh::v0::Output;
using tensh::v0::Session;
using tensh::v0::Shape;
using tensh::v0::Status;
using tensh::v0::Tensor;
using tensh::v0::TensorOf;
using tensh::v0::Type;

std::string Text(const Tensor& t) {
  std::string out = tsh_dtype_short_name(t.dtype());
  for (const int64_t d : t.dims()) out += "," + std::to_string(d);
  out += ":";
  for (int64_t i = 0; i < t.elements(); ++i) {
    if (t.dtype() == TSH_STRING) out += " " + std::string(t.text(i));
    if (const float* f = t.data<float>()) out += " " + std::to_string(static_cast<int>(f[i]));
    if (const double* f = t.data<double>()) out += " " + std::to_string(static_cast<int>(f[i]));
    if (const int32_t* n = t.data<int32_t>()) out += " " + std::to_string(n[i]);
    if (const int64_t* n = t.data<int64_t>()) out += " " + std::to_string(n[i]);
    if (const bool* b = t.data<bool>()) out += b[i] ? " true" : " false";
  }
  return out;
}

TEST(CppTensor, IsMadeOfValues) {
  const std::vector<double> doubles = {7, 8};
  const struct {
    Tensor tensor;
    const char* want;
  } rows[] = {
      {1.5f, "f32: 1"},
      {int64_t{3}, "i64: 3"},
      {true, "bool: true"},
      {"text", "str: text"},
      {std::string("a\0b", 3), "str: a"},
      {{1.f, 2.f}, "f32,2: 1 2"},
      {{1, 2, 3}, "i32,3: 1 2 3"},
      {{true, false}, "bool,2: true false"},
      {{"x", "y"}, "str,2: x y"},
      {{{1, 2, 3}, {4, 5, 6}}, "i32,2,3: 1 2 3 4 5 6"},
      {doubles, "f64,2: 7 8"},
      {Tensor::Of<int32_t>({2, 1}, {5, 6}), "i32,2,1: 5 6"},
      {Tensor({1, 2, 3, 4}).Reshape({2, 2}), "i32,2,2: 1 2 3 4"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(Text(row.tensor).substr(0, std::string(row.want).size()), row.want);
  EXPECT_EQ(rows[4].tensor.text(0).size(), 3u);
}

TEST(CppTensor, SharesAndTypes) {
  Tensor a({1.f, 2.f});
  ASSERT_NE(a.mutable_data<float>(), nullptr);
  EXPECT_EQ(a.data<int32_t>(), nullptr);
  const Tensor b = a;
  EXPECT_EQ(a.get(), b.get());
  EXPECT_EQ(a.mutable_data<float>(), nullptr);
  EXPECT_THROW(TensorOf<int32_t>{a}, Error);
  EXPECT_EQ(TensorOf<float>(a)[1], 2.f);
  EXPECT_FALSE(Tensor());
  EXPECT_EQ(Tensor().dtype(), 0);
  EXPECT_EQ(Tensor().elements(), 0);
}

TEST(CppTensor, RefusesBadShapes) {
  Status status;
  EXPECT_FALSE(Tensor::Of<float>({2, 2}, {1.f}, &status));
  EXPECT_EQ(status.message(), "1 values for a shape of 4 elements");
  EXPECT_FALSE(Tensor::New(TSH_FLOAT, {-1}, &status));
  EXPECT_EQ(status.code(), TSH_INVALID_ARGUMENT);
  EXPECT_TRUE(Tensor::New(TSH_FLOAT, {1}, &status));
  EXPECT_TRUE(status.ok());
  EXPECT_THROW(Tensor({{1, 2}, {3}}), Error);
  EXPECT_THROW(Tensor({1, 2}).Reshape({3}), Error);
}

class CppGraph : public testing::Test {
 protected:
  Graph graph_;
  Output x_ = graph_.Placeholder<float>("x");
  Output y_ = graph_.Op("AddV2", {x_, graph_.Const({1.f, 2.f})}).Name("y").Build();
};

TEST_F(CppGraph, RunsByOutputAndByName) {
  Session session(graph_);
  EXPECT_EQ(Text(session.Run<float>(y_, {{x_, {3.f, 4.f}}})), "f32,2: 4 6");
  const std::vector<Tensor> both = session.Run({"y", "x:0", y_}, {{"x", Tensor(10.f)}});
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(Text(both[0]), "f32,2: 11 12");
  EXPECT_EQ(Text(both[1]), "f32: 10");
  EXPECT_EQ(both[2].elements(), 2);
  const tensh::v0::Callable step(session, {x_}, {"y"});
  EXPECT_EQ(Text(step({Tensor(5.f)})[0]), "f32,2: 6 7");
  EXPECT_NE(session.Explain({y_}, {{x_, Tensor()}}).find("\"nodes\""), std::string::npos);
}

TEST_F(CppGraph, KeepsStateUntilItDies) {
  const Output v = graph_.Op("VariableV2")
                       .Attr("dtype", Type{TSH_INT32})
                       .Attr("shape", Shape{})
                       .Name("v")
                       .Build();
  const Output init = graph_.Op("Assign", {v, graph_.Const(40)}).Name("init").Build();
  const Output add = graph_.Op("AssignAdd", {v, graph_.Const(1)}).Control(init.node).Build();
  Session session(graph_);
  EXPECT_TRUE(session.RunTargets({"init"}));
  EXPECT_EQ(session.Run<int32_t>(v)[0], 40);
  EXPECT_EQ(session.Run<int32_t>(add)[0], 41);
  session.Close();
  EXPECT_TRUE(session.closed());
  Status status;
  EXPECT_FALSE(session.Run<int32_t>(v, {}, &status));
  EXPECT_EQ(status.message(), "Attempted to use a closed Session.");
}

TEST_F(CppGraph, TakesEveryKindOfAttribute) {
  const Output m = graph_.Const({{1.f, 2.f}, {3.f, 4.f}}, "m");
  const Output product = graph_.Op("MatMul", {m, m}).Attr("transpose_b", true).Build();
  const Output sum =
      graph_.Op("Sum", {product, graph_.Const({0})}).Attr("keep_dims", false).Build();
  const Output lrn = graph_.Op("LeakyRelu", {sum}).Attr("alpha", 0.5).Build();
  const Output squeezed = graph_.Op("Squeeze", {lrn}).Attr("squeeze_dims", {}).Build();
  const Output shaped = graph_.Op("EnsureShape", {squeezed}).Attr("shape", Shape{-1}).Build();
  const Output cast = graph_.Op("Cast", {shaped}).Attr("DstT", Type{TSH_INT64}).Build();
  const Output text = graph_.Op("AsString", {cast}).Attr("fill", "0").Attr("width", 3).Build();
  Session session(graph_);
  EXPECT_EQ(Text(session.Run({text})[0]), "str,2: 016 036");
  EXPECT_EQ(graph_.DType(cast), TSH_INT64);
}

TEST_F(CppGraph, ReportsErrors) {
  try {
    graph_.Op("MatMul", {y_, graph_.Const(1.f)}).Name("bad").Build();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TSH_INVALID_ARGUMENT);
    EXPECT_EQ(error.node(), "bad");
    EXPECT_NE(std::string(error.what()), "");
  }
  Status status;
  EXPECT_EQ(graph_.Op("Nope").Build(&status).node, TSH_NO_NODE);
  EXPECT_EQ(status.code(), TSH_NOT_FOUND);
  EXPECT_NE(status.hint(), "");
  Session session(graph_);
  EXPECT_TRUE(session.Run({"nope"}, {}, {}, &status).empty());
  EXPECT_EQ(status.message(), "there is no node 'nope'");
  EXPECT_FALSE(session.Run<int32_t>(y_, {{x_, Tensor(1.f)}}, &status));
  EXPECT_EQ(status.message(), "the tensor is float32, not int32");
  EXPECT_THROW(session.Run<float>(y_), Error);
  const Session none(graph_, "nonsense://", "", &status);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(none.Run({y_}, {}, {}, &status).empty());
  EXPECT_FALSE(status.ok());
}

TEST_F(CppGraph, DifferentiatesAndTravels) {
  const Output z = graph_.Op("Square", {x_}).Build();
  const std::vector<Output> dx = graph_.Gradients({z}, {x_, graph_.Const(1.f)});
  ASSERT_EQ(dx.size(), 2u);
  EXPECT_EQ(dx[1].node, TSH_NO_NODE);
  Session session(graph_);
  EXPECT_EQ(session.Run<float>(dx[0], {{x_, Tensor(3.f)}})[0], 6.f);
  Graph copy;
  EXPECT_TRUE(copy.Import(graph_.Export(), "in"));
  EXPECT_EQ(copy.size(), graph_.size());
  EXPECT_NE(copy.Find("in/y"), TSH_NO_NODE);
  EXPECT_EQ(Text(copy.Constant({copy.Find("in/Const"), 0})), "f32,2: 1 2");
  EXPECT_EQ(Text(tensh::v0::RunOp("Neg", {Tensor({1, -2})})[0]), "i32,2: -1 2");
}

}  // namespace
