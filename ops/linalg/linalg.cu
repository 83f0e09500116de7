// Linear algebra on GPUs, by cuSOLVER. It stores matrices by columns, so that they are transposed on the way in and out. The matrices
// of a batch are decomposed one after the other.
#include "devices/cuda/cuda_complex.h"
#include "devices/cuda/cuda_view.h"
#include "devices/cuda/library_calls.h"
#include "ops/linalg/batch_matrix.h"
#include "ops/support/broadcast.h"
#include "ops/support/prepare.h"

namespace tensh::cuda {
namespace {

using ops::MatrixAttrs;
using ops::MatrixBatch;
using ops::ReplaceLast;
using ops::RightSides;
using ops::SquareBatch;
using ops::SvdOutputs;

template <class T>
TENSH_DEVICE T Conjugated(T x) {
  if constexpr (requires { x.im; })
    return T(x.re, -x.im);
  else
    return x;
}
template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;

// Temporary memory for the elements of T of a batch.
template <class T>
struct Room {
  Tensor memory;
  int64_t step;  // elements of a matrix

  static Result<Room> Make(KernelCtx& c, int64_t count, int64_t step) {
    TENSH_ASSIGN(Tensor memory, Scratch(c, kDTypeOf<T>, std::max<int64_t>(1, count * step)));
    return Room{std::move(memory), step};
  }
  auto at() const { return Out<Seen<T>>(memory); }
  T* Of(int64_t i) const { return static_cast<T*>(memory.raw()) + i * step; }
};

// Copies `count` matrices [rows, columns] that are stored by rows, or by columns, to the other order. The matrices of `to` are
// step_to elements apart, those of `from` step_from.
template <class T>
Status Turn(KernelCtx& c, int64_t count, int64_t rows, int64_t columns, Dev<const T> from, int64_t step_from, Dev<T> to,
            int64_t step_to, bool conjugate = false) {
  const Divider by_rows(rows), by_columns(columns);
  return ForEach(c, count * rows * columns, [=] TENSH_DEVICE(int64_t i) {
    int64_t rest = i;
    const int64_t row = by_rows.Take(rest), column = by_columns.Take(rest);
    const T x = from[rest * step_from + row * columns + column];
    to[rest * step_to + column * rows + row] = conjugate ? Conjugated(x) : x;
  });
}
// Turns matrices by rows to matrices by columns.
template <class T>
Status ToColumns(KernelCtx& c, const Tensor& from, int64_t rows, int64_t columns, const Room<T>& to) {
  const int64_t size = rows * columns, count = size ? from.num_elements() / size : 0;
  return Turn<Seen<T>>(c, count, rows, columns, In<Seen<T>>(from), size, to.at(), to.step);
}
template <class T>
Status ToRows(KernelCtx& c, const Room<T>& from, int64_t rows, int64_t columns, Tensor* to) {
  const int64_t size = rows * columns, count = size ? to->num_elements() / size : 0;
  return Turn<Seen<T>>(c, count, columns, rows, In<Seen<T>>(from.memory), from.step, Out<Seen<T>>(to), size);
}

// Whether the library succeeded, by matrix.
class Verdicts {
 public:
  static Result<Verdicts> Make(KernelCtx& c, int64_t count) {
    Verdicts v;
    TENSH_ASSIGN(v.memory_, Scratch(c, DType::kInt32, std::max<int64_t>(1, count)));
    v.count_ = count;
    const auto all = Out<int32_t>(v.memory_);
    TENSH_RETURN_IF_ERROR(ForEach(c, std::max<int64_t>(1, count), [=] TENSH_DEVICE(int64_t i) { all[i] = 0; }));
    return v;
  }
  int32_t* Of(int64_t i) const { return static_cast<int32_t*>(memory_.raw()) + i; }
  Dev<const int32_t> at() const { return In<int32_t>(memory_); }
  // Waits for the results, so that a failure is an error of this step.
  Status Check(const char* message) const {
    if (!count_) return {};
    TENSH_ASSIGN(const Tensor here, memory_.CopyTo(HostAllocator()));
    for (int64_t i = 0; i < count_; ++i)
      if (here.data<int32_t>()[i]) return InvalidArgument(message);
    return {};
  }

