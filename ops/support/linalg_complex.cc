// Decompositions of complex matrices: Gauss with row exchange, Cholesky, Householder, and Jacobi's
// rotations for eigenvalues and (one-sided) singular values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "ops/support/linalg_dense.h"
#include "ops/support/stop.h"

namespace tensh::ops::dense {
namespace {

using C = Complex128;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

size_t Size(int64_t n) { return static_cast<size_t>(n); }

// A dense matrix, rows first.
struct Grid {
  int64_t rows, columns;
  std::vector<C> at;

  Grid(int64_t m, int64_t n) : rows(m), columns(n), at(Size(m * n)) {}
  Grid(int64_t m, int64_t n, const C* from) : rows(m), columns(n), at(from, from + m * n) {}
  C& operator()(int64_t i, int64_t j) { return at[Size(i * columns + j)]; }
  const C& operator()(int64_t i, int64_t j) const { return at[Size(i * columns + j)]; }
  C* row(int64_t i) { return at.data() + i * columns; }
  static Grid Identity(int64_t m, int64_t n) {
    Grid out(m, n);
    for (int64_t i = 0; i < std::min(m, n); ++i) out(i, i) = 1;
    return out;
  }
  Grid Adjoint() const {
    Grid out(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) out(j, i) = std::conj((*this)(i, j));
    return out;
  }
  bool IsFinite() const {
    return std::all_of(at.begin(), at.end(),
                       [](C z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); });
  }
};

// ---- Gauss ----

struct Lu {
  Grid a;
  std::vector<int64_t> order;  // row i of the factors is row order[i] of the matrix
  double sign = 1;

  explicit Lu(Grid in) : a(std::move(in)), order(Size(a.rows)) {
    const int64_t n = a.rows;
    std::iota(order.begin(), order.end(), int64_t{0});
    for (int64_t k = 0; k < n; ++k) {
      StopIfCancelled();
      int64_t best = k;
      for (int64_t i = k + 1; i < n; ++i)
        if (std::norm(a(i, k)) > std::norm(a(best, k))) best = i;
      if (best != k) {
        std::swap_ranges(a.row(k), a.row(k) + n, a.row(best));
        std::swap(order[Size(k)], order[Size(best)]);
        sign = -sign;
      }
      if (a(k, k) == C(0)) continue;
      for (int64_t i = k + 1; i < n; ++i) {
        const C factor = a(i, k) /= a(k, k);
        for (int64_t j = k + 1; j < n; ++j) a(i, j) -= factor * a(k, j);
      }
    }
  }
  bool Invertible() const {
    for (int64_t i = 0; i < a.rows; ++i)
      if (!(std::abs(a(i, i)) > 0)) return false;
    return true;
  }
  // The solution for b [n, k].
  void Solve(const Grid& b, C* x) const {
    const int64_t n = a.rows, k = b.columns;
    for (int64_t i = 0; i < n; ++i) {
      StopIfCancelled();
      C* row = x + i * k;
      for (int64_t j = 0; j < k; ++j) row[j] = b(order[Size(i)], j);
      for (int64_t p = 0; p < i; ++p)
        for (int64_t j = 0; j < k; ++j) row[j] -= a(i, p) * x[p * k + j];
    }
    for (int64_t i = n; i-- > 0;) {
      StopIfCancelled();
      C* row = x + i * k;
      for (int64_t p = i + 1; p < n; ++p)
        for (int64_t j = 0; j < k; ++j) row[j] -= a(i, p) * x[p * k + j];
      for (int64_t j = 0; j < k; ++j) row[j] /= a(i, i);
    }
  }
};

Grid ReadSquare(int64_t n, const C* a, bool adjoint) {
  Grid in(n, n, a);
  return adjoint ? in.Adjoint() : in;
}

// ---- Jacobi ----

// The rotation of columns p and q that makes their product 0, for (p, p) = a, (q, q) = b and
// (p, q) = g: p becomes c p - s w q, q becomes s p + c w q.
struct Rotation {
  double c, s;
  C w;
  Rotation(double a, double b, C g) {
    const double size = std::abs(g), theta = (b - a) / (2 * size);
    const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    c = 1 / std::sqrt(t * t + 1);
    s = t * c;
    w = std::conj(g) / size;
  }
  void Turn(C& p, C& q) const {
    const C other = w * q;
    q = s * p + c * other;
    p = c * p - s * other;
  }
};

constexpr int kSweeps = 80;

// Columns given one behind the other: column j is row j of w.
void OrthogonalColumns(Grid& w, Grid& v) {
  const int64_t n = w.rows, m = w.columns;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool turned = false;
    for (int64_t p = 0; p < n; ++p) {
      StopIfCancelled();
      for (int64_t q = p + 1; q < n; ++q) {
        C *x = w.row(p), *y = w.row(q), product = 0;
        double a = 0, b = 0;
        for (int64_t i = 0; i < m; ++i) {
          a += std::norm(x[i]);
          b += std::norm(y[i]);
          product += std::conj(x[i]) * y[i];
        }
        if (!(std::abs(product) > kEpsilon * std::sqrt(a) * std::sqrt(b)) ||
            std::abs(product) < 1e-300)
          continue;
        turned = true;
        const Rotation r(a, b, product);
        for (int64_t i = 0; i < m; ++i) r.Turn(x[i], y[i]);
        for (int64_t i = 0; i < n; ++i) r.Turn(v.row(p)[i], v.row(q)[i]);
      }
    }
    if (!turned) return;
  }
}

