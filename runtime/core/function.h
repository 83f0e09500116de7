#pragma once
// Functions as kernels see them. A session implements this: a call is a nested step that runs in
// the caller's thread as a part of the caller's step, with the session's resources and devices.
#include <span>

#include "runtime/core/kernel.h"

namespace tensh {

class CalledFunction {
 public:
  virtual ~CalledFunction() = default;
  // args: one an argument, taken (left unspecified). rets: one a result, filled on success: in host
  // memory for a caller that computes there, else wherever it was made. The body is compiled by the
  // first call. Any thread may call; a function may call itself, to a limit.
  virtual Status Run(KernelCtx& caller, std::span<Tensor> args, std::span<Tensor> rets) = 0;
  virtual const std::string& name() const = 0;
  // How many results Run fills; compiles the body.
  virtual Result<size_t> NumResults() = 0;
};

class FunctionRuntime {
 public:
  virtual ~FunctionRuntime() = default;
  // Lives as long as the session. caller: the device of the node that calls it, where what asks for
  // no device in the body is placed, too; "" for the first. NotFound when the graph's library has
  // no such function.
  virtual Result<CalledFunction*> Find(const FuncAttr& function, std::string_view caller) = 0;
  // The full names of the session's devices.
  virtual std::vector<std::string> devices() const = 0;
};

}  // namespace tensh
