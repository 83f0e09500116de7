#include "ops/op_file.h"
#include "ops/support/complex.h"
#include "ops/support/gemm.h"
#include "ops/support/grad_util.h"

namespace tensh::ops {
namespace {

struct MatMulState : KernelState {
  bool transpose_a, transpose_b;
};

Result<std::unique_ptr<KernelState>> PrepareMatMul(PrepareCtx& c) {
  auto state = std::make_unique<MatMulState>();
  state->transpose_a = c.attrs().Bool("transpose_a");
  state->transpose_b = c.attrs().Bool("transpose_b");
  return {std::move(state)};
}

struct MatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<MatMulState>();
    const Tensor& a = c.in(0);
    const Tensor& b = c.in(1);
    const GemmDims d{s.transpose_a, s.transpose_b, a.dim(s.transpose_a), b.dim(!s.transpose_b),
                     a.dim(!s.transpose_a)};
    if (b.dim(s.transpose_b) != d.k)
      return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape(),
                             ", In[1]: ", b.shape());
    TENSH_OUTPUT(y, c.Output(0, Shape({d.m, d.n})));
    Gemm(c, d, a.data<T>(), b.data<T>(), y->data<T>());
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
      return std::move(error).WithHint(
          StrCat("Transpose the second: matmul(a, b, transpose_b=", tb ? "False" : "True", ")?"));
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

TENSH_OPS(math_matmul) {
  r.Op({.name = "MatMul",
        .inputs = "a: T, b: T",
        .outputs = "product: T",
        .attrs = "transpose_a: bool = false, transpose_b: bool = false, T: {bfloat16, half, float, "
                 "double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}, "
                 "grad_a: bool = false, grad_b: bool = false",
        .doc = "Matrix product of a and b. a, b: matrices of type T whose inner sizes agree. "
               "transpose_a, transpose_b: multiply the transpose of that matrix instead. T: the "
               "element type. grad_a, grad_b: mark products that compute a gradient; they change "
               "nothing.",
        .contract = "a: matrix, b: matrix",
        .shape = MatMulShape,
        .grad = MatMulGrad,
        .examples = {{"tf.matmul([[1., 2.], [3., 4.]], [[5.], [6.]])", "[[17.]\n [39.]]"},
                     {"tf.matmul([[1, 2]], [[3, 4]], transpose_b=True)", "[[11]]"}}})
      .Cpu<float, double, int32_t, int64_t, uint64_t, Complex64, Complex128>(
          MatMul{}, {.prepare = PrepareMatMul});
}

}  // namespace tensh::ops
