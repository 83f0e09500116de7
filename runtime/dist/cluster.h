#pragma once
// The tasks of a cluster: names, addresses and channels. Immutable, except that channels are opened
// at their first use. Thread-safe.
#include <grpcpp/security/credentials.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/status.h"
#include "runtime/dist/liveness.h"
#include "tensorflow_wire.grpc.pb.h"

namespace tensh::dist {

// A rendezvous key of TensorFlow's wire format: sender;incarnation;receiver;name;frame:iter. The
// views refer to the parsed text.
struct EdgeKey {
  std::string_view sender, incarnation, receiver, name;
};
bool ParseEdgeKey(std::string_view key, EdgeKey* out);
// Returns the task in a full device name, such as "/job:a/replica:0/task:1".
std::string_view TaskOf(std::string_view device);
std::string TaskName(const std::string& job, int task);

// Returns true for HOST or HOST:PORT if HOST is 127.0.0.1, localhost or [::1].
bool IsOfThisMachine(std::string_view address);

// Converts a gRPC status. gRPC's message has the address that cannot be reached; this adds the
// task, which the user knows.
Status FromGrpc(const grpc::Status& status, std::string_view task);
// Makes the error of a peer from what the protocol carries: a code and a text. TensorFlow's servers
// send the reason only as the beginning of the text, so that it is read here, and nowhere else.
Status PeerError(int code, std::string message);
grpc::Status ToGrpc(const Status& status);
// `own_connection`: the channel does not share the connection of other channels to this address.
std::shared_ptr<grpc::Channel> OpenChannel(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    bool own_connection = false);

class Cluster {
 public:
  using Jobs = std::map<std::string, std::map<int, std::string>>;
  // Parses {"ps": ["host:1"], "worker": {"0": "host:2"}}, or ps=host:1;worker=host:2,host:3.
  static Result<Jobs> Parse(const std::string& text);
  static Result<Jobs> FromMessage(const tensorflow::ClusterDef& message);
  // If `credentials` is null, connections are not encrypted.
  explicit Cluster(Jobs jobs, std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr)
      : jobs_(std::move(jobs)), credentials_(std::move(credentials)) {}

  const Jobs& jobs() const { return jobs_; }
  const std::shared_ptr<grpc::ChannelCredentials>& credentials() const { return credentials_; }
  // Returns true if a task has this address.
  bool Has(const std::string& address) const;
  std::vector<std::string> TaskNames() const;
  // Returns "" if the task does not exist.
  std::string AddressOf(std::string_view task) const;
  // Returns NotFound if the task is not in the cluster.
  Result<std::shared_ptr<grpc::Channel>> Channel(std::string_view task);
  Result<std::shared_ptr<tensorflow::WorkerService::Stub>> Stub(std::string_view task);
  Result<std::shared_ptr<Liveness>> LivenessOf(std::string_view task);
  // The time after which a task that does not answer is lost. Must be set before any call.
  void set_task_timeout(std::chrono::milliseconds timeout) { task_timeout_ = timeout; }
  std::chrono::milliseconds task_timeout() const { return task_timeout_; }

 private:
  const Jobs jobs_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels_;
  std::map<std::string, std::shared_ptr<Liveness>> liveness_;
  std::chrono::milliseconds task_timeout_{10'000};
};

}  // namespace tensh::dist
