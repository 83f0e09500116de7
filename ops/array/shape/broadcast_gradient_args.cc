// BroadcastGradientArgs: the dimensions over which the gradients of a broadcasting op are summed.
#include <algorithm>
#include <array>

#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Returns entry i of a shape extended to `rank` dimensions by leading extents of 1.
int64_t Padded(const Tensor& shape, int64_t rank, int64_t i) {
  int64_t missing = rank - shape.num_elements();
  return i < missing ? 1 : IndexAt(shape, i - missing);
}

Status WriteAxes(KernelCtx& c, int output, std::span<const int64_t> axes) {
  TENSH_OUTPUT(out, c.Output(output, Shape({static_cast<int64_t>(axes.size())})));
  for (size_t i = 0; i < axes.size(); ++i) {
    if (out->dtype() == DType::kInt64)
      out->data<int64_t>()[i] = axes[i];
    else
      out->data<int32_t>()[i] = static_cast<int32_t>(axes[i]);
  }
  return {};
}

bool SameEntries(const Tensor& a, const Tensor& b) {
  if (a.num_elements() != b.num_elements()) return false;
  for (int64_t i = 0; i < a.num_elements(); ++i)
    if (IndexAt(a, i) != IndexAt(b, i)) return false;
  return true;
}

std::string Spell(const Tensor& shape) {
  std::string text = "[";
  for (int64_t i = 0; i < shape.num_elements(); ++i)
    text += StrCat(i ? "," : "", IndexAt(shape, i));
  return text + "]";
}

// If x was broadcast along a dimension, its gradient is summed over it. If both extents are 1,
// either answer is correct; TensorFlow lists the dimension for both inputs, unless the shapes are
// equal.
Status GradientArgs(KernelCtx& c) {
  const Tensor &s0 = c.in(0), &s1 = c.in(1);
  int64_t rank = std::max(s0.num_elements(), s1.num_elements());
  if (rank > 2 * Shape::kMaxRank)
    return InvalidArgument("shapes of rank ", rank, "; tensh supports ranks 0 to ",
                           Shape::kMaxRank);
  std::array<int64_t, 2 * Shape::kMaxRank> axes0, axes1;
  size_t n0 = 0, n1 = 0;
  for (int64_t i = 0; i < rank && !SameEntries(s0, s1); ++i) {
    int64_t d0 = Padded(s0, rank, i), d1 = Padded(s1, rank, i);
    if (d0 != d1 && d0 != 1 && d1 != 1)
      return InvalidArgument("Incompatible shapes: ", Spell(s0), " vs. ", Spell(s1));
    if (d0 == 1) axes0[n0++] = i;
    if (d1 == 1) axes1[n1++] = i;
  }
  TENSH_RETURN_IF_ERROR(WriteAxes(c, 0, {axes0.data(), n0}));
  return WriteAxes(c, 1, {axes1.data(), n1});
}

Status GradientArgsShape(ShapeCtx& c) {
  c.Set(0, Shape::UnknownOfRank(1));
  c.Set(1, Shape::UnknownOfRank(1));
  return {};
}

}  // namespace

TENSH_OPS(array_shape_broadcast_gradient_args) {
  r.Op({.name = "BroadcastGradientArgs",
        .inputs = "s0: T, s1: T",
        .outputs = "r0: T, r1: T",
        .attrs = "T: {int32, int64} = int32",
        .doc = "Returns the dimensions over which the gradients of a broadcasting op are summed. "
               "s0 and s1 are the shapes of the two operands. r0 and r1 are the dimensions along "
               "which each was broadcast. T is the type of all four.",
        .contract = "s0: vector, s1: vector",
        .shape = GradientArgsShape,
        .no_gradient = true,
        .examples = {{"broadcast_gradient_args([2, 3], [3])[1]", "[0]"}}})
      .CpuAny(GradientArgs);
}

}  // namespace tensh::ops
