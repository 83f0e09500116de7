#pragma once
// A step of a session over the tasks of a cluster, or one call of a step that is fed and fetched in
// several. Internal to ClusterSession.
#include "runtime/dist/cluster_session.h"

namespace tensh::dist {

struct ClusterSession::Cutting {
  struct Part {
    std::shared_ptr<Task> task;
    std::string graph;                                           // its handle there
    std::vector<std::pair<size_t, std::string>> feeds, fetches;  // index, key
  };
  std::string session;
  std::vector<Part> parts;
  ~Cutting() {
    for (Part& part : parts)
      if (!part.graph.empty()) part.task->Deregister(session, part.graph);
  }
};

// Every part at once, and whoever fails first ends the others. Shared with the calls in flight,
// which may outlive the wait for them by a moment.
class ClusterSession::Step : public std::enable_shared_from_this<Step> {
 public:
  Step(CuttingRef cutting, int64_t id) : cutting_(std::move(cutting)), id_(id) {}
  // What part p is to do, for the caller to fill in.
  PartRun& Add(size_t p);
  Status Run(const StepLimits& limits);
  void Cleanup();
  void GiveUp(const char* why);
  // After Run, by index of the signature; what was not asked for is left alone.
  void TakeFetched(std::vector<TensorPtr>* fetched);
  void TakeStats(tensorflow::StepStats* stats);

 private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    size_t part;
    PartRun run;
    PartResult result;
    bool ended = false;
  };
  void Ended(size_t c, Status status, PartResult result);
  void Wait(Clock::time_point until);
  void ProbeAll();

  const CuttingRef cutting_;
  const int64_t id_;
  const CancelPtr cancel_{tsh_cancel_new()};
  std::vector<Call> calls_;
  std::mutex mu_;
  std::condition_variable changed_;
  Status status_;
  bool derived_ = false, given_up_ = false;
  size_t running_ = 0;
};

}  // namespace tensh::dist
