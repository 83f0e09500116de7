#pragma once
// numpy broadcasting of two operands, as rows. A plan merges neighbouring dimensions that move
// alike, so the common cases (scalar, one row for all, one column for all) come out as few long
// rows; each row is one of three kinds of loop. Plans are plain values on the kernel's stack.
#include "runtime/core/shape.h"

namespace tensh::ops {

enum class RowKind : uint8_t { kBoth, kScalarA, kScalarB };

struct BroadcastPlan {
  Shape out;
  RowKind kind = RowKind::kBoth;
  int64_t rows = 1;  // outer iterations
  int64_t row = 1;   // elements of one
  // Outer dimensions, slowest first, with element strides (0: that operand repeats).
  int rank = 0;
  int64_t dims[Shape::kMaxRank], stride_a[Shape::kMaxRank], stride_b[Shape::kMaxRank];
};

// InvalidArgument "Incompatible shapes: [2] vs. [3]" when they do not broadcast.
Status MakeBroadcastPlan(const Shape& a, const Shape& b, BroadcastPlan& plan);

// Calls fn(a_offset, b_offset, out_offset) for rows [begin, end).
template <class Fn>
void ForEachRow(const BroadcastPlan& plan, int64_t begin, int64_t end, Fn fn) {
  int64_t index[Shape::kMaxRank];
  int64_t a = 0, b = 0, rest = begin;
  for (int d = plan.rank - 1; d >= 0; --d) {
    index[d] = rest % plan.dims[d];
    rest /= plan.dims[d];
    a += index[d] * plan.stride_a[d];
    b += index[d] * plan.stride_b[d];
  }
  for (int64_t row = begin; row < end; ++row) {
    fn(a, b, row * plan.row);
    for (int d = plan.rank - 1; d >= 0; --d) {
      a += plan.stride_a[d];
      b += plan.stride_b[d];
      if (++index[d] < plan.dims[d]) break;
      a -= plan.dims[d] * plan.stride_a[d];
      b -= plan.dims[d] * plan.stride_b[d];
      index[d] = 0;
    }
  }
}

}  // namespace tensh::ops
