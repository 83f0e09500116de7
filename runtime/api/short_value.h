#pragma once
// A tensor as a few characters, for tables.
#include <string>

#include "runtime/core/tensor.h"

namespace tensh::api {

// Returns a scalar in full ("3", "0.5", "'text'"), and of other tensors the first elements in row-major
// order, rounded: "[0.12 -1.5 3. …]". Returns "" if the elements cannot be printed, or if reading them
// would copy more than a few kilobytes from a device.
std::string ShortValue(const Tensor& value);

}  // namespace tensh::api
