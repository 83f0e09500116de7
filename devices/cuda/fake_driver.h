#pragma once
// A CUDA driver without a GPU, which records the calls and executes them on the host.
//
// Device memory is mapped twice. The addresses that the driver returns are inaccessible, so that
// code that treats a device tensor as a host tensor faults at once. Kernels and copies use the
// other mapping (View). Work runs when it is launched or, if it was captured, when its graph is
// launched.
//
// If TENSH_FAKE_GPU_CHECKS=SEED is set, kernels are checked (fake_checks.h). Work then stays in its
// stream until a thread waits for it, or until a random draw selects it, so that it runs in any
// order that the events allow.
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "devices/cuda/cuda_driver.h"
#include "devices/cuda/fake_checks.h"

namespace tensh::cuda {

class FakeDriver : public Driver {
 public:
  // A driver with `gpus` devices, which share `memory` bytes. Use one at a time: View refers to the
  // latest.
  explicit FakeDriver(int gpus = 1, size_t memory = size_t{2} << 30);
  ~FakeDriver() override;
  // View returns the accessible address of device memory of the current fake driver, if there is
  // one.
  static void* View(const void* device);
  static FakeDriver* Current();

  Result<int> Count() override;
  Result<GpuInfo> Info(int gpu) override;
  Status Use(int gpu) override;
  Result<Stream> NewStream() override;
  Status Wait(Stream stream) override;
  Result<Event> NewEvent(bool timed) override;
  Status Record(Event event, Stream stream) override;
  Status WaitFor(Stream stream, Event event) override;
  Status Await(Event event) override;
  Result<double> Elapsed(Event begin, Event end) override;
  Result<size_t> FreeMemory() override;
  Result<void*> Allocate(size_t bytes, Stream stream) override;
  void Free(void* data, Stream stream) override;
  void Trim() override;
  void InUse(void* block, size_t bytes, Stream stream) override;
  Result<void*> AllocatePinned(size_t bytes) override;
  Status Copy(void* to, const void* from, size_t bytes, Way way, Stream stream) override;
  Status CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                  Stream stream) override;
  Status Launched() override;
  Status Gemm(Stream stream, const GemmCall& call) override;
  Result<size_t> ConvScratch(const ConvCall& call) override;
  Status Convolve(Stream stream, const ConvCall& call, void* scratch, size_t bytes) override;
  Status BeginCapture(Stream stream) override;
  Result<Graph> EndCapture(Stream stream, const std::function<void()>& make_room) override;
  Status Launch(Graph graph, Stream stream) override;
  void FreeGraph(Graph graph) override;

  // Submits a kernel. It runs now or later, or becomes part of the graph that is being captured.
  void Do(Stream stream, std::function<void()> work);
  FakeChecks* checks() { return checks_.get(); }

  void Note(std::string call);  // records a call
  // For tests. calls() returns the calls so far, such as "copy in 12 on 2". FailNext makes the next
  // call of that name fail, FailTheNth the n-th of all calls that can fail; failed() returns false
  // if that call was not made yet.
  std::vector<std::string> calls();
  void FailNext(std::string call, Status status);
  // Each kernel, copy and graph then takes this long on its stream, while the host continues: events
  // have the times at which a GPU would reach them, and waits last as long. At first it is 0.
  void set_work_time(std::chrono::nanoseconds time) { work_time_ = time; }
  // Computes convolutions of floats, as cuDNN does. At first, kernels compute them.
  void set_convolves(bool convolves) { convolves_ = convolves; }
  // GPUs from this number on are said to be too old for the kernels.
  void set_unusable_from(int gpu) { unusable_from_ = gpu; }
  void FailTheNth(size_t n);
  bool failed();
  size_t allocated();

 private:
  // Returns the error that a test planned for a call, if any.
  Status Failure(std::string_view call);
  void FreeNow(void* data);
  using Clock = std::chrono::steady_clock;
  // An item in a stream: work, or a wait until an event has been reached in another stream.
  struct Work {
    std::function<void()> run = {};
    Event awaited = nullptr;
    Stream from = nullptr;
    uint64_t turn = 0;
  };
  struct EventState {
    uint64_t recorded = 0, reached = 0;
    Stream by = nullptr;
    bool timed = false;
    Clock::time_point time = {};  // of the last Record, when a GPU would reach it
  };
  void Submit(Stream stream, std::function<void()> work, std::chrono::nanoseconds time);
  void Queue(Stream stream, Work work);
  bool Advance(Stream stream);  // runs the next item; false if the stream is empty
  bool Blocked(Stream stream);
  void DrainAll();

  const int gpus_;
  const size_t memory_;
  char *guarded_ = nullptr, *view_ = nullptr;
  std::mutex mu_;
  std::map<size_t, size_t> free_;   // offset → bytes
  std::map<size_t, size_t> taken_;  // offset → bytes
  std::vector<std::string> calls_;
  std::map<std::string, Status, std::less<>> failures_;
  size_t until_failure_ = 0;  // calls until the failure; 0: none is planned
  std::map<Stream, std::vector<std::function<void()>>> capturing_;
  uintptr_t next_ = 1;
  std::vector<void*> pinned_;
  std::map<Graph, std::vector<std::function<void()>>> graphs_;

  std::unique_ptr<FakeChecks> checks_;
  std::mutex run_mu_;                          // acquired before mu_
  std::map<Stream, std::deque<Work>> queues_;  // guarded by run_mu_, as are the following members
  std::map<Event, EventState> events_;
  std::map<Stream, Clock::time_point> busy_until_;
  std::chrono::nanoseconds work_time_{0};
  int unusable_from_ = INT32_MAX;
  bool convolves_ = false;
};

}  // namespace tensh::cuda
