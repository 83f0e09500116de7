// TridiagonalSolve and TridiagonalMatMul, with their gradients.
#include "ops/linalg/batch_matrix.h"
#include "ops/linalg/matrix_grad.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct PivotState : KernelState {
  bool pivots = true, perturbs = false;
  Status Read(PrepareCtx& c) {
    pivots = c.attrs().Bool("partial_pivoting");
    perturbs = c.attrs().Bool("perturb_singular");
    if (perturbs && !pivots) return InvalidArgument("Setting perturb_singular requires pivoting.");
    return {};
  }
};

// A matrix during elimination. Row i of the upper triangle has up to three elements from column i
// on.
template <class T>
struct Rows {
  using Real = decltype(std::abs(T()));
  int64_t n, k;
  const T *above, *diagonal, *below;
  T* x;  // [n, k]; initially the right-hand sides, finally the solution
  std::vector<std::array<T, 3>> upper = {};
  Real least = 0;  // smaller pivots are replaced by this value

  T Perturbed(T pivot) const {
    if (std::abs(pivot) > least) return pivot;
    return std::real(pivot) >= 0 ? T(least) : T(-least);
  }

  // Returns false if the matrix is singular or, without pivoting, has no factorization.
  bool Solve(bool pivots) {
    upper.resize(static_cast<size_t>(n));
    std::array<T, 3> row = {diagonal[0], n > 1 ? above[0] : T(0), T(0)};
    for (int64_t i = 0; i < n; ++i) {
      std::array<T, 3> next = {};
      if (i + 1 < n) next = {below[i + 1], diagonal[i + 1], i + 2 < n ? above[i + 1] : T(0)};
      if (pivots && i + 1 < n && std::abs(row[0]) < std::abs(next[0])) {
        std::swap(row, next);
        std::swap_ranges(x + i * k, x + (i + 1) * k, x + (i + 1) * k);
      }
      row[0] = least > 0 ? Perturbed(row[0]) : row[0];
      if (row[0] == T(0)) return false;
      upper[static_cast<size_t>(i)] = row;
      if (i + 1 == n) break;
      const T factor = next[0] / row[0];
      for (int64_t j = 0; j < k; ++j) x[(i + 1) * k + j] -= factor * x[i * k + j];
      row = {next[1] - factor * row[1], next[2] - factor * row[2], T(0)};
    }
    for (int64_t i = n; i-- > 0;) {
      const auto& u = upper[static_cast<size_t>(i)];
      for (int64_t j = 0; j < k; ++j) {
        T sum = x[i * k + j];
        if (i + 1 < n) sum -= u[1] * x[(i + 1) * k + j];
        if (i + 2 < n) sum -= u[2] * x[(i + 2) * k + j];
        x[i * k + j] = sum / u[0];
      }
    }
    return true;
  }
};

template <class T>
T NotANumber() {
  using Real = decltype(std::abs(T()));
  return T(std::numeric_limits<Real>::quiet_NaN());
}

struct TridiagonalSolve {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &a = c.in(0), &rhs = c.in(1);
    const MatrixBatch b(a.shape()), right(rhs.shape());
    if (b.rows != 3) return InvalidArgument("Expected diagonals to have 3 rows, got ", a.shape());
    if (right.rows != b.columns ||
        !(ReplaceLast(a.shape(), 2, {}) == ReplaceLast(rhs.shape(), 2, {})))
      return InvalidArgument("diagonals and rhs are incompatible: ", a.shape(), " vs. ",
                             rhs.shape());
    const auto& state = c.state<PivotState>();
    TENSH_OUTPUT(out, c.Output(0, rhs.shape()));
    const int64_t n = b.columns, k = right.columns;
    if (n == 0 || k == 0) return {};
    return ForEachMatrix(c, b.count, static_cast<double>(n * (k + 4)) * 4, "", [&](int64_t i) {
      const T* from = a.data<T>() + i * b.size();
      T* x = out->data<T>() + i * right.size();
      std::copy_n(rhs.data<T>() + i * right.size(), right.size(), x);
      Rows<T> rows{n, k, from, from + n, from + 2 * n, x};
      if (state.perturbs) rows.least = Least<T>(from, 3 * n);
      if (!rows.Solve(state.pivots)) std::fill_n(x, right.size(), NotANumber<T>());
      return true;
    });
  }

  template <class T>
  static auto Least(const T* a, int64_t size) {
    using Real = decltype(std::abs(T()));
    Real most = 0;
    for (int64_t i = 0; i < size; ++i) most = std::max(most, Real(std::abs(a[i])));
    return std::numeric_limits<Real>::min() + most * std::numeric_limits<Real>::epsilon();
  }
};