 private:
  Tensor memory_;
  int64_t count_ = 0;
};

Status Call(KernelCtx& c, const MatrixCall& call) {
  return CallLibrary(c, [&](MathLibraries& l, int gpu, Stream stream, void* scratch) {
    return l.Matrix(gpu, stream, call, scratch);
  });
}

constexpr char kSingular[] = "Input is not invertible.";

// ---- decompositions ----

struct Cholesky {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_OUTPUT(out, c.Output(0, a.shape()));
    if (!out->num_elements()) return {};
    const int64_t n = b.rows;
    TENSH_ASSIGN(const auto work, Room<T>::Make(c, b.count, b.size()));
    TENSH_RETURN_IF_ERROR(ToColumns(c, a, n, n, work));
    TENSH_ASSIGN(const Verdicts verdicts, Verdicts::Make(c, b.count));
    for (int64_t i = 0; i < b.count; ++i)
      TENSH_RETURN_IF_ERROR(Call(c, {.kind = MatrixCall::kCholesky, .type = kDTypeOf<T>, .rows = n, .columns = n, .others = 0,
                                     .a = work.Of(i), .info = verdicts.Of(i)}));
    const auto from = In<S>(work.memory);
    const auto to = Out<S>(out);
    TENSH_RETURN_IF_ERROR(ForEach(c, out->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t first = i / (n * n) * n * n, row = i / n % n, column = i % n;
      to[i] = column <= row ? from[first + column * n + row] : S(0);
    }));
    return verdicts.Check("Cholesky decomposition was not successful. The input might not be valid.");
  }
};

struct Qr {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    const Tensor& a = c.in(0);
    const MatrixBatch b(a.shape());
    const int64_t m = b.rows, n = b.columns, p = c.state<MatrixAttrs>().full ? m : std::min(m, n);
    TENSH_OUTPUT(q, c.Output(0, ReplaceLast(a.shape(), 2, {m, p})));
    TENSH_OUTPUT(r, c.Output(1, ReplaceLast(a.shape(), 2, {p, n})));
    if (!q->num_elements()) return {};
    if (!n) return Unit<S>(c, m, q);
    TENSH_ASSIGN(const auto work, Room<T>::Make(c, b.count, b.size()));
    TENSH_ASSIGN(const auto turned, Room<T>::Make(c, b.count, m * p));
    TENSH_RETURN_IF_ERROR(ToColumns(c, a, m, n, work));
    TENSH_ASSIGN(const Verdicts verdicts, Verdicts::Make(c, b.count));
    for (int64_t i = 0; i < b.count; ++i)
      TENSH_RETURN_IF_ERROR(Call(c, {.kind = MatrixCall::kQr, .type = kDTypeOf<T>, .rows = m, .columns = n, .others = p,
                                     .a = work.Of(i), .b = turned.Of(i), .info = verdicts.Of(i)}));
    TENSH_RETURN_IF_ERROR(ToRows(c, turned, m, p, q));
    const auto from = In<S>(work.memory);
    const auto to = Out<S>(r);
    return ForEach(c, r->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t row = i / n % p, column = i % n;
      to[i] = row <= column ? from[i / n / p * m * n + column * m + row] : S(0);
    });
  }
  template <class S>
  static Status Unit(KernelCtx& c, int64_t m, Tensor* q) {
    const auto to = Out<S>(q);
    return ForEach(c, q->num_elements(),
                   [=] TENSH_DEVICE(int64_t i) { to[i] = i / m % m == i % m ? S(1) : S(0); });
  }
};

