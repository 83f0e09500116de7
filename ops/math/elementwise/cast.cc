// Cast: conversion between element types. Conversions that C++ leaves undefined give the result of
// x86, as TensorFlow does.
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "ops/math/elementwise/scale_chain.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "runtime/core/half.h"
#include "runtime/core/small_types.h"

namespace tensh::ops {
namespace {

// Converts like x86's instructions: NaN and values out of range give the smallest integer.
template <class To, class From>
To Truncate(From x) {
  constexpr From kLimit = static_cast<From>(uint64_t{1} << (sizeof(To) * 8 - 1));
  return x >= -kLimit && x < kLimit ? static_cast<To>(x) : std::numeric_limits<To>::min();
}

// Converts a float to an integer as TensorFlow's x86 build does. An out-of-range value gives the
// low bits of the machine's conversion to a wider type. The behavior is never undefined.
template <class To, class From>
To FloatToInt(From x) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    constexpr From kHalf = static_cast<From>(uint64_t{1} << 63);
    if (x >= kHalf)
      return static_cast<uint64_t>(Truncate<int64_t>(x - kHalf)) ^ uint64_t { 1 } << 63;
    return static_cast<uint64_t>(Truncate<int64_t>(x));
  } else if constexpr (std::is_same_v<To, int64_t> || std::is_same_v<To, uint32_t>) {
    return static_cast<To>(Truncate<int64_t>(x));
  } else {
    return static_cast<To>(Truncate<int32_t>(x));
  }
}

// 16-bit floats are converted by way of float. Complex numbers lose their imaginary part if the
// target is real.
template <class To, class From>
To CastElement(From x) {
  if constexpr (kIsHalf<From>)
    return CastElement<To>(static_cast<float>(x));
  else if constexpr (kIsComplex<To> && kIsComplex<From>)
    return To(x);
  else if constexpr (kIsComplex<To>)
    return To(CastElement<typename To::value_type>(x));
  else if constexpr (kIsComplex<From>)
    return CastElement<To>(x.real());
  else if constexpr (kIsHalf<To>)
    return To(CastElement<float>(x));
  else if constexpr (std::is_same_v<To, bool>)
    return x != From{0};
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return FloatToInt<To>(x);
  else
    return static_cast<To>(x);
}

template <class To, class From>
struct CastRow {
  TENSH_ALWAYS_INLINE static void Run(To* out, const From* in, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = CastElement<To>(in[i]);
  }
};

using CastFn = void (*)(void* out, const void* in, int64_t n);

// True for the conversions that are compiled for each instruction set; there are too many others.
template <class To, class From>
constexpr bool kOften = (std::is_same_v<From, float> &&
                         (kIsHalf<To> || std::is_same_v<To, int32_t>)) ||
                        (std::is_same_v<To, float> &&
                         (kIsHalf<From> || std::is_same_v<From, int32_t> ||
                          std::is_same_v<From, uint8_t> || std::is_same_v<From, bool>));

#if TENSH_ISA_VARIANTS
// AVX-512 converts to half in one instruction. NaN is replaced by that of FloatToHalf.
__attribute__((target(TENSH_TARGET_AVX512))) void CastToHalf(Half* out, const float* in,
                                                             int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512 x = _mm512_loadu_ps(in + i);
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i sign = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MIN));
    const __m512i quiet = _mm512_or_si512(sign, _mm512_set1_epi32(0x7fc00000));
    const __m512 clean = _mm512_mask_blend_ps(nan, x, _mm512_castsi512_ps(quiet));
    // The masked form has no undefined operand, of which g++ 12 warns.
    const __m256i halves = _mm512_maskz_cvtps_ph(__mmask16{0xffff}, clean,
                                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), halves);
  }
  for (; i < n; ++i) out[i] = Half(in[i]);
}
#endif

template <class To, class From>
void CastRange(void* out, const void* in, int64_t n) {
#if TENSH_ISA_VARIANTS
  if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, float>)
    if (CpuIsa() == Isa::kAvx512)
      return CastToHalf(static_cast<Half*>(out), static_cast<const float*>(in), n);
#endif
  if constexpr (kOften<To, From>)
    Dispatch<CastRow<To, From>>(static_cast<To*>(out), static_cast<const From*>(in), n);
  else
    CastRow<To, From>::Run(static_cast<To*>(out), static_cast<const From*>(in), n);
}

template <class... Ts>
struct TypeList {};
using PlainTypes = TypeList<float, double, int32_t, int64_t, bool, uint8_t, int8_t, int16_t,
                            uint16_t, uint32_t, uint64_t, Half, Bfloat16, Complex64, Complex128>;

template <class To, class... Froms>
CastFn FindFrom(DType from, TypeList<Froms...>) {
  CastFn fn = nullptr;
  ((from == kDTypeOf<Froms> ? void(fn = CastRange<To, Froms>) : void()), ...);
  return fn;
}

