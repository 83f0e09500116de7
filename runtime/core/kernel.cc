#include "runtime/core/kernel.h"

namespace tensh {

Tensor* KernelCtx::MakeOutput(int i, const Shape& shape) {
  Result<Tensor> made = Tensor::Make(call_->out_dtypes[i], shape, allocator_);
  if (!made.ok()) {
    output_error_ = std::move(made).status();
    return nullptr;
  }
  Tensor& slot = slots_[call_->out[i]];
  slot = *std::move(made);
  return &slot;
}

Status KernelCtx::OutOfMemory() { return std::move(output_error_); }

}  // namespace tensh
