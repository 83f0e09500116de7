// FftPlan against the definition of the transform, for lengths with and without small factors.
#include "ops/math/fft/fft_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace tensh::ops {
namespace {

constexpr int64_t kSequences = 3;

template <class T>
T ElementOf(int64_t i) {
  return static_cast<T>(std::sin(1.7 * static_cast<double>(i) + 0.3));
}

std::complex<double> Direct(int64_t n, int64_t sequence, int64_t k, double sign) {
  std::complex<double> sum;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t at = j * kSequences + sequence;
    sum += std::complex<double>(ElementOf<double>(at), ElementOf<double>(-3 * at)) *
           std::polar(1.0, sign * 2 * 3.14159265358979323846 * static_cast<double>(j * k % n) /
                               static_cast<double>(n));
  }
  return sum;
}

template <class T>
void Check(int64_t n, bool inverse, double tolerance) {
  const FftPlan<T> plan(n, inverse);
  const FftBuffers<T> buffers(HostAllocator(), plan, kSequences);
  for (int64_t i = 0; i < n * kSequences; ++i) {
    buffers.x().re[i] = ElementOf<T>(i);
    buffers.x().im[i] = ElementOf<T>(-3 * i);
  }
  const ComplexParts<T> y = plan.Run(buffers.x(), kSequences, buffers.work());
  for (int64_t k = 0; k < n; ++k)
    for (int64_t s = 0; s < kSequences; ++s) {
      const std::complex<double> wanted = Direct(n, s, k, inverse ? 1 : -1);
      const int64_t at = k * kSequences + s;
      ASSERT_NEAR(static_cast<double>(y.re[at]), wanted.real(), tolerance) << n << " " << k;
      ASSERT_NEAR(static_cast<double>(y.im[at]), wanted.imag(), tolerance) << n << " " << k;
    }
}

TEST(FftPlan, AgreesWithTheDefinition) {
  for (int64_t n :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 31, 32, 37, 60, 64, 74, 97, 143, 210, 256, 512}) {
    for (bool inverse : {false, true}) {
      Check<float>(n, inverse, 2e-4);
      Check<double>(n, inverse, 1e-11);
    }
  }
}

}  // namespace
}  // namespace tensh::ops
