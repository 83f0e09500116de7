#pragma once
// Ops that a program registers at run time through the C API. Their shape function and kernel are
// objects, because they carry the program's functions and data.
//
// The built-in ops of a registry are fixed once it is shared. External ops are added beside them,
// while other threads use the registry, and stay as long as it does: a reader never locks, because
// an op is complete before it can be found, and is never moved.
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh {

// The kernel of one node of an external op.
class ExternalKernel : public KernelState {
 public:
  virtual Status Run(KernelCtx& c) const = 0;
};

// The functions of an external op. Thread-safe.
class ExternalOp {
 public:
  virtual ~ExternalOp() = default;
  virtual Status InferShapes(ShapeCtx& c) const = 0;
  // Returns an ExternalKernel.
  virtual Result<std::unique_ptr<KernelState>> Prepare(PrepareCtx& node) const = 0;
};

// Adds an op with a kernel for the CPU to a registry that has built-in ops. InvalidArgument if the
// name or the signature is malformed, AlreadyExists if the name is taken. Thread-safe.
Status AddExternalOp(const OpRegistry& registry, OpSpec spec, std::unique_ptr<const ExternalOp> op);

// Returns all external ops of a registry, in the order in which they were added.
std::vector<const OpDef*> ExternalOps(const OpRegistry& registry);

// Returns the functions of an external op, or null if the op is built in.
const ExternalOp* FindExternal(const OpDef& op);

// The kernel function of every external op: runs the ExternalKernel in the state.
Status RunExternal(KernelCtx& c);

}  // namespace tensh