// Sets the results of matrices that were not decomposed to NaN, as on the CPU.
template <class T>
Status SetNan(KernelCtx& c, const Verdicts& verdicts, Tensor* t, int64_t count) {
  if (!t->num_elements()) return {};
  const auto out = Out<Seen<T>>(t);
  const auto verdict = verdicts.at();
  const int64_t each = t->num_elements() / count;
  return ForEach(c, t->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    if (verdict[i / each]) out[i] = Seen<T>(std::numeric_limits<Real<T>>::quiet_NaN());
  });
}

// A matrix with more columns than rows is decomposed as its adjoint: A = U·S·Vᴴ, Aᴴ = V·S·Uᴴ.
struct Svd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    const Tensor& a = c.in(0);
    const auto& s = c.state<MatrixAttrs>();
    const MatrixBatch b(a.shape());
    const int64_t m = b.rows, n = b.columns, p = std::min(m, n);
    TENSH_ASSIGN(const SvdOutputs y, SvdOutputs::Make(c));
    if (!p || !b.count) return {};
    const bool wide = n > m;
    const int64_t tall = std::max(m, n), width = wide ? y.v_columns : y.u_columns;
    TENSH_ASSIGN(const auto work, Room<T>::Make(c, b.count, b.size()));
    TENSH_ASSIGN(const auto sums, Room<Real<T>>::Make(c, b.count, p));
    TENSH_ASSIGN(const auto left, Room<T>::Make(c, s.vectors ? b.count : 0, tall * width));
    TENSH_ASSIGN(const auto right, Room<T>::Make(c, s.vectors ? b.count : 0, p * p));
    TENSH_RETURN_IF_ERROR(wide ? Conjugate<S>(c, a, Out<S>(work.memory)) : ToColumns(c, a, m, n, work));
    TENSH_ASSIGN(const Verdicts verdicts, Verdicts::Make(c, b.count));
    for (int64_t i = 0; i < b.count; ++i)
      TENSH_RETURN_IF_ERROR(
          Call(c, {.kind = MatrixCall::kSvd, .type = kDTypeOf<T>, .rows = tall, .columns = p, .others = width,
                   .a = work.Of(i), .b = left.Of(i), .c = right.Of(i), .values = sums.Of(i), .vectors = s.vectors,
                   .info = verdicts.Of(i)}));
    const auto from = In<Real<T>>(sums.memory);
    const auto to = Out<S>(y.values);
    TENSH_RETURN_IF_ERROR(
        ForEach(c, y.values->num_elements(), [=] TENSH_DEVICE(int64_t i) { to[i] = S(from[i]); }));
    if (s.vectors) {
      Tensor *const tall_out = wide ? y.v : y.u, *const short_out = wide ? y.u : y.v;
      TENSH_RETURN_IF_ERROR(ToRows(c, left, tall, width, tall_out));
      // The adjoint by columns is the conjugate by rows.
      TENSH_RETURN_IF_ERROR(Conjugate<S>(c, right.memory, Out<S>(short_out), short_out->num_elements()));
    }
    for (Tensor* t : {y.values, y.u, y.v}) TENSH_RETURN_IF_ERROR(SetNan<T>(c, verdicts, t, b.count));
    return {};
  }
  template <class S>
  static Status Conjugate(KernelCtx& c, const Tensor& from, Dev<S> to, int64_t n = -1) {
    const auto in = In<S>(from);
    return ForEach(c, n < 0 ? from.num_elements() : n, [=] TENSH_DEVICE(int64_t i) { to[i] = Conjugated(in[i]); });
  }
};

