#pragma once
// Local response normalization: attributes and arithmetic, shared by all devices.
#include <cmath>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct LrnState : KernelState {
  int64_t radius = 0;
  float bias = 0, alpha = 0, beta = 0;
  Status Read(PrepareCtx& c);
};

// Returns norm ** -beta. The exponents that models use avoid the logarithm.
template <class F>
constexpr F LrnScale(F beta, F norm) {
  if (beta == 1) return 1 / norm;
  if (beta == F(0.5)) return 1 / std::sqrt(norm);
  if (beta == F(0.75)) return 1 / (std::sqrt(norm) * std::sqrt(std::sqrt(norm)));
  return std::pow(norm, -beta);
}

}  // namespace tensh::ops
