// A task without a network: its sessions, registered graphs and runs; and calls to a task that does
// not answer.
#include "runtime/dist/worker.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>

#include "runtime/dist/task.h"
#include "runtime/dist/tls.h"
#include "runtime/dist/wire/messages.h"

namespace tensh::dist {
namespace {

constexpr char kDevice[] = "/job:w/replica:0/task:1/device:CPU:0";

std::unique_ptr<Worker> NewWorker() {
  auto worker = Worker::Create("w", 1, {}, "");
  EXPECT_TRUE(worker.ok()) << worker.status().message();
  return std::move(*worker);
}

tensorflow::CreateWorkerSessionRequest Request(const std::string& handle) {
  tensorflow::CreateWorkerSessionRequest request;
  request.set_session_handle(handle);
  return request;
}

// A graph of one NoOp.
GraphPtr OneNode(const char* device) {
  GraphPtr graph(tsh_graph_new());
  tsh_node_spec spec{};
  spec.op = "NoOp";
  spec.name = "n";
  spec.device = device;
  tsh_node node = 0;
  Said said;
  tsh_graph_add(graph.get(), &spec, 1, &node, said);
  EXPECT_TRUE(said.Take().ok()) << said.Take().message();
  return graph;
}

TEST(Workers, ReportTheirDevices) {
  const auto worker = NewWorker();
  EXPECT_EQ(worker->name(), "/job:w/replica:0/task:1");
  EXPECT_NE(worker->incarnation(), 0);
  EXPECT_NE(worker->incarnation(), NewWorker()->incarnation());
  tensorflow::GetStatusResponse status;
  worker->GetStatus(&status);
  ASSERT_GE(status.device_attributes_size(), 1);
  EXPECT_EQ(status.device_attributes(0).name(), kDevice);
  EXPECT_EQ(status.device_attributes(0).device_type(), "CPU");
}

TEST(Workers, CheckRendezvousKeys) {
  const auto worker = NewWorker();
  char incarnation[17];
  std::snprintf(incarnation, sizeof incarnation, "%016llx",
                static_cast<unsigned long long>(worker->incarnation()));
  const auto check = [&](const std::string& device, const std::string& told) {
    return worker->CheckKey(StrCat(device, ";", told, ";/cpu:0;e;0:0"));
  };
  EXPECT_TRUE(check(kDevice, incarnation).ok());
  EXPECT_EQ(worker->CheckKey("nonsense").message(), "Invalid rendezvous key: nonsense");
  EXPECT_EQ(check("/job:x/replica:0/task:0/device:CPU:0", incarnation).message(),
            "the device /job:x/replica:0/task:0/device:CPU:0 is not one of the task "
            "/job:w/replica:0/task:1");
  const Status restarted = check(kDevice, "0");
  EXPECT_EQ(restarted.code(), Code::kAborted);
  EXPECT_EQ(restarted.message().find("RecvTensor expects a different device incarnation: 0 vs. "),
            0u);
}

TEST(Workers, RegisterAndRunGraphs) {
  const auto worker = NewWorker();
  std::string handle;
  EXPECT_EQ(worker->RegisterGraph("s", OneNode(kDevice), &handle).message(),
            "Session handle is not found: s on /job:w/replica:0/task:1");
  ASSERT_TRUE(worker->CreateSession(Request("s")).ok());
  EXPECT_EQ(worker->RegisterGraph("s", OneNode(""), &handle).message(),
            "Node 'n' is missing a device specification");
  ASSERT_TRUE(worker->RegisterGraph("s", OneNode(kDevice), &handle).ok());
  const auto run = [&](const std::string& session, const std::string& graph, int64_t id,
                       std::vector<std::string> receive = {}) {
    PartRun part;
    part.session = session;
    part.graph = graph;
    part.step = 1;
    part.request_id = id;
    part.receive = std::move(receive);
    PartResult result;
    return std::string(worker->Run(std::move(part), nullptr, &result).message());
  };
  EXPECT_EQ(run("s", handle, 5), "");
  EXPECT_EQ(run("s", handle, 5),
            "The same RunGraph request was received twice. step_id: 1, request_id: 5");
  EXPECT_EQ(run("t", handle, 6),
            "Session handle is not found: t. Possibly this worker (/job:w/replica:0/task:1) just "
            "restarted.");
  EXPECT_EQ(run("s", "none", 7),
            "Graph handle is not found: none. Possibly, this worker (/job:w/replica:0/task:1) "
            "just restarted.");
  EXPECT_EQ(run("s", handle, 8, {"a;0;b;e;0:0"}),
            "The tensor returned for a;0;b;e;0:0 was not valid.");
  EXPECT_EQ(worker->Step(1)->Send("x;0:0", nullptr).message(),
            "The tensor returned for a;0;b;e;0:0 was not valid.")
      << "an error ends the step for all its parts";
  worker->CleanupGraph(1);
  EXPECT_EQ(run("s", handle, 10), "");
  EXPECT_TRUE(worker->DeregisterGraph("s", handle).ok());
  EXPECT_EQ(
      worker->DeregisterGraph("s", handle).message(),
      StrCat("Graph handle is not found: ", handle, ". Possibly, this worker just restarted."));
}

TEST(Workers, SharedSessionOfOlderMasters) {
  const auto worker = NewWorker();
  std::string handle;
  ASSERT_TRUE(worker->RegisterGraph("", OneNode(kDevice), &handle).ok());
  PartRun part;
  part.has_session = false;
  part.graph = handle;
  PartResult result;
  EXPECT_TRUE(worker->Run(std::move(part), nullptr, &result).ok());
  EXPECT_TRUE(worker->DeregisterGraph("unknown", handle).ok());
}

TEST(Workers, RefuseAMasterOfAnotherCluster) {
  const auto worker = NewWorker();
  auto request = Request("s");
  request.mutable_server_def()->set_job_name("w");
  request.mutable_server_def()->set_task_index(2);
  EXPECT_EQ(worker->CreateSession(request).message(),
            "the master takes this task for /job:w/replica:0/task:2, but it is "
            "/job:w/replica:0/task:1: their clusters differ");
  request.mutable_server_def()->set_task_index(1);
  EXPECT_TRUE(worker->CreateSession(request).ok());
}

// The sessions of a master that was restarted are freed when it makes a new one.
TEST(Workers, ForgetTheSessionsOfARestartedMaster) {
  const auto worker = NewWorker();
  auto request = Request("old");
  request.set_master_task("/job:m/replica:0/task:0");
  request.set_master_incarnation(1);
  ASSERT_TRUE(worker->CreateSession(request).ok());
  request.set_session_handle("new");
  request.set_master_incarnation(2);
  ASSERT_TRUE(worker->CreateSession(request).ok());
  std::string handle;
  EXPECT_EQ(worker->RegisterGraph("old", OneNode(kDevice), &handle).code(), Code::kAborted);
  EXPECT_TRUE(worker->RegisterGraph("new", OneNode(kDevice), &handle).ok());
  worker->DeleteSession("new");
  worker->DeleteSession("new");  // Again: no effect.
  EXPECT_EQ(worker->RegisterGraph("new", OneNode(kDevice), &handle).code(), Code::kAborted);
}

TEST(Workers, StopEndsEveryStep) {
  const auto worker = NewWorker();
  ASSERT_TRUE(worker->CreateSession(Request("s")).ok());
  std::string got;
  worker->Step(3)->Receive("k;0:0",
                           [&](const Status& status, TensorPtr) { got = status.message(); });
  worker->Stop();
  const std::string stopping = "the task /job:w/replica:0/task:1 is stopping";
  EXPECT_EQ(got, stopping);
  EXPECT_EQ(worker->CreateSession(Request("t")).message(), stopping);
  EXPECT_EQ(worker->Step(4)->Send("k;0:0", nullptr).message(), stopping);
  std::string handle;
  EXPECT_EQ(worker->RegisterGraph("s", OneNode(kDevice), &handle).message(), stopping);
}

TEST(Workers, StepsAreSharedUntilTheyAreCleanedUp) {
  const auto worker = NewWorker();
  const auto step = worker->Step(1);
  EXPECT_EQ(worker->Step(1), step);
  EXPECT_NE(worker->Step(2), step);
  worker->Abandon(1);  // Nothing was sent.
  EXPECT_NE(worker->Step(1), step);
  const auto kept = worker->Step(1);
  EXPECT_TRUE(kept->Send("k;0:0", nullptr).ok());
  worker->Abandon(1);
  EXPECT_EQ(worker->Step(1), kept);
  worker->CleanupGraph(1);
  EXPECT_NE(worker->Step(1), kept);
  EXPECT_EQ(kept->Send("l;0:0", nullptr).message(), "Cleanup 1");
}

TEST(Tasks, TheOwnOneIsCalledDirectly) {
  const auto worker = NewWorker();
  const auto task = MakeOwnTask(worker.get());
  EXPECT_EQ(task->name(), worker->name());
  ASSERT_TRUE(task->CreateSession("s", true, *worker).ok());
  std::string handle;
  const GraphPtr graph = OneNode(kDevice);
  ASSERT_TRUE(task->Register("s", graph.get(), {}, &handle).ok());
  PartRun run;
  run.session = "s";
  run.graph = handle;
  std::promise<std::string> said;
  task->Run(std::move(run), nullptr,
            [&](Status status, PartResult) { said.set_value(std::string(status.message())); });
  EXPECT_EQ(said.get_future().get(), "");
  bool answers = false;
  task->Probe({}, [&](bool yes) { answers = yes; });
  EXPECT_TRUE(answers);
}

// Port 1 of the loopback interface accepts no connections.
TEST(Tasks, OneThatDoesNotAnswer) {
  Cluster cluster(*Cluster::Parse("w=127.0.0.1:1"));
  cluster.set_task_timeout(std::chrono::milliseconds(100));
  EXPECT_EQ(MakeOtherTask(&cluster, TaskName("w", 1)).status().code(), Code::kNotFound);
  const auto task = MakeOtherTask(&cluster, TaskName("w", 0));
  ASSERT_TRUE(task.ok());
  tensorflow::GetStatusResponse response;
  EXPECT_EQ((*task)->GetStatus(20, &response).code(), Code::kDeadlineExceeded)
      << "waits until the limit, because the task may be starting";
  const auto worker = NewWorker();
  const Status status = (*task)->CreateSession("s", false, *worker);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_EQ(status.message().find("the task /job:w/replica:0/task:0 does not answer: "), 0u);
  std::promise<bool> answers;
  (*task)->Probe({}, [&](bool yes) { answers.set_value(yes); });
  EXPECT_FALSE(answers.get_future().get());
  std::promise<Code> code;
  tsh_cancel* const never = nullptr;
  (*task)->Run({}, never, [&](Status s, PartResult) { code.set_value(s.code()); });
  EXPECT_EQ(code.get_future().get(), Code::kUnavailable);
}

class TlsFiles : public testing::Test {
 protected:
  TlsFiles() : folder_(std::filesystem::temp_directory_path() / StrCat("tls", getpid())) {
    std::filesystem::create_directory(folder_);
  }
  ~TlsFiles() override { std::filesystem::remove_all(folder_); }
  std::string File(const char* name, const std::string& text) {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string Read(const std::string& cert, const std::string& key, const std::string& ca,
                          bool server) {
    const tensh_dist_tls files{cert.c_str(), key.c_str(), ca.c_str()};
    const auto tls = ReadTls(files, server);
    if (!tls.ok()) return std::string(tls.status().message());
    return tls->on() ? "on" : "off";
  }
  const std::filesystem::path folder_;
};

TEST_F(TlsFiles, AreReadAndChecked) {
  const std::string pem = File("pem", "-----BEGIN CERTIFICATE-----\n");
  const std::string text = File("text", "hello\n");
  const std::string large = File("large", std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(Read("", "", "", false), "off");
  EXPECT_EQ(Read("", "", pem, false), "on");
  EXPECT_EQ(Read(pem, pem, "", true), "on");
  EXPECT_EQ(Read(pem, "", "", false), "--tls-cert and --tls-key must be given together");
  EXPECT_EQ(Read("", pem, "", false), "--tls-cert and --tls-key must be given together");
  EXPECT_EQ(Read("", "", pem, true),
            "a server that requires certificates needs its own: --tls-cert, --tls-key");
  EXPECT_EQ(Read("", "", text, false), StrCat("--tls-ca: ", text, " is not a PEM file"));
  EXPECT_EQ(Read(large, pem, "", false),
            StrCat("--tls-cert: ", large, " is not a PEM file: it is too large"));
  EXPECT_EQ(Read(pem, "/no/such", "", false), "--tls-key: cannot read /no/such");
}

}  // namespace
}  // namespace tensh::dist
