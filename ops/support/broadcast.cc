#include "ops/support/broadcast.h"

namespace tensh::ops {
namespace {

// A dimension of the output; `a` and `b` tell whether that operand advances along it or repeats.
struct Dim {
  int64_t size;
  bool a, b;
};

// Drops output dimensions of extent 1, merges neighbors along which the operands advance alike,
// and returns the number of dimensions left.
int CollapseDims(const Shape& a, const Shape& b, const Shape& out, Dim* dims) {
  int n = 0;
  for (int i = 0; i < out.rank(); ++i) {
    if (out[i] == 1) continue;
    int ia = i - (out.rank() - a.rank()), ib = i - (out.rank() - b.rank());
    Dim d{out[i], ia >= 0 && a[ia] != 1, ib >= 0 && b[ib] != 1};
    if (n && dims[n - 1].a == d.a && dims[n - 1].b == d.b)
      dims[n - 1].size *= d.size;
    else
      dims[n++] = d;
  }
  return n;
}

}  // namespace

Status MakeBroadcastPlan(const Shape& a, const Shape& b, BroadcastPlan& plan) {
  TENSH_ASSIGN(plan.out, BroadcastShapes(a, b));
  int64_t elements = 0;
  if (!plan.out.CountElements(&elements))
    return ResourceExhausted("OOM when allocating tensor with shape", plan.out, ": broadcasting ",
                             a, " with ", b);
  if (elements == 0) {
    plan.rows = 0;
    return {};
  }
  Dim dims[Shape::kMaxLoopRank];
  int n = CollapseDims(a, b, plan.out, dims);
  if (n) {
    const Dim& inner = dims[--n];
    plan.row = inner.size;
    plan.kind = inner.a && inner.b ? RowKind::kBoth
                : inner.a          ? RowKind::kScalarB
                                   : RowKind::kScalarA;
  }
  plan.rank = n;
  int64_t step_a = plan.kind == RowKind::kScalarA ? 1 : plan.row;
  int64_t step_b = plan.kind == RowKind::kScalarB ? 1 : plan.row;
  for (int d = n - 1; d >= 0; --d) {
    plan.dims[d] = dims[d].size;
    plan.rows *= dims[d].size;
    plan.stride_a[d] = dims[d].a ? step_a : 0;
    plan.stride_b[d] = dims[d].b ? step_b : 0;
    if (dims[d].a) step_a *= dims[d].size;
    if (dims[d].b) step_b *= dims[d].size;
  }
  return {};
}

}  // namespace tensh::ops
