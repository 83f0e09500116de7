// The C++ type of each numpy number, and a function that calls a template with it. Only for .cc
// files of shell/numpy.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/base/half.h"
#include "shell/client/client.h"

namespace tensh::shell::np {

// A 16-bit float of runtime/base with an implicit conversion, because the loops treat it as a
// number.
template <class Bits>
struct ShortFloat : Bits {
  using Bits::Bits;
  operator float() const {  // NOLINT: implicit
    return static_cast<float>(static_cast<const Bits&>(*this));
  }
};
using Half = ShortFloat<tensh::Half>;
using Bfloat16 = ShortFloat<tensh::Bfloat16>;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;

// maximum and minimum. Complex numbers are ordered by their real parts, then by the imaginary ones;
// a NaN wins.
template <class T>
T Larger(T a, T b) {
  if constexpr (kIsComplex<T>)
    return a.real() > b.real() || (a.real() == b.real() && a.imag() >= b.imag()) ? a : b;
  else
    return a >= b || a != a ? a : b;
}
template <class T>
T Smaller(T a, T b) {
  if constexpr (kIsComplex<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() <= b.imag()) ? a : b;
  else
    return a <= b || a != a ? a : b;
}

// Calls fn.template operator()<T>() with the element type of a dtype. Returns false for text and
// objects.
template <class F>
bool WithType(int dtype, F fn) {
  switch (dtype) {
    case TSH_BOOL:
      fn.template operator()<bool>();
      return true;
    case TSH_INT8:
      fn.template operator()<int8_t>();
      return true;
    case TSH_UINT8:
      fn.template operator()<uint8_t>();
      return true;
    case TSH_INT16:
      fn.template operator()<int16_t>();
      return true;
    case TSH_UINT16:
      fn.template operator()<uint16_t>();
      return true;
    case TSH_INT32:
      fn.template operator()<int32_t>();
      return true;
    case TSH_UINT32:
      fn.template operator()<uint32_t>();
      return true;
    case TSH_INT64:
      fn.template operator()<int64_t>();
      return true;
    case TSH_UINT64:
      fn.template operator()<uint64_t>();
      return true;
    case TSH_HALF:
      fn.template operator()<Half>();
      return true;
    case TSH_BFLOAT16:
      fn.template operator()<Bfloat16>();
      return true;
    case TSH_FLOAT:
      fn.template operator()<float>();
      return true;
    case TSH_DOUBLE:
      fn.template operator()<double>();
      return true;
    case TSH_COMPLEX64:
      fn.template operator()<std::complex<float>>();
      return true;
    case TSH_COMPLEX128:
      fn.template operator()<std::complex<double>>();
      return true;
    default:
      return false;
  }
}

// Converts like a C cast. If C leaves the result undefined (a float outside the range of the
// integer type), returns the result of x86.
template <class D, class S>
D Convert(S v) {
  if constexpr (kIsComplex<S>) {
    if constexpr (kIsComplex<D>)
      return D(static_cast<typename D::value_type>(v.real()),
               static_cast<typename D::value_type>(v.imag()));
    else if constexpr (std::is_same_v<D, bool>)
      return v.real() != 0 || v.imag() != 0;
    else
      return Convert<D>(v.real());
  } else if constexpr (kIsHalf<S>) {
    return Convert<D>(static_cast<float>(v));
  } else if constexpr (kIsComplex<D>) {
    return D(static_cast<typename D::value_type>(v), 0);
  } else if constexpr (kIsHalf<D>) {
    return D(static_cast<float>(v));
  } else if constexpr (std::is_same_v<D, bool>) {
    return v != S{};
  } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D>) {
    using Wide =
        std::conditional_t<sizeof(D) == 8 || std::is_same_v<D, uint32_t>, int64_t, int32_t>;
    const double d = static_cast<double>(v);
    const double top = sizeof(Wide) == 8 ? 9223372036854775808.0 : 2147483648.0;
    if (std::is_same_v<D, uint64_t> && d >= top && d < 2 * top)
      return static_cast<D>(static_cast<uint64_t>(d));
    if (!(d < top && d > -top - (sizeof(Wide) == 8 ? 0 : 1)))
      return static_cast<D>(std::numeric_limits<Wide>::min());
    return static_cast<D>(static_cast<Wide>(d));
  } else {
    return static_cast<D>(v);
  }
}

}  // namespace tensh::shell::np
