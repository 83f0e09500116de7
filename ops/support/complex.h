#pragma once
// Complex element types, and the conjugate that TensorFlow's gradients put in.
#include <complex>
#include <type_traits>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// The conjugate; a real number is its own.
template <class T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}

// TensorFlow's gradients are those of a real loss: where a factor is complex, its conjugate goes
// in.
inline Out Conj(GradScope& g, Out t) { return t && IsComplex(g.dtype(t)) ? g.Op("Conj", {t}) : t; }

}  // namespace tensh::ops
