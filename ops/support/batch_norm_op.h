#pragma once
// What FusedBatchNorm and its gradient, of all versions, read and check before they compute: the
// same on every device. Stateless.
#include "ops/support/channels.h"

namespace tensh::ops {

struct NormState : KernelState {
  float epsilon = 0, factor = 1;  // factor: how much of a running average is new
  bool training = true, channels_first = false;
  // Whether the batch's statistics are all there is: no running average begins at older ones.
  bool batch_only() const { return training && factor == 1; }
};
Result<std::unique_ptr<KernelState>> PrepareNorm(PrepareCtx& c);

// The layout of x. InvalidArgument unless the vectors have an entry for each of its channels, and
// what arrives has its shape.
Result<ChannelLayout> NormLayout(KernelCtx& c);
Result<ChannelLayout> NormGradLayout(KernelCtx& c);

}  // namespace tensh::ops
