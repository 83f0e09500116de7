#pragma once
// The loops of batch normalization over rows of channels, that is, with channels last. Sums are taken
// in float over blocks of rows that fit in the cache, and in double over the blocks, in their order:
// the result does not depend on the threads. Stateless.
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// A matrix of `rows` rows with one element for each channel.
struct RowsOf {
  const float* x;
  int64_t rows, channels;
};

// Computes the mean and the biased variance of each channel. Sums are taken of the distances from a row of
// each block, so that a large mean does not cancel digits of the variance.
void MomentsOfRows(KernelCtx& c, const RowsOf& x, double* mean, double* variance);

// Computes, for each channel, the sum of dy and that of dy * (x - mean).
void GradSumsOfRows(KernelCtx& c, const RowsOf& x, const float* dy, const float* mean, double* sum,
                    double* product);

// y = (x - center) * factor + offset, where the last three are vectors of channels.
void NormalizeRows(KernelCtx& c, const RowsOf& x, const float* center, const float* factor,
                   const float* offset, float* y);

// dx = factor * (dy - shift - (x - mean) * slope), likewise.
struct NormGradVectors {
  const float *mean, *factor, *shift, *slope;
};
void NormGradRows(KernelCtx& c, const RowsOf& x, const float* dy, const NormGradVectors& v,
                  float* dx);

}  // namespace tensh::ops
