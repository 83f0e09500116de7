// Cholesky, Qr, Svd and SelfAdjointEig, with their gradients.
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
  return 200 + 4 * d * d * d;
}

struct CholeskyKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_OUTPUT(out, c.Output(0, a.shape()));
    T* to = out->data<T>();
    return ForEachMatrix(
        c, b.count, Cubic(b.rows),
        "Cholesky decomposition was not successful. The input might not be valid.",
        [&](int64_t i) { return Cholesky(b.rows, a.data<T>() + i * b.size(), to + i * b.size()); });
  }
};

struct CholeskyGradKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &l = c.in(0), &grad = c.in(1);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(l.shape()));
    if (!(l.shape() == grad.shape()))
      return InvalidArgument("Inputs must have the same shape: ", l.shape(), " vs. ", grad.shape());
    TENSH_OUTPUT(out, c.Output(0, l.shape()));
    T* to = out->data<T>();
    return ForEachMatrix(c, b.count, Cubic(b.rows), "", [&](int64_t i) {
      const int64_t at = i * b.size();
      CholeskyBackward(b.rows, l.data<T>() + at, grad.data<T>() + at, to + at);
      return true;
    });
  }
};

struct QrKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    const bool full = c.state<MatrixAttrs>().full;
    const MatrixBatch b(a.shape());
    const int64_t m = b.rows, n = b.columns, p = full ? m : std::min(m, n);
    TENSH_OUTPUT(q, c.Output(0, ReplaceLast(a.shape(), 2, {m, p})));
    TENSH_OUTPUT(r, c.Output(1, ReplaceLast(a.shape(), 2, {p, n})));
    T *to_q = q->data<T>(), *to_r = r->data<T>();
    return ForEachMatrix(c, b.count, Cubic(std::max(m, n)), "", [&](int64_t i) {
      QrDecompose(m, n, a.data<T>() + i * b.size(), full, to_q + i * m * p, to_r + i * p * n);
      return true;
    });
  }
};

struct SvdKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    const auto& s = c.state<MatrixAttrs>();
    const MatrixBatch b(a.shape());
    const int64_t m = b.rows, n = b.columns, p = std::min(m, n);
    TENSH_ASSIGN(const SvdOutputs y, SvdOutputs::Make(c));
    const int64_t pu = y.u_columns, pv = y.v_columns;
    T *to_s = y.values->data<T>(), *to_u = y.u->data<T>(), *to_v = y.v->data<T>();
    // A matrix with non-finite elements has no decomposition; the result is NaN, as in TensorFlow.
    return ForEachMatrix(c, b.count, Cubic(std::max(m, n)), "", [&](int64_t i) {
      if (SvdDecompose(m, n, a.data<T>() + i * b.size(), s.full, to_s + i * p,
                       s.vectors ? to_u + i * m * pu : nullptr,
                       s.vectors ? to_v + i * n * pv : nullptr))
        return true;
      const T nan(std::numeric_limits<decltype(std::abs(T()))>::quiet_NaN());
      std::fill_n(to_s + i * p, p, nan);
      if (s.vectors) {
        std::fill_n(to_u + i * m * pu, m * pu, nan);
        std::fill_n(to_v + i * n * pv, n * pv, nan);
      }
      return true;
    });
  }
};