double Norm(const C* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::norm(x[i]);
  return std::sqrt(sum);
}

// Makes rows [have, …) of `rows` orthonormal to those before them.
void Complete(Grid& rows, const std::vector<bool>& have) {
  const int64_t m = rows.columns;
  std::vector<bool> done = have;
  for (int64_t k = 0; k < rows.rows; ++k) {
    if (done[Size(k)]) continue;
    std::vector<C> best;
    double most = -1;
    for (int64_t unit = 0; unit < m && most < 0.7; ++unit) {
      StopIfCancelled();
      std::vector<C> x(Size(m));
      x[Size(unit)] = 1;
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t other = 0; other < rows.rows; ++other) {
          if (!done[Size(other)]) continue;
          C product = 0;
          for (int64_t i = 0; i < m; ++i) product += std::conj(rows(other, i)) * x[Size(i)];
          for (int64_t i = 0; i < m; ++i) x[Size(i)] -= product * rows(other, i);
        }
      const double size = Norm(x.data(), m);
      if (size <= most) continue;
      most = size;
      for (C& z : x) z /= size;
      best = std::move(x);
    }
    std::copy(best.begin(), best.end(), rows.row(k));
    done[Size(k)] = true;
  }
}

// m >= n. Columns of u and v as rows of the grids.
struct Svd {
  std::vector<double> s;
  Grid u, v;

  Svd(const Grid& a, bool full) : u(full ? a.rows : a.columns, a.rows), v(a.columns, a.columns) {
    const int64_t m = a.rows, n = a.columns;
    Grid w(n, m);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) w(j, i) = a(i, j);
    Grid turned = Grid::Identity(n, n);
    OrthogonalColumns(w, turned);
    std::vector<double> norms(Size(n));
    for (int64_t j = 0; j < n; ++j) norms[Size(j)] = Norm(w.row(j), m);
    std::vector<int64_t> order(Size(n));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t x, int64_t y) { return norms[Size(x)] > norms[Size(y)]; });
    std::vector<bool> have(Size(u.rows));
    for (int64_t j = 0; j < n; ++j) {
      const int64_t from = order[Size(j)];
      s.push_back(norms[Size(from)]);
      std::copy_n(turned.row(from), n, v.row(j));
      if (!(s.back() > 1e-290)) continue;
      have[Size(j)] = true;
      for (int64_t i = 0; i < m; ++i) u(j, i) = w(from, i) / s.back();
    }
    Complete(u, have);
  }
};

void WriteColumns(const Grid& columns, C* out) {
  for (int64_t i = 0; i < columns.columns; ++i)
    for (int64_t j = 0; j < columns.rows; ++j) out[i * columns.rows + j] = columns(j, i);
}

}  // namespace

bool Inverse(int64_t n, const C* a, bool adjoint, C* out) {
  const Lu lu(ReadSquare(n, a, adjoint));
  if (!lu.Invertible()) return false;
  lu.Solve(Grid::Identity(n, n), out);
  return true;
}

C Determinant(int64_t n, const C* a) {
  const Lu lu(Grid(n, n, a));
  C product = lu.sign;
  for (int64_t i = 0; i < n; ++i) product *= lu.a(i, i);
  return product;
}

