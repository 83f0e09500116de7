#pragma once
// A CUDA driver without a GPU: it records what is asked for, and does it on the host. Its device
// memory is mapped twice. The addresses it gives out may not be read or written by anyone: whoever
// takes a device tensor for a host tensor faults at once. Kernels and copies go by the other
// mapping (View). Work runs when it is launched, or, while a stream is captured, when the graph is.
//
// TENSH_FAKE_GPU_CHECKS=SEED: kernels are watched (fake_checks.h), and work waits in its stream
// until somebody waits for it, or a draw from the seed lets it run: in any order that events allow.
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "devices/cuda/cuda_driver.h"
#include "devices/cuda/fake_checks.h"

namespace tensh::cuda {

class FakeDriver : public Driver {
 public:
  explicit FakeDriver(int gpus = 1, size_t memory = size_t{2} << 30);
  ~FakeDriver() override;
  // Where the fake of the process, if there is one, lets device memory be touched.
  static void* View(const void* device);
  static FakeDriver* Current();

  Result<int> Count() override;
  Result<GpuInfo> Info(int gpu) override;
  Status Use(int gpu) override;
  Result<Stream> NewStream() override;
  Status Wait(Stream stream) override;
  Result<Event> NewEvent() override;
  Status Record(Event event, Stream stream) override;
  Status WaitFor(Stream stream, Event event) override;
  Result<void*> Allocate(size_t bytes, Stream stream) override;
  void Free(void* data, Stream stream) override;
  void InUse(void* block, size_t bytes, Stream stream) override;
  Result<void*> AllocatePinned(size_t bytes) override;
  Status Copy(void* to, const void* from, size_t bytes, Way way, Stream stream) override;
  Status CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                  Stream stream) override;
  Status Launched() override;
  Status Gemm(Stream stream, const GemmCall& call) override;
  Status BeginCapture(Stream stream) override;
  Result<Graph> EndCapture(Stream stream) override;
  Status Launch(Graph graph, Stream stream) override;
  void FreeGraph(Graph graph) override;

  // A kernel: runs now, or when its turn comes, or is kept for the graph being captured.
  void Do(Stream stream, std::function<void()> work);
  FakeChecks* checks() { return checks_.get(); }

  // For tests: the calls so far, "copy in 12 on 2"; the next call of that name fails; the n-th call
  // from here on that can fail does. False: it has not come yet.
  std::vector<std::string> calls();
  void FailNext(std::string call, Status status);
  void FailTheNth(size_t n);
  bool failed();
  size_t allocated();

 private:
  void Note(std::string call);
  Status Failure(std::string_view call);
  void FreeNow(void* data);
  // What a stream has to do: work, or waiting until an event has come so far in another.
  struct Work {
    std::function<void()> run = {};
    Event awaited = nullptr;
    Stream from = nullptr;
    uint64_t turn = 0;
  };
  struct EventState {
    uint64_t recorded = 0, reached = 0;
    Stream by = nullptr;
  };
  void Queue(Stream stream, Work work);
  bool Advance(Stream stream);  // false: it has nothing to do
  bool Blocked(Stream stream);
  void DrainAll();

  const int gpus_;
  const size_t memory_;
  char *guarded_ = nullptr, *view_ = nullptr;
  std::mutex mu_;
  std::map<size_t, size_t> free_;   // offset → size
  std::map<size_t, size_t> taken_;  // likewise
  std::vector<std::string> calls_;
  std::map<std::string, Status, std::less<>> failures_;
  size_t until_failure_ = 0;  // 0: none is to come
  std::map<Stream, std::vector<std::function<void()>>> capturing_;
  uintptr_t next_ = 1;
  std::vector<void*> pinned_;
  std::map<Graph, std::vector<std::function<void()>>> graphs_;

  std::unique_ptr<FakeChecks> checks_;
  std::mutex run_mu_;                          // before mu_
  std::map<Stream, std::deque<Work>> queues_;  // guarded by run_mu_, as is what follows
  std::map<Event, EventState> events_;
};

}  // namespace tensh::cuda
