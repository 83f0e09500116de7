#pragma once
// The windows of MaxPool, and its loops over windows of floats. Stateless.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

struct MaxPoolDims {
  int64_t batch = 0, channels = 0;
  WindowDim rows, columns, depth;
  bool pools_depth() const { return depth.size > 1; }
};

// Calls fn(offset of a pixel's first channel in the input) for each pixel of window `position`.
template <class Fn>
void ForEachPixel(const MaxPoolDims& d, int64_t position, Fn fn) {
  const int64_t q = position % d.columns.out, row = position / d.columns.out;
  const int64_t r = row % d.rows.out, image = row / d.rows.out;
  const int64_t end = d.columns.End(q), row_end = d.rows.End(r);
  for (int64_t i = d.rows.Begin(r); i < row_end; ++i) {
    const int64_t line = (image * d.rows.in + d.rows.At(r, i)) * d.columns.in;
    for (int64_t j = d.columns.Begin(q); j < end; ++j) fn((line + d.columns.At(q, j)) * d.channels);
  }
}

// The maxima of the windows [begin, end), over pixels. NaN is smaller than every number.
void MaxOfWindows(const MaxPoolDims& d, const float* in, float* out, int64_t begin, int64_t end);

// Adds the gradient of each window to the first of its pixels that has the maximum.
void AddMaxGradients(const MaxPoolDims& d, const float* in, const float* dy, float* dx,
                     int64_t begin, int64_t end);

}  // namespace tensh::ops
