#pragma once
// What a reference, a value of the executor's slots, refers to. Most are the variable's address;
// one to a variable that lives for a step owns it. Null where a resource is something else.
#include "runtime/core/resource.h"

namespace tensh {

inline Variable* VariableOf(const Tensor& reference) {
  if (reference.dtype() != DType::kResource) return *reference.data<Variable*>();
  if (reference.num_elements() != 1) return nullptr;
  return dynamic_cast<Variable*>(reference.data<ResourceHandle>()->resource.get());
}

}  // namespace tensh
