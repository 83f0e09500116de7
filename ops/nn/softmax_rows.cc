#include "ops/nn/softmax_rows.h"

#include <bit>
#include <limits>

#include "ops/math/elementwise/vec_math.h"
#include "ops/support/isa.h"

namespace tensh::ops {
namespace {

// Partial results, so that an element does not wait for the one before it. A row has at least as many.
constexpr int64_t kLanes = kLongRow;

TENSH_ALWAYS_INLINE float Pick(bool cond, float a, float b) { return cond ? a : b; }

// Returns exp(x) for x <= 0 or NaN. The addition of a large number rounds
// x / ln(2) to an integer m, which is then in the low bits of the sum. Results that would be denormal
// are 0.
TENSH_ALWAYS_INLINE float ExpOfNegative(float given) {
  constexpr float kLow = -87.336544f, kRound = 12582912.0f;  // 1.5 * 2^23
  const float x = Pick(given < kLow, kLow, given);
  const float rounded = x * 1.44269504088896341f + kRound;
  const float m = rounded - kRound;
  float r = m * -0.693359375f + x;
  r = m * 2.12194440e-4f + r;
  const float y = vec::ExpOfRest(r);
  const float power = std::bit_cast<float>((std::bit_cast<uint32_t>(rounded) + 127u) << 23);
  return Pick(given < kLow, 0.0f, y * power);
}

struct RowMax {
  TENSH_ALWAYS_INLINE static void Run(const float* in, int64_t n, float* most) {
    float lanes[kLanes];
    for (float& lane : lanes) lane = -std::numeric_limits<float>::infinity();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (int64_t j = 0; j < kLanes; ++j)
        lanes[j] = Pick(in[i + j] > lanes[j], in[i + j], lanes[j]);
    for (int64_t j = 0; j < n - i; ++j) lanes[j] = Pick(in[i + j] > lanes[j], in[i + j], lanes[j]);
    for (int64_t width = kLanes / 2; width; width /= 2)
      for (int64_t j = 0; j < width; ++j)
        lanes[j] = Pick(lanes[j + width] > lanes[j], lanes[j + width], lanes[j]);
    *most = lanes[0];
  }
};

template <bool store>
struct RowExp {
  TENSH_ALWAYS_INLINE static void Run(const float* in, float by, float* out, int64_t n,
                                      float* sum) {
    float lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) Add(in + i, by, store ? out + i : nullptr, kLanes, lanes);
    Add(in + i, by, store ? out + i : nullptr, n - i, lanes);
    for (int64_t width = kLanes / 2; width; width /= 2)
      for (int64_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
    *sum = lanes[0];
  }

  TENSH_ALWAYS_INLINE static void Add(const float* in, float by, float* out, int64_t n,
                                      float* lanes) {
    TENSH_VECTORIZE
    for (int64_t j = 0; j < n; ++j) {
      const float e = ExpOfNegative(in[j] - by);
      if constexpr (store) out[j] = e;
      lanes[j] += e;
    }
  }
};

// Dispatch, with the CPU's multiply-add. This file is compiled with -ffp-contract=fast.
#if TENSH_ISA_VARIANTS
template <class Body, class... Args>
__attribute__((noinline, target("avx2,fma"))) void RunAvx2Fused(Args... args) {
  Body::Run(args...);
}
#endif

template <class Body, class... Args>
void DispatchFused(Args... args) {
#if TENSH_ISA_VARIANTS
  if (CpuIsa() == Isa::kAvx2) return RunAvx2Fused<Body>(args...);
#endif
  Dispatch<Body>(args...);
}

}  // namespace

float LongRowMax(const float* in, int64_t n) {
  float most = 0;
  DispatchFused<RowMax>(in, n, &most);
  return most;
}

float LongRowExp(const float* in, float by, float* out, int64_t n) {
  float sum = 0;
  if (out)
    DispatchFused<RowExp<true>>(in, by, out, n, &sum);
  else
    DispatchFused<RowExp<false>>(in, by, out, n, &sum);
  return sum;
}

}  // namespace tensh::ops
