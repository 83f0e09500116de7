#include "ops/linalg/float_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/linalg/float_parts.h"
#include "ops/support/stop.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops::blocked {
namespace {

constexpr int64_t kDepth = 256;  // rows of a factor that are packed at once
constexpr int64_t kBand = 96;    // rows of a symmetric product whose columns begin at the same one

// Returns where to divide n rows: half of them, in whole small parts.
int64_t HalfOf(int64_t n) { return (n / 2 + kSmall - 1) / kSmall * kSmall; }

Owned Transposed(const Part& from) {
  Owned to(from.columns, from.rows);
  Transpose(from, to.part);
  return to;
}

// c -= a * b for rows [first, first + depth) of b, and columns from `column` on that are packed in `panel`.
void SubtractTiles(const TileLoops& loops, const Part& c, const Part& a, int64_t first,
                   int64_t depth, int64_t column, int64_t columns, const float* panel) {
  const int64_t start = 0, vectors = (columns + loops.lanes - 1) / loops.lanes;
  for (int64_t i = 0; i < c.rows; i += kTileRows) {
    const int64_t rows = std::min<int64_t>(kTileRows, c.rows - i);
    const float* in[kTileRows] = {};
    float* out[kTileRows] = {};
    for (int64_t r = 0; r < rows; ++r) {
      in[r] = a.Row(i + r) + first;
      out[r] = c.Row(i + r);
    }
    loops.Multiply(rows, vectors,
                   {.in = in,
                    .lengths = &depth,
                    .starts = &start,
                    .segments = 1,
                    .in_step = 1,
                    .filter = panel,
                    .filter_row = vectors * loops.lanes,
                    .ahead = panel,
                    .out = out,
                    .first = column,
                    .columns = columns,
                    .add = true});
  }
}

}  // namespace

void Transpose(const Part& from, const Part& to) {
  for (int64_t i0 = 0; i0 < from.rows; i0 += kSmall)
    for (int64_t j0 = 0; j0 < from.columns; j0 += kSmall) {
      const int64_t i1 = std::min(i0 + kSmall, from.rows), j1 = std::min(j0 + kSmall, from.columns);
      for (int64_t j = j0; j < j1; ++j)
        for (int64_t i = i0; i < i1; ++i) to.Row(j)[i] = from.Row(i)[j];
    }
}

void SubtractProduct(const Part& c, const Part& a, const Part& b) {
  if (!c.rows || !c.columns || !a.columns) return;
  const TileLoops& loops = TileLoopsFor(std::max<int64_t>(c.columns, 8));
  const int64_t width = loops.max_vectors * loops.lanes;
  std::vector<float> panel(static_cast<size_t>(std::min(kDepth, a.columns) * width));
  for (int64_t j = 0; j < c.columns; j += width) {
    StopIfCancelled();
    const int64_t columns = std::min(width, c.columns - j);
    const int64_t packed = (columns + loops.lanes - 1) / loops.lanes * loops.lanes;
    for (int64_t first = 0; first < a.columns; first += kDepth) {
      const int64_t depth = std::min(kDepth, a.columns - first);
      for (int64_t p = 0; p < depth; ++p) {
        const float* from = b.Row(first + p) + j;
        float* to = panel.data() + p * packed;
        for (int64_t i = 0; i < columns; ++i) to[i] = -from[i];
        for (int64_t i = columns; i < packed; ++i) to[i] = 0;
      }
      SubtractTiles(loops, c, a, first, depth, j, columns, panel.data());
    }
  }
}

namespace {

// ---- triangular systems ----

struct SmallSolve {
  TENSH_ALWAYS_INLINE static void Run(const Part* a, bool lower, bool unit, const Part* x) {
    const int64_t n = a->rows, k = x->columns;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = lower ? step : n - 1 - step;
      const float *factors = a->Row(i), diagonal = unit ? 1 : factors[i];
      float* row = x->Row(i);
      for (int64_t p = lower ? 0 : i + 1; p < (lower ? i : n); ++p) {
        const float factor = factors[p], *other = x->Row(p);
        TENSH_VECTORIZE
        for (int64_t j = 0; j < k; ++j) row[j] -= factor * other[j];
      }
      if (unit) continue;
      TENSH_VECTORIZE
      for (int64_t j = 0; j < k; ++j) row[j] /= diagonal;
    }
  }
};

