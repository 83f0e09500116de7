#pragma once
// One session of a client: its graph, what runs it, and the signatures it has run. Made by
// CreateSession, shared by the calls in flight; Close cancels their steps and waits for them. Any
// thread may call anything.
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// A request's names as the graph's ids, in their order.
struct Signature {
  std::vector<std::string> fetch_names;
  std::vector<tsh_output> feeds, fetches;
  std::vector<tsh_node> targets;
  CallablePtr callable;  // null: not compiled yet
};

class MasterSession {
 public:
  static Result<std::shared_ptr<MasterSession>> Create(
      const tensorflow::CreateSessionRequest& request);
  ~MasterSession() { Close(); }

  const std::string& handle() const { return handle_; }
  int64_t version();
  // All or nothing; the version grows by one on success.
  Status Extend(const std::string& graph_def, int64_t expected_version, int64_t* version);
  Status RunStep(const tensorflow::RunStepRequest& request, int64_t timeout_ms,
                 tensorflow::RunStepResponse* response);
  Status MakeCallable(const tensorflow::CallableOptions& options, int64_t* id);
  Status RunCallable(const tensorflow::RunCallableRequest& request, int64_t timeout_ms,
                     tensorflow::RunCallableResponse* response);
  Status ReleaseCallable(int64_t id);
  void ListDevices(tensorflow::ListDevicesResponse* response);
  void Close();

 private:
  using Names = google::protobuf::RepeatedPtrField<std::string>;
  using Values = std::vector<TensorPtr>;

  MasterSession(std::string handle, GraphPtr graph, SessionPtr session)
      : handle_(std::move(handle)), graph_(std::move(graph)), session_(std::move(session)) {}
  Result<std::shared_ptr<Signature>> Resolve(const std::vector<std::string>& feeds,
                                             const Names& fetches, const Names& targets);
  // Resolve, remembered.
  Result<std::shared_ptr<Signature>> Lookup(const std::vector<std::string>& feeds,
                                            const Names& fetches, const Names& targets);
  Status Run(const Signature& signature, const Values& feeds, int64_t timeout_ms, bool trace,
             Values* fetched, tensorflow::RunMetadata* metadata);

  const std::string handle_;
  const GraphPtr graph_;
  const SessionPtr session_;
  std::mutex extend_mu_;  // one Extend at a time
  std::mutex mu_;
  int64_t version_ = 0;
  std::unordered_map<std::string, std::shared_ptr<Signature>> signatures_;
  struct Callable {
    std::shared_ptr<Signature> signature;
    bool trace = false;
  };
  std::map<int64_t, Callable> callables_;
  int64_t next_callable_ = 1;
};

}  // namespace tensh::dist
