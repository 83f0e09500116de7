// Balancing, Hessenberg form, double-shift QR to a Schur form, vectors by back substitution.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "shell/np/eigen.h"

namespace tensh::shell::np {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kSafeMin = std::numeric_limits<double>::min();

// ---- balancing ----

struct Balance {
  int64_t low, high;          // Rows outside have their eigenvalue on the diagonal.
  std::vector<double> scale;  // of a row inside; outside: the row it was exchanged with
};

void Exchange(SquareOf* a, int64_t i, int64_t m, int64_t low, int64_t high) {
  if (i == m) return;
  a->SwapColumns(i, m, 1, high);
  a->SwapRows(i, m, low, a->n());
}

void Permute(SquareOf* a, Balance* b) {
  const auto scale = [&](int64_t i) -> double& { return b->scale[static_cast<size_t>(i)]; };
  const auto alone = [&](int64_t i, bool row) {
    for (int64_t j = row ? 1 : b->low; j <= b->high; ++j)
      if (i != j && (row ? (*a)(i, j) : (*a)(j, i)) != 0) return false;
    return true;
  };
  for (int64_t i = b->high; i >= 1; --i) {  // rows that isolate an eigenvalue go to the end
    if (!alone(i, true)) continue;
    scale(b->high) = static_cast<double>(i);
    Exchange(a, i, b->high, b->low, b->high);
    if (b->high == 1) {
      b->low = b->high = 1;
      return;
    }
    i = b->high--;
  }
  for (int64_t j = b->low; j <= b->high; ++j) {  // columns to the front
    if (!alone(j, false)) continue;
    scale(b->low) = static_cast<double>(j);
    Exchange(a, j, b->low, b->low, b->high);
    j = b->low++;
  }
}

// Powers of two that make a row and its column of like size.
void Scale(SquareOf* given, Balance* b) {
  SquareOf& a = *given;
  const int64_t n = a.n();
  constexpr double kLeast = kSafeMin / kUlp, kMost = 1 / kLeast;
  for (bool again = true; again;) {
    again = false;
    for (int64_t i = b->low; i <= b->high; ++i) {
      double c = 0, r = 0, ca = 0, ra = 0, f = 1;
      for (int64_t k = b->low; k <= b->high; ++k)
        c = std::hypot(c, a(k, i)), r = std::hypot(r, a(i, k));
      for (int64_t k = 1; k <= b->high; ++k) ca = std::max(ca, std::fabs(a(k, i)));
      for (int64_t k = b->low; k <= n; ++k) ra = std::max(ra, std::fabs(a(i, k)));
      if (c == 0 || r == 0) continue;
      const double sum = c + r;
      double g = r / 2;
      while (c < g && std::max({f, c, ca}) < kMost / 2 && std::min({r, g, ra}) > kLeast * 2)
        f *= 2, c *= 2, ca *= 2, r /= 2, g /= 2, ra /= 2;
      g = c / 2;
      while (g >= r && std::max(r, ra) < kMost / 2 && std::min({f, c, g, ca}) > kLeast * 2)
        f /= 2, c /= 2, g /= 2, ca /= 2, r *= 2, ra *= 2;
      if (c + r >= 0.95 * sum) continue;
      b->scale[static_cast<size_t>(i)] *= f;
      again = true;
      for (int64_t k = b->low; k <= n; ++k) a(i, k) *= 1 / f;
      for (int64_t k = 1; k <= b->high; ++k) a(k, i) *= f;
    }
  }
}

Balance MakeBalanced(SquareOf* a) {
  Balance b{1, a->n(), std::vector<double>(static_cast<size_t>(a->n() + 1), 1.0)};
  Permute(a, &b);
  for (int64_t i = b.low; i <= b.high; ++i) b.scale[static_cast<size_t>(i)] = 1;
  Scale(a, &b);
  return b;
}

void UndoBalance(const Balance& b, SquareOf* v) {
  const int64_t n = v->n();
  const auto scale = [&](int64_t i) { return b.scale[static_cast<size_t>(i)]; };
  for (int64_t i = b.low; i <= b.high; ++i)
    for (int64_t j = 1; j <= n; ++j) (*v)(i, j) *= scale(i);
  for (int64_t i = b.low - 1; i >= 1; --i) v->SwapRows(i, static_cast<int64_t>(scale(i)), 1, n);
  for (int64_t i = b.high + 1; i <= n; ++i) v->SwapRows(i, static_cast<int64_t>(scale(i)), 1, n);
}

// ---- Hessenberg form ----

// H of rows first … first + v.size() - 1, from the left on columns.
void FromLeft(SquareOf* a, int64_t first, const std::vector<double>& v, double tau, int64_t begin,
              int64_t end) {
  for (int64_t j = begin; j <= end; ++j) {
    double sum = 0;
    for (size_t k = 0; k < v.size(); ++k) sum += v[k] * (*a)(first + static_cast<int64_t>(k), j);
    for (size_t k = 0; k < v.size(); ++k)
      (*a)(first + static_cast<int64_t>(k), j) -= tau * sum * v[k];
  }
}
void FromRight(SquareOf* a, int64_t first, const std::vector<double>& v, double tau, int64_t begin,
               int64_t end) {
  for (int64_t i = begin; i <= end; ++i) {
    double sum = 0;
    for (size_t k = 0; k < v.size(); ++k) sum += (*a)(i, first + static_cast<int64_t>(k)) * v[k];
    for (size_t k = 0; k < v.size(); ++k)
      (*a)(i, first + static_cast<int64_t>(k)) -= tau * sum * v[k];
  }
}

// `a` becomes Q' a Q; answers Q.
SquareOf ToHessenberg(SquareOf* a, const Balance& b) {
  const int64_t n = a->n();
  SquareOf q(n);
  q.SetIdentity();
  for (int64_t i = b.low; i < b.high; ++i) {
    std::vector<double> v;
    for (int64_t k = i + 2; k <= b.high; ++k) v.push_back((*a)(k, i));
    double alpha = (*a)(i + 1, i);
    const double tau = Reflector(&alpha, &v);
    v.insert(v.begin(), 1.0);
    FromRight(a, i + 1, v, tau, 1, b.high);
    FromLeft(a, i + 1, v, tau, i + 1, n);
    FromRight(&q, i + 1, v, tau, 1, n);
    (*a)(i + 1, i) = alpha;
    for (int64_t k = i + 2; k <= b.high; ++k) (*a)(k, i) = 0;
  }
  return q;
}

// ---- Schur form ----

// A real 2 x 2 block in standard form: upper triangular, or equal diagonals and off-diagonals of
// different signs.
struct Standard {
  double a, b, c, d, cs, sn;
};
Standard Standardize(double a, double b, double c, double d) {
  const auto sign = [](double x) { return std::copysign(1.0, x); };
  if (c == 0) return {a, b, c, d, 1, 0};
  if (b == 0) return {d, -c, 0, a, 0, 1};
  if (a - d == 0 && sign(b) != sign(c)) return {a, b, c, d, 1, 0};
  double cs, sn;
  const double difference = a - d, p = 0.5 * difference;
  const double most = std::max(std::fabs(b), std::fabs(c));
  const double least = std::min(std::fabs(b), std::fabs(c)) * sign(b) * sign(c);
  const double scale = std::max(std::fabs(p), most);
  double z = (p / scale) * p + (most / scale) * least;
  if (z >= 4 * kUlp) {  // real eigenvalues
    z = p + std::copysign(std::sqrt(scale) * std::sqrt(z), p);
    const double tau = std::hypot(c, z);
    return {d + z, b - c, 0, d - (most / z) * least, z / tau, c / tau};
  }
  const double sigma = b + c, tau = std::hypot(sigma, difference);
  cs = std::sqrt(0.5 * (1 + std::fabs(sigma) / tau));
  sn = -(p / (tau * cs)) * sign(sigma);
  const double aa = a * cs + b * sn, bb = -a * sn + b * cs, cc = c * cs + d * sn,
               dd = -c * sn + d * cs;
  a = aa * cs + cc * sn;
  b = bb * cs + dd * sn;
  c = -aa * sn + cc * cs;
  d = -bb * sn + dd * cs;
  a = d = 0.5 * (a + d);
  if (c == 0) return {a, b, c, d, cs, sn};
  if (b == 0) return {a, -c, 0, d, -sn, cs};
  if (sign(b) != sign(c)) return {a, b, c, d, cs, sn};
  const double sab = std::sqrt(std::fabs(b)), sac = std::sqrt(std::fabs(c));
  const double q = std::copysign(sab * sac, c), t = 1 / std::sqrt(std::fabs(b + c));
  const double cs1 = sab * t, sn1 = sac * t;
  return {a + q, b - c, 0, d - q, cs * cs1 - sn * sn1, cs * sn1 + sn * cs1};
}

struct Schur {
  SquareOf h, z;
  std::vector<double> real, imaginary;  // from index 1
  const Balance& balance;
  bool Reduce();

