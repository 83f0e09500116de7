#pragma once
// Slices of a tensor named by rows of coordinates, as the scatter_nd family takes them: the last
// dimension of indices is an index into the first dimensions of the tensor. Stateless.
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh::ops {

// Do updates have a slice of the tensor for each row of indices? Extents may be unknown, and
// the tensor's rank.
Status CheckScatterNd(const Shape& tensor, const Shape& indices, const Shape& updates);
// The first element of the slice that each row of indices names, and the size of a slice.
// Precondition: CheckScatterNd.
Status ScatterPlaces(const Shape& shape, const Tensor& indices, std::vector<int64_t>& places,
                     int64_t& run);

}  // namespace tensh::ops
