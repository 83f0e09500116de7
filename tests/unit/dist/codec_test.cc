// Messages of the wire: what is written is read back, and what no one would write is refused.
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/dist/graph_codec.h"
#include "runtime/dist/master_session.h"
#include "runtime/dist/tensor_codec.h"

namespace tensh::dist {
namespace {

using tensorflow::GraphDef;
using tensorflow::TensorProto;

tensorflow::NodeDef* AddNode(GraphDef* def, const char* name, const char* op,
                             std::initializer_list<const char*> inputs) {
  auto* node = def->add_node();
  node->set_name(name);
  node->set_op(op);
  for (const char* input : inputs) node->add_input(input);
  return node;
}

void AddConst(GraphDef* def, const char* name, float value) {
  auto* node = AddNode(def, name, "Const", {});
  (*node->mutable_attr())["dtype"].set_type(TSH_FLOAT);
  auto* tensor = (*node->mutable_attr())["value"].mutable_tensor();
  tensor->set_dtype(TSH_FLOAT);
  tensor->mutable_tensor_shape();
  tensor->add_float_val(value);
}

GraphDef AddOfTwo() {
  GraphDef def;
  AddNode(&def, "c", "Add", {"a", "b"});  // before its inputs
  AddConst(&def, "a", 1);
  AddConst(&def, "b", 2);
  return def;
}

TensorProto Numbers(int dtype, std::initializer_list<int64_t> dims) {
  TensorProto proto;
  proto.set_dtype(dtype);
  for (int64_t d : dims) proto.mutable_tensor_shape()->add_dim()->set_size(d);
  return proto;
}

TEST(TensorCodec, TheLastValueStandsForTheRest) {
  TensorProto proto = Numbers(TSH_INT32, {4});
  proto.add_int_val(7);
  proto.add_int_val(9);
  auto tensor = DecodeTensor(proto);
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  const auto* data = static_cast<int32_t*>(tsh_tensor_data(tensor->get()));
  EXPECT_EQ(std::vector<int32_t>(data, data + 4), (std::vector<int32_t>{7, 9, 9, 9}));
}

TEST(TensorCodec, StringsAsContent) {
  TensorProto proto = Numbers(TSH_STRING, {3});
  proto.set_tensor_content(std::string("\x02\x00\x03hixyz", 8));
  auto tensor = DecodeTensor(proto);
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  TensorProto back;
  EncodeTensor(tensor->get(), &back);
  ASSERT_EQ(back.string_val_size(), 3);
  EXPECT_EQ(back.string_val(0) + "," + back.string_val(1) + "," + back.string_val(2), "hi,,xyz");
}

TEST(TensorCodec, Refused) {
  TensorProto cut = Numbers(TSH_STRING, {3});
  cut.set_tensor_content("\x7f");
  TensorProto size = Numbers(TSH_FLOAT, {2});
  size.set_tensor_content("abc");
  TensorProto huge = Numbers(TSH_FLOAT, {int64_t{1} << 40});
  TensorProto overflow = Numbers(TSH_FLOAT, {int64_t{1} << 62, int64_t{1} << 62});
  TensorProto negative = Numbers(TSH_FLOAT, {-1});
  TensorProto deep = Numbers(TSH_FLOAT, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  TensorProto type = Numbers(99, {1});
  for (const TensorProto* proto : {&cut, &size, &huge, &overflow, &negative, &deep, &type})
    EXPECT_FALSE(DecodeTensor(*proto).ok());
}

TEST(GraphCodec, AnyOrderAndBack) {
  GraphPtr graph(tsh_graph_new());
  ASSERT_TRUE(ImportGraph(AddOfTwo(), graph.get()).ok());
  EXPECT_EQ(tsh_graph_size(graph.get()), 3u);
  GraphDef back;
  const tsh_graph* g = graph.get();
  ExportGraph(
      g, 0, 3, [g](tsh_node n) { return std::string(tsh_node_name(g, n)); }, &back);
  GraphPtr copy(tsh_graph_new());
  EXPECT_TRUE(ImportGraph(back, copy.get()).ok());
  EXPECT_EQ(back.node(2).op(), "Add");
  EXPECT_EQ(back.node(2).attr().at("T").type(), TSH_FLOAT);
}

struct BadRow {
  const char* what;
  void (*spoil)(GraphDef* def);
  const char* message;
};

TEST(GraphCodec, AllOrNothing) {
  const BadRow rows[] = {
      {"op", [](GraphDef* d) { d->mutable_node(0)->set_op("Ghost"); }, "Op type not registered"},
      {"input", [](GraphDef* d) { d->mutable_node(0)->set_input(0, "ghost"); }, "Unknown input"},
      {"port", [](GraphDef* d) { d->mutable_node(0)->set_input(0, "a:7"); }, "output 7"},
      {"cycle", [](GraphDef* d) { d->mutable_node(0)->set_input(0, "c"); }, "cycle"},
      {"twice", [](GraphDef* d) { d->mutable_node(1)->set_name("b"); }, "not unique"},
      {"order", [](GraphDef* d) { d->mutable_node(0)->set_input(0, "^a"); }, "must come after"},
      {"consumer", [](GraphDef* d) { d->mutable_versions()->set_min_consumer(99999); }, "consumer"},
      {"type", [](GraphDef* d) { (*d->mutable_node(0)->mutable_attr())["T"].set_type(-3); },
       "type"},
      {"function", [](GraphDef* d) { (*d->mutable_node(0)->mutable_attr())["T"].mutable_func(); },
       "unction"},
      {"name", [](GraphDef* d) { d->mutable_node(0)->set_name("a b"); }, "name"},
  };
  for (const BadRow& row : rows) {
    GraphDef def = AddOfTwo();
    row.spoil(&def);
    GraphPtr graph(tsh_graph_new());
    const Status status = ImportGraph(def, graph.get());
    EXPECT_NE(status.message().find(row.message), std::string::npos)
        << row.what << ": " << status.message();
    EXPECT_EQ(tsh_graph_size(graph.get()), 0u) << row.what;
  }
}

TEST(MasterSession, TensorFlowsOwnWords) {
  tensorflow::CreateSessionRequest create;
  *create.mutable_graph_def() = AddOfTwo();
  auto session = MasterSession::Create(create);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto run = [&](std::initializer_list<const char*> fetches, const char* target) {
    tensorflow::RunStepRequest request;
    tensorflow::RunStepResponse response;
    for (const char* each : fetches) request.add_fetch(each);
    if (*target) request.add_target(target);
    const Status status = (*session)->RunStep(request, 0, &response);
    return status.ok() ? response.tensor(0).name() : std::string(status.message());
  };
  EXPECT_EQ(run({"c:0"}, ""), "c:0");
  EXPECT_EQ(run({"c"}, ""), "c");
  EXPECT_EQ(run({"zz:0"}, ""), "FetchOutputs node zz:0: not found");
  EXPECT_EQ(run({"c:1"}, ""), "FetchOutputs c:1: output index too large, must be < 1");
  EXPECT_EQ(run({}, "zz"), "PruneForTargets: Some target nodes not found: zz");
  EXPECT_EQ(run({}, ""), "Must specify at least one target to fetch or execute.");
  int64_t version = 0;
  EXPECT_EQ((*session)->Extend({}, 5, &version).message(),
            "Current version is 0 but caller expected 5.");
}

// Messages that began as good ones: whatever the bytes say, the answer is a status.
TEST(MasterSession, BytesThatNobodyMeant) {
  tensorflow::CreateSessionRequest create;
  *create.mutable_graph_def() = AddOfTwo();
  tensorflow::RunStepRequest run;
  run.add_fetch("c:0");
  auto* feed = run.add_feed();
  feed->set_name("a:0");
  *feed->mutable_tensor() = Numbers(TSH_FLOAT, {});
  feed->mutable_tensor()->add_float_val(5);
  const std::string create_bytes = create.SerializeAsString(), run_bytes = run.SerializeAsString();
  auto good = MasterSession::Create(create);
  ASSERT_TRUE(good.ok());
  google::protobuf::SetLogHandler(nullptr);
  std::mt19937 random(7);
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = i % 2 ? create_bytes : run_bytes;
    for (unsigned k = random() % 4 + 1; k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    if (i % 2) {
      tensorflow::CreateSessionRequest request;
      if (!request.ParseFromString(bytes)) continue;
      GraphPtr graph(tsh_graph_new());
      (void)ImportGraph(request.graph_def(), graph.get());
    } else {
      tensorflow::RunStepRequest request;
      tensorflow::RunStepResponse response;
      if (!request.ParseFromString(bytes)) continue;
      (void)(*good)->RunStep(request, 1000, &response);
    }
    ++parsed;
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace tensh::dist
