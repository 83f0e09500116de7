#pragma once
// Returns the variable that a reference slot refers to, or null if the resource is of another kind.
// Most references are the address of a variable. A reference to a variable that lives for one step
// owns it.
#include "runtime/core/resource.h"

namespace tensh {

inline Variable* VariableOf(const Tensor& reference) {
  if (reference.dtype() != DType::kResource) return *reference.data<Variable*>();
  if (reference.num_elements() != 1) return nullptr;
  return dynamic_cast<Variable*>(reference.data<ResourceHandle>()->resource.get());
}

}  // namespace tensh
