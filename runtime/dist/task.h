#pragma once
// A task as a master drives it: this process's own worker, called directly, or another's, over the
// wire. Any thread may call anything.
#include <condition_variable>
#include <functional>

#include "runtime/dist/worker.h"

namespace tensh::dist {

class Task {
 public:
  using Done = std::function<void(Status, PartResult)>;
  virtual ~Task() = default;
  virtual const std::string& name() const = 0;
  virtual Status GetStatus(int64_t timeout_ms, tensorflow::GetStatusResponse* response) = 0;
  // master: the worker of the master's own task.
  virtual Status CreateSession(const std::string& handle, bool isolated, const Worker& master) = 0;
  virtual void DeleteSession(const std::string& handle) = 0;
  virtual Status Register(const std::string& session, tsh_graph* graph, std::string* handle) = 0;
  virtual void Deregister(const std::string& session, const std::string& graph) = 0;
  // done is called once, from any thread. cancel outlives that.
  virtual void Run(PartRun run, tsh_cancel* cancel, Done done) = 0;
  virtual void Cleanup(int64_t step) = 0;
  // True when the task answers within its time. Own worker: always.
  virtual void Probe(std::function<void(bool)> done) = 0;
};

std::unique_ptr<Task> MakeOwnTask(Worker* worker);
// The cluster outlives it.
Result<std::unique_ptr<Task>> MakeOtherTask(Cluster* cluster, const std::string& name);

}  // namespace tensh::dist
