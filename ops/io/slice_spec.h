#pragma once
// The slice specification of checkpoint ops: the extents of the full tensor, followed by one range
// per dimension, separated by colons. A range is "start,length", or "-" for the whole dimension.
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/shape.h"

namespace tensh::ops {

struct SliceSpec {
  Shape full;
  std::vector<std::pair<int64_t, int64_t>> parts;
};

Result<SliceSpec> ParseSlice(const std::string& text);

}  // namespace tensh::ops
