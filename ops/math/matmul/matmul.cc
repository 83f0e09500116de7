// MatMul: the product of two matrices. The kernel is a single call of Gemm.
#include "ops/math/matmul/matmul_dims.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"

namespace tensh::ops {
namespace {

struct MatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const GemmDims d, MatMulDims(c));
    TENSH_OUTPUT(y, c.Output(0, Shape({d.m, d.n})));
    Gemm(c, d, c.in(0).data<T>(), c.in(1).data<T>(), y->data<T>(), y);
    return {};
  }
};

Status MatMulShape(ShapeCtx& c) {
  const bool ta = c.attrs().Bool("transpose_a"), tb = c.attrs().Bool("transpose_b");
  const Shape a = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(2);
  const Shape b = c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(2);
  const int64_t inner_a = a[!ta], inner_b = b[tb];
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    Status error = InvalidArgument("Dimensions must be equal, but are ", inner_a, " and ", inner_b,
                                   ": inner sizes differ, ", a, " x ", b);
    if (b[!tb] == inner_a)
      return std::move(error).WithHint(StrCat(
          "Transpose the second matrix: matmul(a, b, transpose_b=", tb ? "False" : "True", ")?"));
    return error;
  }
  c.Set(0, Shape({a[ta], b[!tb]}));
  return {};
}

Out Product(GradScope& g, Out a, Out b, bool transpose_a, bool transpose_b) {
  return g.Op("MatMul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
}

Status MatMulGrad(GradScope& g) {
  const bool ta = g.attrs().Bool("transpose_a"), tb = g.attrs().Bool("transpose_b");
  const Out a = Conj(g, g.x(0)), b = Conj(g, g.x(1)), dy = g.dy();
  const Out da = ta ? Product(g, b, dy, tb, true) : Product(g, dy, b, false, !tb);
  const Out db = tb ? Product(g, dy, a, true, ta) : Product(g, a, dy, !ta, false);
  return g.Return({da, db});
}

}  // namespace

TENSH_OPS(math_matmul_matmul) {
  r.Op({.name = "MatMul",
        .inputs = "a: T, b: T",
        .outputs = "product: T",
        .attrs = "transpose_a: bool = false, transpose_b: bool = false, T: {bfloat16, half, float, "
                 "double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}, "
                 "grad_a: bool = false, grad_b: bool = false",
        .doc = "The matrix product of a and b. a, b: matrices of type T whose inner dimensions are "
               "equal. transpose_a, transpose_b: multiply the transpose of that matrix instead. T: "
               "the element type. grad_a, grad_b: mark products that compute a gradient; they have "
               "no effect.",
        .contract = "a: matrix, b: matrix",
        .shape = MatMulShape,
        .grad = MatMulGrad,
        .examples = {{"tf.matmul([[1., 2.], [3., 4.]], [[5.], [6.]])", "[[17.]\n [39.]]"},
                     {"tf.matmul([[1, 2]], [[3, 4]], transpose_b=True)", "[[11]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint64_t, Complex64, Complex128>(
          MatMul{}, {.prepare = PrepareMatMul});
}

}  // namespace tensh::ops