void LogDeterminant(int64_t n, const C* a, C* sign, C* log) {
  const Lu lu(Grid(n, n, a));
  *sign = lu.sign;
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double size = std::abs(lu.a(i, i));
    *sign *= size > 0 ? lu.a(i, i) / size : lu.a(i, i);
    sum += std::log(size);
  }
  *log = sum;
}

bool Solve(int64_t n, int64_t k, const C* a, bool adjoint, const C* b, C* x) {
  if (k == 0) return true;
  const Lu lu(ReadSquare(n, a, adjoint));
  if (!lu.Invertible()) return false;
  lu.Solve(Grid(n, k, b), x);
  return true;
}

bool LuDecompose(int64_t n, const C* a, C* lu, int64_t* order) {
  const Lu factors(Grid(n, n, a));
  std::copy(factors.a.at.begin(), factors.a.at.end(), lu);
  std::copy(factors.order.begin(), factors.order.end(), order);
  return factors.Invertible();
}

bool Cholesky(int64_t n, const C* a, C* out) {
  std::fill_n(out, n * n, C(0));
  for (int64_t j = 0; j < n; ++j) {
    StopIfCancelled();
    double diagonal = a[j * n + j].real();
    for (int64_t p = 0; p < j; ++p) diagonal -= std::norm(out[j * n + p]);
    if (!(diagonal > 0)) return false;
    const double root = std::sqrt(diagonal);
    out[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      C sum = a[i * n + j];
      for (int64_t p = 0; p < j; ++p) sum -= out[i * n + p] * std::conj(out[j * n + p]);
      out[i * n + j] = sum / root;
    }
  }
  return true;
}

// The reflections leave a real diagonal whose sign is not that of the real part before.
void QrDecompose(int64_t m, int64_t n, const C* a, bool full, C* q, C* r) {
  const int64_t p = full ? m : std::min(m, n), steps = std::min(m, n);
  Grid work(m, n, a), product = Grid::Identity(m, p);
  std::vector<C> taus(Size(steps));
  for (int64_t k = 0; k < steps; ++k) {
    StopIfCancelled();
    const C head = work(k, k);
    double tail = 0;
    for (int64_t i = k + 1; i < m; ++i) tail += std::norm(work(i, k));
    if (tail <= std::numeric_limits<double>::min() &&
        head.imag() * head.imag() <= std::numeric_limits<double>::min()) {
      work(k, k) = head.real();
      for (int64_t i = k + 1; i < m; ++i) work(i, k) = 0;
      continue;
    }
    const double size = std::sqrt(std::norm(head) + tail), beta = head.real() >= 0 ? -size : size;
    for (int64_t i = k + 1; i < m; ++i) work(i, k) /= head - beta;
    const C tau = std::conj((beta - head) / beta);
    taus[Size(k)] = tau;
    work(k, k) = beta;
    for (int64_t j = k + 1; j < n; ++j) {
      C sum = work(k, j);
      for (int64_t i = k + 1; i < m; ++i) sum += std::conj(work(i, k)) * work(i, j);
      work(k, j) -= tau * sum;
      for (int64_t i = k + 1; i < m; ++i) work(i, j) -= tau * sum * work(i, k);
    }
  }
  for (int64_t k = steps; k-- > 0;) {
    StopIfCancelled();
    for (int64_t j = 0; j < p; ++j) {
      C sum = product(k, j);
      for (int64_t i = k + 1; i < m; ++i) sum += std::conj(work(i, k)) * product(i, j);
      sum *= std::conj(taus[Size(k)]);
      product(k, j) -= sum;
      for (int64_t i = k + 1; i < m; ++i) product(i, j) -= sum * work(i, k);
    }
  }
  std::copy(product.at.begin(), product.at.end(), q);
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = j >= i ? work(i, j) : C(0);
}

bool SvdDecompose(int64_t m, int64_t n, const C* a, bool full, C* s, C* u, C* v) {
  const Grid in(m, n, a);
  if (!in.IsFinite()) return false;
  // A wide matrix is the adjoint of a tall one, whose vectors change their places.
  const Svd svd(m >= n ? in : in.Adjoint(), full && u);
  for (size_t i = 0; i < svd.s.size(); ++i) s[i] = svd.s[i];
  if (u) WriteColumns(m >= n ? svd.u : svd.v, u);
  if (v) WriteColumns(m >= n ? svd.v : svd.u, v);
  return true;
}

