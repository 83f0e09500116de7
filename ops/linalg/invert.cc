// Inverses, determinants and the solution of linear equations, with their gradients.
#include "ops/linalg/batch_matrix.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/linalg/matrix_grad.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

double Cubic(int64_t n) {
  const double d = static_cast<double>(n);
  return 100 + d * d * d;
}

constexpr char kSingular[] = "Input is not invertible.";

struct MatrixInverse {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    const bool adjoint = c.state<MatrixAttrs>().adjoint;
    TENSH_OUTPUT(out, c.Output(0, a.shape()));
    T* to = out->data<T>();
    return ForEachMatrix(c, b.count, Cubic(b.rows), kSingular, [&](int64_t i) {
      return Inverse(b.rows, a.data<T>() + i * b.size(), adjoint, to + i * b.size());
    });
  }
};

struct MatrixDeterminant {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_OUTPUT(out, c.Output(0, ReplaceLast(a.shape(), 2, {})));
    T* to = out->data<T>();
    return ForEachMatrix(c, b.count, Cubic(b.rows), "", [&](int64_t i) {
      to[i] = Determinant(b.rows, a.data<T>() + i * b.size());
      return true;
    });
  }
};

struct LogMatrixDeterminant {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    const Shape shape = ReplaceLast(a.shape(), 2, {});
    TENSH_OUTPUT(sign, c.Output(0, shape));
    TENSH_OUTPUT(log, c.Output(1, shape));
    T *signs = sign->data<T>(), *logs = log->data<T>();
    return ForEachMatrix(c, b.count, Cubic(b.rows), "", [&](int64_t i) {
      LogDeterminant(b.rows, a.data<T>() + i * b.size(), signs + i, logs + i);
      return true;
    });
  }
};

struct MatrixSolve {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &a = c.in(0), &rhs = c.in(1);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_ASSIGN(const MatrixBatch r, RightSides(a.shape(), rhs.shape()));
    const bool adjoint = c.state<MatrixAttrs>().adjoint;
    TENSH_OUTPUT(out, c.Output(0, rhs.shape()));
    T* to = out->data<T>();
    return ForEachMatrix(c, b.count, Cubic(b.rows), "Input matrix is not invertible.",
                         [&](int64_t i) {
                           return Solve(b.rows, r.columns, a.data<T>() + i * b.size(), adjoint,
                                        rhs.data<T>() + i * r.size(), to + i * r.size());
                         });
  }
};

// The batch dimensions broadcast.
struct MatrixTriangularSolve {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<MatrixAttrs>();
    const Tensor &a = c.in(0), &rhs = c.in(1);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    const MatrixBatch r(rhs.shape());
    if (r.rows != b.rows)
      return InvalidArgument("In[0] mismatch In[1] shape: ", b.rows, " vs. ", r.rows, ": ",
                             a.shape(), " ", rhs.shape());
    BroadcastPlan plan;
    TENSH_RETURN_IF_ERROR(
        MakeBroadcastPlan(ReplaceLast(a.shape(), 2, {}), ReplaceLast(rhs.shape(), 2, {}), plan));
    TENSH_RETURN_IF_ERROR(
        Shape::Make(ReplaceLast(plan.out, 0, {r.rows, r.columns}).dims(), true).status());
    TENSH_OUTPUT(out, c.Output(0, ReplaceLast(plan.out, 0, {r.rows, r.columns})));
    if (!out->num_elements()) return {};
    const bool step_a = plan.kind != RowKind::kScalarA, step_b = plan.kind != RowKind::kScalarB;
    bool ok = true;
    const StopsWith step(c.cancel());
    ForEachRow(plan, 0, plan.rows, [&](int64_t i, int64_t j, int64_t k) {
      for (int64_t n = 0; n < plan.row; ++n)
        ok &= TriangularSolve(b.rows, r.columns, a.data<T>() + (i + step_a * n) * b.size(), s.lower,
                              s.adjoint, rhs.data<T>() + (j + step_b * n) * r.size(),
                              out->data<T>() + (k + n) * r.size());
    });
    if (!ok) return InvalidArgument("Input matrix is not invertible.");
    return {};
  }
};