struct TridiagonalMatMul {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& rhs = c.in(3);
    const MatrixBatch right(rhs.shape());
    const Shape want = ReplaceLast(rhs.shape(), 2, {1, right.rows});
    for (int i = 0; i < 3; ++i)
      if (!(c.in(i).shape() == want))
        return InvalidArgument("the diagonals of a matrix for rhs ", rhs.shape(), " have shape ",
                               want, ", got ", c.in(i).shape());
    TENSH_OUTPUT(out, c.Output(0, rhs.shape()));
    const int64_t n = right.rows, k = right.columns;
    return ForEachMatrix(c, right.count, static_cast<double>(n * k) * 3, "", [&](int64_t i) {
      const T *above = c.in(0).data<T>() + i * n, *middle = c.in(1).data<T>() + i * n,
              *below = c.in(2).data<T>() + i * n, *x = rhs.data<T>() + i * n * k;
      T* y = out->data<T>() + i * n * k;
      for (int64_t row = 0; row < n; ++row)
        for (int64_t j = 0; j < k; ++j) {
          T sum = middle[row] * x[row * k + j];
          if (row > 0) sum += below[row] * x[(row - 1) * k + j];
          if (row + 1 < n) sum += above[row] * x[(row + 1) * k + j];
          y[row * k + j] = sum;
        }
      return true;
    });
  }
};

// ---- shapes ----

Status SolveShape(ShapeCtx& c) {
  const Shape &a = c.in(0), &rhs = c.in(1);
  if (a.has_rank() && a[a.rank() - 2] >= 0 && a[a.rank() - 2] != 3)
    return InvalidArgument("Dimension must be 3 but is ", a[a.rank() - 2]);
  c.Set(0, rhs);
  if (!a.has_rank() || !rhs.has_rank()) return {};
  TENSH_RETURN_IF_ERROR(MergeShapes(ReplaceLast(a, 2, {}), ReplaceLast(rhs, 2, {})).status());
  const int64_t n = a[a.rank() - 1], rows = rhs[rhs.rank() - 2];
  if (n >= 0 && rows >= 0 && n != rows)
    return InvalidArgument("Dimensions must be equal, but are ", n, " and ", rows);
  return {};
}

Status ProductShape(ShapeCtx& c) {
  Shape diagonals = c.in(0);
  for (int i = 1; i < 3; ++i) {
    TENSH_ASSIGN(diagonals, MergeShapes(diagonals, c.in(i)));
  }
  const Shape& rhs = c.in(3);
  if (diagonals.has_rank() && rhs.has_rank()) {
    const int64_t n = diagonals[diagonals.rank() - 1], rows = rhs[rhs.rank() - 2];
    if (n >= 0 && rows >= 0 && n != rows)
      return InvalidArgument("Dimensions must be equal, but are ", n, " and ", rows);
    TENSH_RETURN_IF_ERROR(
        MergeShapes(ReplaceLast(diagonals, 2, {}), ReplaceLast(rhs, 2, {})).status());
    if (diagonals[diagonals.rank() - 2] > 1)
      return InvalidArgument("Dimension must be 1 but is ", diagonals[diagonals.rank() - 2]);
  }
  c.Set(0, rhs);
  return {};
}

// ---- gradients ----

// Returns elements [begin, end) of the last dimension or, if `rows` is set, of the last but one. An
// end of 0 means the rest.
Out Part(GradScope& g, Out t, bool rows, int64_t begin, int64_t end) {
  const auto at = [&](int64_t x, const char* name) {
    return rows ? ConstInts(g, {0, x, 0}, name) : ConstInts(g, {0, x}, name);
  };
  const int64_t all = rows ? 4 : 0, mine = 2;
  return g.Op("StridedSlice",
              {t, at(begin, "strided_slice/stack"), at(end, "strided_slice/stack_1"),
               rows ? ConstInts(g, {1, 1, 1}, "strided_slice/stack_2")
                    : ConstInts(g, {1, 1}, "strided_slice/stack_2")},
              {{"ellipsis_mask", 1},
               {"begin_mask", all | (begin ? 0 : mine)},
               {"end_mask", all | (end ? 0 : mine)}},
              "strided_slice");
}

// Shifts the rows, or the elements of the last dimension, by one, forward if `on` is set. Zeros are
// shifted in.
Out Shifted(GradScope& g, Out t, bool rows, bool on) {
  Out zeros = GradZerosLike(g, Part(g, t, rows, 0, 1));
  Out axis = ConstInt(g, rows ? -2 : -1, "concat/axis");
  return on ? Concat(g, {zeros, Part(g, t, rows, 0, -1)}, axis)
            : Concat(g, {Part(g, t, rows, 1, 0), zeros}, axis);
}

Out RowSums(GradScope& g, Out t) {
  return g.Op("Sum", {t, ConstInt(g, -1, "Sum/reduction_indices")});
}

Out Stacked(GradScope& g, std::array<Out, 3> rows) {
  return g.OpN("Pack", rows, {{"axis", -2}}, "stack");
}

