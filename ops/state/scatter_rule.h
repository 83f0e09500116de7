#pragma once
// Rules that update one element of a variable, shared by the scatter ops. Integers wrap around.
#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

#include "ops/support/wrap.h"

namespace tensh::ops {

struct AddRule {
  template <class T>
  static void Apply(T& y, T x) {
    y = WrapAdd(y, x);
  }
};
struct SubRule {
  template <class T>
  static void Apply(T& y, T x) {
    y = WrapSub(y, x);
  }
};
struct MulRule {
  template <class T>
  static void Apply(T& y, T x) {
    y = WrapMul(y, x);
  }
};
// An integer division by 0 stores 0 instead of trapping. Callers reject it beforehand.
struct DivRule {
  template <class T>
  static void Apply(T& y, T x) {
    if constexpr (std::is_integral_v<T>) {
      if (x == 0) {
        y = 0;
      } else if (std::is_signed_v<T> && x == static_cast<T>(-1)) {
        y = WrapNeg(y);
      } else {
        y = static_cast<T>(y / x);
      }
    } else {
      y = y / x;
    }
  }
};
struct MinRule {
  template <class T>
  static void Apply(T& y, T x) {
    y = std::min(y, x);
  }
};
struct MaxRule {
  template <class T>
  static void Apply(T& y, T x) {
    y = std::max(y, x);
  }
};

}  // namespace tensh::ops
