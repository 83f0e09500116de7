#pragma once
// What leaves a step: fetched values, and what is sent to other processes. Internal to exec.
#include <span>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// A step ends when its work on devices has; what failed there is the step's failure.
Status SyncDevices(const Program& program);
// A fetched tensor must not change when a variable does.
bool SharesAVariable(const Bindings& bindings, const Tensor& tensor);
// The variable's value as it is now.
Status ReadReference(const Tensor& reference, Tensor* value);
Status FetchInto(const Plan& plan, const PartitionCode& code, std::vector<Tensor>& slots,
                 std::span<Tensor> fetched);
// When one variable turned out uninitialised, names all that are.
Status NameAllUninitialized(const Plan& plan, Status status);

}  // namespace tensh
