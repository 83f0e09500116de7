#pragma once
// Helpers shared by the segment ops: shapes, checks of inputs, and the walk over sorted segment
// ids.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns data's shape with its first `drop` dimensions replaced by `segments` (-1 if unknown).
Result<Shape> SegmentsShape(const Shape& data, int drop, int64_t segments);
// Returns the number of elements in one slice: the product of all but the first `drop` extents.
int64_t SegmentRun(const Shape& data, int drop);
// Returns the number of segments: the last of the sorted ids plus 1. Returns InvalidArgument if the
// ids decrease.
Result<int64_t> CountSegments(const Tensor& ids);

// Checks a kernel's inputs data and sorted segment_ids, and returns the shape of the output.
Result<Shape> SegmentOutput(const Tensor& data, const Tensor& ids);

// The same for the inputs data, indices, sorted segment_ids and, if the op has it, num_segments.
Result<Shape> SparseSegmentOutput(KernelCtx& c);

// Shape function for the inputs data, segment_ids and num_segments, where the ids are in any order.
Status UnsortedSegmentShape(ShapeCtx& c);
// Checks the same inputs in a kernel and returns the shape of the output.
Result<Shape> UnsortedSegmentOutput(const Tensor& data, const Tensor& ids, const Tensor& segments);

}  // namespace tensh::ops
