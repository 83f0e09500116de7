#pragma once
// Arithmetic that wraps around on integers, as TensorFlow's kernels do, without undefined
// behaviour: the work is done in the unsigned type (at least 32 bits wide, so that nothing is
// promoted to int).
#include <complex>
#include <string>
#include <type_traits>

namespace tensh::ops {

template <class T>
using WrapType = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <class T>
T WrapAdd(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<WrapType<T>>(x) + static_cast<WrapType<T>>(y));
  else
    return x + y;
}
inline std::string WrapAdd(const std::string& x, const std::string& y) { return x + y; }

template <class T>
T WrapSub(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<WrapType<T>>(x) - static_cast<WrapType<T>>(y));
  else
    return x - y;
}

template <class T>
T WrapMul(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<WrapType<T>>(x) * static_cast<WrapType<T>>(y));
  else
    return x * y;
}

// Without the search for infinities that the C++ operator makes: TensorFlow's vectors have none.
template <class T>
std::complex<T> WrapMul(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

template <class T>
T WrapNeg(T x) {
  if constexpr (std::is_integral_v<T>)
    return WrapSub(T{0}, x);
  else
    return -x;
}

}  // namespace tensh::ops
