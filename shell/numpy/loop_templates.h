// Templates of the inner loops. An operation is a struct with `template <class T> kFor`, which
// tells whether it supports a type, and Do. Only for the .cc files of ufuncs.
#pragma once

#include <cmath>

#include "shell/numpy/array.h"
#include "shell/numpy/element.h"

namespace tensh::shell::np {

template <class Op, class T>
using ResultOf1 = decltype(Op::Do(T{}));
template <class Op, class T>
using ResultOf2 = decltype(Op::Do(T{}, T{}));

template <class Op, class T>
void Loop1(char** p, int64_t n, const int64_t* steps) {
  using R = ResultOf1<Op, T>;
  if (steps[0] == sizeof(T) && steps[1] == sizeof(R)) {
    const T* in = reinterpret_cast<const T*>(p[0]);
    R* out = reinterpret_cast<R*>(p[1]);
    for (int64_t i = 0; i < n; ++i) out[i] = Op::Do(in[i]);
    return;
  }
  const char* in = p[0];
  char* out = p[1];
  for (int64_t i = 0; i < n; ++i, in += steps[0], out += steps[1])
    *reinterpret_cast<R*>(out) = Op::Do(*reinterpret_cast<const T*>(in));
}

template <class Op, class T>
void Loop2(char** p, int64_t n, const int64_t* steps) {
  using R = ResultOf2<Op, T>;
  constexpr int64_t kSize = sizeof(T);
  if (steps[2] == sizeof(R)) {
    const T* a = reinterpret_cast<const T*>(p[0]);
    const T* b = reinterpret_cast<const T*>(p[1]);
    R* out = reinterpret_cast<R*>(p[2]);
    if (steps[0] == kSize && steps[1] == kSize) {
      for (int64_t i = 0; i < n; ++i) out[i] = Op::Do(a[i], b[i]);
      return;
    }
    if (steps[0] == kSize && steps[1] == 0) {
      const T right = *b;
      for (int64_t i = 0; i < n; ++i) out[i] = Op::Do(a[i], right);
      return;
    }
  }
  const char* a = p[0];
  const char* b = p[1];
  char* out = p[2];
  for (int64_t i = 0; i < n; ++i, a += steps[0], b += steps[1], out += steps[2]) {
    *reinterpret_cast<R*>(out) =
        Op::Do(*reinterpret_cast<const T*>(a), *reinterpret_cast<const T*>(b));
  }
}

template <class Op>
InnerLoop Find1(int dtype) {
  InnerLoop loop = nullptr;
  WithType(dtype, [&]<class T>() {
    if constexpr (!kIsHalf<T>)
      if constexpr (Op::template kFor<T>) loop = Loop1<Op, T>;
  });
  return loop;
}

template <class Op>
InnerLoop Find2(int dtype) {
  InnerLoop loop = nullptr;
  WithType(dtype, [&]<class T>() {
    if constexpr (!kIsHalf<T>)
      if constexpr (Op::template kFor<T>) loop = Loop2<Op, T>;
  });
  return loop;
}

template <class T>
inline constexpr bool kIsBool = std::is_same_v<T, bool>;
template <class T>
inline constexpr bool kIsInt = std::is_integral_v<T> && !kIsBool<T>;
template <class T>
inline constexpr bool kIsReal = std::is_floating_point_v<T>;

// Integer arithmetic wraps. It is computed in an unsigned type that is at least as wide as unsigned
// int, because narrower types would be promoted to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

}  // namespace tensh::shell::np
