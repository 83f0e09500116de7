#pragma once
// Input checks shared by the optimizers' Apply… kernels. Error messages copy TensorFlow's wording.
#include <initializer_list>

#include "ops/support/var_update.h"

namespace tensh::ops {

struct NesterovState : KernelState {
  bool use_nesterov;
  void Read(PrepareCtx& c);
};

// The name of an input, for error messages, and its index.
struct NamedInput {
  const char* name;
  int index;
};

Status CheckSameShape(const char* a_name, const Tensor& a, const char* b_name, const Tensor& b);

// Checks that all variables are initialized and that every variable and `gradient` have the shape
// of the first variable; then makes the variables writable. `slots` names the variables after
// `var`.
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
