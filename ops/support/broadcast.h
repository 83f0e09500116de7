#pragma once
// Broadcasting of two operands by numpy's rules, as a sequence of rows. A plan merges neighboring
// dimensions along which both operands advance alike. The common cases (a scalar, one row for all,
// one column for all) thereby become a few long rows, each handled by one of three kinds of loop. A
// plan is a plain value on the kernel's stack.
#include "runtime/core/shape.h"

namespace tensh::ops {

enum class RowKind : uint8_t { kBoth, kScalarA, kScalarB };

struct BroadcastPlan {
  Shape out;
  RowKind kind = RowKind::kBoth;
  int64_t rows = 1;  // number of rows
  int64_t row = 1;   // elements in one row
  // Outer dimensions, slowest first, with strides in elements; stride 0: the operand repeats.
  int rank = 0;
  int64_t dims[Shape::kMaxLoopRank], stride_a[Shape::kMaxLoopRank], stride_b[Shape::kMaxLoopRank];
};

// Returns InvalidArgument, such as "Incompatible shapes: [2] vs. [3]", if the shapes do not
// broadcast.
Status MakeBroadcastPlan(const Shape& a, const Shape& b, BroadcastPlan& plan);

// Calls fn(a_offset, b_offset, out_offset) for each row in [begin, end).
template <class Fn>
void ForEachRow(const BroadcastPlan& plan, int64_t begin, int64_t end, Fn fn) {
  int64_t index[Shape::kMaxLoopRank];
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
