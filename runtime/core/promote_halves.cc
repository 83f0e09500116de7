#include "runtime/core/promote_halves.h"

// glibc's header is C, which clang does not accept as C++.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__clang__)
#include <immintrin.h>
#include <sys/platform/x86.h>
#define TENSH_CONVERT_VECTORS
#define TENSH_AVX512 "avx512f,avx512dq,avx512bw,avx512vl"
#endif

namespace tensh {
namespace {

template <class T>
inline __attribute__((always_inline)) void Widen(const T* __restrict from, float* __restrict to,
                                                 int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

template <class T>
inline __attribute__((always_inline)) void NarrowAll(const float* __restrict from, T* __restrict to,
                                                     int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = Narrow<T>(from[i]);
}

#ifdef TENSH_CONVERT_VECTORS
// The instructions change the bits of NaNs, so groups that contain one are converted one element at a time.
__attribute__((target("avx2,f16c"))) void WidenF16c(const Half* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    const __m256 floats = _mm256_cvtph_ps(halves);
    if (_mm256_movemask_ps(_mm256_cmp_ps(floats, floats, _CMP_UNORD_Q)) != 0)
      Widen(from + i, to + i, 8);
    else
      _mm256_storeu_ps(to + i, floats);
  }
  Widen(from + i, to + i, n - i);
}

// Groups with the largest float, for which Narrow has an exception, are converted by it as well.
__attribute__((target("avx2,f16c"))) void NarrowF16c(const float* from, Half* to, int64_t n) {
  const __m256 positive = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  const __m256 most = _mm256_set1_ps(std::numeric_limits<float>::max());
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 floats = _mm256_loadu_ps(from + i), size = _mm256_and_ps(floats, positive);
    // Not less: the largest float, infinity or NaN.
    if (_mm256_movemask_ps(_mm256_cmp_ps(size, most, _CMP_NLT_UQ)) != 0)
      NarrowAll(from + i, to + i, 8);
    else
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
  }
  NarrowAll(from + i, to + i, n - i);
}

// The same with twice as wide vectors.
__attribute__((target(TENSH_AVX512))) void WidenAvx512(const Half* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    const __m512 floats = _mm512_maskz_cvtph_ps(__mmask16{0xffff}, halves);
    if (_mm512_cmp_ps_mask(floats, floats, _CMP_UNORD_Q) != 0)
      Widen(from + i, to + i, 16);
    else
      _mm512_storeu_ps(to + i, floats);
  }
  Widen(from + i, to + i, n - i);
}

__attribute__((target(TENSH_AVX512))) void NarrowAvx512(const float* from, Half* to, int64_t n) {
  const __m512 most = _mm512_set1_ps(std::numeric_limits<float>::max());
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512 floats = _mm512_loadu_ps(from + i);
    const __m256i halves =
        _mm512_maskz_cvtps_ph(__mmask16{0xffff}, floats, _MM_FROUND_TO_NEAREST_INT);
    if (_mm512_cmp_ps_mask(_mm512_abs_ps(floats), most, _CMP_NLT_UQ) != 0)
      NarrowAll(from + i, to + i, 16);
    else
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), halves);
  }
  NarrowAll(from + i, to + i, n - i);
}

__attribute__((target("avx2"))) void WidenAvx2(const Bfloat16* from, float* to, int64_t n) {
  Widen(from, to, n);
}

__attribute__((target("avx2"))) void NarrowAvx2(const float* from, Bfloat16* to, int64_t n) {
  NarrowAll(from, to, n);
}

bool HasAvx2() { return CPU_FEATURE_ACTIVE(AVX2); }
bool HasF16c() { return HasAvx2() && CPU_FEATURE_ACTIVE(F16C); }
bool HasAvx512() {
  return HasF16c() && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512DQ) &&
         CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512VL);
}
#endif

}  // namespace

#ifdef TENSH_CONVERT_VECTORS
void WidenHalves(const Half* from, float* to, int64_t n) {
  HasAvx512() ? WidenAvx512(from, to, n) : HasF16c() ? WidenF16c(from, to, n) : Widen(from, to, n);
}
void WidenHalves(const Bfloat16* from, float* to, int64_t n) {
  HasAvx2() ? WidenAvx2(from, to, n) : Widen(from, to, n);
}
void NarrowToHalves(const float* from, Half* to, int64_t n) {
  HasAvx512() ? NarrowAvx512(from, to, n)
  : HasF16c() ? NarrowF16c(from, to, n)
              : NarrowAll(from, to, n);
}
void NarrowToHalves(const float* from, Bfloat16* to, int64_t n) {
  HasAvx2() ? NarrowAvx2(from, to, n) : NarrowAll(from, to, n);
}
#else
void WidenHalves(const Half* from, float* to, int64_t n) { Widen(from, to, n); }
void WidenHalves(const Bfloat16* from, float* to, int64_t n) { Widen(from, to, n); }
void NarrowToHalves(const float* from, Half* to, int64_t n) { NarrowAll(from, to, n); }
void NarrowToHalves(const float* from, Bfloat16* to, int64_t n) { NarrowAll(from, to, n); }
#endif

}  // namespace tensh
