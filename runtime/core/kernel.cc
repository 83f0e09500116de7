#include "runtime/core/kernel.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>

#include "runtime/core/step_cancelled.h"

namespace tensh {

void KernelCtx::ForPieces(int64_t total, double ns_per_unit, ParallelRunner::RangeFn fn,
                          void* context) {
  // Time for one piece. Costs are estimates; even ten times as long is acceptable.
  constexpr double kPieceNs = 5e6;
  struct Pieces {
    ParallelRunner::RangeFn fn;
    void* context;
    const CancelFlag* cancel;
    int64_t size;
  } pieces{fn, context, cancel_,
           std::max<int64_t>(1, static_cast<int64_t>(kPieceNs / ns_per_unit))};
  if (cancel_ && pieces.size < total) {
    context = &pieces;
    fn = [](void* of, int64_t begin, int64_t end) {
      const Pieces& p = *static_cast<const Pieces*>(of);
      for (; begin < end && !p.cancel->cancelled(); begin += p.size)
        p.fn(p.context, begin, std::min(end, begin + p.size));
    };
  }
  if (runner_)
    runner_->For(total, ns_per_unit, fn, context);
  else
    fn(context, 0, total);
  if (cancelled()) ThrowStepCancelled();
}

namespace {

struct StepCancelled : std::exception {
  const char* what() const noexcept override { return "the step was cancelled"; }
};

}  // namespace

void ThrowStepCancelled() { throw StepCancelled(); }

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
    return ResourceExhausted("out of memory for the temporary data of the kernel");
  } catch (const std::length_error&) {
    return ResourceExhausted("the temporary data of the kernel exceed any possible memory");
  } catch (const std::exception& e) {
    return Internal("the kernel failed: ", e.what());
  } catch (...) {
    return Internal("the kernel failed");
  }
}

Status KernelCtx::OutOfMemory() { return std::move(output_error_); }

}  // namespace tensh
