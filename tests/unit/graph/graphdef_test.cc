// GraphDef and TensorProto messages: round trips, and malformed messages, which are refused without
// changing the graph.
#include "runtime/graph/graphdef.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/base/wire.h"
#include "runtime/core/tensor_message.h"
#include "tests/support/graph_text.h"

namespace tensh {
namespace {

// ---- tensors ----

std::string TensorHead(DType dtype, const std::vector<int64_t>& dims) {
  WireWriter out, shape;
  for (int64_t d : dims) {
    WireWriter dim;
    dim.AlwaysInt(1, d);
    shape.AlwaysBytes(2, dim.text());
  }
  out.AlwaysInt(1, static_cast<int64_t>(dtype));
  out.AlwaysBytes(2, shape.text());
  return out.Take();
}

std::string Field(int number, int64_t value) {
  WireWriter out;
  out.AlwaysInt(number, value);
  return out.Take();
}

std::string Field(int number, std::string_view bytes) {
  WireWriter out;
  out.AlwaysBytes(number, bytes);
  return out.Take();
}

TEST(TensorMessage, TheLastValueStandsForTheRest) {
  const std::string head = TensorHead(DType::kInt32, {4});
  for (const std::string& values :
       {Field(7, 7) + Field(7, -9), Field(7, "\x07" + Field(0, -9).substr(1))}) {
    Result<Tensor> t = DecodeTensor(head + values);
    ASSERT_TRUE(t.ok()) << t.status().message();
    const auto got = t->flat<int32_t>();
    EXPECT_EQ(std::vector<int32_t>(got.begin(), got.end()), (std::vector<int32_t>{7, -9, -9, -9}));
  }
  Result<Tensor> zeros = DecodeTensor(head);
  ASSERT_TRUE(zeros.ok());
  EXPECT_EQ(zeros->data<int32_t>()[3], 0);
}

TEST(TensorMessage, ComplexValuesComeInPairs) {
  WireWriter out;
  for (float part : {1.f, -2.f, 3.f, 4.f}) out.AlwaysFloat(9, part);
  Result<Tensor> t = DecodeTensor(TensorHead(DType::kComplex64, {3}) + out.text());
  ASSERT_TRUE(t.ok()) << t.status().message();
  EXPECT_EQ(t->data<std::complex<float>>()[0], std::complex<float>(1, -2));
  EXPECT_EQ(t->data<std::complex<float>>()[2], std::complex<float>(3, 4));
}

TEST(TensorMessage, StringsAsContentAndBack) {
  Result<Tensor> t =
      DecodeTensor(TensorHead(DType::kString, {3}) + Field(4, std::string("\x02\x00\x03hixyz", 8)));
  ASSERT_TRUE(t.ok()) << t.status().message();
  Result<Tensor> back = DecodeTensor(EncodeTensor(*t).Join());
  ASSERT_TRUE(back.ok());
  const auto got = back->flat<std::string>();
  EXPECT_EQ(got[0] + "," + got[1] + "," + got[2], "hi,,xyz");
}

TEST(TensorMessage, EveryTypeOfNumbersAndBack) {
  for (DType dtype :
       {DType::kFloat, DType::kDouble, DType::kInt32, DType::kUint8, DType::kInt16, DType::kInt8,
        DType::kComplex64, DType::kInt64, DType::kBool, DType::kBfloat16, DType::kUint16,
        DType::kComplex128, DType::kHalf, DType::kUint32, DType::kUint64}) {
    for (const Shape& shape : {Shape(), Shape({2, 3}), Shape({0, 4})}) {
      Result<Tensor> t = Tensor::Make(dtype, shape);
      ASSERT_TRUE(t.ok());
      auto* bytes = static_cast<uint8_t*>(t->raw());
      for (int64_t i = 0; i < t->bytes(); ++i)
        bytes[i] = static_cast<uint8_t>(dtype == DType::kBool ? i & 1 : i + 1);
      Result<Tensor> back = DecodeTensor(EncodeTensor(*t).Join());
      ASSERT_TRUE(back.ok()) << Name(dtype) << ": " << back.status().message();
      EXPECT_EQ(back->dtype(), dtype);
      EXPECT_EQ(back->shape(), shape);
      EXPECT_EQ(std::string_view(static_cast<char*>(back->raw()), back->bytes()),
                std::string_view(static_cast<char*>(t->raw()), t->bytes()));
    }
  }
}

TEST(TensorMessage, Refused) {
  const std::string bad[] = {
      TensorHead(DType::kString, {3}) + Field(4, "\x7f"),               // cut off
      TensorHead(DType::kFloat, {2}) + Field(4, "abc"),                 // not 8 bytes
      TensorHead(DType::kFloat, {int64_t{1} << 40}),                    // huge
      TensorHead(DType::kFloat, {int64_t{1} << 62, int64_t{1} << 62}),  // overflows
      TensorHead(DType::kFloat, {-1}),                                  // unknown
      TensorHead(DType::kFloat, {-7}),                                  // negative
      TensorHead(DType::kFloat, std::vector<int64_t>(255, 1)),          // rank 255
      TensorHead(static_cast<DType>(99), {1}),                          // no type
      TensorHead(DType::kResource, {1}),                                // has no message
      TensorHead(DType::kFloat, {1}) + "\x3a",                          // half a field
  };
  for (const std::string& message : bad) EXPECT_FALSE(DecodeTensor(message).ok()) << &message - bad;
}

// ---- graphs ----

struct Node {
  std::string name, op;
  std::vector<std::string> inputs;
  std::vector<std::pair<std::string, std::string>> attrs;  // the value: an AttrValue message