struct EigKernel {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    const bool vectors = c.state<MatrixAttrs>().vectors;
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_OUTPUT(e, c.Output(0, ReplaceLast(a.shape(), 2, {b.rows})));
    TENSH_OUTPUT(v, c.Output(1, vectors ? a.shape() : Shape({0})));
    T *to_e = e->data<T>(), *to_v = v->data<T>();
    return ForEachMatrix(
        c, b.count, Cubic(b.rows),
        "Self-adjoint eigen decomposition was not successful. The input might not be valid.",
        [&](int64_t i) {
          return SelfAdjointEig(b.rows, a.data<T>() + i * b.size(), to_e + i * b.rows,
                                vectors ? to_v + i * b.size() : nullptr);
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

Status EigShape(ShapeCtx& c) {
  Shape in;
  TENSH_RETURN_IF_ERROR(SquareInput(c, 0, in));
  const bool vectors = c.attrs().Bool("compute_v");
  if (!vectors) c.Set(1, Shape({0}));
  if (!in.has_rank()) return {};
  c.Set(0, ReplaceLast(in, 1, {}));
  if (vectors) c.Set(1, in);
  return {};
}

int64_t Least(int64_t m, int64_t n) {
  return m == 0 || n == 0 ? 0 : m < 0 || n < 0 ? -1 : std::min(m, n);
}

Status QrShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  if (!in.has_rank()) return {};
  const int64_t m = in[in.rank() - 2], n = in[in.rank() - 1];
  const int64_t p = c.attrs().Bool("full_matrices") ? m : Least(m, n);
  c.Set(0, ReplaceLast(in, 2, {m, p}));
  c.Set(1, ReplaceLast(in, 2, {p, n}));
  return {};
}

Status SvdShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  const bool vectors = c.attrs().Bool("compute_uv");
  if (!vectors) {
    c.Set(1, Shape({0}));
    c.Set(2, Shape({0}));
  }
  if (!in.has_rank()) return {};
  const int64_t m = in[in.rank() - 2], n = in[in.rank() - 1], p = Least(m, n);
  c.Set(0, ReplaceLast(in, 2, {p}));
  if (!vectors) return {};
  const bool full = c.attrs().Bool("full_matrices");
  c.Set(1, ReplaceLast(in, 2, {m, full ? m : p}));
  c.Set(2, ReplaceLast(in, 2, {n, full ? n : p}));
  return {};
}

// ---- gradients ----

Out Triangle(GradScope& g, Out a) {
  return g.Op("MatrixBandPart", {a, ConstInt(g, -1, "num_lower"), ConstInt(g, 0, "num_upper")});
}

Out HalfDiagonal(GradScope& g, Out a) {
  Out diagonal = g.Op("MatrixDiagPart", {a});
  return g.Op("MatrixSetDiag", {a, g.Mul(g.Like(0.5, a, "mul/x"), diagonal)});
}

// The gradient is l^-H * phi(l^H * dl) * l^-1 plus its adjoint, halved. phi takes the lower
// triangle with half of the diagonal.
Status CholeskyBackwardGraph(GradScope& g) {
  Out l = g.y(0);
  Out inverse = g.Op("MatrixTriangularSolve", {l, MatrixEye(g, l)});
  Out middle = Triangle(g, HalfDiagonal(g, MatrixProduct(g, l, g.dy(), true)));
  Out da = MatrixProduct(g, MatrixProduct(g, inverse, middle, true), inverse);
  return g.Return({g.Mul(GradAdd(g, da, MatrixAdjoint(g, da)), g.Like(0.5, l, "mul/y"))});
}

// Returns x / (x * x + epsilon), which is 0 at x = 0.
Out SafeReciprocal(GradScope& g, Out x) {
  Out square = g.Mul(x, x);
  return g.Mul(x, g.Op("Reciprocal", {GradAdd(g, square, g.Like(1e-20, x, "add/y"))}));
}

Out Expand(GradScope& g, Out t, int64_t axis) {
  return g.Op("ExpandDims", {t, ConstInt(g, axis, "ExpandDims/dim")});
}

// Returns 1 / (e_j - e_i) off the diagonal and 0 on it.
Out Gaps(GradScope& g, Out e) {
  Out difference = GradSub(g, Expand(g, e, -2), Expand(g, e, -1));
  Out zeros = g.Op("ZerosLike", {e}, {}, "zeros_like");
  return g.Op("MatrixSetDiag", {SafeReciprocal(g, difference), zeros});
}

Status EigGrad(GradScope& g) {
  Out middle = g.Op("MatrixDiag", {g.dy(0)}), v = g.y(1);
  if (g.attrs().Bool("compute_v")) {
    Out turned = MatrixProduct(g, v, g.dy(1), true, false);
    middle = GradAdd(g, middle, g.Mul(Gaps(g, g.y(0)), turned));
  } else {
    v = g.Output(g.Op("SelfAdjointEigV2", {g.x(0)}), 1);
  }
  Out da = MatrixProduct(g, v, MatrixProduct(g, middle, v, false, true));
  da = Triangle(g, GradAdd(g, da, MatrixAdjoint(g, da)));
  return g.Return({HalfDiagonal(g, da)});
}

// Returns x * inverse(r)^T for an upper triangular r.
Out DivideByUpper(GradScope& g, Out x, Out r) {
  Out solved = g.Op("MatrixTriangularSolve", {r, MatrixAdjoint(g, x)},
                    {{"lower", false}, {"adjoint", false}});
  return MatrixAdjoint(g, solved);
}

Out QrDeepGrad(GradScope& g, Out q, Out r, Out dq, Out dr) {
  Out qdq = MatrixProduct(g, q, dq, true, false);
  Out rdr = MatrixProduct(g, r, dr, false, true);
  Out skew =
      GradAdd(g, GradSub(g, qdq, MatrixAdjoint(g, qdq)), GradSub(g, rdr, MatrixAdjoint(g, rdr)));
  Out first = MatrixProduct(g, q, GradAdd(g, dr, DivideByUpper(g, Triangle(g, skew), r)));
  return GradAdd(g, first, DivideByUpper(g, GradSub(g, dq, MatrixProduct(g, q, qdq)), r));
}

// Returns the columns [begin, begin + count) of matrices of known rank. A count of -1 means all
// remaining columns.
Out ColumnsOf(GradScope& g, Out a, int64_t begin, int64_t count) {
  const Shape s = g.shape(a);
  std::vector<int64_t> at(static_cast<size_t>(s.rank()), 0), size(at.size(), -1);
  at.back() = begin;
  size.back() = count;
  return g.Op("Slice", {a, g.Const(IndexVector(DType::kInt32, at), "Slice/begin"),
                        g.Const(IndexVector(DType::kInt32, size), "Slice/size")});
}

Status QrGrad(GradScope& g) {
  const Shape q = g.shape(g.y(0)), r = g.shape(g.y(1));
  if (!q.has_rank() || !r.has_rank() || r[r.rank() - 1] < 0 || r[r.rank() - 2] < 0)
    return Unimplemented("QrGrad not implemented with dynamic shapes. Received r.shape: ", r);
  const int64_t rows = q[q.rank() - 2], columns = r[r.rank() - 1];
  if (r[r.rank() - 2] > columns && rows == q[q.rank() - 1])
    return Unimplemented(
        "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape=",
        r);
  if (rows >= columns) return g.Return({QrDeepGrad(g, g.y(0), g.y(1), g.dy(0), g.dy(1))});
  Out y = ColumnsOf(g, g.x(0), rows, -1), dv = ColumnsOf(g, g.dy(1), rows, -1);
  Out u = ColumnsOf(g, g.y(1), 0, rows), du = ColumnsOf(g, g.dy(1), 0, rows);
  Out dy = MatrixProduct(g, g.y(0), dv);
  Out dq = GradAdd(g, g.dy(0), MatrixProduct(g, y, dv, false, true));
  Out dx = QrDeepGrad(g, g.y(0), u, dq, du);
  return g.Return({Concat(g, {dx, dy}, ConstInt(g, -1, "concat/axis"))});
}

// Returns the gradient for m <= n from u [m, m], v [n, m] and their gradients.
Out SvdFlatGrad(GradScope& g, Out s, Out u, Out v, Out du, Out dv, bool square) {
  Out values = g.Op("MatrixDiag", {s});
  Out f = Gaps(g, g.Op("Square", {s}));
  Out fu = g.Mul(f, MatrixProduct(g, u, du, true, false));
  Out fv = g.Mul(f, MatrixProduct(g, v, dv, true, false));
  Out left = MatrixProduct(g, GradAdd(g, fu, MatrixAdjoint(g, fu)), values);
  Out right = MatrixProduct(g, values, GradAdd(g, fv, MatrixAdjoint(g, fv)));
  Out core = GradAdd(g, GradAdd(g, g.Op("MatrixDiag", {g.dy(0)}), left), right);
  Out term = MatrixProduct(g, u, MatrixProduct(g, core, v, false, true));
  if (square) return term;
  Out dvt = MatrixAdjoint(g, dv);
  Out rest = GradSub(g, dvt, MatrixProduct(g, MatrixProduct(g, dvt, v), v, false, true));
  Out scaled = MatrixProduct(g, u, g.Op("MatrixDiag", {SafeReciprocal(g, s)}));
  return GradAdd(g, term, MatrixProduct(g, scaled, rest));
}

Status SvdGrad(GradScope& g) {
  if (!g.attrs().Bool("compute_uv")) {
    Out svd = g.Op("Svd", {g.x(0)});
    Out core = g.Op("MatrixDiag", {g.dy(0)});
    Out inner = MatrixProduct(g, core, g.Output(svd, 2), false, true);
    return g.Return({MatrixProduct(g, g.Output(svd, 1), inner)});
  }
  const Shape a = g.shape(g.x(0));
  if (!a.has_rank() || a[a.rank() - 1] < 0 || a[a.rank() - 2] < 0)
    return Unimplemented(
        "SVD gradient has not been implemented for input with unknown inner matrix shape.");
  const int64_t m = a[a.rank() - 2], n = a[a.rank() - 1];
  if (g.attrs().Bool("full_matrices") && m != n)
    return Unimplemented("svd gradient is not implemented for full_matrices of shape ", a);
  if (m <= n) return g.Return({SvdFlatGrad(g, g.y(0), g.y(1), g.y(2), g.dy(1), g.dy(2), m == n)});
  return g.Return(
      {MatrixAdjoint(g, SvdFlatGrad(g, g.y(0), g.y(2), g.y(1), g.dy(2), g.dy(1), false))});
}

constexpr char kTypes[] = "T: {double, float, half, complex64, complex128}";
constexpr char kInput[] = " input: matrices in the last two dimensions.";

void RegisterCholesky(OpRegistry& r) {
  r.Op({.name = "Cholesky",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = kTypes,
        .doc = StrCat("Cholesky factors: the lower triangular matrices whose products with their "
                      "adjoints are input.",
                      kInput, " They must be positive definite. T: the element type."),
        .contract = "input: rank 2+",
        .shape = SquareShape,
        .grad = CholeskyBackwardGraph,
        .examples = {{"tf.cholesky([[4., 0.], [0., 9.]])", "[[2. 0.]\n [0. 3.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(CholeskyKernel{});
  r.Op({.name = "CholeskyGrad",
        .inputs = "l: T, grad: T",
        .outputs = "output: T",
        .attrs = "T: {half, float, double}",
        .doc = "The gradient of Cholesky. l: the factors it returned. grad: the incoming gradient. "
               "T: the element type.",
        .contract = "l: rank 2+",
        .shape = SquareShape,
        .examples = {{"tf.raw_ops.CholeskyGrad(l=[[2.]], grad=[[8.]])", "[[2.]]"}}})
      .Cpu<float, double>(CholeskyGradKernel{});
}

}  // namespace

TENSH_OPS(linalg_decompose) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<MatrixAttrs>};
  RegisterCholesky(r);
  r.Op({.name = "Qr",
        .inputs = "input: T",
        .outputs = "q: T, r: T",
        .attrs = StrCat("full_matrices: bool = false, ", kTypes),
        .doc =
            StrCat("QR decompositions: products of an orthogonal and an upper triangular matrix.",
                   kInput, " full_matrices: make q square. T: the element type."),
        .contract = "input: rank 2+",
        .shape = QrShape,
        .grad = QrGrad,
        .examples = {{"tf.matmul(*tf.qr([[3., 0.], [0., 2.]]))", "[[3. 0.]\n [0. 2.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(QrKernel{}, kOptions);
  r.Op({.name = "Svd",
        .inputs = "input: T",
        .outputs = "s: T, u: T, v: T",
        .attrs = StrCat("compute_uv: bool = true, full_matrices: bool = false, ", kTypes),
        .doc = StrCat("Singular value decompositions: input = u * diag(s) * transpose(v).", kInput,
                      " compute_uv: compute the vectors too. full_matrices: make u and v square. "
                      "T: the element type."),
        .contract = "input: rank 2+",
        .shape = SvdShape,
        .grad = SvdGrad,
        .examples = {{"tf.svd([[3., 0.], [0., 4.]], compute_uv=False)", "[4. 3.]"}}})
      .Cpu<float, double, Complex64, Complex128>(SvdKernel{}, kOptions);
  r.Op({.name = "SelfAdjointEigV2",
        .inputs = "input: T",
        .outputs = "e: T, v: T",
        .attrs = StrCat("compute_v: bool = true, ", kTypes),
        .doc = StrCat(
            "The eigenvalues of symmetric matrices, in ascending order, and the eigenvectors.",
            kInput,
            " Only the lower triangle is read. compute_v: compute the vectors too. T: the element "
            "type."),
        .contract = "input: rank 2+",
        .shape = EigShape,
        .grad = EigGrad,
        .examples = {{"tf.self_adjoint_eigvals([[2., 0.], [0., 1.]])", "[1. 2.]"}}})
      .Cpu<float, double, Complex64, Complex128>(EigKernel{}, kOptions);
  // The names in graphs older than rank-independent ops.
  for (const auto& [old, now] :
       {std::pair{"BatchCholesky", "Cholesky"}, std::pair{"BatchCholeskyGrad", "CholeskyGrad"},
        std::pair{"BatchSelfAdjointEigV2", "SelfAdjointEigV2"}, std::pair{"BatchSvd", "Svd"}})
    r.Alias(old, now);
}

}  // namespace tensh::ops
