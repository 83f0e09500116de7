#pragma once
// One step: runs a plan's partitions to their end. Small steps run wholly in the caller's thread,
// switching between partitions where one waits for a Recv; large ones give each partition a thread
// while it can go on. A waiting partition holds no thread.
#include <chrono>
#include <span>
#include <vector>

#include "runtime/exec/exchange.h"
#include "runtime/exec/kept_values.h"
#include "runtime/exec/plan.h"

namespace tensh {

// What happened when, in nanoseconds from the start of the step. Filled partition by partition.
struct StepEvent {
  enum Kind : uint8_t { kCompute, kRead, kSend, kRecv, kWait } kind;
  uint16_t part;
  NodeId node;
  uint32_t transfer;  // kSend, kRecv, kWait
  int64_t start_ns, end_ns, bytes;
  int64_t iterations = 0;  // of a loop, which is one event; 0: no loop
};
struct StepTrace {
  std::vector<StepEvent> events;
  int64_t wall_ns = 0;
  bool keep_values = false;  // asked for: what the kernels made is in `values` afterwards
  KeptValues values;
};

struct StepOptions {
  CancelFlag* cancel = nullptr;
  StepTrace* trace = nullptr;
  Exchange* exchange = nullptr;  // a plan with keyed edges needs one
  bool nested = false;           // within another step
  bool pauses = false;           // returns where it would wait for arrivals
};

// A step of a plan with keyed edges that runs in the threads of its callers as far as what has
// arrived lets it, and holds none in between. One call at a time.
class PausingStep {
 public:
  PausingStep(std::shared_ptr<Plan> plan, CancelFlag* cancel, Exchange* exchange);
  ~PausingStep();  // gives up what has not ended
  // Goes on until it ends or waits again. Once it has failed, the failure.
  Status Advance();
  bool ended() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A step within another one, in the calling thread: the call of a function. args are taken; nothing
// is checked or copied that need not be within a step. The plan was compiled with takes_feeds.
Status RunCall(Plan& plan, std::span<Tensor> args, std::span<Tensor> rets, CancelFlag* cancel,
               bool to_host);

// feeds: one a feed of the signature, already checked. fetched: one a fetch, filled on success
// only.
Status RunStep(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
               const StepOptions& options);

}  // namespace tensh
