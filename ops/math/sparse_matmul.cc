#include "ops/op_file.h"
#include "ops/support/gemm.h"
#include "ops/support/matmul_op.h"
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

// What is zero in a or b changes the time it takes, not the product: it is multiplied like the
// rest.
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

// The product of two of a, b and dy, in the type of the input whose gradient it is.
Status Gradient(GradScope& g) {
  const bool ta = g.attrs().Bool("transpose_a"), tb = g.attrs().Bool("transpose_b");
  const bool sparse_a = g.attrs().Bool("a_is_sparse"), sparse_b = g.attrs().Bool("b_is_sparse");
  const Out a = g.x(0), b = g.x(1), dy = g.dy();
  const auto product = [&](Out x, bool sparse_x, bool tx, Out y, bool sparse_y, bool ty, Out like) {
    Out out = g.Op("SparseMatMul", {x, y},
                   {{"transpose_a", tx},
                    {"transpose_b", ty},
                    {"a_is_sparse", sparse_x},
                    {"b_is_sparse", sparse_y}});
    if (g.dtype(like) == DType::kFloat) return out;
    return g.Op("Cast", {out}, {{"DstT", g.dtype(like)}});
  };
  const Out da = ta ? product(b, sparse_b, tb, dy, false, true, a)
                    : product(dy, false, false, b, sparse_b, !tb, a);
  const Out db = tb ? product(dy, false, true, a, sparse_a, ta, b)
                    : product(a, sparse_a, !ta, dy, false, false, b);
  return g.Return({da, db});
}

}  // namespace

TENSH_OPS(math_sparse_matmul) {
  r.Op({.name = "SparseMatMul",
        .inputs = "a: Ta, b: Tb",
        .outputs = "product: float",
        .attrs = "transpose_a: bool = false, transpose_b: bool = false, a_is_sparse: bool = false, "
                 "b_is_sparse: bool = false, Ta: {float, bfloat16} = float, "
                 "Tb: {float, bfloat16} = float",
        .doc = "Matrix product of matrices of which many elements may be 0. a, b: matrices of type "
               "Ta and Tb whose inner sizes agree. transpose_a, transpose_b: multiply the "
               "transpose of that matrix instead. a_is_sparse, b_is_sparse: mark the matrix that "
               "has many zeros; they change nothing here.",
        .contract = "a: matrix, b: matrix",
        .shape = ProductShape,
        .grad = Gradient,
        .examples = {{"tf.sparse_matmul([[1., 0.]], [[3.], [4.]], a_is_sparse=True)", "[[3.]]"}}})
      .CpuAny(SparseMatMul, PrepareMatMul);
}

}  // namespace tensh::ops
