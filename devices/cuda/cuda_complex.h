#pragma once
// Complex numbers for device code, where std::complex is not available.
#include <complex>

#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {

template <class T>
struct Complex {
  T re, im;

  Complex() = default;
  TENSH_BOTH constexpr Complex(T real, T imag = 0) : re(real), im(imag) {}

  friend TENSH_BOTH Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend TENSH_BOTH Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend TENSH_BOTH Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend TENSH_BOTH Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  // Scaled (Smith, CACM 1962), so that intermediate results do not overflow if the quotient does
  // not.
  friend TENSH_BOTH Complex operator/(Complex a, Complex b) {
    const bool wide = std::abs(b.re) >= std::abs(b.im);
    const T ratio = wide ? b.im / b.re : b.re / b.im;
    const T size = wide ? b.re + b.im * ratio : b.re * ratio + b.im;
    return wide ? Complex{(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size}
                : Complex{(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
  }
  friend TENSH_BOTH bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

// The type by which device code accesses elements of T.
template <class T>
struct SeenAs {
  using Type = T;
};
template <class T>
struct SeenAs<std::complex<T>> {
  using Type = Complex<T>;
};
template <class T>
using Seen = typename SeenAs<T>::Type;

}  // namespace tensh::cuda
