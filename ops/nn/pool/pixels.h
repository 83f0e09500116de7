#pragma once
// The pixels of the windows of pools over images.
#include <algorithm>

#include "ops/nn/conv/window.h"

namespace tensh::ops {

// Calls fn(offset of a pixel's first channel in the input) for each pixel of window `position`, and
// returns the number of pixels. Dims has the members `rows`, `columns` and `channels`.
template <class Dims, class Fn>
int64_t ForEachPixel(const Dims& d, int64_t position, Fn fn) {
  const int64_t q = position % d.columns.out, row = position / d.columns.out;
  const int64_t r = row % d.rows.out, image = row / d.rows.out;
  const int64_t end = d.columns.End(q), row_end = d.rows.End(r);
  for (int64_t i = d.rows.Begin(r); i < row_end; ++i) {
    const int64_t line = (image * d.rows.in + d.rows.At(r, i)) * d.columns.in;
    for (int64_t j = d.columns.Begin(q); j < end; ++j) fn((line + d.columns.At(q, j)) * d.channels);
  }
  return std::max<int64_t>(row_end - d.rows.Begin(r), 0) *
         std::max<int64_t>(end - d.columns.Begin(q), 0);
}

}  // namespace tensh::ops
