#pragma once
// What the ops on segments share: shapes, and the walk over segment numbers that must not fall.
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// data's shape with its first `drop` dimensions replaced by `segments` (-1: not known).
Result<Shape> SegmentsShape(const Shape& data, int drop, int64_t segments);
// Elements of one slice: those behind the first `drop` dimensions.
int64_t SegmentRun(const Shape& data, int drop);
// How many segments sorted ids speak of: the last one and 1. InvalidArgument where ids fall.
Result<int64_t> CountSegments(const Tensor& ids);

// Checks data and sorted segment_ids of a kernel; gives the output's shape.
Result<Shape> SegmentOutput(const Tensor& data, const Tensor& ids);

// The same of data, indices, sorted segment_ids and, where it is an input, num_segments.
Result<Shape> SparseSegmentOutput(KernelCtx& c);

// Shape function of data, segment_ids, num_segments: ids in any order.
Status UnsortedSegmentShape(ShapeCtx& c);
// Checks the same inputs of a kernel; gives the output's shape.
Result<Shape> UnsortedSegmentOutput(const Tensor& data, const Tensor& ids, const Tensor& segments);

}  // namespace tensh::ops