struct SelfAdjointEig {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    const Tensor& a = c.in(0);
    const bool vectors = c.state<MatrixAttrs>().vectors;
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    const int64_t n = b.rows;
    TENSH_OUTPUT(e, c.Output(0, ReplaceLast(a.shape(), 2, {n})));
    TENSH_OUTPUT(v, c.Output(1, vectors ? a.shape() : Shape({0})));
    if (!e->num_elements()) return {};
    TENSH_ASSIGN(const auto work, Room<T>::Make(c, b.count, b.size()));
    TENSH_ASSIGN(const auto values, Room<Real<T>>::Make(c, b.count, n));
    TENSH_RETURN_IF_ERROR(ToColumns(c, a, n, n, work));
    TENSH_ASSIGN(const Verdicts verdicts, Verdicts::Make(c, b.count));
    for (int64_t i = 0; i < b.count; ++i)
      TENSH_RETURN_IF_ERROR(Call(c, {.kind = MatrixCall::kEigen, .type = kDTypeOf<T>, .rows = n, .columns = n, .others = 0,
                                     .a = work.Of(i), .values = values.Of(i), .vectors = vectors,
                                     .info = verdicts.Of(i)}));
    const auto from = In<Real<T>>(values.memory);
    const auto to = Out<S>(e);
    TENSH_RETURN_IF_ERROR(ForEach(c, e->num_elements(), [=] TENSH_DEVICE(int64_t i) { to[i] = S(from[i]); }));
    if (vectors) TENSH_RETURN_IF_ERROR(ToRows(c, work, n, n, v));
    return verdicts.Check("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
  }
};

// ---- LU decompositions and what is computed from them ----

template <class T>
struct LuParts {
  MatrixBatch b;
  Room<T> lu;          // by columns
  Room<int64_t> pivots;  // row k was exchanged with row pivots[k] - 1
  Verdicts verdicts;

  // Decomposes the matrices or, if `adjoint` is set, their adjoints.
  static Result<LuParts> Make(KernelCtx& c, const Tensor& a, bool adjoint = false) {
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_ASSIGN(auto lu, Room<T>::Make(c, b.count, b.size()));
    TENSH_ASSIGN(auto pivots, Room<int64_t>::Make(c, b.count, b.rows));
    TENSH_ASSIGN(auto verdicts, Verdicts::Make(c, b.count));
    LuParts parts{b, std::move(lu), std::move(pivots), std::move(verdicts)};
    if (!a.num_elements()) return parts;
    if (adjoint)
      TENSH_RETURN_IF_ERROR(Svd::Conjugate<Seen<T>>(c, a, parts.lu.at()));
    else
      TENSH_RETURN_IF_ERROR(ToColumns(c, a, b.rows, b.rows, parts.lu));
    for (int64_t i = 0; i < b.count; ++i)
      TENSH_RETURN_IF_ERROR(Call(c, {.kind = MatrixCall::kLu, .type = kDTypeOf<T>, .rows = b.rows, .columns = b.rows,
                                     .others = 0, .a = parts.lu.Of(i), .pivots = parts.pivots.Of(i),
                                     .info = parts.verdicts.Of(i)}));
    return parts;
  }
  // Replaces k columns of each matrix, stored by columns, by the solution.
  Status Solve(KernelCtx& c, const Room<T>& x, int64_t k) const {
    for (int64_t i = 0; i < b.count; ++i)
      TENSH_RETURN_IF_ERROR(Call(c, {.kind = MatrixCall::kSolve, .type = kDTypeOf<T>, .rows = b.rows, .columns = b.rows,
                                     .others = k, .a = lu.Of(i), .b = x.Of(i), .pivots = pivots.Of(i)}));
    return {};
  }
};

struct MatrixInverse {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const auto parts, LuParts<T>::Make(c, a, c.state<MatrixAttrs>().adjoint));
    TENSH_OUTPUT(out, c.Output(0, a.shape()));
    const int64_t n = parts.b.rows;
    if (!a.num_elements()) return {};
    TENSH_ASSIGN(const auto x, Room<T>::Make(c, parts.b.count, n * n));
    const auto unit = x.at();
    TENSH_RETURN_IF_ERROR(ForEach(c, a.num_elements(), [=] TENSH_DEVICE(int64_t i) {
      unit[i] = i / n % n == i % n ? S(1) : S(0);
    }));
    TENSH_RETURN_IF_ERROR(parts.Solve(c, x, n));
    TENSH_RETURN_IF_ERROR(ToRows(c, x, n, n, out));
    return parts.verdicts.Check(kSingular);
  }
};