// Solves a * y = x, and stores y in x. Reads one triangle of a, whose diagonal is 1 if `unit` is set.
void SolveTriangle(const Part& a, bool lower, bool unit, const Part& x) {
  const int64_t n = a.rows;
  if (n <= kSmall) return Dispatch<SmallSolve>(&a, lower, unit, &x);
  const int64_t h = HalfOf(n), rest = n - h;
  const Part top = x.At(0, 0, h, x.columns), bottom = x.Below(h);
  const Part first = a.At(0, 0, h, h), last = a.At(h, h, rest, rest);
  if (lower) {
    SolveTriangle(first, lower, unit, top);
    SubtractProduct(bottom, a.At(h, 0, rest, h), top);
    SolveTriangle(last, lower, unit, bottom);
  } else {
    SolveTriangle(last, lower, unit, bottom);
    SubtractProduct(top, a.At(0, h, h, rest), bottom);
    SolveTriangle(first, lower, unit, top);
  }
}

// ---- Cholesky ----

// Replaces the upper triangle of a symmetric matrix by the factor u, where u^T * u is the matrix. Returns
// false if the matrix is not positive definite.
struct SmallCholesky {
  TENSH_ALWAYS_INLINE static void Run(const Part* u, bool* ok) {
    const int64_t n = u->rows;
    for (int64_t p = 0; p < n; ++p) {
      float* row = u->Row(p);
      if (row[p] <= 0) {
        *ok = false;
        return;
      }
      const float root = std::sqrt(row[p]);
      for (int64_t j = p; j < n; ++j) row[j] /= root;
      for (int64_t i = p + 1; i < n; ++i) {
        const float factor = row[i];
        float* other = u->Row(i);
        for (int64_t j = i; j < n; ++j) other[j] -= factor * row[j];
      }
    }
  }
};

bool FactorUpper(const Part& u) {
  const int64_t n = u.rows;
  if (n <= kSmall) {
    bool ok = true;
    Dispatch<SmallCholesky>(&u, &ok);
    return ok;
  }
  const int64_t h = HalfOf(n), rest = n - h;
  const Part first = u.At(0, 0, h, h), right = u.At(0, h, h, rest), last = u.At(h, h, rest, rest);
  if (!FactorUpper(first)) return false;
  SolveTriangle(Transposed(first).part, true, false, right);
  const Owned turned = Transposed(right);
  for (int64_t i = 0; i < rest; i += kBand) {
    const int64_t rows = std::min(kBand, rest - i);
    SubtractProduct(last.At(i, i, rows, rest - i), turned.part.At(i, 0, rows, h),
                    right.At(0, i, h, rest - i));
  }
  return FactorUpper(last);
}

// ---- LU ----

void SwapRows(const Part& a, int64_t i, int64_t j) {
  if (i != j) std::swap_ranges(a.Row(i), a.Row(i) + a.columns, a.Row(j));
}

struct SmallLu {
  TENSH_ALWAYS_INLINE static void Run(const Part* a, int64_t* pivots) {
    const int64_t m = a->rows, n = a->columns;
    for (int64_t p = 0; p < n; ++p) {
      int64_t best = p;
      for (int64_t i = p + 1; i < m; ++i)
        if (std::abs(a->Row(i)[p]) > std::abs(a->Row(best)[p])) best = i;
      pivots[p] = best;
      float* row = a->Row(p);
      if (best != p)
        for (int64_t j = 0; j < n; ++j) std::swap(row[j], a->Row(best)[j]);
      const float pivot = row[p];
      if (pivot == 0) continue;
      for (int64_t i = p + 1; i < m; ++i) {
        float* other = a->Row(i);
        const float factor = other[p] / pivot;
        other[p] = factor;
        for (int64_t j = p + 1; j < n; ++j) other[j] -= factor * row[j];
      }
    }
  }
};

