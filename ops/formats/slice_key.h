#pragma once
// The slices of partitioned tensors in checkpoints: their keys in the sorted table, and their
// messages. Both formats of checkpoints use them.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/shape.h"

namespace tensh::ops {

// Start and length for each dimension. A length of -1 stands for the whole dimension.
using SliceParts = std::vector<std::pair<int64_t, int64_t>>;

// Returns the key of a slice. It begins with a zero, which no name of a tensor does.
std::string SliceKey(const std::string& name, const SliceParts& parts);
std::string EncodeSlice(const SliceParts& parts);
SliceParts DecodeSlice(std::string_view message);
// Computes the extents and the position of a slice within the tensor. Returns false if it does not
// fit.
bool LocateSlice(const SliceParts& parts, const Shape& whole, Shape* size,
                 std::vector<int64_t>* start);

}  // namespace tensh::ops