struct MatrixSolveLs {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &a = c.in(0), &rhs = c.in(1);
    const MatrixBatch b(a.shape());
    TENSH_ASSIGN(const MatrixBatch r, RightSides(a.shape(), rhs.shape()));
    if (c.in(2).num_elements() != 1)
      return InvalidArgument("l2_regularizer must be a scalar, got ", c.in(2).shape());
    const double l2 = *c.in(2).data<double>();
    if (!(l2 >= 0)) return InvalidArgument("l2_regularizer must be >= 0, got ", l2);
    const bool fast = c.state<MatrixAttrs>().fast;
    TENSH_OUTPUT(out, c.Output(0, ReplaceLast(rhs.shape(), 2, {b.columns, r.columns})));
    T* to = out->data<T>();
    return ForEachMatrix(
        c, b.count, Cubic(std::max(b.rows, b.columns)),
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a "
        "larger l2_regularizer > 0.",
        [&](int64_t i) {
          return LeastSquares(b.rows, b.columns, r.columns, a.data<T>() + i * b.size(),
                              rhs.data<T>() + i * r.size(), l2, fast,
                              to + i * b.columns * r.columns);
        });
  }
};

// ---- shapes ----

Status SquareShape(ShapeCtx& c) {
  Shape out;
  TENSH_RETURN_IF_ERROR(SquareInput(c, 0, out));
  c.Set(0, out);
  return {};
}

Status DeterminantShape(ShapeCtx& c) {
  Shape in;
  TENSH_RETURN_IF_ERROR(SquareInput(c, 0, in));
  if (!in.has_rank()) return {};
  for (int o = 0; o < c.num_outputs(); ++o) c.Set(o, ReplaceLast(in, 2, {}));
  return {};
}

// matrix and rhs have equal numbers of rows. The output is [..., columns of matrix, columns of
// rhs].
template <bool square, bool broadcast>
Status SolveShape(ShapeCtx& c) {
  Shape a = c.in(0);
  if (square) TENSH_RETURN_IF_ERROR(SquareInput(c, 0, a));
  const Shape& rhs = c.in(1);
  if (!a.has_rank() && !rhs.has_rank()) return {};
  if (!a.has_rank() || !rhs.has_rank()) {
    if (broadcast) return {};
    const Shape& known = a.has_rank() ? a : rhs;
    const int64_t extent = a.has_rank() ? a[a.rank() - 1]
                           : square     ? rhs[rhs.rank() - 2]
                                        : Shape::kUnknownDim;
    c.Set(0, ReplaceLast(known, 2, {extent, a.has_rank() ? -1 : rhs[rhs.rank() - 1]}));
    return {};
  }
  const int64_t rows = a[a.rank() - 2], have = rhs[rhs.rank() - 2];
  if (rows >= 0 && have >= 0 && rows != have)
    return InvalidArgument("Dimensions must be equal, but are ", rows, " and ", have);
  Shape batch;
  if (broadcast) {
    TENSH_ASSIGN(batch, BroadcastShapes(ReplaceLast(a, 2, {}), ReplaceLast(rhs, 2, {})));
  } else {
    TENSH_ASSIGN(batch, MergeShapes(ReplaceLast(a, 2, {}), ReplaceLast(rhs, 2, {})));
  }
  const int64_t n = square ? std::max(rows, have) : a[a.rank() - 1];
  c.Set(0, ReplaceLast(batch, 0, {n, rhs[rhs.rank() - 1]}));
  return {};
}

// ---- gradients ----

Status InverseGrad(GradScope& g) {
  const bool adjoint = g.attrs().Bool("adjoint");
  Out y = g.y(0);
  Out inner = MatrixProduct(g, g.dy(), y, adjoint, !adjoint);
  return g.Return({g.Op("Neg", {MatrixProduct(g, y, inner, !adjoint, false)})});
}

// Reshapes each number to a matrix [1, 1].
Out AsMatrices(GradScope& g, Out t, Out like) {
  Out shape = ShapeOf(g, like);
  Out ones = ConstInts(g, {1, 1}, "concat/values_1");
  return g.Op("Reshape", {t, Concat(g, {shape, ones}, ConstInt(g, 0, "concat/axis"))});
}

Status DeterminantGrad(GradScope& g) {
  Out inverse = g.Op("MatrixInverse", {g.x(0)}, {{"adjoint", true}});
  Out factors = AsMatrices(g, g.Mul(g.dy(), g.y(0)), g.y(0));
  return g.Return({g.Mul(factors, inverse)});
}

Status LogDeterminantGrad(GradScope& g) {
  Out inverse = g.Op("MatrixInverse", {g.x(0)}, {{"adjoint", true}});
  return g.Return({g.Mul(AsMatrices(g, g.dy(1), g.y(1)), inverse)});
}

Out SolveMatrixGrad(GradScope& g, Out db, bool adjoint) {
  Out x = g.y(0);
  return g.Op("Neg", {adjoint ? MatrixProduct(g, x, db, false, true)
                              : MatrixProduct(g, db, x, false, true)});
}

Status SolveGrad(GradScope& g) {
  const bool adjoint = g.attrs().Bool("adjoint");
  Out db = g.Op("MatrixSolve", {g.x(0), g.dy()}, {{"adjoint", !adjoint}});
  return g.Return({SolveMatrixGrad(g, db, adjoint), db});
}