 private:
  struct Shifts {
    double re1, im1, re2, im2;
  };
  int64_t Split(int64_t i) const;
  Shifts ShiftsOf(int64_t l, int64_t i, int count) const;
  int64_t Start(int64_t l, int64_t i, const Shifts& s, std::vector<double>* v) const;
  void Sweep(int64_t l, int64_t m, int64_t i, std::vector<double> v);
  void FinishPair(int64_t i);
};

// Where the active block that ends at i begins: below the last subdiagonal that is negligible.
int64_t Schur::Split(int64_t i) const {
  const int64_t low = balance.low, high = balance.high;
  const double tiny = kSafeMin * (static_cast<double>(high - low + 1) / kUlp);
  for (int64_t k = i; k > low; --k) {
    const double off = std::fabs(h(k, k - 1)), up = std::fabs(h(k - 1, k));
    if (off <= tiny) return k;
    double sum = std::fabs(h(k - 1, k - 1)) + std::fabs(h(k, k));
    if (sum == 0) {
      if (k - 2 >= low) sum += std::fabs(h(k - 1, k - 2));
      if (k + 1 <= high) sum += std::fabs(h(k + 1, k));
    }
    if (off > kUlp * sum) continue;
    const double ab = std::max(off, up), ba = std::min(off, up);
    const double last = std::fabs(h(k, k)), step = std::fabs(h(k - 1, k - 1) - h(k, k));
    const double aa = std::max(last, step), bb = std::min(last, step), s = aa + ab;
    if (ba * (ab / s) <= std::max(tiny, kUlp * (bb * (aa / s)))) return k;
  }
  return low;
}

Schur::Shifts Schur::ShiftsOf(int64_t l, int64_t i, int count) const {
  double h11 = h(i - 1, i - 1), h21 = h(i, i - 1), h12 = h(i - 1, i), h22 = h(i, i);
  if (count % 10 == 0) {  // An exceptional one, when nothing has split off for long.
    const bool at_end = count % 20 == 0;
    const double s = at_end ? std::fabs(h(i, i - 1)) + std::fabs(h(i - 1, i - 2))
                            : std::fabs(h(l + 1, l)) + std::fabs(h(l + 2, l + 1));
    h11 = h22 = 0.75 * s + (at_end ? h(i, i) : h(l, l));
    h12 = -0.4375 * s;
    h21 = s;
  }
  const double s = std::fabs(h11) + std::fabs(h12) + std::fabs(h21) + std::fabs(h22);
  if (s == 0) return {0, 0, 0, 0};
  h11 /= s, h21 /= s, h12 /= s, h22 /= s;
  const double tr = (h11 + h22) / 2, det = (h11 - tr) * (h22 - tr) - h12 * h21;
  const double root = std::sqrt(std::fabs(det));
  if (det >= 0) return {tr * s, root * s, tr * s, -root * s};
  const double first = tr + root, second = tr - root;
  const double near = std::fabs(first - h22) <= std::fabs(second - h22) ? first * s : second * s;
  return {near, 0, near, 0};
}

// The row at which a sweep can start, with the first column of the shifted product.
int64_t Schur::Start(int64_t l, int64_t i, const Shifts& shift, std::vector<double>* v) const {
  for (int64_t m = i - 2;; --m) {
    const double size =
        std::fabs(h(m, m) - shift.re2) + std::fabs(shift.im2) + std::fabs(h(m + 1, m));
    const double below = h(m + 1, m) / size;
    double v1 = below * h(m, m + 1) + (h(m, m) - shift.re1) * ((h(m, m) - shift.re2) / size) -
                shift.im1 * (shift.im2 / size);
    double v2 = below * (h(m, m) + h(m + 1, m + 1) - shift.re1 - shift.re2);
    double v3 = below * h(m + 2, m + 1);
    const double s = std::fabs(v1) + std::fabs(v2) + std::fabs(v3);
    v1 /= s, v2 /= s, v3 /= s;
    *v = {v1, v2, v3};
    if (m == l) return m;
    const double around =
        std::fabs(h(m - 1, m - 1)) + std::fabs(h(m, m)) + std::fabs(h(m + 1, m + 1));
    if (std::fabs(h(m, m - 1)) * (std::fabs(v2) + std::fabs(v3)) <= kUlp * std::fabs(v1) * around)
      return m;
  }
}

void Schur::Sweep(int64_t l, int64_t m, int64_t i, std::vector<double> v) {
  const int64_t n = h.n();
  for (int64_t k = m; k < i; ++k) {
    const int64_t rows = std::min<int64_t>(3, i - k + 1);
    if (k > m) {
      v.clear();
      for (int64_t r = 0; r < rows; ++r) v.push_back(h(k + r, k - 1));
    }
    v.resize(static_cast<size_t>(rows));
    double alpha = v[0];
    std::vector<double> rest(v.begin() + 1, v.end());
    const double tau = Reflector(&alpha, &rest);
    if (k > m) {
      h(k, k - 1) = alpha;
      for (int64_t r = 1; r < rows; ++r) h(k + r, k - 1) = 0;
    } else if (m > l) {
      h(k, k - 1) *= 1 - tau;
    }
    rest.insert(rest.begin(), 1.0);
    FromLeft(&h, k, rest, tau, k, n);
    FromRight(&h, k, rest, tau, 1, std::min(k + 3, i));
    FromRight(&z, k, rest, tau, balance.low, balance.high);
  }
}

void Schur::FinishPair(int64_t i) {
  const int64_t n = h.n(), j = i - 1;
  const Standard s = Standardize(h(j, j), h(j, i), h(i, j), h(i, i));
  h(j, j) = s.a, h(j, i) = s.b, h(i, j) = s.c, h(i, i) = s.d;
  real[static_cast<size_t>(j)] = s.a;
  real[static_cast<size_t>(i)] = s.d;
  if (s.c != 0) {
    const double size = std::sqrt(std::fabs(s.b)) * std::sqrt(std::fabs(s.c));
    imaginary[static_cast<size_t>(j)] = size;
    imaginary[static_cast<size_t>(i)] = -size;
  }
  const auto turn = [&](double* x, double* y) {
    const double old = *x;
    *x = s.cs * old + s.sn * *y;
    *y = s.cs * *y - s.sn * old;
  };
  for (int64_t k = i + 1; k <= n; ++k) turn(&h(j, k), &h(i, k));
  for (int64_t k = 1; k < j; ++k) turn(&h(k, j), &h(k, i));
  for (int64_t k = balance.low; k <= balance.high; ++k) turn(&z(k, j), &z(k, i));
}

bool Schur::Reduce() {
  const int64_t n = h.n();
  real.assign(static_cast<size_t>(n + 1), 0);
  imaginary.assign(static_cast<size_t>(n + 1), 0);
  for (int64_t i = 1; i <= n; ++i) real[static_cast<size_t>(i)] = h(i, i);
  const int most = 30 * static_cast<int>(std::max<int64_t>(10, balance.high - balance.low + 1));
  for (int64_t i = balance.high; i >= balance.low;) {
    int64_t l = balance.low;
    int count = 0;
    for (;; ++count) {
      l = Split(i);
      if (l > balance.low) h(l, l - 1) = 0;
      if (l >= i - 1) break;
      if (count == most) return false;
      std::vector<double> v;
      const int64_t m = Start(l, i, ShiftsOf(l, i, count + 1), &v);
      Sweep(l, m, i, v);
    }
    if (l == i) {
      real[static_cast<size_t>(i)] = h(i, i);
    } else {
      FinishPair(i);
    }
    i = l - 1;
  }
  return true;
}

// ---- vectors ----

using Complex = std::complex<double>;

// Solves (T - w) x = rhs above row `top`, by blocks from below.
void SolveAbove(const SquareOf& t, int64_t top, Complex w, std::vector<Complex>* given) {
  std::vector<Complex>& x = *given;  // from index 1
  const double least =
      std::max(kUlp * (std::fabs(w.real()) + std::fabs(w.imag())), kSafeMin / kUlp);
  const auto at = [&](int64_t i) -> Complex& { return x[static_cast<size_t>(i)]; };
  const auto clear = [&](int64_t j, int64_t rows) {
    for (int64_t k = 1; k < rows; ++k) at(k) -= at(j) * t(k, j);
  };
  for (int64_t j = top; j >= 1; --j) {
    if (j > 1 && t(j, j - 1) != 0) {
      const Complex a = t(j - 1, j - 1) - w, b = t(j - 1, j), c = t(j, j - 1), d = t(j, j) - w;
      const Complex det = a * d - b * c, first = at(j - 1), second = at(j);
      at(j - 1) = (d * first - b * second) / det;
      at(j) = (a * second - c * first) / det;
      clear(j - 1, j - 1);
      clear(j, j - 1);
      --j;
    } else {
      Complex d = t(j, j) - w;
      if (std::abs(d) < least) d = least;
      at(j) /= d;
      clear(j, j);
    }
  }
}

// The vector of the Schur form at column k; for a pair, of the eigenvalue with positive imaginary
// part, k its second column.
std::vector<Complex> SchurVector(const Schur& s, int64_t k) {
  const SquareOf& t = s.h;
  std::vector<Complex> x(static_cast<size_t>(t.n() + 1));
  const auto at = [&](int64_t i) -> Complex& { return x[static_cast<size_t>(i)]; };
  const double wi = std::fabs(s.imaginary[static_cast<size_t>(k)]);
  const Complex w(t(k, k), wi);
  if (wi == 0) {
    at(k) = 1;
    for (int64_t i = 1; i < k; ++i) at(i) = -t(i, k);
    SolveAbove(t, k - 1, w, &x);
    return x;
  }
  if (std::fabs(t(k - 1, k)) >= std::fabs(t(k, k - 1))) {
    at(k - 1) = 1;
    at(k) = Complex(0, wi / t(k - 1, k));
  } else {
    at(k - 1) = -wi / t(k, k - 1);
    at(k) = Complex(0, 1);
  }
  for (int64_t i = 1; i < k - 1; ++i) at(i) = -at(k - 1) * t(i, k - 1) - at(k) * t(i, k);
  SolveAbove(t, k - 2, w, &x);
  return x;
}

// Length 1; of a pair, the largest element real.
void Normalize(SquareOf* v, int64_t k, bool pair) {
  const int64_t n = v->n();
  double norm = 0;
  for (int64_t i = 1; i <= n; ++i)
    norm = std::hypot(norm, std::hypot((*v)(i, k), pair ? (*v)(i, k + 1) : 0.0));
  int64_t largest = 1;
  double most = 0;
  for (int64_t i = 1; i <= n; ++i) {
    (*v)(i, k) *= 1 / norm;
    if (!pair) continue;
    (*v)(i, k + 1) *= 1 / norm;
    const double size = (*v)(i, k) * (*v)(i, k) + (*v)(i, k + 1) * (*v)(i, k + 1);
    if (size > most) most = size, largest = i;
  }
  if (!pair) return;
  const Rotation turn = Rotate((*v)(largest, k), (*v)(largest, k + 1));
  for (int64_t i = 1; i <= n; ++i) {
    const double re = (*v)(i, k), im = (*v)(i, k + 1);
    (*v)(i, k) = turn.c * re + turn.s * im;
    (*v)(i, k + 1) = turn.c * im - turn.s * re;
  }
  (*v)(largest, k + 1) = 0;
}

}  // namespace

