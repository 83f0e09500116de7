#pragma once
// Partial runs (TensorFlow's PRunSetup and PRun): one step whose feeds arrive, and whose fetches
// are returned, in several calls. Feeds and fetches become edges to another process, as in a graph
// that was cut by a master. Between calls the step waits without holding a thread. Every node runs
// once.
#include <memory>
#include <mutex>
#include <span>

#include "runtime/core/cpu_limit.h"
#include "runtime/exec/compile/cut.h"
#include "runtime/exec/step.h"

namespace tensh {

// The compiled form of a plan's partial runs. Made once by the session and shared by the runs.
// Immutable.
struct PartialPlan {
  std::unique_ptr<Cut> cut;    // has one part; `plan` runs its graph
  std::shared_ptr<Plan> plan;  // declared after `cut`, so that it is destroyed first
};
// Cuts and compiles a run. `options` has the functions, resources and devices of the session.
Result<std::shared_ptr<PartialPlan>> MakePartialPlan(const Stages& stages,
                                                     const CompileOptions& options);

// Admits steps while a session is open. Implemented by the session.
class StepGate {
 public:
  virtual ~StepGate() = default;
  // Counts the step as in flight until Leave. Returns FailedPrecondition once the session is
  // closed.
  virtual Status Enter(CancelFlag& cancel, int64_t timeout_ms) = 0;
  virtual void Leave(CancelFlag& cancel) = 0;
  // Returns an object that limits the processor time of a new step, or null if steps are not limited.
  virtual std::unique_ptr<CpuLimit> NewCpuLimit() const = 0;
};

// Leaves the gate at the end of a scope, also if an exception ends it.
struct GateLeaver {
  StepGate& gate;
  CancelFlag& cancel;
  ~GateLeaver() { gate.Leave(cancel); }
};

// Thread-safe. Calls run one after another.
class PartialRun {
 public:
  virtual ~PartialRun() = default;
  // Continues the step with these feeds until these fetches are computed. Each feed and each fetch
  // of the setup can be used once. A refused call changes nothing; a call in which a kernel fails
  // ends the run, and so does `cancel`, which may be null.
  virtual Status Run(std::span<const Output> feeds, std::span<const Tensor> values,
                     std::span<const Output> fetches, std::span<Tensor> fetched, int64_t timeout_ms,
                     CancelFlag* cancel) = 0;
  // Returns true if everything was fed and fetched, or if the run failed.
  virtual bool done() const = 0;
};

// Returns InvalidArgument if the dtype or shape of the value does not fit the feed.
Status CheckFed(const Graph& graph, ValueId feed, const Tensor& value);

// Starts a partial run. `plan` belongs to the session's graph. The gate must outlive the run.
std::unique_ptr<PartialRun> StartPartialRun(std::shared_ptr<const Plan> plan,
                                            std::shared_ptr<PartialPlan> code, StepGate& gate);

}  // namespace tensh
