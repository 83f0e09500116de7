#pragma once
// One step of a session over the tasks of a cluster, or one call of a step that is fed and fetched
// in several calls. Internal to ClusterSession.
#include "runtime/dist/cluster_session.h"

namespace tensh::dist {

struct ClusterSession::Cutting {
  struct Part {
    std::shared_ptr<Task> task;
    std::string graph;  // Handle of the part on its task.
    // Pairs of an index in the signature and a rendezvous key.
    std::vector<std::pair<size_t, std::string>> feeds, fetches;
  };
  std::string session;
  std::vector<Part> parts;
  ~Cutting() {
    for (Part& part : parts)
      if (!part.graph.empty()) part.task->Deregister(session, part.graph);
  }
};

// Runs all parts at the same time. The first part that fails cancels the others. The object is
// shared with the calls in flight, which may briefly outlive the wait for them.
class ClusterSession::Step : public std::enable_shared_from_this<Step> {
 public:
  Step(CuttingRef cutting, int64_t id) : cutting_(std::move(cutting)), id_(id) {}
  // Adds part p; the caller fills in the request.
  PartRun& Add(size_t p);
  Status Run(const StepLimits& limits);
  void Cleanup();
  void GiveUp(const char* why);
  // Call after Run. Values are stored by their index in the signature; other elements are not
  // changed.
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
  std::chrono::milliseconds ProbePeriod() const;

  const CuttingRef cutting_;
  const int64_t id_;
  const CancelPtr cancel_{tsh_cancel_new()};
  std::vector<Call> calls_;
  std::mutex mu_;
  std::condition_variable changed_;
  Status status_;
  const Clock::time_point begun_ = Clock::now();
  bool derived_ = false, given_up_ = false;
  size_t running_ = 0;
};

}  // namespace tensh::dist
