#pragma once
// Integer arithmetic that wraps around without undefined behavior, as TensorFlow's kernels do. It
// is done in the unsigned type of at least 32 bits, so that no operand is promoted to int.
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

// Complex multiplication without the C++ operator's recovery of infinities, which TensorFlow's
// vectorized code lacks too.
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
