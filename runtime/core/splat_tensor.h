#pragma once
// Memory for large constants of which all elements are equal, as in the initial values of a graph.
//
// A message of 22 bytes may describe such a constant of 1 GB. The pages of its memory all show the
// same small file, so that it takes almost no memory until it is written to, and a graph with many
// of them can be looked at.
#include "runtime/core/tensor.h"

namespace tensh {

// Returns the allocator of these tensors. Copies of them come from it too, so a tensor with this
// allocator need not be a splat.
Allocator* SplatAllocator();

// Makes a tensor of which each element has the `size` bytes at `value`. Returns a null tensor if it
// is too small to be worthwhile, or if the system refuses the mapping; then the caller fills an
// ordinary tensor.
Tensor MakeSplat(DType dtype, const Shape& shape, const void* value, size_t size);

// Returns true if the tensor was made by MakeSplat, or is a copy of such a tensor, and all its
// elements are equal.
bool IsSplat(const Tensor& tensor);

}  // namespace tensh
