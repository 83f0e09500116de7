#include "ops/math/elementwise/scale_steps.h"

#include <algorithm>
#include <cmath>

#include "ops/support/isa.h"

#if TENSH_ISA_VARIANTS
#include <immintrin.h>
#endif

namespace tensh::ops {

#if TENSH_ISA_VARIANTS
namespace {
__attribute__((target(TENSH_TARGET_AVX512))) __m512i VectorAt(const std::vector<int32_t>& v,
                                                              int64_t i) {
  return _mm512_loadu_si512(v.data() + i);
}
}  // namespace

__attribute__((target(TENSH_TARGET_AVX512))) void ScaleIntegers(const Integers& s,
                                                                const int32_t* sums, int64_t n,
                                                                uint8_t* out) {
  const __m512i unit = _mm512_set1_epi32(1), half = _mm512_set1_epi64(int64_t{1} << 30);
  const __m512i zero = _mm512_set1_epi32(s.zero), low = _mm512_set1_epi32(s.low);
  const __m512i high = _mm512_set1_epi32(s.high), none = _mm512_setzero_si512();
  constexpr __mmask16 kAll = 0xffff;
  for (int64_t i = 0; i < n; i += 16) {
    const auto mask = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1u << (n - i)) - 1);
    __m512i x = _mm512_maskz_loadu_epi32(mask, sums + i);
    x = _mm512_add_epi32(x, VectorAt(s.bias, i));
    const __m512i factor = VectorAt(s.factor, i);
    __m512i even = _mm512_maskz_mul_epi32(0xff, x, factor);
    __m512i odd = _mm512_maskz_mul_epi32(0xff, _mm512_maskz_srli_epi64(0xff, x, 32),
                                         _mm512_maskz_srli_epi64(0xff, factor, 32));
    even = _mm512_maskz_srai_epi64(0xff, _mm512_add_epi64(even, half), 31);
    odd = _mm512_maskz_srai_epi64(0xff, _mm512_add_epi64(odd, half), 31);
    x = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_maskz_slli_epi64(0xff, odd, 32));
    // Halves go away from zero: a negative number is rounded as if it were smaller by one unit.
    const __m512i right = VectorAt(s.right, i);
    const __mmask16 shifts = _mm512_cmpgt_epi32_mask(right, none);
    const __m512i before = _mm512_maskz_sub_epi32(kAll, right, unit);
    const __m512i nudge = _mm512_maskz_sllv_epi32(shifts, unit, before);
    x = _mm512_add_epi32(x, nudge);
    x = _mm512_mask_sub_epi32(x, shifts & _mm512_cmplt_epi32_mask(_mm512_sub_epi32(x, nudge), none),
                              x, unit);
    x = _mm512_add_epi32(_mm512_maskz_srav_epi32(kAll, x, right), zero);
    x = _mm512_maskz_min_epi32(kAll, _mm512_maskz_max_epi32(kAll, x, low), high);
    _mm512_mask_cvtepi32_storeu_epi8(out + i, mask, x);
  }
}
#else
void ScaleIntegers(const Integers& s, const int32_t* sums, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<size_t>(i);
    int64_t x = (int64_t{sums[i]} + s.bias[k]) * s.factor[k];
    x = (x + (int64_t{1} << 30)) >> 31;
    // Halves go away from zero.
    if (s.right[k] > 0) x += (int64_t{1} << (s.right[k] - 1)) - (x < 0);
    x = (x >> s.right[k]) + s.zero;
    out[i] = static_cast<uint8_t>(std::clamp<int64_t>(x, s.low, s.high));
  }
}
#endif

namespace {

// Puts whole numbers into the vectors of n columns. Returns false if some are not in [low, high].
bool Whole(const std::vector<double>& from, double low, double high, int64_t n,
           std::vector<int32_t>& to) {
  to.assign(static_cast<size_t>((n + 15) / 16 * 16), 0);
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    const double x = from.size() == 1 ? from[0] : from[i];
    if (!(x >= low && x <= high) || x != std::floor(x)) return false;
    to[i] = static_cast<int32_t>(x);
  }
  return true;
}

bool WholeNumber(const std::vector<double>& from, int32_t& to) {
  if (from.size() != 1 || !(std::abs(from[0]) <= 255) || from[0] != std::floor(from[0]))
    return false;
  to = static_cast<int32_t>(from[0]);
  return true;
}

// Likewise, r of each 2^-r.
bool Shifts(std::vector<double> from, int64_t n, std::vector<int32_t>& to) {
  for (double& x : from) {
    int exponent = 0;
    if (std::frexp(x, &exponent) != 0.5) return false;
    x = 1 - exponent;
  }
  return Whole(from, 0, 30, n, to);
}

}  // namespace

std::unique_ptr<Integers> MakeIntegers(const std::vector<Step>& steps, int64_t n) {
  auto made = std::make_unique<Integers>();
  size_t i = 0;
  const auto next = [&](Step::Kind kind) -> const Step* {
    return i < steps.size() && steps[i].kind == kind ? &steps[i++] : nullptr;
  };
  const std::vector<double> none = {0}, one = {1};
  const Step *bias = next(Step::kAdd), *scale = next(Step::kFixedPoint);
  const Step *right = next(Step::kHalfAway), *zero = next(Step::kAdd);
  const Step *low = next(Step::kAtLeast), *high = next(Step::kAtMost);
  const auto is_unit = [](double c) { return c == 1.0 / 32768; };
  if (!scale || !std::all_of(scale->c.begin(), scale->c.end(), is_unit) || scale->d != 0.5 ||
      (right && right->d != 0.5) || !low || !high || i != steps.size())
    return nullptr;
  std::vector<double> factors = scale->a;
  for (size_t k = 0; k < factors.size(); ++k) factors[k] = (factors[k] + scale->b[k]) * 65536;
  // A sum of floats that is exact is below 2^24; with a second one that is multiplied by 16, below 2^29.
  constexpr double kMost = 1 << 29;
  if (!Whole(bias ? bias->a : none, -kMost, kMost, n, made->bias) ||
      !Whole(factors, 0, 2147483647, n, made->factor) ||
      !Shifts(right ? right->a : one, n, made->right) ||
      !WholeNumber(zero ? zero->a : none, made->zero) || !WholeNumber(low->a, made->low) ||
      !WholeNumber(high->a, made->high))
    return nullptr;
  return made;
}

}  // namespace tensh::ops
