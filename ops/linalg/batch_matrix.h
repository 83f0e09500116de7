#pragma once
// Helpers shared by the linear algebra ops. Their inputs are batches of matrices: the last two
// dimensions are a matrix, the others number the matrices. The helpers read extents, infer shapes,
// and loop over a batch.
#include <algorithm>
#include <atomic>
#include <utility>

#include "ops/support/shape_util.h"
#include "ops/support/stop.h"
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct MatrixBatch {
  // The shape has at least two dimensions; the ops' contracts ensure this.
  explicit MatrixBatch(const Shape& s) : rows(s[s.rank() - 2]), columns(s[s.rank() - 1]) {
    for (int i = 0; i + 2 < s.rank(); ++i) count *= s[i];
  }
  int64_t count = 1, rows, columns;
  int64_t size() const { return rows * columns; }
};

// The attributes of the linear algebra ops. A node has some of them.
struct MatrixAttrs : KernelState {
  bool adjoint = false, lower = true, fast = true, full = false, vectors = true;
  void Read(PrepareCtx& c) {
    const std::pair<const char*, bool*> attrs[] = {
        {"adjoint", &adjoint},    {"lower", &lower},        {"fast", &fast},
        {"full_matrices", &full}, {"compute_uv", &vectors}, {"compute_v", &vectors}};
    for (const auto& [name, value] : attrs)
      if (c.attrs().Find(name)) *value = c.attrs().Bool(name);
  }
};

inline Result<MatrixBatch> SquareBatch(const Shape& s) {
  const MatrixBatch b(s);
  if (b.rows != b.columns)
    return InvalidArgument("Input matrix must be square, got ", b.rows, " x ", b.columns);
  return b;
}

// Returns the shape with its last `drop` dimensions replaced by `dims`.
inline Shape ReplaceLast(const Shape& s, int drop, std::initializer_list<int64_t> dims) {
  Shape out;
  for (int i = 0; i + drop < s.rank(); ++i) out.Append(s[i]);
  for (int64_t d : dims) out.Append(d);
  return out;
}

// Returns the right sides of the systems whose matrices are those of `a`, or InvalidArgument if their sizes differ.
inline Result<MatrixBatch> RightSides(const Shape& a, const Shape& rhs) {
  const MatrixBatch r(rhs);
  if (r.rows != MatrixBatch(a).rows || !(ReplaceLast(a, 2, {}) == ReplaceLast(rhs, 2, {})))
    return InvalidArgument("Input matrix and rhs are incompatible: ", a, " vs. ", rhs);
  return r;
}

// The outputs of Svd. U and V have no elements unless the node wants them.
struct SvdOutputs {
  int64_t u_columns, v_columns;
  Tensor *values, *u, *v;

  static Result<SvdOutputs> Make(KernelCtx& c) {
    const Shape& a = c.in(0).shape();
    const auto& s = c.state<MatrixAttrs>();
    const MatrixBatch b(a);
    const int64_t p = std::min(b.rows, b.columns);
    const int64_t pu = s.full ? b.rows : p, pv = s.full ? b.columns : p;
    TENSH_OUTPUT(values, c.Output(0, ReplaceLast(a, 2, {p})));
    TENSH_OUTPUT(u, c.Output(1, s.vectors ? ReplaceLast(a, 2, {b.rows, pu}) : Shape({0})));
    TENSH_OUTPUT(v, c.Output(2, s.vectors ? ReplaceLast(a, 2, {b.columns, pv}) : Shape({0})));
    return SvdOutputs{pu, pv, values, u, v};
  }
};

// Calls fn(i) for each matrix on the step's threads. Returns InvalidArgument(message) if any call
// returned false.
template <class Fn>
Status ForEachMatrix(KernelCtx& c, int64_t count, double ns, const char* message, Fn fn) {
  std::atomic<bool> failed = false;
  c.ParallelFor(count, ns, [&](int64_t begin, int64_t end) {
    const StopsWith step(c.cancel());
    for (int64_t i = begin; i < end && !c.cancelled(); ++i)
      if (!fn(i)) failed = true;
  });
  if (failed) return InvalidArgument(message);
  return {};
}

// Shape function helper: stores the shape of input i in `out` and checks that its last two
// dimensions are equal.
inline Status SquareInput(ShapeCtx& c, int i, Shape& out) {
  out = c.in(i);
  if (!out.has_rank()) return {};
  const int last = out.rank() - 1;
  if (out[last] >= 0 && out[last - 1] >= 0 && out[last] != out[last - 1])
    return InvalidArgument("Dimensions must be equal, but are ", out[last - 1], " and ", out[last]);
  const int64_t n = std::max(out[last], out[last - 1]);
  out.set_dim(last, n);
  out.set_dim(last - 1, n);
  return {};
}

}  // namespace tensh::ops
