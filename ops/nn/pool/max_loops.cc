#include "ops/nn/pool/max_loops.h"

#include <limits>

namespace tensh::ops {
namespace {

// A line of up to kTaps pixels is compared at once.
struct MaxPositions {
  static constexpr int64_t kTaps = 3;

  TENSH_ALWAYS_INLINE static float Max(float a, float b) { return b > a ? b : a; }

  TENSH_ALWAYS_INLINE static void Line(const float* in, int64_t taps, int64_t step, int64_t n,
                                       float* out) {
    for (; taps >= kTaps; taps -= kTaps, in += kTaps * step) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k)
        out[k] = Max(Max(Max(out[k], in[k]), in[k + step]), in[k + 2 * step]);
    }
    if (taps == 2) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k) out[k] = Max(Max(out[k], in[k]), in[k + step]);
    } else if (taps == 1) {
      TENSH_VECTORIZE
      for (int64_t k = 0; k < n; ++k) out[k] = Max(out[k], in[k]);
    }
  }

  TENSH_ALWAYS_INLINE static void Window(const MaxPoolDims& d, const float* in, int64_t position,
                                         float* out) {
    const int64_t q = position % d.columns.out, row = position / d.columns.out;
    const int64_t r = row % d.rows.out, image = row / d.rows.out, n = d.channels;
    const int64_t first = d.columns.Begin(q), taps = d.columns.End(q) - first;
    const int64_t row_end = d.rows.End(r);
    for (int64_t k = 0; k < n; ++k) out[k] = -std::numeric_limits<float>::infinity();
    for (int64_t i = d.rows.Begin(r); i < row_end; ++i) {
      const int64_t line = (image * d.rows.in + d.rows.At(r, i)) * d.columns.in;
      Line(in + (line + d.columns.At(q, first)) * n, taps, n * d.columns.dilation, n, out);
    }
  }

  TENSH_ALWAYS_INLINE static void Run(const MaxPoolDims* d, const float* in, float* out,
                                      int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) Window(*d, in, p, out + p * d->channels);
  }
};

struct MaxGradPositions {
  TENSH_ALWAYS_INLINE static void Run(const MaxPoolDims* dims, const float* in, const float* dy,
                                      float* dx, int64_t begin, int64_t end, float* most,
                                      float* left) {
    const MaxPoolDims& d = *dims;
    const int64_t n = d.channels;
    for (int64_t p = begin; p < end; ++p) {
      MaxPositions::Window(d, in, p, most);
      for (int64_t k = 0; k < n; ++k) left[k] = dy[p * n + k];
      ForEachPixel(
          d, p, [=](int64_t at) __attribute__((always_inline)) {
            const float* x = in + at;
            float* to = dx + at;
            TENSH_VECTORIZE
            for (int64_t k = 0; k < n; ++k) {
              const bool hit = x[k] == most[k];
              to[k] += hit ? left[k] : 0.0f;
              left[k] = hit ? 0.0f : left[k];
            }
          });
    }
  }
};

}  // namespace

void MaxOfWindows(const MaxPoolDims& d, const float* in, float* out, int64_t begin, int64_t end) {
  Dispatch<MaxPositions>(&d, in, out, begin, end);
}

void AddMaxGradients(const MaxPoolDims& d, const float* in, const float* dy, float* dx,
                     int64_t begin, int64_t end, float* scratch) {
  Dispatch<MaxGradPositions>(&d, in, dy, dx, begin, end, scratch, scratch + d.channels);
}

}  // namespace tensh::ops
