// Fill, ZerosLike and OnesLike.
#include <algorithm>

#include "ops/array/string_room.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/list_variant.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status Fill(KernelCtx& c) {
  const Tensor &dims = c.in(0), &value = c.in(1);
  if (value.num_elements() != 1 || value.rank() > 1)
    return InvalidArgument("value must represent a scalar, got shape ", value.shape());
  TENSH_ASSIGN(Shape shape, ShapeFromTensor(dims));
  TENSH_RETURN_IF_ERROR(RoomForStrings(value, shape.num_elements()));
  TENSH_OUTPUT(out, c.Output(0, shape));
  FillElements(c, out->dtype(), out->raw(), value.raw(), out->num_elements());
  return {};
}

Status FillShape(ShapeCtx& c) {
  if (const Tensor* dims = c.constant(0)) {
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(*dims));
    c.Set(0, shape);
  } else {
    c.Set(0, c.ConstantAsShape(0));
  }
  return {};
}

Status FillGrad(GradScope& g) { return g.Return({{}, SumAll(g, g.dy(0))}); }

Status ZerosLike(KernelCtx& c) {
  DType dtype = c.out_dtype(0);
  if (dtype == DType::kVariant) return ZerosLikeVariants(c);
  TENSH_OUTPUT(out, c.Forward(0, 0, c.in(0).shape()));
  ZeroElements(c, dtype, out->raw(), out->num_elements());
  return {};
}

struct OnesLike {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_OUTPUT(out, c.Forward(0, 0, c.in(0).shape()));
    const T one(1);
    FillElements(c, out->dtype(), out->raw(), &one, out->num_elements());
    return {};
  }
};

}  // namespace

TENSH_OPS(array_fill) {
  r.Op({.name = "Fill",
        .inputs = "dims: index_type, value: T",
        .outputs = "output: T",
        .attrs = "T: type, index_type: {int32, int64} = int32",
        .doc = "A tensor filled with one value. dims, a vector of type index_type, is the shape of "
               "output. value is a scalar of type T.",
        .contract = "dims: vector, value: scalar at build",
        .shape = FillShape,
        .grad = FillGrad,
        .examples = {{"tf.fill([2, 3], 9)", "[[9 9 9]\n [9 9 9]]"}}})
      .CpuAny(Fill);
  r.Op({.name = "ZerosLike",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = "T: type",
        .doc = "Zeros in the shape of a tensor. y has the type T and the shape of x.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ZerosLike(x=[1., 2.])", "[0. 0.]"}}})
      .CpuAny(ZerosLike);
  r.Op({.name = "OnesLike",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
                 "int64, uint64, complex64, complex128, bool}",
        .doc = "Ones in the shape of a tensor. y has the type T and the shape of x.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.OnesLike(x=[7, 8])", "[1 1]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           bool, std::complex<float>, std::complex<double>>(OnesLike{});
}

}  // namespace tensh::ops
