#include "ops/nn/norm/lrn_state.h"

namespace tensh::ops {

Status LrnState::Read(PrepareCtx& c) {
  radius = c.attrs().Int("depth_radius");
  bias = c.attrs().Float("bias");
  alpha = c.attrs().Float("alpha");
  beta = c.attrs().Float("beta");
  if (radius < 0 || radius > INT32_MAX)
    return InvalidArgument("depth_radius = ", radius, " must lie in [0, 2**31)");
  return {};
}

}  // namespace tensh::ops
