#include "ops/support/apply.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareNesterov(PrepareCtx& c) {
  auto state = std::make_unique<NesterovState>();
  state->use_nesterov = c.attrs().Bool("use_nesterov");
  return std::unique_ptr<KernelState>(std::move(state));
}

Status CheckScalars(KernelCtx& c, std::initializer_list<NamedInput> scalars) {
  for (const NamedInput& s : scalars)
    if (c.in(s.index).rank() != 0)
      return InvalidArgument(s.name, " is not a scalar: ", c.in(s.index).shape());
  return {};
}

Status CheckSameShape(const char* a_name, const Tensor& a, const char* b_name, const Tensor& b) {
  if (a.shape() == b.shape()) return {};
  return InvalidArgument(a_name, " and ", b_name, " do not have the same shape", a.shape(), " ",
                         b.shape());
}

}  // namespace tensh::ops
