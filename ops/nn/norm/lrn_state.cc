#include "ops/nn/norm/lrn_state.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareLrn(PrepareCtx& c) {
  auto state = std::make_unique<LrnState>();
  state->radius = c.attrs().Int("depth_radius");
  state->bias = c.attrs().Float("bias");
  state->alpha = c.attrs().Float("alpha");
  state->beta = c.attrs().Float("beta");
  if (state->radius < 0 || state->radius > INT32_MAX)
    return InvalidArgument("depth_radius = ", state->radius, " must lie in [0, 2**31)");
  return {std::move(state)};
}

}  // namespace tensh::ops
