#pragma once
// Partial runs (TensorFlow's PRunSetup and PRun): one step whose feeds come, and whose fetches go,
// in several calls. What is fed and fetched becomes an edge to elsewhere, as in a part of a graph
// that a master made; between the calls the step waits and holds no thread. Every node runs once.
#include <memory>
#include <mutex>
#include <span>

#include "runtime/exec/cut.h"
#include "runtime/exec/step.h"

namespace tensh {

// What a session sets up once for a plan's partial runs. Immutable.
struct PartialPlan {
  std::unique_ptr<Cut> cut;    // one part, whose graph the plan is of
  std::shared_ptr<Plan> plan;  // goes before the cut
};
// The functions, resources and devices are the session's.
Result<std::shared_ptr<PartialPlan>> MakePartialPlan(const Stages& stages,
                                                     const CompileOptions& options);

// Lets steps in while a session is open. Implemented by the session.
class StepGate {
 public:
  virtual ~StepGate() = default;
  // Notes the step as in flight; FailedPrecondition once the session is closed.
  virtual Status Enter(CancelFlag& cancel, int64_t timeout_ms) = 0;
  virtual void Leave(CancelFlag& cancel) = 0;
};

// Any thread may call; calls take turns.
class PartialRun {
 public:
  virtual ~PartialRun() = default;
  // Goes on with these feeds, each once in all, and gives these fetches, each once. A refused call
  // changes nothing; one that failed in a kernel ends the run.
  virtual Status Run(std::span<const Output> feeds, std::span<const Tensor> values,
                     std::span<const Output> fetches, std::span<Tensor> fetched,
                     int64_t timeout_ms) = 0;
  // All was fed and fetched, or it failed: there is no more to run.
  virtual bool done() const = 0;
};

// InvalidArgument unless the value can be fed there.
Status CheckFed(const Graph& graph, ValueId feed, const Tensor& value);

// The plan is of the session's graph. The gate outlives the run.
std::unique_ptr<PartialRun> StartPartialRun(std::shared_ptr<const Plan> plan,
                                            std::shared_ptr<PartialPlan> code, StepGate& gate);

}  // namespace tensh
