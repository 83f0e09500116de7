#pragma once
// Transcendental functions. Each is a struct of static functions over one element: Libm (what the C
// library gives) and, where a vectorisable form pays, Vector (the same algorithms TensorFlow's
// kernels use, without branches). TensorFlow computes whole vectors of 32 bytes with the latter and
// the rest of an array with the former; so do we, so that printed digits agree.
#include <cmath>

#include "ops/support/elementwise.h"

namespace tensh::ops {

struct VecExp {
  template <class T>
  static T Libm(T x) {
    return std::exp(x);
  }
};
struct VecLog {
  template <class T>
  static T Libm(T x) {
    return std::log(x);
  }
};
struct VecTanh {
  template <class T>
  static T Libm(T x) {
    return std::tanh(x);
  }
};
struct VecSigmoid {
  template <class T>
  static T Libm(T x) {
    return T{1} / (T{1} + std::exp(-x));
  }
};

// out[i] = F(in[i]); out may be in.
template <class T, class F>
void ApplyVector(T* out, const T* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = F::Libm(in[i]);
}

template <class T, class F>
Status MapVector(KernelCtx& c) {
  return MapUnary<T>(
      c, [](T x) { return F::Libm(x); }, 4);
}

}  // namespace tensh::ops