// Replaces a, which has at least as many rows as columns, by its factors. Row i was exchanged with row
// pivots[i], in this order.
void FactorLu(const Part& a, int64_t* pivots) {
  const int64_t n = a.columns;
  if (n <= kSmall) return Dispatch<SmallLu>(&a, pivots);
  const int64_t h = HalfOf(n), rest = n - h;
  FactorLu(a.At(0, 0, a.rows, h), pivots);
  const Part right = a.At(0, h, a.rows, rest), last = right.Below(h);
  for (int64_t i = 0; i < h; ++i) SwapRows(right, i, pivots[i]);
  const Part top = right.At(0, 0, h, rest);
  SolveTriangle(a.At(0, 0, h, h), true, true, top);
  SubtractProduct(last, a.At(h, 0, a.rows - h, h), top);
  FactorLu(last, pivots + h);
  const Part left = a.At(0, 0, a.rows, h);
  for (int64_t i = h; i < n; ++i) SwapRows(left, i, pivots[i] += h);
}

// Factors a square matrix. Returns false if it is singular.
bool FactorSquare(const Part& a, int64_t* pivots) {
  FactorLu(a, pivots);
  for (int64_t i = 0; i < a.rows; ++i)
    if (!(std::abs(a.Row(i)[i]) > 0)) return false;
  return true;
}

// x holds the right side, and becomes the solution.
bool SolveInPlace(int64_t n, const float* a, bool adjoint, const Part& x) {
  Owned lu(n, n);
  const Part given{const_cast<float*>(a), n, n, n};  // only read
  if (adjoint)
    Transpose(given, lu.part);
  else
    std::copy_n(a, n * n, lu.part.data);
  std::vector<int64_t> pivots(static_cast<size_t>(n));
  if (!FactorSquare(lu.part, pivots.data())) return false;
  for (int64_t i = 0; i < n; ++i) SwapRows(x, i, pivots[static_cast<size_t>(i)]);
  SolveTriangle(lu.part, true, true, x);
  SolveTriangle(lu.part, false, false, x);
  return true;
}

// ---- QR ----

// Replaces a panel by its upper triangle and, below it, the reflections I - scales[p] * v * v^T, where v has
// the element 1 at row p and the elements of column p below.
struct SmallQr {
  TENSH_ALWAYS_INLINE static void Run(const Part* a, float* scales) {
    const int64_t m = a->rows, n = a->columns;
    float sums[kSmall];
    for (int64_t p = 0; p < std::min(m, n); ++p) {
      float squares = 0;
      for (int64_t i = p + 1; i < m; ++i) squares += a->Row(i)[p] * a->Row(i)[p];
      float* row = a->Row(p);
      scales[p] = 0;
      if (squares <= std::numeric_limits<float>::min()) {
        for (int64_t i = p + 1; i < m; ++i) a->Row(i)[p] = 0;
        continue;
      }
      const float first = row[p], norm = std::sqrt(first * first + squares);
      const float to = first >= 0 ? -norm : norm, below = first - to;
      scales[p] = (to - first) / to;
      row[p] = to;
      for (int64_t j = p + 1; j < n; ++j) sums[j] = row[j];
      for (int64_t i = p + 1; i < m; ++i) {
        float* other = a->Row(i);
        const float v = other[p] / below;
        other[p] = v;
        for (int64_t j = p + 1; j < n; ++j) sums[j] += v * other[j];
      }
      for (int64_t j = p + 1; j < n; ++j) row[j] -= sums[j] *= scales[p];
      for (int64_t i = p + 1; i < m; ++i) {
        float* other = a->Row(i);
        const float v = other[p];
        for (int64_t j = p + 1; j < n; ++j) other[j] -= v * sums[j];
      }
    }
  }
};

}  // namespace

Reflections::Reflections(const Part& panel, const float* scales)
    : count_(std::min(panel.rows, panel.columns)),
      v_(panel.rows, count_),
      turned_(count_, panel.rows),
      t_(count_, count_) {
  for (int64_t i = 0; i < panel.rows; ++i)
    for (int64_t j = 0; j < count_; ++j)
      v_.part.Row(i)[j] = i > j ? panel.Row(i)[j] : i == j ? 1 : 0;
  Transpose(v_.part, turned_.part);
  for (int64_t j = 0; j < count_; ++j) AddColumn(j, scales[j]);
}

