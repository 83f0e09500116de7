#include <cstring>

#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {
namespace {

// Element types that are only made here: the bits of a half, of a bfloat16; complex numbers.
struct HalfBits {
  uint16_t bits;
};
struct BfloatBits {
  uint16_t bits;
};
template <class T>
struct Pair {
  T re, im;
};

// The nearest, ties to even.
TENSH_DEVICE inline HalfBits ToHalf(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  const uint32_t sign = x >> 16 & 0x8000u;
  x &= 0x7fffffffu;
  if (x >= 0x47800000u)  // too large, infinite, or nan
    return {static_cast<uint16_t>(sign | (x > 0x7f800000u ? 0x7e00u : 0x7c00u))};
  if (x >= 0x38800000u)
    return {static_cast<uint16_t>(sign | (x - 0x38000000u + 0xfffu + (x >> 13 & 1u)) >> 13)};
  float small;  // the sum's last bit is a half's last bit
  memcpy(&small, &x, sizeof small);
  small += 0.5f;
  memcpy(&x, &small, sizeof x);
  return {static_cast<uint16_t>(sign | (x - 0x3f000000u))};
}
TENSH_DEVICE inline BfloatBits ToBfloat(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  if ((x & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>(x >> 16 | 0x40u)};
  return {static_cast<uint16_t>((x + 0x7fffu + (x >> 16 & 1u)) >> 16)};
}

template <class To>
struct Convert {
  template <class From>
  TENSH_DEVICE To operator()(From x) const {
    return static_cast<To>(x);
  }
};
template <>
struct Convert<bool> {
  template <class From>
  TENSH_DEVICE bool operator()(From x) const {
    return x != From(0);
  }
};
template <>
struct Convert<HalfBits> {
  template <class From>
  TENSH_DEVICE HalfBits operator()(From x) const {
    return ToHalf(static_cast<float>(x));
  }
};
template <>
struct Convert<BfloatBits> {
  template <class From>
  TENSH_DEVICE BfloatBits operator()(From x) const {
    return ToBfloat(static_cast<float>(x));
  }
};
template <class T>
struct Convert<Pair<T>> {
  template <class From>
  TENSH_DEVICE Pair<T> operator()(From x) const {
    return {static_cast<T>(x), T(0)};
  }
};

// From floats an integer out of range is what the machine makes of it.
template <class From, class To>
Status CastTo(KernelCtx& c) {
  const auto in = In<From>(c.in(0));
  TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
  const auto out = Out<To>(y);
  return ForEach(c, y->num_elements(),
                 [=] TENSH_DEVICE(int64_t i) { out[i] = Convert<To>()(in[i]); });
}

struct Cast {
  template <class From>
  Status operator()(KernelCtx& c) const {
    static constexpr struct {
      DType to;
      KernelFn fn;
    } kRows[] = {{DType::kFloat, CastTo<From, float>},
                 {DType::kDouble, CastTo<From, double>},
                 {DType::kInt32, CastTo<From, int32_t>},
                 {DType::kInt64, CastTo<From, int64_t>},
                 {DType::kBool, CastTo<From, bool>},
                 {DType::kUint8, CastTo<From, uint8_t>},
                 {DType::kInt8, CastTo<From, int8_t>},
                 {DType::kInt16, CastTo<From, int16_t>},
                 {DType::kUint16, CastTo<From, uint16_t>},
                 {DType::kUint32, CastTo<From, uint32_t>},
                 {DType::kUint64, CastTo<From, uint64_t>},
                 {DType::kHalf, CastTo<From, HalfBits>},
                 {DType::kBfloat16, CastTo<From, BfloatBits>},
                 {DType::kComplex64, CastTo<From, Pair<float>>},
                 {DType::kComplex128, CastTo<From, Pair<double>>}};
    for (const auto& row : kRows)
      if (row.to == c.out_dtype(0)) return row.fn(c);
    return Unimplemented("a cast to ", Name(c.out_dtype(0)), " on a GPU");
  }
};

}  // namespace

TENSH_CUDA_KERNELS(math_cast) {
  r.Add<float, double, int32_t, int64_t, bool, uint8_t>("Cast", Cast(), {.type_attr = "SrcT"});
}

}  // namespace tensh::cuda