Out BatchOf(GradScope& g, Out shape) {
  return g.Op(
      "StridedSlice",
      {shape, ConstInts(g, {0}, "strided_slice/stack"), ConstInts(g, {-2}, "strided_slice/stack_1"),
       ConstInts(g, {1}, "strided_slice/stack_2")},
      {{"begin_mask", 1}}, "strided_slice");
}

Status TriangularGrad(GradScope& g) {
  const bool adjoint = g.attrs().Bool("adjoint"), lower = g.attrs().Bool("lower");
  Out db =
      g.Op("MatrixTriangularSolve", {g.x(0), g.dy()}, {{"lower", lower}, {"adjoint", !adjoint}});
  Out da = SolveMatrixGrad(g, db, adjoint);
  Out below = ConstInt(g, lower ? -1 : 0, "num_lower"),
      above = ConstInt(g, lower ? 0 : -1, "num_upper");
  da = g.Op("MatrixBandPart", {da, below, above});
  const Shape a = g.shape(g.x(0)), b = g.shape(g.x(1));
  if (a.IsFullyKnown() && b.IsFullyKnown() && ReplaceLast(a, 2, {}) == ReplaceLast(b, 2, {}))
    return g.Return({da, db});
  Out sa = ShapeOf(g, g.x(0)), sb = ShapeOf(g, g.x(1), DType::kInt32, "Shape_1");
  Out axes = g.Op("BroadcastGradientArgs", {BatchOf(g, sa), BatchOf(g, sb)});
  da = g.Op("Reshape", {g.Op("Sum", {da, axes}), sa});
  db = g.Op("Reshape", {g.Op("Sum", {db, g.Output(axes, 1)}), sb});
  return g.Return({da, db});
}

// Returns the X that solves (M + l2 I) X = B, given the Cholesky factor.
Out CholeskySolve(GradScope& g, Out factor, Out b) {
  Out half = g.Op("MatrixTriangularSolve", {factor, b}, {{"adjoint", false}, {"lower", true}});
  return g.Op("MatrixTriangularSolve", {factor, half}, {{"adjoint", true}, {"lower", true}});
}

Status LeastSquaresGrad(GradScope& g) {
  if (!g.attrs().Bool("fast")) return InvalidArgument("Gradient not defined for fast=False");
  Out a = g.x(0), b = g.x(1), x = g.y(0), dy = g.dy();
  const Shape s = g.shape(a);
  if (!s.has_rank() || s[s.rank() - 1] < 0 || s[s.rank() - 2] < 0)
    return Unimplemented("The gradient of MatrixSolveLs needs a matrix of known shape, got ", s);
  const bool tall = s[s.rank() - 2] >= s[s.rank() - 1];
  Out l2 = g.dtype(a) == DType::kDouble ? g.x(2) : GradCast(g, g.x(2), g.dtype(a));
  Out gram = MatrixProduct(g, a, a, tall, !tall);
  Out diagonal = g.Op("MatrixDiagPart", {gram});
  Out factor = g.Op("Cholesky", {g.Op("MatrixSetDiag", {gram, GradAdd(g, diagonal, l2)})});
  if (tall) {
    Out z = CholeskySolve(g, factor, dy);
    Out xz = MatrixProduct(g, x, z, false, true);
    Out sym = GradAdd(g, xz, MatrixAdjoint(g, xz));
    Out da =
        GradAdd(g, g.Op("Neg", {MatrixProduct(g, a, sym)}), MatrixProduct(g, b, z, false, true));
    return g.Return({da, MatrixProduct(g, a, z), {}});
  }
  Out db = CholeskySolve(g, factor, MatrixProduct(g, a, dy));
  Out tmp = CholeskySolve(g, factor, b);
  Out a1 = g.Op("Neg", {MatrixProduct(g, db, MatrixProduct(g, tmp, a, true, false))});
  Out a2 = GradSub(g, dy, MatrixProduct(g, a, db, true, false));
  return g.Return({GradAdd(g, a1, MatrixProduct(g, tmp, a2, false, true)), db, {}});
}

constexpr char kTypes[] = "T: {double, float, half, complex64, complex128}";

