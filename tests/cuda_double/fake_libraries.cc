// The double of cuFFT and cuSOLVER: it computes on the memory of the fake GPU, decompositions by the CPU's functions.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <vector>

#include "devices/cuda/fake_driver.h"
#include "devices/cuda/math_libraries.h"
#include "ops/linalg/matrix_algebra.h"

namespace tensh::cuda {
namespace {

using Wide = std::complex<double>;
constexpr size_t kScratch = 1000;  // bytes

template <class T>
T* View(void* device) {
  return static_cast<T*>(FakeDriver::View(device));
}

// Memory of the fake GPU that a call reads or writes.
template <class T>
T* Used(const char* what, const void* device, int64_t n, bool writes) {
  if (!device || n == 0) return nullptr;
  T* const view = View<T>(const_cast<void*>(device));
  FakeChecks* const checks = FakeDriver::Current()->checks();
  const size_t bytes = static_cast<size_t>(n) * sizeof(T);
  if (checks && writes) checks->Wrote(what, view, bytes);
  if (checks && !writes) checks->Read(what, view, bytes);
  return view;
}

// ---- Fourier transforms ----

// Returns e^(2 pi i k / n), exactly at multiples of a quarter turn, as libraries do.
Wide Root(int64_t k, int64_t n) {
  constexpr Wide kQuarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  k = (k % n + n) % n;
  if (4 * k % n == 0) return kQuarters[4 * k / n];
  return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

// Transforms one dimension, whose elements are `stride` apart.
void TransformDim(std::vector<Wide>& x, int64_t n, int64_t stride, bool inverse) {
  std::vector<Wide> line(static_cast<size_t>(n));
  for (int64_t first = 0; first < static_cast<int64_t>(x.size()); ++first) {
    if (first / stride % n) continue;
    for (int64_t k = 0; k < n; ++k) {
      Wide sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += x[static_cast<size_t>(first + j * stride)] * Root(inverse ? j * k : -j * k, n);
      line[static_cast<size_t>(k)] = sum;
    }
    for (int64_t k = 0; k < n; ++k)
      x[static_cast<size_t>(first + k * stride)] = line[static_cast<size_t>(k)];
  }
}

template <class T>
class FakeFft {
 public:
  explicit FakeFft(const FftCall& call) : call_(call) {
    for (int i = 0; i < call.rank; ++i) size_ *= call.n[i];
    last_ = call.n[call.rank - 1];
  }
  void Run() {
    const int64_t half = size_ / last_ * (last_ / 2 + 1);
    const int64_t from = call_.real && call_.inverse ? half : size_,
                  to = call_.real && !call_.inverse ? half : size_;
    for (int64_t b = 0; b < call_.batch; ++b) {
      std::vector<Wide> x = Load(b * from);
      int64_t stride = 1;
      for (int i = call_.rank - 1; i >= 0; stride *= call_.n[i--])
        TransformDim(x, call_.n[i], stride, call_.inverse);
      Store(x, b * to);
    }
  }

 private:
  using C = std::complex<T>;
  // Returns all elements of one transform. The omitted half of a spectrum is the mirror image of the other.
  std::vector<Wide> Load(int64_t first) const {
    std::vector<Wide> x(static_cast<size_t>(size_));
    const bool from_half = call_.real && call_.inverse, from_real = call_.real && !call_.inverse;
    const int64_t width = from_half ? last_ / 2 + 1 : last_;
    const T* numbers =
        from_real ? Used<T>("a transform", Address<T>(call_.in, first), size_, false) : nullptr;
    const C* complex = from_real ? nullptr
                                 : Used<C>("a transform", Address<C>(call_.in, first),
                                           size_ / last_ * width, false);
    for (int64_t i = 0; i < size_; ++i) {
      const int64_t row = i / last_, k = i % last_;
      if (from_real)
        x[static_cast<size_t>(i)] = static_cast<double>(numbers[i]);
      else if (k < width)
        x[static_cast<size_t>(i)] = Wide(complex[row * width + k]);
      else
        x[static_cast<size_t>(i)] = std::conj(Wide(complex[Mirror(row) * width + last_ - k]));
    }
    return x;
  }
  int64_t Mirror(int64_t row) const {
    int64_t at = 0, stride = 1;
    for (int d = call_.rank - 2; d >= 0; stride *= call_.n[d--], row /= call_.n[d + 1])
      at += (call_.n[d] - row % call_.n[d]) % call_.n[d] * stride;
    return at;
  }
  void Store(const std::vector<Wide>& x, int64_t first) const {
    const bool to_real = call_.real && call_.inverse;
    const int64_t width = call_.real && !call_.inverse ? last_ / 2 + 1 : last_;
    T* numbers =
        to_real ? Used<T>("a transform", Address<T>(call_.out, first), size_, true) : nullptr;
    C* complex =
        to_real ? nullptr
                : Used<C>("a transform", Address<C>(call_.out, first), size_ / last_ * width, true);
    for (int64_t i = 0; i < size_; ++i) {
      if (to_real)
        numbers[i] = static_cast<T>(x[static_cast<size_t>(i)].real());
      else if (i % last_ < width)
        complex[i / last_ * width + i % last_] = C(x[static_cast<size_t>(i)]);
    }
  }
  template <class E>
  static const void* Address(const void* base, int64_t first) {
    return static_cast<const E*>(base) + first;
  }

  const FftCall call_;
  int64_t size_ = 1, last_;
};

// ---- matrices, which are stored by columns ----

template <class T>
T Conjugated(T x) {
  if constexpr (requires { x.imag(); })
    return std::conj(x);
  else
    return x;
}

template <class T>
class FakeMatrix {
 public:
  explicit FakeMatrix(const MatrixCall& call) : call_(call), m_(call.rows), n_(call.columns) {}
  void Run() {
    switch (call_.kind) {
      case MatrixCall::kCholesky:
        return Cholesky();
      case MatrixCall::kLu:
        return Lu();
      case MatrixCall::kSolve:
        return Solve();
      case MatrixCall::kQr:
        return Qr();
      case MatrixCall::kSvd:
        return Svd();
      case MatrixCall::kEigen:
        return Eigen();
    }
  }

 private:
  using Real = decltype(std::abs(T()));
  using Matrix = std::vector<T>;
  static constexpr const char* kWhat = "a decomposition";

  // Returns a matrix by rows.
  static Matrix ByRows(const void* device, int64_t rows, int64_t columns) {
    const T* from = Used<T>(kWhat, device, rows * columns, false);
    Matrix a(static_cast<size_t>(rows * columns));
    for (int64_t i = 0; i < rows * columns; ++i)
      a[static_cast<size_t>(i % rows * columns + i / rows)] = from[i];
    return a;
  }
  static void StoreByColumns(const Matrix& a, int64_t rows, int64_t columns, void* device) {
    T* to = Used<T>(kWhat, device, rows * columns, true);
    for (int64_t i = 0; i < rows * columns; ++i)
      to[i] = a[static_cast<size_t>(i % rows * columns + i / rows)];
  }
  void Report(bool ok) { *Used<int32_t>(kWhat, call_.info, 1, true) = ok ? 0 : 1; }

  void Cholesky() {
    const Matrix a = ByRows(call_.a, m_, m_);
    Matrix out(a.size());
    Report(ops::Cholesky(m_, a.data(), out.data()));
    StoreByColumns(out, m_, m_, call_.a);
  }
  void Lu() {
    Matrix a = ByRows(call_.a, m_, m_);
    int64_t* pivots = Used<int64_t>(kWhat, call_.pivots, m_, true);
    const auto at = [&](int64_t i, int64_t j) -> T& { return a[static_cast<size_t>(i * m_ + j)]; };
    bool ok = true;
    for (int64_t k = 0; k < m_; ++k) {
      int64_t best = k;
      for (int64_t i = k + 1; i < m_; ++i)
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      pivots[k] = best + 1;
      for (int64_t j = 0; j < m_ && best != k; ++j) std::swap(at(k, j), at(best, j));
      ok &= at(k, k) != T(0);
      for (int64_t i = k + 1; i < m_ && at(k, k) != T(0); ++i) {
        at(i, k) /= at(k, k);
        for (int64_t j = k + 1; j < m_; ++j) at(i, j) -= at(i, k) * at(k, j);
      }
    }
    Report(ok);
    StoreByColumns(a, m_, m_, call_.a);
  }
  // Solves with L, whose diagonal is 1, and U, or with their transposes in the other order.
  void Solve() {
    const Matrix lu = ByRows(call_.a, m_, m_);
    const int64_t *pivots = Used<int64_t>(kWhat, call_.pivots, m_, false), k = call_.others;
    Matrix x = ByRows(call_.b, m_, k);
    const bool turned = call_.op != MatrixCall::kPlain;
    const auto at = [&](int64_t i, int64_t j) {
      const T e = lu[static_cast<size_t>(turned ? j * m_ + i : i * m_ + j)];
      return call_.op == MatrixCall::kAdjoint ? Conjugated(e) : e;
    };
    const auto swap_rows = [&](int64_t i) {
      for (int64_t j = 0; j < k && pivots[i] - 1 != i; ++j)
        std::swap(x[static_cast<size_t>(i * k + j)],
                  x[static_cast<size_t>((pivots[i] - 1) * k + j)]);
    };
    for (int64_t i = 0; i < m_ && !turned; ++i) swap_rows(i);
    for (const bool forward : {true, false})
      for (int64_t step = 0; step < m_; ++step) {
        const int64_t i = forward ? step : m_ - 1 - step;
        for (int64_t j = 0; j < k; ++j) {
          T& e = x[static_cast<size_t>(i * k + j)];
          for (int64_t p = forward ? 0 : i + 1; p < (forward ? i : m_); ++p)
            e -= at(i, p) * x[static_cast<size_t>(p * k + j)];
          if (forward == turned) e /= at(i, i);
        }
      }
    for (int64_t i = m_ - 1; i >= 0 && turned; --i) swap_rows(i);
    StoreByColumns(x, m_, k, call_.b);
  }
  void Qr() {
    const bool full = call_.others == m_;
    const int64_t p = full ? m_ : std::min(m_, n_);
    const Matrix a = ByRows(call_.a, m_, n_);
    Matrix q(static_cast<size_t>(m_ * p)), r(static_cast<size_t>(p * n_));
    ops::QrDecompose(m_, n_, a.data(), full, q.data(), r.data());
    r.resize(a.size());
    StoreByColumns(r, m_, n_, call_.a);
    StoreByColumns(q, m_, p, call_.b);
    Report(true);
  }
  void StoreValues(const Matrix& values) {
    Real* to = Used<Real>(kWhat, call_.values, static_cast<int64_t>(values.size()), true);
    for (const T& value : values) *to++ = std::real(value);
  }
  void Svd() {
    TENSH_CHECK(m_ >= n_,
                "cuSOLVER decomposes only matrices with at least as many rows as columns");
    const Matrix a = ByRows(call_.a, m_, n_);
    const int64_t width = call_.vectors ? call_.others : 0;
    Matrix s(static_cast<size_t>(n_)), u(static_cast<size_t>(m_ * width)),
        v(static_cast<size_t>(n_ * n_));
    Report(ops::SvdDecompose(m_, n_, a.data(), width == m_, s.data(), width ? u.data() : nullptr,
                             width ? v.data() : nullptr));
    StoreValues(s);
    if (!call_.vectors) return;
    StoreByColumns(u, m_, width, call_.b);
    // V by rows is its transpose by columns.
    T* c = Used<T>(kWhat, call_.c, n_ * n_, true);
    std::transform(v.begin(), v.end(), c, Conjugated<T>);
  }
  void Eigen() {
    const Matrix a = ByRows(call_.a, m_, m_);
    Matrix values(static_cast<size_t>(m_)), vectors(a.size());
    Report(
        ops::SelfAdjointEig(m_, a.data(), values.data(), call_.vectors ? vectors.data() : nullptr));
    StoreValues(values);
    StoreByColumns(vectors, m_, m_, call_.a);
  }

  const MatrixCall call_;
  const int64_t m_, n_;
};

class FakeMathLibraries : public MathLibraries {
 public:
  bool Has(MathLibrary library) override {
    const char* without = std::getenv("TENSH_FAKE_GPU_WITHOUT");
    const std::string_view name = library == MathLibrary::kFft ? "cufft" : "cusolver";
    return !without || std::string_view(without).find(name) == std::string_view::npos;
  }
  Result<size_t> Fft(int, Stream stream, const FftCall& call, void* scratch) override {
    if (!scratch) return kScratch;
    Driver().Note("fft");
    Driver().Do(stream, [call] {
      if (call.wide)
        FakeFft<double>(call).Run();
      else
        FakeFft<float>(call).Run();
    });
    return size_t{0};
  }
  Result<size_t> Matrix(int, Stream stream, const MatrixCall& call, void* scratch) override {
    if (!scratch) return kScratch;
    Driver().Note("matrix");
    Driver().Do(stream, [call] {
      if (call.type == DType::kFloat) FakeMatrix<float>(call).Run();
      if (call.type == DType::kDouble) FakeMatrix<double>(call).Run();
      if (call.type == DType::kComplex64) FakeMatrix<std::complex<float>>(call).Run();
      if (call.type == DType::kComplex128) FakeMatrix<std::complex<double>>(call).Run();
    });
    return size_t{0};
  }

 private:
  static FakeDriver& Driver() { return *FakeDriver::Current(); }
};

}  // namespace

std::unique_ptr<MathLibraries> NewFakeMathLibraries() {
  return std::make_unique<FakeMathLibraries>();
}

}  // namespace tensh::cuda