struct MatrixSolve {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &a = c.in(0), &rhs = c.in(1);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    TENSH_ASSIGN(const MatrixBatch r, RightSides(a.shape(), rhs.shape()));
    TENSH_ASSIGN(const auto parts, LuParts<T>::Make(c, a, c.state<MatrixAttrs>().adjoint));
    TENSH_OUTPUT(out, c.Output(0, rhs.shape()));
    if (out->num_elements()) {
      TENSH_ASSIGN(const auto x, Room<T>::Make(c, b.count, r.size()));
      TENSH_RETURN_IF_ERROR(ToColumns(c, rhs, r.rows, r.columns, x));
      TENSH_RETURN_IF_ERROR(parts.Solve(c, x, r.columns));
      TENSH_RETURN_IF_ERROR(ToRows(c, x, r.rows, r.columns, out));
    }
    return a.num_elements() ? parts.verdicts.Check("Input matrix is not invertible.") : Status();
  }
};

// A triangular matrix is an LU decomposition without exchanges: an upper one by columns has the unit matrix as L. A lower one is
// stored as its transpose, which is upper, and solved as such.
struct MatrixTriangularSolve {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &a = c.in(0), &rhs = c.in(1);
    TENSH_ASSIGN(const MatrixBatch b, SquareBatch(a.shape()));
    const MatrixBatch r(rhs.shape());
    if (r.rows != b.rows)
      return InvalidArgument("In[0] mismatch In[1] shape: ", b.rows, " vs. ", r.rows, ": ", a.shape(), " ", rhs.shape());
    ops::BroadcastPlan plan;
    TENSH_RETURN_IF_ERROR(
        ops::MakeBroadcastPlan(ReplaceLast(a.shape(), 2, {}), ReplaceLast(rhs.shape(), 2, {}), plan));
    const Shape shape = ReplaceLast(plan.out, 0, {r.rows, r.columns});
    TENSH_RETURN_IF_ERROR(Shape::Make(shape.dims(), true).status());
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    TENSH_ASSIGN(const auto upper, Room<T>::Make(c, b.count, b.size()));
    TENSH_ASSIGN(const auto pivots, Room<int64_t>::Make(c, 1, b.rows));
    TENSH_ASSIGN(const Verdicts zeros, Verdicts::Make(c, 1));
    TENSH_RETURN_IF_ERROR(TakeUpper<T>(c, b, upper, pivots, zeros));
    const int64_t count = plan.out.num_elements();
    TENSH_ASSIGN(const auto x, Room<T>::Make(c, count, r.size()));
    TENSH_RETURN_IF_ERROR(TakeRhs<T>(c, r, plan.out, x));
    TENSH_RETURN_IF_ERROR(SolveAll<T>(c, b, r, plan.out, upper, pivots, x));
    TENSH_RETURN_IF_ERROR(ToRows(c, x, r.rows, r.columns, out));
    return zeros.Check("Input matrix is not invertible.");
  }

  // Copies the triangles, with zeros elsewhere, and notes zeros on a diagonal.
  template <class T>
  static Status TakeUpper(KernelCtx& c, const MatrixBatch& b, const Room<T>& upper, const Room<int64_t>& pivots,
                          const Verdicts& zeros) {
    using S = Seen<T>;
    const bool lower = c.state<MatrixAttrs>().lower;
    const int64_t n = b.rows;
    const auto from = In<S>(c.in(0));
    const auto to = upper.at();
    const auto pivot = pivots.at();
    const auto zero = Elements<int32_t>(zeros.Of(0), 1);
    TENSH_RETURN_IF_ERROR(ForEach(c, n, [=] TENSH_DEVICE(int64_t i) { pivot[i] = i + 1; }));
    return ForEach(c, b.count * n * n, [=] TENSH_DEVICE(int64_t i) {
      const int64_t first = i / (n * n) * n * n, column = i / n % n, row = i % n;
      const S x = row > column ? S(0) : from[first + (lower ? column * n + row : row * n + column)];
      to[i] = x;
      if (row == column && x == S(0)) AtomicUpdate(zero.at, [](int32_t) { return 1; });
    });
  }
  // Turns the right sides of all results to columns.
  template <class T>
  static Status TakeRhs(KernelCtx& c, const MatrixBatch& r, const Shape& batch, const Room<T>& x) {
    const View view = BroadcastView(ReplaceLast(c.in(1).shape(), 2, {}), batch);
    const auto from = In<Seen<T>>(c.in(1));
    const auto to = x.at();
    const int64_t rows = r.rows, columns = r.columns, size = r.size();
    return ForEach(c, batch.num_elements() * size, [=] TENSH_DEVICE(int64_t i) {
      to[i] = from[view.At(i / size) * size + i % rows * columns + i % size / rows];
    });
  }
  template <class T>
  static Status SolveAll(KernelCtx& c, const MatrixBatch& b, const MatrixBatch& r, const Shape& batch, const Room<T>& upper,
                         const Room<int64_t>& pivots, const Room<T>& x) {
    const auto& s = c.state<MatrixAttrs>();
    // A lower matrix L is the transpose of what is stored, so that Lᴴ is its conjugate.
    const bool conjugates = s.lower && s.adjoint;
    if (conjugates) TENSH_RETURN_IF_ERROR(Svd::Conjugate<Seen<T>>(c, upper.memory, upper.at()));
    const MatrixCall::Op op = s.lower == s.adjoint ? MatrixCall::kPlain
                              : s.lower            ? MatrixCall::kTransposed
                                                   : MatrixCall::kAdjoint;
    const View view = BroadcastView(ReplaceLast(c.in(0).shape(), 2, {}), batch);
    for (int64_t i = 0; i < batch.num_elements(); ++i) {
      int64_t rest = i, at = view.start;
      for (int d = 0; d < view.rank; ++d) {
        const int64_t extent = view.dims[d].by();
        at += rest % extent * view.stride[d];
        rest /= extent;
      }
      TENSH_RETURN_IF_ERROR(Call(c, {.kind = MatrixCall::kSolve, .type = kDTypeOf<T>, .rows = b.rows, .columns = b.rows,
                                     .others = r.columns, .a = upper.Of(at), .b = x.Of(i), .pivots = pivots.Of(0), .op = op}));
    }
    return {};
  }
};

