#pragma once
// Input checks shared by the optimizers' Apply… kernels. Error messages copy TensorFlow's wording.
#include "ops/support/var_update.h"

namespace tensh::ops {

// The name of an input, for error messages, and its index.
struct NamedInput {
  const char* name;
  int index;
};

Status CheckSameShape(const char* a_name, const Tensor& a, const char* b_name, const Tensor& b);

}  // namespace tensh::ops
