#pragma once
// The inputs of FusedBatchNorm and its gradient, in all versions: reading and checking. Shared by
// the kernels of all devices. Stateless.
#include "ops/nn/channels.h"
#include "runtime/core/joined.h"

namespace tensh::ops {

struct NormState : JoinedState {
  float epsilon = 0, factor = 1;  // factor: weight of the new batch in the running averages
  bool training = true, channels_first = false;
  // True if only the statistics of the current batch count, because no older running average is
  // used.
  bool batch_only() const { return training && factor == 1; }
};
Result<std::unique_ptr<KernelState>> PrepareNorm(PrepareCtx& c);

// Return the layout of x. They return InvalidArgument unless each vector has one entry per channel
// and the incoming gradient has the shape of x.
Result<ChannelLayout> NormLayout(KernelCtx& c);
Result<ChannelLayout> NormGradLayout(KernelCtx& c);

}  // namespace tensh::ops
