#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Which dimensions are reversed, as bits.
Result<uint32_t> ReversedDims(const Tensor& axes, int rank) {
  uint32_t bits = 0;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    int64_t axis = IndexAt(axes, i), d = axis < 0 ? axis + rank : axis;
    if (d < 0 || d >= rank)
      return InvalidArgument("'axis'[", i, "] = ", axis, " is out of valid range [0, ", rank - 1);
    if (bits >> d & 1u) return InvalidArgument("axis ", d, " specified more than once.");
    bits |= 1u << d;
  }
  return bits;
}

Status Reverse(KernelCtx& c) {
  const Tensor& input = c.in(0);
  if (!IsVector(c.in(1)))
    return InvalidArgument("'axis' must be a vector, got shape ", c.in(1).shape());
  TENSH_ASSIGN(uint32_t reversed, ReversedDims(c.in(1), input.rank()));
  if (!reversed || input.num_elements() <= 1) {
    c.SetOutput(0, input);
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, input.shape()));
  Strides strides(input.shape());
  BoxCopy box;
  int64_t offset = 0;
  for (int i = 0; i < input.rank(); ++i) {
    bool back = reversed >> i & 1u;
    box.Add(input.dim(i), back ? -strides[i] : strides[i], strides[i]);
    if (back) offset += (input.dim(i) - 1) * strides[i];
  }
  CopyBox(c, input.dtype(), out->raw(), At(input, offset), box);
  return {};
}

Status ReverseShape(ShapeCtx& c) {
  const Tensor* axes = c.constant(1);
  if (axes && c.in(0).has_rank())
    TENSH_RETURN_IF_ERROR(ReversedDims(*axes, c.in(0).rank()).status());
  c.Set(0, c.in(0));
  return {};
}

Status ReverseGrad(GradScope& g) { return g.Return({g.Op("ReverseV2", {g.dy(0), g.x(1)}), {}}); }

}  // namespace

TENSH_OPS(array_reverse) {
  r.Op({.name = "ReverseV2",
        .inputs = "tensor: T, axis: Tidx",
        .outputs = "output: T",
        .attrs =
            "Tidx: {int32, int64} = int32, T: {uint8, int8, uint16, int16, int32, uint32, "
            "int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string}",
        .doc = "Reverses dimensions. tensor has type T; axis, a vector of type Tidx, names the "
               "dimensions along which output runs backwards.",
        .contract = "axis: vector",
        .shape = ReverseShape,
        .grad = ReverseGrad,
        .examples = {{"tf.reverse([1, 2, 3], [0])", "[3 2 1]"}}})
      .CpuAny(Reverse);
}

}  // namespace tensh::ops
