#pragma once
// The windows of MaxPool, and its loops over windows of floats. Stateless.
#include "ops/nn/conv/window.h"
#include "ops/support/tiles/tiles.h"

namespace tensh::ops {

struct MaxPoolDims {
  int64_t batch = 0, channels = 0;
  WindowDim rows, columns, depth;
  bool pools_depth() const { return depth.size > 1; }
};

// The maxima of the channels of one window, which is changed.
void PoolMax(PoolWindow& window);

// The maxima of the windows [begin, end), over pixels. NaN is smaller than every number.
void MaxOfWindows(const MaxPoolDims& d, const float* in, float* out, int64_t begin, int64_t end);

// Adds the gradient of each window to the first of its pixels that has the maximum.
void AddMaxGradients(const MaxPoolDims& d, const float* in, const float* dy, float* dx,
                     int64_t begin, int64_t end);

}  // namespace tensh::ops
