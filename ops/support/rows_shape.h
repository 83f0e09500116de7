#pragma once
// The shape of several rows of the same shape. Stateless.
#include "runtime/core/shape.h"

namespace tensh::ops {

// Returns [rows, row.dims…] without the first `drop` dimensions of `row`. `rows` may be unknown. Returns
// InvalidArgument if the rank is too high.
inline Result<Shape> RowsShape(int64_t rows, const Shape& row, int drop = 0) {
  int64_t dims[Shape::kMaxRank + 1];
  size_t rank = 0;
  dims[rank++] = rows;
  for (int i = drop; i < row.rank(); ++i) dims[rank++] = row[i];
  return Shape::Make({dims, rank}, false);
}

}  // namespace tensh::ops
