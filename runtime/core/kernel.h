#pragma once
// The interface between the executor and a kernel.
//
// A kernel is a function that takes a KernelCtx. It reads its inputs as tensors, allocates its
// outputs by shape, and finds everything that was decided before the step in its state. It returns
// a Status. CallKernel converts exceptions of the standard library, such as bad_alloc, into a
// Status.
//
// A KernelCtx is on the executor's stack, belongs to one thread, and is valid only during the call.
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/core/attr.h"
#include "runtime/core/cancel.h"
#include "runtime/core/contract.h"
#include "runtime/core/resource.h"
#include "runtime/core/tensor.h"

namespace tensh {

class FunctionRuntime;
class KernelCtx;
using KernelFn = Status (*)(KernelCtx&);

// State that Prepare makes once per plan for one node. Read-only during steps.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// Splits [0, total) among the step's threads if the work is large enough.
class ParallelRunner {
 public:
  virtual ~ParallelRunner() = default;
  using RangeFn = void (*)(void* context, int64_t begin, int64_t end);
  // ns_per_unit is the estimated cost of one unit in nanoseconds. Runs inline if the total is below
  // about 20 µs.
  virtual void For(int64_t total, double ns_per_unit, RangeFn fn, void* context) = 0;
  virtual int threads() const = 0;
};

// The parts of a compiled instruction that a kernel may read.
struct KernelCall {
  const uint32_t* in;       // Slot of each input.
  const uint32_t* out;      // Slot of each output.
  const DType* out_dtypes;  // Base type of each output.
  const KernelState* state;
  uint16_t n_in, n_out;
  uint32_t forwardable;  // Bit i: this is the last use of input i (< 32).
  // Bit i: output i is in host memory although the device has its own; bit 31 stands for all
  // outputs from 31 on. If all bits are set, the kernel uses host memory only.
  uint32_t host_outputs = 0;
  const Contract* contract = nullptr;  // Null if the inputs have no further conditions.
};

class KernelCtx {
 public:
  KernelCtx(Tensor* slots, ParallelRunner* runner, CancelFlag* cancel, Allocator* allocator)
      : slots_(slots), runner_(runner), cancel_(cancel), allocator_(allocator) {}
  void Bind(const KernelCall& call) { call_ = &call; }

  // Checks the inputs against the op's contract.
  Status CheckInputs() const {
    return call_->contract ? CheckAtRun(*call_->contract, slots_, call_->in) : Status();
  }
  int num_inputs() const { return call_->n_in; }
  int num_outputs() const { return call_->n_out; }
  const Tensor& in(int i) const { return slots_[call_->in[i]]; }
  DType out_dtype(int i) const { return call_->out_dtypes[i]; }
  template <class S>
  const S& state() const {
    return static_cast<const S&>(*call_->state);
  }

  // Allocates output i with this shape, which must be fully known. The elements are unspecified.
  // Returns null if memory is exhausted; the kernel must then return OutOfMemory(). Usually called
  // by TENSH_OUTPUT.
  Tensor* Output(int i, const Shape& shape) {
    Tensor& slot = slots_[call_->out[i]];
    if (slot && slot.unique() && slot.Recycle(call_->out_dtypes[i], shape)) return &slot;
    return MakeOutput(i, shape);
  }
  // Like Output, but may reuse the memory of input `from` if it has the same dtype and shape, this
  // is its last use, and nobody else holds it. Use it only in elementwise kernels, which read
  // element k before they write element k.
  Tensor* Forward(int from, int i, const Shape& shape) {
    if (call_->forwardable >> from & 1u) {
      Tensor& input = slots_[call_->in[from]];
      if (input.unique() && input.dtype() == call_->out_dtypes[i] && input.shape() == shape) {
        std::swap(slots_[call_->out[i]], input);
        return &slots_[call_->out[i]];
      }
    }
    return Output(i, shape);
  }
  // Returns input i, moved out of its slot if nothing else in the step uses it; otherwise shared.
  Tensor TakeInput(int i) {
    if (i < 32 && call_->forwardable >> i & 1u) return std::move(slots_[call_->in[i]]);
    return slots_[call_->in[i]];
  }
  // Makes output i share an existing tensor.
  void SetOutput(int i, Tensor tensor) { slots_[call_->out[i]] = std::move(tensor); }
  Status OutOfMemory();