TENSH_DEVICE inline float Magnitude(float x) { return std::abs(x); }
TENSH_DEVICE inline double Magnitude(double x) { return std::abs(x); }
template <class T>
TENSH_DEVICE T Magnitude(Complex<T> x) {
  return std::hypot(x.re, x.im);
}

// Calls fn(matrix, factor) for each factor of a determinant: 1 or -1 for each exchange of rows, and the diagonal of U.
template <class S, class Fn>
TENSH_DEVICE void ForFactors(Dev<const S> lu, Dev<const int64_t> pivots, int64_t n, int64_t i, Fn fn) {
  for (int64_t k = 0; k < n; ++k) {
    const S x = lu[i * n * n + k * n + k];
    fn(pivots[i * n + k] == k + 1 ? x : S(0) - x);
  }
}

struct MatrixDeterminant {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    TENSH_ASSIGN(const auto parts, LuParts<T>::Make(c, c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, ReplaceLast(c.in(0).shape(), 2, {})));
    const auto lu = In<S>(parts.lu.memory);
    const auto pivots = In<int64_t>(parts.pivots.memory);
    const auto to = Out<S>(out);
    const int64_t n = parts.b.rows;
    return ForEach(c, parts.b.count, [=] TENSH_DEVICE(int64_t i) {
      S product(1);
      ForFactors(lu, pivots, n, i, [&](S x) { product = product * x; });
      to[i] = product;
    });
  }
};

