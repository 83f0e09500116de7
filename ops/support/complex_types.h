#pragma once
// Complex element types, and the conjugates in TensorFlow's gradient formulas.
#include <complex>
#include <type_traits>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// Returns the conjugate; a real number is unchanged.
template <class T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}

// Returns the conjugate of a complex tensor and `t` itself otherwise. TensorFlow's gradients are
// those of a real loss, so a complex factor enters a gradient conjugated.
inline Out Conj(GradScope& g, Out t) { return t && IsComplex(g.dtype(t)) ? g.Op("Conj", {t}) : t; }

}  // namespace tensh::ops
