#pragma once
// The work that one task does for masters. It keeps the graph parts that they register, runs them,
// and keeps the values of running steps for other tasks to fetch.
//
// A worker does not depend on gRPC services; a master in this process calls it directly.
// Thread-safe. Run returns when the step has ended.
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/dist/cluster.h"
#include "runtime/dist/graph_limits.h"
#include "runtime/dist/seen_ids.h"
#include "runtime/dist/step_values.h"

namespace tensh::dist {

// One run of a registered part, as in a RunGraph request.
struct PartRun {
  std::string session, graph;
  bool has_session = true;  // False if the master made no session.
  int64_t step = 0, request_id = 0;
  bool trace = false;
  // The step consists of several calls; `last` marks the last one.
  bool partial = false, last = false;
  std::vector<std::pair<std::string, TensorPtr>> send;  // Fed values, by key.
  std::vector<std::string> receive;                     // Keys to fetch.
};
struct PartResult {
  std::vector<std::string> names;   // The keys of PartRun::receive.
  std::vector<TensorPtr> received;  // Parallel to names.
  tensorflow::StepStats stats;
};

// Limits that the operator of a task sets for its clients. A limit of 0 means none.
struct TaskLimits {
  int64_t session_memory = 0;  // Bytes that the kernels of one session may hold.
  int64_t memory = 0;          // Bytes that the kernels of all sessions may hold.
  int64_t step_cpu_ms = 0;     // Processor time that a step may use in this task.
  GraphLimits graph;           // Of the graphs of one session.
  // Sessions may bring a cluster with any tasks of this machine, not only those of this cluster. Set
  // if all clients are on this machine, and can connect to these tasks themselves.
  bool local_clusters = false;
};

class Worker : public std::enable_shared_from_this<Worker> {
 public:
  static Result<std::unique_ptr<Worker>> Create(
      const std::string& job, int task, Cluster::Jobs jobs, const std::string& config,
      std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr);

  // Returns this task as a session sees it that brought its own cluster (ConfigProto.cluster_def), in
  // which the task has another name. It has the state, the steps and the limits of this task, which
  // must outlive it. PermissionDenied if the cluster has tasks that this one may not connect to.
  Result<std::shared_ptr<Worker>> InCluster(const std::string& job, int task, Cluster::Jobs jobs);

  ~Worker();

  const std::string& name() const { return name_; }  // "/job:worker/replica:0/task:1"
  bool is_renamed() const { return original_ != nullptr; }
  // A random number that differs each time the task is started.
  int64_t incarnation() const { return incarnation_; }
  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  // Returns the home of one session. Its state is separate if `isolated` is set, and otherwise
  // shared with this task. The memory of its kernels and the processor time of its steps are limited.
  HomePtr HomeFor(bool isolated) const;
  // Must be called before any request is served.
  void set_limits(TaskLimits limits);
  const TaskLimits& limits() const { return limits_; }
  // Adds the memory limits and their options to a status that says that memory is exhausted.
  Status NameLimits(Status status) const;
  void GetStatus(tensorflow::GetStatusResponse* response);
  Status CreateSession(const tensorflow::CreateWorkerSessionRequest& request);
  void DeleteSession(const std::string& handle);
  // `session` is "" if the master made none. Every node must have a device.
  Status RegisterGraph(const std::string& session, GraphPtr graph, std::string* handle);
  Status DeregisterGraph(const std::string& session, const std::string& handle);
  // If `cancel` is set, it ends the step in this task.
  Status Run(PartRun run, tsh_cancel* cancel, PartResult* result);
  // Returns the values of a step. They are created at the first request.
  std::shared_ptr<StepValues> Step(int64_t id);
  // Forgets a step in which nothing was sent, because the requester has gone.
  void Abandon(int64_t step);
  Status CheckKey(const std::string& key) const;
  void CleanupGraph(int64_t step);
  void CleanupAll(const std::vector<std::string>& containers);
  void Stop();  // Ends every step.

 private:
  struct Part {
    GraphPtr graph;
    SessionPtr session;
    std::vector<tsh_node> targets;
    int64_t nodes = 0;
  };
  // Requires mu_. Returns ResourceExhausted if one more graph would exceed a limit.
  struct Session;
  Status CheckRoom(const Session& session, const std::string& key, int64_t nodes) const;
  struct Session {
    HomePtr home;
    std::string master;  // The master's task and its incarnation.
    int64_t incarnation = 0, nodes = 0;
    std::map<std::string, std::shared_ptr<Part>> parts;
    std::shared_ptr<Worker> renamed;  // of a session with its own cluster, which it serves
  };
  Worker(std::string name, Cluster::Jobs jobs, HomePtr home,
         std::shared_ptr<grpc::ChannelCredentials> credentials)
      : name_(std::move(name)),
        cluster_(std::move(jobs), std::move(credentials)),
        home_(std::move(home)) {}
  // Returns true if a session with its own cluster knows this task by this name.
  bool IsOtherName(std::string_view task) const;
  // Returns the worker that serves a session with its own cluster, or null for other sessions.
  std::shared_ptr<Worker> RenamedFor(const std::string& session);
  Status CreateRenamed(const tensorflow::CreateWorkerSessionRequest& request);
  struct PartialStep;
  Result<std::shared_ptr<Part>> FindPart(const PartRun& run);
  // Defined in worker_partial.cc.
  Status RunPartial(const std::shared_ptr<Part>& part, PartRun& run,
                    const std::shared_ptr<StepValues>& values, tsh_cancel* cancel,
                    PartResult* result);
  std::shared_ptr<PartialStep> BeginPartial(const std::shared_ptr<Part>& part, const PartRun& run,
                                            const std::shared_ptr<StepValues>& values);
  void EndPartial(int64_t step);
  Status RunPart(const Part& part, PartRun& run, const std::shared_ptr<StepValues>& values,
                 tsh_cancel* cancel, PartResult* result);

  const std::string name_;
  std::string config_;          // Of the devices.
  Worker* original_ = nullptr;  // The task that InCluster renamed; null for that itself.
  Cluster cluster_;
  HomePtr home_;                                     // Changed by set_limits only.
  std::map<std::string, std::string> incarnations_;  // By device.
  int64_t incarnation_ = 0;                          // Of the first device.
  TaskLimits limits_;                                // Set before any request is served.
  mutable std::mutex mu_;
  // Of this task, and the number of workers that have them.
  std::map<std::string, int> other_names_;
  std::map<std::string, Session> sessions_;
  std::map<int64_t, std::shared_ptr<StepValues>> steps_;
  // By step and graph.
  std::map<std::pair<int64_t, std::string>, std::shared_ptr<PartialStep>> partials_;
  SeenIds seen_;
  uint64_t next_graph_ = 1;
  bool stopped_ = false;
};

}  // namespace tensh::dist
