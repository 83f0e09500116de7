// The shell's handles over the C API: ownership, values, attributes, and the errors of failed calls.
#include "shell/client/client.h"

#include <gtest/gtest.h>

#include <utility>

namespace tensh::shell {
namespace {

// Runs body and returns the message of the tensh::Error that it throws, or "".
template <class Body>
std::string ErrorOf(Body body) {
  try {
    body();
  } catch (const v0::Error& error) {
    return error.what();
  }
  return "";
}

tsh_node AddConst(const GraphHandle& graph, const char* name, const TensorHandle& value) {
  Attrs attrs;
  attrs.Type("dtype", value.dtype()).Tensor("value", value);
  tsh_node_spec spec{};
  spec.op = "Const";
  spec.name = name;
  spec.attrs = attrs.data();
  spec.n_attrs = attrs.size();
  return graph.Add(spec);
}

TEST(Tensors, OfEachKind) {
  EXPECT_EQ(*TensorHandle::Bool(true).data<uint8_t>(), 1);
  EXPECT_EQ(*TensorHandle::Int32(-5).data<int32_t>(), -5);
  EXPECT_EQ(*TensorHandle::Int64(int64_t{1} << 40).data<int64_t>(), int64_t{1} << 40);
  EXPECT_EQ(*TensorHandle::Float(.5f).data<float>(), .5f);
  EXPECT_EQ(*TensorHandle::Double(.1).data<double>(), .1);
  const TensorHandle text = TensorHandle::String(std::string_view("a\0b", 3));
  EXPECT_EQ(text.string_at(0), std::string_view("a\0b", 3));
  EXPECT_EQ(text.rank(), 0);
  const int64_t numbers[] = {1, 2, 3};
  const TensorHandle vector = TensorHandle::Int32s(numbers);
  EXPECT_EQ(vector.dtype(), TSH_INT32);
  ASSERT_EQ(vector.dims().size(), 1u);
  EXPECT_EQ(vector.dims()[0], 3);
  EXPECT_EQ(vector.data<int32_t>()[2], 3);
  EXPECT_EQ(TensorHandle::Int64s(numbers).data<int64_t>()[1], 2);
  const std::string words[] = {"x", "", "yz"};
  EXPECT_EQ(TensorHandle::Strings(words).string_at(2), "yz");
  EXPECT_EQ(TensorHandle::Int32s({}).elements(), 0);
}

TEST(Tensors, ShareTheirElements) {
  const int64_t numbers[] = {1, 2, 3, 4};
  TensorHandle a = TensorHandle::Int64s(numbers);
  const TensorHandle b = a;  // NOLINT: the copy is the point
  EXPECT_EQ(a.raw(), b.raw());
  const int64_t square[] = {2, 2};
  const TensorHandle c = a.Reshape(square);
  EXPECT_EQ(c.raw(), a.raw());
  EXPECT_EQ(c.rank(), 2);
  a = TensorHandle();
  EXPECT_FALSE(a);
  EXPECT_EQ(c.data<int64_t>()[3], 4) << "the last handle keeps the elements";
  TensorHandle d = std::move(const_cast<TensorHandle&>(b));
  EXPECT_EQ(d.elements(), 4);
}

TEST(Tensors, ThatCannotBe) {
  const int64_t negative[] = {-1}, huge[] = {int64_t{1} << 40, int64_t{1} << 40}, five[] = {5};
  EXPECT_NE(ErrorOf([&] { TensorHandle::Make(TSH_FLOAT, negative); }), "");
  EXPECT_NE(ErrorOf([&] { TensorHandle::Make(TSH_FLOAT, huge); }), "");
  EXPECT_NE(ErrorOf([&] { TensorHandle::Make(-3, {}); }), "");
  const int64_t numbers[] = {1, 2, 3};
  EXPECT_NE(ErrorOf([&] { TensorHandle::Int64s(numbers).Reshape(five); }), "");
}

TEST(Attributes, AreDescribedForTheCApi) {
  const int64_t dims[] = {2, -1};
  Attrs attrs;
  attrs.Int("i", -3).Bool("b", true).Type("t", TSH_HALF).Float("f", .5).String("s", "text");
  attrs.Shape("shape", dims).UnknownShape("unknown").Ints("ints", dims).Types("types", dims);
  ASSERT_EQ(attrs.size(), 9u);
  const tsh_attr* a = attrs.data();
  EXPECT_EQ(a[0].i, -3);
  EXPECT_EQ(a[1].kind, TSH_ATTR_BOOL);
  EXPECT_EQ(a[1].i, 1);
  EXPECT_EQ(a[2].kind, TSH_ATTR_TYPE);
  EXPECT_EQ(a[3].f, .5);
  EXPECT_EQ(std::string(a[4].string, a[4].length), "text");
  EXPECT_EQ(a[5].rank, 2);
  EXPECT_EQ(a[6].rank, -1);
  EXPECT_TRUE(a[7].is_list);
  EXPECT_EQ(a[7].n, 2u);
  EXPECT_EQ(a[8].kind, TSH_ATTR_TYPE);
  for (size_t i = 0; i < 100; ++i) attrs.Int("more", static_cast<int64_t>(i));
  EXPECT_EQ(attrs.size(), Attrs::kMax) << "more attributes than any op has must not overflow";
}

TEST(Graphs, NodesAndShapes) {
  const GraphHandle graph = GraphHandle::Make();
  const int64_t numbers[] = {1, 2, 3};
  const tsh_node node = AddConst(graph, "c", TensorHandle::Int32s(numbers));
  EXPECT_EQ(graph.UniqueName("c", false), "c_1");
  EXPECT_EQ(graph.UniqueName("d", true), "d");
  EXPECT_EQ(graph.UniqueName("d", true), "d_1");
  const ShapeInfo shape = graph.Shape({node, 0});
  EXPECT_EQ(shape.rank, 1);
  EXPECT_EQ(shape.dims()[0], 3);
  EXPECT_EQ(graph.Constant({node, 0}).data<int32_t>()[1], 2);
  tsh_node_spec unknown{};
  unknown.op = "NoSuchOp";
  EXPECT_NE(ErrorOf([&] { graph.Add(unknown); }).find("NoSuchOp"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { AddConst(graph, "c", TensorHandle::Float(1)); }), "")
      << "the name is taken";
  const GraphHandle same = GraphHandle::Share(graph.get());
  EXPECT_EQ(same.get(), graph.get());
}

TEST(Graphs, TimeIsMeasuredWhenItIsShown) {
  extend_clock = {};
  const GraphHandle graph = GraphHandle::Make();
  AddConst(graph, "a", TensorHandle::Float(1));
  EXPECT_EQ(extend_clock.ns, 0);
  extend_clock.on = true;
  AddConst(graph, "b", TensorHandle::Float(1));
  EXPECT_GT(extend_clock.ns, 0);
  extend_clock = {};
}

TEST(Sessions, RunAndClose) {
  const GraphHandle graph = GraphHandle::Make();
  const tsh_node node = AddConst(graph, "c", TensorHandle::Float(7));
  SessionHandle session = SessionHandle::Make(graph, "", "{}");
  EXPECT_TRUE(session);
  EXPECT_FALSE(session.closed());
  const tsh_output fetch{node, 0};
  tsh_run run{};
  run.fetches = &fetch;
  run.n_fetches = 1;
  const auto fetched = session.Run(run);
  ASSERT_EQ(fetched.size(), 1u);
  EXPECT_EQ(*fetched[0].data<float>(), 7);
  std::vector<TensorHandle> traced;
  EXPECT_NE(session.RunTraced(run, &traced).find("\"steps\""), std::string::npos);
  EXPECT_EQ(traced.size(), 1u);
  const tsh_output wrong{node, 3};
  run.fetches = &wrong;
  EXPECT_NE(ErrorOf([&] { session.Run(run); }), "");
  SessionHandle moved;
  EXPECT_FALSE(moved);
  moved = std::move(session);
  moved.Close();
  EXPECT_TRUE(moved.closed());
  run.fetches = &fetch;
  EXPECT_NE(ErrorOf([&] { moved.Run(run); }), "");
  CancelAllSessions();  // A closed session is still in the list until its handle dies.
}

TEST(Sessions, ThatCannotBeMade) {
  const GraphHandle graph = GraphHandle::Make();
  EXPECT_NE(ErrorOf([&] { SessionHandle::Make(graph, "nowhere://x", "{}"); }).find("nowhere"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { SessionHandle::Make(graph, "", "{\"cpus\": \"many\""); }), "");
}

TEST(Ops, RunWithoutAGraph) {
  const TensorHandle two = TensorHandle::Float(2);
  const TensorHandle inputs[] = {two, two};
  const auto sum = RunOp("AddV2", inputs, Attrs().Type("T", TSH_FLOAT));
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(*sum[0].data<float>(), 4);
  EXPECT_NE(ErrorOf([&] { RunOp("NoSuchOp", {}, {}); }).find("NoSuchOp"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { RunOp("AddV2", {inputs, 1}, {}); }), "");
}

// The layers above turn errors into Python's exceptions, and release their lock during a step.
TEST(Hooks, SeeEveryFailureAndStep) {
  static std::string log;
  log.clear();
  client_hooks.fail = [](const ClientError& error) {
    log += "run:" + std::to_string(error.code()) + " ";
  };
  client_hooks.fail_build = [](const ClientError&) { log += "build "; };
  client_hooks.run_step = [](void (*step)(void*), void* context) {
    log += "[";
    step(context);
    log += "] ";
  };
  const GraphHandle graph = GraphHandle::Make();
  const tsh_node node = AddConst(graph, "c", TensorHandle::Float(7));
  SessionHandle session = SessionHandle::Make(graph, "", "{}");
  const tsh_output fetch{node, 0};
  tsh_run run{};
  run.fetches = &fetch;
  run.n_fetches = 1;
  session.Run(run);
  ErrorOf([&] { RunOp("NoSuchOp", {}, {}); });
  tsh_node_spec unknown{};
  unknown.op = "NoSuchOp";
  ErrorOf([&] { graph.Add(unknown); });
  client_hooks = {};
  EXPECT_EQ(log, "[] run:5 build ");
}

TEST(Statuses, ThrowIfTheyAreErrors) {
  Status status;
  status.Check();
  EXPECT_EQ(status.code(), 0);
  EXPECT_EQ(tsh_tensor_new(-1, nullptr, 0, status), nullptr);
  EXPECT_NE(status.code(), 0);
  EXPECT_EQ(ErrorOf([&] { status.Check(); }), status.message());
}

}  // namespace
}  // namespace tensh::shell
