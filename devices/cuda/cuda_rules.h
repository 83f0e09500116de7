#pragma once
// Combining functions for reductions, with their initial values. NaN wins, as in TensorFlow.
#include <limits>

#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {

struct SumRule {
  template <class T>
  static T First() {
    return T(0);
  }
  template <class T>
  static TENSH_DEVICE T Combine(T a, T b) {
    return a + b;
  }
};
struct ProdRule {
  template <class T>
  static T First() {
    return T(1);
  }
  template <class T>
  static TENSH_DEVICE T Combine(T a, T b) {
    return a * b;
  }
};
struct MaxRule {
  template <class T>
  static T First() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class T>
  static TENSH_DEVICE T Combine(T a, T b) {
    return a < b || b != b ? b : a;
  }
};
struct MinRule {
  template <class T>
  static T First() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class T>
  static TENSH_DEVICE T Combine(T a, T b) {
    return b < a || b != b ? b : a;
  }
};
}  // namespace tensh::cuda