bool SelfAdjointEig(int64_t n, const C* a, C* values, C* vectors) {
  Grid w(n, n, a), v = Grid::Identity(n, n);  // row j of v becomes eigenvector j
  double size = 0;
  for (int64_t i = 0; i < n; ++i) {
    w(i, i) = w(i, i).real();
    for (int64_t j = 0; j < i; ++j) w(j, i) = std::conj(w(i, j));
  }
  if (!w.IsFinite()) return false;
  for (C z : w.at) size = std::max(size, std::abs(z));
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool turned = false;
    for (int64_t p = 0; p < n; ++p) {
      StopIfCancelled();
      for (int64_t q = p + 1; q < n; ++q) {
        if (!(std::abs(w(p, q)) > kEpsilon * 1e-3 * size)) continue;
        turned = true;
        const Rotation r(w(p, p).real(), w(q, q).real(), w(p, q));
        for (int64_t i = 0; i < n; ++i) r.Turn(w(i, p), w(i, q));
        const Rotation back = [&r] {
          Rotation c = r;
          c.w = std::conj(r.w);
          return c;
        }();
        for (int64_t j = 0; j < n; ++j) back.Turn(w(p, j), w(q, j));
        w(p, q) = w(q, p) = 0;
        for (int64_t i = 0; i < n; ++i) r.Turn(v(p, i), v(q, i));
      }
    }
    if (!turned) break;
  }
  std::vector<int64_t> order(Size(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t x, int64_t y) { return w(x, x).real() < w(y, y).real(); });
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[Size(j)];
    values[j] = w(from, from).real();
    for (int64_t i = 0; vectors && i < n; ++i) vectors[i * n + j] = v(from, i);
  }
  return true;
}

bool LeastSquares(int64_t m, int64_t n, int64_t k, const C* a, const C* b, double l2, bool fast,
                  C* x) {
  std::fill_n(x, n * k, C(0));
  if (m == 0 || n == 0 || k == 0) return true;
  const Grid in(m, n, a), rhs(m, k, b);
  if (fast) {
    const bool tall = m >= n;
    const Grid turned = in.Adjoint();
    const Grid &left = tall ? turned : in, &right = tall ? in : turned;
    const int64_t p = left.rows;
    Grid gram(p, p), factor(p, p);
    for (int64_t i = 0; i < p; ++i) {
      StopIfCancelled();
      for (int64_t j = 0; j < p; ++j) {
        for (int64_t q = 0; q < left.columns; ++q) gram(i, j) += left(i, q) * right(q, j);
        if (i == j) gram(i, j) += l2;
      }
    }
    if (!Cholesky(p, gram.at.data(), factor.at.data())) return false;
    Grid projected(p, k), solved(p, k);
    for (int64_t i = 0; i < p; ++i)
      for (int64_t j = 0; j < k; ++j) {
        if (!tall) projected(i, j) = rhs(i, j);
        for (int64_t q = 0; tall && q < m; ++q) projected(i, j) += turned(i, q) * rhs(q, j);
      }
    if (!Solve(p, k, gram.at.data(), false, projected.at.data(), solved.at.data())) return false;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < k; ++j) {
        if (tall) x[i * k + j] = solved(i, j);
        for (int64_t q = 0; !tall && q < m; ++q) x[i * k + j] += turned(i, q) * solved(q, j);
      }
    return true;
  }
  if (!in.IsFinite()) return false;
  const bool tall = m >= n;
  const Svd svd(tall ? in : in.Adjoint(), false);
  const Grid &u = tall ? svd.u : svd.v, &v = tall ? svd.v : svd.u;
  const double least = svd.s[0] * kEpsilon * static_cast<double>(std::min(m, n));
  for (size_t r = 0; r < svd.s.size() && svd.s[r] > least; ++r)
    for (int64_t j = 0; j < k; ++j) {
      C part = 0;
      const int64_t at = static_cast<int64_t>(r);
      for (int64_t q = 0; q < m; ++q) part += std::conj(u(at, q)) * rhs(q, j);
      part /= svd.s[r];
      for (int64_t i = 0; i < n; ++i) x[i * k + j] += v(at, i) * part;
    }
  return true;
}

}  // namespace tensh::ops::dense
