// Householder's reflections to a tridiagonal matrix, then implicit QL or QR steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "shell/np/eigen.h"

namespace tensh::shell::np {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 2;

void SquareOf::SetIdentity() {
  std::fill(v_.begin(), v_.end(), 0.0);
  for (int64_t i = 1; i <= n_; ++i) (*this)(i, i) = 1;
}
void SquareOf::SwapRows(int64_t i, int64_t j, int64_t first, int64_t last) {
  for (int64_t k = first; k <= last; ++k) std::swap((*this)(i, k), (*this)(j, k));
}
void SquareOf::SwapColumns(int64_t i, int64_t j, int64_t first, int64_t last) {
  for (int64_t k = first; k <= last; ++k) std::swap((*this)(k, i), (*this)(k, j));
}

double Reflector(double* alpha, std::vector<double>* x) {
  double norm = 0;
  for (double v : *x) norm = std::hypot(norm, v);
  if (norm == 0) return 0;
  const double beta = -std::copysign(std::hypot(*alpha, norm), *alpha);
  const double tau = (beta - *alpha) / beta;
  for (double& v : *x) v *= 1 / (*alpha - beta);
  *alpha = beta;
  return tau;
}

Rotation Rotate(double f, double g) {
  if (g == 0) return {1, 0, f};
  if (f == 0) return {0, std::copysign(1.0, g), std::fabs(g)};
  const double d = std::sqrt(f * f + g * g), r = std::copysign(d, f);
  return {std::fabs(f) / d, g / r, r};
}

namespace {

// Rotates columns j and j + 1.
void Turn(SquareOf* z, int64_t j, double c, double s) {
  for (int64_t i = 1; i <= z->n(); ++i) {
    const double right = (*z)(i, j + 1);
    (*z)(i, j + 1) = c * right - s * (*z)(i, j);
    (*z)(i, j) = s * right + c * (*z)(i, j);
  }
}

// Eigenvalues of [[a, b], [b, c]], the larger in magnitude first, and its vector (cs, sn).
struct TwoByTwo {
  double first, second, cs, sn;
};
TwoByTwo SolveTwo(double a, double b, double c) {
  const double sum = a + c, difference = a - c, twice = b + b;
  const double large = std::fabs(a) > std::fabs(c) ? a : c;
  const double small = std::fabs(a) > std::fabs(c) ? c : a;
  const double adf = std::fabs(difference), ab = std::fabs(twice);
  double root = ab * std::sqrt(2.0);
  if (adf > ab) root = adf * std::sqrt(1 + (ab / adf) * (ab / adf));
  if (adf < ab) root = ab * std::sqrt(1 + (adf / ab) * (adf / ab));
  TwoByTwo out{};
  const int sign = sum < 0 ? -1 : 1;
  if (sum == 0) {
    out.first = 0.5 * root;
    out.second = -0.5 * root;
  } else {
    out.first = 0.5 * (sum + sign * root);
    out.second = (large / out.first) * small - (b / out.first) * b;
  }
  const int other = difference >= 0 ? 1 : -1;
  const double cs = difference + other * root;
  if (std::fabs(cs) > ab) {
    const double ct = -twice / cs;
    out.sn = 1 / std::sqrt(1 + ct * ct);
    out.cs = ct * out.sn;
  } else if (ab == 0) {
    out.cs = 1;
  } else {
    const double tn = -cs / twice;
    out.cs = 1 / std::sqrt(1 + tn * tn);
    out.sn = tn * out.cs;
  }
  if (sign == other) {
    const double tn = out.cs;
    out.cs = -out.sn;
    out.sn = tn;
  }
  return out;
}

// A tridiagonal matrix: diagonal d, off-diagonal e, both from index 1, and what turns it so far.
struct Tridiagonal {
  explicit Tridiagonal(int64_t n)
      : n(n), d(static_cast<size_t>(n + 1)), e(static_cast<size_t>(n + 1)), z(n) {
    z.SetIdentity();
  }
  double& D(int64_t i) { return d[static_cast<size_t>(i)]; }
  double& E(int64_t i) { return e[static_cast<size_t>(i)]; }
  bool Solve();

  int64_t n;
  std::vector<double> d, e;
  SquareOf z;

