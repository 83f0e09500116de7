#pragma once
// Slices of a tensor addressed by rows of coordinates, as in GatherNd and the scatter_nd family.
// The last dimension of `indices` holds an index into the first dimensions of the tensor.
// Stateless.
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// Checks that `params` has at least as many dimensions as a row of indices has coordinates.
Status CheckIndexDepth(const Shape& params, const Shape& indices);
// Returns the shape of the addressed slices. Requires CheckIndexDepth.
Result<Shape> GatherNdShape(const Shape& params, const Shape& indices);
// The same for fully known shapes, with the additional checks of a kernel.
Result<Shape> GatherNdOutput(const Shape& params, const Shape& indices);
// The checks of ScatterNd's kernel, which adds updates to a tensor of zeros of the given shape.
Status CheckUpdatesNd(const Shape& indices, const Shape& updates, const Shape& shape);
// Checks that `updates` has one slice of the tensor for each row of indices. Extents, and the rank
// of the tensor, may be unknown.
Status CheckScatterNd(const Shape& tensor, const Shape& indices, const Shape& updates);
// The attribute bad_indices_policy: "IGNORE" skips indices that are out of range. With any other value
// they are an error.
struct BadIndexState : KernelState {
  bool ignore = false;
  Status Read(PrepareCtx& c);
};
inline constexpr char kBadIndicesDoc[] =
    " bad_indices_policy: 'IGNORE' skips indices that are out of range; otherwise, they are an "
    "error.";
// Stores the offset of the slice addressed by each row of indices, or -1 if it is out of range and
// ignored, and the size of a slice. Requires CheckScatterNd.
Status ScatterPlaces(const Shape& shape, const Tensor& indices, bool ignore_bad,
                     std::vector<int64_t>& places, int64_t& run);

}  // namespace tensh::ops
