#pragma once
// A session on another server, of tensh or TensorFlow.
//
// The session is created on the server by the first call; later calls first send the nodes that are
// new. A call is sent once. It is never retried, because a step must not run twice.
//
// Thread-safe. Calls overlap once the server knows their nodes.
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/dist_api.h"
#include "runtime/dist/wire/handles.h"
#include "tensorflow_wire.grpc.pb.h"

namespace tensh::dist {

class Remote {
 public:
  // Borrows the graph until Close.
  static Result<std::unique_ptr<Remote>> Connect(tsh_graph* graph, const std::string& target,
                                                 const tensh_dist_options& options);
  // Closes all sessions of a server, and frees the resources in the containers on all of its tasks.
  static Status Reset(const std::string& target, std::span<const std::string> containers,
                      const tensh_dist_options& options);
  // If `trace` is not null, it receives the server's report of the step. `partial` is the handle of
  // the partial run that the call belongs to, or "".
  Status Run(const tsh_run& run, const tensh_dist_trace* trace, tsh_tensor** fetched,
             const std::string& partial = "");
  Status SetUpPartial(const tsh_run& run, std::string* handle);
  Status ListDevices(tensorflow::ListDevicesResponse* response);
  void Cancel();
  Status Close();

 private:
  class Call;
  Remote(tsh_graph* graph, std::string target, const tensh_dist_options& options,
         std::unique_ptr<tensorflow::MasterService::Stub> stub);
  // Makes sure that the server's session knows every node of the graph. *handle is the session's
  // name.
  Status Sync(std::string* handle, int64_t timeout_ms);
  Status Create(std::string graph_def, Call* call);
  Status Extend(std::string graph_def, Call* call);
  void ForgetUndone();
  std::string WireName(tsh_node n) const;
  std::string WireName(tsh_output o) const;
  tsh_node NodeOf(const std::string& wire_name) const;
  std::string FeedName(tsh_output o) const;
  Status Describe(const Call& call, const grpc::Status& status, const char* method) const;
  // Makes the error that the server sent, with a hint if the session or a task is lost.
  Status AnswerOf(Code code, const std::string& message) const;
  Status Fill(const tsh_run& run, tensorflow::RunStepRequest* request) const;
  Status TakeFetched(const tensorflow::RunStepResponse& response, const tsh_run& run,
                     const tensorflow::RunStepRequest& request, tsh_tensor** fetched) const;

  tsh_graph* const graph_;
  const std::string target_, address_;
  const tensh_dist_options options_;  // Its device_filters are dead; device_filters_ is the copy.
  const std::vector<std::string> device_filters_;
  const std::unique_ptr<tensorflow::MasterService::Stub> stub_;

  mutable std::mutex mu_;  // Guards creating and extending.
  std::string handle_;
  int64_t version_ = 0;
  tsh_node sent_ = 0;        // The server knows the nodes below this one.
  uint32_t generation_ = 0;  // The graph's generation when they were sent.
  // Names that stay in use on the server. A command that fails removes its nodes from the local
  // graph, but the server cannot remove them.
  std::set<std::string> taken_;
  std::map<tsh_node, std::string> renamed_;

  std::mutex calls_mu_;
  std::set<Call*> calls_;  // Calls in flight.
};

}  // namespace tensh::dist