// Returns row i of the diagonals.
Out Diagonal(GradScope& g, Out diagonals, int64_t i) {
  return g.Op("StridedSlice",
              {diagonals, ConstInts(g, {0, i, 0}, "strided_slice/stack"),
               ConstInts(g, {0, i + 1, 0}, "strided_slice/stack_1"),
               ConstInts(g, {1, 1, 1}, "strided_slice/stack_2")},
              {{"ellipsis_mask", 1}, {"begin_mask", 4}, {"end_mask", 4}, {"shrink_axis_mask", 2}},
              "strided_slice");
}

Status SolveGrad(GradScope& g) {
  Out a = g.x(0), x = g.y(0);
  Out turned = Stacked(g, {Shifted(g, Diagonal(g, a, 2), false, false), Diagonal(g, a, 1),
                           Shifted(g, Diagonal(g, a, 0), false, true)});
  Out db = g.Op("TridiagonalSolve", {turned, g.dy()},
                {{"partial_pivoting", g.attrs().Bool("partial_pivoting")},
                 {"perturb_singular", g.attrs().Bool("perturb_singular")}});
  Out products =
      Stacked(g, {RowSums(g, g.Mul(db, Shifted(g, x, true, false))), RowSums(g, g.Mul(db, x)),
                  RowSums(g, g.Mul(db, Shifted(g, x, true, true)))});
  return g.Return({g.Op("Neg", {products}), db});
}

Status ProductGrad(GradScope& g) {
  Out dy = g.dy(), x = Conj(g, g.x(3));
  const auto turned = [&](int i) {
    Out row = g.Op("Squeeze", {Conj(g, g.x(i))}, {{"squeeze_dims", AttrValue::Ints{-2}}});
    return g.Op("ExpandDims", {row, ConstInt(g, -1, "ExpandDims/dim")});
  };
  const auto row = [&](Out t) {
    return g.Op("ExpandDims", {RowSums(g, g.Mul(t, dy)), ConstInt(g, -2, "ExpandDims/dim")});
  };
  Out above = Shifted(g, g.Mul(turned(0), dy), true, true);
  Out middle = g.Mul(turned(1), dy);
  Out below = Shifted(g, g.Mul(turned(2), dy), true, false);
  return g.Return({row(Shifted(g, x, true, false)), row(x), row(Shifted(g, x, true, true)),
                   GradAdd(g, GradAdd(g, above, middle), below)});
}

}  // namespace

TENSH_OPS(linalg_tridiagonal) {
  r.Op({.name = "TridiagonalSolve",
        .inputs = "diagonals: T, rhs: T",
        .outputs = "output: T",
        .attrs = "partial_pivoting: bool = true, perturb_singular: bool = false, T: {double, "
                 "float, complex64, complex128}",
        .doc = "Solves A * output = rhs for a tridiagonal A. The last two dimensions of diagonals "
               "hold the diagonal above the main one (its last element is ignored), the main one, "
               "and the one below (its first element is ignored). rhs: the right-hand sides, as "
               "columns. partial_pivoting: exchange rows for accuracy. perturb_singular: replace a "
               "singular matrix by a nearby one; otherwise the result is NaN. T: the element type.",
        .contract = "diagonals: rank 2+, rhs: rank 2+",
        .shape = SolveShape,
        .grad = SolveGrad,
        .examples = {{"tf.linalg.tridiagonal_solve([[1., 0.], [2., 4.], [0., 0.]], [[4.], [4.]], "
                      "diagonals_format='compact')",
                      "[[1.5]\n [1. ]]"}}})
      .Cpu<float, double, Complex64, Complex128>(TridiagonalSolve{},
                                                 {.prepare = PrepareFrom<PivotState>});
  r.Op({.name = "TridiagonalMatMul",
        .inputs = "superdiag: T, maindiag: T, subdiag: T, rhs: T",
        .outputs = "output: T",
        .attrs = "T: {double, float, complex64, complex128}",
        .doc = "A matrix of three diagonals times rhs. superdiag: the diagonal above the main one, "
               "whose last element is not used; maindiag: the main one; subdiag: the one below, "
               "whose first is not used; each a row in the last two dimensions. rhs: matrices. T: "
               "the element type.",
        .contract = "superdiag: rank 2+, maindiag: rank 2+, subdiag: rank 2+, rhs: rank 2+",
        .shape = ProductShape,
        .grad = ProductGrad,
        .examples = {{"tf.raw_ops.TridiagonalMatMul(superdiag=[[1., 0.]], maindiag=[[2., 4.]], "
                      "subdiag=[[0., 3.]], rhs=[[1.], [1.]])",
                      "[[3.]\n [7.]]"}}})
      .Cpu<float, double, Complex64, Complex128>(TridiagonalMatMul{});
}

}  // namespace tensh::ops
