#include "ops/nn/norm/batch_norm_state.h"

namespace tensh::ops {
namespace {

Status CheckVector(const Tensor& t, const char* name, int64_t channels) {
  if (t.rank() != 1) return InvalidArgument(name, " must be 1-dimensional, got ", t.shape());
  if (t.dim(0) != channels)
    return InvalidArgument(name,
                           " must have the same number of elements as the channels of x, got ",
                           t.dim(0), " and ", channels);
  return {};
}

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareNorm(PrepareCtx& c) {
  // The kernels are chosen by T, and read and write vectors of float.
  const AttrValue* const vectors = c.attrs().Find("U");
  if (vectors && *vectors->Find<DType>() != DType::kFloat)
    return InvalidArgument("No OpKernel was registered to support Op '", c.op_name(),
                           "' with these attrs: U is ", SignatureName(*vectors->Find<DType>()),
                           ", not float")
        .WithReason(Reason::kNoKernel);
  auto state = std::make_unique<NormState>();
  state->epsilon = c.attrs().Float("epsilon");
  state->training = c.attrs().Bool("is_training");
  state->channels_first = ChannelsFirst(c.attrs().String("data_format"));
  if (c.attrs().Find("exponential_avg_factor"))
    state->factor = c.attrs().Float("exponential_avg_factor");
  return {std::move(state)};
}

Result<ChannelLayout> NormLayout(KernelCtx& c) {
  const auto& s = c.state<NormState>();
  const ChannelLayout l = LayoutOf(c.in(0).shape(), s.channels_first);
  static constexpr const char* kNames[] = {"", "scale", "offset", "mean", "variance"};
  for (int i = 1; i <= 4; ++i) {
    if (i > 2 && s.batch_only() && c.in(i).num_elements() == 0) continue;
    TENSH_RETURN_IF_ERROR(CheckVector(c.in(i), kNames[i], l.channels));
  }
  return l;
}

Result<ChannelLayout> NormGradLayout(KernelCtx& c) {
  const Tensor &dy = c.in(0), &x = c.in(1);
  if (!(dy.shape() == x.shape()))
    return InvalidArgument("x and y_backprop must have same shape, but x has shape ", x.shape(),
                           " and y_backprop has shape ", dy.shape());
  const ChannelLayout l = LayoutOf(x.shape(), c.state<NormState>().channels_first);
  static constexpr const char* kNames[] = {"", "", "scale", "saved mean", "saved variance"};
  for (int i = 2; i <= 4; ++i) TENSH_RETURN_IF_ERROR(CheckVector(c.in(i), kNames[i], l.channels));
  return l;
}

}  // namespace tensh::ops
