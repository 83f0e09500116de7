#include "ops/nn/channels.h"

namespace tensh::ops {

ChannelLayout LayoutOf(const Shape& shape, bool channels_first) {
  const int channel = ChannelDim(shape, channels_first);
  ChannelLayout l;
  for (int i = 0; i < shape.rank(); ++i)
    (i < channel ? l.outer : i == channel ? l.channels : l.inner) *= shape[i];
  return l;
}

Result<std::unique_ptr<KernelState>> PrepareFormat(PrepareCtx& c) {
  auto state = std::make_unique<FormatState>();
  state->channels_first = ChannelsFirst(c.attrs().String("data_format"));
  return {std::move(state)};
}

Result<ChannelLayout> BiasLayout(KernelCtx& c) {
  const Tensor &value = c.in(0), &bias = c.in(1);
  const ChannelLayout l = LayoutOf(value.shape(), c.state<FormatState>().channels_first);
  if (bias.dim(0) != l.channels)
    return InvalidArgument(
        "Must provide as many biases as the channel dimension of the input "
        "tensor: ",
        bias.shape(), " vs. ", l.channels, " in ", value.shape());
  return l;
}

}  // namespace tensh::ops
