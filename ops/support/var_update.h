#pragma once
// Updates variables in place, following the rules of resource.h. The variables of one call are
// locked together, in address order, for the duration of the update.
#include <algorithm>
#include <array>
#include <mutex>

#include "ops/support/shape_util.h"

namespace tensh::ops {

Status NoVariable();  // the error for a handle to another kind of resource
// Checks updates by index. Returns InvalidArgument unless `updates` is a scalar or has one slice of
// params per index.
Status CheckUpdateShapes(const Tensor& params, const Tensor& indices, const Tensor& updates);
// Returns the value of the variable that input 0 refers to. Its type must be that of output 0.
Result<Tensor> ReadForOutput(KernelCtx& c);

// Locks N variables, which are inputs 0 … N-1. Two inputs may refer to the same variable.
template <int N>
class LockedVariables {
 public:
  explicit LockedVariables(KernelCtx& c) {
    for (int i = 0; i < N; ++i) {
      vars_[i] = order_[i] = c.variable(i);
      shared_[i] = c.in(i).dtype() == DType::kResource;
    }
    std::sort(order_.begin(), order_.end());
    for (int i = 0; i < N; ++i)
      if (IsFirst(i)) order_[i]->mu.lock();
  }
  ~LockedVariables() {
    for (int i = N - 1; i >= 0; --i)
      if (IsFirst(i)) order_[i]->mu.unlock();
  }
  LockedVariables(const LockedVariables&) = delete;
  LockedVariables& operator=(const LockedVariables&) = delete;

  // Returns an error if a variable is not initialized. Also makes the values writable: a value that
  // was read from a resource variable never changes, so a shared one is copied.
  Status CheckInitialized() {
    for (int i = 0; i < N; ++i) {
      if (!vars_[i]) return NoVariable();
      Tensor& value = vars_[i]->value;
      if (!value) return Uninitialized(*vars_[i]);
      if (shared_[i] && !value.unique()) {
        Tensor own = value.DeepCopy();
        if (!own) return ResourceExhausted("OOM when updating variable ", vars_[i]->name);
        value = std::move(own);
      }
    }
    return {};
  }
  const Tensor& operator[](int i) const { return vars_[i]->value; }
  Variable& variable(int i) const { return *vars_[i]; }

 private:
  bool IsFirst(int i) const { return order_[i] && (i == 0 || order_[i] != order_[i - 1]); }

  std::array<Variable*, N> vars_, order_;
  std::array<bool, N> shared_;
};

// Shape function of an update: the output has the shape of the variable, as does input `Same`.
template <int Same>
Status UpdateShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape shape, MergeShapes(c.in(0), c.in(Same)));
  c.Set(0, shape);
  return {};
}

}  // namespace tensh::ops
