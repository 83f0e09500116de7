#pragma once
// What one task does for masters: keeps the parts of graphs they register, runs them, and keeps the
// values of running steps for whoever asks for them. Knows no gRPC service; a master in this
// process calls it directly. Any thread may call anything; Run returns when the step has ended.
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/dist/cluster.h"
#include "runtime/dist/seen_ids.h"
#include "runtime/dist/step_values.h"

namespace tensh::dist {

// One run of a registered part, as a RunGraph request says it.
struct PartRun {
  std::string session, graph;
  bool has_session = true;  // false: of a master that made no session
  int64_t step = 0, request_id = 0;
  bool trace = false;
  bool partial = false,
       last = false;  // the step goes on in several calls, of which this is the last
  std::vector<std::pair<std::string, TensorPtr>> send;  // fed, by key
  std::vector<std::string> receive;                     // keys to fetch
};
struct PartResult {
  std::vector<std::string> names;   // PartRun::receive
  std::vector<TensorPtr> received;  // under these names
  tensorflow::StepStats stats;
};

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> Create(
      const std::string& job, int task, Cluster::Jobs jobs, const std::string& config,
      std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr);

  const std::string& name() const { return name_; }  // /job:worker/replica:0/task:1
  // Differs each time the task is started.
  int64_t incarnation() const { return incarnation_; }
  Cluster& cluster() { return cluster_; }
  // For one session: with a state of its own, or this task's; its kernels' memory limited.
  HomePtr HomeFor(bool isolated) const;
  void set_session_memory(int64_t bytes) { session_memory_ = bytes; }  // 0: any
  void GetStatus(tensorflow::GetStatusResponse* response);
  Status CreateSession(const tensorflow::CreateWorkerSessionRequest& request);
  void DeleteSession(const std::string& handle);
  // session "": of a master that made none. Every node must have its device.
  Status RegisterGraph(const std::string& session, GraphPtr graph, std::string* handle);
  Status DeregisterGraph(const std::string& session, const std::string& handle);
  // cancel: ends this step here, when set.
  Status Run(PartRun run, tsh_cancel* cancel, PartResult* result);
  // The values of a step, made when somebody first asks for them.
  std::shared_ptr<StepValues> Step(int64_t id);
  // Forgets a step that nobody sent anything in: who asked for a value has gone.
  void Abandon(int64_t step);
  Status CheckKey(const std::string& key) const;
  void CleanupGraph(int64_t step);
  void CleanupAll(const std::vector<std::string>& containers);
  void Stop();  // every step ends

 private:
  struct Part {
    GraphPtr graph;
    SessionPtr session;
    std::vector<tsh_node> targets;
  };
  struct Session {
    HomePtr home;
    std::string master;  // its task, and which start of it this is
    int64_t incarnation = 0;
    std::map<std::string, std::shared_ptr<Part>> parts;
  };
  Worker(std::string name, Cluster::Jobs jobs, HomePtr home,
         std::shared_ptr<grpc::ChannelCredentials> credentials)
      : name_(std::move(name)),
        cluster_(std::move(jobs), std::move(credentials)),
        home_(std::move(home)) {}
  struct PartialStep;
  Result<std::shared_ptr<Part>> FindPart(const PartRun& run);
  // worker_partial.cc
  Status RunPartial(std::shared_ptr<Part> part, PartRun& run, std::shared_ptr<StepValues> values,
                    tsh_cancel* cancel, PartResult* result);
  std::shared_ptr<PartialStep> BeginPartial(std::shared_ptr<Part> part, const PartRun& run,
                                            std::shared_ptr<StepValues> values);
  void EndPartial(int64_t step);
  Status RunPart(const Part& part, PartRun& run, const std::shared_ptr<StepValues>& values,
                 tsh_cancel* cancel, PartResult* result);

  const std::string name_;
  Cluster cluster_;
  const HomePtr home_;
  std::map<std::string, std::string> incarnations_;  // by device
  int64_t incarnation_ = 0;                          // of the first
  int64_t session_memory_ = 0;                       // set before anything is served
  std::mutex mu_;
  std::map<std::string, Session> sessions_;
  std::map<int64_t, std::shared_ptr<StepValues>> steps_;
  std::map<std::pair<int64_t, std::string>, std::shared_ptr<PartialStep>>
      partials_;  // by step and graph
  SeenIds seen_;
  uint64_t next_graph_ = 1;
  bool stopped_ = false;
};

}  // namespace tensh::dist
