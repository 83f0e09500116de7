#pragma once
// The interface for kernels that call functions. A session implements it. A call is a nested step
// that runs in the caller's thread as a part of the caller's step, with the session's resources and
// devices.
#include <span>

#include "runtime/core/kernel.h"

namespace tensh {

class CalledFunction {
 public:
  virtual ~CalledFunction() = default;
  // Runs the function. `args` has one tensor for each argument; they are moved from. `rets` has one
  // for each result and is filled on success. The results are in host memory if the caller computes
  // there, and otherwise wherever they were computed. The first call compiles the body.
  // Thread-safe. Recursion is allowed up to a limit.
  virtual Status Run(KernelCtx& caller, std::span<Tensor> args, std::span<Tensor> rets) = 0;
  virtual const std::string& name() const = 0;
  // Returns the number of results of Run. Compiles the body.
  virtual Result<size_t> NumResults() = 0;
};

class FunctionRuntime {
 public:
  virtual ~FunctionRuntime() = default;
  // Finds a function. The result lives as long as the session. `caller` is the device of the
  // calling node ("" means the first device); nodes of the body that request no device are placed
  // there too. Returns NotFound if the graph's library has no such function.
  virtual Result<CalledFunction*> Find(const FuncAttr& function, std::string_view caller) = 0;
  // Returns the full names of the session's devices.
  virtual std::vector<std::string> devices() const = 0;
};

}  // namespace tensh
