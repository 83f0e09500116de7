#pragma once
// Records the events of one partition of a traced step: one for each kernel and each transfer, and
// a single one for an outermost loop, however often it runs. The events inside of loops and of
// called functions are kept apart, and only a limited number of them. Used by the thread that runs
// the partition.
#include <chrono>
#include <memory>
#include <utility>

#include "runtime/exec/calls.h"
#include "runtime/exec/nonfinite.h"
#include "runtime/exec/step.h"

namespace tensh {

class StepRecorder {
 public:
  using Clock = std::chrono::steady_clock;
  // Times count from `begin`, the start of the step. In the body of a function (`nested`), every
  // event counts as inside of something.
  // `timer` is null if the device of the partition has no queue.
  StepRecorder(const Graph& graph, uint16_t part, Clock::time_point begin, bool keep_values,
               bool nested = false, std::unique_ptr<DeviceTimer> timer = nullptr)
      : graph_(graph),
        part_(part),
        begin_(begin),
        keep_values_(keep_values),
        nested_(nested),
        timer_(std::move(timer)) {}

  // While it exists, calls of functions in this thread are those of the kernel of `instr`.
  class Caller {
   public:
    Caller(StepRecorder& recorder, const Instr& instr);
    ~Caller();
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    // Returns the caller in this thread, or null if its step is not traced.
    static Caller* Current();
    // Returns the call of a function, or null if the op is not one of those whose calls are shown.
    const CallSite* Find(const FuncAttr& function) const;
    // Takes over the trace of the call, which has ended.
    void Add(const CallSite& site, const Stages& body, StepTrace trace);
    const StepRecorder& recorder() const { return recorder_; }
    int64_t iterations() const;  // of a While or For, which has run; otherwise 0

   private:
    StepRecorder& recorder_;
    const NodeId node_;
    const std::vector<CallSite> sites_;
    std::vector<int64_t> calls_;  // by site
    Caller* const outer_;
  };

  Clock::time_point begin() const { return begin_; }
  bool keep_values() const { return keep_values_; }
  int64_t Now() const;
  // Returns the time at which the device has completed the work that was queued so far. If the device
  // has a queue, this is a mark, which MoveTo replaces by the time.
  int64_t Reached();
  // Must be called before the kernel of an instruction runs.
  void Before(const Instr& instr, const std::vector<Tensor>& slots) {
    if (!instr.is_vectors) read_ = InputBytes(graph_, instr, slots);
    if (keep_values_ && !instr.is_vectors) nonfinite_.Before(graph_, instr, slots);
  }
  // Records an event that began at `start`, a result of Reached, and ends when the device has
  // completed it.
  void Kernel(const Instr& instr, int64_t start, const std::vector<Tensor>& slots,
              int64_t iterations);
  // Must be called before a chain runs.
  void BeforeChain(const PartitionCode& code, const FusedCode& chain,
                   const std::vector<Tensor>& slots);
  // Records the first `ran` instructions of a chain, which ran in one pass.
  void Chain(const PartitionCode& code, const FusedCode& chain, uint32_t ran, int64_t start,
             const std::vector<Tensor>& slots);
  // `skipped` means that the loop is not entered, because it lies on a branch that was not taken.
  void Loop(const Instr& instr, int64_t start, bool skipped);
  void Sent(const Instr& instr, int64_t start, int64_t bytes);
  void SentAway(const Instr& instr, int64_t start);
  // Notes that the partition looks for a value. Must be called before the lookup, because if the
  // value is missing, the thread that sends it may continue with this partition at once. Only the
  // first call for a value counts.
  void Looks();
  void Received(const Instr& instr, int64_t bytes);
  // Moves the recorded events to the trace of the step. Waits for the work of the device, and returns
  // its failure.
  Status MoveTo(StepTrace& trace);

 private:
  struct OpenLoop {
    int64_t start, iterations;
    bool skipped;
  };
  // The end of an event that began at `start`, on the same clock.
  int64_t EndOf(int64_t start);
  Status ResolveMarks();
  void Add(const Instr& instr, StepEvent::Kind kind, int64_t start, int64_t bytes,
           int64_t iterations = 0, std::string value = "");
  void Add(const Instr& instr, const StepEvent& event, std::string value);
  void AddInLoop(const StepEvent& event, std::string value, bool is_loop);
  void FindNonFinite(const Instr& instr, const std::vector<Tensor>& slots);
  // Sets the iterations of an event of a called function, which runs in this iteration of the
  // caller (0: the caller is no loop).
  void SetIterations(int64_t iteration, LoopEvent* event) const;

  const Graph& graph_;
  const uint16_t part_;
  const Clock::time_point begin_;
  const bool keep_values_, nested_;
  std::unique_ptr<DeviceTimer> timer_;
  std::vector<StepEvent> events_;
  std::vector<LoopEvent> in_loops_;
  std::unordered_map<uint32_t, LoopSum> loop_sums_;
  // The times of kernels in loops that are not in loop_sums_ yet, because they are marks.
  struct MarkedTime {
    uint32_t node;
    int64_t start_ns, end_ns;
  };
  std::vector<MarkedTime> marked_sums_;
  std::unordered_map<std::string, CalledSum> called_sums_;
  std::unordered_map<std::string, int64_t> calls_;
  std::vector<OpenLoop> loops_;  // that have begun and not ended
  KeptValues values_;
  NonFiniteWatch nonfinite_;
  std::vector<LoopEvent> nonfinite_found_;
  int64_t read_ = 0;  // the bytes that the kernel or the chain reads
  int64_t looks_since_ = -1;
  bool waited_ = false;  // the value was missing at the first lookup
};

}  // namespace tensh
