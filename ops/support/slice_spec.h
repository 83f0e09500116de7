#pragma once
// One slice of a saved tensor, as checkpoints' ops are told of it: "full shape, then start,length
// or
// - for each dimension, by colons".
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
