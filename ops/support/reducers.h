#pragma once
// Reducers that several ops use.
#include <limits>

#include "ops/support/wrap.h"

namespace tensh::ops {

template <class T>
struct SumReducer {
  static T Identity() { return T{0}; }
  static T Combine(T a, T b) { return WrapAdd(a, b); }
};

template <class T>
struct ProdReducer {
  static T Identity() { return T{1}; }
  static T Combine(T a, T b) { return WrapMul(a, b); }
};

// A NaN takes precedence, as in TensorFlow.
template <class T>
struct MaxReducer {
  static T Identity() {
    return std::is_integral_v<T> ? std::numeric_limits<T>::lowest()
                                 : -std::numeric_limits<T>::infinity();
  }
  static T Combine(T a, T b) { return b > a || b != b ? b : a; }
};

template <class T>
struct MinReducer {
  static T Identity() {
    return std::is_integral_v<T> ? std::numeric_limits<T>::max()
                                 : std::numeric_limits<T>::infinity();
  }
  static T Combine(T a, T b) { return b < a || b != b ? b : a; }
};

}  // namespace tensh::ops
