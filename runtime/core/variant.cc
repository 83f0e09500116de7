#include "runtime/core/variant.h"

namespace tensh {

Result<std::shared_ptr<VariantValue>> VariantValue::Zeros() const {
  return Unimplemented("zeros are not defined for a variant that holds a ", kind());
}

Result<std::shared_ptr<VariantValue>> VariantValue::Plus(const VariantValue&) const {
  return Unimplemented("variants that hold a ", kind(), " cannot be added");
}

void ReleaseFlat(std::vector<Tensor>&& tensors) {
  thread_local std::vector<Tensor>* pending = nullptr;
  if (pending) {  // in a destructor that the loop below runs
    for (Tensor& t : tensors)
      if (t) pending->push_back(std::move(t));
    return;
  }
  std::vector<Tensor> stack = std::move(tensors);
  pending = &stack;
  while (!stack.empty()) {
    Tensor last = std::move(stack.back());
    stack.pop_back();
  }
  pending = nullptr;
}

Tensor VariantTensor(std::shared_ptr<VariantValue> value) {
  return Tensor::Scalar<Variant>({std::move(value)});
}

}  // namespace tensh
