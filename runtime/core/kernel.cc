#include "runtime/core/kernel.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>

namespace tensh {

void CancelFlag::Set() {
  flag_.store(true, std::memory_order_relaxed);
  std::lock_guard lock(mu_);
  for (Waiter* waiter : waiters_) waiter->Wake();
}

void CancelFlag::Add(Waiter* waiter) {
  std::lock_guard lock(mu_);
  waiters_.push_back(waiter);
}

void CancelFlag::Remove(Waiter* waiter) {
  std::lock_guard lock(mu_);
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), waiter));
}

Tensor* KernelCtx::MakeOutput(int i, const Shape& shape) {
  const bool on_host = call_->host_outputs >> std::min(i, 31) & 1u;
  Result<Tensor> made =
      Tensor::Make(call_->out_dtypes[i], shape, on_host ? HostAllocator() : allocator_);
  if (!made.ok()) {
    output_error_ = std::move(made).status();
    return nullptr;
  }
  Tensor& slot = slots_[call_->out[i]];
  slot = *std::move(made);
  return &slot;
}

Variable* KernelCtx::ResourceVariable(const Tensor& slot) {
  if (slot.num_elements() != 1) return nullptr;
  return dynamic_cast<Variable*>(slot.data<ResourceHandle>()->resource.get());
}

Status StatusOfException() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory for what the kernel works with");
  } catch (const std::length_error&) {
    return ResourceExhausted("what the kernel works with is larger than any memory");
  } catch (const std::exception& e) {
    return Internal("the kernel failed: ", e.what());
  } catch (...) {
    return Internal("the kernel failed");
  }
}

Status KernelCtx::OutOfMemory() { return std::move(output_error_); }

}  // namespace tensh
