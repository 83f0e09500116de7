#pragma once
// A client's session: its graph, its engine (in process or over a cluster), and the signatures that
// it has run.
//
// CreateSession makes it. The calls in flight share it. Close cancels their steps and waits for
// them. Thread-safe.
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/dist/cluster_session.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// The names in a request, resolved to ids of the graph, in the same order.
struct Signature {
  std::vector<std::string> fetch_names;
  std::vector<tsh_output> feeds, fetches;
  std::vector<tsh_node> targets;
  CallablePtr callable;                             // Set if steps run in process.
  bool is_steady = false;                           // see tsh_callable_is_steady
  mutable std::atomic<int64_t> last_ns{INT64_MAX};  // Duration of the latest step.
  mutable std::atomic<int64_t> steps{0};            // Counted if costs are requested.
  ClusterSession::CuttingRef cutting;               // Set if steps run on the tasks of a cluster.
};

class MasterSession {
 public:
  // The worker, which is that of this task, must outlive the session.
  static Result<std::shared_ptr<MasterSession>> Create(
      const tensorflow::CreateSessionRequest& request, Worker* worker, int64_t timeout_ms = 0,
      std::function<bool()> given_up = nullptr);
  ~MasterSession() { Close(); }

  const std::string& handle() const { return handle_; }
  int64_t version();
  // Counts a step that has arrived, until the pointer is gone. If more than `most` are in flight,
  // returns ResourceExhausted. The session must outlive the pointer.
  struct Leave {
    void operator()(std::atomic<int>* in_flight) const { in_flight->fetch_sub(1); }
  };
  using InFlight = std::unique_ptr<std::atomic<int>, Leave>;
  Result<InFlight> Enter(int most);
  // Adds all nodes or none. On success the version increases by one.
  Status Extend(const std::string& graph_def, int64_t expected_version, int64_t* version);
  Status RunStep(const tensorflow::RunStepRequest& request, const StepLimits& limits,
                 tensorflow::RunStepResponse* response);
  // Returns true if a small request's step is known to be so short that a separate thread is not
  // worthwhile.
  bool IsQuick(const tensorflow::RunStepRequest& request);
  // The response has the tensors in the order of the request.
  Status PartialRunSetup(const tensorflow::PartialRunSetupRequest& request,
                         const StepLimits& limits, std::string* handle);
  Status PartialRun(const tensorflow::RunStepRequest& request, const StepLimits& limits,
                    tensorflow::RunStepResponse* response);
  Status MakeCallable(const tensorflow::CallableOptions& options, const StepLimits& limits,
                      int64_t* id);
  Status RunCallable(const tensorflow::RunCallableRequest& request, const StepLimits& limits,
                     tensorflow::RunCallableResponse* response);
  Status ReleaseCallable(int64_t id);
  void ListDevices(tensorflow::ListDevicesResponse* response);
  void Close();

 private:
  using Names = google::protobuf::RepeatedPtrField<std::string>;
  using Values = std::vector<TensorPtr>;

  MasterSession(std::string handle, GraphPtr graph)
      : handle_(std::move(handle)), graph_(std::move(graph)) {}
  Status Compile(Signature* signature, const StepLimits& limits);
  Result<std::shared_ptr<Signature>> Resolve(const std::vector<std::string>& feeds,
                                             const Names& fetches, const Names& targets);
  // Like Resolve, but cached.
  Result<std::shared_ptr<Signature>> Lookup(const std::vector<std::string>& feeds,
                                            const Names& fetches, const Names& targets,
                                            const StepLimits& limits);
  // Returns the limits of a step in a cluster, where the session's own apply to steps without one.
  StepLimits InCluster(StepLimits limits, int64_t asked_ms) const;
  Status Run(const Signature& signature, const Values& feeds, const StepLimits& limits, bool trace,
             Values* fetched, tensorflow::RunMetadata* metadata);
  // Runs the step. The statistics are those of a traced step.
  Status RunTraced(const Signature& signature, const Values& feeds, const StepLimits& limits,
                   bool trace, Values* fetched, tensorflow::RunMetadata* metadata);
  bool WantsCosts(const Signature& signature) const;
  Status TellPartitions(const Signature& signature, tensorflow::RunMetadata* metadata);

  const std::string handle_;
  const GraphPtr graph_;
  SeenIds seen_;
  // Set if the session brought its own cluster. Outlives the rest.
  std::shared_ptr<Worker> renamed_;
  SessionPtr session_;  // Create sets either this or cluster_.
  std::unique_ptr<ClusterSession> cluster_;
  CutterPtr cutter_;    // For partition graphs, if in process. Guarded by mu_.
  std::string config_;  // JSON
  int64_t operation_timeout_ms_ = 0;
  // Every how many steps of a signature the response has their costs, and how many come before;
  // 0: never.
  int64_t costs_every_ = 0, costs_after_ = 0;
  Worker* worker_ = nullptr;
  std::mutex extend_mu_;  // Serializes Extend.
  GraphCount count_;      // Of graph_. Guarded by extend_mu_.
  std::atomic<int> in_flight_{0};
  std::mutex mu_;
  int64_t version_ = 0;
  std::unordered_map<std::string, std::shared_ptr<Signature>> signatures_;
  struct Callable {
    std::shared_ptr<Signature> signature;
    bool trace = false;
  };
  std::map<int64_t, Callable> callables_;
  int64_t next_callable_ = 1;
  struct PartialStep {  // Exactly one member is set.
    std::shared_ptr<tsh_partial> here;
    ClusterSession::PartialRef cluster;
    bool Done() const {
      return here ? tsh_partial_done(here.get()) : ClusterSession::PartialDone(*cluster);
    }
  };
  std::map<std::string, PartialStep> partials_;  // By handle.
  bool closed_ = false;
};

}  // namespace tensh::dist
