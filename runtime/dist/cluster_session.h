#pragma once
// A master's session over the tasks of a cluster: the available devices, the partitioned
// signatures, and the steps.
//
// A signature is placed and partitioned once, and its parts are registered with the tasks that run
// them. If a task was restarted, all of this is repeated.
//
// Thread-safe; steps may overlap.
#include <map>
#include <mutex>
#include <set>

#include "runtime/dist/task.h"

namespace tensh::dist {

class ClusterSession {
 public:
  struct Options {
    std::string handle, config;  // `config` is the JSON of tsh_session_new.
    bool isolated = false;
    // Devices of other tasks are excluded; empty means no filter.
    std::vector<std::string> filters;
    std::function<bool()> given_up;  // Polled while waiting for tasks.
    int64_t timeout_ms = 0;
  };
  // The graph and the worker, which is that of this task, must outlive the session.
  static Result<std::unique_ptr<ClusterSession>> Create(tsh_graph* graph, Worker* worker,
                                                        Options options);
  ~ClusterSession() { Close(); }

  // A signature that was placed, partitioned and registered with the tasks that run it.
  struct Cutting;
  using CuttingRef = std::shared_ptr<Cutting>;
  Result<CuttingRef> Cut(const tsh_run& run, const StepLimits& limits);
  // Sets `fetched` to the values in the order of the run's fetches.
  Status Run(const CuttingRef& cutting, const std::vector<TensorPtr>& values,
             const StepLimits& limits, bool trace, std::vector<TensorPtr>* fetched,
             tensorflow::StepStats* stats);
  // A step that is fed and fetched in several calls. The calls are serialized.
  class Partial;
  using PartialRef = std::shared_ptr<Partial>;
  Result<PartialRef> SetUpPartial(const tsh_run& run, const StepLimits& limits);
  Status RunPartial(Partial& partial, const tsh_run& run, const StepLimits& limits,
                    std::vector<TensorPtr>* fetched);
  static bool PartialDone(const Partial& partial);
  Status TellPartitions(const tsh_run& run, tensorflow::RunMetadata* metadata);
  // True if a task was lost, so that earlier Cuttings are invalid. The next Cut tries to reach the
  // task again.
  bool lost();
  // Returns the devices of all tasks. The incarnation of a device is 0 if its task does not
  // answer within a second.
  std::vector<tensorflow::DeviceAttributes> ListDevices();
  void Close();

 private:
  class Step;
  // If `ends` is true, the tasks may forget the step afterwards.
  Status RunIn(Step& step, const StepLimits& limits, bool ends);
  ClusterSession(tsh_graph* graph, Worker* worker, Options options)
      : graph_(graph), worker_(*worker), options_(std::move(options)) {}
  Status MakeTasks();
  // Calls GetStatus on every task, opens a session on each task whose incarnation is new, and makes
  // a cutter for the devices.
  Status Join(int64_t timeout_ms);
  Result<tensorflow::GetStatusResponse> WaitFor(Task& task, int64_t timeout_ms);
  std::vector<tensorflow::DeviceAttributes> devices();

  tsh_graph* const graph_;
  Worker& worker_;
  const Options options_;
  std::map<std::string, std::shared_ptr<Task>> tasks_;  // By name; set once.
  std::mutex mu_;
  std::vector<tensorflow::DeviceAttributes> devices_;
  std::map<std::string, uint64_t> incarnations_;  // Incarnation of each task's first device.
  std::shared_ptr<tsh_cutter> cutter_;
  std::set<Step*> steps_;  // Steps in flight.
  std::condition_variable idle_;
  bool lost_ = false, closed_ = false;
};

}  // namespace tensh::dist