struct LogMatrixDeterminant {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using S = Seen<T>;
    using R = Real<T>;
    TENSH_ASSIGN(const auto parts, LuParts<T>::Make(c, c.in(0)));
    const Shape shape = ReplaceLast(c.in(0).shape(), 2, {});
    TENSH_OUTPUT(sign, c.Output(0, shape));
    TENSH_OUTPUT(log, c.Output(1, shape));
    const auto lu = In<S>(parts.lu.memory);
    const auto pivots = In<int64_t>(parts.pivots.memory);
    const auto to_sign = Out<S>(sign), to_log = Out<S>(log);
    const int64_t n = parts.b.rows;
    return ForEach(c, parts.b.count, [=] TENSH_DEVICE(int64_t i) {
      S unit(1);
      R sum = 0;
      ForFactors(lu, pivots, n, i, [&](S x) {
        const R size = Magnitude(x);
        unit = unit * (size > R(0) ? x / S(size) : x);
        sum += std::log(size);
      });
      to_sign[i] = unit;
      to_log[i] = S(sum);
    });
  }
};

struct Lu {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& a = c.in(0);
    TENSH_ASSIGN(const auto parts, LuParts<T>::Make(c, a));
    const int64_t n = parts.b.rows;
    TENSH_OUTPUT(lu, c.Output(0, a.shape()));
    TENSH_OUTPUT(p, c.Output(1, ReplaceLast(a.shape(), 1, {})));
    if (!a.num_elements()) return {};
    TENSH_RETURN_IF_ERROR(ToRows(c, parts.lu, n, n, lu));
    const auto pivots = In<int64_t>(parts.pivots.memory);
    TENSH_RETURN_IF_ERROR(c.out_dtype(1) == DType::kInt32 ? Order(c, parts.b, pivots, Out<int32_t>(p))
                                                          : Order(c, parts.b, pivots, Out<int64_t>(p)));
    return parts.verdicts.Check(kSingular);
  }
  // Applies the exchanges of rows to 0, 1, 2, …
  template <class I>
  static Status Order(KernelCtx& c, const MatrixBatch& b, Dev<const int64_t> pivots, Dev<I> order) {
    const int64_t n = b.rows;
    return ForEach(c, b.count, [=] TENSH_DEVICE(int64_t i) {
      I* const rows = order.at + i * n;
      for (int64_t k = 0; k < n; ++k) rows[k] = static_cast<I>(k);
      for (int64_t k = 0; k < n; ++k) {
        const int64_t other = pivots[i * n + k] - 1;
        const I row = rows[k];
        rows[k] = rows[other];
        rows[other] = row;
      }
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(linalg_linalg) {
  if (!HasLibraryFor({"Cholesky", "Qr", "Svd", "SelfAdjointEigV2", "MatrixInverse", "MatrixSolve", "MatrixTriangularSolve",
                      "MatrixDeterminant", "LogMatrixDeterminant", "Lu"},
                     MathLibrary::kSolver))
    return;
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  // Kernels wait for their verdicts, and the library may use the host.
  const RowOptions options{.prepare = ops::PrepareFrom<MatrixAttrs>, .can_record = false};
  r.Add<float, double, C64, C128>("Cholesky", Cholesky(), options);
  r.Add<float, double, C64, C128>("Qr", Qr(), options);
  r.Add<float, double, C64, C128>("Svd", Svd(), options);
  r.Add<float, double, C64, C128>("SelfAdjointEigV2", SelfAdjointEig(), options);
  r.Add<float, double, C64, C128>("MatrixInverse", MatrixInverse(), options);
  r.Add<float, double, C64, C128>("MatrixSolve", MatrixSolve(), options);
  r.Add<float, double, C64, C128>("MatrixTriangularSolve", MatrixTriangularSolve(), options);
  r.Add<float, double, C64, C128>("MatrixDeterminant", MatrixDeterminant(), options);
  r.Add<float, double, C64, C128>("LogMatrixDeterminant", LogMatrixDeterminant(), options);
  r.Add<float, double, C64, C128>("Lu", Lu(), options);
}

}  // namespace tensh::cuda