bool GeneralEigen(SquareOf a, std::vector<double>* real, std::vector<double>* imaginary,
                  SquareOf* vectors) {
  const int64_t n = a.n();
  if (n == 0) return true;
  const Balance balance = MakeBalanced(&a);
  SquareOf q = ToHessenberg(&a, balance);
  Schur s{std::move(a), std::move(q), {}, {}, balance};
  if (!s.Reduce()) return false;
  SquareOf& v = *vectors;
  for (int64_t k = 1; k <= n; ++k) {
    const bool pair = s.imaginary[static_cast<size_t>(k)] != 0;
    const std::vector<Complex> x = SchurVector(s, pair ? k + 1 : k);
    for (int64_t i = 1; i <= n; ++i) {
      Complex sum = 0;
      for (int64_t j = 1; j <= (pair ? k + 1 : k); ++j)
        sum += s.z(i, j) * x[static_cast<size_t>(j)];
      v(i, k) = sum.real();
      if (pair) v(i, k + 1) = sum.imag();
    }
    k += pair;
  }
  UndoBalance(balance, &v);
  for (int64_t k = 1; k <= n; ++k) {
    const bool pair = s.imaginary[static_cast<size_t>(k)] != 0;
    Normalize(&v, k, pair);
    k += pair;
  }
  real->assign(s.real.begin() + 1, s.real.end());
  imaginary->assign(s.imaginary.begin() + 1, s.imaginary.end());
  return true;
}

}  // namespace tensh::shell::np