  std::string Message() const {
    WireWriter out;
    out.Bytes(1, name);
    out.Bytes(2, op);
    for (const std::string& input : inputs) out.AlwaysBytes(3, input);
    for (const auto& [key, value] : attrs) out.AlwaysBytes(5, Field(1, key) + Field(2, value));
    return out.Take();
  }
};

struct GraphMessage {
  std::vector<Node> nodes;
  int64_t min_consumer = 0;

  std::string Message() const {
    std::string out;
    for (const Node& node : nodes) out += Field(1, node.Message());
    return out + Field(4, Field(2, min_consumer));
  }
};

const std::string kFloatType = Field(6, 1);

Node Const(const std::string& name) {
  return {name,
          "Const",
          {},
          {{"dtype", kFloatType}, {"value", Field(8, TensorHead(DType::kFloat, {}))}}};
}

// The sum comes before its inputs.
GraphMessage AddOfTwo() { return {{{"c", "Add", {"a", "b"}, {}}, Const("a"), Const("b")}}; }

class GraphDefTest : public ::testing::Test {
 protected:
  GraphDefTest() : g_(new Graph(test::AllOps())) {}
  ~GraphDefTest() override { g_->Unref(); }
  std::string Import(const std::string& message, ImportRequest request = {}) {
    request.graph_def = message;
    auto names = ImportGraphDef(*g_, request);
    return names.ok() ? "" : std::string(names.status().message());
  }
  Graph* g_;
};

TEST_F(GraphDefTest, AnyOrderAndBack) {
  EXPECT_EQ(Import(AddOfTwo().Message()), "");
  ASSERT_EQ(g_->size(), 3u);
  EXPECT_EQ(g_->op(g_->Find("c")).name, "Add");
  const std::string message = ExportGraphDef(*g_);
  EXPECT_EQ(Import(message, {.prefix = "again"}), "");
  EXPECT_EQ(g_->ValueName(g_->input(g_->Find("again/c"), 1)), "again/b:0");
}

TEST_F(GraphDefTest, NamesAndInputsOfTheOtherSide) {
  EXPECT_EQ(Import(AddOfTwo().Message()), "");
  const uint32_t before = g_->size();
  test::AppendText(*g_, "d=Neg(c)");
  const std::string message = ExportGraphDef(*g_, {.first = before, .name = [&](NodeId n) {
                                                     return "their_" + std::string(g_->name(n));
                                                   }});
  EXPECT_NE(message.find("their_d"), std::string::npos);
  EXPECT_NE(message.find("their_c"), std::string::npos);
  EXPECT_EQ(message.find("Const"), std::string::npos);
  // A message that extends a graph may refer to its nodes; an imported one may not.
  const GraphMessage more{{{"e", "Neg", {"c"}, {}}}};
  EXPECT_EQ(Import(more.Message()), "Node 'e': Unknown input node 'c'");
  EXPECT_EQ(Import(more.Message(), {.extends = true}), "");
  EXPECT_NE(
      Import(AddOfTwo().Message(), {.extends = true}).find("previous call to Create or Extend"),
      std::string::npos);
}

TEST_F(GraphDefTest, InputsAreMapped) {
  test::AppendText(*g_, "x");
  const Output x{g_->Find("x"), 0};
  EXPECT_EQ(Import(AddOfTwo().Message(), {.prefix = "p", .input_map = {{"a:0", x}}}), "");
  EXPECT_EQ(g_->ValueName(g_->input(g_->Find("p/c"), 0)), "x:0");
  EXPECT_EQ(g_->ValueName(g_->input(g_->Find("p/c"), 1)), "p/b:0");
}

TEST_F(GraphDefTest, ALoopCloses) {
  const std::string frame = Field(2, "loop");
  const GraphMessage loop{{
      Const("start"),
      {"enter", "Enter", {"start"}, {{"frame_name", frame}}},
      {"merge", "Merge", {"enter", "next"}, {}},
      {"next", "NextIteration", {"merge"}, {}},
  }};
  EXPECT_EQ(Import(loop.Message()), "");
  EXPECT_EQ(g_->ValueName(g_->input(g_->Find("merge"), 1)), "next:0");
  // Once more, from a message that tensh wrote.
  EXPECT_EQ(Import(ExportGraphDef(*g_), {.prefix = "p"}), "");
  EXPECT_EQ(g_->ValueName(g_->input(g_->Find("p/merge"), 1)), "p/next:0");
}

// A loop around more nodes than are appended at once, and an import that is stopped after it.
TEST_F(GraphDefTest, ALargeImportCanBeStopped) {
  constexpr int kNodes = 10'000;
  GraphMessage message{{Const("start"),
                        {"enter", "Enter", {"start"}, {{"frame_name", Field(2, "f")}}},
                        {"merge", "Merge", {"enter", "next"}, {}}}};
  std::string last = "merge";
  for (int i = 0; i < kNodes; ++i) {
    message.nodes.push_back({"n" + std::to_string(i), "Neg", {last}, {}});
    last = message.nodes.back().name;
  }
  message.nodes.push_back({"next", "NextIteration", {last}, {}});
  for (int i = 0; i < kNodes; ++i) message.nodes.push_back(Const("c" + std::to_string(i)));
  uint32_t seen = 0;
  const auto stop = [&] { return (seen = std::max(seen, g_->size())) >= kNodes; };
  EXPECT_EQ(Import(message.Message(), {.stop = stop}), "the import was cancelled");
  EXPECT_LT(seen, message.nodes.size());
  EXPECT_EQ(g_->size(), 0u);
  EXPECT_EQ(Import(message.Message()), "");
  EXPECT_EQ(g_->size(), message.nodes.size());
  EXPECT_EQ(g_->ValueName(g_->input(g_->Find("merge"), 1)), "next:0");
}

struct BadRow {
  const char* what;
  void (*spoil)(GraphMessage& graph);
  const char* message;
};

TEST_F(GraphDefTest, AllOrNothing) {
  const BadRow rows[] = {
      {"op", [](GraphMessage& g) { g.nodes[0].op = "Ghost"; }, "Op type not registered"},
      {"input", [](GraphMessage& g) { g.nodes[0].inputs[0] = "ghost"; }, "Unknown input"},
      {"port", [](GraphMessage& g) { g.nodes[0].inputs[0] = "a:7"; }, "output 7"},
      {"number", [](GraphMessage& g) { g.nodes[0].inputs[0] = "a:x"; }, "not an input's name"},
      {"cycle", [](GraphMessage& g) { g.nodes[0].inputs[0] = "c"; }, "cycle"},
      {"twice", [](GraphMessage& g) { g.nodes[1].name = "b"; }, "not unique"},
      {"order", [](GraphMessage& g) { g.nodes[0].inputs[0] = "^a"; }, "must come after"},
      {"consumer", [](GraphMessage& g) { g.min_consumer = 99999; }, "consumer"},
      {"type",
       [](GraphMessage& g) {
         g.nodes[0].attrs = {{"T", Field(6, -3)}};
       },
       "type"},
      {"function",
       [](GraphMessage& g) {
         g.nodes[0].attrs = {{"T", Field(10, Field(1, "f"))}};
       },
       "got func f"},
      {"function without a name",
       [](GraphMessage& g) {
         g.nodes[0].attrs = {{"T", Field(10, "")}};
       },
       "cannot be read"},
      {"attribute",
       [](GraphMessage& g) {
         g.nodes[0].attrs = {{"x", Field(3, 5)}};
       },
       "attr 'x'"},
      {"name", [](GraphMessage& g) { g.nodes[0].name = "a b"; }, "name"},
      {"no name", [](GraphMessage& g) { g.nodes[0].name = ""; }, "not a GraphDef"},
  };
  for (const BadRow& row : rows) {
    GraphMessage message = AddOfTwo();
    row.spoil(message);
    EXPECT_NE(Import(message.Message()).find(row.message), std::string::npos)
        << row.what << ": " << Import(message.Message());
    EXPECT_EQ(g_->size(), 0u) << row.what;
  }
}

// Mutated messages: for any bytes, the result is a status, and an accepted graph can be written.
TEST_F(GraphDefTest, BytesThatNobodyMeant) {
  GraphMessage message = AddOfTwo();
  message.nodes.push_back({"s", "AddN", {"c", "a"}, {{"N", Field(3, 2)}, {"T", kFloatType}}});
  const std::string good = message.Message();
  std::mt19937 random(11);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (unsigned k = random() % 3 + 1; k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    Graph* graph = new Graph(test::AllOps());
    if (ImportGraphDef(*graph, {.graph_def = bytes}).ok()) {
      EXPECT_FALSE(ExportGraphDef(*graph).empty());
      ++taken;
    } else {
      EXPECT_EQ(graph->size(), 0u);
    }
    graph->Unref();
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace tensh
