#pragma once
// Tensors whose elements are grouped by channel, as for a bias or a normalization per channel.
// Shared by the kernels of all devices; constexpr members also run on a GPU. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// A tensor seen as [outer, channels, inner].
struct ChannelLayout {
  int64_t outer = 1, channels = 1, inner = 1;
  constexpr int64_t each() const { return outer * inner; }  // -
  // At returns the offset of element k of a channel, for k in [0, each()). ChannelOf returns the
  // channel of the element at an offset.
  constexpr int64_t At(int64_t channel, int64_t k) const {
    return (k / inner * channels + channel) * inner + k % inner;
  }
  constexpr int64_t ChannelOf(int64_t at) const { return at / inner % channels; }
};

// True for "NCHW" and "NCDHW", false for "NHWC" and "NDHWC".
inline bool ChannelsFirst(std::string_view data_format) { return data_format[1] == 'C'; }
// Returns the channel dimension: 1 if channels come first, otherwise the last. Rank must be at
// least 1.
inline int ChannelDim(const Shape& shape, bool channels_first) {
  return channels_first ? 1 : shape.rank() - 1;
}
ChannelLayout LayoutOf(const Shape& shape, bool channels_first);

// The state of BiasAdd and BiasAddGrad.
struct FormatState : KernelState {
  bool channels_first = false;
};
Result<std::unique_ptr<KernelState>> PrepareFormat(PrepareCtx& c);
// Returns the layout of BiasAdd's inputs, or InvalidArgument unless there is one bias per channel.
Result<ChannelLayout> BiasLayout(KernelCtx& c);

}  // namespace tensh::ops
