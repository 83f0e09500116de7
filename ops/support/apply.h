#pragma once
// What the optimisers' Apply… kernels share: the checks of their inputs, with TensorFlow's texts.
#include <initializer_list>

#include "ops/support/var_update.h"

namespace tensh::ops {

struct NesterovState : KernelState {
  bool use_nesterov;
};
Result<std::unique_ptr<KernelState>> PrepareNesterov(PrepareCtx& c);

struct NamedInput {
  const char* name;
  int index;
};

Status CheckSameShape(const char* a_name, const Tensor& a, const char* b_name, const Tensor& b);

// Variables initialised, every variable and `gradient` of the first one's shape; then makes the
// variables writable. slots: names of the variables after var.
template <int N>
Status PrepareApply(KernelCtx& c, LockedVariables<N>& vars, NamedInput gradient,
                    std::initializer_list<const char*> slots = {}) {
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  int i = 1;
  for (const char* slot : slots)
    TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], slot, vars[i++]));
  TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], gradient.name, c.in(gradient.index)));
  return {};
}

}  // namespace tensh::ops
