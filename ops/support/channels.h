#pragma once
// Tensors whose elements belong to channels: what has a bias a channel, or is normalised channel by
// channel. Shared by the kernels of all devices; what is constexpr runs on a GPU too. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// A tensor seen as [outer, channels, inner].
struct ChannelLayout {
  int64_t outer = 1, channels = 1, inner = 1;
  constexpr int64_t each() const { return outer * inner; }  // elements of one channel
  // Where element k of a channel is, k in [0, each()); and the channel of the element there.
  constexpr int64_t At(int64_t channel, int64_t k) const {
    return (k / inner * channels + channel) * inner + k % inner;
  }
  constexpr int64_t ChannelOf(int64_t at) const { return at / inner % channels; }
};

// "NCHW" and "NCDHW", but not "NHWC".
inline bool ChannelsFirst(std::string_view data_format) { return data_format[1] == 'C'; }
// The channels are dimension 1 or, of a shape of rank 1 and more, the last.
inline int ChannelDim(const Shape& shape, bool channels_first) {
  return channels_first ? 1 : shape.rank() - 1;
}
ChannelLayout LayoutOf(const Shape& shape, bool channels_first);

// The state of BiasAdd and BiasAddGrad.
struct FormatState : KernelState {
  bool channels_first = false;
};
Result<std::unique_ptr<KernelState>> PrepareFormat(PrepareCtx& c);
// Of BiasAdd's inputs. InvalidArgument unless there is a bias for each channel.
Result<ChannelLayout> BiasLayout(KernelCtx& c);

}  // namespace tensh::ops
