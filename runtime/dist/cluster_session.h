#pragma once
// One session of a master over the tasks of its cluster: which devices there are, the cuts of the
// signatures it runs, and the steps. Any thread may call anything; steps overlap.
#include <map>
#include <mutex>
#include <set>

#include "runtime/dist/task.h"

namespace tensh::dist {

struct StepLimits {
  int64_t timeout_ms = 0;  // 0: none
  tsh_cancel* cancel = nullptr;
};

class ClusterSession {
 public:
  struct Options {
    std::string handle, config;  // config: JSON, as tsh_session_new
    bool isolated = false;
    std::vector<std::string> filters;  // devices of other tasks are left out; empty: all
    std::function<bool()> given_up;    // asked while tasks are waited for
    int64_t timeout_ms = 0;
  };
  // The graph and the worker, this task's own, outlive it.
  static Result<std::unique_ptr<ClusterSession>> Create(tsh_graph* graph, Worker* worker,
                                                        Options options);
  ~ClusterSession() { Close(); }

  // A signature placed, cut and registered with the tasks that run it.
  struct Cutting;
  using CuttingRef = std::shared_ptr<Cutting>;
  Result<CuttingRef> Cut(const tsh_run& run);
  // fetched: as the run's fetches.
  Status Run(const CuttingRef& cutting, const std::vector<TensorPtr>& values,
             const StepLimits& limits, bool trace, std::vector<TensorPtr>* fetched,
             tensorflow::StepStats* stats);
  // A step that is fed and fetched in several calls, which take turns.
  class Partial;
  using PartialRef = std::shared_ptr<Partial>;
  Result<PartialRef> SetUpPartial(const tsh_run& run);
  Status RunPartial(Partial& partial, const tsh_run& run, const StepLimits& limits,
                    std::vector<TensorPtr>* fetched);
  static bool PartialDone(const Partial& partial);
  Status TellPartitions(const tsh_run& run, tensorflow::RunMetadata* metadata);
  // A task was lost: what was cut before is worth nothing. The next Cut looks for the task again.
  bool lost();
  std::vector<tensorflow::DeviceAttributes> devices();
  void Close();

 private:
  class Step;
  // ends: the tasks may forget the step afterwards.
  Status RunIn(Step& step, const StepLimits& limits, bool ends);
  ClusterSession(tsh_graph* graph, Worker* worker, Options options)
      : graph_(graph), worker_(*worker), options_(std::move(options)) {}
  Status MakeTasks();
  // GetStatus everywhere, a session on each task whose incarnation is new, a cutter for the
  // devices.
  Status Join(int64_t timeout_ms);
  Result<tensorflow::GetStatusResponse> WaitFor(Task& task, int64_t timeout_ms);

  tsh_graph* const graph_;
  Worker& worker_;
  const Options options_;
  std::map<std::string, std::shared_ptr<Task>> tasks_;  // by name; set once
  std::mutex mu_;
  std::vector<tensorflow::DeviceAttributes> devices_;
  std::map<std::string, uint64_t> incarnations_;  // by task, of its first device
  std::shared_ptr<tsh_cutter> cutter_;
  std::set<Step*> steps_;  // in flight
  std::condition_variable idle_;
  bool lost_ = false, closed_ = false;
};

}  // namespace tensh::dist
