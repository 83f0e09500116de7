// Names on the wire: tensors, rendezvous keys, tasks and clusters, and statuses of gRPC.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "runtime/dist/cluster.h"
#include "runtime/dist/wire/messages.h"

namespace tensh::dist {
namespace {

TEST(Names, Tensors) {
  const struct {
    const char *text, *want;
  } rows[] = {
      {"a", "a 0"},
      {"a:0", "a 0 with a port"},
      {"scope/a_1:12", "scope/a_1 12 with a port"},
      {"a:b:3", "a:b 3 with a port"},  // the last colon counts
      {"a:999999", "a 999999 with a port"},
      {"a:9999999", "none"},  // more digits than any op has outputs
      {"a:", "none"},
      {":0", "none"},
      {"a:-1", "none"},
      {"a:1x", "none"},
      {"a: 1", "none"},
      {"", "none"},
  };
  for (const auto& row : rows) {
    TensorName name;
    std::string got = "none";
    if (ParseTensorName(row.text, &name))
      got = StrCat(name.node, " ", name.port, name.has_port ? " with a port" : "");
    EXPECT_EQ(got, row.want) << row.text;
  }
}

TEST(Names, RendezvousKeys) {
  const struct {
    const char *text, *want;
  } rows[] = {
      {"/cpu:0;00ff;/cpu:1;edge_1_a;0:0", "/cpu:0|00ff|/cpu:1|edge_1_a"},
      {"/cpu:0;00ff;/cpu:1;a;b;0:0", "/cpu:0|00ff|/cpu:1|a"},
      {"/cpu:0;;/cpu:1;;0:0", "/cpu:0||/cpu:1|"},
      {"/cpu:0;00ff;/cpu:1;a;", "none"},  // without a frame
      {"/cpu:0;00ff;/cpu:1;a", "none"},
      {"x;00ff;/cpu:1;a;0:0", "none"},  // a device has more than one character
      {"/cpu:0;00ff;;a;0:0", "none"},
      {";;;;", "none"},
      {"", "none"},
  };
  for (const auto& row : rows) {
    EdgeKey key;
    std::string got = "none";
    if (ParseEdgeKey(row.text, &key))
      got = StrCat(key.sender, "|", key.incarnation, "|", key.receiver, "|", key.name);
    EXPECT_EQ(got, row.want) << row.text;
  }
}

TEST(Names, Tasks) {
  EXPECT_EQ(TaskName("worker", 3), "/job:worker/replica:0/task:3");
  EXPECT_EQ(TaskOf("/job:a/replica:0/task:1/device:CPU:0"), "/job:a/replica:0/task:1");
  EXPECT_EQ(TaskOf("/job:a/replica:0/task:1"), "/job:a/replica:0/task:1");
  EXPECT_EQ(TaskOf("/device:CPU:0"), "");
}

// Returns "job task address" of every task, or the message of the error.
std::string Parsed(const std::string& text) {
  const auto jobs = Cluster::Parse(text);
  if (!jobs.ok()) return std::string(jobs.status().message());
  std::string out;
  for (const auto& [job, tasks] : *jobs)
    for (const auto& [task, address] : tasks)
      out += StrCat(out.empty() ? "" : ", ", job, " ", task, " ", address);
  return out;
}

TEST(Clusters, Parse) {
  const struct {
    const char *text, *want;
  } rows[] = {
      // Lines.
      {"ps=h:1", "ps 0 h:1"},
      {"ps=h:1;worker=a:2,b:3", "ps 0 h:1, worker 0 a:2, worker 1 b:3"},
      {"ps=[::1]:80", "ps 0 [::1]:80"},
      {"ps=h:1;", "ps 0 h:1"},
      {"ps=", ""},  // a job without tasks
      {"", ""},
      {"h:1", "'h:1' is not JOB=HOST:PORT,…"},
      {"=h:1", "'=h:1' is not JOB=HOST:PORT,…"},
      {"ps=h:1;;", "'' is not JOB=HOST:PORT,…"},
      // Addresses.
      {"ps=h", "'h' in the cluster is not HOST:PORT"},
      {"ps=:1", "':1' in the cluster is not HOST:PORT"},
      {"ps=h:", "'h:' in the cluster is not HOST:PORT"},
      {"ps=h:0", "'h:0' in the cluster is not HOST:PORT"},
      {"ps=h:65535", "ps 0 h:65535"},
      {"ps=h:65536", "'h:65536' in the cluster is not HOST:PORT"},
      {"ps=h:1x", "'h:1x' in the cluster is not HOST:PORT"},
      {"ps=h:99999999999999999999", "'h:99999999999999999999' in the cluster is not HOST:PORT"},
      {"ps=a:1,,b:2", "'' in the cluster is not HOST:PORT"},
      // Names.
      {"a/b=h:1", "'a/b' is not a job's name"},
      {"a b=h:1", "'a b' is not a job's name"},
      {"{\"\": [\"h:1\"]}", "'' is not a job's name"},
      // JSON.
      {"{}", ""},
      {R"({"ps": ["h:1", "i:2"]})", "ps 0 h:1, ps 1 i:2"},
      {R"({"w": {"3": "h:1", "1": "i:2"}})", "w 1 i:2, w 3 h:1"},
      {R"({"w": {"x": "h:1"}})", "'x' in the job 'w' is not a task's number"},
      {R"({"w": {"-1": "h:1"}})", "'-1' in the job 'w' is not a task's number"},
      {R"({"w": {"1.5": "h:1"}})", "'1.5' in the job 'w' is not a task's number"},
      {R"({"w": "h:1"})", "the job 'w' of the cluster is not a list of addresses"},
      {R"({"w": [1]})", "an address in the job 'w' of the cluster is not text"},
      {R"({"w": ["h"]})", "'h' in the cluster is not HOST:PORT"},
      {R"({"w": )", R"('{"w": ' is not JOB=HOST:PORT,…)"},
      {"[1]", "'[1]' is not JOB=HOST:PORT,…"},
  };
  for (const auto& row : rows) EXPECT_EQ(Parsed(row.text), row.want) << row.text;
}

TEST(Clusters, FindTheirTasks) {
  Cluster cluster(*Cluster::Parse("ps=h:1;worker=a:2,b:3"));
  EXPECT_EQ(cluster.TaskNames(), (std::vector<std::string>{TaskName("ps", 0), TaskName("worker", 0),
                                                           TaskName("worker", 1)}));
  EXPECT_EQ(cluster.AddressOf("/job:worker/replica:0/task:1"), "b:3");
  EXPECT_EQ(cluster.AddressOf("/job:worker/replica:1/task:1"), "");
  EXPECT_EQ(cluster.AddressOf("/job:worker"), "");
  // A channel is opened once. Opening does not connect.
  const auto first = cluster.Channel("/job:ps/replica:0/task:0");
  const auto second = cluster.Channel("/job:ps/replica:0/task:0");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->get(), second->get());
  const auto none = cluster.Stub("/job:ps/replica:0/task:7");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kNotFound);
  EXPECT_EQ(none.status().message(), "the task /job:ps/replica:0/task:7 is not in the cluster");
}

