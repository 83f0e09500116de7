#include "ops/train/apply_inputs.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareNesterov(PrepareCtx& c) {
  auto state = std::make_unique<NesterovState>();
  state->use_nesterov = c.attrs().Bool("use_nesterov");
  return std::unique_ptr<KernelState>(std::move(state));
}

Status CheckSameShape(const char* a_name, const Tensor& a, const char* b_name, const Tensor& b) {
  if (a.shape() == b.shape()) return {};
  return InvalidArgument(a_name, " and ", b_name, " do not have the same shape", a.shape(), " ",
                         b.shape());
}

}  // namespace tensh::ops