 private:
  struct Turned {
    int64_t column;
    double c, s;
  };
  double Shift(int64_t l, int64_t m, int64_t next, double off);
  bool Ql(int64_t l, int64_t end);
  bool Qr(int64_t l, int64_t end);
  bool Negligible(int64_t i) {  // E(i)
    return E(i) * E(i) <= (kEpsilon * kEpsilon * std::fabs(D(i))) * std::fabs(D(i + 1)) +
                              std::numeric_limits<double>::min();
  }
  int64_t steps_left_ = 0;
};

double Tridiagonal::Shift(int64_t l, int64_t m, int64_t next, double off) {
  const double g = (D(next) - D(l)) / (2 * off), r = std::hypot(g, 1.0);
  return D(m) - D(l) + off / (g + std::copysign(r, g));
}

bool Tridiagonal::Ql(int64_t l, int64_t end) {
  while (l <= end) {
    int64_t m = l;
    while (m < end && !Negligible(m)) ++m;
    if (m < end) E(m) = 0;
    if (m == l) {
      ++l;
      continue;
    }
    if (m == l + 1) {
      const TwoByTwo two = SolveTwo(D(l), E(l), D(l + 1));
      Turn(&z, l, two.cs, two.sn);
      D(l) = two.first;
      D(l + 1) = two.second;
      E(l) = 0;
      l += 2;
      continue;
    }
    if (steps_left_-- == 0) return false;
    double g = Shift(l, m, l + 1, E(l)), s = 1, c = 1, p = 0;
    for (int64_t i = m - 1; i >= l; --i) {
      const double f = s * E(i), b = c * E(i);
      const Rotation turn = Rotate(g, f);
      c = turn.c;
      s = turn.s;
      if (i != m - 1) E(i + 1) = turn.r;
      g = D(i + 1) - p;
      const double r = (D(i) - g) * s + 2 * c * b;
      p = s * r;
      D(i + 1) = g + p;
      g = c * r - b;
      Turn(&z, i, c, -s);
    }
    D(l) -= p;
    E(l) = g;
  }
  return true;
}

bool Tridiagonal::Qr(int64_t l, int64_t end) {
  while (l >= end) {
    int64_t m = l;
    while (m > end && !Negligible(m - 1)) --m;
    if (m > end) E(m - 1) = 0;
    if (m == l) {
      --l;
      continue;
    }
    if (m == l - 1) {
      const TwoByTwo two = SolveTwo(D(l - 1), E(l - 1), D(l));
      Turn(&z, l - 1, two.cs, two.sn);
      D(l - 1) = two.first;
      D(l) = two.second;
      E(l - 1) = 0;
      l -= 2;
      continue;
    }
    if (steps_left_-- == 0) return false;
    double g = Shift(l, m, l - 1, E(l - 1)), s = 1, c = 1, p = 0;
    for (int64_t i = m; i < l; ++i) {
      const double f = s * E(i), b = c * E(i);
      const Rotation turn = Rotate(g, f);
      c = turn.c;
      s = turn.s;
      if (i != m) E(i - 1) = turn.r;
      g = D(i) - p;
      const double r = (D(i + 1) - g) * s + 2 * c * b;
      p = s * r;
      D(i) = g + p;
      g = c * r - b;
      Turn(&z, i, c, s);
    }
    D(l) -= p;
    E(l - 1) = g;
  }
  return true;
}

// Block by block, each from its smaller end; then in ascending order.
bool Tridiagonal::Solve() {
  steps_left_ = 30 * n;
  for (int64_t first = 1, next; first <= n; first = next) {
    int64_t last = first;
    while (last < n && std::fabs(E(last)) > std::sqrt(std::fabs(D(last))) *
                                                std::sqrt(std::fabs(D(last + 1))) * kEpsilon) {
      ++last;
    }
    if (last < n) E(last) = 0;
    next = last + 1;
    if (last == first) continue;
    const bool down = std::fabs(D(last)) < std::fabs(D(first));
    if (!(down ? Qr(last, first) : Ql(first, last))) return false;
  }
  for (int64_t i = 1; i < n; ++i) {
    int64_t least = i;
    for (int64_t j = i + 1; j <= n; ++j)
      if (D(j) < D(least)) least = j;
    if (least == i) continue;
    std::swap(D(i), D(least));
    z.SwapColumns(i, least, 1, n);
  }
  return true;
}

}  // namespace

bool SymmetricEigen(SquareOf* given, std::vector<double>* values) {
  SquareOf& a = *given;
  const int64_t n = a.n();
  Tridiagonal t(n);
  std::vector<std::vector<double>> reflectors;  // v with its leading 1
  std::vector<double> taus;
  for (int64_t i = 1; i < n; ++i) {
    std::vector<double> v;
    for (int64_t k = i + 2; k <= n; ++k) v.push_back(a(k, i));
    double alpha = a(i + 1, i);
    const double tau = Reflector(&alpha, &v);
    v.insert(v.begin(), 1.0);
    t.E(i) = alpha;
    t.D(i) = a(i, i);
    const int64_t m = n - i;
    const auto V = [&](int64_t k) { return v[static_cast<size_t>(k - i - 1)]; };
    if (tau != 0) {  // The rest becomes H rest H.
      std::vector<double> w(static_cast<size_t>(m));
      double dot = 0;
      for (int64_t r = i + 1; r <= n; ++r) {
        double sum = 0;
        for (int64_t k = i + 1; k <= n; ++k) sum += (k <= r ? a(r, k) : a(k, r)) * V(k);
        w[static_cast<size_t>(r - i - 1)] = tau * sum;
        dot += tau * sum * V(r);
      }
      for (int64_t r = i + 1; r <= n; ++r)
        w[static_cast<size_t>(r - i - 1)] -= 0.5 * tau * dot * V(r);
      for (int64_t r = i + 1; r <= n; ++r) {
        for (int64_t k = i + 1; k <= r; ++k) {
          a(r, k) -=
              V(r) * w[static_cast<size_t>(k - i - 1)] + w[static_cast<size_t>(r - i - 1)] * V(k);
        }
      }
    }
    reflectors.push_back(std::move(v));
    taus.push_back(tau);
  }
  if (n > 0) t.D(n) = a(n, n);
  if (!t.Solve()) return false;
  for (int64_t i = n - 1; i >= 1; --i) {
    const std::vector<double>& v = reflectors[static_cast<size_t>(i - 1)];
    for (int64_t j = 1; j <= n; ++j) {
      double sum = 0;
      for (int64_t k = i + 1; k <= n; ++k) sum += v[static_cast<size_t>(k - i - 1)] * t.z(k, j);
      sum *= taus[static_cast<size_t>(i - 1)];
      for (int64_t k = i + 1; k <= n; ++k) t.z(k, j) -= sum * v[static_cast<size_t>(k - i - 1)];
    }
  }
  a = t.z;
  values->assign(t.d.begin() + 1, t.d.end());
  return true;
}

}  // namespace tensh::shell::np
