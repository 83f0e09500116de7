#pragma once
// A step: runs the partitions of a plan to their end. A small step runs in the caller's thread,
// which switches to another partition when one waits for a Recv. A large step gives each partition
// a thread while it can run. A waiting partition holds no thread.
#include <chrono>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/device/one_time.h"
#include "runtime/exec/exchange.h"
#include "runtime/exec/kept_values.h"
#include "runtime/exec/plan.h"

namespace tensh {

// An event of a traced step. Times are nanoseconds since the start of the step. Events are ordered
// by partition.
struct StepEvent {
  enum Kind : uint8_t { kCompute, kRead, kSend, kRecv, kWait } kind;
  uint16_t part;
  NodeId node;
  uint32_t transfer;  // kSend, kRecv, kWait
  int64_t start_ns, end_ns, bytes;
  int64_t iterations = 0;  // of a loop, which is a single event; otherwise 0
  // If the node was computed in one pass with others: the first of them, whose event has the time of
  // all. The events of the others have no length.
  NodeId with = kNoNode;
  int64_t read = 0;  // the bytes of the inputs; of a pass, those that it does not make itself
};
// An event inside of a loop or of a called function, which is part of the event of the loop or of
// the call.
struct LoopEvent {
  StepEvent event;    // its part and node are those of the called function's plan
  int64_t iteration;  // of the outermost loop, from 1; 0 outside of loops
  int64_t inner;      // of the innermost loop, or 0 if that is the outermost one
  std::string value;  // the output, if it is a single number and values are kept; otherwise ""
  // In a called function: the node or, for a transfer, the tensor, with the names of its callers
  // ("cond/then/Exp"); its op, and its device. Otherwise `path` is "".
  std::string path = {}, op = {};
  uint16_t device = 0;
};
struct LoopSum {
  int64_t calls = 0, ns = 0;
};
// All runs of a node of a called function.
struct CalledSum {
  std::string op;
  uint16_t device = 0;
  LoopSum sum;
};
struct StepTrace {
  std::vector<StepEvent> events;
  std::vector<LoopEvent> in_loops;                  // the first kLoopEvents of each partition
  std::unordered_map<uint32_t, LoopSum> loop_sums;  // of all kernels in loops, by node
  // Of all kernels in called functions, by path, and the number of calls, by call ("cond/then/").
  std::unordered_map<std::string, CalledSum> called_sums;
  std::unordered_map<std::string, int64_t> calls;
  bool partial = false;  // nodes inside of loops may have run without an event
  int64_t wall_ns = 0;
  std::vector<OneTimeRecord> once;  // outside of the step's time: compilation, loading of libraries
  bool keep_values = false;  // set by the caller: keep the outputs of all kernels in `values`
  KeptValues values;
  // If values are kept: the first NaN and the first Inf in the outputs of each node, with what
  // LookForNonFinite says of it as the value. By partition.
  std::vector<LoopEvent> nonfinite;
};

constexpr size_t kLoopEvents = 1000;

class StepRecorder;

struct StepOptions {
  CancelFlag* cancel = nullptr;
  StepTrace* trace = nullptr;
  Exchange* exchange = nullptr;          // required by a plan with edges to other processes
  bool nested = false;                   // the step runs within another one
  bool pauses = false;                   // return instead of waiting for arrivals
  const StepRecorder* caller = nullptr;  // of a traced nested step: the recorder of its caller
};

// A step of a plan with edges to other processes. It runs in the threads of its callers until it
// has to wait for an arrival, and holds no thread in between. One call at a time.
class PausingStep {
 public:
  PausingStep(std::shared_ptr<Plan> plan, CancelFlag* cancel, Exchange* exchange);
  ~PausingStep();  // abandons a step that has not ended
  // Continues until the step ends or has to wait again. Returns the failure of the step, also in
  // later calls.
  Status Advance();
  bool ended() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs the call of `function`: a step within another one, in the calling thread. If the caller's
// step is traced and its kernel runs in this thread, the trace includes the call. Moves `args` into
// the step. Results may share memory with variables, because the caller is part of the same step.
// With `to_host`, they are copied to host memory. The plan must have been compiled with
// takes_feeds.
Status RunCall(Plan& plan, const FuncAttr& function, std::span<Tensor> args, std::span<Tensor> rets,
               CancelFlag* cancel, bool to_host);

// Runs a step. `feeds` has one value for each feed of the signature, already checked; `fetched` has
// one entry for each fetch and is filled only on success.
Status RunStep(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
               const StepOptions& options);

}  // namespace tensh