void RegisterInvert(OpRegistry& r) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<MatrixAttrs>};
  r.Op({.name = "MatrixInverse",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = StrCat("adjoint: bool = false, ", kTypes),
        .doc = "The inverses of square matrices. input: matrices in the last two dimensions. "
               "adjoint: invert the adjoints instead. T: the element type.",
        .contract = "input: rank 2+",
        .shape = SquareShape,
        .grad = InverseGrad,
        .examples = {{"tf.matrix_inverse([[2., 0.], [0., 4.]])", "[[0.5  0.  ]\n [0.   0.25]]"}}})
      .Cpu<float, double, Complex64, Complex128>(MatrixInverse{}, kOptions);
  r.Op({.name = "MatrixDeterminant",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: {half, float, double, complex64, complex128}",
        .doc =
            "The determinants of square matrices. input: matrices in the last two dimensions. T: "
            "the element type.",
        .contract = "input: rank 2+",
        .shape = DeterminantShape,
        .grad = DeterminantGrad,
        .examples = {{"tf.matrix_determinant([[2., 0.], [0., 4.]])", "8.0"}}})
      .Cpu<float, double, Complex64, Complex128>(MatrixDeterminant{});
  r.Op({.name = "LogMatrixDeterminant",
        .inputs = "input: T",
        .outputs = "sign: T, log_abs_determinant: T",
        .attrs = "T: {half, float, double, complex64, complex128}",
        .doc = "The sign and the logarithm of the absolute value of determinants. input: "
               "square matrices in the last two dimensions. T: the element type.",
        .contract = "input: rank 2+",
        .shape = DeterminantShape,
        .grad = LogDeterminantGrad,
        .examples = {{"tf.linalg.slogdet([[-1., 0.], [0., 1.]])[0]", "-1.0"}}})
      .Cpu<float, double, Complex64, Complex128>(LogMatrixDeterminant{});
}

}  // namespace

TENSH_OPS(linalg_invert) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<MatrixAttrs>};
  RegisterInvert(r);
  r.Op({.name = "MatrixSolve",
        .inputs = "matrix: T, rhs: T",
        .outputs = "output: T",
        .attrs = StrCat("adjoint: bool = false, ", kTypes),
        .doc = "Solves matrix * output = rhs. matrix: square matrices in the last two dimensions. "
               "rhs: the right-hand sides, as columns. adjoint: use the adjoints of the matrices. "
               "T: the element type.",
        .contract = "matrix: rank 2+, rhs: rank 2+",
        .shape = SolveShape<true, false>,
        .grad = SolveGrad,
        .examples = {{"tf.matrix_solve([[2., 0.], [0., 4.]], [[2.], [2.]])", "[[1. ]\n [0.5]]"}}})
      .Cpu<float, double, Complex64, Complex128>(MatrixSolve{}, kOptions);
  r.Op({.name = "MatrixTriangularSolve",
        .inputs = "matrix: T, rhs: T",
        .outputs = "output: T",
        .attrs = "lower: bool = true, adjoint: bool = false, T: {bfloat16, double, float, half, "
                 "complex64, complex128}",
        .doc = "Solves matrix * output = rhs for triangular matrices. matrix: matrices in the last "
               "two dimensions. rhs: the right-hand sides, as columns. lower: read the lower "
               "triangle, otherwise the upper. adjoint: use the adjoints of the matrices. T: the "
               "element type.",
        .contract = "matrix: rank 2+, rhs: rank 2+",
        .shape = SolveShape<true, true>,
        .grad = TriangularGrad,
        .examples = {{"tf.matrix_triangular_solve([[2., 0.], [1., 4.]], [[2.], [5.]])",
                      "[[1.]\n [1.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(MatrixTriangularSolve{}, kOptions);
  r.Op({.name = "MatrixSolveLs",
        .inputs = "matrix: T, rhs: T, l2_regularizer: double",
        .outputs = "output: T",
        .attrs = StrCat(kTypes, ", fast: bool = true"),
        .doc =
            "Solves matrix * output = rhs in the least-squares sense. matrix: matrices in the last "
            "two dimensions. rhs: the right-hand sides, as columns. l2_regularizer: the weight of "
            "the solution's norm. fast: use the normal equations. T: the element type.",
        .contract = "matrix: rank 2+, rhs: rank 2+",
        .shape = SolveShape<false, false>,
        .grad = LeastSquaresGrad,
        .examples = {{"tf.matrix_solve_ls([[1.], [0.]], [[2.], [3.]])", "[[2.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(MatrixSolveLs{}, kOptions);
  // The names in graphs older than rank-independent ops.
  for (const auto& [old, now] : {std::pair{"BatchMatrixInverse", "MatrixInverse"},
                                 std::pair{"BatchMatrixDeterminant", "MatrixDeterminant"},
                                 std::pair{"BatchMatrixSolve", "MatrixSolve"},
                                 std::pair{"BatchMatrixSolveLs", "MatrixSolveLs"},
                                 std::pair{"BatchMatrixTriangularSolve", "MatrixTriangularSolve"}})
    r.Alias(old, now);
}

}  // namespace tensh::ops
