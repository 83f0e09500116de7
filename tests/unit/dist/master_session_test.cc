// The master service without a network: its responses are TensorFlow's, and malformed bytes give an
// error status.
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <random>

#include "runtime/dist/master_session.h"
#include "runtime/dist/wire/messages.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {
namespace {

Worker* TestWorker() {
  static Worker* worker = Worker::Create("localhost", 0, {}, "")->release();
  return worker;
}

// c = a + b of two placeholders of float.
std::string AddOfTwo() {
  GraphPtr graph(tsh_graph_new());
  const int64_t kFloat = TSH_FLOAT;
  tsh_attr dtype{};
  dtype.name = "dtype";
  dtype.kind = TSH_ATTR_TYPE;
  dtype.i = kFloat;
  tsh_node_spec specs[3] = {};
  const tsh_output inputs[] = {{0, 0}, {1, 0}};
  const char* const names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; ++i) {
    specs[i].op = i < 2 ? "Placeholder" : "Add";
    specs[i].name = names[i];
    specs[i].attrs = &dtype;
    specs[i].n_attrs = i < 2 ? 1 : 0;
    specs[i].inputs = inputs;
    specs[i].n_inputs = i < 2 ? 0 : 2;
  }
  Said said;
  tsh_node first = 0;
  tsh_graph_add(graph.get(), specs, 3, &first, said);
  EXPECT_TRUE(said.Take().ok());
  std::string message;
  EXPECT_TRUE(ExportGraph(
                  graph.get(), 0, 3,
                  [&](tsh_node n) { return std::string(tsh_node_name(graph.get(), n)); }, &message)
                  .ok());
  return message;
}

std::string Five() {
  Said said;
  const TensorPtr tensor(tsh_tensor_new(TSH_FLOAT, nullptr, 0, said));
  *static_cast<float*>(tsh_tensor_data(tensor.get())) = 5;
  std::string message;
  EXPECT_TRUE(EncodeTensor(tensor.get(), &message).ok());
  return message;
}

TEST(MasterSession, TensorFlowsOwnWords) {
  tensorflow::CreateSessionRequest create;
  create.set_graph_def(AddOfTwo());
  auto session = MasterSession::Create(create, TestWorker());
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto run = [&](std::initializer_list<const char*> fetches, const char* target) {
    tensorflow::RunStepRequest request;
    tensorflow::RunStepResponse response;
    for (const char* each : fetches) request.add_fetch(each);
    for (const char* name : {"a", "b"}) {
      auto* feed = request.add_feed();
      feed->set_name(name);
      feed->set_tensor(Five());
    }
    if (*target) request.add_target(target);
    const Status status = (*session)->RunStep(request, StepLimits{}, &response);
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

// Mutated messages: for any bytes, the result is a status.
TEST(MasterSession, BytesThatNobodyMeant) {
  tensorflow::CreateSessionRequest create;
  create.set_graph_def(AddOfTwo());
  tensorflow::RunStepRequest run;
  run.add_fetch("c:0");
  auto* feed = run.add_feed();
  feed->set_name("a:0");
  feed->set_tensor(Five());
  const std::string create_bytes = create.SerializeAsString(), run_bytes = run.SerializeAsString();
  auto good = MasterSession::Create(create, TestWorker());
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
      (void)(*good)->RunStep(request, StepLimits{1000, nullptr}, &response);
    }
    ++parsed;
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace tensh::dist