void Reflections::Apply(const Part& to, bool transposed) const {
  if (!to.columns) return;
  Owned sums(count_, to.columns), scaled(count_, to.columns);
  SubtractProduct(sums.part, turned_.part, to);  // -v^T * to
  for (int64_t i = 0; i < count_; ++i)
    for (int64_t p = 0; p < count_; ++p) {
      const float factor = transposed ? t_.part.Row(p)[i] : t_.part.Row(i)[p];
      if (factor == 0) continue;
      float* row = scaled.part.Row(i);
      const float* other = sums.part.Row(p);
      for (int64_t j = 0; j < to.columns; ++j) row[j] -= factor * other[j];
    }
  SubtractProduct(to, v_.part, scaled.part);
}

void Reflections::AddColumn(int64_t j, float scale) {
  float products[kSmall];
  for (int64_t p = 0; p < j; ++p) {
    const float *a = turned_.part.Row(p), *b = turned_.part.Row(j);
    float sum = 0;
    for (int64_t i = j; i < turned_.part.columns; ++i) sum += a[i] * b[i];
    products[p] = sum;
  }
  for (int64_t i = 0; i < j; ++i) {
    float sum = 0;
    for (int64_t p = i; p < j; ++p) sum += t_.part.Row(i)[p] * products[p];
    t_.part.Row(i)[j] = -scale * sum;
  }
  t_.part.Row(j)[j] = scale;
}

bool Cholesky(int64_t n, const float* a, float* out) {
  Owned u(n, n);
  const Part given{const_cast<float*>(a), n, n, n};  // only read
  Transpose(given, u.part);
  if (!FactorUpper(u.part)) return false;
  Transpose(u.part, {out, n, n, n});
  for (int64_t i = 0; i < n; ++i) std::fill(out + i * n + i + 1, out + (i + 1) * n, 0.0f);
  return true;
}

bool LuDecompose(int64_t n, const float* a, float* lu, int64_t* order) {
  std::copy_n(a, n * n, lu);
  std::vector<int64_t> pivots(static_cast<size_t>(n));
  const bool regular = FactorSquare({lu, n, n, n}, pivots.data());
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  for (int64_t i = 0; i < n; ++i) std::swap(order[i], order[pivots[static_cast<size_t>(i)]]);
  return regular;
}

bool Solve(int64_t n, int64_t k, const float* a, bool adjoint, const float* b, float* x) {
  std::copy_n(b, n * k, x);
  return SolveInPlace(n, a, adjoint, {x, n, k, k});
}

bool Inverse(int64_t n, const float* a, bool adjoint, float* out) {
  std::fill_n(out, n * n, 0.0f);
  for (int64_t i = 0; i < n; ++i) out[i * n + i] = 1;
  return SolveInPlace(n, a, adjoint, {out, n, n, n});
}

void TriangularSolve(int64_t n, int64_t k, const float* a, bool lower, bool adjoint, const float* b,
                     float* x) {
  std::copy_n(b, n * k, x);
  const Part given{const_cast<float*>(a), n, n, n};  // only read
  if (adjoint)
    SolveTriangle(Transposed(given).part, !lower, false, {x, n, k, k});
  else
    SolveTriangle(given, lower, false, {x, n, k, k});
}

void QrDecompose(int64_t m, int64_t n, const float* a, bool full, float* q, float* r) {
  const int64_t least = std::min(m, n), p = full ? m : least;
  Owned work(m, n);
  std::copy_n(a, m * n, work.part.data);
  std::vector<Reflections> panels;
  for (int64_t at = 0; at < least; at += kSmall) {
    StopIfCancelled();
    const int64_t columns = std::min(kSmall, least - at);
    const Part panel = work.part.At(at, at, m - at, columns);
    float scales[kSmall];
    Dispatch<SmallQr>(&panel, scales);
    panels.emplace_back(panel, scales);
    panels.back().Apply(work.part.At(at, at + columns, m - at, n - at - columns), true);
  }
  std::fill_n(q, m * p, 0.0f);
  for (int64_t i = 0; i < std::min(m, p); ++i) q[i * p + i] = 1;
  const Part out{q, m, p, p};
  for (size_t i = panels.size(); i-- > 0;) {
    const int64_t at = static_cast<int64_t>(i) * kSmall;
    panels[i].Apply(out.At(at, at, m - at, p - at), false);
  }
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = j >= i ? work.part.Row(i)[j] : 0;
}

}  // namespace tensh::ops::blocked
