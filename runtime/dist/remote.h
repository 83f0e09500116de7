#pragma once
// A session on another server, ours or TensorFlow's. The server hears of it with the first call,
// and of new nodes with the next one. Any thread may call anything; calls overlap once their nodes
// are known over there. A call is sent once: nothing is tried again behind the caller's back.
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "runtime/dist/dist_api.h"
#include "runtime/dist/handles.h"
#include "tensorflow_wire.grpc.pb.h"

namespace tensh::dist {

class Remote {
 public:
  // graph: borrowed until Close.
  static Result<std::unique_ptr<Remote>> Connect(tsh_graph* graph, const std::string& target,
                                                 const tensh_dist_options& options);
  // trace: null, or told what the server says of the step. partial: the handle of the partial run
  // it is a part of, or "".
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
  // The server's session knows every node of the graph; *handle is its name.
  Status Sync(std::string* handle, int64_t timeout_ms);
  Status Create(std::string graph_def, Call* call);
  Status Extend(std::string graph_def, Call* call);
  void ForgetUndone();
  std::string WireName(tsh_node n) const;
  std::string WireName(tsh_output o) const;
  tsh_node NodeOf(const std::string& wire_name) const;
  std::string FeedName(tsh_output o) const;
  Status Describe(const grpc::Status& status, const char* method) const;
  Status Fill(const tsh_run& run, tensorflow::RunStepRequest* request) const;
  Status TakeFetched(const tensorflow::RunStepResponse& response, const tsh_run& run,
                     const tensorflow::RunStepRequest& request, tsh_tensor** fetched) const;

  tsh_graph* const graph_;
  const std::string target_, address_;
  const tensh_dist_options options_;
  const std::unique_ptr<tensorflow::MasterService::Stub> stub_;

  mutable std::mutex mu_;  // create and extend
  std::string handle_;
  int64_t version_ = 0;
  tsh_node sent_ = 0;        // nodes below are known over there
  uint32_t generation_ = 0;  // of the graph, when they were sent
  // A command that fails takes its nodes back here, never there: their names stay taken.
  std::set<std::string> taken_;
  std::map<tsh_node, std::string> renamed_;

  std::mutex calls_mu_;
  std::set<grpc::ClientContext*> calls_;  // in flight
};

}  // namespace tensh::dist
