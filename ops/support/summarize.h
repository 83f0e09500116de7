#pragma once
// A tensor as TensorFlow's Print and Assert write it: "[1 2][3...]...", at most so many elements.
#include <string>

#include "runtime/core/tensor.h"

namespace tensh::ops {

// The first `max_elements` elements (all when negative), nested brackets for the inner dimensions.
std::string Summarize(const Tensor& t, int64_t max_elements);
// One element: numbers in the fewest digits that read back the same (up to 6, else 9 or 17),
// booleans as 0 and 1, strings with C escapes.
std::string ElementText(const Tensor& t, int64_t i);

}  // namespace tensh::ops