TEST(Statuses, ToAndFromGrpc) {
  EXPECT_TRUE(FromGrpc(grpc::Status::OK, "t").ok());
  EXPECT_TRUE(ToGrpc({}).ok());
  for (const Status& status : {InvalidArgument("a"), NotFound("b"), OutOfRange("c"), Cancelled("d"),
                               DeadlineExceeded("e"), Aborted("f"), Internal("")}) {
    const Status back = FromGrpc(ToGrpc(status), "t");
    EXPECT_EQ(back.code(), status.code());
    EXPECT_EQ(back.message(), status.message());
  }
  const Status gone = FromGrpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "refused"), "/job:a");
  EXPECT_EQ(gone.code(), Code::kUnavailable);
  EXPECT_EQ(gone.message(), "the task /job:a does not answer: refused");
  EXPECT_NE(gone.hint(), "");
  // gRPC sends messages in headers, which are limited.
  EXPECT_EQ(ToGrpc(Internal(std::string(10'000, 'x'))).error_message().size(), 3000u);
}

TEST(Messages, HaveALimit) {
  EXPECT_TRUE(CheckMessageSize(0).ok());
  EXPECT_TRUE(CheckMessageSize((uint64_t{1} << 31) - (1 << 20)).ok());
  const Status status = CheckMessageSize(uint64_t{1} << 31);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "a message of 2147483648 bytes is too large for the wire, which carries 2146435072");
  EXPECT_EQ(CheckMessageSize(UINT64_MAX).code(), Code::kResourceExhausted);
}

// A peer sends only a code and a text, so that its reason is read from the text.
TEST(Messages, ReasonsOfPeers) {
  const struct {
    const char* text;
    Reason reason;
  } rows[] = {
      {"Attempting to use uninitialized value w\n\t [[{{node w}}]]", Reason::kUninitialized},
      {"From /job:a/replica:0/task:0:\nAttempting to use uninitialized value w",
       Reason::kUninitialized},
      {"Cannot assign a device for operation x: node x", Reason::kNoDevice},
      {"No OpKernel was registered to support Op 'Neg'", Reason::kNoKernel},
      {"my kernel: Attempting to use uninitialized value w", Reason::kNone},
      {"From /job:a", Reason::kNone},
      {"", Reason::kNone},
  };
  for (const auto& row : rows) {
    const Status status = PeerError(TSH_FAILED_PRECONDITION, row.text);
    EXPECT_EQ(status.reason(), row.reason) << row.text;
    EXPECT_EQ(status.message(), row.text);
    tsh_status* out = tsh_status_new();
    EXPECT_EQ(Set(out, status), 0);
    EXPECT_EQ(Said::Read(out).reason(), row.reason) << "across the C API";
    tsh_status_free(out);
  }
}

TEST(Messages, TensorsOfEveryKind) {
  const struct {
    int dtype;
    std::vector<int64_t> dims;
    size_t bytes;
  } rows[] = {{TSH_FLOAT, {}, 4},    {TSH_DOUBLE, {3}, 24},    {TSH_INT32, {2, 2}, 16},
              {TSH_BOOL, {0, 5}, 0}, {TSH_BOOL, {5}, 5},       {TSH_COMPLEX64, {1}, 8},
              {TSH_HALF, {4}, 8},    {TSH_INT64, {1, 1, 1}, 8}};
  for (const auto& row : rows) {
    Said said;
    const TensorPtr sent(
        tsh_tensor_new(row.dtype, row.dims.data(), static_cast<int>(row.dims.size()), said));
    auto* data = static_cast<unsigned char*>(tsh_tensor_data(sent.get()));
    for (size_t i = 0; i < row.bytes; ++i)
      data[i] = row.dtype == TSH_BOOL ? i % 2 : static_cast<unsigned char>(i * 37);
    std::string message;
    ASSERT_TRUE(EncodeTensor(sent.get(), &message).ok());
    const auto got = DecodeTensor(message);
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_EQ(tsh_tensor_dtype(got->get()), row.dtype);
    EXPECT_EQ(tsh_tensor_rank(got->get()), static_cast<int>(row.dims.size()));
    ASSERT_EQ(tsh_tensor_elements(got->get()), tsh_tensor_elements(sent.get()));
    if (row.bytes == 0) continue;
    EXPECT_EQ(std::string(static_cast<char*>(tsh_tensor_data(got->get())), row.bytes),
              std::string(static_cast<char*>(tsh_tensor_data(sent.get())), row.bytes));
  }
  for (const char* bytes : {"\x08", "\xff\xff\xff"}) EXPECT_FALSE(DecodeTensor(bytes).ok());
}

}  // namespace
}  // namespace tensh::dist
