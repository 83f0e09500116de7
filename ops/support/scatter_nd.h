#pragma once
// Slices of a tensor named by rows of coordinates, as GatherNd and the scatter_nd family take them:
// the last dimension of indices is an index into the first dimensions of the tensor. Stateless.
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh::ops {

// Are there dimensions in `params` for the coordinates of a row?
Status CheckIndexDepth(const Shape& params, const Shape& indices);
// The shape of the slices that indices name. Precondition: CheckIndexDepth.
Result<Shape> GatherNdShape(const Shape& params, const Shape& indices);
// The same of known shapes, with what a kernel checks before.
Result<Shape> GatherNdOutput(const Shape& params, const Shape& indices);
// What ScatterNd's kernel checks before it adds updates to zeros of `shape`.
Status CheckUpdatesNd(const Shape& indices, const Shape& updates, const Shape& shape);
// Do updates have a slice of the tensor for each row of indices? Extents may be unknown, and
// the tensor's rank.
Status CheckScatterNd(const Shape& tensor, const Shape& indices, const Shape& updates);
// The first element of the slice that each row of indices names, and the size of a slice.
// Precondition: CheckScatterNd.
Status ScatterPlaces(const Shape& shape, const Tensor& indices, std::vector<int64_t>& places,
                     int64_t& run);

}  // namespace tensh::ops
