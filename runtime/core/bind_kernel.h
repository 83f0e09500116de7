#pragma once
// Binds the kernel of a node: everything about a call that can be decided before a step. Compiled
// programs, token programs and single ops without a graph all bind their kernels here.
#include <memory>
#include <string_view>

#include "runtime/core/op_registry.h"

namespace tensh {

struct BoundKernel {
  KernelFn fn = nullptr;
  std::unique_ptr<KernelState> state;   // null if the kernel needs none
  const Contract* contract = nullptr;   // what the call checks: the op's, or `own`; null if nothing
  std::unique_ptr<const Contract> own;  // the op's contract for this node's lists of inputs
};

// Binds a row of the op's kernels, which FindKernel returned for the node's attributes. A row
// without a function uses the CPU's kernel.
Result<BoundKernel> BindKernel(const OpDef& op, const KernelRow& row, PrepareCtx& node);

}  // namespace tensh