  // Returns the variable behind an input that is a reference or a resource. Returns null if the
  // resource is not a variable.
  Variable* variable(int i) const {
    const Tensor& slot = slots_[call_->in[i]];
    if (__builtin_expect(slot.dtype() == DType::kResource, 0)) return ResourceVariable(slot);
    return *slot.data<Variable*>();
  }
  // Makes output i the same reference as input `from`. Does nothing for ops without such an output.
  void ForwardRef(int from, int i) {
    if (i < call_->n_out) slots_[call_->out[i]] = slots_[call_->in[from]];
  }

  // Calls fn(begin, end) over [0, total), in pieces and on the step's threads. ns_per_unit is the
  // cost of one unit. If the step is cancelled, the remaining pieces are skipped and the kernel is
  // ended by an exception instead of returning from here.
  template <class Fn>
  void ParallelFor(int64_t total, double ns_per_unit, Fn&& fn) {
    if (static_cast<double>(total) * ns_per_unit < 20e3) return fn(int64_t{0}, total);
    ForPieces(total, ns_per_unit, RangeOf<Fn>, &fn);
  }
  // Like ParallelFor, but always completes, and splits only among the threads. For data that
  // outlive the step, such as variables, and for functions that poll cancelled() themselves.
  template <class Fn>
  void ParallelForAll(int64_t total, double ns_per_unit, Fn&& fn) {
    if (!runner_ || static_cast<double>(total) * ns_per_unit < 20e3) return fn(int64_t{0}, total);
    runner_->For(total, ns_per_unit, RangeOf<Fn>, &fn);
  }
  int threads() const { return runner_ ? runner_->threads() : 1; }
  bool cancelled() const { return cancel_ && cancel_->cancelled(); }
  CancelFlag* cancel() const { return cancel_; }
  Allocator* allocator() const {
    return call_->host_outputs == UINT32_MAX ? HostAllocator() : allocator_;
  }
  // On a device other than the host, the queue to which its kernels hand their work.
  ParallelRunner* runner() const { return runner_; }

 private:
  template <class Fn>
  static void RangeOf(void* fn, int64_t begin, int64_t end) {
    (*static_cast<std::remove_reference_t<Fn>*>(fn))(begin, end);
  }
  void ForPieces(int64_t total, double ns_per_unit, ParallelRunner::RangeFn fn, void* context);
  Tensor* MakeOutput(int i, const Shape& shape);
  static Variable* ResourceVariable(const Tensor& slot);

  Tensor* slots_;
  const KernelCall* call_ = nullptr;
  ParallelRunner* runner_;
  CancelFlag* cancel_;
  Allocator* allocator_;
  Status output_error_;
};

// TENSH_OUTPUT(y, c.Output(0, shape)); declares Tensor* y, or returns from the kernel if memory is
// exhausted.
#define TENSH_OUTPUT(name, expr) \
  Tensor* name = (expr);         \
  if (__builtin_expect(!name, 0)) return c.OutOfMemory()

// The information available to Prepare, which runs once when a plan is compiled.
class PrepareCtx {
 public:
  virtual ~PrepareCtx() = default;
  virtual std::string_view node_name() const = 0;
  virtual Attrs attrs() const = 0;
  virtual int num_inputs() const = 0;
  virtual DType input_dtype(int i) const = 0;
  virtual int num_outputs() const = 0;
  virtual DType output_dtype(int i) const = 0;
  // The shape inferred when the node was appended. It may be partially known.
  virtual Shape input_shape(int i) const = 0;
  virtual ResourceTable& resources() = 0;
  // For kernels that call functions (function.h). Null outside of a session.
  virtual FunctionRuntime* functions() { return nullptr; }
  virtual std::string_view op_name() const { return {}; }
  virtual std::string_view device_name() const { return {}; }  // The node's device; may be empty.
};

// Converts the exception being handled into a Status.
Status StatusOfException();

// Exceptions thrown by the kernel become its Status. If the step was cancelled, the kernel's own
// Status is ignored.
inline Status CallAndLook(KernelFn fn, KernelCtx& c) {
  const auto call = [&]() -> Status {
    try {
      return fn(c);
    } catch (...) {
      return StatusOfException();
    }
  };
  Status status = call();
  if (__builtin_expect(c.cancelled(), 0)) (void)(status = c.cancel()->Why());
  return status;
}

// Checks the inputs and runs the kernel. Kernels are always called through this function.
inline Status CallKernel(KernelFn fn, KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(c.CheckInputs());
  return CallAndLook(fn, c);
}

using PrepareFn = Result<std::unique_ptr<KernelState>> (*)(PrepareCtx&);

}  // namespace tensh
