#include "ops/array/segment/segment_ids.h"

#include <algorithm>

#include "ops/support/rows_shape.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {

Result<Shape> SegmentsShape(const Shape& data, int drop, int64_t segments) {
  return RowsShape(segments, data, drop);
}

int64_t SegmentRun(const Shape& data, int drop) {
  int64_t run = 1;
  for (int i = drop; i < data.rank(); ++i) run *= data[i];
  return run;
}

namespace {

// Returns true if n ids, at least one, are neither negative nor too large and never decrease.
template <class I>
bool AreSorted(const I* ids, int64_t n) {
  int decreases = 0;
  for (int64_t i = 1; i < n; ++i) decreases |= ids[i] < ids[i - 1];
  return !decreases && ids[0] >= 0 && int64_t{ids[n - 1]} <= INT64_MAX / 2;
}

}  // namespace

Result<int64_t> CountSegments(const Tensor& ids) {
  const int64_t n = ids.num_elements();
  if (n && (ids.dtype() == DType::kInt32   ? AreSorted(ids.data<int32_t>(), n)
            : ids.dtype() == DType::kInt64 ? AreSorted(ids.data<int64_t>(), n)
                                           : false))
    return IndexAt(ids, n - 1) + 1;
  int64_t last = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t id = IndexAt(ids, i);
    if (id < 0 || id > INT64_MAX / 2)
      return InvalidArgument("segment ids must be >= 0, got segment_ids[", i, "] = ", id);
    if (i && id < last) return InvalidArgument("segment ids are not increasing");
    last = id;
  }
  return n ? last + 1 : 0;
}

Result<Shape> SegmentOutput(const Tensor& data, const Tensor& ids) {
  if (data.dim(0) != ids.dim(0))
    return InvalidArgument("segment_ids should be the same size as dimension 0 of input: ",
                           ids.shape(), " and ", data.shape());
  TENSH_ASSIGN(const int64_t segments, CountSegments(ids));
  return SegmentsShape(data.shape(), 1, segments);
}

Result<Shape> SparseSegmentOutput(KernelCtx& c) {
  const Tensor &indices = c.in(1), &ids = c.in(2);
  if (indices.dim(0) != ids.dim(0))
    return InvalidArgument("segment_ids and indices should have same size.");
  TENSH_ASSIGN(int64_t segments, CountSegments(ids));
  if (c.num_inputs() == 4) {
    const int64_t given = IndexAt(c.in(3), 0);
    if (given < 0) return InvalidArgument("segment ids must be >= 0");
    if (segments > given) return InvalidArgument("segment ids must be < num_segments");
    segments = given;
  }
  return SegmentsShape(c.in(0).shape(), 1, segments);
}

Status UnsortedSegmentShape(ShapeCtx& c) {
  const Shape &data = c.in(0), &ids = c.in(1);
  const std::optional<int64_t> segments = ConstantScalar(c, 2);
  if (segments && *segments < 0)
    return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is ",
                           *segments);
  if (!data.has_rank() || !ids.has_rank()) return {};
  if (data.rank() < ids.rank())
    return InvalidArgument("Shape must be at least rank ", ids.rank(), " but is rank ",
                           data.rank());
  for (int i = 0; i < ids.rank(); ++i)
    if (data[i] >= 0 && ids[i] >= 0 && data[i] != ids[i])
      return InvalidArgument("Dimensions must be equal, but are ", data[i], " and ", ids[i]);
  TENSH_ASSIGN(Shape out, SegmentsShape(data, ids.rank(), segments.value_or(Shape::kUnknownDim)));
  c.Set(0, out);
  return {};
}

Result<Shape> UnsortedSegmentOutput(const Tensor& data, const Tensor& ids, const Tensor& segments) {
  const int64_t count = IndexAt(segments, 0);
  if (count < 0) return InvalidArgument("Input num_segments == ", count, " must not be negative.");
  if (data.rank() < ids.rank() || !std::equal(ids.shape().dims().begin(), ids.shape().dims().end(),
                                              data.shape().dims().begin()))
    return InvalidArgument("data.shape = ", data.shape(),
                           " does not start with segment_ids.shape = ", ids.shape());
  return SegmentsShape(data.shape(), ids.rank(), count);
}

}  // namespace tensh::ops
