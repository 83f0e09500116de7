#pragma once
// What a kernel sees. A kernel is a function over a KernelCtx: inputs are tensors, outputs are
// asked for by shape, what could be decided before the step lies ready in its state. A KernelCtx
// lives on the executor's stack, belongs to one thread and is valid during the call only. A kernel
// reports with a Status; what the standard library throws in it (no memory) CallKernel makes one.
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

// What Prepare made once per plan for one node. Read-only during steps.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// Splits [0, total) over the step's threads when the work is worth it.
class ParallelRunner {
 public:
  virtual ~ParallelRunner() = default;
  using RangeFn = void (*)(void* context, int64_t begin, int64_t end);
  // ns_per_unit: estimated nanoseconds of one unit. Runs inline when the whole is below ~20 µs.
  virtual void For(int64_t total, double ns_per_unit, RangeFn fn, void* context) = 0;
  virtual int threads() const = 0;
};

// The parts of one compiled instruction that a kernel may read.
struct KernelCall {
  const uint32_t* in;       // slot of each input
  const uint32_t* out;      // slot of each output
  const DType* out_dtypes;  // base type of each output
  const KernelState* state;
  uint16_t n_in, n_out;
  uint32_t forwardable;  // bit i: input i (< 32) is used here for the last time
  // Bit i: output i lies in host memory though the device's own is other; bit 31 is for all from
  // there on. All bits: a kernel of host memory alone.
  uint32_t host_outputs = 0;
  const Contract* contract = nullptr;  // null: nothing is asked of the inputs
};

class KernelCtx {
 public:
  KernelCtx(Tensor* slots, ParallelRunner* runner, CancelFlag* cancel, Allocator* allocator)
      : slots_(slots), runner_(runner), cancel_(cancel), allocator_(allocator) {}
  void Bind(const KernelCall& call) { call_ = &call; }

  // Whether the inputs are what the op's row asks for.
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

  // Output i with this (fully known) shape, its elements unspecified. Null when there is no memory:
  // return OutOfMemory() then. Usually through TENSH_OUTPUT.
  Tensor* Output(int i, const Shape& shape) {
    Tensor& slot = slots_[call_->out[i]];
    if (slot && slot.unique() && slot.Recycle(call_->out_dtypes[i], shape)) return &slot;
    return MakeOutput(i, shape);
  }
  // Like Output, but may hand back input `from`'s own memory (same dtype and shape, used here for
  // the last time, nobody else holds it): for elementwise kernels, which read element k before
  // writing k.
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
  // Input i, taken out of its slot when nothing else in the step uses it; else shared.
  Tensor TakeInput(int i) {
    if (i < 32 && call_->forwardable >> i & 1u) return std::move(slots_[call_->in[i]]);
    return slots_[call_->in[i]];
  }
  // Makes output i share an existing tensor.
  void SetOutput(int i, Tensor tensor) { slots_[call_->out[i]] = std::move(tensor); }
  Status OutOfMemory();

  // For an input that is a reference or a resource: the variable itself. Null where a resource is
  // something else.
  Variable* variable(int i) const {
    const Tensor& slot = slots_[call_->in[i]];
    if (__builtin_expect(slot.dtype() == DType::kResource, 0)) return ResourceVariable(slot);
    return *slot.data<Variable*>();
  }
  // Makes output i the same reference as input `from`; nothing for ops without such an output.
  void ForwardRef(int from, int i) {
    if (i < call_->n_out) slots_[call_->out[i]] = slots_[call_->in[from]];
  }

  // fn(begin, end) over [0, total), in pieces and on the step's threads; ns_per_unit is the cost of
  // one unit. Once the step is cancelled the rest is left out, and it ends the kernel instead of
  // returning.
  template <class Fn>
  void ParallelFor(int64_t total, double ns_per_unit, Fn&& fn) {
    if (static_cast<double>(total) * ns_per_unit < 20e3) return fn(int64_t{0}, total);
    ForPieces(total, ns_per_unit, RangeOf<Fn>, &fn);
  }
  // Leaves out nothing, and cuts no further than for the threads: for what outlives the step, like
  // variables, and for an fn that looks at cancelled() itself.
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
  // Of a device that is not the host: what its kernels hand their work to.
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

// TENSH_OUTPUT(y, c.Output(0, shape)); declares Tensor* y, or returns from the kernel: no memory.
#define TENSH_OUTPUT(name, expr) \
  Tensor* name = (expr);         \
  if (__builtin_expect(!name, 0)) return c.OutOfMemory()

// What Prepare may look at; runs once when a plan is compiled.
class PrepareCtx {
 public:
  virtual ~PrepareCtx() = default;
  virtual std::string_view node_name() const = 0;
  virtual Attrs attrs() const = 0;
  virtual int num_inputs() const = 0;
  virtual DType input_dtype(int i) const = 0;
  virtual int num_outputs() const = 0;
  virtual DType output_dtype(int i) const = 0;
  // As inferred when the node was appended; may be partly known.
  virtual Shape input_shape(int i) const = 0;
  virtual ResourceTable& resources() = 0;
  // For kernels that call functions (function.h); null outside of a session.
  virtual FunctionRuntime* functions() { return nullptr; }
  virtual std::string_view op_name() const { return {}; }
  virtual std::string_view device_name() const { return {}; }  // where the node runs; may be empty
};

// The Status for the exception being handled.
Status StatusOfException();

// What it throws is its Status; what it says of work that was cut short means nothing.
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

// The only way a kernel is called.
inline Status CallKernel(KernelFn fn, KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(c.CheckInputs());
  return CallAndLook(fn, c);
}

using PrepareFn = Result<std::unique_ptr<KernelState>> (*)(PrepareCtx&);

}  // namespace tensh