template <class... Tos>
CastFn FindCast(DType from, DType to, TypeList<Tos...> types) {
  CastFn fn = nullptr;
  ((to == kDTypeOf<Tos> ? void(fn = FindFrom<Tos>(from, types)) : void()), ...);
  return fn;
}

// Small types are converted by way of a type that has all of their values.
DType WideType(DType t) { return IsFloat8(t) ? DType::kFloat : IsInt4(t) ? DType::kInt32 : t; }

struct CastState : JoinedState {
  DType from = DType::kInvalid, to = DType::kInvalid;
  CastFn fn = nullptr;  // between the wide types; null if they are equal
};

Result<std::unique_ptr<KernelState>> PrepareCast(PrepareCtx& c) {
  const DType from = BaseType(c.input_dtype(0)), to = BaseType(c.output_dtype(0));
  auto state = std::make_unique<CastState>();
  state->from = from;
  state->to = to;
  state->join = JoinScaleChain;
  if (WideType(from) != WideType(to)) {
    state->fn = FindCast(WideType(from), WideType(to), PlainTypes());
    if (!state->fn)
      return Unimplemented("Cast ", SignatureName(from), " to ", SignatureName(to),
                           " is not supported");
  }
  return {std::move(state)};
}

void Widen(DType t, void* out, const char* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const auto byte = static_cast<uint8_t>(in[i]);
    if (IsFloat8(t))
      static_cast<float*>(out)[i] = Float8ToFloat(t, byte);
    else
      static_cast<int32_t*>(out)[i] = Int4Value(t, byte);
  }
}

void Narrow(DType t, char* out, const void* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<char>(
        IsFloat8(t) ? FloatToFloat8(t, static_cast<const float*>(in)[i])
                    : Int4Value(t, static_cast<uint32_t>(static_cast<const int32_t*>(in)[i])));
}

// Converts from or to small types, in pieces that fit the cache.
void CastSmall(const CastState& s, char* out, const char* in, int64_t n) {
  constexpr int64_t kPiece = 256;
  alignas(16) char wide[2][kPiece * 16];
  const int64_t from_size = SizeOf(s.from), to_size = SizeOf(s.to);
  for (int64_t at = 0; at < n; at += kPiece) {
    const int64_t piece = std::min(kPiece, n - at);
    const void* values = in + at * from_size;
    char* to = out + at * to_size;
    if (IsSmallType(s.from)) {
      Widen(s.from, wide[0], in + at, piece);
      values = wide[0];
    }
    if (s.fn) {
      void* target = IsSmallType(s.to) ? wide[1] : to;
      s.fn(target, values, piece);
      values = target;
    } else if (!IsSmallType(s.to)) {
      std::memcpy(to, values, static_cast<size_t>(piece * to_size));
    }
    if (IsSmallType(s.to)) Narrow(s.to, to, values, piece);
  }
}

Status Cast(KernelCtx& c) {
  const auto& s = c.state<CastState>();
  const Tensor& x = c.in(0);
  const bool small = IsSmallType(s.from) || IsSmallType(s.to);
  if (s.from == s.to || (!s.fn && !small)) {
    c.SetOutput(0, x);
    return {};
  }
  const int64_t n = x.num_elements();
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  char* out = static_cast<char*>(y->raw());
  const char* in = static_cast<const char*>(x.raw());
  const int64_t from_size = SizeOf(s.from), to_size = SizeOf(s.to);
  c.ParallelFor(n, small ? 2 : 0.4, [&](int64_t begin, int64_t end) {
    if (small)
      CastSmall(s, out + begin * to_size, in + begin * from_size, end - begin);
    else
      s.fn(out + begin * to_size, in + begin * from_size, end - begin);
  });
  return {};
}

// A gradient flows only between floating-point types.
Status CastGrad(GradScope& g) {
  const DType from = g.dtype(g.x(0)), to = g.dtype(g.dy());
  auto continuous = [](DType t) { return IsFloating(t) || IsComplex(t); };
  if (!continuous(from) || !continuous(to)) return g.Return({Out()});
  return g.Return({GradCast(g, g.dy(), from)});
}

}  // namespace

TENSH_OPS(math_elementwise_cast) {
  r.Op({.name = "Cast",
        .inputs = "x: SrcT",
        .outputs = "y: DstT",
        .attrs = "SrcT: type, DstT: type, Truncate: bool = false",
        .doc =
            "Converts elements to another type. x: the elements, of type SrcT. DstT: the new type; "
            "floats converted to integers lose their fraction, and everything except 0 becomes "
            "True. Truncate: when a float becomes a shorter one, truncate instead of rounding.",
        .shape = SameAsInput<0>,
        .grad = CastGrad,
        .elementwise = Elementwise::kSameShape,
        .role = OpRole::kCast,
        .examples = {{"tf.cast([1.8, -1.8], tf.int32)", "[ 1 -1]"},
                     {"tf.cast([0, 2], tf.bool)", "[False  True]"}}})
      .CpuAny(Cast, PrepareCast);
}

}  // namespace tensh::ops
