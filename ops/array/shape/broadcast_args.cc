// BroadcastArgs: the shape that two shapes have after they are broadcast.
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status BroadcastArgs(KernelCtx& c) {
  std::vector<int64_t> a = IndexValues(c.in(0)), b = IndexValues(c.in(1));
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& dim = a[a.size() - b.size() + i];
    if (dim != b[i] && dim != 1 && b[i] != 1)
      return InvalidArgument("Incompatible shapes: dimensions ", dim, " and ", b[i],
                             " cannot be broadcast");
    if (dim == 1) dim = b[i];
  }
  c.SetOutput(0, IndexVector(c.out_dtype(0), a));
  return {};
}

Status BroadcastArgsShape(ShapeCtx& c) {
  const Shape &a = c.in(0), &b = c.in(1);
  const int64_t n = a.rank() == 1 ? a[0] : -1, m = b.rank() == 1 ? b[0] : -1;
  c.Set(0, Shape({n < 0 || m < 0 ? -1 : std::max(n, m)}));
  return {};
}

}  // namespace

TENSH_OPS(array_shape_broadcast_args) {
  r.Op({.name = "BroadcastArgs",
        .inputs = "s0: T, s1: T",
        .outputs = "r0: T",
        .attrs = "T: {int32, int64} = int32",
        .doc = "The shape r0 that the shapes s0 and s1 have after they are broadcast. T is the "
               "type of all three.",
        .contract = "s0: vector, s1: vector",
        .shape = BroadcastArgsShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.BroadcastArgs(s0=[2, 1, 3], s1=[4, 1])", "[2 4 3]"}}})
      .CpuAny(BroadcastArgs);
}

}  // namespace tensh::ops
