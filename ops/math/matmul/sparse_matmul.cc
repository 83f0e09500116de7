// SparseMatMul: a product of dense matrices that are known to contain many zeros.
#include "ops/math/matmul/gemm.h"
#include "ops/math/matmul/matmul_dims.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

Result<Tensor> AsFloat(const Tensor& t, Allocator* memory) {
  if (t.dtype() == DType::kFloat) return t;
  TENSH_ASSIGN(Tensor out, Tensor::Make(DType::kFloat, t.shape(), memory));
  for (int64_t i = 0; i < t.num_elements(); ++i)
    out.data<float>()[i] = static_cast<float>(t.data<Bfloat16>()[i]);
  return out;
}

// Computes a dense product: zeros are multiplied like any other element.
Status SparseMatMul(KernelCtx& c) {
  TENSH_ASSIGN(const GemmDims d, MatMulDims(c));
  TENSH_ASSIGN(const Tensor a, AsFloat(c.in(0), c.allocator()));
  TENSH_ASSIGN(const Tensor b, AsFloat(c.in(1), c.allocator()));
  TENSH_OUTPUT(y, c.Output(0, Shape({d.m, d.n})));
  Gemm(c, d, a.data<float>(), b.data<float>(), y->data<float>());
  return {};
}

Status ProductShape(ShapeCtx& c) {
  const bool ta = c.attrs().Bool("transpose_a"), tb = c.attrs().Bool("transpose_b");
  const Shape a = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(2);
  const Shape b = c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(2);
  if (a[!ta] >= 0 && b[tb] >= 0 && a[!ta] != b[tb])
    return InvalidArgument("Dimensions must be equal, but are ", a[!ta], " and ", b[tb],
                           ": inner sizes differ, ", a, " x ", b);
  c.Set(0, Shape({a[ta], b[!tb]}));
  return {};
}

// Returns the product of two of a, b and dy, converted to the type of the input it is the gradient
// of.
Status Gradient(GradScope& g) {
  struct Factor {
    Out value;
    bool sparse = false, transposed = false;
    Factor Transposed() const { return {value, sparse, !transposed}; }
  };
  const Factor a = {g.x(0), g.attrs().Bool("a_is_sparse"), g.attrs().Bool("transpose_a")};
  const Factor b = {g.x(1), g.attrs().Bool("b_is_sparse"), g.attrs().Bool("transpose_b")};
  const Factor dy = {g.dy()};
  const auto product = [&](const Factor& x, const Factor& y, Out like) {
    Out out = g.Op("SparseMatMul", {x.value, y.value},
                   {{"transpose_a", x.transposed},
                    {"transpose_b", y.transposed},
                    {"a_is_sparse", x.sparse},
                    {"b_is_sparse", y.sparse}});
    if (g.dtype(like) == DType::kFloat) return out;
    return g.Op("Cast", {out}, {{"DstT", g.dtype(like)}});
  };
  const Out da =
      a.transposed ? product(b, dy.Transposed(), a.value) : product(dy, b.Transposed(), a.value);
  const Out db =
      b.transposed ? product(dy.Transposed(), a, b.value) : product(a.Transposed(), dy, b.value);
  return g.Return({da, db});
}

}  // namespace

TENSH_OPS(math_matmul_sparse_matmul) {
  r.Op({.name = "SparseMatMul",
        .inputs = "a: Ta, b: Tb",
        .outputs = "product: float",
        .attrs = "transpose_a: bool = false, transpose_b: bool = false, a_is_sparse: bool = false, "
                 "b_is_sparse: bool = false, Ta: {float, bfloat16} = float, "
                 "Tb: {float, bfloat16} = float",
        .doc = "Matrix product of matrices of which many elements may be 0. a, b: matrices of type "
               "Ta and Tb whose inner dimensions are equal. transpose_a, transpose_b: multiply the "
               "transpose of that matrix instead. a_is_sparse, b_is_sparse: mark the matrix that "
               "has many zeros; they have no effect.",
        .contract = "a: matrix, b: matrix",
        .shape = ProductShape,
        .grad = Gradient,
        .examples = {{"tf.sparse_matmul([[1., 0.]], [[3.], [4.]], a_is_sparse=True)", "[[3.]]"}}})
      .CpuAny(SparseMatMul, PrepareMatMul);
}

}  // namespace tensh::ops
