#pragma once
// The state of Equal and NotEqual nodes, shared by the kernels of all devices.
#include "runtime/core/kernel.h"

namespace tensh::ops {

struct EqualState : KernelState {
  bool shapes_must_match = true;
};

inline Result<std::unique_ptr<KernelState>> PrepareEqual(PrepareCtx& c) {
  auto state = std::make_unique<EqualState>();
  state->shapes_must_match = c.attrs().Bool("incompatible_shape_error");
  return {std::move(state)};
}

}  // namespace tensh::ops
