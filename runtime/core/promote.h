#pragma once
// Kernels for element types the arithmetic is not written for. A promoted row of an op runs the
// kernel of a wider type: inputs (and variables) are converted, the kernel computes, outputs
// are rounded back. Half and bfloat16 go through float; small integers through int64, which is
// exact for everything that wraps around. An op that needs something else has a row of its own.
#include "runtime/core/op_registry.h"

namespace tensh {

// Adds the rows an op's signature allows and its kernels do not have. Called once, when the
// signature is parsed.
void AddPromotedKernels(OpDef& op);

// Whether a row is one of those: it reads and writes elements in host memory.
bool IsPromoted(const KernelRow& row);

// The state of a row of `op` for one node: null where it needs none.
Result<std::unique_ptr<KernelState>> PrepareKernel(const OpDef& op, const KernelRow& row,
                                                   PrepareCtx& node);

}  // namespace tensh
