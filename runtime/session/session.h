#pragma once
// Session: runs steps over one shared graph. Create is the first Extend; every Run first extends
// the session to what the graph has become, which in process costs nothing: plans stay valid. Any
// thread may call anything; steps run concurrently; Close cancels them, waits for them, and frees
// variables.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/exec/plan.h"
#include "runtime/exec/step.h"
#include "runtime/session/config.h"
#include "runtime/session/partial_run.h"

namespace tensh {

// A Run as ids in the graph.
struct RunRequest {
  std::span<const Output> feeds, fetches;
  std::span<const NodeId> targets;
};

// Returns the values and nodes that a request names. NotFound or InvalidArgument if the graph does
// not have one of them, or if a value is fed twice.
Result<RunSignature> CheckRequest(const Graph& graph, const RunRequest& request);

// How a run is done: its stages, and the program if it runs in this process.
struct Explained {
  std::shared_ptr<const Stages> stages;
  std::shared_ptr<const Plan> plan;  // null if the steps run elsewhere
};

struct RunTrace {
  Explained run;
  StepTrace step;
};

// What a caller may say about one step.
struct RunControl {
  int64_t timeout_ms = 0;        // 0: the configuration's
  RunTrace* trace = nullptr;     // filled when given
  Exchange* exchange = nullptr;  // for a part of a graph that a master made
  CancelFlag* cancel = nullptr;  // cancels this step alone
};

class Session {
 public:
  virtual ~Session() = default;
  // values: one a feed. fetched: one a fetch, filled on success only. timeout_ms 0: the
  // configuration's.
  virtual Status Run(const RunRequest& request, std::span<const Tensor> values,
                     std::span<Tensor> fetched, int64_t timeout_ms, RunTrace* trace) = 0;
  // Returns what is known of a run without running it.
  virtual Result<Explained> Explain(const RunRequest& request) = 0;
  // Returns the compiled plan of a request. Unimplemented if the steps run elsewhere.
  virtual Result<std::shared_ptr<Plan>> GetPlan(const RunRequest& request);
  // Runs a step of a plan that GetPlan returned. FailedPrecondition once the session is closed or
  // the plan was dropped.
  virtual Status RunPlan(const std::shared_ptr<Plan>& plan, std::span<const Tensor> values,
                         std::span<Tensor> fetched, int64_t timeout_ms);
  // A step with more said about it. Unimplemented where the steps run elsewhere.
  virtual Status RunWith(const RunRequest& request, std::span<const Tensor> values,
                         std::span<Tensor> fetched, const RunControl& control);
  // A step that is fed and fetched in several calls; the session outlives it. Its setup runs
  // nothing.
  virtual Result<std::unique_ptr<PartialRun>> SetUpPartial(const RunRequest& request);
  virtual void CancelSteps() = 0;
  virtual Status Close() = 0;
  virtual bool closed() const = 0;
  virtual Graph* graph() const = 0;              // null once closed
  virtual const DeviceMgr& devices() const = 0;  // those in this process
  // All its devices, wherever they are.
  virtual Result<std::vector<DeviceInfo>> ListDevices();
  virtual ResourceTable& resources() = 0;
  uint64_t id() const { return id_; }
  const std::string& target() const { return target_; }
  static uint64_t NextId();

 protected:
  Session(uint64_t id, std::string target) : id_(id), target_(std::move(target)) {}

 private:
  const uint64_t id_;
  const std::string target_;
};

// Makes sessions for targets that begin with a scheme: "" in process.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;
  virtual bool Accepts(const std::string& target) const = 0;
  virtual Result<std::unique_ptr<Session>> Create(Graph* graph, const std::string& target,
                                                  const SessionConfig& config) = 0;
};

class SessionFactoryRegistry {
 public:
  void Add(std::unique_ptr<SessionFactory> factory) { factories_.push_back(std::move(factory)); }
  // NotFound when no factory accepts the target.
  Result<std::unique_ptr<Session>> Create(Graph* graph, const std::string& target,
                                          const SessionConfig& config) const;

 private:
  std::vector<std::unique_ptr<SessionFactory>> factories_;
};

// What sessions of one server share: its devices, and the state that outlives a session.
struct SessionHome {
  std::shared_ptr<DeviceMgr> devices;
  std::shared_ptr<ResourceTable> resources;
  std::shared_ptr<Allocator> allocator;  // for what kernels make in host memory; null: its own
};
std::unique_ptr<Session> MakeSessionIn(const SessionHome& home, Graph* graph,
                                       const SessionConfig& config);

// The in-process factory.
std::unique_ptr<SessionFactory> MakeDirectSessionFactory(const DeviceRegistry& devices);

}  // namespace tensh
