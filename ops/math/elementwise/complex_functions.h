#pragma once
// Functions of complex numbers that the C++ library lacks.
#include <cmath>
#include <complex>

#include "ops/support/complex_types.h"

namespace tensh::ops {

// Returns log(1 + z), accurate for small z: log |1 + z| = log1p(2 x + |z|^2) / 2.
template <class T>
std::complex<T> ComplexLog1p(std::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (!(std::abs(x) < T(0.5) && std::abs(y) < T(0.5))) return std::log(T{1} + z);
  return {std::log1p(T{2} * x + x * x + y * y) / T{2}, std::atan2(y, T{1} + x)};
}

// Returns exp(z) - 1 = expm1(x) cos y - 2 sin^2(y / 2) + i exp(x) sin y.
template <class T>
std::complex<T> ComplexExpm1(std::complex<T> z) {
  const T x = z.real(), y = z.imag(), half = std::sin(y / T{2});
  return {std::expm1(x) * std::cos(y) - T{2} * half * half, std::exp(x) * std::sin(y)};
}

template <class T>
T Log1pOf(T x) {
  if constexpr (kIsComplex<T>)
    return ComplexLog1p(x);
  else
    return std::log1p(x);
}

}  // namespace tensh::ops
