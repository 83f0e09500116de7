#pragma once
// Values that leave a step: fetches, and values for other processes. Internal to exec.
#include <span>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Returns why a step failed: the failure of a device that it did not report by itself, or else
// `failure`.
Status CauseOf(const Program& program, Status failure);
// Returns true if the tensor shares memory with a variable. Such a tensor must be copied before it
// is fetched, because the variable may change.
bool SharesAVariable(const Bindings& bindings, const Tensor& tensor);
// Copies the current value of the variable that a reference refers to. Fails if it has none.
Status ReadReference(const Tensor& reference, Tensor* value);
// Waits until the device of a partition has finished its work for the step, and stores the fetched
// values of the partition in `fetched`. Values of variables and values in device memory are copied.
// InvalidArgument if a value lies on a branch that was not taken.
Status FetchInto(const Plan& plan, const PartitionCode& code, std::vector<Tensor>& slots,
                 std::span<Tensor> fetched);
// If a step failed because a variable is uninitialized, returns an error that names all
// uninitialized variables of the plan. Returns other errors unchanged.
Status NameAllUninitialized(const Plan& plan, Status status);

}  // namespace tensh
