#pragma once
// Kernels for element types for which the arithmetic is not implemented. Such a promoted kernel
// runs the kernel of a wider type: it converts the inputs and variables, computes, and rounds the
// outputs. Half and bfloat16 are computed in float. Small integers are computed in int64, which is
// exact for all operations that wrap around. An op that needs other rules registers kernels for
// these types.
#include "runtime/core/op_registry.h"

namespace tensh {

// Adds kernels for the types that an op's signature allows but its kernels do not support. Called
// once, when the signature is parsed.
void AddPromotedKernels(OpDef& op);

// Returns true for a promoted kernel, which reads and writes elements in host memory.
bool IsPromoted(const KernelRow& row);

// Makes the state of a kernel of `op` for one node, or null if the kernel needs none.
Result<std::unique_ptr<KernelState>> PrepareKernel(const OpDef& op, const KernelRow& row,
                                                   PrepareCtx& node);

}  // namespace tensh
