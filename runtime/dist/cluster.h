#pragma once
// The tasks of a cluster: their names, addresses and channels. Immutable but for the channels,
// which are opened when first asked for. Any thread may call anything.
#include <grpcpp/security/credentials.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/status.h"
#include "tensorflow_wire.grpc.pb.h"

namespace tensh::dist {

// A key of TensorFlow's wire: sender;incarnation;receiver;name;frame:iter.
struct EdgeKey {
  std::string_view sender, incarnation, receiver, name;
};
bool ParseEdgeKey(std::string_view key, EdgeKey* out);
// "/job:a/replica:0/task:1" of a device's full name.
std::string_view TaskOf(std::string_view device);
std::string TaskName(const std::string& job, int task);

// gRPC's own message says which address is not reached; a user knows tasks.
Status FromGrpc(const grpc::Status& status, std::string_view task);
grpc::Status ToGrpc(const Status& status);
std::shared_ptr<grpc::Channel> OpenChannel(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials);

class Cluster {
 public:
  using Jobs = std::map<std::string, std::map<int, std::string>>;
  // {"ps": ["host:1"], "worker": {"0": "host:2"}}, or ps=host:1;worker=host:2,host:3.
  static Result<Jobs> Parse(const std::string& text);
  // credentials: null for none.
  explicit Cluster(Jobs jobs, std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr)
      : jobs_(std::move(jobs)), credentials_(std::move(credentials)) {}

  const Jobs& jobs() const { return jobs_; }
  std::vector<std::string> TaskNames() const;
  // "" : there is no such task.
  std::string AddressOf(std::string_view task) const;
  // NotFound for a task that is not in the cluster.
  Result<std::shared_ptr<grpc::Channel>> Channel(std::string_view task);
  Result<std::shared_ptr<tensorflow::WorkerService::Stub>> Stub(std::string_view task);

 private:
  const Jobs jobs_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels_;
};

}  // namespace tensh::dist
