#pragma once
// Numbers for steps in flight, for kernels whose values belong to a step. A step is known by its
// cancellation flag, which is unique while it runs. Most steps never get a number. Thread-safe.
#include <cstdint>

#include "runtime/core/cancel.h"

namespace tensh {

// Returns the number of the step that has this flag; 0 if the flag is null. Different steps, also
// those that use the same flag one after the other, have different numbers.
uint64_t StepNumber(const CancelFlag* step);

// Ends the use of a step's number with the step.
struct StepNumberEnder {
  const CancelFlag* step;
  ~StepNumberEnder();
};

}  // namespace tensh
