#pragma once
// A session runs steps over a shared graph. Create corresponds to the first Extend. Every Run first
// extends the session by the nodes that were added to the graph. In process this costs nothing,
// because plans stay valid.
//
// Thread-safe; steps run concurrently. Close cancels them, waits for them, and frees the variables.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/cpu_limit.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/step.h"
#include "runtime/session/config.h"
#include "runtime/session/partial_run.h"

namespace tensh {

// The arguments of a Run, as ids in the graph.
struct RunRequest {
  std::span<const Output> feeds, fetches;
  std::span<const NodeId> targets;
};

// Returns the values and nodes that a request names. NotFound or InvalidArgument if the graph does
// not have one of them, or if a value is fed twice.
Result<RunSignature> CheckRequest(const Graph& graph, const RunRequest& request);

// The stages of a run, and its plan if it runs in this process.
struct Explained {
  std::shared_ptr<const Stages> stages;
  std::shared_ptr<const Plan> plan;  // null if the steps run elsewhere
};

struct RunTrace {
  Explained run;
  StepTrace step;
};

// Options of a single step.
struct RunControl {
  int64_t timeout_ms = 0;        // 0: the limit of the configuration
  RunTrace* trace = nullptr;     // filled in if not null
  Exchange* exchange = nullptr;  // required for a graph that was cut by a master
  CancelFlag* cancel = nullptr;  // cancels this step alone
};

class Session {
 public:
  virtual ~Session() = default;
  // Runs a step. `values` has one tensor for each feed; `fetched` has one entry for each fetch and
  // is filled only on success. If timeout_ms is 0, the limit of the configuration applies. `trace`
  // may be null.
  virtual Status Run(const RunRequest& request, std::span<const Tensor> values,
                     std::span<Tensor> fetched, int64_t timeout_ms, RunTrace* trace) = 0;
  // Returns the stages of a run without running it.
  virtual Result<Explained> Explain(const RunRequest& request) = 0;
  // Returns the plan of the body of a function that a node on `device` calls. `optimized` is that of
  // the caller's stages. Compiles the body. The result lives until Close. Unimplemented if the steps
  // run elsewhere.
  virtual Result<const Plan*> ExplainCall(const FuncAttr& function, std::string_view device,
                                          bool optimized);
  // Returns the compiled plan of a request. Unimplemented if the steps run elsewhere.
  virtual Result<std::shared_ptr<Plan>> GetPlan(const RunRequest& request);
  // Runs a step of a plan that GetPlan returned. FailedPrecondition once the session is closed or
  // the plan was dropped.
  virtual Status RunPlan(const std::shared_ptr<Plan>& plan, std::span<const Tensor> values,
                         std::span<Tensor> fetched, int64_t timeout_ms);
  // Runs a step with options. Unimplemented if the steps run elsewhere.
  virtual Status RunWith(const RunRequest& request, std::span<const Tensor> values,
                         std::span<Tensor> fetched, const RunControl& control);
  // Prepares a step that is fed and fetched in several calls, without running anything. The session
  // must outlive it.
  virtual Result<std::unique_ptr<PartialRun>> SetUpPartial(const RunRequest& request);
  // Cancels all steps in flight. Returns without waiting for them.
  virtual void CancelSteps() = 0;
  virtual Status Close() = 0;
  virtual bool closed() const = 0;
  virtual Graph* graph() const = 0;              // null after Close
  virtual const DeviceMgr& devices() const = 0;  // the devices in this process
  // Lists all devices of the session, including those in other processes.
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

// Creates sessions for the targets that it accepts: the target "" for sessions in process, or URLs
// with a certain scheme.
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
  // Creates a session with the first factory that accepts the target. NotFound if none does.
  Result<std::unique_ptr<Session>> Create(Graph* graph, const std::string& target,
                                          const SessionConfig& config) const;

 private:
  std::vector<std::unique_ptr<SessionFactory>> factories_;
};

// The devices and state that the sessions of a server share. They outlive a session.
struct SessionHome {
  std::shared_ptr<DeviceMgr> devices;
  std::shared_ptr<ResourceTable> resources;
  std::shared_ptr<Allocator> allocator;  // for outputs in host memory; null: the default
  CpuLimitRule step_cpu = {};            // for each step
};
// Creates an in-process session that uses the devices and resources of `home`.
std::unique_ptr<Session> MakeSessionIn(const SessionHome& home, Graph* graph,
                                       const SessionConfig& config);

// Returns the factory of in-process sessions.
std::unique_ptr<SessionFactory> MakeDirectSessionFactory(const DeviceRegistry& devices);

}  // namespace tensh
