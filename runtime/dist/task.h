#pragma once
// A task as the master sees it: either this process's own worker, called directly, or that of
// another process, called by gRPC. Thread-safe.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>

#include "runtime/dist/worker.h"

namespace tensh::dist {

// When a step, and the registration of its parts, must end.
struct StepLimits {
  int64_t timeout_ms = 0;  // From the time when the object was made; 0 means no limit.
  tsh_cancel* cancel = nullptr;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  std::chrono::steady_clock::time_point until() const {
    constexpr int64_t kMost = int64_t{1} << 40;
    return timeout_ms > 0 ? begun + std::chrono::milliseconds(std::min(timeout_ms, kMost))
                          : std::chrono::steady_clock::time_point::max();
  }
};

class Task {
 public:
  using Done = std::function<void(Status, PartResult)>;
  virtual ~Task() = default;
  virtual const std::string& name() const = 0;
  virtual Status GetStatus(int64_t timeout_ms, tensorflow::GetStatusResponse* response) = 0;
  // `master` is the worker of the master's task.
  virtual Status CreateSession(const std::string& handle, bool isolated, const Worker& master) = 0;
  virtual void DeleteSession(const std::string& handle) = 0;
  // Frees the resources in these containers.
  virtual Status CleanupAll(const std::vector<std::string>& containers) = 0;
  // May take long, because the task builds the graph. Returns Unavailable once the task does not
  // answer probes, and DeadlineExceeded or Cancelled at the limits.
  virtual Status Register(const std::string& session, tsh_graph* graph, const StepLimits& limits,
                          std::string* handle) = 0;
  virtual void Deregister(const std::string& session, const std::string& graph) = 0;
  // Calls `done` once, from any thread. `cancel` must live until then.
  virtual void Run(PartRun run, tsh_cancel* cancel, Done done) = 0;
  virtual void Cleanup(int64_t step) = 0;
  // Calls `done` with true if the task answers within probe_period(). The worker of this process
  // always does. `since`: when the call that waits for the task began.
  virtual void Probe(std::chrono::steady_clock::time_point since,
                     std::function<void(bool)> done) = 0;
  // The interval at which calls that take long probe the task.
  virtual std::chrono::milliseconds probe_period() const = 0;
};

std::unique_ptr<Task> MakeOwnTask(Worker* worker);
// The cluster must outlive the task.
Result<std::unique_ptr<Task>> MakeOtherTask(Cluster* cluster, const std::string& name);

}  // namespace tensh::dist
